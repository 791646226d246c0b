"""Try small changes of the source and count which of them a test notices: mutation testing.

Run ``python -m tools.mutants --whole --sample 1500 --resume`` in the root of the project, or with
``--changed-since last --at-most 60`` for what has changed since the last kept result; ``--help``
lists the options. The machinery is in tests/mutation.
"""

# ruff: noqa: INP001

from __future__ import annotations

import sys
from pathlib import Path

sys.path.extend((str(Path(__file__).parent), str(Path(__file__).parent.parent)))

from tests.mutation.run import main

if __name__ == "__main__":
    sys.exit(main())
