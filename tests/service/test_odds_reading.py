"""The odds of the next coup: what the lesson computes, as decimal text and in per cent."""

from __future__ import annotations

import pytest
from tests.table.driving import Driver

from trente_rules import load_house
from trente_rules.core.cards import Card
from trente_rules.service.odds_reading import odds_reading, seen_cards
from trente_rules.service.texts import PageWords
from trente_rules.table import OpenBets, Retract, Settle, Turn
from trente_rules.table.commands import CloseBets


@pytest.mark.slow
def test_the_odds_of_a_fresh_shoe() -> None:
    """Numbers of facts: six packs, refait 2.18914 %, half-loss edge 1.09457 %, insured 1 %."""
    driver = Driver(load_house("france-2007"))
    read = odds_reading(driver.table.state, PageWords.of(driver.house, "fr"))
    assert read.cards == 312
    for chance in read.chances:
        assert chance.refait.value.startswith("0.0218913704")
        assert chance.apres.value.startswith("0.0877075426")
        assert chance.win.value.startswith("0.4452005434")
        assert chance.edge.value.startswith("0.0109456852")
        assert chance.edge.text == "1,095 %"
        assert chance.insured is not None
        assert chance.insured.text == "1,000 %"
        assert chance.insure is True
    assert read.insured_holds


@pytest.mark.slow
def test_the_odds_know_the_cards_that_are_seen() -> None:
    """Cards burned unseen count as in the shoe; those of the coups are out."""
    driver = Driver(load_house("italian-program"))
    driver.shoe((31, 31))
    assert driver.table.house.shoe.burn == 5
    assert seen_cards(driver.table.state) == ()
    driver.bet(("ann", "rouge", 1000))
    driver.deal()
    driver.do(Settle)
    read = odds_reading(driver.table.state, PageWords.of(driver.house, "en"))
    coup = len(seen_cards(driver.table.state))
    assert coup >= 6
    assert read.cards == 312 - coup


def test_a_card_that_was_read_wrong_is_not_seen() -> None:
    """At a live shoe a card that is taken back is in the shoe again."""
    driver = Driver(load_house("france-2007"))
    driver.live()
    driver.do(OpenBets)
    driver.do(CloseBets)
    before = seen_cards(driver.table.state)
    driver.do(Turn, card=Card(10, "♠"))
    assert len(seen_cards(driver.table.state)) == len(before) + 1
    driver.do(Retract, reason="it was a nine")
    assert seen_cards(driver.table.state) == before
