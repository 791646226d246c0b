"""Values that a session seldom asks for, and the errors of values that it seldom meets."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from attrs import evolve, field, frozen
from tests.table.laws import house_like
from tests.whole_units import whole_house

from trente_rules import (
    PACK,
    BetError,
    CardError,
    ConfigurationError,
    Opening,
    RuleError,
    Shoe,
    Stake,
    TrenteError,
    Verdict,
    load_house,
    loads_house,
    parse_cards,
)
from trente_rules.core import compiled, settlement
from trente_rules.core.cards import compact, parse_compact
from trente_rules.core.converter import converter, exactly, read, structure, whole
from trente_rules.core.house.difference import difference, kind_of
from trente_rules.core.maps import FrozenMap
from trente_rules.core.money import Amount
from trente_rules.core.rules.announcements import Call, calls_of, opening_calls
from trente_rules.core.shoe import LiveShoe
from trente_rules.core.stakes import History


def test_cards_are_read_from_text() -> None:
    """Anything else is the error "no-card", with an example of cards."""
    given: Any = 7
    with pytest.raises(CardError) as caught:
        parse_cards(given)
    assert (caught.value.code, caught.value.hint) == ("no-card", "write 10♥ 4♠ A♦")


def test_compact_cards_are_read_back_and_a_wrong_letter_is_named() -> None:
    """A whole pack is 52 letters; the error names the place of a wrong one from 1."""
    assert parse_compact(compact(PACK)) == PACK
    with pytest.raises(CardError, match="character 3 of the cards is '1'") as caught:
        parse_compact("AM1z")
    assert caught.value.code == "no-card"


def test_a_chance_that_pays_one_to_one_pays_whole_units() -> None:
    """Rouge pays 1 to 1, so no win on it is rounded."""
    assert whole_house("france-2007").chance("rouge").pays_whole_units


def test_modules_that_are_barred_count_as_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python raises ``ValueError`` for a module whose place is None."""

    def barred(name: str) -> None:
        raise ValueError(name)

    monkeypatch.setattr(compiled, "find_spec", barred)
    assert not compiled.fast_installed()


def test_half_a_character_is_not_text() -> None:
    """A lone surrogate cannot be written to a file: "wrong-type"."""
    with pytest.raises(RuleError, match="half a character") as caught:
        exactly(str)("\ud800", str)
    assert caught.value.code == "wrong-type"


def test_a_whole_number_has_a_least_and_a_greatest_value() -> None:
    """A number outside is "out-of-range", with the bounds as the hint."""
    form: Any = whole(1, 6)
    for number in (0, 7):
        with pytest.raises(RuleError) as caught:
            form.read(number)
        assert (caught.value.code, caught.value.hint) == ("out-of-range", "it is 1 to 6")
    form = whole(1)
    with pytest.raises(RuleError) as caught:
        form.read(0)
    assert caught.value.hint == "it is 1 or more"


@frozen
class _Odd:
    """A value with checks of a stranger: zero is out of range, one is a fault of the check."""

    number: int = field()

    @number.validator
    def _check(self, _attribute: object, value: int) -> None:
        if value == 0:
            raise ValueError("the number: it is not zero")
        if value == 1:
            raise LookupError("not one")


def test_the_error_of_a_strangers_check_is_a_problem() -> None:
    """A ``ValueError`` is "out-of-range"; any other error is "rule-fails" and names its class."""
    for number, code, words in (
        (0, "out-of-range", "it is not zero"),
        (1, "rule-fails", "_Odd fails: LookupError: not one"),
    ):
        built, problems = structure(converter(), {"number": number}, _Odd)
        assert built is None
        assert [(each.code, each.message) for each in problems] == [(code, words)]


def test_a_value_of_the_core_that_cannot_be_read_has_the_code_of_its_reader() -> None:
    """The error says which value it is and why it cannot be read."""
    with pytest.raises(TrenteError, match=r"^the verdict: ") as caught:
        read({"kind": 7}, Verdict, "the verdict", "bad-verdict")
    assert caught.value.code == "bad-verdict"


def test_houses_differ_by_the_keys_of_their_files() -> None:
    """Each key has the old value, the new value, and its kind, in the order of TOML."""
    old = load_house("france-2007")
    new = house_like("france-2007", "[money]\nunit = 5\n[limits]\nminimum = 10\nmaximum = 100\n")
    assert difference(old, old) == ()
    changed = {change.key: (change.new, change.kind) for change in difference(old, new)}
    assert changed["limits.minimum"] == (10, "fairness")
    assert changed["house.name"][1] == "presentation"
    assert "chances.rouge" not in changed


