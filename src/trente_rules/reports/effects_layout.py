"""The difference between two houses as a document: what the player pays, key by key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any, Final

from attrs import asdict

from trente_rules.core.converter import path_text
from trente_rules.core.house.checks import same_amounts
from trente_rules.core.house.difference import Change
from trente_rules.reports.comparison import (
    Range,
    Ranges,
    best_scopes,
    edge_json,
    exact_text,
    moved_wagers,
    ranges_of,
    value_text,
)
from trente_rules.reports.document import (
    Cell,
    Column,
    Grid,
    Items,
    Lines,
    Marked,
    Part,
    Report,
    percent,
)
from trente_rules.reports.effects import PLAYS, Effect, HousesDiffer, PlayEdges, Priced
from trente_rules.reports.overview import EDGE

_WORDS: Final = {"least": "best", "default": "default", "greatest": "worst"}
_LONGEST: Final = 48
_RANKS: Final = {"greatest": 2, "default_insured": 3, "greatest_insured": 4}
"""The ranks of the columns that a narrow screen leaves out first."""
_SAME: Final = "="
_DIGITS: Final = 12
_MOST: Final = 4
"""The most single wagers that are named below a change."""


def difference_report(found: HousesDiffer, *, whole: bool = False) -> Report:
    """Lay out a difference; ``whole`` shows keys of presentation as well."""
    old, new = found.old, found.new
    title = f"{old.name} -> {new.name}"
    parts: list[Part] = [_verdict(found), _summary(found)]
    moving = [effect for effect in found.effects if effect.moves]
    small = {change.key for effect in found.small for change in effect.changes}
    still = [e for e in found.effects if not e.moves and e.changes[0].key not in small]
    if moving:
        parts.append(_effects_table("What each change does on its own", moving, found))
    if found.small and found.least is not None:
        name = f"Not in the edge of a nominal stake; at a stake of {_least(found)}"
        parts.append(_effects_table(name, found.small, found))
    parts += _still(still, found)
    parts += _presentation(found, whole=whole)
    parts.append(_kept_amounts(found))
    if found.stake is None:
        lines = [line for house in (old, new) for line in best_scopes(house)[0]]
        if lines:
            held = "* Figures are nominal. These do not hold for every stake that the house takes:"
            parts += [held, Items(lines)]
    return Report(title, parts, data=lambda: difference_json(found), flat=_flat(found))


def _plays_of(found: HousesDiffer) -> list[tuple[str, str]]:
    """Return the edges that some house has, by field, with the names of their columns."""
    priced = [found.before, found.after, *(e.after for e in (*found.effects, *found.small))]
    edges = [each.edges for each in priced if each is not None]
    star = "*" if found.stake is None else ""
    fields = [(name, _WORDS[name]) for name in PLAYS]
    if any(each.least_insured is not None for each in edges):
        fields.append(("least_insured", f"insured{star}"))
    if any(each.least_insured != each.greatest_insured for each in edges):
        fields.append(("default_insured", f"default, insured{star}"))
        fields.append(("greatest_insured", f"worst, insured{star}"))
    return fields


def _edges(edges: PlayEdges) -> dict[str, Fraction | None]:
    return asdict(edges)


def _stake(found: HousesDiffer) -> str:
    return "" if found.stake is None else f" of {found.stake} {found.old.money.currency}"


# --- One sentence, and both houses


def _verdict(found: HousesDiffer) -> str:
    """Return whether the new house is better or worse for the player, in one sentence."""
    before, after = _edges(found.before.edges), _edges(found.after.edges)
    name, base = found.new.name, found.old.name
    pairs = {"at best play": "least", "by default": "default", "insured": "least_insured"}
    known = {
        play: (old, new)
        for play, field in pairs.items()
        if (old := before[field]) is not None and (new := after[field]) is not None
    }
    if not known:
        return f"{name} and {base} do not both take such a stake: no figures to compare."
    signs = {(new > old) - (new < old) for old, new in known.values()} - {0}
    lost = before["least_insured"] is not None and "insured" not in known
    if not signs and not lost:
        return f"{name} costs the player the same as {base}{_but(found)}."
    worse = 1 in signs or (lost and not signs)
    word = "better or worse, by play," if len(signs) > 1 else "worse" if worse else "better"
    texts = [
        f"{play} the same"
        if old == new
        else f"{play} {percent(new, '.4')} instead of {percent(old, '.4')}"
        for play, (old, new) in known.items()
        if old != new or play != "insured"
    ]
    if lost:
        texts.append("not insured")
    return f"{name} is {word} for the player: {', '.join(texts)}."


def _but(found: HousesDiffer) -> str:
    """Return what still differs where best play, default and insured stakes cost the same.

    Nominal figures say nothing about each stake: the sentence says which ones are known.
    """
    if found.small and found.least is not None:
        return f" at a nominal stake, but not at {_least(found)}"
    if found.before.every != found.after.every:
        return " at best play and by default, but not on every wager"
    if not found.effects:
        return ""
    nominal = f"a nominal stake and at {_least(found)}"
    return f" at {nominal if found.stake is None else _stake(found).removeprefix(' of ')}"


def _least(found: HousesDiffer) -> str:
    """Return the least stake that is priced, in the currency."""
    return found.old.money.text(found.old.money.units(found.least)) if found.least else ""


def _summary(found: HousesDiffer) -> Grid:
    fields = _plays_of(found)
    before, after = _edges(found.before.edges), _edges(found.after.edges)
    rows: list[tuple[Cell, ...]] = [
        (found.old.name, *(before[field] for field, _name in fields)),
        (found.new.name, *(after[field] for field, _name in fields)),
        ("change", *(_change(before[field], after[field]) for field, _name in fields)),
    ]
    return Grid(
        f"Bank's edge on a simple chance, % of the stake{_stake(found)}",
        ("house", *(Column(name, EDGE, rank=_RANKS.get(field, 0)) for field, name in fields)),
        rows,
        "best, default, worst: what the player chooses at a refait; default: no choice is made.",
        sorts=False,  # the change is the last row
    )


def _change(old: Fraction | None, new: Fraction | None) -> Cell:
    """Return a change of an edge as a cell, marked: ``=`` only where nothing moves."""
    if old == new:
        return None if old is None else _SAME
    if old is None or new is None:
        return "new" if old is None else "none"
    move = new - old
    return Marked(_signed(float(move * 100)), "bad" if move > 0 else "good")


def _signed(move: float) -> str:
    """Return a change with its sign: with more digits where four would show none."""
    digits = next((n for n in range(4, _DIGITS) if float(f"{move:.{n}f}")), _DIGITS)
    return f"{move:+.{digits}f}"


# --- Each change


def _effects_table(title: str, effects: Sequence[Effect], found: HousesDiffer) -> Grid:
    fields = _plays_of(found)
    blank = (None,) * len(fields)
    rows: list[tuple[Cell, ...]] = []
    for effect in effects:
        first, *others = effect.changes
        figures = _figures(effect, [field for field, _name in fields])
        rows.append((first.key, _from_to(first), *figures))
        listed, more = others[:_MOST], len(others[_MOST:])
        rows += [(f"  with {other.key}", _from_to(other), *_empty(blank)) for other in listed]
        if more:
            rows.append((f"  and {more} more keys", "--format json", *_empty(blank)))
        needed = {change.key: change for each in effects for change in each.changes}
        rows += [
            (f"  acts with {key}", _from_to(needed[key]) if key in needed else "", *_empty(blank))
            for key in effect.needs
        ]
        rows += [(f"  {name}", text, *_empty(blank)) for name, text in _others(effect, found)]
    together = any(effect.needs for effect in effects)
    notes = (
        "acts with: the figures are those of all these keys together." if together else "",
        "" if _adds_up(effects, found) else "The figures do not add up: some keys act on others.",
    )
    return Grid(
        title,
        (
            "key",
            Column("change", cut=_LONGEST, rank=1),
            *(Column(name, EDGE, rank=_RANKS.get(field, 0)) for field, name in fields),
        ),
        rows,
        " ".join(filter(None, notes)),
        sorts=False,  # a key is followed by the keys that change with it
    )


def _adds_up(effects: Sequence[Effect], found: HousesDiffer) -> bool:
    """Return whether the changes of the plays sum to those between both houses, or are at least."""
    if effects is found.small:
        return True
    moves = [_moves(e.before, e.after) for e in effects if e.after is not None]
    whole = _moves(found.before, found.after)
    return all(
        None in (total, *(move[field] for move in moves))
        or total == sum(move[field] or 0 for move in moves)
        for field, total in whole.items()
    )


def _moves(before: Priced, after: Priced) -> dict[str, Fraction | None]:
    """Return the change of each play, None where one of them does not take the stake."""
    old, new = _edges(before.edges), _edges(after.edges)
    return {
        field: None if was is None or (now := new[field]) is None else now - was
        for field, was in old.items()
    }


def _empty(blank: Iterable[None]) -> Iterator[str]:
    return ("" for _each in blank)


def _from_to(change: Change) -> str:
    return f"{value_text(change.old)} -> {value_text(change.new)}"


def _figures(effect: Effect, fields: Iterable[str]) -> list[Cell]:
    before = _edges(effect.before.edges)
    after = _edges(effect.after.edges if effect.after else PlayEdges())
    return [_change(before[field], after[field]) for field in fields]


def _others(effect: Effect, found: HousesDiffer) -> Iterator[tuple[str, str]]:
    """Yield the wagers that a change moves though the edges of the plays do not show it."""
    if effect.after is None:
        return
    shown = {field for field, _name in _plays_of(found)}
    before, after = _edges(effect.before.edges), _edges(effect.after.edges)
    seen = any(before[field] != after[field] for field in shown)
    moved = moved_wagers(_ranges(effect.before), _ranges(effect.after))
    simple = {chance.id for house in (found.old, found.new) for chance in house.chances}
    simple &= {c.id for house in (found.old, found.new) for c in house.chances if c.simple}
    alike = {chance for each in moved if (chance := each.chance) in simple} == simple
    named = [each for each in moved if each.chance not in simple or not (seen and alike)]
    for each in named[:_MOST]:
        name = f"{each.chance}, insured" if each.insured else each.chance
        yield name, f"{_span(each.old)} -> {_span(each.new)}"
    if named[_MOST:]:
        yield f"{len(named) - _MOST} more wagers", ""
    if not moved:
        yield "between best and worst", "other choices"


def _ranges(priced: Priced) -> Ranges:
    every = priced.every.items()
    return ranges_of((chance, insured, edge) for (chance, insured, _policy), edge in every)


def _span(edges: Range | None) -> str:
    if edges is None:
        return "none"
    least, greatest = percent(edges.least, ".4"), percent(edges.greatest, ".4")
    return least if edges.least == edges.greatest else f"{least} to {greatest}"


def _still(effects: Sequence[Effect], found: HousesDiffer) -> Iterator[Part]:
    """Yield the keys that move no edge, and those that cannot be priced."""
    priced = [e for e in effects if e.after is not None]
    lost = [e for e in effects if e.after is None]
    which = "" if found.stake is not None else f", nominal or at a stake of {_least(found)}"
    titles = f"Keys that move no edge{which}", "Keys without a figure"
    for title, some in zip(titles, (priced, lost), strict=True):
        rows = [(c.key, value_text(c.old), value_text(c.new)) for e in some for c in e.changes]
        cut = [Column(house.name, cut=_LONGEST) for house in (found.old, found.new)]
        why = "" if some is priced else "Changed alone, they make no house that takes the stake."
        if rows:
            yield Grid(title, ("key", *cut), rows, why)


def _presentation(found: HousesDiffer, *, whole: bool) -> Iterator[Part]:
    changes = found.presentation
    if not changes:
        return
    if whole:
        yield Grid(
            "Keys of presentation",
            ("key", *(Column(house.name, cut=_LONGEST) for house in (found.old, found.new))),
            ((c.key, value_text(c.old), value_text(c.new)) for c in changes),
        )
    else:
        many = len(changes) > 1
        differ = "keys of presentation differ" if many else "key of presentation differs"
        yield Lines([f"{len(changes)} {differ}: --all"])


def _kept_amounts(found: HousesDiffer) -> Part:
    same = ", ".join(
        f"{path_text(path)} {amount}" for path, amount in same_amounts(found.old, found.new)
    )
    old, new = (house.money.currency for house in (found.old, found.new))
    other = same and old != new
    return Lines([f"the same number, but of {new}: {same}"] if other else [])


# --- As data


def difference_json(found: HousesDiffer) -> dict[str, Any]:
    """Return a difference as ``diff --format json`` prints it."""
    (_lines, old_holds), (_more, new_holds) = map(best_scopes, (found.old, found.new))
    changes = [entry for effect in found.effects for entry in _effect_json(effect)]
    small = {c.key: effect for effect in found.small for c in effect.changes}
    for entry in changes:
        effect = small.get(entry["key"])
        entry["at_least_stake"] = None if effect is None else _both_json(effect)
    nothing = _both_json(Effect((), before=found.before, after=found.before))
    changes += [
        {
            **_change_json(change),
            "alone": True,
            "with": [],
            **nothing,
            "wagers": [],
            "at_least_stake": None,
        }
        for change in found.presentation
    ]
    return {
        "old": {"name": found.old.name, "fingerprint": found.old.fingerprint},
        "new": {"name": found.new.name, "fingerprint": found.new.fingerprint},
        "major": any(change["kind"] == "fairness" for change in changes),
        "stake": None if found.stake is None else found.stake.written(),
        "least_stake": None if found.least is None else found.least.written(),
        "before": edges_json(found.before.edges),
        "after": edges_json(found.after.edges),
        "changes": changes,
        "holds": {
            name: dict(zip(("uninsured", "insured"), holds, strict=True))
            for name, holds in (("old", old_holds), ("new", new_holds))
        },
    }


def edges_json(edges: PlayEdges) -> dict[str, Any]:
    """Return the edges of the plays as JSON: each as a number, and exactly."""
    data: dict[str, Any] = {}
    for name, edge in _edges(edges).items():
        data[name] = None if edge is None else float(edge)
        data[f"{name}_exact"] = None if edge is None else exact_text(edge)
    return data


def _change_json(change: Change) -> dict[str, Any]:
    return asdict(change)


def _both_json(effect: Effect) -> dict[str, Any]:
    after = effect.after
    return {
        "before": edges_json(effect.before.edges),
        "after": None if after is None else edges_json(after.edges),
    }


def _effect_json(effect: Effect) -> Iterator[dict[str, Any]]:
    keys = tuple(change.key for change in effect.changes)
    after = effect.after or Priced(PlayEdges(), {})
    wagers = moved_wagers(_ranges(effect.before), _ranges(after)) if effect.after else ()
    for change in effect.changes:
        yield {
            **_change_json(change),
            "alone": effect.alone,
            "with": [*(key for key in keys if key != change.key), *effect.needs],
            **_both_json(effect),
            "wagers": [edge_json(edge) for edge in wagers],
        }


def _flat(found: HousesDiffer) -> Grid:
    """Return a line for each key, with what the plays cost before and after."""
    fields = [f"{name}{ending}" for ending in ("", "_insured") for name in PLAYS]
    rows = []
    for entry in difference_json(found)["changes"]:
        after = entry["after"] or dict.fromkeys(fields)
        figures = (entry["before"][name] for name in fields), (after[name] for name in fields)
        values = (value_text(entry[name]) for name in ("old", "new"))
        rows.append(
            (
                entry["key"],
                entry["kind"],
                *values,
                " ".join(entry["with"]),
                *figures[0],
                *figures[1],
            )
        )
    return Grid(
        "",
        (
            *("key", "kind", "old", "new", "with"),
            *(f"{name}_before" for name in fields),
            *(f"{name}_after" for name in fields),
        ),
        rows,
    )
