"""Write examples/node_client/trente.ts, the types of the wire contract, as trente schema has them.

Run ``python tools/make_typescript.py``; with ``--check`` nothing is written, and the exit status is
1 where the stored file is not what is made.
"""

# ruff: noqa: INP001

from __future__ import annotations

import sys
from pathlib import Path

from made_file import write_or_check

from trente_rules.cli.schema import wire_types

FILE = Path(__file__).parent.parent / "examples" / "node_client" / "trente.ts"


if __name__ == "__main__":
    sys.exit(write_or_check(FILE, wire_types()))
