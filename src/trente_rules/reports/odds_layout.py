"""The odds of the next coup laid out: a screen, tables of every figure, and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Final

from attrs import field, frozen

from trente_rules.core.chances import COUP_VERDICTS, Chance, Kind
from trente_rules.core.coup import POINTS
from trente_rules.core.house.house import House
from trente_rules.core.money import Amount
from trente_rules.core.text import counted
from trente_rules.odds.advantage import Advantage, law_of, of_kind
from trente_rules.odds.coup_odds import CoupOdds
from trente_rules.odds.fast import FastOdds
from trente_rules.odds.last_coups import LastCoups
from trente_rules.odds.remaining import VALUES, Composition, unfinished
from trente_rules.odds.removal import Effects
from trente_rules.odds.sequential import Sequential
from trente_rules.reports.choice_words import choice_sentences, choices_json, choices_of
from trente_rules.reports.comparison import Compared, grouped, wager_json
from trente_rules.reports.comparison_layout import (
    add_sequential,
    edges_table,
    scope_parts,
    sequential_table,
)
from trente_rules.reports.document import (
    Cell,
    Column,
    ColumnLike,
    Grid,
    Mark,
    Marked,
    Part,
    Report,
    Value,
)
from trente_rules.reports.nominal import Scope, scope_json, scope_text
from trente_rules.reports.plays import Plays, plays_of
from trente_rules.reports.removal_table import effects_table, removal_json, tags_table

_KINDS: Final[dict[Kind, str]] = {"win": "win", "lose": "lose", "push": "après", "tie": "refait"}
"""The columns of what a coup does to a stake; all refaits of a house are one kind."""
_PLAYS: Final = ("partage", "prison", "best", "default", "insured")
"""The columns of edges, left out where they say what another says."""
_NO_COUP: Final = "No coup can be completed from these cards, so there is no edge."
_ROUNDING: Final = Fraction(1, 10**12)
"""How far an edge by the fast engine may be off: more than its error for each outcome."""
_CHANCE_DIGITS: Final = 3
_EDGE_DIGITS: Final = 4
_POINT_DIGITS: Final = 2


@frozen
class NextCoup:
    """The next coup of a house from the cards that are unseen: odds, and what they are worth.

    ``found`` are the edges with their ``scopes``, None where no coup can be completed; ``stake`` is
    the amount that they are for, None for nominal ones. ``sequential`` are the edges with the
    dependence of later coups. ``digits`` are the decimals of every figure in per cent, None for
    those that fit a screen. ``last`` is how likely a next coup fits, None where one is sure.
    """

    house: House
    left: Composition
    odds: CoupOdds | FastOdds
    found: Advantage | None
    scopes: tuple[Scope | None, ...] = ()
    stake: Amount | None = None
    sequential: Sequential | None = None
    digits: int | None = None
    last: LastCoups | None = None
    plays: tuple[Plays, ...] = field(init=False)

    @plays.default
    def _plays(self) -> tuple[Plays, ...]:
        return plays_of(self.house, self.found.wagers, self.scopes) if self.found else ()

    def of_chance(self, chance: str) -> Plays | None:
        """Return the plays of a chance, None where it has no edge."""
        return next((plays for plays in self.plays if chance in plays.chances), None)

    def favours(self, edge: Fraction) -> bool:
        """Return whether an edge is below zero by more than the rounding of the fast engine."""
        return edge < -(_ROUNDING if isinstance(self.odds, FastOdds) else 0)

    def decimals(self, usual: int) -> int:
        """Return how many decimals a figure in per cent has."""
        return usual if self.digits is None else self.digits


def odds_report(
    coup: NextCoup,
    *,
    full: bool = False,
    cards: bool = False,
    more: bool = False,
    removal: Sequence[Effects] = (),
) -> Report:
    """Lay the next coup out: a screen, or with ``full`` every policy and every figure.

    ``cards`` adds the unseen cards by value and colour, ``more`` a line on what else can be asked.
    """
    parts = [_first_line(coup), *_near_end(coup), *(_full(coup) if full else _screen(coup))]
    parts += [_cards(coup.left)] if cards or full else [_unseen(coup)]
    parts += _sequential(coup)
    if removal:
        parts += [effects_table(removal), tags_table(removal)]
    if more and not full:
        parts.append("More: --digits 9, --full (every policy), --cards (by colour), --format json")
    title = f"Odds of the next coup at {coup.house.name}"
    more_json = {"removal": removal_json(removal)} if removal else {}
    return Report(title, parts, data=lambda: {**odds_json(coup), **more_json})


def _first_line(coup: NextCoup) -> str:
    packs = coup.left.whole
    cards = counted(coup.left.cards, "card")
    text = f"The next coup at {coup.house.name}; {cards} unseen"
    if packs:
        text += f", a full shoe of {counted(packs, 'pack')}"
    if isinstance(coup.odds, FastOdds):
        text += f"; fast engine, off by at most about {coup.odds.error:.0e}"
    elif not packs:
        text += "; exact engine"
    return text


def _near_end(coup: NextCoup) -> Iterator[str]:
    """Say where a stake in prison may have to wait for a fresh shoe (``LastCoups``)."""
    waiting = coup.last.waiting() if coup.last else None
    if waiting is None:
        return
    closes = coup.house.shoe.prisoners_at_end == "close"
    otherwise = "the house closes it" if closes else "it waits for a fresh shoe"
    yield (
        "Near the end of the shoe: a stake that this coup imprisons meets another coup of this "
        f"shoe in {float(waiting) * 100:.{coup.decimals(1)}f} % of the cases; otherwise "
        f"{otherwise}."
    )


# --- The screen


def _screen(coup: NextCoup) -> Iterator[Part]:
    if coup.found is None:
        yield _NO_COUP
        return
    favoured = [
        chance.id
        for chance in coup.house.chances
        if (plays := coup.of_chance(chance.id)) and coup.favours(plays.overall.edge)
    ]
    if favoured:
        names = _every(coup.house, favoured)
        yield f"The cards favour {names}: the bank's edge is below zero."
    yield _chances(coup)
    yield from _insurance(coup)
    yield from _choices(coup)
    yield from _points(coup)


def _choices(coup: NextCoup) -> Iterator[str]:
    """Say what is best at a refait by the cards left: of a full shoe none has been dealt."""
    if not coup.left.whole:
        choices = choices_of(coup.house, coup.left, coup.odds)
        yield from choice_sentences(choices, coup.decimals(_CHANCE_DIGITS))


def _chances(coup: NextCoup) -> Grid:
    kinds = [
        kind
        for kind in _KINDS
        if any(
            verdict.kind == kind for chance in coup.house.chances for verdict in chance.possible()
        )
    ]
    plays = _shown_plays(coup)
    star = "*" if _footnotes(coup) else ""
    chance_form, edge_form = (
        f".{coup.decimals(usual)}h" for usual in (_CHANCE_DIGITS, _EDGE_DIGITS)
    )
    columns: tuple[ColumnLike, ...] = (
        "chance",
        *(Column(_KINDS[kind], chance_form, rank=_rank(kind)) for kind in kinds),
        *(Column(f"{name}{star * (name == 'insured')}", edge_form) for name in plays),
    )
    caption = "All in %."
    if plays:
        stake = f", for a stake of {coup.house.money.text(_units(coup))}" if coup.stake else ""
        later = " Later coups count as independent."
        if coup.last is not None and coup.last.waiting() is not None:
            later = ""
        caption = f"All in %; {_last(len(plays))} the bank's edge{stake}.{later}"
    return Grid(
        "",
        columns,
        (_chance_row(coup, chance, kinds, plays) for chance in coup.house.chances),
        caption=caption,
    )


def _kinds(chance: Chance) -> set[Kind]:
    """Return what a coup can do to a stake on a chance."""
    return {verdict.kind for verdict in chance.possible()}


def _rank(kind: Kind) -> int:
    return {"push": 1, "lose": 2}.get(kind, 0)


def _units(coup: NextCoup) -> int:
    return coup.house.money.units(coup.stake) if coup.stake is not None else 0


def _last(count: int) -> str:
    numbers = ("no", "one", "two", "three", "four", "five")
    return f"the last {'is' if count == 1 else f'{numbers[count]} are'}"


def _shown_plays(coup: NextCoup) -> list[str]:
    """Return the plays that have a column: none that is always what another column says."""
    known = [name for name in _PLAYS if any(each.edge(name) is not None for each in coup.plays)]
    if all(each.edge("prison") in (None, each.default.edge) for each in coup.plays):
        known = [name for name in known if name != "prison"]
    of_best = (each.edge(name) for each in coup.plays for name in ("partage", "default"))
    edges = set(of_best)
    if all(each.best.edge in edges for each in coup.plays):
        known = [name for name in known if name != "best"]
    return known


def _chance_row(
    coup: NextCoup, chance: Chance, kinds: Sequence[Kind], plays: Sequence[str]
) -> Iterator[Cell]:
    known = coup.of_chance(chance.id)
    good = known is not None and coup.favours(known.overall.edge)
    yield Marked(chance.id, "good") if good else chance.id
    law = law_of(chance, coup.odds)
    possible = _kinds(chance)
    for kind in kinds:
        yield of_kind(law, kind) if kind in possible else None
    for name in plays:
        edge = known.edge(name) if known else None
        yield _marked(edge, "good") if edge is not None and coup.favours(edge) else edge


def _marked(value: Value, mark: Mark) -> Cell:
    return Marked(value, mark)


def _footnotes(coup: NextCoup) -> list[str]:
    """Return for which stakes an insured figure holds, where that is not every stake."""
    if coup.found is None or not coup.scopes:
        return []
    held = dict(zip(map(id, coup.found.wagers), coup.scopes, strict=True))
    scopes = (held.get(id(each.insured)) for each in coup.plays if each.insured)
    texts = (scope_text(scope, coup.house.money) for scope in scopes if scope is not None)
    return list(dict.fromkeys(texts))


def _insurance(coup: NextCoup) -> Iterator[Part]:
    """Say on which chances insurance pays, and compared with which play."""
    groups = grouped(
        (_gained(coup, each), chance)
        for each in coup.plays
        if each.insured is not None
        for chance in each.chances
    )
    sentences = [
        f"{_on(coup.house, what, chances)}: {why}."
        for (what, why), chances in sorted(groups.items(), key=lambda group: group[0][0] != _PAYS)
    ]
    sentences += (f"* The insured edge holds {text}." for text in _footnotes(coup))
    if sentences:
        yield " ".join(sentences)


def _gained(coup: NextCoup, plays: Plays) -> tuple[str, str]:
    """Return whether insurance pays, and what it does to the edge of the best play without it."""
    insured = plays.insured.edge if plays.insured else Fraction(0)
    gain = plays.best.edge - insured
    difference = f"{float(abs(gain)) * 100:.{coup.decimals(_EDGE_DIGITS)}f} %"
    best = f"the best play without it{_play_name(plays)}"
    if gain > 0:
        return _PAYS, f"its edge is {difference} below {best}"
    if gain < 0:
        return _PAYS_NOT, f"its edge is {difference} above {best}"
    return "Insurance changes nothing", f"its edge is that of {best}"


_PAYS: Final = "Insurance pays"
_PAYS_NOT: Final = "Insurance does not pay"


def _on(house: House, what: str, chances: Sequence[str]) -> str:
    """Return what insurance does on some chances: it pays on ``every chance``, or on none."""
    where = _every(house, chances)
    if what == _PAYS_NOT and where == _ALL:
        return f"{_PAYS} on no chance"
    return f"{what} on {where}"


def _play_name(plays: Plays) -> str:
    """Return the play that is best without insurance, where the player has a choice."""
    if plays.best.edge == plays.worst.edge:
        return ""
    names = ("partage", "prison", "default")
    return next((f" ({name})" for name in names if plays.edge(name) == plays.best.edge), "")


_ALL: Final = "every chance"


def _every(house: House, chances: Sequence[str]) -> str:
    """Return chances as text, all the simple ones as ``every chance``."""
    simple = [chance.id for chance in house.chances if chance.simple]
    return _ALL if sorted(chances) == sorted(simple) else ", ".join(chances)


def _points(coup: NextCoup) -> Iterator[Part]:
    row, joint = coup.odds.row(), coup.odds.joint()
    ties = [joint[i][i] for i in range(len(POINTS))]
    cut_short = unfinished(coup.odds)
    if cut_short:
        chance = f"{float(cut_short) * 100:.{coup.decimals(_CHANCE_DIGITS)}f} %"
        yield (
            f"In {chance} of the cases the coup is not completed for want of cards; edges are of a "
            "coup that is completed."
        )
    one = _one_row(coup)
    digits = coup.decimals(_POINT_DIGITS)
    if digits > _POINT_DIGITS:  # too wide for a line
        columns = ("point", (f"{one} %", f".{digits}h"), ("both rows %", f".{digits}h"))
        lines = ((str(point), row[i], ties[i]) for i, point in enumerate(POINTS))
        yield Grid("", columns, lines)
        return
    lowest = min(POINTS)
    yield Grid(
        "",
        (
            "point",
            *(
                Column(str(point), f".{digits}h", rank=max(0, point - lowest - 5))
                for point in POINTS
            ),
        ),
        ((f"{one} %", *row), ("both rows %", *ties)),
    )


def _one_row(coup: NextCoup) -> str:
    """Return the name of the law of a row: cards that may not suffice make it another."""
    return "a row of a completed coup" if unfinished(coup.odds) else "one row"


def _unseen(coup: NextCoup) -> str:
    """Return the unseen cards in a sentence; by colour where a value is uneven."""
    names = [*VALUES[:-1], "10-K"]
    pairs = list(zip(names, coup.left.rouge, coup.left.noir, strict=True))
    if coup.left.rouge == coup.left.noir:
        counts = ", ".join(f"{name}:{red + black}" for name, red, black in pairs)
        return f"Unseen: {counts}; half of each value is red."
    reds = ", ".join(f"{name}:{red}" for name, red, _black in pairs)
    blacks = ", ".join(f"{name}:{black}" for name, _red, black in pairs)
    return f"Unseen red: {reds}; black: {blacks}."


def _cards(left: Composition) -> Grid:
    rows = (
        (value, red, black, red + black)
        for value, red, black in zip(VALUES, left.rouge, left.noir, strict=True)
    )
    return Grid("Unseen cards", ("value", ("red", "d"), ("black", "d"), ("cards", "d")), rows)


def _sequential(coup: NextCoup) -> Iterator[Part]:
    if coup.sequential is not None and coup.found is not None:
        yield sequential_table([(Compared(coup.house, coup.found), coup.sequential)])


# --- Every figure


def _full(coup: NextCoup) -> Iterator[Part]:
    digits = coup.decimals(7)
    form = f".{digits}%"
    row, joint = coup.odds.row(), coup.odds.joint()
    lines: list[tuple[Cell, ...]] = [
        (str(point), row[i], joint[i][i]) for i, point in enumerate(POINTS)
    ]
    cut_short = unfinished(coup.odds)
    if cut_short:
        lines.append(("not completed", None, cut_short))
    yield Grid("Points", ("point", (_one_row(coup), form), ("both rows", form)), lines)
    laws = {chance: law_of(chance, coup.odds) for chance in coup.house.chances}
    verdicts = dict.fromkeys(verdict.id for law in laws.values() for verdict in law)
    yield Grid(
        "Chances",
        ("chance", *((name, f".{digits}h") for name in verdicts)),
        (
            (chance.id, *({v.id: p for v, p in law.items()}.get(name) for name in verdicts))
            for chance, law in laws.items()
        ),
        "All in %.",
    )
    if coup.found is None:
        yield _NO_COUP
        return
    given = "; of a coup that is completed" if cut_short else ""
    compared = Compared(coup.house, coup.found, coup.stake, scopes=coup.scopes)
    yield edges_table([compared], given)
    yield from _choices(coup)
    worth = tuple(_worth(coup))
    if worth:
        columns = (("uninsured", ".5%"), ("insured", ".5%"), ("gain", ".5%"))
        yield Grid(
            "The worth of insurance now, per stake",
            ("chance", *columns, ("of the premium", ".3%")),
            worth,
        )
    yield from scope_parts([compared])


def _worth(coup: NextCoup) -> Iterator[tuple[Cell, ...]]:
    rate = _rate(coup.house)
    for chance, (without, insured) in _least(coup.found).items():
        gain = without - insured
        yield chance, without, insured, gain, gain / rate if rate else None


def _rate(house: House) -> Fraction:
    return house.insurance_table.rate if house.insurance_table else Fraction(0)


def _least(found: Advantage | None) -> dict[str, tuple[Fraction, Fraction]]:
    """Return the least edges of each chance that can be insured: without insurance and with it."""
    least: dict[str, dict[bool, Fraction]] = {}
    for wager in found.wagers if found else ():
        edges = least.setdefault(wager.chance, {})
        edges[wager.insured] = min(edges.get(wager.insured, wager.edge), wager.edge)
    return {chance: (e[False], e[True]) for chance, e in least.items() if len(e) > 1}


# --- JSON


def odds_json(coup: NextCoup) -> dict[str, Any]:
    """Return the next coup as JSON: its keys are promised in docs/cli.md."""
    house, left, odds, found = coup.house, coup.left, coup.odds, coup.found
    rate = _rate(house)
    edges = None
    if found is not None:
        edges = [wager_json(wager, coup.stake) for wager in found.wagers]
        for edge, scope in zip(edges, coup.scopes, strict=False):
            edge.update(scope_json(scope, house.money))
        if coup.sequential is not None:
            add_sequential(edges, coup.sequential)
    return {
        "house": house.name,
        "fingerprint": house.fingerprint,
        "choices": choices_json(choices_of(house, left, odds)),
        "deal": odds.deal,
        "engine": "fast" if isinstance(odds, FastOdds) else "exact",
        "error": odds.error if isinstance(odds, FastOdds) else 0,
        "remaining": {
            value: {"red": red, "black": black}
            for value, red, black in zip(VALUES, left.rouge, left.noir, strict=True)
        },
        "cards": left.cards,
        "joint": [[float(p) for p in line] for line in odds.joint()],
        "row": [float(p) for p in odds.row()],
        "unfinished": float(unfinished(odds)),
        "chances": {
            chance.id: {
                verdict.id: float(p) for verdict, p in {**_NO_LAW, **law_of(chance, odds)}.items()
            }
            for chance in house.chances
        },
        "edges": edges,
        "insurance": {
            chance: {
                "uninsured": float(without),
                "insured": float(insured),
                "gain": float(without - insured),
                "of_premium": float((without - insured) / rate) if rate else None,
            }
            for chance, (without, insured) in _least(found).items()
        },
    }


_NO_LAW: Final = dict.fromkeys(COUP_VERDICTS, Fraction(0))
