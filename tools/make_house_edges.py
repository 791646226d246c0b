"""Write docs/edges.md, the bank's advantage in every shipped house, from the houses themselves.

Run ``python tools/make_house_edges.py``; with ``--check`` nothing is written, and the exit status
is 1 where the stored page is not what is made.
"""

# ruff: noqa: INP001

from __future__ import annotations

import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from made_file import write_or_check

from trente_rules import load_house
from trente_rules.core.plugins.manager import default_manager
from trente_rules.odds.advantage import WagerAdvantage, advantage
from trente_rules.odds.coup_odds import odds_of
from trente_rules.reports.nominal import Scope, scope_text, scopes

PAGE = Path(__file__).parent.parent / "docs" / "edges.md"
# ruff: noqa: E501
HEAD = """# The bank's advantage, house by house

On a stake on rouge, in per cent of the stake, for a coup that is sure to be completed of a full shoe of the
house; later coups, on which a stake in prison waits, count as independent copies of the first. *Default* is
the play of who says nothing, *best* the least edge of all choices, *insured* the edge of an insured stake at
its best. Figures are nominal; where that is not every stake that the house takes, the second table has the
stakes that a figure holds for, and the edge at the least stake. The page is made by
`python tools/make_house_edges.py` from the code that computes `trente compare`.

| house | packs | default | best | insured |
| --- | --- | --- | --- | --- |
"""
HOLDS = """
## The stakes that a figure holds for

| house | figure | holds |
| --- | --- | --- |
"""


def percent(edge: Fraction | None) -> str:
    """Return an edge in per cent to five decimals, or a dash."""
    return "-" if edge is None else f"{float(edge) * 100:.5f}"


def rows(name: str) -> tuple[str, Iterator[str]]:
    """Return the row of a house, and a row for each figure that does not hold for every stake."""
    house = load_house(name)
    odds = odds_of("own", house.shoe.packs)
    wagers = advantage(house, odds, chances=["rouge"]).wagers
    plain = [wager for wager in wagers if not wager.insured]
    insured = [wager for wager in wagers if wager.insured]
    best = min(plain, key=lambda wager: wager.edge)
    covered = min(insured, key=lambda wager: wager.edge, default=None)
    figures = (plain[0].edge, best.edge, covered.edge if covered else None)
    row = f"| `{name}` | {house.shoe.packs} | {' | '.join(map(percent, figures))} |"
    said: dict[str, WagerAdvantage] = {"default": plain[0], "best": best}
    if covered:
        said["insured"] = covered
    held: dict[str, Scope | None] = dict(zip(said, scopes(house, odds, said.values()), strict=True))
    return row, (
        f"| `{name}` | {kind} | {scope_text(scope, house.money)} |"
        for kind, scope in held.items()
        if scope is not None
    )


def page() -> str:
    """Return the whole page."""
    found = [rows(name) for name in sorted(default_manager().names("house"))]
    lines = "".join(f"{row}\n" for row, _held in found)
    holds = "".join(f"{line}\n" for _row, held in found for line in held)
    return f"{HEAD}{lines}{HOLDS}{holds}"


if __name__ == "__main__":
    sys.exit(write_or_check(PAGE, page()))
