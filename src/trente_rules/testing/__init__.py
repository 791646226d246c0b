"""For the tests of anyone who uses or extends this library: stacked shoes, checks, strategies.

The strategies (``cards``, ``rows``, ``coups``, ``houses``, ``stakes`` and those for tables of
houses) need hypothesis: install ``trente-rules[testing]``. Nothing else does.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
