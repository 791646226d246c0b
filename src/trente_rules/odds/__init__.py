"""The exact odds of a coup, and the bank's advantage on every wager of a house."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
