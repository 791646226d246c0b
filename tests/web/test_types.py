"""The modules of the page: their types are checked against those of the service's messages."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.web.tools import HERE, WEB, node_modules

WRONG = """
/** @import {ClientMessage} from "./trente.js" */
/** @type {ClientMessage} */
export const message = { kind: "reddy" };
"""


def compiled(project: Path) -> subprocess.CompletedProcess[str]:
    """Run the compiler of TypeScript over a project; nothing is written."""
    compiler = node_modules() / "typescript" / "bin" / "tsc"
    command = ("node", str(compiler), "--pretty", "false", "--project", str(project))
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=170)


@pytest.mark.slow
def test_the_modules_of_the_page_have_the_types_of_the_messages() -> None:
    """One page, no build step: its modules pass the strict check against the generated types."""
    assert list(WEB.rglob("*.js"))
    done = compiled(HERE / "tsconfig.json")
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_a_message_that_the_service_does_not_know_fails_the_check(tmp_path: Path) -> None:
    """The check can fail: the same settings, and a module that misspells a kind of message."""
    shutil.copy(WEB / "trente.d.ts", tmp_path)
    (tmp_path / "wrong.js").write_text(WRONG, "utf-8")
    settings = json.loads((HERE / "tsconfig.json").read_text("utf-8"))
    settings["include"] = [str(tmp_path / "*")]
    (tmp_path / "tsconfig.json").write_text(json.dumps(settings), "utf-8")
    done = compiled(tmp_path / "tsconfig.json")
    assert done.returncode != 0
    assert '"reddy"' in done.stdout


def test_the_page_takes_nothing_from_elsewhere_and_nothing_inline() -> None:
    """Works offline, and the CSP forbids inline code: no address, no script or style inline."""
    pages = list(WEB.rglob("*.html"))
    assert pages
    for page in pages:
        text = page.read_text("utf-8")
        assert not re.findall(r"<script(?![^>]*\bsrc=)[^>]*>", text), page
        assert not re.findall(r"<style\b|\sstyle=|\son[a-z]+=", text), page
    for each in WEB.rglob("*"):
        if each.suffix in {".html", ".js", ".css", ".webmanifest"}:
            text = each.read_text("utf-8").replace("http://www.w3.org/", "")
            assert not re.findall(r"https?://[^\s\"'`)]+", text), each


def test_the_lock_file_names_no_host() -> None:
    """Any registry serves it: exact versions with their digests, and no addresses."""
    listed = json.loads((HERE / "package.json").read_text("utf-8"))["devDependencies"]
    lock = json.loads((HERE / "package-lock.json").read_text("utf-8"))["packages"]
    assert {f"node_modules/{name}": lock[f"node_modules/{name}"]["version"] for name in listed} == {
        f"node_modules/{name}": version for name, version in listed.items()
    }
    assert not [name for name, each in lock.items() if "resolved" in each]
    assert all("integrity" in each for name, each in lock.items() if name)
