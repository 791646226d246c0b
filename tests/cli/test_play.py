"""``trente play``: what is refused before a table opens, and a terminal that is closed."""

from __future__ import annotations

import fcntl
import importlib.util
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import click
import pytest
from tests.cli.calling import HANGS, TRENTE, trente
from tests.play.seated import go_on
from tests.whole_units import units

from trente_rules import load_house
from trente_rules.cli.play import opening_of
from trente_rules.core.money import Amount
from trente_rules.play.saving import SaveFile, session_text
from trente_rules.play.session import PlaySession

pytestmark = pytest.mark.slow

TERMINAL = {**os.environ, "TERM": "xterm-256color"}


class Seat:
    """``trente play`` in a process of its own, on a terminal of 80 x 24."""

    def __init__(self, *options: str | Path) -> None:
        """Sit down."""
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.process = subprocess.Popen(
            [*TRENTE, "play", *map(str, options)],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=TERMINAL,
            preexec_fn=_own_terminal,  # noqa: PLW1509 - no threads here
        )
        os.close(slave)

    def until(self, wanted: str) -> str:
        """Read until a text is drawn, or the terminal ends; answer what was read."""
        out, end = "", time.monotonic() + HANGS
        while wanted not in out and time.monotonic() < end:
            if select.select([self.master], [], [], 0.1)[0]:
                try:
                    out += os.read(self.master, 1 << 16).decode("utf-8", "replace")
                except OSError:
                    break
        assert wanted in out
        return out

    def press(self, key: str, wanted: str) -> str:
        """Press a key and wait until a text is drawn."""
        os.write(self.master, key.encode())
        return self.until(wanted)


def _own_terminal() -> None:
    """Make the terminal that of the process, as a shell does."""
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def saved(file: Path) -> PlaySession:
    """Return the session in a file."""
    with SaveFile(file) as save:
        session = save.read()
    assert session
    return session


def played(file: Path) -> tuple[Seat, PlaySession]:
    """Sit down by a seed, play two coups, stake for a third; answer the seat and what is kept."""
    seat = Seat("monte-carlo-1911", "--seed", "5e", "--save", file)
    seat.until("NEXT: SHUFFLE AND CUT")
    seat.press("d", "Cut the cards")
    seat.press("\r", "NEXT: DEAL THE COUP")
    for coup in (2, 3):
        seat.press("r", "purse")
        seat.press("d", f"coup {coup}")
    seat.press("n", "purse")
    session = SaveFile(file).read()  # the seat holds the file
    assert session
    return seat, session


@pytest.mark.parametrize("how", ["hang-up", "terminate", "ctrl-c", "kill"])
def test_a_session_survives_however_it_ends(tmp_path: Path, how: str) -> None:
    """A closed terminal, a signal, Ctrl-C: all is kept; killed: all but the bets after the coup."""
    file = tmp_path / "session.json"
    seat, during = played(file)
    assert during.state.coup_number == 3
    if how == "hang-up":
        os.close(seat.master)
    elif how == "terminate":
        seat.process.send_signal(signal.SIGTERM)
    elif how == "kill":
        seat.process.kill()
    else:
        assert f"saved in {file}" in seat.press("\x03", "the same command resumes it")
    if how == "terminate":
        seat.until("the same command resumes it")
    status = seat.process.wait(HANGS)
    assert status == (-signal.SIGKILL if how == "kill" else 0)
    left = saved(file)
    assert left.state.coup_number == 3
    stakes = [(stake.chance, stake.amount) for stake in left.state.stakes if stake.free]
    assert ("noir", units(left.house, 20)) in stakes or how == "kill"
    go_on(left)
    left.deal()
    assert session_text(left) != session_text(during)


def test_a_session_goes_on_where_it_was_left(tmp_path: Path) -> None:
    """The very same command opens the table as it stood; another house is refused."""
    file = tmp_path / "session.json"
    seat, _during = played(file)
    seat.press("q", "the same command resumes it")
    seat.process.wait(HANGS)
    again = Seat("monte-carlo-1911", "--seed", "5e", "--save", file)
    again.until("the table is as you left it")
    again.until("coup 3")
    again.press("q", "the same command resumes it")
    again.process.wait(HANGS)
    other = Seat("france-2007", "--save", file)
    assert "holds a session of monte-carlo-1911" in other.until("another file")
    assert other.process.wait(HANGS) == 2


def test_what_is_posted_at_the_table_is_written_as_an_amount() -> None:
    """T8: minimum and maximum in the currency; what is not given is that of the lowest table."""
    house = load_house("italy-half-loss")
    assert opening_of(house, None) == house.lowest_opening()
    assert opening_of(house, Amount.parse(12), Amount.parse(600)) == house.opening(12, 600)
    assert opening_of(house, Amount.parse(20)) == house.opening(20, 20_000)
    with pytest.raises(click.UsageError, match="5 FRF is below the minimum of 20 FRF"):
        opening_of(load_house("monte-carlo-1911"), None, Amount.parse(5))


