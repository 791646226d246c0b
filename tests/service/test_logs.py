"""Logs: what happened, in fields that are named; nothing secret, nothing that obeys a terminal."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import time
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from threading import Event
from typing import Any, Final

import pytest
from tests.whole_units import whole_house

from trente_rules import Table, TrenteError
from trente_rules.core.cards import PACK
from trente_rules.fair import SeededShuffler
from trente_rules.service.gate import REQUEST_ID, Passage
from trente_rules.service.logs import (
    FIELDS,
    FORMS,
    AccessLog,
    CommandLog,
    LaterHandler,
    LogForm,
    set_up_logs,
    without_secrets,
)
from trente_rules.service.tokens import Role, Tokens, Visitor
from trente_rules.table import Cut, OpenBets, OpenShoe, Place

SEED: Final = "5eed" * 16
KEY: Final = b"k" * 32
ANN: Final = Visitor("ann", Role.PLAYER, ("salle-3",), 2_000_000_000)
TOKEN: Final = Tokens(KEY).issue(ANN, 1_900_000_000)
CARDS: Final = tuple(SeededShuffler(SEED).shuffle(PACK * 6))
PASSAGE: Final = Passage(
    "r-1", "request", "POST", "/api/tables", 422, "bad", 0.0123456789, "192.0.2.1", ANN, 10, 20
)


@pytest.fixture
def stream() -> Iterator[StringIO]:
    """Return where a log is written, and put logging back as it was."""
    root = logging.getLogger()
    before, level = [*root.handlers], root.level
    names = ("asyncio", "httpcore", "httpx", "psycopg", "uvicorn", "websockets")
    levels = {name: logging.getLogger(name).level for name in names}
    yield StringIO()
    for each in root.handlers:
        if isinstance(each, LaterHandler):
            each.close()
    root.handlers[:] = before
    root.setLevel(level)
    for name, known in levels.items():
        logging.getLogger(name).setLevel(known)


def written(stream: StringIO) -> str:
    """Return what a log has written, once it has written all."""
    logging.getLogger().handlers[0].flush()
    return stream.getvalue()


def lines(stream: StringIO) -> list[dict[str, Any]]:
    """Return the lines of a log of JSON."""
    return [json.loads(line) for line in written(stream).splitlines()]


def test_a_line_of_json(stream: StringIO) -> None:
    """Time in UTC, level, logger, message, the request's id, and the fields that are named."""
    set_up_logs("json", stream=stream)
    known = REQUEST_ID.set("r-7")
    extra = {"table": "salle-3", "seconds": 0.25, "status": 200, "surprise": "x"}
    logging.getLogger("trente_rules.service").info("served %d", 3, extra=extra)
    REQUEST_ID.reset(known)
    (line,) = lines(stream)
    assert line.pop("time").endswith("+00:00")
    assert line == {
        "level": "INFO",
        "logger": "trente_rules.service",
        "message": "served 3",
        "request": "r-7",
        "table": "salle-3",
        "seconds": 0.25,
        "status": 200,
    }


def test_a_line_of_text(stream: StringIO) -> None:
    """The same for people."""
    set_up_logs("text", stream=stream)
    logging.getLogger("x").warning("late", extra={"table": "salle-3", "code": "too-late"})
    text = written(stream)
    assert text.endswith("Z WARNING late [table=salle-3 code=too-late]\n")
    assert text.startswith("20")


@pytest.mark.parametrize("form", FORMS)
def test_nobody_writes_a_line_of_their_own(form: LogForm, stream: StringIO) -> None:
    """A name or a path with ends of lines and escapes stays in its field, on its line."""
    set_up_logs(form, stream=stream)
    evil = 'x\r\n2026-01-01 INFO paid [player=eve]\x1b[2J\u202e","level":"ERROR'
    passage = PASSAGE.__class__(
        "r", "request", "GET", f"/{evil}", 404, "unknown-path", 0.1, "192.0.2.1", None, 0, 0
    )
    AccessLog().ended(passage)
    logging.getLogger("x").error("for %s", evil, extra={"player": evil, "table": evil})
    text = written(stream)
    assert len(text.splitlines()) == 2
    assert not set("\x1b\r\u202e") & set(text)
    if form == "json":
        assert [line["level"] for line in lines(stream)] == ["INFO", "ERROR"]


