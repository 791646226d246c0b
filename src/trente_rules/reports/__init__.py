"""What a house prints: comparison, PAR sheet, rules in words, monitoring."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
