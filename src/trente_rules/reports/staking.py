"""Simulated staking systems as a report: what each costs next to the exact edge, and its ruin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from trente_rules.core.text import counted, to_error, with_error
from trente_rules.players.seats import Expected
from trente_rules.reports.document import Cell, Column, Grid, Lines, Part, Report
from trente_rules.simulation.seat import Seat, most_amount
from trente_rules.simulation.sessions import SessionLaw
from trente_rules.simulation.staking_result import SimulatedSystem, SystemSimulation

Row = tuple[SimulatedSystem, Expected | None, SessionLaw | str]
"""A system that was simulated, what its stakes make likely, its exact law or why it has none."""
_ANSWER: Final = (
    Column("system"),
    Column("net a coup", ".2f"),
    Column("loss rate", ".3%"),
    Column("exact edge", ".3%"),
    Column("z", "+.2f"),
    Column("ruin", ".1%", rank=1),
    Column("exact ruin", ".1%", rank=1),
    Column("restarts", "d", rank=2),
)
_COST: Final = (
    *("system", ("staked a coup", ".2f"), "loss rate", "N0"),
    *("ruin, 95 % band", ("longest loss", "d"), "greatest stake"),
)
_COURSE: Final = (
    *("system", ("final bankroll: p5", ".2f"), ("median", ".2f"), ("p95", ".2f")),
    *(("drawdown: median", ".2f"), ("p95", ".2f")),
)
_NONE: Final = (None,) * 4
_FLAT: Final = (
    *("house", "system", "currency", "base_stake", "bankroll", ("sessions", "d"), ("coups", "d")),
    *(("staked_a_coup", ".6g"), ("net_a_coup", ".6g"), ("loss_rate", ".6f")),
    *(("standard_error", ".6f"), ("exact_edge", ".6f"), ("z", ".3f"), ("n0", ".0f")),
    *(("ruin", ".4f"), ("ruin_low", ".4f"), ("ruin_high", ".4f"), ("final_p5", ".6g")),
    *(("final_median", ".6g"), ("final_p95", ".6g"), ("drawdown_median", ".6g")),
    *(("longest_loss", "d"), "greatest_stake", ("restarts", "d"), ("capped", "d")),
    *(("exact_ruin", ".6f"), ("exact_ruin_error", ".1e")),
)


def staking_report(
    done: SystemSimulation, pairs: Sequence[Row], *, full: bool, more: bool = False
) -> Report:
    """Lay out a simulation of systems: a table a house, a row a system; the rest where ``full``.

    ``more`` adds a line on how to see the rest.
    """
    from trente_rules.reports.bankrolls import bankroll_figure  # noqa: PLC0415 - of the extra
    from trente_rules.reports.figures import page_figure  # noqa: PLC0415 - likewise

    parts: list[Part] = []
    for same in _by_house(pairs):
        parts += _house_parts(done, same, full=full)
    parts.append(
        "z: how many standard errors the net is above what the exact edge makes likely; from -2 to "
        "2 is chance. No system changes the edge of what is staked."
    )
    if any(isinstance(law, SessionLaw) for _one, _expected, law in pairs):
        parts.append(
            "exact ruin: on independent coups; the simulated shoes have their ends and a few more "
            "refaits."
        )
    if more and not full:
        parts.append(Lines(("More: --full, --plot FILE, --format json",)))
    if pairs:
        seats, _expected, laws = zip(*pairs, strict=True)
        parts.append(
            page_figure("bankrolls-", lambda *, narrow: bankroll_figure(seats, laws, narrow=narrow))
        )
    return Report(
        "Staking systems",
        parts,
        data=lambda: staking_json(done, pairs),
        flat=Grid("", _FLAT, (_flat(*pair) for pair in pairs)),
    )


def staking_json(done: SystemSimulation, pairs: Sequence[Row]) -> dict[str, Any]:
    """Return the simulation as JSON, each system with what is exact."""
    told = done.to_json()
    by_house = {house["fingerprint"]: iter(house["systems"]) for house in told["houses"]}
    for one, expected, law in pairs:
        line = next(by_house[one.seat.house.fingerprint])
        line["exact"] = expected and expected.to_json()
        line["session_law"] = law.to_json() if isinstance(law, SessionLaw) else None
    return told


def _by_house(pairs: Sequence[Row]) -> list[list[Row]]:
    houses: dict[str, list[Row]] = {}
    for pair in pairs:
        houses.setdefault(pair[0].seat.house.name, []).append(pair)
    return list(houses.values())


def seat_words(seat: Seat) -> str:
    """Return the money of a seat and how it plays, as words for a title."""
    money = seat.house.money
    words = [f"stake {money.text(seat.base)}"]
    words.append(
        "endless credit" if seat.bankroll is None else f"bankroll {money.text(seat.bankroll)}"
    )
    words += ["insured"] if seat.insured else []
    words += [f"always {seat.play}"] if seat.play != "default" else []
    return ", ".join(words)


def _house_parts(done: SystemSimulation, pairs: Sequence[Row], *, full: bool) -> Iterator[Part]:
    one = pairs[0][0]
    played = (
        f"{counted(one.sessions, 'session')} of {counted(one.session, 'coup')}, seed {done.seed}"
    )
    yield Grid(
        f"{one.seat.house.name}: {seat_words(one.seat)}",
        _ANSWER,
        (_answer(*pair) for pair in pairs),
        f"{played}; net in {one.seat.house.money.currency}",
    )
    more: list[Part] = [
        Grid("", _COST, (_cost(one, expected) for one, expected, _law in pairs)),
        Grid("", _COURSE, (_course(each) for each, _expected, _law in pairs)),
    ]
    if full:
        yield from more
    for each, expected, law in pairs:
        yield from _notes(each, expected, full=full)
        if isinstance(law, str) and law:
            yield f"{law[0].upper()}{law[1:]}."


def _notes(one: SimulatedSystem, expected: Expected | None, *, full: bool) -> Iterator[str]:
    """Yield what must be said of a system besides its figures."""
    if expected is not None and expected.why:
        yield f"{one.seat.label} has no z: {expected.why}."
    if full and expected is not None and expected.why_n0:
        yield f"{one.seat.label} has no N0: {expected.why_n0}."
    if one.capped:
        most = one.seat.house.money.text(most_amount(one.session))
        times = counted(one.capped, "time")
        yield (
            f"{one.seat.label} restarted {times} at a limit of the simulation, not of the house: "
            f"stakes above {most} are not counted (a shorter --session allows more)."
        )


def _money(one: SimulatedSystem, units: float | None) -> float | None:
    return None if units is None else units * float(one.seat.house.money.unit.value)


def _a_coup(one: SimulatedSystem, units: int) -> float | None:
    return _money(one, units / one.coups if one.coups else None)


def _loss_rate(one: SimulatedSystem) -> Cell:
    return None if one.per_unit.value is None else -one.per_unit.value


def _loss_rate_text(one: SimulatedSystem, expected: Expected | None) -> str | None:
    """Return the loss rate with its standard error, None where it has none."""
    if one.per_unit.value is None or expected is None or not expected.error:
        return None
    return with_error(-float(one.per_unit.value), expected.error, share=True)


def _n0(expected: Expected | None) -> str | None:
    """Return N0: to the coup where it is exact, otherwise in two digits."""
    if expected is None or expected.n0 is None:
        return None
    return f"{expected.n0:,.0f}" if expected.exact_n0 else to_error(expected.n0, None)


def _exact_ruin(law: SessionLaw | str) -> float | None:
    return law.ruin if isinstance(law, SessionLaw) else None


def _answer(
    one: SimulatedSystem, expected: Expected | None, law: SessionLaw | str
) -> tuple[Cell, ...]:
    return (
        one.seat.label,
        _a_coup(one, one.net),
        _loss_rate(one),
        expected.edge if expected else None,
        expected.z if expected else None,
        one.ruin[0] if one.ruin else None,
        _exact_ruin(law),
        one.cuts,
    )


def _cost(one: SimulatedSystem, expected: Expected | None) -> tuple[Cell, ...]:
    band = one.ruin and one.ruin[1]
    return (
        one.seat.label,
        _a_coup(one, one.staked),
        _loss_rate_text(one, expected),
        _n0(expected),
        band and f"{100 * band[0]:.2f} to {100 * band[1]:.2f} %",
        one.lost_runs.greatest or 0,
        one.seat.house.money.text(one.greatest.greatest or 0),
    )


def _course(one: SimulatedSystem) -> tuple[Cell, ...]:
    finals = one.finals.shifted(one.seat.bankroll or 0)
    return (
        one.seat.label,
        *(_money(one, finals.quantile(part)) for part in (0.05, 0.5, 0.95)),
        *(_money(one, one.drawdowns.quantile(part)) for part in (0.5, 0.95)),
    )


def _flat(
    one: SimulatedSystem, expected: Expected | None, law: SessionLaw | str
) -> tuple[Cell, ...]:
    seat, money = one.seat, one.seat.house.money
    band = (one.ruin and one.ruin[1]) or (None, None)
    _label, p5, median, p95, drawdown, _drawdown = _course(one)
    return (
        *(seat.house.name, seat.label, money.currency, str(money.amount(seat.base))),
        None if seat.bankroll is None else str(money.amount(seat.bankroll)),
        *(one.sessions, one.coups, _a_coup(one, one.staked), _a_coup(one, one.net)),
        _loss_rate(one),
        *((expected.error, expected.edge, expected.z, expected.n0) if expected else _NONE),
        *(one.ruin[0] if one.ruin else None, *band),
        *(p5, median, p95, drawdown, one.lost_runs.greatest or 0),
        *(str(money.amount(one.greatest.greatest or 0)), one.cuts, one.capped),
        *(_exact_ruin(law), law.error if isinstance(law, SessionLaw) else None),
    )
