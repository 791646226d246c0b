"""A PAR sheet laid out: sections of sentences, lists, tables and figures, and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any, Final

from attrs import asdict

from trente_rules.core.house.house import House
from trente_rules.core.machine import Policy
from trente_rules.core.plugins.manager import default_manager
from trente_rules.reports.comparison import chances_text, exact_text, grouped
from trente_rules.reports.comparison_layout import insured_text
from trente_rules.reports.document import (
    Cell,
    ColumnLike,
    Figure,
    Grid,
    Items,
    Part,
    Report,
    Section,
    percent,
    whole,
)
from trente_rules.reports.nominal import scope_json, scope_lines
from trente_rules.reports.par_sheet import (
    PER_COUP,
    PER_STAKE,
    Estimate,
    ParSheet,
    StakeFigures,
    TailleFigures,
    WagerFigures,
    infinite_q,
)
from trente_rules.reports.rulebook_limits import limit_blocks
from trente_rules.reports.sentences import Speech

COUPS: Final = tuple(10**power for power in range(3, 10))
"""The numbers of coups that have a confidence band."""
TAILLE: Final = "whole taille, the house's own shoe rule"
_WAGER: Final = ("wager", "insurance", "policy")


def deal_text(deal: str) -> str:
    """Return the deal of odds in words: ``6 packs, first coup of a fresh full shoe``."""
    if deal == "infinite":
        return "infinite pack, every card put back"
    packs = deal.partition("-")[0]
    return f"{packs} pack{'' if packs == '1' else 's'}, first coup of a fresh full shoe"


def one_in(part: Fraction) -> str:
    """Return a probability as the mean number of coups to one event: ``1 in 45.6801``."""
    return f"1 in {float(1 / part):.4f}" if part else "never"


def decimal(number: Fraction | float, places: int = 6) -> str:
    """Return a number with ``places`` decimals, a whole one without any."""
    if isinstance(number, Fraction) and number.denominator == 1:
        return str(number.numerator)
    return f"{float(number):.{places}f}"


def estimate(value: Estimate, places: int = 4) -> str:
    """Return an estimate with its standard error: ``29.0227 +- 0.0001``."""
    return f"{value.mean:.{places}f} +- {value.error:.{places}f}"


def _grouped(sheet: ParSheet) -> tuple[tuple[str, WagerFigures], ...]:
    """Return the wagers, those with the same figures once, with the chances that they are on."""
    groups = grouped((_figures_of(line), line) for line in sheet.wagers)
    return tuple(
        (chances_text(sheet.house, [line.wager.chance for line in group], "simple"), group[0])
        for group in groups.values()
    )


def _figures_of(line: WagerFigures) -> tuple[object, ...]:
    """Return everything that is printed of a wager but its chance."""
    wager = line.wager
    return (
        *(wager.insured, wager.policy, wager.edge, wager.variance, wager.per_resolved),
        *(line.payout_odds, line.less, line.more, line.least_edge, line.greatest_edge),
    )


def _wager_grid(
    sheet: ParSheet, columns: Iterable[ColumnLike], cells: Callable[[WagerFigures], Iterable[Cell]]
) -> Grid:
    """Return a table with a line for each wager: its name, and the cells of its figures."""
    return Grid(
        "",
        (*_WAGER, *columns),
        (
            (name, insured_text(insured=x.wager.insured), str(x.wager.policy), *cells(x))
            for name, x in _grouped(sheet)
        ),
    )


def _rank(line: WagerFigures) -> str:
    """Return the rank of a wager among those on its chance: best and worst for the player."""
    if line.least_edge and line.greatest_edge:
        return "-"
    return "best" if line.least_edge else "worst" if line.greatest_edge else ""


def _warnings(sheet: ParSheet, stake: StakeFigures) -> tuple[str, ...]:
    """Return a sentence for each wager whose edge the rounding of a stake moves by a tenth."""
    return tuple(
        f"Warning: a stake of {stake.amount} on {chances_text(sheet.house, line.chances, 'simple')}"
        f"{', insured' if line.wager.insured else ''} ({line.wager.policy}): rounding and least "
        f"premiums make the advantage {percent(line.wager.edge)} instead of "
        f"{percent(line.nominal)}."
        for line in stake.wagers
        if line.moved
    )


def ending_text(house: House) -> str:
    """Return how a taille ends."""
    rule, marker = house.shoe, house.shoe.marker
    if rule.every_coup:
        return "none: the cards are shuffled for every coup"
    if rule.ends == "no-coup":
        return "no marker: no coup begins with fewer than 8 cards or 62 points"
    if marker is None:
        return (
            "no marker: coups are dealt while the cards suffice, a coup they cut short is no coup"
        )
    if marker.on_marker == "void":
        return "the marker ends the taille, and a coup that it comes up in is void"
    if marker.on_marker == "last-coup":
        return "the coup in which the marker comes up is the last, or the one behind it"
    return "the coup in which the marker comes up is finished, and is the last"


def _stakes(sheet: ParSheet) -> Iterator[Part]:
    """Lay out the advantage by stake, and the warnings about rounding."""
    house, money = sheet.house, sheet.house.money
    yield f"Units of {money.text(1)}, rounding: {money.rounding}."
    english = Speech(default_manager().language("en"), money, house.machine.prisons)
    yield from limit_blocks(house, english)
    yield "Rows of stakes that the table does not take are shown for comparison."
    yield Grid(
        "",
        ("stake", "taken", *_WAGER, ("advantage", ".5%"), ("nominal", ".5%"), "note"),
        (row for stake in sheet.stakes for row in _stake_rows(sheet, stake)),
    )
    yield Items(text for stake in sheet.stakes for text in _warnings(sheet, stake))
    if any(not c.simple and c.pays_whole_units for c in sheet.house.chances):
        yield "Side bets that pay whole units for each unit are never rounded, and are left out."


def _stake_rows(sheet: ParSheet, stake: StakeFigures) -> Iterator[tuple[Cell, ...]]:
    amount = f"{stake.amount} ({', '.join(stake.named)})" if stake.named else stake.amount
    codes = [refusal.code for refusal in stake.refused]
    taken = "refused: inexact" if "inexact" in codes else f"no: {codes[0]}" if codes else "yes"
    if not stake.wagers:
        yield amount, taken, None, None, stake.unknown or "no figures", None, None, ""
    for line in stake.wagers:
        yield (
            amount,
            taken,
            chances_text(sheet.house, line.chances, "simple"),
            insured_text(insured=line.wager.insured),
            str(line.wager.policy),
            line.wager.edge,
            line.nominal,
            "warning" if line.moved else "",
        )


def _insurance(sheet: ParSheet) -> Iterator[Part]:
    """Lay out the cost and gain of insurance by stake."""
    yield (
        "Insured and uninsured are advantages of the bank, the least that the player's choices "
        "make. Gain is their difference in parts of the premium: below zero, the premium costs "
        "more than it saves."
    )
    yield Grid(
        "",
        (
            *("stake", "to be had", ("premium", "s"), ("of the stake", ".3%")),
            *(("insured", ".5%"), ("uninsured, least", ".5%"), ("gain of the premium", ".3%")),
        ),
        (_insurance_row(sheet, stake) for stake in sheet.stakes),
    )


def _insurance_row(sheet: ParSheet, stake: StakeFigures) -> tuple[Cell, ...]:
    insurance = stake.insurance
    taken = "yes, but the table takes no such stake" if stake.refused else "yes"
    if insurance is None:  # a table either insures all stakes of a sheet or none
        return stake.amount, "no", None, None, None, None, None
    return (
        stake.amount,
        f"no: {insurance.refused}" if insurance.refused else taken,
        sheet.house.money.text(insurance.premium),
        insurance.share,
        *(stake.least(insured=True), stake.least(insured=False), stake.gain),
    )


def sheet_report(sheet: ParSheet) -> Report:
    """Lay a sheet out."""
    return Report(
        f"PAR sheet: {sheet.house.title}",
        _sections(sheet),
        stamp="The mathematical report of one house. Every section names the basis and the deal of "
        "its figures.",
        page=True,
        data=lambda: sheet_json(sheet),
    )


def _sections(sheet: ParSheet) -> Iterator[Section]:
    deal = deal_text(sheet.deal)
    rounded = f"by stake, rounded as the house rounds ({PER_STAKE}; {deal})"
    yield Section("Stamp", [Items(_stamp(sheet))])
    yield Section(f"Points and ties ({PER_COUP}; {deal})", _points(sheet))
    yield Section(f"Chances ({PER_COUP}; {deal})", [_chances(sheet)])
    yield Section(f"Odds and advantage ({PER_STAKE}; {deal})", _advantage(sheet))
    yield Section(f"Results of one stake ({PER_STAKE}; {deal})", _results(sheet))
    yield Section(f"Return after many coups ({PER_STAKE}; {deal})", _bands(sheet))
    yield Section(f"Advantage {rounded}", _stakes(sheet))
    if any(stake.insurance for stake in sheet.stakes):
        yield Section(f"Insurance {rounded}", _insurance(sheet))
    yield Section(f"Coups of a taille ({TAILLE})", _tailles(sheet))
    yield Section("Sources of error", [Items(_errors(sheet))])


def _stamp(sheet: ParSheet) -> Iterator[str]:
    house = sheet.house
    yield f"House: {house.title} ({house.name})"
    yield f"Fingerprint of the rules: {house.fingerprint}"
    yield f"trente-rules {sheet.version}"
    yield f"Command: {sheet.command}"
    yield f"Deal of the odds: {deal_text(sheet.deal)} ({sheet.deal})"
    yield (
        f"Basis: {PER_COUP} for points and chances, {PER_STAKE} for wagers unless another is "
        "named; a stake in prison is followed, and counts for the coup it was placed on"
    )
    yield f"z of volatility index and bands: {sheet.z:g}"
    yield f"Unit: {house.money.text(1)}; rounding: {house.money.rounding}"


def _points(sheet: ParSheet) -> Iterator[Part]:
    q = sheet.q
    yield Items(
        (
            f"Refait q = {exact_text(q)}",
            f"q = {decimal(q, 14)}: {one_in(q)} coups",
            f"Other ties = {decimal(sheet.other_ties, 14)}: {one_in(sheet.other_ties)} coups",
        )
    )
    yield Grid(
        "",
        (*("point", ("in a row", ".12f"), ("tie at it", ".14f"), ("a tie comes", "s")), "it is"),
        (
            (
                line.point,
                whole(line.row),
                whole(line.tie),
                one_in(line.tie),
                "refait" if line.refait else "apres",
            )
            for line in sheet.points
        ),
    )
    basis = f"{PER_COUP}; {deal_text(sheet.deal)}"
    labels = [str(line.point) for line in sheet.points]
    yield Figure(
        f"Points of a row ({basis})",
        lambda: _bars(
            "points-",
            "Points of a row",
            labels,
            [100 * float(line.row) for line in sheet.points],
            x_label="point",
            y_label="per cent of rows",
        ),
    )
    yield Figure(
        f"Ties ({basis})",
        lambda: _bars(
            "ties-",
            "Ties",
            labels,
            [
                [100 * float(line.tie) if line.refait == refait else None for line in sheet.points]
                for refait in (True, False)
            ],
            groups=["refait", "ordinary tie"],
            x_label="point of both rows",
            y_label="per cent of coups",
        ),
    )


def _bars(prefix: str, *values: Any, **options: Any) -> str:
    """Draw bars as SVG; ``prefix`` makes the ids unique on the page."""
    from trente_rules.reports.figures import bars, svg_text  # noqa: PLC0415 - only pages draw

    return svg_text(bars(*values, **options), prefix)


def _chances(sheet: ParSheet) -> Grid:
    names = ("win", "lose", "apres", "refait")
    return Grid(
        "",
        ("chance", *((name, ".12f") for name in names)),
        (
            (line.chance, *map(whole, (line.win, line.lose, line.apres, line.refait)))
            for line in sheet.chances
        ),
    )


def _advantage(sheet: ParSheet) -> Iterator[Part]:
    edges = ("advantage", "per resolved", "per decided", "return")
    yield (
        "Advantage and return are per stake placed; per resolved leaves ordinary ties out of the "
        "coups counted, per decided counts wins and losses alone. Best and worst are meant for "
        "the player, among all ways to play a chance. True odds would make the wager fair."
    )
    yield _wager_grid(
        sheet,
        (*("rank", ("payout odds", "s"), ("true odds", "s")), *((name, ".5%") for name in edges)),
        lambda line: (
            _rank(line),
            f"{decimal(line.payout_odds)} to 1",
            None if line.true_odds is None else f"{decimal(line.true_odds)} to 1",
            *(line.wager.edge, line.wager.per_resolved, line.wager.per_decided, line.returned),
        ),
    )
    named = [
        (f"{name}{', insured' if line.wager.insured else ''}", line)
        for name, line in _grouped(sheet)
    ]
    wagers = [(name, line.wager) for name, line in named]
    labelled = ((name, line.wager, line.scope) for name, line in named)
    if lines := tuple(scope_lines(sheet.house, labelled)):
        yield "These figures do not hold for every stake that the house takes:"
        yield Items(lines)
    yield "The advantage as exact fractions:"
    yield Items(f"{name}, {wager.policy}: {exact_text(wager.edge)}" for name, wager in wagers)
    yield Figure(
        f"The bank's advantage by wager and policy ({PER_STAKE}; {deal_text(sheet.deal)})",
        lambda: _bars(
            "edges-",
            "The bank's advantage",
            [f"{name}: {w.policy}" if w.policy.choices else name for name, w in wagers],
            [100 * float(wager.edge) for _name, wager in wagers],
            x_label="per cent of the stake",
            horizontal=True,
            number_format="{:.5f}",
        ),
    )


def _results(sheet: ParSheet) -> Iterator[Part]:
    yield (
        f"In stakes. The volatility index is {sheet.z:g} x sd. Hit frequency is the probability "
        "of a return above the stake; a stake in prison is followed until it leaves the table."
    )
    yield _wager_grid(
        sheet,
        (
            *(("sd", ".6f"), ("volatility", ".6f"), ("hit frequency", ".5%")),
            *(("return = stake", ".5%"), ("return < stake", ".5%"), ("most won", ".4f")),
        ),
        lambda line: (
            *(line.wager.sd, line.volatility, line.more, line.same, line.less),
            whole(line.most_won),
        ),
    )


def _bands(sheet: ParSheet) -> Iterator[Part]:
    yield (
        f"Mean return of one stake, and how far on each side of it (z = {sheet.z:g}) the mean of "
        "so many coups lies, each with a stake of its own."
    )
    yield _wager_grid(
        sheet,
        (("return", ".5%"), *((f"10^{len(str(coups)) - 1}", "s") for coups in COUPS)),
        lambda line: (
            line.returned,
            *(f"+-{percent(line.band(coups).half, '.4')}" for coups in COUPS),
        ),
    )


def _tailles(sheet: ParSheet) -> Iterator[Part]:
    rule = sheet.house.shoe
    if rule.every_coup:
        yield Items((f"Packs: {rule.packs} of 52 cards", f"End: {ending_text(sheet.house)}"))
        yield (
            "There are no tailles: each coup is the first of a whole shoe, so the odds above are "
            "those of every coup, and the coups that a stake in prison waits for are independent."
        )
        return
    by_card = "the first card, and as many as it has points"
    burned = by_card if rule.burn == "first-card" else rule.burn
    yield Items(
        (
            f"Packs: {rule.packs} of 52 cards; burned: {burned}",
            f"End: {ending_text(sheet.house)}",
            (
                f"Estimates, +- their standard errors, of {sheet.tailles_dealt:,} shoes dealt by "
                f"tools/make_tailles.py from the seed {sheet.tailles_seed}"
            ),
            "Fewest and most coups: exact bounds",
        )
    )
    yield Grid(
        "",
        (
            *("marker", ("cards", "d"), ("fewest", "d"), ("most", "d")),
            *(("coups", "s"), ("refaits", "s"), ("refaits a completed coup", "s")),
        ),
        (
            (
                "none" if line.from_end is None else f"{line.from_end} from the end",
                *(line.cards, line.fewest, line.most),
                estimate(line.coups),
                estimate(line.refaits),
                estimate(line.share, 6),
            )
            for line in sheet.tailles
        ),
    )
    line = sheet.tailles[0]
    if not line.q:
        return
    yield (
        f"The refaits of all completed coups of a taille, over those coups, are not q "
        f"({decimal(line.q, 6)} with {rule.packs} packs): coups with a refait take few cards, so "
        "the last coup that happens to be completed holds too many of them. Each coup that is "
        f"sure to be completed, here the first {line.fewest}, is a refait with probability q "
        f"exactly: {decimal(line.sure_refaits, 6)} refaits in them."
    )


def _errors(sheet: ParSheet) -> Iterator[str]:
    yield (
        "Exact, in fractions: points, ties, q, chances, true odds, advantages, returns, hit "
        "frequencies, probabilities of a return below the stake, most won, figures by stake, "
        "premiums, fewest and most coups. Decimals are these, rounded when they are written."
    )
    if not sheet.house.shoe.every_coup:
        yield (
            "Model: all odds are of the deal named; the coups that a stake in prison waits for "
            "count as independent of the coup before. In a shoe they are not quite: which points "
            "are still in depends a little on the cards dealt; `trente compare --sequential` "
            "prints what it adds."
        )
    yield (
        "Double precision, 15 digits: standard deviation, volatility index, bands. The bands are "
        "the normal approximation for independent stakes: fair for the sums shown, rough for side "
        "bets that seldom win at 1,000 coups."
    )
    if not sheet.house.shoe.every_coup:
        yield (
            f"Estimates, with standard errors: coups and refaits of a taille "
            f"({sheet.tailles_dealt:,} shoes)."
        )
    q = infinite_q(sheet.house)
    yield f"For comparison, q with an infinite pack is {decimal(q, 12)} ({one_in(q)})."


def sheet_json(sheet: ParSheet) -> dict[str, Any]:
    """Return a sheet as ``par --format json`` prints it: fractions as text, decimals as numbers.

    The keys are promised in docs/cli.md.
    """
    house = sheet.house
    of_coup = {"basis": PER_COUP, "deal": sheet.deal}
    return {
        "house": house.name,
        "title": house.title,
        "fingerprint": house.fingerprint,
        "version": sheet.version,
        "command": sheet.command,
        "deal": sheet.deal,
        "z": sheet.z,
        "unit": house.money.text(1),
        "rounding": house.money.rounding,
        "points": [{**of_coup, **_json(**asdict(line))} for line in sheet.points],
        "refait": {**of_coup, **_json(q=sheet.q), "infinite_q": float(infinite_q(house))},
        "other_ties": {**of_coup, **_json(t=sheet.other_ties)},
        "chances": [{**of_coup, **_json(**asdict(line))} for line in sheet.chances],
        "wagers": [_wager(sheet, line) for line in sheet.wagers],
        "limits": {"minimum": sheet.stake_limits[0], "maximum": sheet.stake_limits[1]},
        "stakes": [_stake(sheet, stake) for stake in sheet.stakes],
        "tailles": [_taille(sheet, line) for line in sheet.tailles],
    }


def _json(**values: Any) -> dict[str, Any]:
    """Return values by their keys: a fraction exactly as well, an estimate with its error."""
    data: dict[str, Any] = {}
    for name, value in values.items():
        match value:
            case Fraction():
                data |= {name: float(value), f"{name}_exact": exact_text(value)}
            case Estimate():
                data |= {name: value.mean, f"{name}_error": value.error}
            case Policy():
                data[name] = dict(value.choices)
            case tuple():
                data[name] = list(value)
            case _:
                data[name] = value
    return data


def _maybe(name: str, part: Fraction | None) -> dict[str, Any]:
    return {name: None, f"{name}_exact": None} if part is None else _json(**{name: part})


def _wager(sheet: ParSheet, line: WagerFigures) -> dict[str, Any]:
    wager = line.wager
    return {
        "basis": PER_STAKE,
        "deal": sheet.deal,
        **_json(chance=wager.chance, insured=wager.insured, policy=wager.policy),
        **_json(best=line.least_edge, worst=line.greatest_edge, payout_odds=line.payout_odds),
        **_maybe("true_odds", line.true_odds),
        **_json(edge=wager.edge, edge_per_resolved=wager.per_resolved),
        **_json(edge_per_decided=wager.per_decided, **{"return": line.returned}, sd=wager.sd),
        **_json(variance=wager.variance, volatility=line.volatility, hit_frequency=line.more),
        **_json(return_equal=line.same, return_less=line.less, most_won=line.most_won),
        **scope_json(line.scope, sheet.house.money),
        "bands": [asdict(line.band(coups)) for coups in COUPS],
    }


def _stake(sheet: ParSheet, stake: StakeFigures) -> dict[str, Any]:
    insurance = stake.insurance
    return {
        "basis": PER_STAKE,
        "deal": sheet.deal,
        **_json(units=stake.units, amount=stake.amount, named=stake.named),
        "taken": not stake.refused,
        "refused": [{"code": r.code, "message": r.message} for r in stake.refused],
        "unknown": stake.unknown,
        "wagers": [
            _json(
                chances=line.chances,
                insured=line.wager.insured,
                policy=line.wager.policy,
                edge=line.wager.edge,
                nominal=line.nominal,
                moved=line.moved,
            )
            for line in stake.wagers
        ],
        "insurance": insurance
        and {
            **_json(premium=insurance.premium, share=insurance.share),
            **_json(taken=not insurance.refused, refused=insurance.refused),
            **_maybe("gain", stake.gain),
        },
        "warnings": list(_warnings(sheet, stake)),
    }


def _taille(sheet: ParSheet, line: TailleFigures) -> dict[str, Any]:
    names = {"from_end": "marker_from_end", "share": "refaits_a_coup"}
    figures = asdict(line, recurse=False)
    return {
        "basis": "per taille",
        "deal": TAILLE,
        **_json(**{names.get(name, name): value for name, value in figures.items()}),
        **_json(shoes=sheet.tailles_dealt, seed=sheet.tailles_seed),
    }
