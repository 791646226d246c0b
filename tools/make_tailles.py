"""Compute the law of a whole taille for the shapes of the shipped houses, and store it.

Run ``nice -n 19 python tools/make_tailles.py [--level N] [--rotations N] [--check] [HOUSE ...]``;
it needs the extra fast. Without a house, all shipped ones. A file that has this level, these
rotations and all prisons of its houses is left as it is, so a run that was stopped continues. At
level 4, six packs take some forty seconds a rotation.

With ``--check`` nothing is written: what is stored is computed with other rotations and compared,
within the errors of both.
"""

# ruff: noqa: INP001, T201 - a script that says what it does

from __future__ import annotations

import argparse
import json
import sys
from fractions import Fraction
from pathlib import Path

from trente_rules import load_house
from trente_rules.core.house.house import House
from trente_rules.core.plugins.manager import default_manager
from trente_rules.odds import taille
from trente_rules.odds.advantage import advantage
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.odds.taille_hold import prison_gains, prison_key, prisons_of
from trente_rules.odds.taille_nodes import PrisonPath, TailleShape, taille_sums

FOLDER = Path(__file__).parent.parent / "src" / "trente_rules" / "odds" / "tailles"
DIGITS = 12
Wanted = dict[TailleShape, dict[str, PrisonPath]]


def wanted(names: list[str]) -> Wanted:
    """Return the shapes of houses, each with the prisons of all houses that have it."""
    found: Wanted = {}
    for name in names or sorted(default_manager().names("house")):
        house: House = load_house(name)
        shapes = () if house.shoe.every_coup else taille.shapes_of(house.shoe)
        if len(shapes) == 1:
            wagers = advantage(house, fresh_shoe(house.shoe.packs)).wagers
            prisons = {prison_key(prison): prison for prison in prisons_of(house, wagers)}
            found.setdefault(shapes[0][1], {}).update(prisons)
        if house.shoe.marker and house.shoe.marker_bounds[0] < house.shoe.marker_bounds[1]:
            low, high = house.shoe.marker_bounds
            for place in (low, (low + high) // 2, high):
                found.setdefault(taille.shapes_of(house.shoe, place)[0][1], {})
    return found


def made(shape: TailleShape, prisons: dict[str, PrisonPath], level: int, rotations: int) -> None:
    """Write the file of a shape, unless it is there as it would be written."""
    path = FOLDER / taille.file_name(shape)
    old = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    same = (old.get("level"), old.get("rotations")) == (level, rotations)
    runs = old.get("runs") if same else None
    gains = old.get("prisons", {})
    missing = {key: prison for key, prison in prisons.items() if key not in gains}
    if runs and not missing:
        return
    if not runs:
        computed = taille.computed(((Fraction(1), shape),), level, rotations)
        runs = [
            {
                "points": [round(number, DIGITS) for number in each.points],
                "law": [round(number, DIGITS) for number in each.law],
            }
            for each in (*computed.runs, computed.rough)
        ]
    if missing:
        told = prison_gains(((Fraction(1), shape),), tuple(missing.values()))
        gains |= {
            key: [float(f"{gain.value:.6g}"), float(f"{gain.error:.3g}")]
            for key, gain in zip(missing, told, strict=True)
        }
    text = {
        "cards": shape.cards,
        "fewest": shape.fewest,
        "most": shape.most,
        "level": level,
        "rotations": rotations,
        "seed": taille.SEED,
        "runs": runs,
        "prisons": dict(sorted(gains.items())),
    }
    written = json.dumps(text, separators=(",", ":")).replace("],", "],\n") + "\n"
    path.write_text(written, "utf-8")
    print(path.name, len(prisons), "prisons", flush=True)


def checked(shape: TailleShape, level: int) -> bool:
    """Return whether what is stored agrees with another rotation, within the errors."""
    found = taille.stored(shape)
    if found is None:
        print(taille.file_name(shape), "is not stored")
        return False
    sums = taille_sums(shape, level, taille.SEED + 1000)
    good = True
    for kept, number in zip(found[0].figures(lambda each: each.points), sums.points, strict=True):
        good &= abs(kept.value - number) <= 2 * kept.error + 1e-12
    print(taille.file_name(shape), "agrees" if good else "differs")
    return good


def main() -> int:
    """Make the files, or check them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("houses", nargs="*")
    parser.add_argument("--level", type=int, default=4)
    parser.add_argument("--rotations", type=int, default=2)
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    shapes = wanted(asked.houses)
    if asked.check:
        return 0 if min([checked(shape, asked.level) for shape in shapes]) else 1
    for shape, prisons in shapes.items():
        made(shape, prisons, asked.level, asked.rotations)
    return 0


if __name__ == "__main__":
    sys.exit(main())
