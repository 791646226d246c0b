"""A private PostgreSQL server: a cluster in a folder, on a Unix socket, never of root."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep
from typing import Any, Final

_PLACES: Final = "/usr/lib/postgresql/*/bin"
_SETTINGS: Final = {
    "fsync": "off",  # processes are killed here, not machines
    "full_page_writes": "off",
    "listen_addresses": "",
    "max_connections": "60",
    "shared_buffers": "32MB",
    "log_min_messages": "panic",
    "autovacuum": "off",
}
_DATABASE: Final = "host=%s user=postgres dbname=postgres"


def programs() -> Path | None:
    """Return the folder of ``initdb`` and ``postgres``, None where none is installed."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/").glob(_PLACES.removeprefix("/")), reverse=True)
    return next((each for each in folders if (each / "postgres").exists()), None)


def user() -> dict[str, Any]:
    """Return who runs the server, as ``subprocess`` takes it: PostgreSQL refuses root."""
    if os.geteuid() != 0:
        return {}
    from pwd import getpwnam  # noqa: PLC0415 - POSIX has it

    found = getpwnam("nobody")
    return {"user": found.pw_uid, "group": found.pw_gid, "extra_groups": []}


@contextmanager
def server(bin_: Path) -> Iterator[str]:
    """Start a server of a new cluster; yield the text by which to connect to it."""
    how = user()
    folder = Path(tempfile.mkdtemp(prefix="trente-pg-"))
    data = folder / "data"
    try:
        if how:
            shutil.chown(folder, how["user"])
        make = [str(bin_ / "initdb"), "-D", str(data), "-U", "postgres", "-A", "trust"]
        make += ["-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions"]
        subprocess.run(make, check=True, cwd=folder, stdout=subprocess.DEVNULL, **how)
        options = [f"-c{name}={value}" for name, value in _SETTINGS.items()]
        setpriv = shutil.which("setpriv")  # it ends with this process, however that ends
        run = [setpriv, "--pdeathsig", "INT"] if setpriv else []
        run += [str(bin_ / "postgres"), "-D", str(data), "-k", str(folder), *options]
        with subprocess.Popen(run, cwd=folder, process_group=0, **how) as process:
            try:
                _await(process, folder)
                yield _DATABASE % folder
            finally:
                process.send_signal(signal.SIGINT)  # its connections are ended
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _await(process: subprocess.Popen[bytes], folder: Path) -> None:
    """Wait until the server takes connections."""
    import psycopg  # noqa: PLC0415 - of the extra

    for _ in range(1200):
        assert process.poll() is None, "the server has ended"
        try:
            psycopg.connect(_DATABASE % folder).close()
        except psycopg.OperationalError:
            sleep(0.05)
        else:
            return
    raise AssertionError("the server does not take connections")
