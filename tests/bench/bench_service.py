"""The service under its load: how long a command takes to reach every player of its table.

    python tests/bench/bench_service.py --tables 50 --players 1000 --coup 10 --coups 80

The service is one process with a folder of SQLite journals at full synchronisation; dealers and
players are in another process (``service_load.py``). Next to the delays are those of the disk:
this process appends a page to a file in the folder of the journals and waits for it, five times a
second, before the load and during it. Memory is the service's own (resident), after every minute.
Nothing is asserted. ``--profile FILE`` records the service with py-spy, where that is installed.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from argparse import ArgumentParser, Namespace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Self

HERE: Final = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

from service_load import told  # type: ignore[import-not-found]  # noqa: E402
from tests.served import Served, served  # noqa: E402

HOUSE: Final = "france-2007"
_PAGE: Final = b"\0" * 4096


class Disk:
    """Syncs of the disk, measured in a thread until it is stopped."""

    def __init__(self, folder: Path, every: float = 0.2) -> None:
        """Measure in a file of a folder."""
        self.delays: list[int] = []
        self._file, self._every = folder / "sync-probe", every
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        with self._file.open("ab", buffering=0) as file:
            while not self._stop.wait(self._every):
                file.write(_PAGE)
                started = time.monotonic_ns()
                os.fsync(file.fileno())
                self.delays.append(time.monotonic_ns() - started)
        self._file.unlink()

    def __enter__(self) -> Self:
        """Begin."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End."""
        self._stop.set()
        self._thread.join()


def resident(pid: int) -> float:
    """Return the resident memory of a process in MiB."""
    for line in Path(f"/proc/{pid}/status").read_text("ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise ProcessLookupError(pid)


def processor(pid: int) -> float:
    """Return the seconds of processor time that a process has used."""
    parts = Path(f"/proc/{pid}/stat").read_text("ascii").rsplit(")", 1)[1].split()
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


def setups(service: Served, tables: int, players: int) -> list[dict[str, Any]]:
    """Create the tables; return who sits at them."""
    supervisor = service.token("supervisor", "supervisor")
    made = []
    for n in range(tables):
        name = f"table-{n + 1}"
        setup = {"table": name, "house": HOUSE, "pace": None, "opening": {"minimum": 1000}}
        service.ask("POST", "/api/tables", supervisor, setup)
        here = [f"player-{i}" for i in range(n, players, tables)]
        seated = [(each, service.token(each, "player", [name])) for each in here]
        dealer = service.token(f"dealer-{n + 1}", "dealer", [name])
        made.append({"name": name, "dealer": dealer, "players": seated})
    return made


def measured(asked: Namespace, folder: Path) -> dict[str, Any]:
    """Run the service and its load; return all that was measured."""
    profile = shutil.which("py-spy") if asked.profile else None
    with Disk(folder, 0.02) as quiet:
        time.sleep(3)
    with served(folder, *asked.option) as service, Disk(folder) as disk:
        assert service.process is not None
        pid = service.process.pid
        order = {
            "url": f"ws://127.0.0.1:{service.port}",
            "tables": setups(service, asked.tables, asked.players),
            "coup": asked.coup,
            "seconds": asked.coup * asked.coups,
            "deflate": asked.deflate,
        }
        memory = [("before", resident(pid))]
        with subprocess.Popen(
            [sys.executable, str(HERE / "service_load.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as load:
            assert load.stdin is not None
            assert load.stdout is not None
            load.stdin.write(json.dumps(order) + "\n")
            load.stdin.flush()
            load.stdout.readline()  # all are connected
            memory.append(("connected", resident(pid)))
            spying = None
            if profile:
                seconds = str(int(min(60, asked.coup * asked.coups - 3 * asked.coup)))
                spy = (profile, "record", "-p", str(pid), "-d", seconds, "-o", asked.profile)
                spying = subprocess.Popen([*spy, "-f", "raw", "--native"])
            started, used, load_used = time.monotonic(), processor(pid), processor(load.pid)
            finished = threading.Event()

            def sample() -> None:
                minutes = 0
                while not finished.wait(60):
                    minutes += 1
                    memory.append((f"{minutes} min", resident(pid)))

            sampler = threading.Thread(target=sample)
            sampler.start()
            text = load.stdout.readline()
            finished.set()
            sampler.join()
            memory.append(("end", resident(pid)))
            took = time.monotonic() - started
            share = (processor(pid) - used) / took
            load_share = (processor(load.pid) - load_used) / took if load.poll() is None else None
            if spying:
                spying.wait()
        result: dict[str, Any] = json.loads(text) if text else {"log": service.log[-4000:]}
        return {
            **result,
            "processor": share,
            "load_processor": load_share,
            "memory": memory,
            "sync_quiet": told(quiet.delays),
            "sync": told(disk.delays),
        }


def line(name: str, delays: dict[str, float]) -> str:
    """Return the quantiles of delays as a line."""
    if not delays.get("count"):
        return f"{name:<44} none"
    parts = "  ".join(f"{each} {delays[each]:8.2f}" for each in ("p50", "p90", "p99", "p999"))
    return f"{name:<44} {parts}  most {delays['most']:8.2f} ms  of {delays['count']:,}"


def shown(asked: Namespace, found: dict[str, Any]) -> str:
    """Return what was measured as text."""
    if "shared" not in found:
        return f"the load has ended early:\n{found['log']}"
    seconds = found["seconds"]
    rates = (
        f"{found['messages'] / seconds:,.0f} messages/s, {found['bytes'] / seconds / 1e6:.2f} MB/s"
    )
    lines = [
        (
            f"{asked.tables} tables, {asked.players} players, a coup every {asked.coup} s at each: "
            f"{found['coups']:,} coups in {seconds:.0f} s, {rates}"
        ),
        (
            f"refused {found['refused']}, connections lost {found['lost']}, "
            f"all connected in {found['joining']:.1f} s"
        ),
        line("dealer's command to every player's entry", found["shared"]),
        *(line(f"    {kind}", each) for kind, each in found["kinds"].items()),
        line("slip of a player to its own entry", found["own"]),
        line("of that, this load process is late by", found["late"]),
        line("sync of the disk, before the load", found["sync_quiet"]),
        line("sync of the disk, during the load", found["sync"]),
        f"processor: service {found['processor']:.2f} of a core",
        "memory of the service in MiB: "
        + ", ".join(f"{when} {mib:.0f}" for when, mib in found["memory"]),
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure, and print."""
    parser = ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tables", type=int, default=50)
    parser.add_argument("--players", type=int, default=1000, help="at all tables together")
    parser.add_argument("--coup", type=float, default=10, help="seconds of a coup")
    parser.add_argument("--coups", type=int, default=80, help="how many coups each table plays")
    parser.add_argument("--deflate", action="store_true", help="offer compression, as browsers do")
    parser.add_argument(
        "--folder", type=Path, help="where the journals are, on the disk to measure"
    )
    parser.add_argument("--option", action="append", default=[], help="one more of trente serve")
    parser.add_argument("--profile", help="record the service with py-spy into this file")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    with TemporaryDirectory(dir=asked.folder) as folder:
        found = measured(asked, Path(folder))
    print(json.dumps(found) if asked.json else shown(asked, found))


if __name__ == "__main__":
    main()
