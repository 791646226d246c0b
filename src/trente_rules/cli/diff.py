"""``trente diff``: two houses, key by key."""

from __future__ import annotations

import click

from trente_rules.analysis.effect import Effect, best_edges, effects
from trente_rules.cli.output import Table, percent, print_json, print_table, short_text
from trente_rules.house.toml import load_house
from trente_rules.plugins.manager import default_manager


@click.command()
@click.argument("old")
@click.argument("new")
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table")
def command(old: str, new: str, form: str) -> None:
    """Show each key in which two houses differ: OLD and NEW, a name or a file each.

    A key is one of fairness (it changes what is dealt, accepted or paid) or of presentation. What
    a key does to the advantage is told with that key alone changed in OLD: the bank's least
    advantage on the simple chances, each house on its own packs.
    """
    houses = load_house(old), load_house(new)
    found = effects(*houses, default_manager())
    edges = best_edges(houses[0]), best_edges(houses[1])
    if form == "json":
        print_json(
            {
                "old": {"name": houses[0].name, "fingerprint": houses[0].fingerprint},
                "new": {"name": houses[1].name, "fingerprint": houses[1].fingerprint},
                "major": any(effect.change.kind == "fairness" for effect in found),
                "changes": [_json(effect) for effect in found],
            }
        )
        return
    rows = tuple(
        (
            effect.change.key,
            short_text(effect.change.old),
            short_text(effect.change.new),
            effect.change.kind,
            _words(effect),
        )
        for effect in found
    )
    print_table(
        Table(
            f"{houses[0].name} -> {houses[1].name}",
            ("key", "old", "new", "kind", "advantage"),
            rows,
        )
    )
    names = ("least advantage", "insured")
    for name, before, after in zip(names, *edges, strict=True):
        click.echo(f"{name}: {percent(before)} -> {percent(after)}")


def _words(effect: Effect) -> str:
    if effect.change.kind == "presentation":
        return ""
    if not effect.alone:
        return "only with other keys"
    if not effect.moves:
        return "unchanged"
    pairs = zip(("", "insured "), effect.before, effect.after, strict=True)
    return "; ".join(
        f"{name}{percent(before)} -> {percent(after)}"
        for name, before, after in pairs
        if before != after
    )


def _json(effect: Effect) -> dict[str, object]:
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
    }
