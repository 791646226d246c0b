"""Statistics of a table: what an Italian program (S2) shows in its windows."""

from __future__ import annotations

from collections import Counter
from itertools import product

from tests.table.driving import Driver
from tests.table.test_corrections import Live

from trente_rules import Verdict
from trente_rules.core.cards import Card
from trente_rules.fair import SeededShuffler
from trente_rules.table import (
    Burn,
    CloseBets,
    CloseSession,
    Correct,
    CoupDealt,
    Cut,
    Deal,
    EndShoe,
    OpenBets,
    OpenShoe,
    Phase,
    Place,
    PlaceMarker,
    Settle,
    Turn,
)
from trente_rules.table.events import Event
from trente_rules.table.statistics import Statistics
from trente_rules.testing import coup_with


def play(driver: Driver, coups: int) -> list[Event]:
    """Play coups with two players, shoe after shoe, and answer all events."""
    events: list[Event] = []
    rule, shuffler = driver.house.shoe, SeededShuffler("5e" * 16)
    played = 0
    while played < coups:
        phase = driver.table.state.phase
        if phase is Phase.NO_SHOE:
            events += driver.do(OpenShoe, cards=shuffler.shuffle(shoe_cards(rule.packs)))
        elif phase is Phase.CUT:
            events += driver.do(Cut, place=9, by=rule.cut_by)
        elif phase is Phase.BURN:
            events += driver.do(Burn)
        elif phase is Phase.MARK and rule.marker:
            events += driver.do(PlaceMarker, by=rule.marker.placed_by)
        elif phase is Phase.READY:
            events += driver.do(OpenBets)
            for player, chance in (("ann", "rouge"), ("bob", "noir")):
                name = f"{player}{driver.count}"
                events += driver.do(Place, stake=name, player=player, chance=chance, amount=100)
            events += driver.do(CloseBets)
        elif phase is Phase.CLOSED:
            events += driver.do(Deal)
        elif phase is Phase.DEALT:
            events += driver.do(Settle)
            played += 1
    return events


def shoe_cards(packs: int) -> tuple[Card, ...]:
    """Return the cards of whole packs."""
    from trente_rules import PACK  # noqa: PLC0415 - a constant of the facade

    return PACK * packs


def test_every_window_of_the_program_is_counted_from_events() -> None:
    """S2: cards left, points out, low and high cards in, won and lost, un après, outcomes."""
    driver = Driver("italian-program")
    events = play(driver, 60)
    counted = Statistics.of(events)
    dealt = [event for event in events if isinstance(event, CoupDealt)]
    verdicts = [dict(event.verdicts) for event in dealt]
    assert counted.coups == 60 == len(dealt)
    for chance in ("rouge", "noir", "couleur", "inverse"):
        assert dict(counted.wins)[chance] == sum(v[chance] == Verdict.WIN for v in verdicts)
    assert counted.refaits == sum(v["rouge"] == Verdict.REFAIT for v in verdicts)
    assert counted.apres == sum(v["rouge"] == Verdict.APRES for v in verdicts)
    pairs = Counter(
        tuple(
            sum(card.points for card in row.cards) for row in (event.coup.first, event.coup.second)
        )
        for event in dealt
    )
    assert counted.points == tuple(pairs[pair] for pair in product(range(31, 41), repeat=2))
    accounts = dict(driver.table.state.accounts)
    for player in ("ann", "bob"):
        count = counted.player(player)
        assert count.net == accounts[player]
        assert count.won + count.lost + count.neither == 60
        assert count.staked == 6000
    assert counted.bank_net == driver.table.state.bank


def test_cards_in_and_out_are_those_of_the_shoe() -> None:
    """Cards burned unseen are out, but what they are is not known."""
    driver = Driver("italian-program")
    events = play(driver, 10)
    shoe = driver.table.state.shoe
    assert shoe is not None
    counted = Statistics.of(events).shoe
    assert counted.cards_left == shoe.left
    seen = shoe.cards[shoe.burned : shoe.position]  # type: ignore[union-attr]
    assert counted.points_out == sum(card.points for card in seen)
    assert counted.low_in == 6 * 24 - sum(card.rank <= 6 for card in seen)
    assert counted.high_in == 6 * 24 - sum(card.rank >= 8 for card in seen)


def test_a_correction_counts_the_coup_as_corrected() -> None:
    """A coup read wrong and corrected counts once, by the right cards."""
    driver = Driver("france-2007")
    driver.live()
    events: list[Event] = []
    events += driver.do(OpenBets)
    events += driver.do(Place, stake="a", player="ann", chance="rouge", amount=10)
    events += driver.do(CloseBets)
    for text in ["10♠", "10♣", "J♠", "5♠", "10♥", "10♦", "J♥", "6♥"]:
        events += driver.do(Turn, card=Card.parse(text))
    events += driver.do(Settle)
    wrong = Statistics.of(events)
    assert dict(wrong.wins)["noir"] == 1
    right = tuple(Card.parse(text) for text in ["10♠", "10♣", "J♠", "5♠", "10♥", "10♦", "J♥", "3♥"])
    events += driver.do(Correct, reason="the last card was a three", cards=right)
    counted = Statistics.of(events)
    assert (counted.coups, counted.corrected) == (1, 1)
    assert (dict(counted.wins)["noir"], dict(counted.wins)["rouge"]) == (0, 1)
    assert counted.player("ann").net == 10
    assert counted.shoe.points_out == wrong.shoe.points_out - 3
    assert counted.shoe.cards_out == wrong.shoe.cards_out


def test_a_correction_of_an_earlier_shoe_leaves_the_cards_of_this_one() -> None:
    """S2: the windows of the cards show the shoe on the table, those of the results the session."""
    table = Live("france-2007")
    table.play(coup_with(31, 33))
    table.do(EndShoe)
    table.live()
    table.play(coup_with(32, 35))
    before = Statistics.of(events_of(table))
    table.correct(1, cards=coup_with(38, 31).cards)
    after = Statistics.of(events_of(table))
    assert (dict(before.wins)["noir"], dict(before.wins)["rouge"]) == (2, 0)
    assert (dict(after.wins)["noir"], dict(after.wins)["rouge"]) == (1, 1)
    assert after.shoe == before.shoe
    assert before.shoe.points_out == 32 + 35
    table.correct(1, shoe=2, cards=coup_with(38, 31).cards)
    assert Statistics.of(events_of(table)).shoe.points_out == 38 + 31


def events_of(table: Live) -> list[Event]:
    """Return all events of the session."""
    return [event for entry in table.journal.entries() for event in entry.events]


def test_a_void_coup_counts_only_as_void() -> None:
    """A coup voided by the marker is no outcome; the close of a session is no stake."""
    driver = Driver("france-2007")
    events = play(driver, 100)
    voids = sum(event.kind == "coup-voided" for event in events)
    events += driver.do(CloseSession)
    counted = Statistics.of(events)
    assert counted.voided == voids > 0
    assert counted.coups == 100
    assert counted.tailles == sum(event.kind == "shoe-ended" for event in events)
    assert counted.player("ann").net == dict(driver.table.state.accounts)["ann"]
    assert counted.to_json()["coups"] == 100
