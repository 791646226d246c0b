"""Records of sessions whose earlier coups were corrected replay equal."""

from __future__ import annotations

from typing import Any

from tests.records.recorded import Kept
from tests.table.driving import Driver
from tests.table.laws import house_like

from trente_rules.core.coup import Coup
from trente_rules.records import Record, replay
from trente_rules.table import (
    CloseBets,
    CloseSession,
    Correct,
    EndShoe,
    Phase,
    Round,
    Settle,
    ShowMarker,
    Turn,
    VoidCoup,
)

NOIR = Coup.parse("K♥ Q♥ J♥ A♥ / 9♣ 9♦ 9♥ 9♦")
REFAIT = Coup.parse("8♥ 8♦ 8♣ 7♣ / 6♥ 6♣ 6♦ 7♥ 6♥")
APRES = Coup.parse("3♦ 3♣ 3♥ 4♦ K♣ Q♣ / K♦ Q♦ 7♦ 6♦")


def _live(toml: str = "") -> tuple[Driver, Kept]:
    driver = Driver(house_like("italy-prison", toml))
    kept = Kept(driver)
    driver.live()
    return driver, kept


def _play(driver: Driver, coup: Coup, *stakes: tuple[str, str, int]) -> None:
    driver.bet(*stakes)
    driver.do(CloseBets)
    for card in coup.cards:
        driver.do(Turn, card=card)
    if driver.table.state.phase is Phase.DEALT:
        driver.do(Settle)


def _correct(driver: Driver, coup: int, **fields: Any) -> None:
    driver.do(Correct, reason="video", target=Round("s", 1, coup), **fields)


def _equal(kept: Kept, shoe: int = 1) -> Record:
    record = kept.recorder.record(shoe)
    assert replay(record).differences == ()
    return record


def test_fewer_cards_are_left_once_a_correction_found_more() -> None:
    """T14: the shoe has ended, and its marker was up; both follow the cards as they were."""
    shoe = 'ends = "last-card"\nmarker = { from_end = 20, on_marker = "finish" }'
    driver, kept = _live(f"[shoe]\n{shoe}\n")
    more = len(REFAIT.cards) - len(NOIR.cards)
    assert more
    _play(driver, NOIR)
    _play(driver, NOIR)
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
    _play(driver, REFAIT, *stakes)
    _play(driver, NOIR)
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
    _play(driver, REFAIT, ("ann", "noir", 20), ("bob", "rouge", 20))
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
    _play(driver, REFAIT, ("ann", "noir", 20), ("bob", "rouge", 20), ("cy", "noir", 20))
    driver.do(EndShoe)
    driver.live()
    _play(driver, APRES)
    _correct(driver, 1, void=True)
    _correct(driver, 1, cards=REFAIT.cards)
    ids = [each.id for each in _equal(kept, 2).prisoners]
    assert ids == ["ann-noir", "bob-rouge", "cy-noir"]