def test_a_key_that_no_table_has_concerns_fairness() -> None:
    """A key of a plugin may change what is paid."""
    assert kind_of("house.unheard") == kind_of("unheard.key") == "fairness"


def test_a_posted_maximum_narrows_an_opening() -> None:
    """It is checked as one that was posted when the taille was opened: "bad-opening"."""
    house = whole_house("france-2007")
    opening = house.narrowed(Opening(minimum=100), 1_000_000)
    assert (opening.minimum, opening.maximum) == (100, 1_000_000)
    with pytest.raises(BetError) as caught:
        house.narrowed(Opening(minimum=100), 50)
    assert caught.value.code == "bad-opening"


def test_a_house_is_shown_by_its_title_and_name() -> None:
    """The name is what a file or an option says."""
    house = load_house("france-2007")
    assert str(house) == f"{house.title} (france-2007)"


LIKE = '[house]\nname = "like"\nextends = "france-2007"\n'


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ('inferred = ["limits.maximun"]\n', {"house.inferred.0"}),
        ("[limit]\nminimum = -1\n", {"limit"}),
        ("[limit]\nminimum = 5\n[limits]\nminimum = 5\n", {"limit"}),
        (
            'inferred = ["limits.minimum", "refait.rul"]\n[limits]\nminimum = -1\n',
            {"house.inferred.1", "limits.minimum"},
        ),
    ],
)
def test_every_fault_of_a_house_is_named(text: str, faults: set[str]) -> None:
    """Of inferred keys, and of a table whose name is misspelt."""
    with pytest.raises(ConfigurationError) as caught:
        loads_house(LIKE + text)
    assert {fault.key for fault in caught.value.faults} == faults


def test_a_misspelt_table_is_looked_into_where_the_right_one_is_missing() -> None:
    """A fault inside is named by the table as it was written."""
    with pytest.raises(ConfigurationError) as caught:
        loads_house('[house]\nname = "own"\n[limit]\nminimun = 1\n')
    assert {"limit", "limit.minimun"} <= {fault.key for fault in caught.value.faults}


def test_a_large_map_finds_its_keys_one_by_one() -> None:
    """Get, test and merge work at every size: one dictionary, a list of them, and deeper."""
    for size in (10, 100, 3_000):
        model = {f"k{n}": n for n in range(size)}
        made = FrozenMap(model)
        assert [made.get(key) for key in model] == [*range(size)]
        assert made.get("missing", 7) == 7
        more = {f"m{n}": n for n in range(size)}
        assert made.merged(more) == {**model, **more}


def test_an_amount_is_a_fraction() -> None:
    """A float is "bad-amount": 0.1 is not a tenth."""
    given: Any = 0.1
    with pytest.raises(RuleError) as caught:
        Amount(given)
    assert caught.value.code == "bad-amount"


def test_a_call_has_the_values_of_its_places() -> None:
    """A call or a phrase without one is "missing-value"; version 0.1.0 kept the text instead."""
    words = load_house("france-2007").words
    with pytest.raises(RuleError) as caught:
        calls_of(words, "burn")
    assert caught.value.code == "missing-value"
    with pytest.raises(RuleError) as caught:
        words.say(Call("burn"))
    assert caught.value.code == "missing-value"
    assert words.say(Call("burn", (("text", "Cinq cartes"),))) == "Cinq cartes"


def test_cards_burned_by_the_first_card_are_called_later() -> None:
    """Before the first card is shown nobody knows how many there are."""
    words = load_house("france-2007").words
    assert opening_calls(words, "first-card") == calls_of(words, "cut")
    assert opening_calls(words, "first-card", cut=False) == ()


def test_a_stacked_shoe_counts_what_is_left() -> None:
    """The rest is in order; it ends at the marker, or at the last card."""
    shoe = Shoe.of_cards(PACK * 6, 6)
    assert shoe.rest == PACK * 6
    assert shoe.most_points == 6 * sum(card.points for card in PACK)
    assert not shoe.ended
    assert evolve(shoe, position=312).ended
    with pytest.raises(CardError):
        Shoe.of_cards(PACK[1:], 1)


