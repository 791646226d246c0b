"""Commands and events as JSON: every one comes back equal, and nothing else is taken."""

from __future__ import annotations

import json
from fractions import Fraction
from inspect import get_annotations
from typing import Any, Literal, assert_never, assert_type, get_type_hints

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties.shipped import names, shipped
from tests.table.choosing import Chooser
from tests.table.watched import Watched, documented

from trente_rules import RecordError, Stake, Verdict
from trente_rules.core import default_manager
from trente_rules.core.cards import PACK
from trente_rules.core.chances import VERDICTS as EVERY_VERDICT
from trente_rules.core.converter import NewerSchemaWarning
from trente_rules.core.stakes import ChanceBounds, Line, Opening
from trente_rules.table import Place, Round, SlipBet
from trente_rules.table.codec import (
    SCHEMA,
    command_from_json,
    command_to_json,
    event_from_json,
    event_to_json,
    stored_command,
)
from trente_rules.table.commands import COMMANDS, AnyCommand, Command, Cut
from trente_rules.table.events import (
    EVENTS,
    Announced,
    AnyEvent,
    CardBurned,
    CardTurned,
    CoupVoided,
    Event,
    OtherEvent,
    StakeSettled,
)
from trente_rules.table.sealed import Sealed
from trente_rules.testing import coups

TEXT = st.text(max_size=8)
UNITS = st.integers(-(10**20), 10**20)
POSITIVE = st.integers(1, 10**18)
SHARES = st.fractions(0, 1)
STAKES = st.builds(
    Stake, TEXT, TEXT, TEXT, POSITIVE, st.just("prison"), SHARES, st.booleans(), st.booleans()
)
VERDICTS = st.sampled_from(EVERY_VERDICT)
LINES = st.builds(
    Line,
    STAKES,
    VERDICTS,
    TEXT,
    *[UNITS] * 4,
    st.none() | STAKES,
    st.booleans(),
    UNITS,
    UNITS,
    st.fractions(),
    st.fractions(),
)
CARDS = st.sampled_from(PACK)
OF_TYPE: dict[str, st.SearchStrategy[Any]] = {
    "str": TEXT,
    "int": st.integers(-(2**64), 2**64),
    "bool": st.booleans(),
    "int | None": st.none() | UNITS,
    "str | None": st.none() | TEXT,
    "tuple[int, ...]": st.lists(st.integers(0, 999), max_size=4).map(tuple),
    "VoidCode": st.sampled_from(["", "out-of-cards", "exposed"]),
    "Line | None": st.none() | LINES,
    "Stake | None": st.none() | STAKES,
    "Card": CARDS,
    "Card | None": st.none() | CARDS,
    "tuple[Card, ...]": st.lists(CARDS, max_size=4).map(tuple),
    "tuple[str, ...]": st.lists(TEXT, max_size=3).map(tuple),
    "tuple[tuple[str, str], ...]": st.lists(st.tuples(TEXT, TEXT), max_size=3).map(tuple),
    "tuple[tuple[str, int], ...]": st.lists(st.tuples(TEXT, UNITS), max_size=3).map(tuple),
    "tuple[tuple[str, Verdict], ...]": st.lists(st.tuples(TEXT, VERDICTS), max_size=3).map(tuple),
    "tuple[Card, ...] | None": st.none() | st.lists(CARDS, min_size=1, max_size=4).map(tuple),
    "Order": (
        st.none()
        | st.text(min_size=1).map(Sealed)
        | st.lists(CARDS, min_size=1, max_size=4).map(tuple)
    ),
    "Round | None": st.none() | st.builds(Round, TEXT, st.integers(0, 99), st.integers(0, 99)),
    "Meta": st.dictionaries(TEXT, TEXT, max_size=2),
    "tuple[SlipBet, ...]": st.lists(
        st.builds(SlipBet, TEXT, TEXT, POSITIVE, st.booleans()), max_size=2
    ),
    "Hand": st.sampled_from(["player", "croupier", "player-on-right"]),
    "Literal['croupier', 'player']": st.sampled_from(["player", "croupier"]),
    "Literal['', 'noir', 'rouge']": st.sampled_from(["", "noir", "rouge"]),
    "Literal['first', 'second']": st.sampled_from(["first", "second"]),
    "Literal['marker', 'cards', 'called']": st.sampled_from(["marker", "cards", "called"]),
    "Values": st.dictionaries(TEXT, TEXT | UNITS, max_size=3).map(lambda d: tuple(d.items())),
    "Coup": coups(),
    "Coup | None": st.none() | coups(),
    "Verdict": VERDICTS,
    "Stake": STAKES,
    "Line": LINES,
    "Opening": st.builds(
        Opening,
        st.none() | POSITIVE,
        st.none(),
        st.lists(st.builds(ChanceBounds, TEXT, st.none() | POSITIVE), max_size=2).map(tuple),
        st.none() | POSITIVE,
    ),
    "Opening | None": st.none() | st.builds(Opening, POSITIVE),
    "tuple[Line, ...]": st.lists(LINES, max_size=2).map(tuple),
}


