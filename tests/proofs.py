"""The results of proofs, for commands that are run as ``python -m tests.folder.module``.

pytest puts the folder of tools on the path (pyproject.toml); a command has only the checkout there.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tools"))

from results import (
    FOLDER,
    KEEP_HELP,
    Result,
    State,
    code_digest,
    commit,
    keep,
    kept_results,
    state_of,
)

__all__ = [
    "FOLDER",
    "KEEP_HELP",
    "Result",
    "State",
    "code_digest",
    "commit",
    "keep",
    "kept_results",
    "state_of",
]
