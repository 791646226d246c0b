"""The shoe at a live table: cut, burn, marker, exposed cards, its end; shoes known and live."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve
from tests.table.driving import Driver, kinds, said
from tests.table.laws import APRES, NOIR, REFAIT, ROUGE, house_like, net, refused

from trente_rules import RecordError
from trente_rules.core.cards import PACK, Card
from trente_rules.fair import SeededShuffler
from trente_rules.table import (
    Announce,
    Burn,
    CloseBets,
    CloseSession,
    Cut,
    Deal,
    EndShoe,
    Expose,
    OpenBets,
    OpenShoe,
    Phase,
    Place,
    PlaceMarker,
    Settle,
    ShowMarker,
    Turn,
    VoidCoup,
)
from trente_rules.table.sealed import Sealed
from trente_rules.table.shoe import open_shoe
from trente_rules.testing import coup_with


def marked(on_marker: str, from_end: int, base: str = "france-2007", more: str = "") -> Driver:
    """Return a table whose marker comes up where the test wants it."""
    text = f'[shoe]\n{more}\n[shoe.marker]\nfrom_end = {from_end}\non_marker = "{on_marker}"\n'
    return Driver(house_like(base, text))


def turn_all(table: Driver, cards: Any) -> list[Any]:
    """Turn these cards of a live shoe; answer the events."""
    return [event for card in cards for event in table.do(Turn, card=card)]


def test_the_house_says_who_cuts_and_who_places_the_marker() -> None:
    """Spain 1979: the player on the right cuts, the croupier places the marker; Italy: a player."""
    spain = Driver("spain-1979")
    spain.do(OpenShoe, cards=PACK * 6)
    assert "player-on-right" in str(refused(spain, "wrong-hand", Cut, by="player"))
    spain.do(Cut, by="player-on-right")
    refused(spain, "wrong-hand", PlaceMarker, by="player")
    refused(spain, "bad-marker", PlaceMarker, from_end=6)
    spain.do(PlaceMarker)
    italy = Driver("italian-program")
    italy.do(OpenShoe, cards=PACK * 6)
    refused(italy, "bad-cut", Cut, place=313)
    refused(italy, "bad-cut", Cut, place=-1)
    italy.do(Cut, place=312)
    italy.do(Burn)
    refused(italy, "wrong-hand", PlaceMarker, from_end=30)
    refused(italy, "bad-marker", PlaceMarker, from_end=19, by="player")
    assert italy.do(PlaceMarker, from_end=40, by="player")[0].from_end == 40  # type: ignore[attr-defined]


def test_a_live_shoe_is_cut_within_its_cards() -> None:
    """The place of the cut is kept for the record: it is one that the cards have."""
    table = Driver("monte-carlo-1911")
    table.do(OpenShoe)
    refused(table, "bad-cut", Cut, place=313)
    table.do(Cut, place=100)
    assert table.table.state.phase is Phase.READY


def test_a_burn_that_is_shown_is_told_of() -> None:
    """Homburg shows its one burned card; Campione's five nobody sees."""
    shown = Driver("homburg-1860")
    shown.do(OpenShoe, cards=PACK * 6)
    shown.do(Cut)
    refused(shown, "cards-known", Burn, cards=PACK[:1])
    assert shown.do(Burn)[0].cards == (PACK[0],)  # type: ignore[attr-defined]
    live = Driver("homburg-1860")
    live.do(OpenShoe)
    live.do(Cut)
    refused(live, "burn-cards-needed", Burn)
    refused(live, "burn-cards-needed", Burn, cards=PACK[:2])
    live.do(Burn, cards=PACK[:1])
    assert live.table.state.shoe.seen == PACK[:1]  # type: ignore[union-attr]
    unseen = Driver("campione")
    unseen.do(OpenShoe)
    unseen.do(Cut)
    refused(unseen, "cards-known", Burn, cards=PACK[:5])
    assert unseen.do(Burn)[0].cards == ()  # type: ignore[attr-defined]
    assert unseen.table.state.shoe.left == 307  # type: ignore[union-attr]


