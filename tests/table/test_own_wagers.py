"""Wagers as data at a live table: calls, choices, money, records and score card (D17)."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import pytest
from tests.table.driving import Driver

from trente_rules import BetError, House, loads_house
from trente_rules.core import default_manager
from trente_rules.core.chances import Verdict
from trente_rules.play.views import Texts
from trente_rules.records import dumps_record, loads_record, replay
from trente_rules.records.recorder import record_of
from trente_rules.records.scorecard import CROSS, ScoreCard, boxes, lines_of_events
from trente_rules.reports.formats.text import FORMATS
from trente_rules.reports.rulebook import rulebook
from trente_rules.reports.sentences import Speech, capital
from trente_rules.table import Announced, Choose, EndShoe, Event, Settle

HOUSE: Final = """
[house]
name = "own-wagers"
extends = "france-2007"
[deal]
refait_on = [31, 40]
[refait.on.40]
rule = "prison"
partage = ["1/4"]
last = "lose"
[[chances]]
id = "noir"
commission = "1/20"
[[chances]]
id = "couleur"
odds = "19/20"
refait_on = []
[[side_bets]]
id = "forty"
wins_on = "row-point"
point = 40
odds = "8"
pays = [{ tie = true, odds = "100" }]
pushes_on = [{ first = [31] }]
[limits]
minimum = 10
[money]
unit = 1
"""


@pytest.fixture(scope="module")
def house() -> House:
    """Return a house with wagers of its own."""
    return loads_house(HOUSE)


def calls(driver: Driver, events: tuple[Event, ...]) -> list[str]:
    """Return what the croupier says."""
    say = driver.house.words.say
    return [say(event) for event in events if isinstance(event, Announced)]


STAKES: Final = tuple(("ann", chance, 100) for chance in ("rouge", "noir", "couleur", "forty"))


def test_a_refait_of_forty_is_called_chosen_and_paid(house: House) -> None:
    """D-R2 to D-R9: 40 to 40 imprisons rouge, spares couleur, and pays the side bet 100 to 1."""
    driver = Driver(house)
    driver.shoe((40, 40), (34, 39), (31, 31))
    driver.bet(*STAKES)
    assert calls(driver, driver.deal())[-1] == "Quarante après"
    with pytest.raises(BetError, match="choose for refait-40"):
        driver.do(Choose, stake="ann-rouge", course="partage")
    driver.do(Choose, stake="ann-rouge", course="partage", verdict="refait-40")
    said = calls(driver, driver.do(Settle))
    assert sorted(said) == ["En prison", "Partage"]
    assert [(stake.id, stake.state) for stake in driver.table.state.stakes] == [
        ("ann-noir", "prison")
    ]
    # rouge 25 back, noir stands, couleur 100 back, the side bet 100 and 10,000
    assert dict(driver.table.state.accounts)["ann"] == -400 + 25 + 100 + 100 + 10_000
    driver.bet(("bob", "noir", 100), ("bob", "couleur", 100), ("bob", "forty", 100))
    assert calls(driver, driver.deal())[-1] == "Rouge perd, la couleur gagne"
    driver.do(Settle)
    accounts = dict(driver.table.state.accounts)
    assert accounts["ann"] == -400 + 25 + 100 + 100 + 10_000 + 100
    assert accounts["bob"] == 95 + 95 - 100
    driver.bet(("cat", "couleur", 100), ("cat", "forty", 100), ("cat", "rouge", 100))
    assert calls(driver, driver.deal())[-1] == "Un après"
    driver.do(Settle)
    assert dict(driver.table.state.accounts)["cat"] == -100
    card = ScoreCard.of(
        "card",
        lines_of_events(event for entry in driver.table.taille for event in entry.events),
        house.deal.chances,
    )
    assert [boxes(card, line) for line in card.lines] == [
        f"│{CROSS}│{CROSS}│ │ │{CROSS}│",
        "│ │●│ │●│ │",
        f"│{CROSS}│{CROSS}│ │ │{CROSS}│",
    ]
    driver.do(EndShoe)
    record = record_of(driver.table)
    assert loads_record(dumps_record(record)) == record
    assert dict(record.coups[0].verdicts)["rouge"] == "refait-40"
    assert dict(record.coups[0].verdicts)["forty"] == "win-100"
    assert replay(record).equal


@pytest.mark.parametrize("language", ["en", "fr", "it", "es", "de"])
def test_the_rules_say_what_a_house_has_of_its_own(house: House, language: str) -> None:
    """Points, odds, commission and conditions are in the rules of every language; no id is."""
    words = default_manager().language(language)
    speech = Speech(words, house.money, house.machine.prisons)
    text = " ".join(str(FORMATS[0].render(rulebook(house, language), 10_000)).split())
    assert speech.say("odds_text", win=100, stake=1) in text
    assert speech.percent(Fraction(1, 20)) in text
    assert capital(speech.verdict(Verdict("refait-40"))) in text
    assert "refait-40" not in text
    assert "$" not in text


def test_the_interface_names_the_refait_of_a_point() -> None:
    """A box of the table says "refait 40", and of a win at other odds that it is one."""
    texts = Texts(default_manager().language("en"))
    assert texts.verdict(Verdict("refait-40")) == "refait 40"
    assert texts.verdict(Verdict("win-100")) == texts.verdict(Verdict.WIN)