def test_the_access_log(stream: StringIO) -> None:
    """A request with who asked, how long it took, what was refused; health only if asked."""
    set_up_logs("json", stream=stream)
    log = AccessLog()
    log.ended(PASSAGE)
    log.ended(Passage("r-2", "request", "GET", "/healthz", 200, "", 0.1, "192.0.2.1", None, 0, 9))
    log.ended(
        Passage("r-3", "request", "GET", "/api/me", 500, "internal", 0.1, "192.0.2.1", None, 0, 9)
    )
    first, second = lines(stream)
    first.pop("time")
    assert first == {
        "level": "INFO",
        "logger": "trente_rules.service.access",
        "message": "request /api/tables",
        "request": "r-1",
        "visitor": "ann",
        "role": "player",
        "method": "POST",
        "path": "/api/tables",
        "status": 422,
        "code": "bad",
        "seconds": 0.012346,
        "received": 10,
        "sent": 20,
        "client": "192.0.2.1",
    }
    assert (second["request"], second["level"]) == ("r-3", "WARNING")


def test_the_log_of_commands(stream: StringIO) -> None:
    """Table, kind, id, player, seconds, and the code of a refusal: no amount, no card, no seed."""
    set_up_logs("json", logging.DEBUG, stream)
    table = Table(whole_house("monte-carlo-1911"), name="t7", session="s", observers=[CommandLog()])
    table.do(OpenShoe.shuffled("1", 6, SeededShuffler(SEED)))
    table.do(Cut(id="2", place=100))
    table.do(OpenBets(id="3"))
    stake = Place(id="4", stake="s1", player="ann", chance="rouge", amount=7_740)
    table.do(stake)
    table.do(stake)
    small = Place(id="5", stake="s2", player="ann", chance="rouge", amount=1)
    for refused in (small, None):
        with pytest.raises(TrenteError):
            table.do(refused)  # type: ignore[arg-type]
    read = lines(stream)
    assert [(line["message"], line["command"]) for line in read] == [
        ("open-shoe done", "1"),
        ("cut done", "2"),
        ("open-bets done", "3"),
        ("place done", "4"),
        ("place repeated", "4"),
        ("place refused", "5"),
    ]
    assert [line.get("player", "") for line in read] == ["", "", "", "ann", "ann", "ann"]
    assert {line["table"] for line in read} == {"t7"}
    assert read[-1]["code"] == "below-minimum"
    assert all(0 <= line["seconds"] < 10 for line in read)
    text = written(stream)
    assert "7740" not in text
    assert "\u2665" not in text