def test_the_marker_within_a_coup_voids_it_in_france() -> None:
    """France 2007, art. 54: the coup in hand is void, the talon is counted, the cards pass."""
    table = marked("void", 301)
    table.shoe(REFAIT, NOIR)
    table.bet(("ann", "rouge", 100))
    table.deal()
    table.do(Settle)
    table.bet(("bob", "noir", 100))
    events = table.deal()
    assert kinds(events) == ["card-turned"] * 3 + [
        "marker-shown", "coup-voided", "shoe-ended",
    ]  # fmt: skip
    assert said(events)[0] == "coup_annule"
    assert said(events).count("talon") == 301
    assert said(events)[-1] == "les_cartes_passent"
    assert net(table) == {"ann": -100, "bob": 0}
    assert [stake.id for stake in table.table.state.stakes] == ["ann-rouge"]
    assert table.table.state.phase is Phase.NO_SHOE


def test_the_marker_within_a_coup_makes_it_the_last_in_italy() -> None:
    """An Italian program: the coup is finished, called the last, settled; then the cards pass."""
    table = marked("finish", 301)
    table.shoe(ROUGE, NOIR)
    table.bet()
    table.deal()
    table.do(Settle)
    table.bet(("bob", "noir", 100))
    events = table.deal()
    assert said(events).count("dernier_coup") == 1
    assert kinds(events).index("marker-shown") == 3
    assert kinds(events)[-1] == "coup-dealt"
    settled = table.do(OpenBets)  # the next bets cannot open: the taille is over
    assert kinds(settled) == ["stake-settled", "coup-settled", "shoe-ended"]
    assert net(table) == {"bob": 100}
    assert table.table.state.phase is Phase.NO_SHOE


def test_a_last_coup_that_is_voided_is_still_the_last() -> None:
    """What voids the coup does not put the marker back."""
    table = marked("finish", 309)
    table.shoe(ROUGE)
    table.bet(("bob", "noir", 100))
    table.deal()
    events = table.do(VoidCoup, reason="a row was read twice")
    assert kinds(events) == ["coup-voided", "shoe-ended"]
    assert net(table) == {"bob": 0}


@pytest.mark.parametrize("on_marker", ["void", "finish"])
def test_a_marker_right_behind_a_coup_ends_the_shoe_after_it(on_marker: str) -> None:
    """The coup counts: its last card lay before the marker."""
    table = marked(on_marker, 304)
    table.shoe(ROUGE)
    table.bet(("ann", "rouge", 100))
    assert kinds(table.deal())[-1] == "coup-dealt"
    events = table.do(Settle)
    assert kinds(events) == ["stake-settled", "coup-settled", "marker-shown", "shoe-ended"]
    assert said(events).count("dernier_coup") == 0
    assert net(table) == {"ann": 100}


def test_the_talon_is_counted_only_where_the_house_counts_it() -> None:
    """France counts the cards behind the marker aloud; an Italian program does not."""
    for count, calls in (("true", 304), ("false", 0)):
        table = marked("void", 304, more=f"count_talon = {count}")
        table.shoe(ROUGE)
        table.bet()
        table.deal()
        assert said(table.do(Settle)).count("talon") == calls


def test_too_few_cards_void_the_coup() -> None:
    """Every house: when the cards run out within a coup, it is void."""
    table = Driver(house_like("monte-carlo-1911", '[shoe]\npacks = 1\nends = "last-card"'))
    table.shoe()
    before, events = table.table.state, table.do(Announce, phrase="ajouter_a_la_banque")
    while table.table.state.phase is Phase.READY:
        table.bet(("ann", "rouge", 20))
        before = table.table.state
        events = table.deal()
        if table.table.state.coup:
            table.do(Settle)
    assert kinds(events)[-2:] == ["coup-voided", "shoe-ended"]
    assert events[-2].why == "cards"  # type: ignore[attr-defined]
    assert net(table)["ann"] == dict(before.accounts)["ann"] + 20


