"""Write examples/node_client/trente.ts, the types of the wire contract, as trente schema has them.

Run ``python tools/make_typescript.py``; with ``--check`` nothing is written, and the exit status is
1 where the stored file is not what is made.
"""

# ruff: noqa: INP001, T201

from __future__ import annotations

import sys
from pathlib import Path

from trente_rules.cli.schema import wire_types

FILE = Path(__file__).parent.parent / "examples" / "node_client" / "trente.ts"


def main() -> int:
    """Write the file, or compare it."""
    text = wire_types()
    if "--check" in sys.argv[1:]:
        same = FILE.read_text("utf-8") == text
        word = "as it is made" if same else "not what is made: run this without --check"
        print(f"{FILE.name} is {word}")
        return 0 if same else 1
    FILE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
