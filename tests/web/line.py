"""A line between a page and the service that can be cut, as a network's can."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from typing import Final

_PIECE: Final = 65536


class Line:
    """A port that carries to another one, until it is cut; mended, it carries again."""

    def __init__(self, port: int, to: int) -> None:
        """Listen on a port."""
        self.port, self._to = port, to
        self._cut = False
        self._ends: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", port))
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Break every connection; new ones are refused from now on."""
        self._cut = True
        with self._lock:
            for end in self._ends:
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        """Carry again."""
        self._cut = False

    def close(self) -> None:
        """Cut, and listen no more."""
        self.cut()
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):  # closed
            while True:
                near, _ = self._listener.accept()
                if self._cut:
                    near.close()
                    continue
                far = socket.create_connection(("127.0.0.1", self._to))
                with self._lock:
                    self._ends |= {near, far}
                threading.Thread(target=self._bridge, args=(near, far), daemon=True).start()

    def _bridge(self, near: socket.socket, far: socket.socket) -> None:
        """Carry both ways until both ends are silent."""
        back = threading.Thread(target=_carry, args=(far, near), daemon=True)
        back.start()
        _carry(near, far)
        back.join()
        with self._lock:
            self._ends -= {near, far}
        near.close()
        far.close()


def _carry(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):  # cut
        while piece := source.recv(_PIECE):
            sink.sendall(piece)
    with suppress(OSError):
        sink.shutdown(socket.SHUT_WR)
