"""Who sits down at a table: strategies in Python, staking systems, counters of cards."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