def test_a_burn_of_every_card_leaves_no_coup() -> None:
    """A pack burned whole: the bets that open are given back."""
    table = Driver(
        house_like("monte-carlo-1911", '[shoe]\npacks = 1\nburn = 52\nends = "last-card"')
    )
    table.do(OpenShoe, cards=PACK)
    table.do(Cut)
    table.do(Burn)
    table.bet(("ann", "rouge", 20))
    assert kinds(table.deal()) == ["coup-voided", "shoe-ended"]
    assert net(table) == {"ann": 0}


def test_a_live_marker_is_shown_by_hand() -> None:
    """Before the first card, or within the coup, it voids in France; a known shoe shows its own."""
    for turned in (0, 3):
        table = Driver("france-2007")
        table.live()
        table.bet(("ann", "rouge", 100))
        table.do(CloseBets)
        turn_all(table, coup_with(*ROUGE).cards[:turned])
        events = table.do(ShowMarker)
        assert kinds(events) == ["marker-shown", "coup-voided", "shoe-ended"]
        assert net(table) == {"ann": 0}
    known = Driver("france-2007")
    known.shoe(ROUGE)
    refused(known, "marker-known", ShowMarker)


def test_a_live_marker_makes_the_last_coup_and_is_shown_once() -> None:
    """An Italian program: the coup goes on; a marker that is out cannot come up again."""
    table = Driver("italian-program")
    table.live()
    table.bet(("ann", "rouge", 100))
    table.do(CloseBets)
    cards = coup_with(*ROUGE).cards
    turn_all(table, cards[:2])
    assert "dernier_coup" in said(table.do(ShowMarker))
    assert "show-marker" not in table.table.allowed()
    refused(table, "marker-shown", ShowMarker)
    turn_all(table, cards[2:])
    assert kinds(table.do(Settle))[-1] == "shoe-ended"
    assert net(table) == {"ann": 100}


def test_a_live_marker_between_two_coups_ends_the_shoe() -> None:
    """The last settlement stands, and the talon is counted."""
    table = Driver("france-2007")
    table.live()
    table.bet(("ann", "rouge", 100))
    table.do(CloseBets)
    turn_all(table, coup_with(*ROUGE).cards)
    table.do(Settle)
    events = table.do(ShowMarker)
    assert kinds(events) == ["marker-shown", "shoe-ended"]
    assert said(events).count("talon") == 5  # those behind the marker
    assert net(table) == {"ann": 100}


def test_a_house_without_a_marker_shows_none() -> None:
    """Monte Carlo 1911 puts none in: what is no marker neither ends a shoe nor voids a coup."""
    table = Driver("monte-carlo-1911")
    table.live()
    assert "show-marker" not in table.table.allowed()
    refused(table, "no-marker", ShowMarker)
    table.bet()
    refused(table, "no-marker", ShowMarker)


def test_an_exposed_card_is_burned_in_france() -> None:
    """France 2007: the card is burned, and the coup goes on with the next."""
    table = Driver("france-2007")
    table.shoe(ROUGE)
    table.bet(("ann", "rouge", 100))
    shoe = table.table.state.shoe
    refused(table, "other-card", Expose, card=Card(9, "♦"))
    events = table.do(Expose, card=shoe.cards[0])  # type: ignore[union-attr]
    assert kinds(events) == ["card-burned"]
    assert said(events) == ["carte_brulee"]
    table.do(CloseBets)
    first = table.do(Turn)[0]
    assert (first.card, first.place) == (shoe.cards[1], 2)  # type: ignore[attr-defined, union-attr]
    table.do(Expose)
    table.deal_only()
    assert table.table.state.cards[1] is shoe.cards[3]  # type: ignore[union-attr]


def test_an_exposed_card_voids_the_coup_by_house() -> None:
    """Where the house says void, the coup is void, and the card is out."""
    table = Driver(house_like("monte-carlo-1911", '[shoe]\nexposed_card = "void"'))
    table.shoe(ROUGE)
    table.bet(("ann", "rouge", 100))
    table.do(CloseBets)
    table.do(Turn)
    assert kinds(table.do(Expose)) == ["card-burned", "coup-voided"]
    assert net(table) == {"ann": 0}
    assert table.table.state.shoe.position == 2  # type: ignore[union-attr]


