"""The table service: tables over HTTP and WebSocket, and the web table that plays at them."""