def test_a_live_shoe_counts_what_may_be_left() -> None:
    """Cards burned unseen may be the lowest ones."""
    shoe = LiveShoe(packs=1)
    total = sum(card.points for card in PACK)
    assert shoe.most_points == total
    assert shoe.burn(2).most_points == total - 2
    assert shoe.see(PACK[0]).most_points == total - PACK[0].points
    assert not shoe.ended


def test_a_live_shoe_has_no_more_of_a_card_than_its_packs() -> None:
    """Once too often is "too-many-of-a-card"; once all are out any card is "shoe-empty"."""
    shoe = LiveShoe(packs=1).see(PACK[0])
    with pytest.raises(CardError, match="came up 1 time already") as caught:
        shoe.see(PACK[0])
    assert caught.value.code == "too-many-of-a-card"
    for card in PACK[1:]:
        shoe = shoe.see(card)
    assert shoe.ended
    with pytest.raises(CardError, match="all 52 cards are out") as caught:
        shoe.see(PACK[0])
    assert caught.value.code == "shoe-empty"


def test_a_card_taken_back_from_a_live_shoe_is_in_again() -> None:
    """Places count from 1, with the cards burned unseen before them."""
    shoe = LiveShoe(packs=1).burn(1).see(PACK[0]).see(PACK[1])
    assert shoe.without([2]).seen == (PACK[1],)
    assert shoe.without([2]).see(PACK[0], 2).seen == (PACK[0], PACK[1])


def test_openings_are_remembered_up_to_a_bound() -> None:
    """A host that opens with ever new limits does not fill the memory."""
    house = whole_house("france-2007")
    house.terms.clear()
    openings = [Opening(minimum=house.limits_table.span[0]) for _ in range(200)]
    for opening in openings:
        assert settlement.terms_of(house, opening).opening is opening
    assert len(house.terms) <= settlement._MOST_OPENINGS


def test_the_history_of_a_party_is_read_from_pairs() -> None:
    """Bets of one party stay in the order of the coups."""
    history = History(bets=[("ann", 5), ("bob", 7), ("ann", 10)])
    assert history.parties == {"ann": (5, 10), "bob": (7,)}
    assert pickle.loads(pickle.dumps(history)) == history


def test_a_change_of_one_stake_is_refused_by_the_limits_of_the_house() -> None:
    """The stakes near it and the totals are enough; an error of the house is blamed on it."""
    house = house_like("france-2007", "[limits]\nminimum = 10\nmaximum = 100\n")
    stake = Stake("s1", "ann", "rouge", 200)
    reasons = settlement.refusals_near(house, "s1", [stake], {"rouge": 200}, 1, History())
    assert [reason.code for reason in reasons] == ["above-maximum"]
    missing: Any = None
    with pytest.raises(AttributeError):
        settlement.refusals_near(house, "s1", [missing], {"rouge": 200}, 1, History())


def test_a_table_may_bound_stakes_in_number_and_on_one_chance() -> None:
    """D13: the facts name each bound; without a maximum, associations still count for one side."""
    text = (
        "[limits]\nminimum = 10\n[limits.per_chance.rouge]\nmaximum_multiple = 10\nminimum = 20\n"
    )
    facts = dict(house_like("france-2007", text).limits_table.facts(("rouge",), prisons=False))
    assert facts["chance_multiple"] == {"chance": "rouge", "times": 10}
    assert "both_sides" not in facts
    assert "one_side" not in facts


def test_stakes_settled_by_position_begin_at_the_left_for_the_nearest() -> None:
    """The ends are sides of the layout where the order is by position."""
    order = load_house("italy-half-loss").settlement
    assert set(order.ends) <= {"left", "right"}
    assert set(load_house("france-2007").settlement.ends) <= {"nearest", "farthest"}


def test_a_course_that_is_not_offered_is_named_with_those_that_are() -> None:
    """A stake settled by it is the error "course-not-offered"."""
    house = whole_house("france-2007")
    wager = settlement.wager_of(house, Stake("s1", "ann", "rouge", 100))
    refait = next(each for each in house.chance("rouge").possible() if each.kind == "tie")
    with pytest.raises(BetError, match="is not offered the course 'unheard'") as caught:
        wager.settle(Stake("s1", "ann", "rouge", 100), refait, "unheard")
    assert caught.value.code == "course-not-offered"
