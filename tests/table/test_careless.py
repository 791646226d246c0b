"""A careless host: values of other types, a command broken off, a journal that is taken."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import attrs
import pytest
from tests.table.driving import Driver
from tests.whole_units import whole_house

from trente_rules import (
    Amount,
    BetError,
    Card,
    Opening,
    Stake,
    Table,
    TrenteError,
    load_house,
    parse_cards,
)
from trente_rules.core import ChanceBounds
from trente_rules.core.shoe import LiveShoe
from trente_rules.table import (
    CloseBets,
    Command,
    Correct,
    Cut,
    Dealing,
    MemoryJournal,
    OpenBets,
    OpenShoe,
    Place,
    PlaceMarker,
    Settle,
    Slip,
    SlipBet,
    SqliteJournal,
    VoidCoup,
    command_from_json,
    command_to_json,
    decide,
    recover,
    restore,
    snapshot,
)
from trente_rules.table.commands import COMMANDS
from trente_rules.testing import coup_with

HOUSE = whole_house("monte-carlo-1911")


def code_of(call: Any, *arguments: Any, **named: Any) -> str:
    """Return the code of the error that a call raises."""
    with pytest.raises(TrenteError) as caught:
        call(*arguments, **named)
    return caught.value.code


@pytest.mark.parametrize("command", [None, "deal", 5, {}, OpenShoe])
def test_what_is_no_command_is_refused(command: Any) -> None:
    """Whatever is sent in place of a command has a code, and changes nothing."""
    table = Table(HOUSE)
    before = table.state
    assert code_of(table.do, command) == "no-such-command"
    assert not table.can(command)
    assert table.state is before


def test_what_is_no_journal_is_refused(tmp_path: Path) -> None:
    """R5: the name of a file in its place; a journal in memory after one in a file."""
    name: Any = "a.journal"
    for call in (
        lambda: Table(HOUSE, journal=name),
        lambda: recover(name),
        lambda: Dealing([name]),
    ):
        assert code_of(call) == "bad-setup"
    with SqliteJournal(tmp_path / "a.journal") as journal:
        for first, others in ((journal, MemoryJournal()), (MemoryJournal(), journal)):
            table = Table(HOUSE, journal=first)
            assert code_of(table.rotate, name) == "bad-setup"
            assert code_of(table.rotate, others) == "no-rotation"
            table.do(OpenShoe(id="1"))
            assert recover(first).state == table.state


def test_a_question_knows_the_ids_of_older_shoes() -> None:
    """R9: as `do`, which refuses another command of an id that the journal alone knows."""
    house = whole_house("eight-packs-machine")
    table = Table(house, opening=Opening(20), journal=MemoryJournal())
    table.do(OpenShoe(id="0"))
    table.do(OpenBets(id="1"))
    first = Place(id="2", stake="a", player="ann", chance="rouge", amount=20)
    table.do(first)
    table.do(VoidCoup(id="3", reason="x"))
    for number in range(4):
        table.do(OpenShoe(id=f"s{number}"))
        table.do(OpenBets(id=f"b{number}"))
        table.do(VoidCoup(id=f"v{number}", reason="x"))
    table.do(OpenShoe(id="s"))
    table.do(OpenBets(id="b"))
    assert first not in [entry.command for entry in table.entries]
    other = attrs.evolve(first, stake="b")
    assert [code_of(table.do, other), code_of(table.verify, other)] == ["same-id", "same-id"]
    assert table.can(first)


@pytest.mark.parametrize("id_", [None, 1, ["a"], {}, {"a"}, b"a", "\ud800"])
def test_an_id_that_is_no_text_is_refused(id_: Any) -> None:
    """Those that no table of ids could hold among them."""
    table = Table(HOUSE)
    assert code_of(table.do, OpenShoe(id=id_)) == "bad-value"
    assert table.entries == ()


@pytest.mark.parametrize(
    ("kind", "field", "value", "words"),
    [
        (
            Place,
            "amount",
            1.5,
            "command 'place': amount: expected a whole number, got the decimal number 1.5",
        ),
        (Place, "insured", "no", "insured: expected true or false, got the text 'no'"),
        (Place, "player", None, "command 'place': player: expected a text, got nothing"),
        (OpenShoe, "cards", 5, "cards: expected a tuple, got the whole number 5"),
        (Correct, "choices", [("a", "b")], "choices: expected a tuple, got the list [('a', 'b')]"),
    ],
)
def test_a_value_of_another_type_is_named(kind: Any, field: str, value: Any, words: str) -> None:
    """The refusal tells the field, the value and what it should be."""
    table = Table(HOUSE)
    told: dict[str, Any] = {}
    if kind is Place:
        told = {"stake": "s", "player": "ann", "chance": "rouge", "amount": 10}
    if kind is Correct:
        told = {"reason": "r"}
    why = table.why_not(kind(id="1", **{**told, field: value}))
    assert why is not None
    assert why.code == "bad-value"
    assert words in str(why)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (
            Cut(id="1", by=cast("Any", "the cat")),
            "by: 'the cat' is not one of 'player', 'croupier'",
        ),
        (
            PlaceMarker(id="1", by=cast("Any", "player-on-right")),
            "by: 'player-on-right' is not one of 'croupier', 'player'",
        ),
    ],
)
def test_a_hand_that_is_none_is_a_bad_value(command: Command, words: str) -> None:
    """A5: what a field may be is checked by its type, the words of a ``Literal`` too."""
    table = Table(HOUSE)
    table.do(OpenShoe(id="0"))
    for now in (Table(HOUSE), table):
        why = now.why_not(command)
        assert why is not None
        assert why.code == "bad-value"
        assert words in str(why)


ODD: tuple[Any, ...] = (
    "25",
    None,
    b"25",
    [25],
    float("nan"),
    25.0,
    True,
    Fraction(25),
    {},
    object(),
    10**5000,
)
"""What a wallet or a careless host may pass as an amount."""


@pytest.mark.parametrize(
    ("make", "fine"),
    [
        (lambda amount: Stake("a", "p", "couleur", amount), ()),
        (lambda share: Stake("a", "p", "couleur", 25, "prison", share), (Fraction(25),)),
        (lambda units: Stake("a", "p", "couleur", 25, "prison", handed_back=units), ()),
        (lambda place: Stake("a", "p", "couleur", 25, position=place), (None,)),
        (Opening, (None,)),
        (lambda maximum: Opening(maximum=maximum), (None,)),
        (lambda least: Opening(insurance_minimum=least), (None,)),
        (lambda minimum: ChanceBounds("rouge", minimum), (None,)),
        (lambda maximum: ChanceBounds("rouge", None, maximum), (None,)),
    ],
)
def test_an_amount_of_another_type_is_a_bet_error(make: Any, fine: tuple[object, ...]) -> None:
    """C14: texts, nothing, bytes, lists, parts, truth values: a BetError with a code."""
    for odd in ODD:
        if odd in fine and odd is None:
            make(odd)
            continue
        with pytest.raises(BetError) as caught:
            make(odd)
        assert caught.value.code in {"bad-stake", "bad-opening"}


def test_an_amount_of_another_type_in_a_command_is_a_bet_error() -> None:
    """C14: each field of each command that is a number; the table is as before."""
    table = Table(HOUSE, purses=True)
    before, tried = table.state, 0
    for kind in COMMANDS:
        for each in attrs.fields(attrs.resolve_types(kind)):
            if each.type not in (int, int | None):
                continue
            for odd in ODD:
                if odd is None and each.default is None:
                    continue
                fields: dict[str, Any] = dict.fromkeys(_needed(kind), "x") | {
                    "id": "1",
                    each.name: odd,
                }
                assert code_of(table.do, kind(**fields)) == "bad-value", (kind, each.name)
                tried += 1
    assert tried >= 7 * len(ODD) - 7
    assert table.state is before


def _needed(kind: Any) -> list[str]:
    """Return the fields of a command that have no default."""
    return [each.name for each in attrs.fields(kind) if each.default is attrs.NOTHING]


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: type(odd).__name__)
def test_a_card_or_an_amount_that_is_none_has_a_code(odd: Any) -> None:
    """C14: the constructors beside those of stakes raise an error of the library too."""
    assert code_of(Card, odd, "♠") == "no-card"
    assert code_of(Card, 1, odd) == "no-card"
    assert code_of(Card.parse, odd) == "no-card"
    assert code_of(parse_cards, odd) == "no-card"
    if not isinstance(odd, Fraction):
        assert code_of(Amount, odd) == "bad-amount"


@pytest.mark.parametrize("house", ["monte-carlo-1911", "eight-packs-machine"])
def test_a_list_without_cards_opens_no_live_shoe(house: str) -> None:
    """C22: None alone, or nothing, opens a live shoe; a list that came out empty is refused."""
    table = Table(load_house(house), opening=Opening(10_00))
    nothing: tuple[Any, ...] = ([], ())
    for empty in nothing:
        why = table.why_not(OpenShoe(id="1", cards=empty))
        assert why is not None
        assert (why.code, why.message) == ("no-cards", "the list of the cards is empty")
    assert command_to_json(OpenShoe(id="1")) == {"kind": "open-shoe", "id": "1"}
    assert command_from_json({"kind": "open-shoe", "id": "1"}) == OpenShoe(id="1")
    table.do(OpenShoe(id="1"))
    assert isinstance(table.state.shoe, LiveShoe)


@pytest.mark.parametrize("phase", ["dealt", "settled"])
def test_a_correction_with_a_list_without_cards_is_refused(phase: str) -> None:
    """C22: cards that came out empty are not cards that were right, whatever else is corrected."""
    driver = Driver("monte-carlo-1911")
    driver.live()
    driver.bet(("ann", "rouge", 20))
    driver.turn(coup_with(33, 31))
    if phase == "settled":
        driver.do(Settle)
    for fields in ({}, {"void": True}, {"choices": (("ann-rouge", "prison"),)}):
        why = driver.table.why_not(Correct(id="x", reason="video", cards=[], **fields))
        assert why is not None
        assert (why.code, why.message) == ("no-cards", "the list of the cards is empty")
    none = {"kind": "correct", "id": "x", "reason": "video", "void": True}
    assert command_to_json(Correct(id="x", reason="video", void=True)) == none
    assert command_from_json(none) == Correct(id="x", reason="video", void=True)
    driver.table.do(command_from_json(none))


@pytest.mark.parametrize("path", ["", ".", b"", b"x", None, 3, Path()])
def test_a_journal_has_a_file(path: Any) -> None:
    """C22: an empty name is no file, and no journal in memory."""
    assert code_of(SqliteJournal, path) == "journal-unreadable"
    assert code_of(SqliteJournal, path, read_only=True) == "journal-unreadable"


@pytest.mark.parametrize(
    "named",
    [{"name": 5}, {"name": "\ud800"}, {"opening": 10}, {"house": "monte-carlo-1911"}],
)
def test_a_table_that_no_journal_could_keep_is_not_set_up(named: Any) -> None:
    """Nothing is written, so that nothing is found to be unreadable later."""
    journal = MemoryJournal()
    told = {"house": HOUSE, **named}
    assert code_of(Table, told.pop("house"), journal=journal, **told) == "bad-setup"
    assert code_of(recover, journal) == "journal-empty"


def test_what_is_no_snapshot_or_no_house_is_told() -> None:
    """Also where it is of another type altogether."""
    text = snapshot(Table(HOUSE))
    nothing: Any = None
    assert code_of(restore, nothing, HOUSE) == "not-json"
    assert code_of(restore, text, nothing) == "bad-setup"
    assert code_of(restore, text, whole_house("france-2007")) == "other-house"


def test_a_snapshot_does_not_begin_on_a_journal_that_is_taken() -> None:
    """The error is that of the journal, which says how to go on."""
    journal = MemoryJournal()
    table = Table(HOUSE, journal=journal)
    assert code_of(restore, snapshot(table), HOUSE, journal=journal) == "journal-in-use"


def test_a_command_broken_off_once_it_was_written_is_done_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C behind the commit: the table is behind its journal, says so, and recovers."""
    with SqliteJournal(tmp_path / "journal") as journal:
        table = Table(HOUSE, journal=journal)
        append = journal.append

        def broken_off(*told: Any) -> None:
            append(*told)
            raise KeyboardInterrupt

        monkeypatch.setattr(journal, "append", broken_off)
        with pytest.raises(KeyboardInterrupt):
            table.do(OpenShoe(id="1"))
        monkeypatch.undo()
        assert code_of(table.do, OpenShoe(id="1")) == "journal-moved"
        again = recover(journal)
        assert len(again.do(OpenShoe(id="1"))) == again.state.events
        assert journal.check().sequence == 1


def test_what_has_no_id_is_refused() -> None:
    """A client that forgets its ids is told so at once; a journal of old is still read."""
    driver = Driver("france-2007")
    driver.live()
    driver.do(OpenBets)
    bet: dict[str, Any] = {"player": "ann", "chance": "rouge", "amount": 20}
    slip = SlipBet("", "rouge", 20)
    commands: tuple[Command, ...] = (
        Place(id="", stake="a", **bet),
        Place(id="1", stake="", **bet),
        Slip(id="1", player="ann", bets=(slip,)),
        CloseBets(id=""),
    )
    table = driver.table
    for command in commands:
        for do in (table.do, table.verify, table.preview, lambda each: table.do_many([each])):
            assert code_of(do, command) == "no-id"
        assert decide(table.state, command).events
