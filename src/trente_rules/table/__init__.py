"""The live table: commands in, events out. ``decide`` is pure; ``Table`` keeps the state."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
