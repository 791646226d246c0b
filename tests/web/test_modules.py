"""The modules of the page that need no page, run by node."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.web.tools import HERE, WEB, missing


@pytest.mark.slow
def test_numbers_keys_the_pace_and_the_line(tmp_path: Path) -> None:
    """Amounts, digits that name values (U15), the pace of dealing, a line that comes back."""
    node = shutil.which("node")
    if node is None:
        missing("node is not installed", "TRENTE_NODE")
    shutil.copytree(WEB, tmp_path, dirs_exist_ok=True)
    shutil.copy(HERE / "modules.test.mjs", tmp_path)
    (tmp_path / "package.json").write_text('{"type": "module"}', "utf-8")
    command = (node or "node", "--test", "modules.test.mjs")
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "# pass 6" in done.stdout
