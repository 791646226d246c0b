"""Errors: data, words, pickling."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import pytest

from trente_rules import (
    PACK,
    BetError,
    Card,
    CardError,
    ConfigurationError,
    Coup,
    Fault,
    Opening,
    PluginError,
    RecordError,
    Refusal,
    RuleError,
    Shoe,
    Stake,
    StakeMachine,
    TrenteError,
    deal_coup,
    load_house,
    loads_house,
    refusals,
)
from trente_rules.core import Row
from trente_rules.core.errors import shown
from trente_rules.core.money import Amount, parse_fraction
from trente_rules.core.shoe import Marker
from trente_rules.fair import FairShoe, SeededShuffler
from trente_rules.odds.coup_odds import fresh_shoe

FAULT = Fault("house.toml", 3, 7, "money.unit", "wrong-type", "2.5 is a decimal number", "write 2")
ERRORS = [
    TrenteError("a message", "a-code", "a hint"),
    ConfigurationError.of(FAULT),
    ConfigurationError.of(FAULT, FAULT, more=3),
    RuleError("a message", "a-code", "", "refait.levels"),
    CardError("a message", "a-code", missing=("A♠",)),
    BetError("a message", "a-code", "", "a1", (Refusal("x", "y", "a1"),)),
    PluginError("a message", "a-code", "", "package:entry"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_errors_survive_pickling_whole(error: TrenteError) -> None:
    """An error crosses a process border with every field."""
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert vars(again) == vars(error)
    assert str(again) == str(error)


def test_a_fault_is_one_line_with_its_place() -> None:
    """file:line:column: key: message (hint) [code]."""
    expected = "house.toml:3:7: money.unit: 2.5 is a decimal number (write 2) [wrong-type]"
    assert str(FAULT) == expected


def test_a_fault_without_a_place_leaves_it_out() -> None:
    """No line and no column where none can be named."""
    assert str(Fault("x", None, None, "", "file-missing", "gone")) == "x: gone [file-missing]"


def test_several_faults_are_listed() -> None:
    """Every fault has its line, and those left out are counted."""
    text = str(ConfigurationError.of(FAULT, FAULT, more=3))
    assert text.count("money.unit") == 2
    assert text.endswith("and 3 more faults")


RAISING: dict[str, Callable[[], object]] = {
    "no-card": lambda: Card.parse("1x"),
    "row-too-short": lambda: Row.parse("10♠"),
    "row-too-long": lambda: Row.parse("10♠ 10♥ 10♦ A♣ A♠"),
    "not-two-rows": lambda: Coup.parse("10♠"),
    "coup-too-short": lambda: Coup.of_cards(PACK[:6]),
    "not-whole-packs": lambda: Shoe.of_cards(PACK[1:], 1),
    "no-packs": lambda: Shoe.of_cards(PACK, 0),
    "shoe-ended": lambda: deal_coup(Shoe(PACK, 1, position=52)),
    "shoe-begun": lambda: Shoe(PACK, 1, position=5).cut(3),
    "bad-fraction": lambda: parse_fraction("1/0"),
    "bad-amount": lambda: Amount.parse("-1"),
    "bad-machine": lambda: StakeMachine.of({}),
    "bad-stake": lambda: Stake("a", "alice", "rouge", 0),
    "bad-opening": lambda: Opening(0),
    "opening-needed": lambda: refusals(load_house("france-2007"), []),
    "unknown-chance": lambda: load_house("france-2007").chance("zero"),
    "unknown-deal": lambda: fresh_shoe(9),
    "unknown-house": lambda: load_house("atlantis"),
    "missing-key": lambda: loads_house('[house]\nname = "test"\n'),
    "faults": lambda: loads_house("[house]\n[shoe]\npacks = 99\n"),
}


@pytest.mark.parametrize("code", RAISING)
def test_every_error_is_of_one_base_with_its_code_and_crosses_borders(code: str) -> None:
    """Raised errors have a stable code and a plain message, and survive pickling and copying."""
    with pytest.raises(TrenteError) as caught:
        RAISING[code]()
    error = caught.value
    assert error.code == code
    assert error.message
    assert not error.message[0].isupper()
    assert not error.message.endswith(".")
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert (type(again), vars(again), str(again)) == (type(error), vars(error), str(error))


def test_an_error_says_what_to_do_behind_what_is_wrong() -> None:
    """The hint stands in brackets; an error without one is its message alone."""
    assert str(TrenteError("wrong", "a-code", "do this")) == "wrong (do this)"
    assert str(TrenteError("wrong", "a-code")) == "wrong"
    assert TrenteError("wrong", "a-code").hint == ""


def test_a_card_error_holds_every_missing_card() -> None:
    """The message shows a few; the fields hold them all."""
    with pytest.raises(CardError) as caught:
        Shoe.of_cards((), 1)
    assert len(caught.value.missing) == 52
    assert caught.value.extra == ()
    assert "and 40 more" in caught.value.message


def test_a_refusal_is_a_sentence_with_its_code() -> None:
    """What a player is told, and what a program matches on."""
    assert str(Refusal("below-minimum", "a stake of 1 is below 5")).endswith("[below-minimum]")


HUGE = 10**5000


@pytest.mark.parametrize(
    "call",
    [
        lambda: Amount.parse(HUGE),
        lambda: Opening(-HUGE),
        lambda: Stake("a", "ann", "rouge", HUGE),
        lambda: Stake("a", "ann", "rouge", 10, handed_back=HUGE),
        lambda: Shoe.of_cards(PACK, 1).cut(HUGE),
        lambda: Shoe.of_cards(PACK, 1).burn(HUGE),
        lambda: SeededShuffler(bytes(16)).below(HUGE),
        lambda: SeededShuffler(bytes(16), stream=HUGE),
        lambda: FairShoe.seal(1, packs=HUGE),
        lambda: Marker().place(HUGE),
    ],
)
def test_a_number_too_long_to_write_is_refused_in_words(call: Callable[[], object]) -> None:
    """Python writes no integer of so many digits; the error is ours all the same."""
    with pytest.raises(TrenteError) as caught:
        call()
    assert "a whole number of about 5001 digits" in caught.value.message


def test_a_value_that_cannot_be_shown_is_named_by_its_type() -> None:
    """Whatever a stranger's object does when it is to be shown."""

    class Silent:
        def __repr__(self) -> str:
            raise RuntimeError

    assert shown(Silent()) == "<Silent>"
    assert shown("ab" * 40) == f"'{'ab' * 28}..."


def test_no_error_shows_a_run_of_cards() -> None:
    """S16: whatever a message quotes, an order of cards is left out where it is printed."""
    order = "10♠ Q♦ A♥ 10♥ J♠"
    fault = Fault("f", 1, 2, "a.b", "bad-record", f"{order!r} is unknown", order)
    errors = (
        TrenteError(f"command id {order!r} was used", "same-id", order),
        RecordError(f"command id {order!r} was used", "same-id"),
        RecordError(f"a\n{order}", "faults", "", "", (fault,)),
        ConfigurationError.of(fault, fault),
    )
    for error in errors:
        assert "(cards)" in str(error)
        assert "♥" not in str(error)
    assert "♥" not in str(fault)
    assert "♥" not in str(Refusal("double-stake", f"two stakes have the id {order!r}"))
    assert str(TrenteError("10♠ and Q♦ are out", "no-card")) == "10♠ and Q♦ are out"
