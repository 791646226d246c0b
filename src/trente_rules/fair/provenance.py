"""Where the order of a shoe came from: a small value that a record keeps in its header."""

from __future__ import annotations

import json
from typing import Annotated, Any, Final, Literal

from attrs import fields, frozen

from trente_rules.core.converter import read, whole
from trente_rules.core.errors import TrenteError, shown

FAIR_1: Final = "trente-fair-1"
"""The scheme of releases up to 0.4.0: it leaves cut and marker open, and is read for ever."""
FAIR_2: Final = "trente-fair-2"
"""The scheme of today: docs/entropy.md."""
SourceName = Literal["system", "seeded", "fair", "given"]
"""``given``: somebody entered the cards, such as those of a live table."""
_Count = Annotated[int, whole(0)]


@frozen
class Provenance:
    """Where draws come from. It holds no secret: neither a server seed nor a seed.

    ``method`` names the specification and its version (docs/entropy.md), ``commitment`` is the
    SHA-256 that was published for the seed, in 64 hexadecimal digits, ``nonce`` the number of the
    shoe (or of the stream), ``client_seeds`` what players gave, ``position`` how many bytes of the
    stream were taken before. ``plan`` is what the commitment binds of a fair shoe, ``beacon`` and
    ``beacon_value`` the beacon that was named and its value, ``seeds`` the SHA-256 of the list of
    client seeds. JSON leaves out what a source does not have. A fair shoe has a plan where its
    method is ``trente-fair-2``, and no other: ``TrenteError`` ("bad-provenance").

    >>> Provenance("system", "trente-system-1").to_json()
    {'source': 'system', 'method': 'trente-system-1'}
    """

    source: SourceName
    method: str = ""
    commitment: str = ""
    nonce: _Count | None = None
    client_seeds: tuple[str, ...] = ()
    position: _Count = 0
    plan: str = ""
    beacon: str = ""
    beacon_value: str = ""
    seeds: str = ""

    def __attrs_post_init__(self) -> None:
        """Refuse a fair shoe whose plan would be passed over, or is not there."""
        if self.source == "fair" and (self.method == FAIR_2) != bool(self.plan):
            hint = f"{FAIR_2} has a plan, and no other scheme has one"
            what = (
                f"a fair shoe of {shown(self.method)} {'with' if self.plan else 'without'} a plan"
            )
            raise TrenteError(what, "bad-provenance", hint)

    def to_json(self) -> dict[str, Any]:
        """Return the fields other than defaults, as JSON and TOML write them."""
        return {
            known.name: list(value) if isinstance(value, tuple) else value
            for known in fields(Provenance)
            if (value := getattr(self, known.name)) != known.default
        }

    @classmethod
    def of_json(cls, value: object) -> Provenance:
        """Read what ``to_json`` wrote; ``TrenteError`` ("bad-provenance") names what is wrong."""
        return read(value, cls, "the provenance of a shoe", "bad-provenance")

    @classmethod
    def of_text(cls, text: str) -> Provenance | None:
        """Return the provenance from its JSON text, None where the text is anything else.

        Spaces and the order of the keys do not matter: a store of JSON may have changed them.
        """
        if not text.startswith("{"):
            return None
        try:
            return cls.of_json(json.loads(text))
        except (TrenteError, ValueError, RecursionError, TypeError):
            return None