def values(kind: type[Any]) -> st.SearchStrategy[Any]:
    """Return a strategy for all values of a class of commands or events."""
    written: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        written |= get_annotations(base) if attrs.has(base) else {}
    fields = {
        each.name: OF_TYPE[written[each.name].replace('"', "'")] for each in attrs.fields(kind)
    }
    return st.builds(kind, **fields)


@pytest.mark.slow
@pytest.mark.parametrize("kind", COMMANDS, ids=lambda kind: kind.kind)
@settings(max_examples=12)
@given(data=st.data())
def test_every_command_comes_back_equal(kind: type[Command], data: st.DataObject) -> None:
    """Written as JSON text and read again, a command is equal."""
    command = data.draw(values(kind))
    text = json.dumps(command_to_json(command))
    assert command_from_json(json.loads(text)) == command


@pytest.mark.slow
@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.kind)
@settings(max_examples=12)
@given(data=st.data())
def test_every_event_comes_back_equal(kind: type[Event], data: st.DataObject) -> None:
    """Written as JSON text and read again, an event is equal, whatever its index."""
    event = data.draw(values(kind))
    told = event_to_json(event, data.draw(st.none() | st.integers(0, 10**9)))
    assert event_from_json(json.loads(json.dumps(told))) == event


def test_what_is_rounded_for_the_player_is_written_too() -> None:
    """A residue is below nought where the player was given the part; it comes back."""
    line = Line(Stake("a", "ann", "rouge", 3), Verdict.REFAIT, "half", residue=Fraction(-1, 2))
    event = StakeSettled(line)
    assert event_to_json(event)["line"]["residue"] == "-1/2"
    assert event_from_json(event_to_json(event)) == event


ODD: tuple[Any, ...] = (
    None,
    True,
    1.5,
    float("nan"),
    -1,
    2**200,
    10**5000,
    "",
    "\ud800",
    "٣",
    "x" * 10**5,
    "1/0",
    "1e9",
    [],
    [[]],
    ["ab"],
    "ab",
    {},
    {"a": 1},
    [None],
)


def deep(levels: int) -> Any:
    """Return a list in a list in a list."""
    told: Any = []
    for _level in range(levels):
        told = [told]
    return told


def read(told: Any, *, command: bool) -> Any:
    """Read a command or event; nothing but ``RecordError`` is raised, with a code that is told."""
    try:
        return command_from_json(told) if command else event_from_json(told)
    except RecordError as error:
        found = error
    assert found.code in documented()
    assert str(found)
    return None


@pytest.mark.parametrize("command", [True, False], ids=["command", "event"])
@pytest.mark.parametrize("odd", [*ODD, deep(900), deep(10**5)], ids=lambda odd: str(type(odd)))
def test_what_is_no_object_with_a_kind_is_refused(odd: Any, command: bool) -> None:  # noqa: FBT001
    """Any other JSON in the place of a command or event, or of its kind."""
    assert read(odd, command=command) is None
    assert read({"kind": odd}, command=command) is None
    assert read({"kind": "place", "id": odd, "stake": odd}, command=command) is None


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*COMMANDS, *EVENTS], ids=lambda kind: kind.kind)
@settings(max_examples=2)
@given(data=st.data())
def test_a_value_of_another_type_is_refused(kind: type[Any], data: st.DataObject) -> None:
    """Each field with a value of another type: refused, or one that is written as it was read."""
    command = issubclass(kind, Command)
    whole = data.draw(values(kind))
    told = json.loads(json.dumps(command_to_json(whole) if command else event_to_json(whole)))
    assert read({**told, "unheard-of": 1}, command=command) is None
    for key in told:
        left_out = {name: value for name, value in told.items() if name != key}
        needed = key not in {a.name for a in attrs.fields(kind) if a.default is not attrs.NOTHING}
        assert (read(left_out, command=command) is None) is needed
        for odd in (*ODD, deep(900)):
            found = read({**told, key: odd}, command=command)
            if found is not None:
                again = command_to_json(found) if command else event_to_json(found)
                assert read(json.loads(json.dumps(again)), command=command) == found
                assert type(odd) in (bool, int, str, list, type(None)) or key in (
                    "values",
                    "opening",
                    "meta",
                    "was",
                )


@given(
    told=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["kind", "id", "stake", "line", "cards", "coup", "index"]) | TEXT,
                inner,
            )
        ),
    )
)
def test_any_json_is_read_or_refused(told: Any) -> None:
    """Whatever JSON holds, nothing but the documented error comes of it."""
    for command in (True, False):
        read(told, command=command)
    for kind in ("coup-voided", "stake-settled", "place", "correct"):
        plain = told if isinstance(told, dict) else {"lines": told, "choices": told}
        read({**plain, "kind": kind}, command=kind in ("place", "correct"))


