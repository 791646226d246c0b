"""Systems over a permanence as a report: totals first, then every coup."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from trente_rules.core.chances import Verdict
from trente_rules.core.machine import FREE
from trente_rules.core.text import counted
from trente_rules.players.permanences import PlayedCoup, PlayedPermanence
from trente_rules.reports.document import Cell, Column, Grid, Lines, Part, Report
from trente_rules.reports.staking import seat_words

_TOTALS: Final = (
    Column("system"),
    Column("net", ".2f"),
    Column("stakes", "d"),
    Column("won", "d"),
    Column("lost", "d"),
    Column("staked", ".2f"),
    Column("greatest", ".2f", rank=2),
    Column("lowest", ".2f", rank=1),
    Column("restarts", "d", rank=3),
)
_LINES: Final = (
    *("coup", "noted", "chance", "verdict", ("stake", ".2f"), ("net", "+.2f"), ("total", "+.2f")),
    ("next", ".2f"),
)
_FLAT: Final = (
    *("house", "system", ("taille", "d"), ("coup", "d"), "noted", "chance", "verdict"),
    *(("stake", ".6f"), "state", "course", "after", ("net", ".6f"), ("premium", ".6f")),
    *(("total", ".6f"), ("next_stake", ".6f"), "note"),
)
_NAMES: Final = {Verdict.APRES.id: "après", Verdict.CLOSE.id: "end of taille"}


def noted_play_report(
    played: Sequence[PlayedPermanence],
    sources: Sequence[str],
    *,
    full: bool,
    more: bool = False,
) -> Report:
    """Lay out systems over coups that were noted; each system's own table where ``full``.

    ``sources`` are the names of the files, or what the results are called. ``more`` adds a line on
    how to see the rest.
    """
    parts: list[Part] = []
    for same in _by_house(played):
        parts += _house_parts(same, sources, full=full)
        parts += _figures(same)
    if more and not full and any(len(same) > 1 for same in _by_house(played)):
        parts.append(Lines(("Each system by itself: --full",)))
    rows = (row for one in played for row in _flat(one))
    return Report(
        "Systems over noted coups",
        parts,
        data=lambda: noted_play_json(played, sources),
        flat=Grid("", _FLAT, rows),
    )


def noted_play_json(played: Sequence[PlayedPermanence], sources: Sequence[str]) -> dict[str, Any]:
    """Return all of it as JSON; amounts in units of each house."""
    return {"sources": list(sources), "systems": [one.to_json() for one in played]}


def _by_house(played: Sequence[PlayedPermanence]) -> list[list[PlayedPermanence]]:
    houses: dict[str, list[PlayedPermanence]] = {}
    for one in played:
        houses.setdefault(one.seat.house.name, []).append(one)
    return list(houses.values())


def _house_parts(
    played: Sequence[PlayedPermanence], sources: Sequence[str], *, full: bool
) -> Iterator[Part]:
    seat = played[0].seat
    coups = max(one.coups for one in played)
    noted = counted(coups, "coup")
    yield Grid(
        f"{seat.house.name}: {noted}, from {', '.join(sources)}",
        _TOTALS,
        (_totals(one) for one in played),
        f"{seat_words(seat)}; in {seat.house.money.currency}",
    )
    for one in played:
        yield from _notes(one)
    if len(played) == 1 or full:
        for one in played:
            yield Grid(one.seat.label, _LINES, _lines(one))
    else:
        yield _side_by_side(played)


def _figures(played: Sequence[PlayedPermanence]) -> Iterator[Part]:
    """Yield the figure of the running nets at one house; nothing where no coup was played."""
    from trente_rules.reports.figures import lines, page_figure  # noqa: PLC0415 - of the extra

    money = played[0].seat.house.money
    unit = float(money.unit.value)
    series = {
        one.seat.label: [(0, 0.0), *((n, unit * line.total) for n, line in enumerate(one.lines, 1))]
        for one in played
        if one.lines
    }
    if series:
        title = f"The running net at {played[0].seat.house.name}"
        yield page_figure(
            f"net-{played[0].seat.house.name}-",
            lambda *, narrow: lines(
                title, series, x_label="coup", y_label=money.currency, narrow=narrow
            ),
        )


def _notes(one: PlayedPermanence) -> Iterator[str]:
    """Yield what must be said of a play besides its figures."""
    name, text = one.seat.label, one.seat.house.money.text
    if one.stopped:
        coups = counted(one.coups, "coup")
        yield f"{name} stops after {coups}: {one.stopped}."
    if one.standing:
        yield f"{name}: {text(one.standing)} still in prison, counted as the player's."
    if one.unknown:
        what = (
            "1 coup has no verdict" if one.unknown == 1 else f"{one.unknown} coups have no verdict"
        )
        yield f"{name}: {what} for its bet, which was not noted: no stake is placed there."
    for line in one.lines:
        if line.note.startswith("restarts"):
            yield f"{name} {line.note} (coup {_place(line)})."


def _money(one: PlayedPermanence, units: int | None) -> float | None:
    return None if units is None else units * float(one.seat.house.money.unit.value)


def _totals(one: PlayedPermanence) -> tuple[Cell, ...]:
    results = one.results()
    return (
        one.seat.label,
        _money(one, one.net),
        len(one.stakes),
        results["won"],
        results["lost"],
        _money(one, one.staked),
        _money(one, max(one.stakes, default=0)),
        _money(one, one.lowest),
        one.restarts,
    )


def _place(line: PlayedCoup) -> str:
    return f"{line.taille}.{line.coup}" if line.coup else f"{line.taille}. end"


def _verdict(line: PlayedCoup) -> str:
    """Return what a stake met, and the prison it is in now."""
    met = _NAMES.get(line.verdict, line.verdict) or "?"
    return f"{met}, {line.after}" if line.after else met


def _lines(one: PlayedPermanence) -> Iterator[tuple[Cell, ...]]:
    for line in one.lines:
        placed = line.stake is not None
        yield (
            *(_place(line), line.noted, line.chance, _verdict(line)),
            _money(one, line.stake),
            _money(one, line.net) if placed else None,
            _money(one, line.total),
            _money(one, line.following),
        )


def _side_by_side(played: Sequence[PlayedPermanence]) -> Grid:
    """Return the stakes and running nets of several systems, coup by coup."""
    columns = [Column("coup"), Column("noted")]
    for rank, one in enumerate(played):
        columns += [
            Column(one.seat.label, ".2f", rank=rank),
            Column("total", "+.2f", rank=rank),
        ]
    lines = [{(line.taille, line.coup): line for line in one.lines} for one in played]
    places = sorted(
        {place for each in lines for place in each},
        key=lambda place: (place[0], place[1] or float("inf")),
    )
    rows: list[list[Cell]] = []
    for place in places:
        there = [each.get(place) for each in lines]
        first = next(line for line in there if line is not None)
        row: list[Cell] = [_place(first), first.noted]
        for one, line in zip(played, there, strict=True):
            row += [_met(one, line), None if line is None else _money(one, line.total)]
        rows.append(row)
    return Grid("The stake of each system, and its running net", columns, rows)


def _met(one: PlayedPermanence, line: PlayedCoup | None) -> Cell:
    """Return the stake that was placed, or the prison that an earlier one was in."""
    if line is None or line.stake is None:
        return None
    return _money(one, line.stake) if line.state == FREE else line.state


def _flat(one: PlayedPermanence) -> Iterator[tuple[Cell, ...]]:
    for line in one.lines:
        yield (
            *(one.seat.house.name, one.seat.label, line.taille, line.coup, line.noted),
            *(line.chance, line.verdict, _money(one, line.stake), line.state, line.course),
            *(line.after, _money(one, line.net), _money(one, line.premium)),
            *(_money(one, line.total), _money(one, line.following), line.note),
        )
