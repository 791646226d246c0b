"""The table service: tables over HTTP and WebSocket, and the web table that plays at them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
