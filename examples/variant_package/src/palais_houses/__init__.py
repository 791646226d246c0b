"""Two made-up houses, one folder each: all that is here is TOML."""

from trente_rules import hookimpl
from trente_rules.core import houses_in


@hookimpl
def trente_houses():
    """Bring every house of this package."""
    return houses_in(__name__)
