"""Write the files of TypeScript that are made of the schemas of the contract.

The types of the wire contract for ``examples/node_client``, as ``trente schema`` has them, those of
the service for ``examples/service_client``, and the declarations of its pages. Run ``python
tools/make_typescript.py``; with ``--check`` nothing is written, and the exit status is 1 where a
stored file is not what is made.
"""

# ruff: noqa: INP001

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from made_file import write_or_check

from trente_rules.cli.schema import wire_types
from trente_rules.service.contract_schemas import page_types

ROOT = Path(__file__).parent.parent
FILES = {
    "examples/node_client/trente.ts": wire_types,
    "examples/service_client/trente.ts": lambda: wire_types("service"),
    "src/trente_rules/service/web/trente.d.ts": page_types,
}


def files() -> Iterator[tuple[Path, str]]:
    """Yield each text with its file."""
    yield from ((ROOT / name, made()) for name, made in FILES.items())


if __name__ == "__main__":
    sys.exit(write_or_check(__doc__, files))
