"""What a golden file says, as figures: money, cards and phases, no wording."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterable
from contextlib import redirect_stderr, redirect_stdout, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest.mock import patch

from trente_rules import PACK, Card, House, Stake, Table
from trente_rules.cli import main
from trente_rules.play.saving import session_of_text
from trente_rules.play.session import PlaySession
from trente_rules.records import Record
from trente_rules.table import (
    CloseBets,
    CoupDealt,
    CoupSettled,
    Deal,
    Event,
    MemoryJournal,
    Phase,
    Settle,
    StakeSettled,
    restore,
)
from trente_rules.table.statistics import Statistics

SPEEDS = ("seconds", "coups_per_second")


def told(*arguments: str) -> str:
    """Return what the command line prints, which is something."""
    out, error = io.StringIO(), io.StringIO()
    with (
        patch.object(sys, "argv", ["trente", *arguments]),
        redirect_stdout(out),
        redirect_stderr(error),
        suppress(SystemExit),
    ):
        main()
    assert out.getvalue(), error.getvalue()
    return out.getvalue()


def of_cards(cards: Iterable[Card]) -> str:
    """Return a digest of cards in their order."""
    return sha256(" ".join(map(str, cards)).encode()).hexdigest()


def restored(text: str, house: House) -> Table:
    """Return the table of a snapshot, with a journal beside it as a host would have one."""
    return restore(text, house, journal=MemoryJournal())


def of_stake(stake: Stake) -> dict[str, Any]:
    """Return a stake on the table."""
    return {
        "id": stake.id,
        "player": stake.owner,
        "chance": stake.chance,
        "amount": stake.amount,
        "state": stake.state,
        "share": str(stake.share),
        "insured": stake.insured,
        "handed_back": stake.handed_back,
    }


def of_table(table: Table) -> dict[str, Any]:
    """Return where a table stands."""
    state = table.state
    shoe = state.shoe
    return {
        "fingerprint": table.house.fingerprint,
        "opening": state.setup.opening.minimum,
        "phase": state.phase.value,
        "shoe": state.shoe_number,
        "coup": state.coup_number,
        "bank": state.bank,
        "players": dict(state.accounts),
        "stakes": [of_stake(stake) for stake in state.stakes],
        "prisoners": [of_stake(stake) for stake in state.prisoners],
        "choices": [[each.stake, each.course, each.verdict.id] for each in state.choices],
        "points": None if state.coup is None else [state.coup.first.point, state.coup.second.point],
        "cards": " ".join(map(str, state.cards)),
        "order": of_cards(getattr(shoe, "cards", ())),
        "position": getattr(shoe, "position", None),
        "events": state.events,
    }


def gone_on(table: Table) -> dict[str, Any]:
    """Return where a table stands once the coup at hand is settled; it is played on."""
    for kind, phases in (
        (CloseBets, (Phase.BETTING,)),
        (Deal, (Phase.CLOSED, Phase.DEALING)),
        (Settle, (Phase.DEALT,)),
    ):
        if table.state.phase in phases:
            table.do(kind(id=f"golden {kind.kind}"))
    return of_table(table)


def of_events(events: Iterable[Event]) -> dict[str, Any]:
    """Return what events tell of coups and money."""
    known = list(events)
    return {
        "points": [
            [event.coup.first.point, event.coup.second.point]
            for event in known
            if isinstance(event, CoupDealt)
        ],
        "cards": of_cards(
            card for event in known if isinstance(event, CoupDealt) for card in event.coup.cards
        ),
        "settled": [
            [event.players_net, event.bank_net] for event in known if isinstance(event, CoupSettled)
        ],
        "lines": [
            [
                *(event.line.stake.id, event.line.verdict.id, event.line.returned),
                *(event.line.won, event.line.forfeited, event.line.staying),
                *(event.line.premium_kept, event.line.premium_returned, str(event.line.residue)),
            ]
            for event in known
            if isinstance(event, StakeSettled)
        ],
        "statistics": Statistics.of(known).to_json(),
    }


def of_record(record: Record) -> dict[str, Any]:
    """Return what a record tells of coups and money."""
    return {
        "fingerprint": record.house.fingerprint,
        "sha256": record.sha256,
        "shoe": record.shoe.number,
        "order": of_cards(record.shoe.order),
        "left": record.end.left,
        "points": [list(coup.points) for coup in record.coups],
        "void": [bool(coup.void) for coup in record.coups],
        "players": list(record.table.players),
        "prisoners": [each.id for each in record.prisoners],
        "stakes": [
            [[stake.id, stake.returned, stake.won, stake.forfeited] for stake in coup.stakes]
            for coup in record.coups
        ],
    }


def of_session(session: PlaySession) -> dict[str, Any]:
    """Return where a player at a table of his own stands, and what he is dealt next."""
    return {
        "table": of_table(session.table),
        "step": session.step.value,
        "bankroll": session.bankroll,
        "purse": session.purse,
        "chip": session.chip,
        "insure": sorted(session.insure),
        "statistics": session.statistics.to_json(),
        "next_shuffle": of_cards(session.shuffler.shuffle(PACK)),
    }


def of_save(text: str) -> dict[str, Any]:
    """Return where the session of a save file stands."""
    return of_session(session_of_text(text))


def of_run(name: str, arguments: Iterable[str], file: Path) -> dict[str, Any]:
    """Return the totals of a run that is resumed from a file, how fast it was left out."""
    text = told("simulate", name, *arguments, "--resume", str(file), "--format", "json")
    found: dict[str, Any] = _timeless(json.loads(text))
    return found


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _timeless(each) for name, each in value.items() if name not in SPEEDS}
    return [_timeless(each) for each in value] if isinstance(value, list) else value


def missing(wanted: Any, found: Any, place: str = "") -> list[str]:
    """Return the places where what is wanted is not found; later versions may tell more."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        return [
            wrong
            for name, value in wanted.items()
            for wrong in missing(value, found.get(name), f"{place}.{name}")
        ]
    if isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        return [
            wrong
            for number, (one, other) in enumerate(zip(wanted, found, strict=True))
            for wrong in missing(one, other, f"{place}[{number}]")
        ]
    if isinstance(wanted, float) and isinstance(found, float):
        near = abs(wanted - found) <= 1e-12 * max(1.0, abs(wanted))
        return [] if near else [f"{place}: {wanted!r}, found {found!r}"]
    return [] if wanted == found else [f"{place}: {wanted!r}, found {found!r}"]
