"""Records of sessions whose earlier coups were corrected replay equal."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise
from typing import Any

import pytest
from attrs import evolve
from hypothesis import assume
from hypothesis import strategies as st
from tests.properties.meeting import Kind, meets
from tests.properties.shipped import names, shipped
from tests.records.recorded import Kept
from tests.table.driving import Driver
from tests.table.laws import house_like

from trente_rules import TrenteError
from trente_rules.core.cards import Card
from trente_rules.core.coup import Coup
from trente_rules.records import Record, record_of, replay
from trente_rules.table import (
    Choose,
    CloseBets,
    CloseSession,
    Correct,
    EndShoe,
    Expose,
    MovePrisoner,
    OpenShoe,
    Phase,
    Place,
    Post,
    Round,
    Settle,
    ShowMarker,
    Turn,
    VoidCoup,
    Withdraw,
)
from trente_rules.testing import opening_of

ROUGE = Coup.parse("9♣ 9♦ 9♥ 9♠ / K♥ Q♥ J♥ A♥")
NOIR = Coup.parse("K♥ Q♥ J♥ A♥ / 9♣ 9♦ 9♥ 9♠")
REFAIT = Coup.parse("8♥ 8♦ 8♣ 7♣ / 6♥ 6♣ 6♦ 7♥ 6♠")
MARKED = '[shoe]\nends = "last-card"\nmarker = { from_end = 20, on_marker = "finish" }\n'
APRES = Coup.parse("3♦ 3♣ 3♥ 4♦ K♣ Q♣ / K♦ Q♦ 7♦ 6♦")


def _live(toml: str = "") -> tuple[Driver, Kept]:
    driver = Driver(house_like("italy-prison", toml))
    kept = Kept(driver)
    driver.live()
    return driver, kept


def _correct(driver: Driver, coup: int, **fields: Any) -> None:
    driver.do(Correct, reason="video", target=Round("s", 1, coup), **fields)


def _equal(kept: Kept, shoe: int = 1) -> Record:
    record = kept.recorder.record(shoe)
    assert replay(record).differences == ()
    return record


def test_fewer_cards_are_left_once_a_correction_found_more() -> None:
    """T14: the shoe has ended, and its marker was up; both follow the cards as they were."""
    driver, kept = _live(MARKED)
    more = len(REFAIT.cards) - len(NOIR.cards)
    assert more
    driver.play(NOIR)
    driver.play(NOIR)
    driver.do(ShowMarker)
    assert driver.table.state.phase is Phase.NO_SHOE
    end = _equal(kept).end
    _correct(driver, 1, cards=REFAIT.cards)
    _correct(driver, 2, cards=REFAIT.cards)
    now = _equal(kept).end
    assert (now.left, now.marker) == (end.left - 2 * more, (end.marker or 0) + 2 * more)


def test_stakes_closed_lie_in_their_order_after_any_command() -> None:
    """T14: three prisoners are closed with the shoe, and known in their order whatever follows."""
    driver, kept = _live('[shoe]\nprisoners_at_end = "close"\n')
    stakes = (("ann", "noir", 20), ("bob", "rouge", 20), ("cy", "noir", 40))
    driver.play(REFAIT, *stakes)
    driver.play(NOIR)
    driver.do(EndShoe)
    _correct(driver, 2, cards=APRES.cards)
    _equal(kept)
    _correct(driver, 2, void=True)
    driver.live()
    ids = [stake.id for stake in _equal(kept).end.stakes]
    assert ids == ["ann-noir", "bob-rouge", "cy-noir"]


def test_a_record_closed_with_the_session_is_corrected_after_it() -> None:
    """T14: the session is closed, then a void coup turns out to be a refait, then void again."""
    driver, kept = _live()
    driver.play(REFAIT, ("ann", "noir", 20), ("bob", "rouge", 20))
    driver.bet(("cy", "couleur", 20))
    driver.do(VoidCoup, reason="a quarrel")
    driver.do(CloseSession)
    _correct(driver, 2, cards=NOIR.cards)
    _equal(kept)
    _correct(driver, 2, void=True)
    assert [each.id for each in _equal(kept).end.stakes] == ["ann-noir", "bob-rouge"]


def test_prisoners_of_the_shoe_before_come_in_as_they_lay() -> None:
    """T14: a coup of the shoe before was void, and then a refait: all came in, in their order."""
    driver, kept = _live()
    driver.play(REFAIT, ("ann", "noir", 20), ("bob", "rouge", 20), ("cy", "noir", 20))
    driver.do(EndShoe)
    driver.live()
    driver.play(APRES)
    _correct(driver, 1, void=True)
    _correct(driver, 1, cards=REFAIT.cards)
    ids = [each.id for each in _equal(kept, 2).prisoners]
    assert ids == ["ann-noir", "bob-rouge", "cy-noir"]


def test_cards_that_a_correction_adds_move_all_that_came_after_them() -> None:
    """A refait of nine cards was read as eight: the coup has nine places, the next begins later."""
    driver, kept = _live()
    driver.play(NOIR)
    driver.play(APRES)
    before = [coup.places for coup in kept.recorder.record().coups]
    burned = driver.house.shoe.burn
    assert isinstance(burned, int)
    assert before[0] == tuple(range(burned + 1, burned + 9))
    _correct(driver, 1, cards=REFAIT.cards)
    first, second = _equal(kept).coups
    assert first.places == (*before[0], burned + 9)
    assert second.places == tuple(place + 1 for place in before[1])


def test_the_marker_is_counted_behind_every_card_that_was_shown_by_mistake() -> None:
    """Two cards are exposed, one is turned: three cards of the coup are out at the marker."""
    driver, kept = _live(
        '[shoe]\nends = "last-card"\nmarker = { from_end = 20, on_marker = "finish" }\n'
    )
    driver.bet(("ann", "rouge", 20))
    driver.do(CloseBets)
    for exposed in ("2♠", "3♠"):
        driver.do(Expose, card=Card.parse(exposed))
    driver.do(Turn, card=NOIR.cards[0])
    driver.do(ShowMarker)
    for card in NOIR.cards[1:]:
        driver.do(Turn, card=card)
    driver.do(Settle)
    (coup,) = _equal(kept).coups
    burned = driver.house.shoe.burn
    assert isinstance(burned, int)
    assert coup.exposed_places == (burned + 1, burned + 2)
    assert coup.places == tuple(range(burned + 3, burned + 11))
    assert (coup.marker, coup.last) == (burned + 3, True)


def test_prisoners_that_never_were_do_not_come_into_the_next_shoe() -> None:
    """The coup that made two prisoners turns out void: the next shoe began without them."""
    driver, kept = _live()
    driver.play(REFAIT, ("ann", "noir", 20), ("bob", "rouge", 20))
    driver.do(EndShoe)
    driver.live()
    driver.play(APRES)
    assert len(_equal(kept, 2).prisoners) == 2
    _correct(driver, 1, void=True)
    record = _equal(kept, 2)
    assert (record.prisoners, record.coups[0].stakes, record.table.players) == ((), (), ())


def test_a_prisoner_that_a_correction_makes_was_placed_in_its_coup() -> None:
    """It lies on the cloth of the coup that is on, and did not come in with the shoe."""
    driver, kept = _live()
    driver.play(NOIR, ("bob", "noir", 20), ("ann", "rouge", 20))
    driver.bet(("cy", "noir", 40))
    driver.do(CloseBets)
    _correct(driver, 1, cards=REFAIT.cards)
    lying = [stake.id for stake in driver.table.state.stakes]
    for card in APRES.cards:
        driver.do(Turn, card=card)
    driver.do(Settle)
    record = _equal(kept)
    assert record.prisoners == ()
    assert [stake.id for stake in record.coups[1].stakes] == lying
    assert lying == ["bob-noir", "ann-rouge", "cy-noir"]


@pytest.mark.parametrize(
    "fields",
    [{"choices": (("ann-noir", "partage"),)}, {"void": True}, {"cards": APRES.cards}],
    ids=["choice", "void", "cards"],
)
def test_a_table_records_its_shoe_whatever_is_corrected_of_the_one_before(
    fields: dict[str, Any],
) -> None:
    """The entries of the last shoe alone: a correction of an earlier one is none of its coups.

    It changes who came in as a prisoner, as in the record made of the whole session.
    """
    driver, kept = _live()
    driver.play(REFAIT, ("ann", "noir", 20))
    driver.play(NOIR)
    driver.play(REFAIT, ("ann", "noir", 20), ("cy", "rouge", 20))
    driver.do(EndShoe)
    driver.live()
    driver.play(NOIR, ("bob", "noir", 20))
    driver.play(APRES, ("dora", "noir", 20))
    _correct(driver, 3, **fields)
    whole = _equal(kept, 2)
    assert record_of(driver.table) == whole


def test_later_coups_of_a_shoe_that_is_not_recorded_are_passed_over() -> None:
    """A correction of the first coup writes the second one again, which is in another record."""
    driver, kept = _live()
    driver.play(REFAIT, ("ann", "noir", 20))
    driver.play(NOIR)
    driver.do(EndShoe)
    driver.live()
    driver.play(NOIR, ("bob", "noir", 20))
    _correct(driver, 1, void=True)
    assert record_of(driver.table) == _equal(kept, 2)


def test_a_prisoner_that_was_moved_came_in_on_the_chance_before() -> None:
    """Known from the last shoe alone: it is named as it came in, not as it was moved in a coup."""
    driver, kept = _live("[limits]\nmove_prisoners = true\n")
    driver.play(REFAIT, ("ann", "noir", 20))
    driver.do(EndShoe)
    driver.live()
    driver.bet()
    driver.do(MovePrisoner, stake="ann-noir", chance="rouge")
    driver.turn(NOIR)
    driver.do(Settle)
    record = record_of(driver.table)
    (prisoner,) = record.prisoners
    assert (prisoner.id, prisoner.chance) == ("ann-noir", "noir")
    assert record.prisoners == _equal(kept, 2).prisoners
    assert record.coups[0].stakes[0].chance == "rouge"


def test_an_earlier_coup_corrected_later_is_in_what_was_taken_back_too() -> None:
    """A coup is corrected twice, then the one before it is void: its prisoner lay in each of three.

    It is settled with the cards that were taken back, as it was not at the time.
    """
    driver, kept = _live()
    driver.play(REFAIT, ("ann", "noir", 20))
    driver.play(ROUGE)
    driver.play(REFAIT, ("cy", "rouge", 40))
    _correct(driver, 3, cards=NOIR.cards)
    _correct(driver, 3, cards=APRES.cards)
    before = _equal(kept).coups[2]
    assert [len(version.stakes) for version in before.versions] == [1, 1, 1]
    _correct(driver, 2, void=True)
    after = _equal(kept).coups[2]
    ann = [version.stakes[0] for version in after.versions]
    assert {each.id for each in ann} == {"ann-noir"}
    assert [each.course for each in ann] == ["prison", "freed", "stays"]
    nets = [version.players_net for version in (*before.versions, *after.versions)]
    assert nets == [0, -40, 0, 0, -40, 0]
    _correct(driver, 2, cards=ROUGE.cards)
    assert _equal(kept).coups[2] == before


def test_what_was_taken_back_has_the_net_of_a_prisoner_that_lay_there_after_all() -> None:
    """It lost with the cards that were taken back, and is freed by those that count."""
    driver, kept = _live()
    driver.play(REFAIT, ("ann", "noir", 20))
    driver.play(ROUGE)
    driver.play(ROUGE, ("cy", "rouge", 40))
    _correct(driver, 3, cards=NOIR.cards)
    before = [(each.players_net, each.bank_net) for each in _equal(kept).coups[2].versions]
    assert before == [(40, -40), (-40, 40)]
    _correct(driver, 2, void=True)
    after = [(each.players_net, each.bank_net) for each in _equal(kept).coups[2].versions]
    assert after == [(20, -20), (-40, 40)]


def test_a_moved_prisoner_of_what_was_taken_back_lies_where_it_came_from() -> None:
    """It was moved in a void coup that was corrected; then it came in as another stake."""
    driver, kept = _live("[limits]\nmove_prisoners = true\n")
    driver.play(REFAIT, ("ann", "noir", 20))
    driver.play(REFAIT)
    driver.bet()
    driver.do(MovePrisoner, stake="ann-noir", chance="rouge")
    driver.do(VoidCoup, reason="a quarrel")
    _correct(driver, 3, void=True)
    _correct(driver, 2, void=True)
    versions = _equal(kept).coups[2].versions
    assert [version.stakes[0].chance_after for version in versions] == ["noir", "noir"]


def test_cards_that_a_later_correction_adds_move_what_was_taken_back_too() -> None:
    """The second coup is corrected, then a ninth card is found in the first."""
    driver, kept = _live()
    driver.play(NOIR)
    driver.play(APRES)
    _correct(driver, 2, void=True)
    before = _equal(kept).coups[1].versions
    _correct(driver, 1, cards=REFAIT.cards)
    after = _equal(kept).coups[1].versions
    for was, now in zip(before, after, strict=True):
        assert now.places == tuple(place + 1 for place in was.places)


def test_limits_posted_before_a_session_that_closes_are_in_its_end() -> None:
    """A stake above the maximum of before is on the cloth when the session is closed."""
    driver, kept = _live()
    driver.play(NOIR)
    driver.do(Post, opening=evolve(driver.table.state.opening, maximum=900_000))
    driver.bet(("ann", "noir", 800_000))
    driver.do(CloseSession)
    assert _equal(kept).end.posted == driver.table.state.opening


def _cut_behind_bets() -> tuple[Driver, Kept]:
    """Open a live shoe, take bets and cut it, as Foster has it."""
    driver = Driver(house_like("foster-1897", ""))
    kept = Kept(driver)
    driver.do(OpenShoe, cards=None)
    driver.bet(("ann", "noir", 1))
    driver.do(CloseBets)
    driver.get_ready()
    return driver, kept


def test_a_card_exposed_behind_a_late_cut_was_shown_after_the_bets() -> None:
    """No time is known, the coup is void: the bets were closed all the same, or it could not be."""
    driver, kept = _cut_behind_bets()
    driver.do(Expose, card=Card.parse("2♠"))
    if driver.table.state.in_coup:
        driver.do(VoidCoup, reason="a quarrel")
    (coup,) = _equal(kept).coups
    assert (coup.void != "", coup.exposed) == (True, (Card.parse("2♠"),))


def test_a_prisoner_that_was_moved_when_the_session_closed_is_moved_again() -> None:
    """The bets were open, and nothing else was on: they are opened again, or nobody could move."""
    driver, kept = _live("[limits]\nmove_prisoners = true\n")
    driver.play(REFAIT, ("ann", "noir", 20))
    driver.bet()
    driver.do(MovePrisoner, stake="ann-noir", chance="rouge")
    driver.do(CloseSession)
    (stake,) = _equal(kept).end.stakes
    assert (stake.id, stake.chance) == ("ann-noir", "rouge")


@pytest.mark.parametrize("void", [False, True])
def test_a_cut_behind_bets_is_repeated_before_a_card_is_dealt(*, void: bool) -> None:
    """The coup is on, or was void before its first card: the shoe has been cut in either case."""
    driver, kept = _cut_behind_bets()
    if void:
        driver.do(VoidCoup, reason="a quarrel")
    record = _equal(kept)
    assert (record.shoe.cut, len(record.coups)) == (0, int(void))


def test_a_choice_made_in_advance_outlives_a_stake_that_is_taken_off() -> None:
    """The choices for the stake that left go with it, and no others."""
    driver = Driver("france-2007")
    kept = Kept(driver)
    driver.live()
    driver.bet(("ann", "rouge", 100), ("bob", "noir", 100))
    driver.do(Choose, stake="ann-rouge", course="partage")
    driver.do(Choose, stake="bob-noir", course="partage")
    driver.do(Withdraw, stake="bob-noir")
    driver.do(Place, stake="bob-noir", player="bob", chance="noir", amount=100)
    driver.turn(REFAIT)
    driver.do(Settle)
    stakes = {each.id: each for each in _equal(kept).coups[0].stakes}
    assert stakes["ann-rouge"].choices == (("refait", "partage"),)
    assert stakes["bob-noir"].choices == ()
    assert [stakes[name].course for name in ("ann-rouge", "bob-noir")] == ["partage", "prison"]


CARDS = (NOIR, ROUGE, REFAIT, APRES)
"""In none of them a card is twice: four coups of one of them are in six packs."""
OUT_OF_ORDER = Kind(
    "corrections",
    {
        "a later coup before": lambda coups: any(a > b for a, b in pairwise(coups)),
        "a coup again": lambda coups: len(set(coups)) < len(coups),
    },
)


@pytest.mark.slow
@meets(
    name=st.sampled_from(names()), dealt=st.lists(st.sampled_from(CARDS), min_size=2, unique=True)
)
def test_corrections_in_any_order_replay_equal(
    name: str, dealt: list[Coup], data: st.DataObject
) -> None:
    """Each of them, of any coup so far, is in a record as if it had been made in its coup."""
    driver = Driver(shipped(name))
    assume(not driver.house.shoe.every_coup and driver.house.shoe.packs == 6)
    kept = Kept(driver)
    least = driver.house.limits_table.bounds(opening_of(driver.house), "rouge").least
    driver.do(OpenShoe, cards=None)
    driver.get_ready()
    for number, coup in enumerate(dealt):
        driver.bet((f"a{number}", "rouge", least), (f"b{number}", "noir", least))
        driver.turn(coup, ready=True)
        driver.do(Settle)
    coups = data.draw(st.lists(st.integers(1, len(dealt)), min_size=1, max_size=4))
    OUT_OF_ORDER.see(coups)
    for number in coups:
        cards = data.draw(st.sampled_from((None, *CARDS)))
        with suppress(TrenteError):  # a stake that is on again has the place of another
            _correct(driver, number, cards=cards and cards.cards, void=cards is None)
        _equal(kept)
