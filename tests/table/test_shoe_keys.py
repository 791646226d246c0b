"""The keys of [shoe] and [deal] that say how a shoe begins and ends, at a live table."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from attrs import evolve
from tests.table.driving import Driver, kinds
from tests.table.laws import house_like, net

from trente_rules import Card, Colour, ConfigurationError, House, Shoe, Table, load_house
from trente_rules.core.cards import PACK
from trente_rules.core.errors import CardError, PhaseError
from trente_rules.core.shoe import LiveShoe
from trente_rules.fair import SeededShuffler
from trente_rules.odds.sequential import sequential
from trente_rules.records import dumps_record, record_of, replay, verify_record
from trente_rules.records.recorder import Recorder
from trente_rules.table import (
    Burn,
    CloseBets,
    CloseSession,
    Correct,
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
    restore,
    snapshot,
)
from trente_rules.table.events import Announced, Event, MarkerShown, ShoeEnded
from trente_rules.table.invariants import faults
from trente_rules.testing import coup_with, stacked_shoe

ROUGE, REFAIT = (36, 33), (31, 31)


class Kept(Driver):
    """A table whose events go to a recorder, and whose every state is sound and restored."""

    def __init__(self, house: House | str) -> None:
        """Begin with nothing kept."""
        super().__init__(house)
        self.recorder = Recorder(self.house, "table", self.table.state.setup.opening)
        self.events: list[Event] = []

    def do(self, kind: type[Any], **fields: Any) -> tuple[Event, ...]:
        """Do a command, and check the state."""
        events = super().do(kind, **fields)
        command = self.table.entries[-1].command
        self.recorder.append(command, events, self.table.state)
        self.events += events
        assert not list(faults(self.table.state))
        if self.count % 5 == 0:  # it takes time
            assert restore(snapshot(self.table), self.house).state == self.table.state
        return events

    def calls(self) -> list[str]:
        """Return the phrases that were said."""
        return [event.phrase for event in self.events if isinstance(event, Announced)]

    def coup(self, *stakes: tuple[str, str, int]) -> tuple[Event, ...]:
        """Play a coup to its settlement; return all its events."""
        before = len(self.events)
        self.bet(*stakes)
        self.deal()
        if self.table.state.phase is Phase.DEALT:
            self.do(Settle)
        return tuple(self.events[before:])

    def to_the_end(self) -> None:
        """Play the rest of the shoe."""
        while "open-bets" in self.table.allowed():
            self.coup()

    def replayed(self) -> None:
        """Check the record: valid, and the same dealt again, with or without the order."""
        record = self.recorder.record()
        assert not [each for each in verify_record(record) if each.holds is False]
        assert replay(record).differences == ()
        bare = evolve(record, shoe=evolve(record.shoe, order=()))
        assert [d for d in replay(bare).differences if d.field != "sha256"] == []


def order_of(number: int, packs: int = 6) -> tuple[Card, ...]:
    """Return whole packs in some order."""
    return SeededShuffler(f"{number:032x}").shuffle(PACK * packs)


# D9: no bets where no coup can be made


@pytest.mark.parametrize("seed", range(12))
def test_no_bets_are_invited_where_no_coup_is_left(seed: int) -> None:
    """D9: with fewer than 8 cards or 62 points left the cards pass at once, and not before."""
    table = Kept("monte-carlo-1911")
    table.prepare(order_of(seed))
    left = (0, 0)
    while "open-bets" in table.table.allowed():
        shoe = table.table.state.shoe
        assert isinstance(shoe, Shoe)
        left = shoe.left, sum(card.points for card in shoe.rest)
        assert left[0] >= 8
        assert left[1] >= 62
        table.coup()
    assert kinds(table.events)[-1] == "shoe-ended"
    (ended,) = (event for event in table.events if isinstance(event, ShoeEnded))
    rest = order_of(seed)[312 - ended.left :]
    assert len(rest) < 8 or sum(card.points for card in rest) < 62
    assert table.calls()[-1] == "les_cartes_passent"
    table.replayed()


def test_the_example_of_one_card_left() -> None:
    """D9: the shoe of the finding, cut at 7, ends before its last card is bet on."""
    table, seen = Driver("monte-carlo-1911"), list[Event]()
    table.do(OpenShoe, cards=order_of(1))
    table.do(Cut, place=7, by="player")
    while "open-bets" in table.table.allowed():
        table.do(OpenBets)
        table.do(CloseBets)
        seen += table.do(Deal)
        if "settle" in table.table.allowed():
            seen += table.do(Settle)
    assert "coup-voided" not in kinds(seen)
    (ended,) = (event for event in seen if isinstance(event, ShoeEnded))
    assert ended.left == 1


def test_a_live_shoe_counts_what_was_seen() -> None:
    """D9: seven cards left are seen to be too few; burned cards that nobody saw may be low ones."""
    rule = load_house("monte-carlo-1911").shoe
    cards = PACK * 6
    assert rule.ended(LiveShoe(6, cards[:305]))
    assert not rule.ended(LiveShoe(6, cards[:303]))  # 5 to K: 9 cards, 77 points
    low = sorted(cards, key=lambda card: card.points)
    assert rule.ended(LiveShoe(6, tuple(low[20:])))  # 20 aces
    assert not rule.ended(LiveShoe(6, tuple(low[20:-5])))  # and five tens
    # Of 24 aces and five tens nobody has seen, five cards are burned: aces, perhaps.
    unknown = LiveShoe(6, tuple(low[24:-5]), unseen=5)
    assert (unknown.left, unknown.most_points) == (24, 50 + 19)
    assert not rule.ended(unknown)


def test_a_prisoner_waits_for_the_next_shoe_without_bets() -> None:
    """D9: the end between two coups leaves prisoners as the house says, and takes no stake."""
    for at_end, left in (("carry", 1), ("close", 0)):
        table = Kept(house_like("monte-carlo-1911", f'[shoe]\nprisoners_at_end = "{at_end}"'))
        cards = stacked_shoe([coup_with(*REFAIT)], 6).cards
        table.prepare((*cards[11:], *cards[:11]))  # at the end the refait, and 3 cards more
        while "open-bets" in table.table.allowed():
            table.coup(
                ("ann", "rouge", 20) if not table.table.state.stakes else ("bob", "noir", 20)
            )
        assert "coup-voided" not in kinds(table.events)
        assert len(table.table.state.stakes) <= left
        table.replayed()


# D10: a marker between two coups


def taille(house: House, cards: tuple[Card, ...], from_end: int) -> list[Event]:
    """Return the events of a taille of the Italian program, without a stake."""
    table, seen = Table(house), list[Event]()

    def do(kind: type[Any], **more: Any) -> None:
        seen.extend(table.do(kind(id=f"{len(seen)}-{kind.kind}", **more)))

    do(OpenShoe, cards=cards)
    do(Cut, place=7, by="player")
    do(Burn)
    do(PlaceMarker, by="player", from_end=from_end)
    while "open-bets" in table.allowed():
        do(OpenBets)
        do(CloseBets)
        do(Deal)
        if "settle" in table.allowed():
            do(Settle)
    return seen


@pytest.mark.slow
def test_the_italian_program_always_has_its_last_coup() -> None:
    """D10: of 200 tailles none ends at the marker without the coup that is called the last."""
    without = between = 0
    house = load_house("italian-program")
    for seed in range(200):
        seen = taille(house, order_of(seed), 20 + seed % 21)
        (shown,) = (event for event in seen if isinstance(event, MarkerShown))
        without += not shown.last
        calls = [event.phrase for event in seen if isinstance(event, Announced)]
        assert calls.count("dernier_coup") == 1
        place = seen.index(shown)
        between += any(event.kind == "bets-opened" for event in seen[place:])
        assert len([event for event in seen[place:] if event.kind == "coup-dealt"]) == 1
    assert without == 0
    assert between == 23


def last_coup_house() -> House:
    """Return a house whose marker lies behind the second coup of a stacked shoe."""
    return house_like(
        "france-2007",
        "[shoe]\ncount_talon = false\n[shoe.marker]\nfrom_end = 296\non_marker = 'last-coup'",
    )


def test_the_last_coup_is_called_before_its_bets() -> None:
    """D10: the marker that is next is shown when the coup before it is settled."""
    table = Kept(last_coup_house())
    table.shoe(ROUGE, REFAIT, ROUGE)
    assert "marker-shown" not in kinds(table.coup(("ann", "rouge", 100)))
    events = table.coup(("ann", "rouge", 100))
    assert kinds(events)[-1] == "marker-shown"
    assert table.calls()[-1] == "dernier_coup"
    assert table.table.state.phase is Phase.READY
    assert table.table.state.marker_shown
    # The coup before is corrected: the marker is shown again, and one coup is still to come.
    table.do(Correct, reason="a wrong course", choices=(("ann-rouge", "partage"),))
    assert table.table.state.marker_shown
    events = table.coup(("bob", "noir", 100))
    assert kinds(events)[-1] == "shoe-ended"
    record = table.recorder.record()
    assert [(coup.marker, coup.last) for coup in record.coups] == [
        (None, False),
        (None, False),
        (16, True),
    ]
    table.replayed()


@pytest.mark.parametrize("phase", [Phase.READY, Phase.BETTING, Phase.CLOSED])
def test_a_live_marker_before_a_coup_makes_it_the_last(phase: Phase) -> None:
    """D10: shown between two coups, or before the first card of the coup."""
    table = Kept(last_coup_house())
    table.live()
    table.bet()
    table.turn(coup_with(*ROUGE))
    table.do(Settle)
    if phase is Phase.READY:
        table.do(ShowMarker)
        with pytest.raises(CardError, match="out already"):
            table.do(ShowMarker)
        assert "show-marker" not in table.table.allowed()
    table.bet(("ann", "rouge", 100))
    if phase is Phase.BETTING:
        table.do(ShowMarker)
    table.do(CloseBets)
    if phase is Phase.CLOSED:
        table.do(ShowMarker)
    assert table.calls().count("dernier_coup") == 1
    for card in coup_with(*ROUGE, Colour.ROUGE, Colour.ROUGE).cards:
        table.do(Turn, card=card)
    assert kinds(table.do(Settle))[-1] == "shoe-ended"
    table.replayed()


def test_a_session_closed_before_the_last_coup_is_replayed() -> None:
    """D10: the record knows the marker that came up after the last coup dealt."""
    for called in (False, True):
        table = Kept(last_coup_house())
        table.live()
        table.bet()
        table.turn(coup_with(*ROUGE))
        table.do(Settle)
        table.do(ShowMarker)
        if called:
            table.do(EndShoe)
        table.do(CloseSession)
        assert table.recorder.record().end.marker == 8
        table.replayed()


# D11: bets before the cut


def test_foster_takes_the_first_bets_before_the_cut() -> None:
    """D11: "The players having made their bets, and cut the cards": bets, the cut, then cards."""
    table = Kept("foster-1897")
    cards = stacked_shoe([coup_with(*ROUGE), coup_with(*REFAIT)], 6).cards
    table.do(OpenShoe, cards=cards)
    assert "cut" not in table.calls()
    assert table.table.allowed()[:1] == ("open-bets",)
    table.bet(("ann", "rouge", 100))
    assert not {"expose", "deal", "cut"} & set(table.table.allowed())
    with pytest.raises(PhaseError, match="cannot be done now"):
        table.do(Expose)
    table.do(CloseBets)
    assert table.calls()[-1] == "cut"
    assert table.table.allowed() == ("cut", "void-coup", "announce")
    with pytest.raises(PhaseError, match="rien ne va plus"):
        table.do(Place, stake="x", player="bob", chance="noir", amount=100)
    table.do(Cut, place=0, by="player")
    assert table.table.state.phase is Phase.CLOSED
    table.do(Deal)
    table.do(Settle)
    assert net(table) == {"ann": 100}
    # The next coups of the shoe are dealt without a cut.
    assert "cut-made" not in kinds(table.coup(("ann", "rouge", 100)))
    table.do(Correct, reason="a wrong course", choices=(("ann-rouge", "partage"),))
    table.to_the_end()
    table.replayed()


def test_a_coup_voided_before_the_cut_leaves_it_to_the_next() -> None:
    """D11: bets go back, and the cards are still uncut; the session may close between."""
    table = Kept("foster-1897")
    table.do(OpenShoe, cards=order_of(3))
    for closed in (False, True):
        table.bet(("ann", "rouge", 100))
        if closed:
            table.do(CloseBets)
        table.do(VoidCoup, reason="the lights are out")
        assert (net(table)["ann"], table.table.state.uncut) == (0, True)
    table.coup(("ann", "rouge", 100))
    assert kinds(table.events).count("cut-made") == 1
    table.to_the_end()
    table.replayed()
    table.do(OpenShoe, cards=order_of(4))
    table.do(EndShoe)
    assert not table.table.state.uncut
    table.do(OpenShoe, cards=order_of(5))
    table.do(CloseSession)
    table.replayed()


def test_the_cut_after_the_bets_comes_before_burn_and_marker() -> None:
    """D11: what the house does before the first card is done between the bets and the card."""
    table = Kept(
        house_like("italian-program", '[shoe]\ncut = "after-bets"\n[limits]\nlate_bets = "refused"')
    )
    table.do(OpenShoe, cards=order_of(6))
    table.bet(("ann", "rouge", 100))
    table.do(CloseBets)
    table.do(Cut, by="player")
    assert table.table.allowed() == ("burn", "announce")
    table.do(Burn)
    assert table.table.allowed() == ("place-marker", "announce")
    table.do(PlaceMarker, by="player", from_end=30)
    assert table.table.state.phase is Phase.CLOSED
    table.do(VoidCoup, reason="a card fell")
    assert net(table) == {"ann": 0}
    table.to_the_end()
    assert kinds(table.events).count("burned") == 1
    table.replayed()


# D-R14: burned as the first card says


@pytest.mark.parametrize(("first", "burned"), [("A♠", 2), ("7♥", 8), ("Q♦", 11)])
@pytest.mark.parametrize("shown", [False, True])
def test_the_first_card_says_how_many_are_burned(first: str, burned: int, *, shown: bool) -> None:
    """D-R14: the first card is shown and burned, and as many more as it has points."""
    house = house_like(
        "italy-half-loss", f'[shoe]\nburn = "first-card"\nburn_shown = {str(shown).lower()}'
    )
    card = Card.parse(first)
    cards = list(PACK * 6)
    cards.remove(card)
    for live in (False, True):
        table = Kept(house)
        table.do(OpenShoe, cards=None if live else (card, *cards))
        table.do(Cut, by="player")
        assert "burn" not in table.calls()
        seen = (card, *cards)[: burned if shown else 1]
        if live:
            for wrong in ((), (card, *cards)[: burned + 1]):
                with pytest.raises(CardError, match="burn"):
                    table.do(Burn, cards=wrong)
        events = table.do(Burn, cards=seen if live else ())
        assert (events[-1].count, events[-1].cards) == (burned, seen)  # type: ignore[attr-defined]
        assert kinds(events) == ["burned"]
        assert table.calls()[-1] == "burn"
        shoe = table.table.state.shoe
        assert shoe is not None
        assert shoe.position == burned
        assert house.shoe.prepare(Shoe.of_cards((card, *cards), 6)).burned == burned
        table.coup() if not live else None
        table.replayed()


# D-R15: the first row by the cut


@pytest.mark.parametrize(("card", "row"), [("A♠", "noir"), ("K♥", "rouge")])
def test_the_card_of_the_cut_decides_the_first_row(card: str, row: str) -> None:
    """D-R15: for the whole shoe: verdicts, calls and record are those of that order."""
    cut_house = house_like("homburg-1860", '[deal]\nfirst_row = "cut"')
    fixed = house_like("homburg-1860", f'[deal]\nfirst_row = "{row}"')
    last = Card.parse(card)
    cards = list(stacked_shoe([coup_with(36, 33), coup_with(33, 36)], 6, burn=1).cards)
    cards.remove(last) if cards[-1] != last else cards.pop()
    cards.append(last)
    for live in (False, True):
        both = []
        for house in (cut_house, fixed):
            table = Kept(house)
            table.do(OpenShoe, cards=None if live else tuple(cards))
            told = {"card": last} if live and house is cut_house else {}
            if told:
                with pytest.raises(CardError, match="does not know the card of the cut"):
                    table.do(Cut, by="player")
            table.do(Cut, by="player", **told)
            table.do(Burn, cards=tuple(cards[:1]) if live else ())
            place = 1
            for chance in ("rouge", "couleur"):
                table.bet(("ann", chance, 100))
                table.do(CloseBets)
                while table.table.state.phase is not Phase.DEALT:
                    table.do(Turn, card=cards[place] if live else None)
                    place += 1
                table.do(Settle)
            table.replayed()
            both.append(table)
        one, other = both
        assert one.table.state.accounts == other.table.state.accounts
        assert one.calls() == other.calls()
        record = one.recorder.record()
        assert (record.shoe.first_row, record.shoe.cut_card) == (row, (last,))
        assert other.recorder.record().shoe.first_row == ""
        assert [coup.verdicts for coup in record.coups] == [
            coup.verdicts for coup in other.recorder.record().coups
        ]


def test_a_shoe_of_known_order_shows_the_lowest_card_lifted() -> None:
    """D-R15: the last card after the cut; another one is refused, and so is one of no use."""
    house = house_like("homburg-1860", '[deal]\nfirst_row = "cut"')
    cards = order_of(9)
    table = Kept(house)
    table.do(OpenShoe, cards=cards)
    wrong = next(card for card in PACK if card != cards[99])
    with pytest.raises(CardError, match="not the card of this cut"):
        table.do(Cut, place=100, by="player", card=wrong)
    (made, *_others) = table.do(Cut, place=100, by="player")
    assert made.card == cards[99]  # type: ignore[attr-defined]
    plain = Driver("homburg-1860")
    plain.do(OpenShoe, cards=cards)
    with pytest.raises(CardError, match="always of the same colour"):
        plain.do(Cut, by="player", card=cards[-1])


def test_the_fingerprint_knows_that_the_cut_decides() -> None:
    """D-R15: its verdict tables are those of noir first, its rules are not."""
    houses = [house_like("homburg-1860", f'[deal]\nfirst_row = "{r}"') for r in ("noir", "cut")]
    assert houses[0].chances == houses[1].chances
    assert houses[0].fingerprint != houses[1].fingerprint
    assert houses[1].dealt_first("rouge").deal.first_row == "rouge"
    assert houses[0].dealt_first("rouge") is houses[0]


# D-R35: shuffled for every coup

MACHINE = '[shoe]\npacks = 8\nshuffled = "every-coup"'


def test_every_coup_of_a_machine_is_of_whole_packs() -> None:
    """D-R35: coups are counted on, prisoners stay, and nothing of a taille is said."""
    table = Kept(house_like("monte-carlo-1911", f'{MACHINE}\nends = "last-card"'))
    for number in range(1, 5):
        cards = stacked_shoe([coup_with(*(REFAIT if number == 1 else ROUGE))], 8).cards
        assert table.table.allowed() == (
            ("open-shoe", "post", "announce", "close-session")
            if number == 1
            else ("open-shoe", "correct", "post", "announce", "close-session")
        )
        table.do(OpenShoe, cards=cards)
        assert "end-shoe" not in table.table.allowed()
        with pytest.raises(PhaseError):
            table.do(EndShoe)
        table.bet(*([("ann", "rouge", 100)] if number == 1 else []))
        assert table.table.state.coup_number == number
        table.do(CloseBets)
        table.do(Deal)
        table.do(Settle)
        assert table.table.state.phase is Phase.NO_SHOE
        assert table.table.state.shoe_number == 1
        if number == 1:
            assert len(table.table.state.stakes) == 1
    assert net(table) == {"ann": 0}  # freed by the second coup
    assert not {"cut", "dernier_coup", "les_cartes_passent", "burn"} & set(table.calls())
    table.do(Correct, reason="a wrong row", void=True)
    table.do(CloseSession)
    (record,) = table.recorder.records
    assert [coup.number for coup in record.coups] == [1, 2, 3, 4]
    assert [coup.places[0] for coup in record.coups] == [1, 1, 1, 1]
    assert (record.shoe.shuffled, record.shoe.order) == ("every-coup", ())
    assert dumps_record(record)
    table.replayed()


def test_the_history_of_a_machine_continues() -> None:
    """D-R35: a progression counts the bets of the coups before, as within a taille."""
    house = house_like(
        "venezia-online",
        f'{MACHINE}\nends = "last-card"\ncut_by = "player"\n'
        '[limits.progression]\nreference = 1\nat_most = "3/2"',
    )
    table = Kept(house)
    least = table.table.state.setup.opening.minimum or 0
    for _coup in range(2):
        table.do(OpenShoe, cards=stacked_shoe([coup_with(*ROUGE)], 8).cards)
        table.coup(("ann", "rouge", least))
    table.do(OpenShoe)
    table.do(OpenBets)
    place = Place(id="much", stake="b", player="ann", chance="rouge", amount=2 * least)
    assert table.table.why_not(place) is not None


def test_a_live_machine_takes_cards_for_each_coup() -> None:
    """D-R35: the cards of a coup are counted against whole packs, and forgotten after it."""
    table = Kept(
        house_like(
            "monte-carlo-1911", '[shoe]\npacks = 1\nshuffled = "every-coup"\nends = "last-card"'
        )
    )
    for _coup in range(3):
        table.live()
        table.bet(("ann", "rouge", 20))
        table.do(CloseBets)
        for text in ["10♠", "J♠", "Q♠", "6♠", "10♥", "J♥", "Q♥", "3♥"]:
            table.do(Turn, card=Card.parse(text))
        table.do(Settle)
    table.live()
    table.bet()
    table.do(CloseBets)
    table.do(Turn, card=Card(10, "♠"))
    with pytest.raises(CardError, match="came up 1 time already"):
        table.do(Turn, card=Card(10, "♠"))
    assert net(table) == {"ann": 60}
    table.replayed()
    last = record_of(table.table)
    assert [coup.number for coup in last.coups] == []


def test_the_record_of_a_part_begins_at_any_coup() -> None:
    """D-R35: a recorder that begins later has the coups from there on."""
    table = Kept(house_like("monte-carlo-1911", f'{MACHINE}\nends = "last-card"'))
    for _coup in range(3):
        table.do(OpenShoe, cards=stacked_shoe([coup_with(*ROUGE)], 8).cards)
        table.coup(("ann", "rouge", 20))
    record = record_of(table.table)
    assert [coup.number for coup in record.coups] == [3]
    assert not [each for each in verify_record(record) if each.holds is False]
    assert replay(record).differences == ()


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('burn = 5\nends = "last-card"', "shoe.burn"),
        ('marker = { from_end = 5 }\nends = "last-card"', "shoe.marker.from_end"),
        ('ends = "no-coup"', "shoe.ends"),
        ('cut = "after-bets"\nends = "last-card"', "shoe.cut"),
        ('cut_by = "croupier"\nends = "last-card"', "shoe.cut_by"),
        ('prisoners_at_end = "close"\nends = "last-card"', "shoe.prisoners_at_end"),
    ],
)
def test_keys_of_a_taille_cannot_act_without_one(text: str, key: str) -> None:
    """D-R35: what concerns the cut, the burn and the end of a shoe is refused."""
    with pytest.raises(ConfigurationError) as caught:
        house_like("monte-carlo-1911", f"{MACHINE}\n{text}")
    assert [(fault.key, fault.code) for fault in caught.value.faults] == [(key, "key-cannot-act")]


def test_every_coup_of_a_machine_is_the_first() -> None:
    """D-R35: one coup a shoe, which is sure to be completed; later coups are independent."""
    house = house_like(
        "france-2007", '[shoe]\nshuffled = "every-coup"\nmarker = "none"\ncount_talon = false'
    )
    assert (house.shoe.sure_coups(), house.shoe.most_coups()) == (1, 1)
    for wager in sequential(house).wagers:
        assert (wager.difference, wager.error) == (Fraction(0), Fraction(0))
