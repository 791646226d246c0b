"""A wrong scan before the settlement: cards taken back, or corrected, while the coup is on."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tests.table.driving import Driver, kinds
from tests.table.laws import ROUGE, house_like, refused

from trente_rules import Card, Shoe, parse_cards
from trente_rules.core.shoe import LiveShoe
from trente_rules.fair import SeededShuffler
from trente_rules.records import record_of
from trente_rules.table import (
    CardBurned,
    CardsRetracted,
    CardTurned,
    Choose,
    CloseBets,
    Correct,
    Expose,
    Phase,
    Place,
    Retract,
    Settle,
    ShowMarker,
    Statistics,
    TableState,
    Turn,
    restore,
    snapshot,
)
from trente_rules.table.history import coup_to_json, history
from trente_rules.table.invariants import faults


def card(text: str) -> Card:
    """Return a card."""
    return Card.parse(text)


def dealing(house: str = "france-2007", *turned: str) -> Driver:
    """Return a live table with a stake of Ann's, bets closed, and these cards turned."""
    table = Driver(house)
    table.live()
    table.bet(("ann", "rouge", 100))
    table.do(CloseBets)
    for text in turned:
        table.do(Turn, card=card(text))
    return table


def same(state: TableState, other: TableState) -> bool:
    """Return whether two tables are in the same state, but for the number of events."""
    return state.replaced(events=0, setup=other.setup) == other.replaced(events=0)


WRONG = "Kh Kd Ah Kc Ks Js 2d 9d"
RIGHT = "Kh Kd Qh 9c Kc Ks Js 5d"


def test_the_card_scanned_last_is_taken_back() -> None:
    """T3 a: 4♥ was 4♦; no money moves, and the bets stay closed though no card is out."""
    for house in ("france-2007", "hoyle-19c"):  # the latter takes bets until the first card
        table = dealing(house, "4h")
        accounts = table.table.state.accounts
        assert "retract" in table.table.allowed()
        place = table.house.shoe.burned(card("As")) + 1
        back = CardsRetracted((card("4h"),), (place,), "first", 0)
        assert table.do(Retract, cards=1) == (back,)
        state = table.table.state
        assert (state.phase, state.cards, state.accounts) == (Phase.DEALING, (), accounts)
        refused(table, "too-late", Place, stake="b", player="bob", chance="noir", amount=100)
        assert restore(snapshot(table.table), table.house).state == state
        (turned, *_calls) = table.do(Turn, card=card("4d"))
        assert same(table.table.state, dealing(house, "4d").table.state)
        assert isinstance(turned, CardTurned)
        assert (turned.row, turned.total) == ("first", 4)


@pytest.mark.parametrize("way", ["retract", "correct"])
def test_a_row_that_was_closed_too_late_is_mended(way: str) -> None:
    """T3 b: Q read as A, so that the first row went on: it is opened again, then closed by 9♣."""
    table = dealing("france-2007", *["Kh", "Kd", "Ah", "9c", "Kc", "Ks", "Js", "5d"])
    assert table.table.state.first_cards == 5
    if way == "retract":
        (back,) = table.do(Retract, cards=6)
        assert isinstance(back, CardsRetracted)
        assert (back.row, back.total, back.places) == ("first", 20, (3, 4, 5, 6, 7, 8))
        for text in RIGHT.split()[2:]:
            table.do(Turn, card=card(text))
    else:
        events = table.do(Correct, reason="a queen", cards=tuple(parse_cards(RIGHT)))
        assert [kinds((each,)) for each in events[:1]] == [["cards-retracted"]]
        assert events[0].cards == parse_cards("Ah 9c Kc Ks Js 5d")  # type: ignore[attr-defined]
        assert kinds(events)[1:] == ["card-turned"] * 6 + ["coup-dealt"]
    alone = dealing("france-2007", *RIGHT.split())
    assert alone.table.state.phase is Phase.DEALT
    assert same(table.table.state, alone.table.state)
    table.do(Settle)
    alone.do(Settle)
    assert table.table.state.accounts == alone.table.state.accounts


