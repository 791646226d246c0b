"""A host that speaks JSON lines: a command a line in, what the table did a line out.

Run it as ``python examples/wire_host.py [HOUSE] [SEED]``. The first line out says which session it
is. Then each line in is a command, and its reply is {"entry": ...} or {"error": ...}. The host
prepares one shoe and closes the session when that is over; the other commands come from outside.

The client is trusted: it plays the players and the croupier, and sees all of their entries. It does
not see how the shoe was made: that entry has the order of the cards. To a player's own device write
``view(entry, for_=player)`` alone, and take from it what ``may_give`` allows.
"""

from __future__ import annotations

import json
import sys

from trente_rules import Opening, Table, TrenteError, load_house
from trente_rules.fair import SeededShuffler, SystemShuffler
from trente_rules.table import (
    Burn,
    CloseSession,
    Command,
    Cut,
    Entry,
    OpenBets,
    OpenShoe,
    Phase,
    PlaceMarker,
    command_from_json,
    entry_to_json,
)

MINIMUM = 10_00  # in units of the house, which are cents


def write(**line: object) -> None:
    print(json.dumps(line, ensure_ascii=False), flush=True)


def preparations(table: Table, seed: str) -> list[Command]:
    """Return what the croupier does before the first coup."""
    rule = table.house.shoe
    shuffler = SeededShuffler(bytes.fromhex(seed)) if seed else SystemShuffler()
    done: list[Command] = [OpenShoe.shuffled("shoe", rule.packs, shuffler)]
    done.append(Cut(id="cut", place=100, by=rule.cut_by))
    if rule.burn:
        done.append(Burn(id="burn"))
    if rule.marker:
        done.append(PlaceMarker(id="marker", by=rule.marker.placed_by))
    return [*done, OpenBets(id="bets")]


def answer(table: Table, text: str) -> Entry | None:
    """Do the command of a line, and write what it did, or why it was refused."""
    try:
        entry = table.execute(command_from_json(json.loads(text)))
    except (TrenteError, ValueError) as error:
        known = error if isinstance(error, TrenteError) else TrenteError(str(error), "not-json")
        write(error={"code": known.code, "message": known.message, "hint": known.hint})
        return None
    write(entry=entry_to_json(entry))
    return entry


def main(house: str = "france-2007", seed: str = "") -> None:
    table = Table(load_house(house), name="salle 3", opening=Opening(MINIMUM))
    state = table.state
    write(
        welcome={
            "house": table.house.name,
            "session": state.setup.session,
            "opening": {"minimum": MINIMUM},
        }
    )
    *before, bets = preparations(table, seed)
    table.do_many(before)  # never written: the order of the cards is in them
    write(entry=entry_to_json(table.execute(bets)))
    for line in sys.stdin:
        answer(table, line)
        if table.state.phase is Phase.NO_SHOE:
            write(entry=entry_to_json(table.execute(CloseSession(id="close"))))
            return


if __name__ == "__main__":
    main(*sys.argv[1:])