SECRETS: Final = {
    "token": TOKEN,
    "half a token": TOKEN[:40],
    "payload": TOKEN.split(".")[1],
    "seed": SEED,
    "seed in capitals": SEED.upper(),
    "key": KEY.hex(),
    "password": "hunter2-hunter2",
    "cards": str(CARDS[0]) + " " + str(CARDS[1]) + " " + str(CARDS[2]),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", [*SECRETS])
def test_nothing_secret_is_written(name: str, form: LogForm, stream: StringIO) -> None:
    """Tokens, seeds, keys, passwords and cards, from wherever they come, are not in the log."""
    set_up_logs(form, logging.DEBUG, stream)
    secret = SECRETS[name]
    logger = logging.getLogger("trente_rules.service")
    places = [
        f"Authorization: Bearer {secret}",
        f"subprotocols trente-rules.1, bearer.{secret}",
        f"GET /?token={secret}&table=x",
        f"postgresql://host:{secret}@db/tables password={secret}",
    ]
    plain = [secret, f"seed={secret},", f"('{secret}')"]
    for text in places + ([] if name == "password" else plain):
        logger.info(text)
        logger.info("about %s", text)
        logger.info("x", extra={"player": text, "table": text, "path": text})
        logger.info("x", extra={"token": text, "cards": CARDS, "seed": text})
        if len(text) < 5_000:
            error = ValueError(text)
            logger.error("it failed", exc_info=error)
    logger.info("cards %s %r", CARDS, list(CARDS[:5]))
    logger.info(" ".join(map(str, CARDS)))
    for library in ("websockets.server", "uvicorn.error", "httpx", "asyncio"):
        logging.getLogger(library).debug("< Authorization: Bearer %s", secret)
        logging.getLogger(library).info("%s", secret)
    text = written(stream)
    assert text.count("it failed") >= 4
    # A name of a digit and a suit is written now and then; three in a row never are.
    assert secret not in text
    assert secret not in text.encode().decode("unicode_escape", "replace")
    for length in (3, 4):
        for run in (CARDS[:length], CARDS[100 : 100 + length]):
            for between in (" ", ", ", ""):
                assert between.join(map(str, run)) not in text


def test_what_is_no_secret_is_kept() -> None:
    """Ids, names, figures and single cards are readable."""
    text = "coup s:3:12 of salle-3: 10\u2665 turned, 1234567890 units, r-5f3a9c0d11223344, eyJ"
    assert without_secrets(text) == text


def test_other_libraries_only_warn(stream: StringIO) -> None:
    """Libraries that write down headers and frames where they may are kept to their warnings."""
    names = ("websockets.server", "uvicorn.error", "httpx", "asyncio", "psycopg.pool")
    for name in names:  # a server of another test may have set its own
        logging.getLogger(name).setLevel(logging.NOTSET)
    set_up_logs("json", logging.DEBUG, stream)
    for name in names:
        logging.getLogger(name).info("chatter")
        logging.getLogger(name).warning("trouble")
    assert [line["message"] for line in lines(stream)] == ["trouble"] * 5


def test_a_message_that_does_not_fit(stream: StringIO) -> None:
    """A wrong message of a stranger is written as it is, and harms nothing."""
    set_up_logs("json", stream=stream)
    wrong: tuple[str, ...] = ("%d of %s", "three")
    logging.getLogger("x").info(*wrong)
    assert lines(stream)[0]["message"].startswith("%d of %s (")


def test_it_is_fast_on_what_is_long(stream: StringIO) -> None:
    """A text that is made to be slow to search is cut before it is searched."""
    set_up_logs("json", stream=stream)
    for text in ("eyJ" * 300_000, "a" * 900_000, "://" + "x:" * 400_000, "bearer " * 100_000):
        logging.getLogger("x").info(text, extra={"player": text})
    assert len(written(stream)) < 4 * 25_000


def test_the_fields_are_documented() -> None:
    """Every field is a word that needs no quotes."""
    assert all(name.isidentifier() for name in FIELDS)
    assert len(set(FIELDS)) == len(FIELDS)


def test_nobody_waits_for_a_log_that_is_not_read() -> None:
    """A pipe that is full stops no table: lines wait, then they are left out and counted."""
    begun, going = Event(), Event()
    seen: list[str] = []

    class Stuck(logging.Handler):
        """A handler whose stream is full."""

        def emit(self, record: logging.LogRecord) -> None:
            """Wait until the stream is read."""
            begun.set()
            assert going.wait(10)
            seen.append(record.getMessage())

    handler = LaterHandler(Stuck(), most=5)
    record = logging.makeLogRecord({"msg": "first"})
    handler.handle(record)
    assert begun.wait(10)
    started = time.monotonic()
    for number in range(1_000):
        handler.handle(logging.makeLogRecord({"msg": f"line {number}"}))
    assert time.monotonic() - started < 2
    going.set()
    handler.flush()
    handler.close()
    assert seen == ["first", "995 lines were left out", *(f"line {number}" for number in range(5))]


def test_what_waits_is_written_at_the_end(tmp_path: Path) -> None:
    """A process that ends writes all of its log first."""
    script = (
        "import logging; from trente_rules.service.logs import set_up_logs; set_up_logs('json')\n"
        "for n in range(2000): logging.getLogger('x').info('line %d', n)"
    )
    with (tmp_path / "log").open("wb") as log:
        subprocess.run([sys.executable, "-c", script], stderr=log, check=True)
    text = (tmp_path / "log").read_text("utf-8")
    assert [json.loads(line)["message"] for line in text.splitlines()] == [
        f"line {number}" for number in range(2000)
    ]