def test_an_exposed_card_behind_the_marker_brings_the_marker_first() -> None:
    """The marker lies before the card: it voids the coup, or makes it the last."""
    for on_marker, expected in (
        ("void", ["marker-shown", "coup-voided", "shoe-ended"]),
        ("finish", ["marker-shown", "card-burned"]),
    ):
        table = marked(on_marker, 309)
        table.shoe(ROUGE)
        table.bet(("ann", "rouge", 100))
        table.do(CloseBets)
        for _card in range(3):
            table.do(Turn)
        assert kinds(table.do(Expose)) == expected


def test_exposed_cards_up_to_the_marker_leave_no_coup() -> None:
    """With the marker next and no card turned, the coup cannot begin: all is given back."""
    table = marked("finish", 310)
    table.shoe(ROUGE)
    table.bet(("ann", "rouge", 100))
    table.do(Expose)
    events = table.do(Expose)
    assert kinds(events) == ["card-burned", "marker-shown", "coup-voided", "shoe-ended"]
    assert net(table) == {"ann": 0}


def test_the_last_card_exposed_voids_the_coup() -> None:
    """No card is left to finish the coup."""
    table = Driver(
        house_like("monte-carlo-1911", '[shoe]\npacks = 1\nburn = 51\nends = "last-card"')
    )
    table.do(OpenShoe, cards=PACK)
    table.do(Cut)
    table.do(Burn)
    table.bet(("ann", "rouge", 20))
    assert kinds(table.do(Expose)) == ["card-burned", "coup-voided", "shoe-ended"]


@pytest.mark.parametrize(("at_end", "left", "richer"), [("carry", 1, -100), ("close", 0, -50)])
def test_prisoners_at_the_end_of_the_shoe(at_end: str, left: int, richer: int) -> None:
    """Prisoners wait for the next shoe, or are closed as at the end of the session."""
    table = Driver(house_like("france-2007", f'[shoe]\nprisoners_at_end = "{at_end}"'))
    table.shoe(REFAIT)
    table.bet(("ann", "rouge", 100))
    table.deal()
    table.do(Settle)
    events = table.do(EndShoe)
    assert kinds(events) == ["shoe-ended", *(["stake-settled"] if not left else [])]
    assert events[0].why == "called"  # type: ignore[attr-defined]
    assert said(events) == ["les_cartes_passent"]
    assert len(table.table.state.stakes) == left
    assert net(table) == {"ann": richer}
    if left:
        table.shoe(ROUGE)
        table.bet()
        table.deal()
        table.do(Settle)
        assert net(table) == {"ann": 0}


def test_the_same_entropy_deals_the_same_cards_to_other_bets() -> None:
    """Dealing knows no bets: whatever is staked, exposed by nobody, the cards are the same."""
    dealt = []
    for players in (0, 1, 7):
        table = Driver("campione")
        order = OpenShoe.shuffled("o", 6, SeededShuffler(b"the same entropy"))
        assert isinstance(order.cards, tuple)
        table.prepare(order.cards)
        coups = []
        while table.table.state.phase is Phase.READY:
            table.bet(*((f"p{n}", ("rouge", "inverse")[n % 2], 500 + n) for n in range(players)))
            table.deal()
            if table.table.state.coup:
                coups.append(table.table.state.coup)
                table.do(Settle)
        dealt.append(coups)
        table.do(CloseSession)
        assert table.table.state.stakes == ()
    assert dealt[0] == dealt[1] == dealt[2]
    assert len(dealt[0]) > 20


def test_turned_one_by_one_a_coup_is_the_same() -> None:
    """All at once or card by card: the same events in the same order, and the same table."""
    whole, single = Driver("spain-1979"), Driver("spain-1979")
    for table in (whole, single):
        table.shoe(REFAIT, NOIR)
        table.bet(("ann", "rouge", 100))
        table.do(CloseBets)
    events = whole.do(Deal)
    assert [event for _card in range(8) for event in single.do(Turn)] == list(events)
    assert evolve(whole.table.state, events=0) == evolve(single.table.state, events=0)


