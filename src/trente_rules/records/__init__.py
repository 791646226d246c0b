"""Records of tailles: TOML files from which a taille is dealt and settled again."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
