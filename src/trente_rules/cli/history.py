"""``trente history``: the last coups of a table, from its journal."""

from __future__ import annotations

from typing import Any, Final

import click

from trente_rules._version import __version__
from trente_rules.cli.output import Table, print_json, print_table
from trente_rules.errors import ConfigurationError, RecordError
from trente_rules.lines import Line
from trente_rules.settlement import VOID
from trente_rules.stakes import Stake
from trente_rules.table.history import CoupHistory, coup_to_json, history
from trente_rules.table.journal import recover
from trente_rules.table.journal_sqlite import SqliteJournal
from trente_rules.table.state import TableState, balance, premium_of

_NUMBERS: Final = frozenset(
    ("amount", "premium", "back", "won", "lost", "premium back", "residue", "place", "total")
)
_STAKES: Final = (
    *("stake", "player", "chance", "amount", "premium", "state", "verdict", "course"),
    *("after", "back", "won", "lost", "premium back", "residue"),
)


@click.command()
@click.argument("journal", type=click.Path())
@click.option("--coups", type=click.IntRange(1), default=10, show_default=True, help="How many.")
@click.option("--check", is_flag=True, help="First check every row against the hash chain.")
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table")
def command(journal: str, coups: int, form: str, *, check: bool) -> None:
    """Last coups of a table, the oldest first: cards, verdicts, what became of each stake.

    JOURNAL is the file of a journal. It is only read: the table may run meanwhile. The last coup
    may be open still; what stands on the table now is told at the end. Amounts are in units of the
    house.
    """
    with SqliteJournal(journal, read_only=True) as kept:
        head = kept.check() if check else kept.head
        told = history(kept.last_coups(coups))
        meta = kept.meta
        now, why = _now(kept)
    if form == "json":
        print_json(
            {
                "schema": int(meta["schema"]),
                "engine": meta["engine"],
                "read_by": __version__,
                "house": meta["house"],
                "fingerprint": meta["fingerprint"],
                "table": meta["table"],
                "checked": check,
                "commands": head.sequence if head else 0,
                "head": head.hash.hex() if head else None,
                "coups": [coup_to_json(coup) for coup in told],
                "now": None if now is None else _state_json(now),
                "why": why or None,
            }
        )
        return
    click.echo(f"table {meta['table']}, house {meta['house']} ({meta['fingerprint']})")
    if head:
        words = "checked, " if check else ""
        click.echo(f"{head.sequence} commands, {words}head {head.hash.hex()}")
    click.echo()
    for coup in told:
        _print_coup(coup)
    _print_now(now, why)


def _now(journal: SqliteJournal) -> tuple[TableState | None, str]:
    """Answer the state of the table, or why it cannot be told."""
    try:
        return recover(journal).state, ""
    except (RecordError, ConfigurationError) as error:
        if isinstance(error, RecordError) and error.code != "other-events":
            raise
        return None, str(error)


def _state_json(state: TableState) -> dict[str, Any]:
    return {
        "phase": state.phase.value,
        "shoe": state.shoe_number,
        "coup": state.coup_number,
        "stakes": [
            {
                "id": stake.id,
                "player": stake.owner,
                "chance": stake.chance,
                "amount": stake.amount,
                "state": stake.state,
                "share": str(stake.share),
                "standing": stake.standing,
                "premium": premium_of(state.house, stake),
            }
            for stake in state.stakes
        ],
        "accounts": dict(state.accounts),
        "bank": state.bank,
        "balance": balance(state),
    }


def _print_coup(coup: CoupHistory) -> None:
    times = [
        step.at for step in coup.steps[:: max(len(coup.steps) - 1, 1)] if step.at
    ]  # when it began and ended
    when = f", {' to '.join(dict.fromkeys(times))}" if times else ""
    click.echo(f"shoe {coup.shoe}, coup {coup.coup}: {coup.status}{when}")
    dealt = coup.dealt
    if dealt:
        verdicts = ", ".join(f"{name} {verdict.id}" for name, verdict in dealt.verdicts)
        click.echo(f"points {dealt.coup.first.point} and {dealt.coup.second.point}: {verdicts}")
        if str(dealt.coup) != _turned(coup):
            click.echo(f"corrected to {dealt.coup}")
    click.echo()
    if coup.cards:
        rows = ((c.row, str(c.card), str(c.total), str(c.place)) for c in coup.cards)
        print_table(Table("", ("row", "card", "total", "place"), tuple(rows), _NUMBERS))
    for outcome in coup.outcomes:
        title = f"void: {outcome.void}" if outcome.void else "settled"
        if outcome.taken_back:
            title += f"; taken back: {outcome.taken_back}"
        title += f" (players {outcome.players_net:+}, bank {outcome.bank_net:+})"
        click.echo(title)
        for name, lines in (("", outcome.lines), ("closed", outcome.closed)):
            if lines:
                print_table(Table(name, _STAKES, tuple(map(_row, lines)), _NUMBERS))
    if not any(outcome.lines or outcome.closed for outcome in coup.outcomes):
        click.echo("no stake was settled\n")


def _turned(coup: CoupHistory) -> str:
    rows = (
        " ".join(str(each.card) for each in coup.cards if each.row == name)
        for name in ("first", "second")
    )
    return " / ".join(rows)


def _row(line: Line) -> tuple[str, ...]:
    stake, after = line.stake, line.after
    numbers = (line.returned, line.won, line.forfeited, line.premium_returned)
    verdict = "-" if line.course == VOID else line.verdict.id  # a void coup gave none
    return (
        *(stake.id, stake.owner, stake.chance, str(stake.amount), str(line.premium)),
        *(_state(stake), verdict, line.course, _state(after), *map(str, numbers)),
        str(line.residue + line.premium_residue),
    )


def _state(stake: Stake | None) -> str:
    if stake is None:
        return "-"
    return stake.state if stake.share == 1 else f"{stake.state} {stake.share}"


def _print_now(state: TableState | None, why: str) -> None:
    if state is None:
        click.echo(f"the table cannot be told as it stands: {why}")
        return
    click.echo(f"now: {state.phase.value}, bank {state.bank:+}, balance {balance(state)}\n")
    rows = tuple(
        (
            *(each.id, each.owner, each.chance, str(each.amount)),
            *(str(premium_of(state.house, each)), _state(each)),
        )
        for each in state.stakes
    )
    if rows:
        columns = ("stake", "player", "chance", "amount", "premium", "state")
        print_table(Table("on the table", columns, rows, _NUMBERS))
    accounts = tuple((name, f"{units:+}") for name, units in state.accounts)
    if accounts:
        print_table(Table("accounts", ("player", "net"), accounts, frozenset(("net",))))
