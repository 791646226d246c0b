"""A watched table as a document: the answer in a sentence, its stakes, its cards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from attrs import frozen

from trente_rules.core.house.house import House
from trente_rules.core.money import Money
from trente_rules.core.text import counted
from trente_rules.odds.tails import NOT_BELOW
from trente_rules.reports.comparison import deal_text
from trente_rules.reports.deal_tests import IN_TURN, MANY, TIMES, CardTest
from trente_rules.reports.document import Cell, Column, Grid, Lines, Marked, Part, whole
from trente_rules.reports.monitor import Level, Monitored
from trente_rules.reports.settlements import Repeated

_COLUMNS: Final = (
    *("chance", Column("insured", rank=3), Column("stake", "s"), Column("stakes", "d", rank=2)),
    *(Column("turnover", ".2f", rank=1), ("net", ".2f"), ("expected", ".2f")),
    *(Column("z", "+.2f", rank=4), ("p", "s"), "alarm"),
)
_CARDS: Final = (
    *("test", Column("coups", "d", rank=1), ("seen", "s"), ("expected", "s")),
    *(("p", "s"), "alarm"),
)
UNITS: Final = (
    *("files", "test", "chance", "insured", ("amount", "d"), ("stakes", "d"), ("turnover", "d")),
    *(("net", "d"), ("coups", "d"), ("seen", ".6g"), ("expected", ".6g"), ("z", "+.2f")),
    *(("p", ".6g"), ("adjusted p", ".6g"), "alarm"),
)
"""The columns for programs, amounts in units."""


@frozen
class WatchedFiles:
    """The files of a house with its figures, the heads of journals, and what was left out."""

    files: tuple[str, ...]
    house: House
    heads: tuple[tuple[str, str], ...] = ()
    repeated: tuple[Repeated, ...] = ()


def monitor_parts(watched: WatchedFiles, seen: Monitored) -> Iterator[Part]:
    """Yield the parts of the document: the answer first."""
    money = watched.house.money
    yield _answer(seen, money)
    rows = [_level_row(level, money) for level in seen.levels]
    if len(rows) != 1:
        rows.append(_level_row(seen.total, money))
    yield Grid(
        f"{watched.house.title}: {counted(seen.coups, 'coup')} of {', '.join(watched.files)}",
        _COLUMNS,
        rows,
        f"Amounts in {money.currency}. Expected: the exact edge of a fresh shoe "
        f"({deal_text(seen.deal)}) with the default choices, rounded as the house rounds. p: the "
        "probability of a result at least so far from it with honest cards.",
    )
    if seen.cards:
        yield Grid(
            "The cards",
            _CARDS,
            map(_card_row, seen.cards),
            "Points, first colours, coups a taille: chi-square and its degrees of freedom. Refaits "
            "in turn: the highest ratio of likelihoods in favour of 40 % more refaits.",
        )
    yield Lines([*_notes(watched, seen)])


def _notes(watched: WatchedFiles, seen: Monitored) -> Iterator[str]:
    tests = len(seen.levels) + (len(seen.levels) > 1) + len(seen.cards)
    if tests:
        all_of = f"all {tests} tests" if tests > 1 else "one test"
        yield f"An honest table raises a false alarm {_often(seen.false_alarms)} ({all_of})."
    counts = [test.of for test in seen.cards if test.name == MANY]
    if seen.power is not None and counts:
        yield (
            f"A shoe with {round(100 * (TIMES - 1))} % more refaits is found in "
            f"{counted(counts[0], 'coup')} with probability {seen.power:.2f}."
        )
    if seen.pending:
        stakes = "1 stake is" if seen.pending == 1 else f"{seen.pending} stakes are"
        yield f"{stakes} in prison, and not counted"
    yield from _repeated(watched.repeated)
    yield f"fingerprint {seen.fingerprint}"
    yield from (f"{file} ends at head {head}" for file, head in watched.heads)


def _repeated(repeated: Sequence[Repeated]) -> Iterator[str]:
    """Yield a line for each file whose tailles another one has, however many they are."""
    files: dict[tuple[str, str, str], list[Repeated]] = {}
    for each in repeated:
        files.setdefault((each.file, each.table, each.first), []).append(each)
    for (file, table, first), tailles in files.items():
        coups = counted(sum(each.coups for each in tailles), "coup")
        one = len(tailles) == 1
        named = f"taille {tailles[0].shoe}" if one else counted(len(tailles), "taille")
        yield f"counted once: {coups} of {file} (table {table}, {named}) are those of {first}"


def _answer(seen: Monitored, money: Money) -> str:
    """Return whether there is an alarm, and how unlikely what raised it is."""
    total = seen.total
    if not total.stakes:
        result = "No stake is settled yet."
    else:
        won = "won" if total.net >= 0 else "lost"
        result = (
            f"The bank {won} {money.text(abs(total.net))} of {money.text(total.staked)} staked, "
            f"where {_expected(total.expected, money)} is expected: with honest cards a result so "
            f"far off comes {_often(total.p)}."
        )
    named = [
        *((_level_name(each, money), each.p, each.adjusted) for each in (total, *seen.levels)),
        *((_card_name(each), each.finding.p, each.finding.adjusted) for each in seen.cards),
    ]
    alarms = [each for each in named if each[2] <= seen.false_alarms]
    if not alarms:
        return f"No alarm: the results and the cards are those of an honest table. {result}"
    name, p, adjusted = min(alarms, key=lambda each: (each[2], each[1]))
    more = f" {counted(len(alarms) - 1, 'other test')} raise an alarm too." * (len(alarms) > 1)
    if len(alarms) == 2:  # noqa: PLR2004 - one other
        more = " One other test raises an alarm too."
    return (
        f"ALARM: {name}. With honest cards so unlikely a finding comes {_often(p)}, and any of "
        f"the tests of a sheet has one {_often(adjusted)}.{more} {result}"
    )


def _level_name(level: Level, money: Money) -> str:
    if not level.chance:
        return "the result of all stakes together"
    insured = ", insured" if level.insured else ""
    return f"the result of {level.chance}{insured}, {money.text(level.amount)}"


def _card_name(test: CardTest) -> str:
    if test.name.startswith("refaits") and test.name != IN_TURN:
        return (
            f"{test.name} ({test.seen:.0f} in {counted(test.of, 'coup')}, where "
            f"{test.expected:.1f} are expected)"
        )
    return f"the cards ({test.name})"


def _often(p: float) -> str:
    """Return a probability in plain language."""
    if p > _SELDOM:
        return f"in {100 * p:.0f} % of cases"
    if p <= NOT_BELOW:
        return "practically never"
    return f"once in {float(f'{1 / p:.3g}'):,.0f} cases"


_SELDOM: Final = 0.05


def _expected(units: float, money: Money) -> str:
    """Return a mean amount, which may be a part of a unit."""
    return f"{units * float(money.unit.value):.2f} {money.currency}"


def _p_text(p: float) -> str:
    return f"<{NOT_BELOW:.0e}" if p <= NOT_BELOW else f"{p:.2g}"


def _judged(p: float, *, alarm: bool) -> tuple[Cell, ...]:
    text = _p_text(p)
    return (Marked(text, "bad"), Marked("ALARM", "bad")) if alarm else (text, "")


def _level_row(level: Level, money: Money) -> tuple[Cell, ...]:
    unit = money.unit.value
    return (
        level.chance or "all",
        "yes" if level.insured else "no" if level.chance else "",
        money.text(level.amount) if level.chance else "all",
        *(level.stakes, whole(level.staked * unit), whole(level.net * unit)),
        *(level.expected * float(unit), level.z),
        *_judged(level.p, alarm=level.alarm),
    )


def _card_row(test: CardTest) -> tuple[Cell, ...]:
    exact = test.seen == int(test.seen)
    seen = f"{test.seen:.0f}" if exact else f"{test.seen:.2f}"
    expected = f"{test.expected:.0f}" if test.expected == int(test.expected) else ""
    return (
        *(test.name, test.of, seen, expected or f"{test.expected:.1f}"),
        *_judged(test.finding.p, alarm=test.alarm),
    )


def monitor_units(files: Sequence[str], seen: Monitored) -> Iterator[tuple[Cell, ...]]:
    """Yield the lines of a table for programs: amounts in units."""
    names = " ".join(files)
    for level in (*seen.levels, seen.total):
        yield (
            *(names, "result", level.chance or "all", "yes" if level.insured else "no"),
            *(level.amount or None, level.stakes, level.staked, level.net, None, None),
            *(level.expected, level.z, level.p, level.adjusted, "ALARM" if level.alarm else ""),
        )
    for test in seen.cards:
        finding = test.finding
        yield (
            *(names, test.name, None, None, None, None, None, None, test.of, test.seen),
            *(test.expected, None, finding.p, finding.adjusted, "ALARM" if test.alarm else ""),
        )
