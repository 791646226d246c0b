"""``--format`` and ``--out``: the same of every command that prints a report."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter, sleep

import click
import pytest
from tests.cli.calling import Terminal, trente

from trente_rules.cli.output import Output, bar, report_options
from trente_rules.cli.waiting import compiling_told
from trente_rules.core.compiled import LOGGER
from trente_rules.odds import fast
from trente_rules.simulation import compiled


def test_a_report_goes_to_a_file_in_the_format_of_its_ending(tmp_path: Path) -> None:
    """Without ``--format`` the ending of ``--out`` chooses the format."""
    file = tmp_path / "houses.json"
    done = trente("houses", "--out", file)
    assert (done.status, done.out) == (0, "")
    assert done.err.endswith("houses.json written\n")
    assert "france-2007" in {each["name"] for each in json.loads(file.read_text("utf-8"))["houses"]}


def test_a_file_is_utf8_and_replaced_whole(tmp_path: Path) -> None:
    """A file that was there is replaced, and what is written is UTF-8."""
    file = tmp_path / "show.toml"
    file.write_text("x" * 100_000, "utf-8")
    done = trente("show", "spain-1979", "--format", "toml", "--out", str(file))
    assert done.status == 0
    assert trente("check", str(file)).status == 0


def test_where_a_report_goes_is_not_in_it(tmp_path: Path) -> None:
    """The stamp of a page is the same wherever the page is put."""
    pages = [tmp_path / name for name in ("one.html", "two.html")]
    for page in pages:
        assert trente("compare", "campione", "--out", str(page)).status == 0
    assert pages[0].read_text("utf-8") == pages[1].read_text("utf-8")


def test_a_report_never_replaces_what_its_command_reads(tmp_path: Path) -> None:
    """Also by another path, and among several files."""
    house = tmp_path / "my.toml"
    house.write_text('[house]\nname = "my"\nextends = "campione"\n', "utf-8")
    before = house.read_bytes()
    same = tmp_path / "x" / ".." / "my.toml"
    (tmp_path / "x").mkdir()
    for words in (
        ("show", house, "--format", "toml", "--out", house),
        ("show", house, "--format", "toml", "--out", same),
        ("check", house, "--format", "json", "--out", house),
        ("diff", "campione", house, "--format", "json", "--out", same),
        ("odds", "--house", house, "--format", "json", "--out", house),
    ):
        ran = trente(*words)
        assert (ran.status, ran.out) == (2, ""), words
        assert "the command reads this file (name another)" in ran.err
        assert house.read_bytes() == before


def test_an_ending_that_no_format_has_is_a_wrong_call(tmp_path: Path) -> None:
    """A PDF that is plain text would be found out late."""
    ran = trente("houses", "--out", tmp_path / "houses.pdf")
    assert ran.status == 2
    assert "no format has the ending '.pdf' (endings are .txt, " in ran.err
    assert not (tmp_path / "houses.pdf").exists()
    assert trente("houses", "--format", "csv", "--out", tmp_path / "houses.pdf").status == 0


def test_a_dash_is_the_standard_output() -> None:
    """As everywhere in a shell."""
    assert trente("houses", "--out", "-").out == trente("houses").out


def test_a_long_report_on_a_terminal_is_shown_by_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """U45: plain text longer than the screen; not with ``PAGER=cat``, nor where nobody sits."""
    shown: list[str] = []
    monkeypatch.setattr("click.echo_via_pager", lambda text, **_options: shown.append(text))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    monkeypatch.setattr("sys.stdin", Terminal())
    assert trente("show", "campione", out=Terminal()).out == ""
    assert len(shown.pop().splitlines()) > 24
    for words in (("fingerprint", "campione"), ("show", "campione", "--format", "json")):
        assert trente(*words, out=Terminal()).out
    monkeypatch.setenv("PAGER", "cat")
    assert trente("show", "campione", out=Terminal()).out
    monkeypatch.delenv("PAGER")
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert trente("show", "campione", out=Terminal()).out
    assert shown == []


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (("compare", "campione", "--plot", "x.svg"), "report"),
        (("play",), "play"),
        (("serve",), "service"),
        (
            ("token", "--role", "player", "--name", "a", "--table", "b", "--key-file", "k"),
            "service",
        ),
        (("journal", "keygen", "k"), "seal"),
    ],
)
def test_a_missing_extra_is_one_sentence(
    words: tuple[str, ...], extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U43: the extra as it is installed, and exit status 2, in every command."""
    monkeypatch.chdir(tmp_path)
    for name in ("matplotlib", "textual", "starlette", "cryptography"):
        monkeypatch.setitem(sys.modules, name, None)
        for loaded in [each for each in sys.modules if each.startswith(f"{name}.")]:
            monkeypatch.delitem(sys.modules, loaded)
    fast._kernel.cache_clear()  # other tests have loaded them
    compiled._loaded.cache_clear()
    usual = find_spec

    def spec(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name in ("textual", "starlette") else usual(name, package)

    monkeypatch.setattr("importlib.util.find_spec", spec)
    ran = trente(*words)
    assert (ran.status, ran.out) == (2, ""), ran
    assert f'pip install "trente-rules[{extra}]"' in ran.err
    assert "Usage" not in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("words", [("odds", "--engine", "fast"), ("count", "--shoes", "1")])
def test_without_numba_the_extra_is_named(words: tuple[str, ...]) -> None:
    """U43: in a process that has compiled nothing before."""
    barred = "import sys; sys.modules['numba'] = None; from trente_rules.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", barred, *words], capture_output=True, check=False, text=True
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert 'pip install "trente-rules[fast]"' in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_sign_of_life_is_shown_after_a_second_and_is_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """U24: on a terminal, before anything is printed."""
    screen = Terminal()
    monkeypatch.setattr("trente_rules.cli.waiting._SECONDS", 0.01)
    monkeypatch.setattr("sys.stderr", screen)

    @click.command()
    @report_options()
    def slow(output: Output) -> None:
        deadline = perf_counter() + 5
        while "working" not in screen.getvalue():
            assert perf_counter() < deadline
            sleep(0.01)
        output.write("done\n")
        assert "working" not in screen.getvalue().rpartition("\x1b[2K")[2]

    slow.main([], standalone_mode=False)
    assert "working ..." in screen.getvalue()


def test_compiling_is_said_above_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """U24: on a line of its own; the bar's line is taken away before, and drawn again below."""
    written = io.BytesIO()
    screen = io.TextIOWrapper(written, "utf-8", write_through=True)  # it has bytes below it
    monkeypatch.setattr(screen, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    with compiling_told(), bar("shoes"):
        LOGGER.info("compiling, %s, about %d s ...", "first run only", 12)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", written.getvalue().decode())
    lines = [line.rpartition("\r")[2].strip() for line in plain.split("\n")]
    assert "compiling, first run only, about 12 s ..." in lines


def test_compiling_is_said_while_a_command_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """U24: the library says it to its logger, the command line to the standard error."""
    with compiling_told():
        LOGGER.info("compiling, %s, about %d s ...", "first run only", 12)
    LOGGER.info("nobody listens")
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "compiling, first run only, about 12 s ...\n")
