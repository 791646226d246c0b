"""Messages and setups from outside: read strictly, within bounds."""

from __future__ import annotations

import json
from typing import Any

import pytest

from trente_rules.core.errors import RecordError, TrenteError
from trente_rules.service.messages import (
    LONGEST_TEXT,
    LONGEST_TITLE,
    MOST_META,
    CommandMessage,
    CutMessage,
    Pace,
    ReadyMessage,
    TableSetup,
    client_message,
    with_player,
)

PLACE = {"kind": "place", "id": "1", "stake": "s", "chance": "rouge", "amount": 5}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "not-json"),
        ("[" * 100_000, "not-json"),
        ("5", "bad-message"),
        ("[]", "bad-message"),
        ('{"kind": "nothing"}', "bad-message"),
        ('{"kind": ["ready"]}', "bad-message"),
        ('{"kind": "ready", "reddy": true}', "bad-message"),
        ('{"kind": "ready", "ready": 1}', "bad-message"),
        ('{"kind": "cut"}', "bad-message"),
        ('{"kind": "cut", "place": 1.5}', "bad-message"),
        ('{"kind": "command"}', "bad-message"),
    ],
)
def test_what_is_no_message_is_refused(text: str, code: str) -> None:
    """Strictly: nothing is guessed, left out or taken for something else."""
    with pytest.raises(RecordError) as refused:
        client_message(text)
    assert refused.value.code == code


def test_messages_are_read() -> None:
    """Each kind has its class."""
    assert client_message('{"kind": "ready"}') == ReadyMessage()
    assert client_message('{"kind": "cut", "place": 3}') == CutMessage(3)
    read = client_message(json.dumps({"kind": "command", "command": PLACE}), "zoe")
    assert isinstance(read, CommandMessage)
    assert read.command.owner == "zoe"


def test_a_name_is_filled_in_and_never_exchanged() -> None:
    """A command that names nobody is the player's; one that names another is left as it is."""
    assert with_player(PLACE, "zoe")["player"] == "zoe"
    assert with_player({**PLACE, "player": "yan"}, "zoe")["player"] == "yan"
    assert "player" not in with_player({"kind": "deal", "id": "1"}, "zoe")
    assert "player" not in with_player(PLACE, "")


@pytest.mark.parametrize("kind", [{"kind": "choose"}, ["place"], 3, True, None])
def test_a_kind_that_is_no_text_is_refused(kind: Any) -> None:
    """Found by fuzzing: an object for the kind ended the connection with 1011."""
    text = json.dumps({"kind": "command", "command": {"kind": kind, "id": "1"}})
    with pytest.raises(RecordError, match="is not a kind of command") as caught:
        client_message(text, "zoe")
    assert (caught.value.code, caught.value.place) == ("bad-message", "message.command")


@pytest.mark.parametrize(
    "more",
    [
        {"id": "x" * (LONGEST_TEXT + 1)},
        {"stake": "x" * 200_000},
        {"meta": {"a": "x" * (LONGEST_TEXT + 1)}},
        {"meta": {"x" * (LONGEST_TEXT + 1): "a"}},
        {"meta": {str(number): "" for number in range(MOST_META + 1)}},
        {"bets": [{"stake": "x" * (LONGEST_TEXT + 1)}]},
    ],
)
def test_texts_have_a_bound(more: dict[str, Any]) -> None:
    """A text of a command is stored for ever and sent to others: no client needs long ones."""
    with pytest.raises(RecordError) as refused:
        with_player({**PLACE, **more}, "zoe")
    assert refused.value.code == "too-long"


@pytest.mark.parametrize("title", ["x" * (LONGEST_TITLE + 1), "\x1b[2J", "a\nb", "\u202eevil"])
def test_titles_are_short_and_seen(title: str) -> None:
    """A title is shown to everybody: no control characters, 100 characters at most."""
    with pytest.raises(TrenteError) as refused:
        TableSetup("t", "france-2007", title=title)
    assert refused.value.code == "bad-setup"


@pytest.mark.parametrize("name", ["", "A", "a b", "-a", "a-", "../x", "a" * 65, "é", 5])
def test_names_of_tables(name: Any) -> None:
    """A name is in addresses and in the names of files: small letters, digits, hyphens."""
    with pytest.raises(TrenteError) as refused:
        TableSetup(name, "france-2007")
    assert refused.value.code == "bad-table-name"


@pytest.mark.parametrize("time", [-1, 1.5, True, "1", 24 * 3600 * 1000 + 1])
def test_times(time: Any) -> None:
    """Milliseconds, from 0 to a day."""
    with pytest.raises(TrenteError) as refused:
        Pace(bets=time)
    assert refused.value.code == "bad-setup"


def test_a_pace_that_nobody_can_follow() -> None:
    """A table that waits for nobody takes a fifth of a second for a coup, at the least."""
    with pytest.raises(TrenteError, match="200 ms"):
        Pace(bets=0).check()
    Pace(bets=100, rest=100).check()
    Pace().check()