def test_a_live_shoe_takes_no_card_too_often_and_no_deal() -> None:
    """Six packs hold six queens of hearts; the table cannot deal what it does not know."""
    table = Driver("german-spas-1840")
    table.live()
    table.bet()
    table.do(CloseBets)
    assert "deal" not in table.table.allowed()
    refused(table, "card-needed", Deal)
    refused(table, "card-needed", Turn)
    queen = Card(12, "♥")
    for _card in range(3):
        table.do(Turn, card=queen)
    refused(table, "too-many-of-a-card", Turn, card=queen)
    refused(table, "bad-value", Turn, card="Q♥")
    table.do(VoidCoup, reason="a card is missing")
    table.do(EndShoe)


def test_every_phase_can_be_left_and_a_closed_table_cannot() -> None:
    """From each phase of a session a shoe can be ended, or the session closed."""
    table = Driver("italian-program")
    for kind, fields in (
        (OpenShoe, {"cards": PACK * 6}),
        (Cut, {}),
        (Burn, {}),
        (PlaceMarker, {"by": "player"}),
    ):
        assert "close-session" in table.table.allowed()
        table.do(kind, **fields)
    table.do(OpenBets)
    table.do(CloseBets)
    table.do(Turn)
    assert "void-coup" in table.table.allowed()
    table.deal_only()
    assert {"void-coup", "settle"} <= set(table.table.allowed())
    table.do(VoidCoup, reason="x")
    table.do(OpenBets)
    table.do(Place, stake="a", player="ann", chance="rouge", amount=10, insured=True)
    events = table.do(CloseSession)
    assert kinds(events) == ["stake-settled", "session-closed"]
    assert events[0].line.premium_returned == 1  # type: ignore[attr-defined]
    assert net(table) == {"ann": 0}
    assert table.table.allowed() == ("correct",)
    refused(table, "not-now", OpenShoe)


def test_ties_leave_the_shoe_and_the_money_as_they_were() -> None:
    """An ordinary tie gives free stakes back, and the next coup follows from the next card."""
    table = Driver("france-2007")
    table.shoe(APRES, ROUGE)
    table.bet(("ann", "rouge", 100))
    table.deal()
    table.do(Settle)
    assert net(table) == {"ann": 0}
    assert table.table.state.shoe.position == 8  # type: ignore[union-attr]


def test_the_whole_of_a_live_shoe_may_be_lifted_at_the_cut() -> None:
    """A cut is 0 to 312 cards deep, both included."""
    for place in (0, 312):
        table = Driver("monte-carlo-1911")
        table.do(OpenShoe)
        assert table.do(Cut, place=place)[0].place == place  # type: ignore[attr-defined]
    table = Driver("monte-carlo-1911")
    table.do(OpenShoe)
    error = refused(table, "bad-cut", Cut, place=313)
    assert (error.message, error.hint) == ("cannot cut at 313", "a cut is 0 to 312 cards deep")


def test_the_marker_lies_where_it_was_drawn() -> None:
    """A place was drawn with the order of the cards: another is refused, that one is taken."""
    table = Driver("italian-program")
    table.do(OpenShoe, cards=PACK * 6, marker=30)
    table.do(Cut, place=100)
    table.do(Burn)
    error = refused(table, "fair-drawn", PlaceMarker, from_end=31, by="player")
    assert error.message == "the marker of this shoe cannot lie 31 cards from the end"
    assert error.hint == "leave the place out: it was drawn with the order of the cards"
    assert table.do(PlaceMarker, by="player")[0].from_end == 30  # type: ignore[attr-defined]


def test_a_shoe_is_not_opened_without_its_cards() -> None:
    """An empty list, and cards that are sealed: the error names what to give."""
    table = Driver("france-2007")
    error = refused(table, "no-cards", OpenShoe, cards=())
    assert error.message == "the list of the cards is empty"
    hint = "give whole packs in their order, or leave the cards out to open a live shoe"
    assert error.hint == hint
    sealed = OpenShoe(id="1", cards=Sealed("x"))  # type: ignore[arg-type]
    with pytest.raises(RecordError) as caught:
        open_shoe(table.table.state, sealed)
    assert caught.value.code == "journal-sealed"
    assert caught.value.message == "the order of the shoe is sealed: its cards are closed"
