"""Kills: a host is killed by SIGKILL at any moment, or its server is; nothing answered is lost."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

from tests.durability.disk import Act, Kind, acts
from tests.durability.homes import SqliteHome
from tests.durability.host import Order
from tests.durability.ledger import Ledger
from tests.durability.postgres_home import PostgresHome
from tests.durability.scenes import TRIED, Met, Scene, Stage, dice_for

KILLS: Final = 8
"""Kills of one home."""
KEPT: Final = "written, not answered"
SENT: Final = "sent, not written"
IN_RECOVERY: Final = "in a recovery"
IN_LOG: Final = "between a write to the log and its sync"
IN_SYNC: Final = "in a sync of the log"
IN_MOVE: Final = "in a move of the log into the file"
IN_CHANGE: Final = "in a change to the next file"
SERVER: Final = "the server was killed"


def sqlite(stage: Stage, seed: int) -> Met:
    """Kill hosts of one home in SQLite."""
    dice = dice_for("kill sqlite", seed)
    folder = stage.home()
    home = SqliteHome(
        str(folder),
        synchronous=dice.choice(("", "", "normal")),
        log_pages=dice.choice((0, 8, 16)),
        sealed=dice.random() < 0.25,
    )
    how: dict[str, Any] = {
        "threads": dice.choice((1, 1, 4)),
        "rotate": dice.choice((0, 0, 9)),
        "fault": stage.fault,
    }
    ledger, met = Ledger(home), Met()
    trace = folder.with_suffix(".trace")
    for number in range(stage.times(KILLS)):
        order = Order(home.order(), dice.getrandbits(30), **how, **_moment(dice, str(trace)))
        hosts = stage.hosts if order.trace else stage.plain
        log = {path.stat().st_ino: path.name for path in folder.iterdir()}
        lines = hosts.run(order)
        if order.trace:
            met += _met(list(acts(trace)), log, ready=_is_ready(lines))
        met += judged(ledger, lines)
        if number and (folder / str(ledger.journals)).exists():
            met[IN_CHANGE] += 1
    shutil.rmtree(folder)
    trace.unlink(missing_ok=True)
    return met


def judged(ledger: Ledger, lines: Sequence[str]) -> Met:
    """Compare what a host wrote with its journal."""
    met = Met({TRIED: 1})
    kept, unanswered = len(ledger.kept), ledger.unanswered
    ledger.after(lines)
    met[KEPT] += ledger.unanswered > unanswered
    sent = [line.split()[1:] for line in lines if line.startswith("?")]
    lost = {each for batch in sent for each in batch} - set(list(ledger.kept)[kept:])
    met[SENT] += bool(lost)
    met[IN_RECOVERY] += not _is_ready(lines)
    return +met


def _is_ready(lines: Sequence[str]) -> bool:
    return any(line.startswith("ready") for line in lines)


def _moment(dice: Random, trace: str) -> dict[str, Any]:
    """Return when a host is killed: by a signal from outside, or by the shim at an operation."""
    turn = dice.random()
    if turn < 0.3:
        own = trace if dice.random() < 0.5 else ""
        return {"answers": dice.randrange(20), "wait": dice.randrange(3000), "trace": own}
    kind = dice.choice((0, 0, Kind.WRITE, Kind.BEGIN, Kind.END, Kind.TOLD, Kind.CREATE))
    early = turn > 0.85 and kind != Kind.CREATE
    most = {0: 120, Kind.WRITE: 60, Kind.CREATE: 3, Kind.TOLD: 20}.get(kind, 15)
    moment = (int(kind), dice.randint(1, most if not early else 6))
    # It ends by itself where nothing of the kind is done so often.
    return {"kill": moment, "early": early, "trace": trace, "answers": 60, "ends": True}


def _met(done: Sequence[Act], names: dict[int, str], *, ready: bool) -> Met:
    """Return what a host was in the middle of, from what it had done to its files."""
    loose: dict[int, Kind] = {}
    for act in done:
        if act.kind is Kind.CREATE:
            names[act.file] = act.names[0]
        if act.kind in (Kind.WRITE, Kind.BEGIN):
            loose[act.file] = act.kind
        elif act.kind is Kind.END:
            loose.pop(act.file, None)
    met = Met()
    for file, kind in loose.items():
        name = Path(names.get(file, "")).name
        if name.endswith("-wal") and ready:
            met[IN_SYNC if kind is Kind.BEGIN else IN_LOG] += 1
        elif name.isdecimal():
            met[IN_MOVE] += 1
    return met


def postgres(stage: Stage, seed: int) -> Met:
    """Kill hosts of one home in PostgreSQL, and now and then the server."""
    dice = dice_for("kill postgresql", seed)
    home = PostgresHome(stage.conninfo, "kills", stage.name(seed))
    how: dict[str, Any] = {
        "threads": dice.choice((1, 1, 3)),
        "rotate": dice.choice((0, 0, 9)),
        "fault": stage.fault,
    }
    ledger, met = Ledger(home), Met()
    for _ in range(stage.times(KILLS)):
        order = Order(home.order(), dice.getrandbits(30), **how, **_sent(dice))
        if order.server and not ledger.kept:
            continue
        lines = (stage.plain if order.wait else stage.hosts).run(order)
        met += judged(ledger, lines)
        met[SERVER] += bool(order.server)
    return +met


def _sent(dice: Random) -> dict[str, Any]:
    """Return when a host of PostgreSQL is killed: from outside, or once something was sent."""
    turn = dice.random()
    if turn < 0.3:
        return {"answers": dice.randrange(12), "wait": dice.randint(1, 4000)}
    if turn < 0.36:
        return {"server": dice.randint(1, 30_000), "answers": 10_000, "ends": True}
    early = turn > 0.85
    moment = (int(Kind.SEND), dice.randint(1, 25 if early else 60))
    return {"kill": moment, "early": early, "answers": 60, "ends": True}


SCENES: Final = (
    Scene("kill", "sqlite", sqlite, (KEPT, SENT, IN_RECOVERY, IN_LOG, IN_SYNC, IN_MOVE, IN_CHANGE)),
    Scene("kill", "postgresql", postgres, (KEPT, SENT, IN_RECOVERY, SERVER)),
)
