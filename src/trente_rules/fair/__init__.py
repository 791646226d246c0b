"""Where the order of a shoe comes from: entropy, and provably fair shoes."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