def test_a_coup_that_is_dealt_is_corrected_before_it_pays() -> None:
    """T3 c: the wrong result is never paid; what was chosen for a verdict stays chosen."""
    table = dealing("france-2007", *WRONG.split())
    assert table.table.state.phase is Phase.DEALT
    accounts = table.table.state.accounts
    right = tuple(parse_cards("Kh Kd Qh Ac Ks Js Td Ad"))  # a refait
    (back, *rest) = table.do(Correct, reason="Ah is Qh", cards=right)
    assert isinstance(back, CardsRetracted)
    assert (back.cards, back.reason) == (tuple(parse_cards(WRONG)[2:]), "Ah is Qh")
    assert kinds(rest)[-2:] == ["coup-dealt", "choice-offered"]
    table.do(Choose, stake="ann-rouge", course="partage")
    table.do(Retract, cards=1)
    state = table.table.state
    assert (state.phase, state.coup, state.accounts) == (Phase.DEALING, None, accounts)
    assert [choice.course for choice in state.choices] == ["partage"]
    table.do(Turn, card=card("Ac"))
    assert same(restore(snapshot(table.table), table.house).state, table.table.state)
    table.do(Settle)
    assert dict(table.table.state.accounts) == {"ann": -50}


def test_what_cannot_be_taken_back_is_refused() -> None:
    """Neither more cards than are out, nor those of a shoe whose order is known."""
    table = dealing("france-2007")
    assert "retract" not in table.table.allowed()
    refused(table, "bad-count", Retract)
    table.do(Turn, card=card("4h"))
    for count in (0, -1, 2):
        refused(table, "bad-count", Retract, cards=count)
    refused(table, "bad-count", Retract, exposed=True)
    refused(table, "bad-value", Retract, cards="1")
    cards = tuple(parse_cards("4h"))
    refused(table, "nothing-to-correct", Correct, reason="x", cards=cards)
    refused(table, "nothing-to-correct", Correct, reason="x")
    refused(table, "no-reason", Correct, reason=" ")
    refused(table, "choose-instead", Correct, reason="x", choices=(("ann-rouge", "prison"),))
    refused(table, "too-many-of-a-card", Correct, reason="x", cards=cards * 7)
    long = tuple(parse_cards(f"{RIGHT} 2c"))
    refused(table, "coup-too-long", Correct, reason="x", cards=long)
    events = table.do(Correct, reason="all wrong", void=True)
    assert kinds(events) == ["coup-voided"]
    known = Driver("france-2007")
    known.shoe(ROUGE)
    known.bet(("ann", "rouge", 100))
    known.deal()
    assert "retract" not in known.table.allowed()
    refused(known, "cards-known", Retract)
    refused(known, "cards-known", Correct, reason="x", cards=long)


def test_cards_exposed_between_and_the_marker_keep_their_places() -> None:
    """A card that was shown by mistake stays burned where it lies; the marker stays out."""
    table = Driver(house_like("france-2007", '[shoe.marker]\non_marker = "finish"'))
    table.live()
    table.bet(("ann", "rouge", 100))
    table.do(CloseBets)
    table.do(Turn, card=card("4h"))
    table.do(Expose, card=card("2c"))
    table.do(ShowMarker)
    table.do(Turn, card=card("5h"))
    refused(table, "not-the-last-card", Retract, exposed=True)
    (back,) = table.do(Retract, cards=2)
    assert isinstance(back, CardsRetracted)
    assert back.places == (1, 3)
    state = table.table.state
    assert (state.exposed, state.marker_shown) == ((2,), True)
    assert restore(snapshot(table.table), table.house).state == state
    places = []
    for text in ("Ts", "9s", "8s", "7s"):
        places += [e.place for e in table.do(Turn, card=card(text)) if isinstance(e, CardTurned)]
    assert places == [1, 3, 4, 5]
    shoe = table.table.state.shoe
    assert isinstance(shoe, LiveShoe)
    assert [str(each) for each in shoe.seen] == ["10♠", "2♣", "9♠", "8♠", "7♠"]
    assert list(faults(table.table.state)) == []