def test_texts_and_objects_do_not_pass_for_lists() -> None:
    """Two letters are no pair, an empty text and an empty object no list of cards."""
    for cards in ("", {}, "10♥", {"10♥": 1}):
        assert read({"kind": "open-shoe", "id": "1", "cards": cards}, command=True) is None
    for pairs in (["ab"], [["a"]], [["a", "b", "c"]], {"ab": 1}):
        told = {"kind": "correct", "id": "1", "reason": "r", "choices": pairs}
        assert read(told, command=True) is None
    assert EVENTS.count(CoupVoided) == 1


@pytest.mark.parametrize("name", names())
def test_what_happens_in_a_house_comes_back(name: str) -> None:
    """All commands and events of some coups in each shipped house, through JSON text."""
    chooser = Chooser(Watched(shipped(name)), live=False)
    chooser.play(bytes(range(256)) * 2)
    for entry in chooser.table.table.taille:
        assert command_from_json(json.loads(json.dumps(command_to_json(entry.command)))) == (
            entry.command
        )
        for event in entry.events:
            assert event_from_json(json.loads(json.dumps(event_to_json(event)))) == event


def test_unions_are_narrowed_by_class_and_by_kind() -> None:
    """T6: mypy knows the class by its kind, and which classes are left; this is checked by it."""
    command: AnyCommand = command_from_json({"kind": "cut", "id": "1", "place": 5})
    if command.kind == "cut":
        assert_type(command, Cut)
        assert_type(command.kind, Literal["cut"])
    assert isinstance(command, Cut)
    event: AnyEvent | OtherEvent = event_from_json(
        {"kind": "card-burned", "card": "10♥", "place": 3}
    )
    assert isinstance(event, CardTurned | CardBurned)
    match event:
        case CardTurned():
            place = 0
        case CardBurned(_card, place):
            pass
        case _:
            assert_never(event)
    assert place == 3


@pytest.mark.parametrize("kind", [*COMMANDS, *EVENTS], ids=lambda kind: kind.kind)
def test_every_class_is_matched_by_position_and_has_its_kind_as_a_type(kind: type[Any]) -> None:
    """T6: commands match as events do, by their own fields in order; the rest by name alone."""
    fields = tuple(each.name for each in attrs.fields(kind) if not each.kw_only)
    assert kind.__match_args__ == fields
    assert str(get_type_hints(kind)["kind"]) == f"typing.ClassVar[typing.Literal['{kind.kind}']]"


def test_a_command_is_matched_by_position() -> None:
    """T6: id, stake and player of a place."""
    match Place(id="1", stake="s", player="ann", chance="rouge", amount=5):
        case Place(id_, stake, player):
            assert (id_, stake, player) == ("1", "s", "ann")


def test_a_call_is_its_values() -> None:
    """T11a: an announcement has its phrase and its numbers; 0.1.0 kept the text alone."""
    call = Announced("point", (("point", 8), ("full", 38)))
    told = {"kind": "announced", "phrase": "point", "values": {"point": 8, "full": 38}}
    assert event_to_json(call) == told
    assert event_from_json(told) == call
    old = event_from_json({"kind": "announced", "phrase": "point", "text": "Huit"}, schema=1)
    assert old == Announced("point", (("text", "Huit"),))
    for code, said in (("fr", "Huit"), ("en", "Eight")):
        words = default_manager().language(code)
        assert words.say(call) == said
        assert words.say(old) == "Huit"  # no number is guessed
    for values in ({"point": 8.0}, {"point": True}, ["point"], {"point": None}):
        with pytest.raises(RecordError):
            event_from_json({"kind": "announced", "phrase": "point", "values": values})


def test_of_many_faults_the_first_five_are_named_and_all_are_counted() -> None:
    """A reader mends them in turns; the place and the hint are those of the first."""
    wrong = dict.fromkeys(("stake", "player", "chance", "group", "chips", "at", "staff"), 1)
    with pytest.raises(RecordError) as caught:
        command_from_json({"kind": "place", "id": "p", "amount": 1, **wrong})
    head, *others = caught.value.message.split("; ")
    assert head.startswith("7 faults: command.")
    assert len(others) == 4
    assert caught.value.code == "bad-command"
    assert caught.value.place == head.removeprefix("7 faults: ").partition(":")[0]


def test_a_newer_command_whose_head_is_wrong_names_the_key() -> None:
    """Its fields are another release's; who gave it, and when, are of every command."""
    with pytest.raises(RecordError) as caught, pytest.warns(NewerSchemaWarning, match="'dance'"):
        stored_command({"id": 7, "kind": "dance", "step": 1}, SCHEMA + 1)
    assert (caught.value.code, caught.value.place) == ("bad-command", "command.id")
    assert caught.value.message.startswith("command.id: ")
