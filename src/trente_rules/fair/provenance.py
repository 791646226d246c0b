"""Where the order of a shoe came from: a small value that a record keeps in its header."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, get_args

from attrs import frozen

from trente_rules.core.errors import TrenteError

SourceName = Literal["system", "seeded", "fair", "given"]
"""``given``: the cards were handed in, as those of a live table are."""
_SOURCES: Final = get_args(SourceName)


@frozen
class Provenance:
    """Where draws come from. It holds no secret: neither a server seed nor a seed.

    ``method`` names the specification and its version (docs/entropy.md), ``commitment`` is the
    SHA-256 that was published for the seed, as 64 hexadecimal digits, ``nonce`` the number of the
    shoe (or of the stream), ``client_seeds`` what players gave, ``position`` how many bytes of the
    stream were taken before. What a source does not have is left out.

    >>> Provenance("system", "trente-system-1").to_json()
    {'source': 'system', 'method': 'trente-system-1'}
    """

    source: SourceName
    method: str = ""
    commitment: str = ""
    nonce: int | None = None
    client_seeds: tuple[str, ...] = ()
    position: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the fields that say something, as JSON and TOML write them."""
        fields = {
            "source": self.source,
            "method": self.method,
            "commitment": self.commitment,
            "nonce": self.nonce,
            "client_seeds": list(self.client_seeds),
            "position": self.position or None,
        }
        return {name: value for name, value in fields.items() if value not in (None, "", [])}

    @classmethod
    def of_json(cls, table: Mapping[str, Any]) -> Provenance:
        """Read what ``to_json`` wrote; ``TrenteError`` ("bad-provenance") names what is wrong."""
        for name, value in table.items():
            kind = _KINDS.get(name)
            if kind is None:
                raise _bad(f"has an unknown key {name!r}", f"keys are {', '.join(_KINDS)}")
            if type(value) is not kind:
                raise _bad(f"has {name} = {value!r}", f"{name} is {_KIND_NAMES[kind]}")
        if table.get("source") not in _SOURCES:
            raise _bad(f"has source {table.get('source')!r}", f"sources are {', '.join(_SOURCES)}")
        seeds = table.get("client_seeds", [])
        if not all(isinstance(seed, str) for seed in seeds):
            raise _bad(f"has client_seeds = {seeds!r}", "client seeds are texts")
        if min(table.get("nonce", 0), table.get("position", 0)) < 0:
            raise _bad("has a number below 0", "nonce and position count from 0")
        return cls(**{**table, "client_seeds": tuple(seeds)})


_KINDS: Final[dict[str, type]] = {
    "source": str,
    "method": str,
    "commitment": str,
    "nonce": int,
    "client_seeds": list,
    "position": int,
}
_KIND_NAMES: Final = {str: "a text", int: "a whole number", list: "a list of texts"}


def _bad(what: str, hint: str) -> TrenteError:
    return TrenteError(f"the provenance of a shoe {what}", "bad-provenance", hint)
