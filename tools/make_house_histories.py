"""Write docs/house-histories.md: the sources of every shipped house, and its history.

The sources and what is inferred are from the houses themselves, the rest is from
``tools/house_histories.toml``. Run ``python tools/make_house_histories.py``; with ``--check``
nothing is written, and the exit status is 1 where the stored page is not what is made.
"""

# ruff: noqa: INP001, E501 - the lines of a document

from __future__ import annotations

import sys
import textwrap
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from made_file import write_or_check

from trente_rules import load_house

ROOT: Final = Path(__file__).parent.parent
PAGE: Final = ROOT / "docs" / "house-histories.md"
TEXTS: Final = Path(__file__).parent / "house_histories.toml"
HEAD: Final = """# The houses and their history

Where every shipped house is from: what is particular to it, a short history, its sources, and the keys that no source
states. `trente show HOUSE` prints every value of one; what each costs is in [the bank's edge, house by house](edges.md),
and how a house is written in [houses](houses.md).

The houses differ in few rules: most have six packs, four chances and one tie that costs, 31 to 31. A key is
*inferred* where no source states its value; the file of the house has the other reading as a comment. Quotations are
from the sources of the house.

## What changed in two centuries

| rule | then | now |
| --- | --- | --- |
| packs | three at German baths, four where there were no six | six |
| chances | two, rouge and noir, in the books of the nineteenth century | four; couleur grew out of a first card that was looked at |
| ties that cost | every tie at German baths of the 1840s, none at Wilhelmsbad | 31 to 31 alone |
| a refait | half lost, or prison | the player chooses in France, Spain, Campione; half lost elsewhere |
| insurance | in none of the sources before 1909 | 1 %, from a stake that the house sets |
| the end of a shoe | "les cartes passent": dealt while there are enough cards | a marker before the last five cards (France, Spain), or five cards burned (Italy) |
| calls | running totals, rows in full | units alone, and the result of rouge and couleur |

Why cards are burned and a marker is put in: a player who remembers the cards knows the last ones. One source
(secretsdujeu.com) has it that a player won about 1924 with one bet a taille, on the last coup, and that the rules were
changed for that; several Italian sources give the same reason for their five burned cards.
"""


def wrapped(text: str) -> str:
    """Return a paragraph in lines of a document."""
    return textwrap.fill(text, 118, break_long_words=False, break_on_hyphens=False)


def section(texts: dict[str, Any]) -> Iterator[str]:
    """Return the paragraphs of a house."""
    house = load_house(texts["name"])
    info = house.info
    yield f"### {info.name}\n"
    yield f"*{info.title}.* {texts['where']}.\n"
    yield wrapped(texts["particular"]) + "\n"
    yield wrapped(texts["history"]) + "\n"
    yield "Sources:\n"
    yield "\n".join(f"- {source}" for source in info.sources) + "\n"
    keys = ", ".join(f"`{key}`" for key in info.inferred)
    count = f"{len(info.inferred)} key{'' if len(info.inferred) == 1 else 's'}"
    yield wrapped(f"Inferred, {count}: {keys}." if keys else "Nothing is inferred.") + "\n"


def page() -> str:
    """Return the whole page."""
    lines = [HEAD]
    for group in tomllib.loads(TEXTS.read_text("utf-8"))["groups"]:
        lines += [f"## {group['title']}\n", wrapped(group["about"]) + "\n"]
        for texts in group["houses"]:
            lines += section(texts)
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    sys.exit(write_or_check(__doc__, lambda: [(PAGE, page())]))
