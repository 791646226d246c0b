"""A service in a process of its own: started, asked, stopped, killed, and started again."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx

from trente_rules.service.tokens import Role, Tokens, Visitor

SEED: Final = "5e" * 16
_TRENTE: Final = "from trente_rules.cli import main; main()"
_PATIENCE: Final = 60.0
_LASTS: Final = 24 * 60 * 60


class Served:
    """A running service: its address, tokens by its key, and requests to it."""

    def __init__(self, folder: Path, *options: str, seed: str = SEED) -> None:
        """Prepare a service that keeps its journals in a folder; ``start`` starts it."""
        self.folder, self.options, self.seed = folder, options, seed
        self.key = secrets.token_bytes(32)
        self.port = free_port()
        self.process: subprocess.Popen[str] | None = None
        self._client = httpx.Client(timeout=_PATIENCE, trust_env=False)
        self._log = folder / "service.log"

    @property
    def address(self) -> str:
        """Where the service is, without a slash at the end."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        """What the service has written so far."""
        return self._log.read_text("utf-8") if self._log.exists() else ""

    def token(self, name: str, role: str = "player", tables: Sequence[str] = ("*",)) -> str:
        """Return a token by the service's key."""
        now = int(time.time())
        visitor = Visitor(name, Role(role), tuple(tables), now + _LASTS)
        return Tokens(self.key).issue(visitor, now)

    def start(self) -> None:
        """Start the service, on the same port each time, and wait until it takes requests."""
        key = self.folder / "tokens.key"
        key.write_text(self.key.hex(), "utf-8")
        key.chmod(0o600)
        command = [sys.executable, "-c", _TRENTE, "serve", "--port", str(self.port)]
        command += ["--journal", f"sqlite:{self.folder / 'journals'}", "--token-key-file", str(key)]
        command += ["--seed", self.seed] if self.seed else []
        with self._log.open("a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [*command, *self.options],
                stdout=log,
                stderr=subprocess.STDOUT,
                text=True,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
                process_group=0,
            )
        until = time.monotonic() + _PATIENCE
        while True:
            assert self.process.poll() is None, self.log
            try:
                if self._client.get(f"{self.address}/readyz").status_code == httpx.codes.OK:
                    return
            except httpx.TransportError:
                assert time.monotonic() < until, self.log
            time.sleep(0.05)

    def stop(self) -> int:
        """Ask the service to stop, and wait; return its exit status."""
        return self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End the service at once, as a power cut would."""
        self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals) -> int:
        process, self.process = self.process, None
        if process is None:
            return 0
        process.send_signal(how)
        try:
            return process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise

    def answer(self, method: str, path: str, token: str, body: Any = None) -> httpx.Response:
        """Return the answer to a request, whatever it is; wait where it comes too soon."""
        bearer = {"Authorization": f"Bearer {token}"}
        until = time.monotonic() + _PATIENCE
        while True:
            asked = self._client.request(method, self.address + path, json=body, headers=bearer)
            if asked.status_code != httpx.codes.TOO_MANY_REQUESTS or time.monotonic() > until:
                return asked
            time.sleep(float(asked.headers.get("Retry-After", "1")))

    def ask(self, method: str, path: str, token: str, body: Any = None) -> Any:
        """Return the JSON of an answer that is no error."""
        answer = self.answer(method, path, token, body)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json()

    def close(self) -> None:
        """Kill the service where it runs, and close the connections to it."""
        self.kill()
        self._client.close()


def free_port() -> int:
    """Return a port of the loopback address that nothing uses now."""
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        port: int = made.getsockname()[1]
        return port


@contextmanager
def served(folder: Path, *options: str, seed: str = SEED) -> Iterator[Served]:
    """Start a service; it is ended at the end."""
    service = Served(folder, *options, seed=seed)
    try:
        service.start()
        yield service
    finally:
        service.close()