def test_a_card_that_was_exposed_and_misread_is_taken_back() -> None:
    """Also where the card before it was taken back meanwhile: its place is kept for it."""
    table = dealing("france-2007", "4h")
    table.do(Expose, card=card("2c"))
    (back,) = table.do(Retract, exposed=True, reason="a three")
    assert back == CardsRetracted((card("2c"),), (2,), "first", 4, exposed=True, reason="a three")
    table.do(Expose, card=card("3c"))
    table.do(Retract)
    (burned, *_calls) = table.do(Expose, card=card("Kc"))
    assert isinstance(burned, CardBurned)
    assert (burned.place, table.table.state.exposed) == (3, (2, 3))
    (turned, *_calls) = table.do(Turn, card=card("4d"))
    assert isinstance(turned, CardTurned)
    assert turned.place == 1
    assert list(faults(table.table.state)) == []
    counted = Statistics.of(e for entry in table.table.taille for e in entry.events)
    assert (counted.shoe.cards_out, counted.shoe.points_out) == (3, 17)


def test_history_and_record_show_what_was_taken_back() -> None:
    """The journal has every step; a history names them, a record has the cards as they were."""
    table = dealing("france-2007", *WRONG.split())
    table.do(Retract, cards=8, reason="misread")
    (coup,) = history(table.table.taille)
    assert (coup.status, coup.cards, coup.dealt) == ("dealing", (), None)
    table.do(Correct, reason="as on the cloth", cards=tuple(parse_cards(RIGHT)))
    table.do(Settle)
    (coup,) = history(table.table.taille)
    assert [str(each.card) for each in coup.cards] == [str(each) for each in parse_cards(RIGHT)]
    told = coup_to_json(coup)
    assert [each["reason"] for each in told["retracted"]] == ["misread"]
    assert told["retracted"][0]["cards"] == [str(each) for each in parse_cards(WRONG)]
    assert told["dealt"] == "K♥ K♦ Q♥ 9♣ / K♣ K♠ J♠ 5♦"
    record = record_of(table.table)
    assert record.coups[0].cards == tuple(parse_cards(RIGHT))
    assert record.coups[0].first_places + record.coups[0].second_places == tuple(range(1, 9))


@pytest.mark.slow
@pytest.mark.parametrize("house", ["france-2007", "germany-500"])
def test_a_shoe_with_wrong_scans_ends_as_one_without(house: str) -> None:
    """T3: 15 % of the cards are misread, missed or read twice, and mended by either way.

    The state, the statistics and the record are those of a table that read every card right.
    """
    chance = random.Random(f"scans {house}")  # noqa: S311 - not for a shoe
    wrong, right = Driver(house), Driver(house)
    wrong.live()
    right.live()
    order = list(Shoe.shuffled(right.house.shoe.packs, SeededShuffler("13" * 16)).cards)
    mended = 0
    while len(order) > 80:
        for table in (wrong, right):
            table.bet(("ann", "rouge", 1000), ("bob", "inverse", 500))
            table.do(CloseBets)
        true: list[Card] = []
        while right.table.state.phase is not Phase.DEALT:
            true.append(order.pop(0))
            right.do(Turn, card=true[-1])
        mended += scanned(wrong, true, order, chance)
        assert same(wrong.table.state, right.table.state)
        for table in (wrong, right):
            table.do(Settle)
    assert mended > 20
    assert wrong.table.state.accounts == right.table.state.accounts
    counts = [Statistics.of(events_of(table)) for table in (wrong, right)]
    assert counts[0] == counts[1]
    assert record_of(wrong.table).coups == record_of(right.table).coups


def scanned(table: Driver, true: list[Card], rest: list[Card], chance: random.Random) -> int:
    """Turn the cards of a coup with wrong scans, mend each, return how many there were."""
    mended = 0
    while table.table.state.cards != tuple(true):
        cards = table.table.state.cards
        if cards != tuple(true[: len(cards)]):
            mended += 1
            alike = next(n for n in range(len(cards)) if cards[n : n + 1] != tuple(true[n : n + 1]))
            if chance.random() < 0.5:
                table.do(Retract, cards=len(cards) - alike)
            else:
                table.do(Correct, reason="video", cards=tuple(true[: alike + 1]))
        for number in range(
            len(table.table.state.cards), len(true)
        ):  # it goes unseen until the coup is dealt
            wrong = [true[number], *true[number + 1 : number + 2], chance.choice(rest)]
            misread = chance.choice(wrong) if chance.random() < 0.15 else true[number]
            if table.table.state.phase is Phase.DEALT or not table.table.can(Turn("?", misread)):
                break
            table.do(Turn, card=misread)
    return mended


def events_of(table: Driver) -> list[Any]:
    """Return all events of a table."""
    return [each for entry in table.table.taille for each in entry.events]
