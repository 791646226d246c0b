"""Houses on one screen: what each play costs, which house is best, which rules differ.

A few houses are columns, with the rules that differ in words; more have a line each, the cheapest
first. Edges are in per cent of the stake.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Final

from attrs import frozen

from trente_rules.core.house.house import House
from trente_rules.odds.coup_odds import odds_of
from trente_rules.reports.comparison import (
    Compared,
    chances_text,
    deal_text,
    differing_keys,
    followed,
    value_text,
)
from trente_rules.reports.document import (
    Cell,
    Column,
    ColumnLike,
    Grid,
    Lines,
    Mark,
    Marked,
    Part,
)
from trente_rules.reports.nominal import Scope, moved, scope_text
from trente_rules.reports.plays import Plays, is_insured, plays_of
from trente_rules.reports.rule_words import (
    AGAIN,
    REFAIT,
    differing_words,
    refait_words,
    rule_words,
)

SIDE_BY_SIDE: Final = 4
"""The most houses that are columns; more have a line each."""
EDGE: Final = ".4h"
"""The form of an edge on a screen: in per cent, which the title says."""
_NAMED: Final = ("partage", "prison", "default", "insured")
_BESIDES: Final = ("refait at", AGAIN, "insurance")
"""Rules that a wide screen shows of many houses, the most telling first."""
_RANKS: Final = {"default": 0, "best": 0, "partage": 1, "insured": 2, "worst": 3, "prison": 4}
"""The rank of each play: a narrow screen leaves out the greatest first."""
_CUT: Final = 50
"""The longest words of such a rule on a screen."""
_REFAIT, _RANK, _DEAL, _RULES = 5, 6, 7, 8
"""The ranks of the other columns: what a refait does, the words best and worst, and the rest."""


@frozen
class HouseRow:
    """The plays of one house, on chances that are alike."""

    one: Compared
    plays: Plays

    @property
    def house(self) -> House:
        """The house."""
        return self.one.house


def rows_of(compared: Iterable[Compared], chances: Sequence[str] = ()) -> list[HouseRow]:
    """Return the plays of houses: on the simple chances, or on those that are named."""
    return [
        HouseRow(one, plays)
        for one in compared
        for plays in plays_of(one.house, one.advantage.wagers, one.scopes)
        if set(plays.chances) & set(chances) or (not chances and _simple(one.house, plays))
    ]


def _simple(house: House, plays: Plays) -> bool:
    return house.chance(plays.chances[0]).simple


def by_edge(compared: Iterable[Compared], chances: Sequence[str] = ()) -> tuple[Compared, ...]:
    """Return houses with the cheapest first: by the best uninsured play, then by the default.

    Houses without such a wager are last.
    """

    def rank(one: Compared) -> tuple[bool, tuple[Fraction, ...]]:
        found = [row.plays.ranked for row in rows_of([one], chances)]
        return not found, min(found, default=())

    return tuple(sorted(compared, key=rank))


def overview(
    compared: Sequence[Compared],
    chances: Sequence[str] = (),
    *,
    keys: bool = False,
    rules: bool = True,
) -> Iterator[Part]:
    """Yield the edges of houses by play, and with ``rules`` those that differ; see ``rules_parts``.

    Of many houses, rules are shown as ``keys`` only.
    """
    rows = rows_of(compared, chances)
    few = len(compared) <= SIDE_BY_SIDE
    if rows:
        yield (_side_by_side if few else _lines)(compared, rows, chances)
    if rules and compared[1:] and (few or keys):
        yield from rules_parts([one.house for one in compared], keys=keys)


def edge_cell(edge: Fraction | None, mark: Mark | None = None) -> Cell:
    """Return an edge as a cell, marked where it is better or worse than others."""
    return Marked(edge, mark) if edge is not None and mark else edge


def _title(compared: Iterable[Compared], rows: Sequence[HouseRow], chances: Sequence[str]) -> str:
    stakes = {str(one.stake) for one in compared if one.stake is not None}
    simple = all(_simple(row.house, row.plays) for row in rows)
    what = "a simple chance" if simple and not chances[1:] else "a wager"
    what = chances[0] if len(chances) == 1 else what
    at = f" of {stakes.pop()}" if stakes else ""
    return f"Bank's edge on {what}, % of the stake{at}"


def plays_shown(rows: Sequence[HouseRow]) -> list[str]:
    """Return the plays that some house has; best and worst where no other play shows them."""
    shown = [play for play in _NAMED if any(row.plays.edge(play) is not None for row in rows)]
    plain = [play for play in shown if play != "insured"]
    for at, play in ((0, "best"), (len(plain), "worst")):
        if any(
            row.plays.edge(play) not in [row.plays.edge(other) for other in plain] for row in rows
        ):
            shown.insert(at, play)
    return shown


def _marks(rows: Sequence[HouseRow]) -> dict[tuple[Fraction, Fraction], tuple[Mark, str]]:
    """Return the mark and the word of the best and the worst rank, where they differ."""
    ranks = [row.plays.ranked for row in rows]
    if len(set(ranks)) < 2:  # noqa: PLR2004 - nothing is better than anything
        return {}
    return {min(ranks): ("good", "best"), max(ranks): ("bad", "worst")}


def _star(play: str, rows: Iterable[HouseRow]) -> str:
    """Return the name of a play with a star where its figure is nominal."""
    nominal = all(row.one.stake is None for row in rows)
    return f"{play}*" if play == "insured" and nominal else play


# --- A line for each house


def _lines(compared: Sequence[Compared], rows: Sequence[HouseRow], chances: Sequence[str]) -> Grid:
    marks = _marks(rows)
    shown = plays_shown(rows)
    several = len({row.house.name for row in rows}) < len(rows)
    rules = _besides([row.house for row in rows])
    deals = {row.one.advantage.deal for row in rows}
    columns: list[ColumnLike] = [
        "house",
        *(["chance"] if several else []),
        *(Column(_star(play, rows), EDGE, rank=_RANKS[play]) for play in shown),
        Column(REFAIT, rank=_REFAIT),
        *([Column("rank", rank=_RANK)] if marks else []),
        *([Column("deal", rank=_DEAL)] if len(deals) > 1 else []),
        *(Column(topic, cut=_CUT, rank=_RULES + at) for at, topic in enumerate(rules)),
    ]
    cells = []
    for at, row in enumerate(rows):
        mark, word = marks.get(row.plays.ranked, (None, ""))
        name: Cell = Marked(row.house.name, mark) if mark else row.house.name
        cells.append(
            (
                name,
                *([chances_text(row.house, row.plays.chances)] if several else []),
                *(
                    edge_cell(row.plays.edge(play), None if play == "insured" else mark)
                    for play in shown
                ),
                refait_words(row.house, ties=False),
                *([word] if marks else []),
                *([deal_text(row.one.advantage.deal)] if len(deals) > 1 else []),
                *(words[at] for words in rules.values()),
            )
        )
    ranks = [row.plays.ranked for row in rows]
    first = ". The cheapest house comes first." if marks and ranks == sorted(ranks) else ""
    return Grid(
        f"{_title(compared, rows, chances)}{first}",
        columns,
        cells,
    )


def _besides(houses: Sequence[House]) -> dict[str, tuple[str, ...]]:
    found = differing_words(houses)
    return {topic: found[topic] for topic in _BESIDES if topic in found}


def _verdict(rows: Sequence[HouseRow]) -> Iterator[str]:
    """Yield which house is best for the player, and which is worst."""
    marks = _marks(rows)
    for ranked, (_mark, word) in marks.items():
        names = dict.fromkeys(row.house.name for row in rows if row.plays.ranked == ranked)
        yield (
            f"{word.capitalize()}{' without insurance' if word == 'best' else ''}: "
            + (", ".join(names) if len(names) <= SIDE_BY_SIDE else f"{len(names)} houses")
            + "."
        )


# --- Houses side by side


def _side_by_side(
    compared: Sequence[Compared], rows: Sequence[HouseRow], chances: Sequence[str]
) -> Grid:
    marks = _marks(rows)
    shown = plays_shown(rows)
    named = {id(row): _group(row, chances) for row in rows}
    if chances and len({*named.values()}) > 1:
        named = {id(row): ", ".join(_alike(row, chances)) for row in rows}
    groups = dict.fromkeys(named.values())
    cells: list[tuple[Cell, ...]] = []
    for group in groups:
        of_house = {row.house.name: row for row in rows if named[id(row)] == group}
        for play in shown:
            line: list[Cell] = []
            for one in compared:
                row = of_house.get(one.house.name)
                mark = marks.get(row.plays.ranked, (None, ""))[0] if row else None
                if play == "insured":
                    mark = None  # houses are ranked without insurance
                line.append(edge_cell(row.plays.edge(play), mark) if row else None)
            star = _star(play, rows)
            label = star if len(groups) == 1 else f"{group or 'every chance'}: {star}"
            if any(cell is not None for cell in line):
                cells.append((label, *line))
        if marks and len(groups) == 1:
            words = (
                marks.get(of_house[one.house.name].plays.ranked, (None, ""))[1]
                if one.house.name in of_house
                else ""
                for one in compared
            )
            cells.append(("for the player", *words))
    return Grid(
        _title(compared, rows, chances),
        ("play", *((one.house.name, EDGE) for one in compared)),
        cells,
        sorts=False,  # the last row is no play
    )


def _group(row: HouseRow, chances: Sequence[str]) -> str:
    """Return the chances of a row: empty where they are all that were asked for."""
    wanted = [c.id for c in row.house.chances if (c.id in chances if chances else c.simple)]
    alike = _alike(row, chances)
    return "" if alike == wanted else ", ".join(alike)


def _alike(row: HouseRow, chances: Sequence[str]) -> list[str]:
    """Return the chances of a row, of those that were asked for."""
    if chances:
        return [chance for chance in row.plays.chances if chance in chances]
    return [chance for chance in row.plays.chances if row.house.chance(chance).simple]


# --- Houses against a base house


def against_table(
    base: Compared, others: Sequence[Compared], chances: Sequence[str] = ()
) -> Iterator[Grid]:
    """Yield the edges of a base house and of others, each marked where it differs from the base."""
    compared = (base, *others)
    rows = rows_of(compared, chances)
    if not rows:
        return
    plays = [
        p for p in ("best", "default", "worst", "insured") if any(r.plays.edge(p) for r in rows)
    ]
    several = len({row.house.name for row in rows}) < len(rows)
    before = {_group(row, chances): row.plays for row in rows if row.one is base}
    cells = []
    for row in rows:
        was = before.get(_group(row, chances))
        edges = [(row.plays.edge(play), was.edge(play) if was else None) for play in plays]
        cells.append(
            (
                row.house.name,
                *([chances_text(row.house, row.plays.chances)] if several else []),
                *(edge_cell(now, _moved_mark(old, now)) for now, old in edges),
                _for_player(was, row.plays) if was and row.one is not base else "",
            )
        )
    yield Grid(
        _title(compared, rows, chances),
        (
            "house",
            *(["chance"] if several else []),
            *((_star(play, rows), EDGE) for play in plays),
            "for the player",
        ),
        cells,
        " ".join(_notes(compared, rows, chances)),
    )


def _moved_mark(old: Fraction | None, new: Fraction | None) -> Mark | None:
    if old is None or new is None or old == new:
        return None
    return "good" if new < old else "bad"


def _for_player(old: Plays, new: Plays) -> str:
    """Return whether plays are better or worse for the player, at best and by default."""
    changes = {_moved_mark(old.edge(play), new.edge(play)) for play in ("best", "default")}
    return {
        frozenset([None]): "the same",
        frozenset(["good"]): "better",
        frozenset(["good", None]): "better",
        frozenset(["bad"]): "worse",
        frozenset(["bad", None]): "worse",
    }.get(frozenset(changes), "better or worse, by play")


# --- What the figures hold for


def _notes(
    compared: Sequence[Compared], rows: Sequence[HouseRow], chances: Sequence[str]
) -> Iterator[str]:
    """Yield what the words and figures of a table mean, in sentences."""
    shown = plays_shown(rows)
    if "partage" in shown or "prison" in shown:
        yield "default: no choice. partage: part back at every refait. prison: into prison."
    yield from _dealt_note(rows)
    yield from _missing_note(compared, rows)
    few = len(compared) <= SIDE_BY_SIDE
    yield from _insured_note(rows, few=few)
    yield from _rounded_note(rows)
    if not chances:
        yield from _side_note(compared)


def _dealt_note(rows: Iterable[HouseRow]) -> Iterator[str]:
    """Yield what all houses deal from, where that is not their own packs."""
    deals = {
        row.one.advantage.deal
        for row in rows
        if row.one.advantage.deal != f"{row.house.shoe.packs}-packs"
    }
    if deals:
        dealt = deals.pop()
        pack = "an infinite pack" if dealt == "infinite" else deal_text(dealt)
        yield f"Every house deals from {pack} here."


def _missing_note(compared: Iterable[Compared], rows: Iterable[HouseRow]) -> Iterator[str]:
    """Yield the houses that have no such wager, or refuse the stake."""
    shown = {row.house.name for row in rows}
    missing = [one.house.name for one in compared if one.house.name not in shown]
    if missing:
        few = len(missing) <= SIDE_BY_SIDE
        yield f"Without a figure: {', '.join(missing) if few else f'{len(missing)} houses'}."


def _scope(row: HouseRow, *, insured: bool) -> Scope | None:
    """Return the stakes that the figure of a play holds for."""
    wager = row.plays.insured if insured else row.plays.best
    pairs = zip(row.one.advantage.wagers, row.one.scopes, strict=True)
    return next((scope for each, scope in pairs if each is wager), None)


def _insured_note(rows: Sequence[HouseRow], *, few: bool) -> Iterator[str]:
    """Yield the stakes that insured figures hold for, and what small stakes pay."""
    held: dict[str, str] = {}
    for row in rows:
        scope = _scope(row, insured=True)
        if row.plays.insured is None or scope is None or row.one.stake is not None:
            continue
        if few or scope.edge is not None or scope.multiple:
            held[row.house.name] = _held(scope, row.house)
    if held:
        yield f"* holds at {'; '.join(f'{name} {text}' for name, text in held.items())}."
    elif any(row.plays.insured and row.one.stake is None for row in rows):
        yield "* holds for every stake that can be insured."


def _held(scope: Scope, house: House) -> str:
    """Return a scope in a sentence: ``from 500 FRF (22.8073 % at 20 FRF)``."""
    first, *_rest = scope_text(scope, house.money).split("; ")
    if scope.edge is None:
        return first
    small = house.money.text(scope.smallest)
    return f"{first} ({float(scope.edge * 100):.2f} % at {small})"


def _rounded_note(rows: Sequence[HouseRow]) -> Iterator[str]:
    """Yield the houses whose least stake costs more than its share, since it is rounded."""
    found: dict[str, dict[str, None]] = {}
    for row in rows:
        scope = _scope(row, insured=False)
        if row.one.stake is not None or scope is None or scope.edge is None:
            continue
        least = _best_of(row, scope.smallest)
        if moved(row.plays.best.edge, least):
            found.setdefault(f"{float(least * 100):.2f} %", {})[row.house.name] = None
    if found:
        texts = (f"{edge} at {', '.join(names)}" for edge, names in found.items())
        yield f"Rounding makes the least stake dearer: {'; '.join(texts)}."


def _best_of(row: HouseRow, units: int) -> Fraction:
    """Return the edge of the best play with a stake, which may be another play than usual."""
    chance, house = row.plays.chances[0], row.house
    odds = odds_of(row.one.advantage.deal, house.shoe.packs)
    wagers, _left_out = followed(house, odds, [chance], units)
    plain = (wager.edge for wager in wagers.wagers if not is_insured(wager))
    return min(plain, default=row.plays.best.edge)


def _side_note(compared: Iterable[Compared]) -> Iterator[str]:
    """Yield the least and the greatest edge of the side bets, and where they are."""
    edges: list[Fraction] = []
    names: list[str] = []
    for one in compared:
        side = {chance.id for chance in one.house.chances if not chance.simple}
        found = [wager.edge for wager in one.advantage.wagers if wager.chance in side]
        edges += found
        names += [one.house.name] if found else []
    if edges:
        least, greatest = min(edges), max(edges)
        span = "" if least == greatest else f"{float(least * 100):.2f} to "
        yield f"Side bets ({', '.join(names)}): {span}{float(greatest * 100):.2f} %."


def notes(
    compared: Sequence[Compared], chances: Sequence[str] = (), *, shown: Collection[str] = ()
) -> Lines:
    """Return the notes below an overview: best and worst, words, stakes, further options.

    ``shown`` are the options that are given.
    """
    rows = rows_of(compared, chances)
    best = " ".join(_verdict(rows)) if len(compared) > SIDE_BY_SIDE else ""
    return Lines(
        (*filter(None, [best]), *_notes(compared, rows, chances), *_more(compared, chances, shown))
    )


def _more(
    compared: Iterable[Compared], chances: Sequence[str], shown: Collection[str]
) -> Iterator[str]:
    """Yield the options that show more than what is shown."""
    bets = (chance.id for one in compared for chance in one.house.chances if not chance.simple)
    side = "" if chances else next(bets, "")
    staked = any(one.stake is not None for one in compared)
    options = {
        "full": "--full (every policy, sd)",
        "rules": "--rules",
        "keys": "--keys",
        "stake": "" if staked else "--stake N",
        "chance": f"--chance {side}" if side else "",
    }
    left = [option for name, option in options.items() if option and name not in shown]
    if left:
        yield f"More: {', '.join(left)}"


# --- The rules


def rules_parts(houses: Sequence[House], *, keys: bool = False, whole: bool = False) -> list[Grid]:
    """Return the rules that differ, or all; a few houses side by side, more by what they say.

    The rules are in words, or with ``keys`` as the keys of a house file.
    """
    if keys:
        rules = {key: tuple(map(value_text, values)) for key, values in differing_keys(houses)}
    elif whole:
        found = [rule_words(house) for house in houses]
        rules = {topic: tuple(words[topic] for words in found) for topic in found[0]}
    else:
        rules = differing_words(houses)
    if not rules:
        return []
    name = "key" if keys else "rule"
    title = "The rules" if whole and not keys else "Where they differ"
    if len(houses) <= SIDE_BY_SIDE:
        columns = (name, *(house.name for house in houses))
        return [Grid(title, columns, ((topic, *words) for topic, words in rules.items()))]
    return [
        Grid(title, (name, "value" if keys else "in words", "houses"), _by_words(houses, rules))
    ]


def _by_words(
    houses: Sequence[House], rules: dict[str, tuple[str, ...]]
) -> Iterator[tuple[str, str, str]]:
    """Yield each rule with the houses that have it, the rule that most of them have first."""
    for topic, words in rules.items():
        groups: dict[str, list[str]] = {}
        for house, text in zip(houses, words, strict=True):
            groups.setdefault(text, []).append(house.name)
        (usual, many), *others = sorted(groups.items(), key=lambda group: -len(group[1]))
        rest = "all others" if others else "all"
        yield topic, usual, rest if len(many) > SIDE_BY_SIDE else ", ".join(many)
        for text, names in others:
            yield "", text, ", ".join(names)
