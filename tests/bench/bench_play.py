"""How fast the table answers, on a terminal of its own: the start, a stake, a deal, the lesson.

Run it by itself: ``python tests/bench/bench_play.py``; it prints, and asserts nothing.
"""

from __future__ import annotations

import os
import pty
import re
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ

from trente_rules import load_house
from trente_rules.play.lesson import lesson_of
from trente_rules.testing import opening_of

STARTS = 5
HOUSE = "france-2007"
COUPS = 20
HANGS = 20.0
_ESCAPES = re.compile(rb"\x1b\[[0-9;?<>$]*[A-Za-z]")


class Terminal:
    """A table in a process of its own, on a terminal of this size."""

    def __init__(self, columns: int, lines: int, *options: str) -> None:
        """Start it."""
        self.master, slave = pty.openpty()
        ioctl(slave, TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        environment = {**os.environ, "TERM": "xterm-256color"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        code = "from trente_rules.cli import main; main()"
        self.began = time.perf_counter()
        self.table = subprocess.Popen(
            [sys.executable, "-c", code, "play", HOUSE, "--bankroll", "100000", *options],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment,
            start_new_session=True,
        )
        os.close(slave)

    def until(self, wanted: bytes) -> float:
        """Return the time at which this is drawn."""
        out = b""
        while not re.search(wanted, _ESCAPES.sub(b"", out)):
            if not select.select([self.master], [], [], HANGS)[0]:
                raise SystemExit(f"{wanted!r} was not drawn in {HANGS} seconds")
            out += os.read(self.master, 1 << 16)
        return time.perf_counter()

    def press(self, key: str, wanted: bytes) -> float:
        """Press a key; answer the seconds until this is drawn."""
        while select.select([self.master], [], [], 0.05)[0]:
            os.read(self.master, 1 << 16)
        began = time.perf_counter()
        os.write(self.master, key.encode())
        return self.until(wanted) - began

    def leave(self) -> None:
        """End the table."""
        self.table.terminate()
        while True:
            try:
                if not os.read(self.master, 1 << 16):
                    break
            except OSError:
                break
        self.table.wait()
        os.close(self.master)


def start() -> float:
    """Return the seconds from the start of the process to the table."""
    terminal = Terminal(80, 24)
    took = terminal.until(b"chips") - terminal.began
    terminal.leave()
    return took


def keys(columns: int, lines: int, folder: Path) -> dict[str, list[float]]:
    """Return the seconds of stakes and of deals, until the head of the table tells of them."""
    file = folder / f"{columns}.json"
    terminal = Terminal(columns, lines, "--seed", "5e", "--save", str(file))
    terminal.until(b"chips")
    terminal.press("d", b"Cut the cards")
    terminal.press("\r", rb"coup 1 ")
    took: dict[str, list[float]] = {"stake": [], "deal": []}
    for coup in range(1, COUPS + 1):
        took["stake"].append(terminal.press("r", rb"purse [0-9,]+ EUR"))
        took["deal"].append(terminal.press("d", b"coup %d " % (coup + 1)))
    terminal.leave()
    return took


def main() -> None:
    """Measure and print."""
    start()  # bytecode is compiled
    starts = sorted(start() for _ in range(STARTS))
    print(f"start             median {statistics.median(starts):.2f} s   worst {starts[-1]:.2f} s")
    with tempfile.TemporaryDirectory() as folder:
        for columns, lines in ((80, 24), (160, 50)):
            for name, took in keys(columns, lines, Path(folder)).items():
                print(
                    f"{name:<6}{columns:>4} x {lines}   median "
                    f"{1000 * statistics.median(took):.0f} ms   worst {1000 * max(took):.0f} ms"
                )
    house = load_house(HOUSE)
    began = time.perf_counter()
    lesson_of(house, opening_of(house), ())
    first = time.perf_counter() - began
    began = time.perf_counter()
    lesson_of(house, opening_of(house), ())
    again = time.perf_counter() - began
    print(f"lesson            first {1000 * first:.0f} ms   again {1000 * again:.0f} ms")


if __name__ == "__main__":
    main()
