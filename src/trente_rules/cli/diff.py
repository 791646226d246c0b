"""``trente diff``: two houses, key by key, and what each changed key does to the bank's edge."""

from __future__ import annotations

import click

from trente_rules.cli.output import Output, report_options
from trente_rules.core.converter import path_text
from trente_rules.core.house.checks import same_amounts
from trente_rules.core.house.loading import load_house
from trente_rules.core.plugins.manager import default_manager
from trente_rules.reports.comparison import (
    Effect,
    Range,
    best_edges,
    best_scopes,
    edge_json,
    effects,
    grouped,
    value_text,
)
from trente_rules.reports.comparison_layout import LONGEST_CELL
from trente_rules.reports.document import Column, Grid, Items, Lines, Report, percent


@click.command()
@click.argument("old")
@click.argument("new")
@report_options()
def diff_command(old: str, new: str, output: Output) -> None:
    """Show each key in which two houses differ: OLD and NEW, a name or a file each.

    A key is one of fairness (it changes what is dealt, accepted or paid) or of presentation. What
    a key does to the advantage is shown with that key alone changed in OLD: the bank's least
    advantage on the simple chances, each house on its own packs, or where that is as it was the
    wagers that it moves.
    """
    houses = load_house(old), load_house(new)
    found = effects(*houses, default_manager())
    edges = best_edges(houses[0]), best_edges(houses[1])
    title = f"{houses[0].name} -> {houses[1].name}"
    changes = Grid(
        title,
        (
            "key",
            *(Column(name, cut=LONGEST_CELL) for name in ("old", "new")),
            *("kind", "advantage"),
        ),
        (
            (
                effect.change.key,
                value_text(effect.change.old),
                value_text(effect.change.new),
                effect.change.kind,
                _words(effect),
            )
            for effect in found
        ),
    )
    names = ("least advantage", "insured")
    same = ", ".join(f"{path_text(path)} {amount}" for path, amount in same_amounts(*houses))
    old_money, new_money = (house.money.currency for house in houses)
    other = same and old_money != new_money
    kept = Lines([f"the same number, but of {new_money}: {same}"] if other else [])
    least = Lines(
        f"{name}: {percent(before)} -> {percent(after)}"
        for name, before, after in zip(names, *edges, strict=True)
    )
    (old_lines, old_holds), (new_lines, new_holds) = map(best_scopes, houses)
    nominal = Items((*old_lines, *new_lines))
    data = {
        "old": {"name": houses[0].name, "fingerprint": houses[0].fingerprint},
        "new": {"name": houses[1].name, "fingerprint": houses[1].fingerprint},
        "major": any(effect.change.kind == "fairness" for effect in found),
        "changes": [_diff_json(effect) for effect in found],
        "holds": {
            name: dict(zip(("uninsured", "insured"), holds, strict=True))
            for name, holds in (("old", old_holds), ("new", new_holds))
        },
    }
    output.show(Report(title, (changes, kept, least, nominal), data=lambda: data))


def _words(effect: Effect) -> str:
    if effect.change.kind == "presentation":
        return ""
    if not effect.alone:
        return "only with other keys"
    if not effect.moved:
        return "unchanged"
    pairs = zip(("", "insured "), effect.before, effect.after, strict=True)
    least = [
        f"{name}{percent(before)} -> {percent(after)}"
        for name, before, after in pairs
        if before != after
    ]
    alike = grouped(
        ((each.old, each.new), f"{each.chance} insured" if each.insured else each.chance)
        for each in effect.moved
    )
    return "; ".join(least or (_moved(names, old, new) for (old, new), names in alike.items()))


def _moved(wagers: list[str], old: Range | None, new: Range | None) -> str:
    """Return the advantage on some wagers: the greatest, where the least is as it was."""
    names = ", ".join(wagers)
    if old and new and old.least == new.least:
        return f"{names} up to {percent(old.greatest)} -> {percent(new.greatest)}"
    before, after = (percent(each.least if each else None) for each in (old, new))
    return f"{names} {before} -> {after}"


def _diff_json(effect: Effect) -> dict[str, object]:
    names = ("least", "least_insured")

    def numbers(edges: tuple[object, ...]) -> dict[str, float | None]:
        return {
            name: None if edge is None else float(edge)  # type: ignore[arg-type]
            for name, edge in zip(names, edges, strict=True)
        }

    return {
        "key": effect.change.key,
        "old": effect.change.old,
        "new": effect.change.new,
        "kind": effect.change.kind,
        "alone": effect.alone,
        "before": numbers(effect.before),
        "after": numbers(effect.after) if effect.alone else None,
        "wagers": [edge_json(edge) for edge in effect.moved],
    }
