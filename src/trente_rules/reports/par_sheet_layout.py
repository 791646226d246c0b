"""A PAR sheet laid out: sections of sentences, lists, tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from trente_rules.core.house.house import House
from trente_rules.core.machine import Policy
from trente_rules.core.plugins.manager import default_manager
from trente_rules.core.text import counted
from trente_rules.reports.comparison import chances_text, exact_text, grouped
from trente_rules.reports.document import (
    Cell,
    Column,
    ColumnLike,
    Figure,
    Folded,
    Grid,
    Items,
    Marked,
    Part,
    Report,
    Section,
    percent,
    whole,
)
from trente_rules.reports.nominal import scope_lines, scope_text
from trente_rules.reports.par_sheet import (
    COUPS,
    PER_COUP,
    PER_STAKE,
    ParSheet,
    StakeFigures,
    WagerFigures,
    infinite_q,
)
from trente_rules.reports.par_sheet_json import sheet_json, stake_warnings
from trente_rules.reports.plays import Plays, play_words
from trente_rules.reports.removal_table import of_deal
from trente_rules.reports.rulebook_limits import limit_blocks
from trente_rules.reports.sentences import Speech
from trente_rules.reports.tailles import NOT_STORED, TAILLE, estimate_text, law_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawn


_ENDS: Final = (3, 6, 9)
"""The powers of ten of coups that every screen has."""
_WAGER: Final = ("wager", "play")


def deal_text(deal: str) -> str:
    """Return the deal of odds in words: ``6 packs, first coup of a fresh full shoe``."""
    if deal == "infinite":
        return "infinite pack, every card put back"
    packs = deal.partition("-")[0]
    return f"{counted(int(packs), 'pack')}, first coup of a fresh full shoe"


def one_in(part: Fraction) -> str:
    """Return a probability as the mean number of coups to one event: ``1 in 45.6801``."""
    return f"1 in {float(1 / part):.4f}" if part else "never"


def decimal(number: Fraction | float, places: int = 6) -> str:
    """Return a number with ``places`` decimals, a whole one without any."""
    if isinstance(number, Fraction) and number.denominator == 1:
        return str(number.numerator)
    return f"{float(number):.{places}f}"


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


def _play_words(sheet: ParSheet) -> dict[tuple[bool, Policy], str]:
    stakes = (line.wager for stake in sheet.stakes for line in stake.wagers)
    return play_words((*(line.wager for line in sheet.wagers), *stakes))


def _wager_grid(
    sheet: ParSheet,
    columns: Iterable[ColumnLike],
    cells: Callable[[WagerFigures], Iterable[Cell]],
    caption: str = "",
    wanted: Callable[[WagerFigures], bool] = lambda _line: True,
) -> Grid:
    """Return a table with a line for each wager wanted: its name, and the cells of its figures."""
    words = _play_words(sheet)
    return Grid(
        "",
        (*_WAGER, *columns),
        (
            (name, words[line.wager.insured, line.wager.policy], *cells(line))
            for name, line in _grouped(sheet)
            if wanted(line)
        ),
        caption,
    )


def _rank(line: WagerFigures) -> Cell:
    """Return the rank of a wager among those on its chance: best and worst for the player."""
    if line.least_uninsured and line.greatest_edge:
        return Marked("best", "good") if line.wager.insured and line.least_edge else "-"
    if line.least_edge:
        return Marked("best", "good")
    if line.greatest_edge:
        return Marked("worst", "bad")
    return "best uninsured" if line.least_uninsured else ""


def ending_text(house: House) -> str:
    """Return how a taille ends."""
    rule, marker = house.shoe, house.shoe.marker
    if rule.every_coup:
        return "none: the cards are shuffled for every coup"
    if rule.ends == "no-coup":
        return "no marker: no coup begins with fewer than 8 cards or 62 points"
    if marker is None:
        return (
            "no marker: coups are dealt while the cards suffice; an incomplete coup does not count"
        )
    if marker.on_marker == "void":
        return "the marker ends the taille, and a coup that it comes up in is void"
    if marker.on_marker == "last-coup":
        return "the coup in which the marker comes up is the last, or the one behind it"
    return "the coup in which the marker comes up is finished, and is the last"


def _stakes(sheet: ParSheet) -> Iterator[Part]:
    """Lay out the edges by stake, and the warnings about rounding."""
    house, money = sheet.house, sheet.house.money
    yield f"Units of {money.text(1)}, rounding: {money.rounding}."
    english = Speech(default_manager().language("en"), money, house.machine.prisons)
    yield from limit_blocks(house, english)
    yield _edges_by_stake(sheet)
    yield Items(text for stake in sheet.stakes for text in stake_warnings(sheet, stake))
    if any(not c.simple and c.pays_whole_units for c in sheet.house.chances):
        yield "Side bets that pay whole units for each unit are never rounded, and are left out."
    nominal = Column("nominal", ".5%", rank=1)
    yield Folded(
        "Every play by stake",
        [
            Grid(
                "",
                ("stake", Column("taken", rank=3), *_WAGER, ("edge", ".5%"), nominal, _NOTE),
                (row for stake in sheet.stakes for row in _stake_rows(sheet, stake)),
            )
        ],
    )


_NOTE: Final = Column("note", rank=2)


def _edges_by_stake(sheet: ParSheet) -> Grid:
    """Return a line for each stake and each group of chances: the edges of the named plays."""
    insured = any(line.wager.insured for stake in sheet.stakes for line in stake.wagers)
    columns: list[ColumnLike] = ["stake", Column("taken", rank=2), "wager"]
    columns += [("best", ".5%"), ("default", ".5%"), Column("worst", ".5%", rank=1)]
    columns += [("insured", ".5%")] if insured else []
    return Grid(
        "",
        (*columns, _NOTE),
        (row for stake in sheet.stakes for row in _named_rows(sheet, stake, insured=insured)),
        "Best, default and worst are the plays without insurance. Rows of stakes that the table "
        "does not take are shown for comparison.",
    )


def _named_rows(
    sheet: ParSheet, stake: StakeFigures, *, insured: bool
) -> Iterator[tuple[Cell, ...]]:
    missing = (None,) * insured
    start = _stake_name(stake), _taken(stake)
    if not stake.wagers:
        yield (*start, stake.unknown or "no figures", None, None, None, *missing, "")
    for chances, lines in grouped((line.chances, line) for line in stake.wagers).items():
        plain = [line.wager.edge for line in lines if not line.wager.insured]
        with_it = [line.wager.edge for line in lines if line.wager.insured]
        named = (min(plain), plain[0], max(plain)) if plain else (None, None, None)
        yield (
            *(*start, chances_text(sheet.house, chances, "simple"), *named),
            *((min(with_it, default=None),) * insured),
            Marked("warning", "note") if any(line.moved for line in lines) else "",
        )


def _stake_name(stake: StakeFigures) -> str:
    return f"{stake.amount} ({', '.join(stake.named)})" if stake.named else stake.amount


def _taken(stake: StakeFigures) -> str:
    """Return whether a table takes a stake, and what is wrong with it."""
    codes = [refusal.code for refusal in stake.refused]
    if "inexact" in codes:
        return "refused: inexact"
    return f"no: {_code_words(codes[0])}" if codes else "yes"


def _code_words(code: str) -> str:
    return code.removeprefix("insurance-").replace("-", " ")


def _stake_rows(sheet: ParSheet, stake: StakeFigures) -> Iterator[tuple[Cell, ...]]:
    start = _stake_name(stake), _taken(stake)
    words = _play_words(sheet)
    if not stake.wagers:
        yield (*start, None, stake.unknown or "no figures", None, None, "")
    for line in stake.wagers:
        yield (
            *(*start, chances_text(sheet.house, line.chances, "simple")),
            words[line.wager.insured, line.wager.policy],
            *(line.wager.edge, line.nominal),
            Marked("warning", "note") if line.moved else "",
        )


def _insurance(sheet: ParSheet) -> Iterator[Part]:
    """Lay out the cost and gain of insurance by stake."""
    yield (
        "Insured and best are the bank's edges with the best choices of the player, insured and "
        "not. Gain is their difference in parts of the premium: below zero, the premium costs more "
        "than it saves."
    )
    yield Grid(
        "",
        (
            *("stake", Column("premium", "s", rank=1), Column("of the stake", ".3%", rank=2)),
            *(("insured", ".5%"), ("best", ".5%"), ("gain", ".3%"), Column("to be had", rank=3)),
        ),
        (_insurance_row(sheet, stake) for stake in sheet.stakes),
    )


def _insurance_row(sheet: ParSheet, stake: StakeFigures) -> tuple[Cell, ...]:
    insurance = stake.insurance
    if insurance is None:  # a table either insures all stakes of a sheet or none
        return stake.amount, None, None, None, None, None, "no"
    taken = "yes, but the table takes no such stake" if stake.refused else "yes"
    return (
        *(stake.amount, sheet.house.money.text(insurance.premium), insurance.share),
        *(stake.least(insured=True), stake.least(insured=False), stake.gain),
        f"no: {_code_words(insurance.refused)}" if insurance.refused else taken,
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
    yield Section("Summary", _summary(sheet))
    yield Section("Stamp", [Items(_stamp(sheet))])
    yield Section(f"Points and ties ({PER_COUP}; {deal})", _points(sheet))
    yield Section(f"Chances ({PER_COUP}; {deal})", [_chances(sheet)])
    yield Section(f"Odds and edges ({PER_STAKE}; {deal})", _advantage(sheet))
    yield Section(f"Results of one stake ({PER_STAKE}; {deal})", _results(sheet))
    yield Section(f"Return after many coups ({PER_STAKE}; {deal})", _bands(sheet))
    yield Section(f"Edges {rounded}", _stakes(sheet))
    if any(stake.insurance for stake in sheet.stakes):
        yield Section(f"Insurance {rounded}", _insurance(sheet))
    yield Section(f"Coups of a taille ({TAILLE})", _tailles(sheet))
    yield from of_deal(sheet.house, sheet.deal)
    yield Section("Sources of error", [Items(_errors(sheet))])


def _summary(sheet: ParSheet) -> Iterator[Part]:
    """Lay out the answer: the edges of the named plays, and where the insured one holds."""
    for plays in sheet.plays[:1]:
        yield _first_answer(sheet, plays)
    insured = any(plays.insured for plays in sheet.plays)
    holds = dict.fromkeys(
        scope_text(line.scope, sheet.house.money)
        for line in sheet.wagers
        if line.scope is not None and line.wager.insured
    )
    star = "*" if holds else ""
    columns: list[ColumnLike] = [
        "wager",
        *(("best", ".5%"), ("default", ".5%")),
        Column("worst", ".5%", rank=1),
    ]
    if insured:
        columns.append((f"insured{star}", ".5%"))
    captions = [
        "The bank's edge on a stake. Best, default and worst are the plays without insurance.",
        *(f"* {text}" for text in holds),
    ]
    yield Grid(
        "",
        columns,
        (_summary_row(sheet, plays, insured=insured) for plays in sheet.plays),
        " ".join(captions),
    )


def _first_answer(sheet: ParSheet, plays: Plays) -> str:
    on = chances_text(sheet.house, plays.chances, "simple chances")
    text = f"The bank's edge on {on} is {percent(plays.best.edge)} at best without insurance"
    if plays.best.edge != plays.default.edge:
        text += f", {percent(plays.default.edge)} if the player says nothing"
    if plays.insured is not None:
        less = "the least" if plays.insured_best else "not the least at every stake"
        text += f"; insured {percent(plays.insured.edge)}, {less}"
    return f"{text}."


def _summary_row(sheet: ParSheet, plays: Plays, *, insured: bool) -> Iterator[Cell]:
    yield chances_text(sheet.house, plays.chances, "simple")
    choice = plays.best.edge != plays.worst.edge
    best = choice and not plays.insured_best
    yield Marked(plays.best.edge, "good") if best else plays.best.edge
    yield plays.default.edge
    yield Marked(plays.worst.edge, "bad") if choice else plays.worst.edge
    if insured:
        edge = plays.insured.edge if plays.insured else None
        yield Marked(edge, "good") if plays.insured_best else edge


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
            f"Refait q = {decimal(q, 14)}: {one_in(q)} coups",
            f"Other ties = {decimal(sheet.other_ties, 14)}: {one_in(sheet.other_ties)} coups",
        )
    )
    yield Folded("Refait q as an exact fraction", [exact_text(q)])
    yield Grid(
        "",
        (
            *("point", ("in a row", ".12f"), ("tie at it", ".14f")),
            Column("a tie comes", "s", rank=1),
            "it is",
        ),
        (
            (
                line.point,
                whole(line.row),
                whole(line.tie),
                one_in(line.tie),
                "refait" if line.refait else "après",
            )
            for line in sheet.points
        ),
    )
    basis = f"{PER_COUP}; {deal_text(sheet.deal)}"
    labels = [str(line.point) for line in sheet.points]
    yield _drawn(
        "points-",
        f"Points of a row ({basis})",
        "Points of a row",
        labels,
        [100 * float(line.row) for line in sheet.points],
        x_label="point",
        y_label="per cent of rows",
    )
    yield _drawn(
        "ties-",
        f"Ties ({basis})",
        "Ties",
        labels,
        [
            [100 * float(line.tie) if line.refait == refait else None for line in sheet.points]
            for refait in (True, False)
        ],
        groups=["refait", "ordinary tie"],
        x_label="point of both rows",
        y_label="per cent of coups",
    )


def _drawn(prefix: str, caption: str, *values: Any, **options: Any) -> Figure:
    """Return bars as a figure; ``prefix`` makes the ids unique on the page."""
    from trente_rules.reports.figures import bars, page_figure  # noqa: PLC0415 - only pages draw

    return page_figure(
        prefix, lambda *, narrow: bars(*values, **options, narrow=narrow), caption=caption
    )


def _chances(sheet: ParSheet) -> Grid:
    names = ("win", "lose", "après", "refait")
    return Grid(
        "",
        ("chance", *(Column(name, ".12f", rank=i) for i, name in enumerate(names))),
        (
            (line.chance, *map(whole, (line.win, line.lose, line.apres, line.refait)))
            for line in sheet.chances
        ),
    )


def _advantage(sheet: ParSheet) -> Iterator[Part]:
    yield (
        "Edge and return are per stake placed; per resolved leaves ordinary ties out of the coups "
        "counted, per decided counts wins and losses alone. Best and worst are meant for the "
        "player: among all ways to play a chance, and among those without insurance. An insured "
        "play is the best only where it loses the least money at the least stake too. True odds "
        "would make the wager fair."
    )
    yield _wager_grid(
        sheet,
        (
            *("rank", ("edge", ".5%")),
            *(Column("true odds", "s", rank=1), Column("payout odds", "s", rank=5)),
            *(Column("per resolved", ".5%", rank=2), Column("per decided", ".5%", rank=4)),
            Column("return", ".5%", rank=3),
        ),
        lambda line: (
            *(_rank(line), line.wager.edge),
            None if line.true_odds is None else f"{decimal(line.true_odds)} to 1",
            f"{decimal(line.payout_odds)} to 1",
            *(line.wager.per_resolved, line.wager.per_decided, line.returned),
        ),
    )
    named = [
        (f"{name}{', insured' if line.wager.insured else ''}", line)
        for name, line in _grouped(sheet)
    ]
    labelled = ((name, line.wager, line.scope) for name, line in named)
    if lines := tuple(scope_lines(sheet.house, labelled)):
        yield "These figures do not hold for every stake that the house takes:"
        yield Items(lines)
    words = _play_words(sheet)
    yield Folded(
        "The edges as exact fractions",
        [
            Items(
                f"{name}, {words[line.wager.insured, line.wager.policy]}: "
                f"{exact_text(line.wager.edge)}"
                for name, line in _grouped(sheet)
            )
        ],
    )
    from trente_rules.reports.figures import page_figure  # noqa: PLC0415 - only pages draw

    yield page_figure(
        "edges-",
        lambda *, narrow: edges_figure(sheet, narrow=narrow),
        caption=f"The bank's edge by wager and play ({PER_STAKE}; {deal_text(sheet.deal)})",
    )


def edges_figure(sheet: ParSheet, *, narrow: bool = False) -> Drawn:
    """Draw the edge of each wager and play, ``narrow`` for a phone.

    Raises ``TrenteError`` ("needs-report").
    """
    from trente_rules.reports.figures import dots  # noqa: PLC0415 - only pages draw

    words = _play_words(sheet)
    lines = _grouped(sheet)
    labels = [f"{name}: {words[line.wager.insured, line.wager.policy]}" for name, line in lines]
    edges = [100 * float(line.wager.edge) for _name, line in lines]
    return dots(
        "The bank's edge", labels, {"": edges}, x_label="per cent of the stake", narrow=narrow
    )


def _results(sheet: ParSheet) -> Iterator[Part]:
    yield (
        f"In stakes. The volatility index is {sheet.z:g} x sd. Hit frequency is the probability "
        "of a return above the stake; a stake in prison is followed until it leaves the table."
    )
    yield _wager_grid(
        sheet,
        (
            *(("sd", ".6f"), ("hit frequency", ".5%")),
            *(Column("return = stake", ".5%", rank=2), Column("return < stake", ".5%", rank=1)),
            *(Column("volatility", ".6f", rank=3), Column("most won", ".4f", rank=4)),
        ),
        lambda line: (
            *(line.wager.sd, line.more, line.same, line.less),
            *(line.volatility, whole(line.most_won)),
        ),
    )


def _bands(sheet: ParSheet) -> Iterator[Part]:
    yield (
        f"Mean return of one stake, and how far on each side of it (z = {sheet.z:g}) the mean of "
        "so many coups lies, with a stake on every coup; all in % of the stake."
    )
    yield _band_grid(sheet, lambda _line: True, apart=False)
    if any(line.band(COUPS[0]) is None for line in sheet.wagers):
        yield (
            "- : too few coups. One stake can carry more than a twentieth of the variance, and the "
            "normal law does not hold."
        )
    if any(line.long_run != line.wager.variance for line in sheet.wagers):
        yield (
            "A stake in prison shares its coup with the stake that is placed then, so these bands "
            "are wider than those of stakes far apart, of which none is placed while another waits:"
        )
        yield _band_grid(sheet, lambda line: line.long_run != line.wager.variance, apart=True)


def _band_grid(sheet: ParSheet, wanted: Callable[[WagerFigures], bool], *, apart: bool) -> Grid:
    """Return the half widths of the bands of the wagers wanted."""
    powers = {coups: len(str(coups)) - 1 for coups in COUPS}

    def halves(line: WagerFigures) -> Iterator[float | None]:
        for coups in COUPS:
            band = line.band(coups, apart=apart)
            yield band.half if band else None

    return _wager_grid(
        sheet,
        (
            ("return", ".5h"),
            # On a narrow screen the first of the powers remain, and the last.
            *(Column(f"10^{n}", ".4h", rank=0 if n in _ENDS else n) for n in powers.values()),
        ),
        lambda line: (line.returned, *halves(line)),
        wanted=wanted,
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
            "Computed from the law of a whole taille, +- the estimated error of the computation",
            "Fewest and most coups: exact bounds",
        )
    )
    yield Grid(
        "",
        (
            *("marker", Column("cards", "d", rank=2), ("fewest", "d"), ("most", "d")),
            *(
                ("coups", "s"),
                Column("refaits", "s", rank=1),
                Column("refaits a coup", "s", rank=3),
            ),
        ),
        (
            (
                line.marker,
                *(line.cards, line.fewest, line.most),
                estimate_text(line.coups),
                estimate_text(line.refaits),
                estimate_text(line.share, share=True),
            )
            for line in sheet.tailles
        ),
    )
    line = sheet.tailles[0]
    if line.law is None:
        yield NOT_STORED
    else:
        yield f"Coups of a taille: {law_text(line.law)}."
        yield _held(sheet)
    if not line.q:
        return
    yield (
        f"The refaits of all completed coups of a taille, over those coups, are not q "
        f"({decimal(line.q, 6)} with {counted(rule.packs, 'pack')}): coups with a refait take "
        "few cards, so the last coup that happens to be completed holds too many of them. Each "
        "coup that is "
        f"sure to be completed, here the first {line.fewest}, is a refait with probability q "
        f"exactly: {decimal(line.sure_refaits, 6)} refaits in them."
    )


def _held(sheet: ParSheet) -> Grid:
    """Return the bank's share of a stake on every coup of whole tailles, by wager."""
    return _wager_grid(
        sheet,
        (Column("edge, first coup", ".5%", rank=1), ("hold, whole tailles", "s")),
        lambda line: (line.wager.edge, estimate_text(line.held, share=True)),
        "Hold: what the bank keeps of a stake placed on every completed coup, stakes in prison "
        "included.",
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
        "the normal approximation of a sum, with the exact variance; where one stake can carry "
        "more than a twentieth of it, the band is missing."
    )
    if not sheet.house.shoe.every_coup:
        yield (
            "Estimated errors: coups, refaits and holds of whole tailles. The error is the "
            "difference of two levels of the sum, or the spread under rotations, whichever is "
            "larger; see docs/mathematics.md."
        )
    q = infinite_q(sheet.house)
    yield f"For comparison, q with an infinite pack is {decimal(q, 12)} ({one_in(q)})."
