"""A host whose table outlives it: ten players, a journal, a kill, and a recovery.

Run it as ``python examples/journal_host.py JOURNAL [COMMANDS]``. It starts a second process that
runs a table on the journal, kills that one without warning once it has answered so many commands,
recovers the table, and plays on to the end of the taille. A real host takes its commands from
players and dealers; what it does with the journal is the same.
"""

from __future__ import annotations

import subprocess
import sys

from trente_rules import NOIR, ROUGE, Opening, Table, load_house
from trente_rules.fair import SystemShuffler
from trente_rules.table import (
    Burn,
    CloseBets,
    Command,
    Cut,
    Deal,
    OpenBets,
    OpenShoe,
    Phase,
    Place,
    PlaceMarker,
    Settle,
    SqliteJournal,
    balance,
    recover,
)

MINIMUM = 10_00  # in units of the house, which are cents
PLAYERS = ("ann", "bob", "cid", "dan", "eve", "fay", "guy", "hal", "ida", "joe")


def next_command(table: Table) -> Command:
    """Return what a dealer and ten players would do now.

    The id is made of the state: a host that does not know whether a command was done before it was
    killed sends it again, and it is done once.
    """
    state, rule = table.state, table.house.shoe
    own = f"after event {state.events}"
    match state.phase:
        case Phase.NO_SHOE:
            return OpenShoe.shuffled(own, rule.packs, SystemShuffler())
        case Phase.CUT:
            return Cut(id=own, place=100, by=rule.cut_by)
        case Phase.BURN:
            return Burn(id=own)
        case Phase.MARK:
            return PlaceMarker(id=own, by=rule.marker.placed_by if rule.marker else "croupier")
        case Phase.READY:
            return OpenBets(id=own)
        case Phase.CLOSED:
            return Deal(id=own)
        case Phase.DEALT:
            return Settle(id=own)
    there = {stake.id for stake in state.stakes}
    for number, player in enumerate(PLAYERS, 1):
        stake = f"{player} {state.shoe_number}.{state.coup_number}"
        if stake not in there:
            chance = ROUGE if (number + state.coup_number) % 3 else NOIR
            return Place(id=own, stake=stake, player=player, chance=chance, amount=MINIMUM * number)
    return CloseBets(id=own)


def open_table(journal: SqliteJournal) -> Table:
    """Resume the table of a journal, or start one."""
    if journal.head is None:
        house = load_house("france-2007")
        return Table(house, name="salle 3", opening=Opening(MINIMUM), journal=journal)
    return recover(journal)


def serve(path: str) -> None:
    """Run a table until the process ends; a line for each command that was answered."""
    table = open_table(SqliteJournal(path))
    while True:
        command = next_command(table)
        table.do(command)
        print(command.id, flush=True)


def main() -> None:
    """Start a table, kill it, resume."""
    path, commands = sys.argv[1], int((*sys.argv, "100")[2])
    arguments = [sys.executable, __file__, "--serve", path]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603
        answered = [server.stdout.readline().strip() for _number in range(commands)]
        server.kill()  # SIGKILL: it has no time to say goodbye
        answered += [line.strip() for line in server.stdout if line.endswith("\n")]
    print(f"killed after {len(answered)} answers, exit status {server.returncode}")

    with SqliteJournal(path) as journal:
        table = open_table(journal)
        kept = [entry.command.id for entry in journal.entries()]
        lost = [name for name in answered if name not in kept]
        print(f"in the journal: all of them: {not lost}; unanswered: {len(kept) - len(answered)}")
        print(f"shoe {table.state.shoe_number}, coup {table.state.coup_number}: ", end="")
        print(f"{len(table.state.stakes)} stakes on the table, balance {balance(table.state)}")
        while table.state.phase is not Phase.NO_SHOE:
            table.do(next_command(table))
        print(f"the taille went on to coup {table.state.coup_number}, ", end="")
        print(f"balance {balance(table.state)}, bank {table.state.bank:+}")
        print(f"chain of {journal.check().sequence} commands checked")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[2])
    elif not sys.argv[1:]:
        sys.exit("usage: python journal_host.py JOURNAL [COMMANDS]")
    else:
        main()
