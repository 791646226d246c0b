"""The core: what the game is, what a house says, and how a coup is settled."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