def test_without_a_terminal_it_says_so() -> None:
    """A pipe is no table."""
    ran = trente("play")
    assert ran.status == 2
    assert "play needs a terminal" in ran.err


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--serve",), "--serve was removed: the web table comes with `trente serve`"),
        (("--seed", "xyz"), "not a seed: use a whole number, or bytes"),
        (("--seed", "0x123"), "not a seed: use a whole number, or bytes"),
        (("--bankroll", "much"), "'--bankroll': 'much' is not an amount (examples: 1000, 0.50"),
        (("monte-carlo-1911", "--bankroll", "19"), "does not reach the minimum of 20 FRF"),
        (("monte-carlo-1911", "--minimum", "5"), "--minimum does nothing: monte-carlo-1911"),
        (("venezia-online", "--minimum", "3"), "3"),
        (("italy-half-loss", "--maximum", "ten"), "'--maximum': 'ten' is not an amount"),
        (("monte-carlo-1911", "--maximum", "10"), "10 FRF is below the minimum of 20 FRF"),
        (
            ("france-2007", "--minimum", "50", "--maximum", "20"),
            "20 EUR is below the minimum of 50 EUR",
        ),
        (("--language", "xx"), "--language"),
        (("nowhere",), "nowhere"),
    ],
)
def test_what_cannot_be_is_refused_before_the_table_opens(
    options: tuple[str, ...], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each in a sentence, with exit status 2, or 1 for a house there is not."""

    class Stdin:
        """A standard input that says it is a terminal."""

        def isatty(self) -> bool:
            """Return yes."""
            return True

    monkeypatch.setattr("sys.stdin", Stdin())
    ran = trente("play", *options)
    assert ran.status in (1, 2)
    assert told in ran.err
    assert "Traceback" not in ran.err


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence, exit status 2."""
    found = importlib.util.find_spec

    def find(name: str) -> object:
        return None if name == "textual" else found(name)

    monkeypatch.setattr(importlib.util, "find_spec", find)
    ran = trente("play")
    assert ran.status == 2
    assert 'pip install "trente-rules[play]"' in ran.err


def test_the_score_card_needs_no_textual() -> None:
    """Cards are drawn without importing it, as text and as SVG."""
    code = (
        "import sys; from trente_rules.records import scorecard, scorecard_drawing, tailles; "
        "import trente_rules.cli.records; sys.exit('textual' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_browser_table_is_gone_and_its_option_says_where_the_web_table_is() -> None:
    """Any web page could sit down at ``--serve``: misuse, before any other option is looked at."""
    ran = trente("play", "nowhere", "--serve")
    assert ran.status == 2
    assert "the web table comes with `trente serve`" in ran.err
    assert "--serve" not in trente("play", "--help").out


def test_a_browser_is_given_what_was_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Issue 11: house, limits, bankroll, seed, language and folder are passed on; no terminal."""
    from trente_rules.cli import serve  # noqa: PLC0415 - replaced here

    asked: list[tuple[object, ...]] = []

    def browse(house: object, opening: object, bankroll: str, **more: str) -> None:
        asked.append((getattr(house, "name", None), opening, bankroll, more))

    monkeypatch.setattr(serve, "play_in_browser", browse)
    house = load_house("italy-half-loss")
    options = ("--minimum", "12", "--maximum", "600", "--bankroll", "5000", "--seed", "5e")
    kept = ("--language", "it", "--save", str(tmp_path))
    assert trente("play", "italy-half-loss", "--browser", *options, *kept).status == 0
    more = {"seed": "5e", "language": "it", "folder": str(tmp_path)}
    assert asked.pop() == ("italy-half-loss", house.opening(12, 600), "5000", more)
    assert trente("play", "--browser").status == 0
    assert asked.pop() == (None, None, "1000", {"seed": "", "language": "en", "folder": ""})


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--bankroll", "much"), "'--bankroll': 'much' is not an amount (examples: 1000, 0.50"),
        (("monte-carlo-1911", "--maximum", "10"), "10 FRF is below the minimum of 20 FRF"),
        (("--save", __file__), "with --browser name a folder"),
        (("nowhere",), "nowhere"),
    ],
)
def test_what_a_browser_cannot_be_given_is_refused(
    options: tuple[str, ...], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 11: before anything is served, as at the terminal."""
    from trente_rules.cli import serve  # noqa: PLC0415 - replaced here

    monkeypatch.setattr(serve, "play_in_browser", lambda *_args, **_more: pytest.fail("served"))
    ran = trente("play", "--browser", *options)
    assert ran.status in (1, 2)
    assert told in ran.err


def test_a_key_is_not_for_the_browser(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A key would seal nothing there: it is refused rather than passed over."""
    from trente_rules.cli import serve  # noqa: PLC0415 - replaced here

    monkeypatch.setattr(serve, "play_in_browser", lambda *_args, **_more: pytest.fail("served"))
    key = tmp_path / "key"
    key.write_text("ab" * 32, "utf-8")
    key.chmod(0o600)
    ran = trente("play", "--browser", "--key-file", key)
    assert ran.status == 2
    assert "--key-file is for the terminal" in ran.err


def test_a_session_is_left_in_a_file_that_is_named_at_the_end(tmp_path: Path) -> None:
    """U18: q asks; the second answer saves under a name, and the command says how to resume it."""
    file = tmp_path / "late.json"
    seat = Seat("monte-carlo-1911", "--seed", "5e")
    seat.until("NEXT: SHUFFLE AND CUT")
    seat.press("d", "Cut the cards")
    seat.press("\r", "NEXT: DEAL THE COUP")
    seat.press("r", "purse")
    seat.press("q", "Leave in the middle")
    seat.press("\x1b[B", "Save the session")
    seat.press("\r", "New file name")
    seat.press(str(file), "late.json")
    assert str(file) in seat.press("\r", "resumes it")
    assert seat.process.wait(HANGS) == 0
    assert [stake.chance for stake in saved(file).state.stakes] == ["rouge"]
