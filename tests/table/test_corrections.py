"""Any coup of a session is corrected at any time: what is left is what was true all along."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.table.driving import Driver
from tests.table.laws import house_like, net, refused
from tests.table.ten_players import dice_of
from tests.whole_units import whole_house

from trente_rules import House, Table, TrenteError, parse_cards
from trente_rules.core.cards import PACK, Card
from trente_rules.core.coup import Coup
from trente_rules.core.shoe import LiveShoe
from trente_rules.records.recorder import Recorder
from trente_rules.table import (
    Choose,
    CloseBets,
    CloseSession,
    Command,
    Correct,
    EndShoe,
    Event,
    Expose,
    Insure,
    MemoryJournal,
    MovePrisoner,
    OpenBets,
    OpenShoe,
    Phase,
    Place,
    Round,
    Settle,
    Turn,
    VoidCoup,
    coups,
    final,
    history,
    recover,
    restore,
    snapshot,
)
from trente_rules.table.invariants import faults
from trente_rules.table.state import balance
from trente_rules.table.statistics import Statistics
from trente_rules.testing import coup_with

ROUGE, NOIR, TIE = coup_with(33, 31), coup_with(31, 33), coup_with(31, 31)


class Live(Driver):
    """A live shoe at a table with a journal, whose session has a short name."""

    def __init__(self, house: House | str = "italy-prison") -> None:
        """Open the shoe."""
        super().__init__(house)
        opening = self.table.state.setup.opening
        self.journal = MemoryJournal()
        self.table = Table(self.house, opening=opening, session="S", journal=self.journal)
        self.live()

    def correct(self, coup: int, shoe: int = 1, **fields: Any) -> tuple[Event, ...]:
        """Correct a coup of a shoe."""
        return self.do(Correct, reason="video", target=Round("S", shoe, coup), **fields)


def test_a_correction_moves_what_the_ledger_says() -> None:
    """T14: 33/31 corrected to 31/33 an hour later, to the id; void, then everything comes back."""
    table = Live()
    table.bet(("ann", "rouge", 100))
    table.turn(ROUGE)
    settled = table.table.execute(Settle(id="settle-7"))
    assert [(m.id, m.units, m.reason) for m in settled.movements] == [
        ("S//settle-7/0", 100, "returned"),
        ("S//settle-7/1", 100, "won"),
    ]
    table.bet()
    first, coup = Round("S", 1, 1), table.table.execute
    done = coup(Correct(id="correct-8", reason="video", target=first, cards=NOIR.cards))
    assert [(m.id, m.round, m.units, m.reason, m.reverses) for m in done.movements] == [
        ("S//correct-8/0", first, -100, "reversal", "S//settle-7/0"),
        ("S//correct-8/1", first, -100, "reversal", "S//settle-7/1"),
    ]
    assert net(table) == {"ann": -100}
    same = coup(Correct(id="again", reason="sure", target=first))
    assert same.movements == ()
    void = coup(Correct(id="void", reason="no coup", target=first, void=True))
    assert [(m.units, m.reason) for m in void.movements] == [(100, "void")]
    back = coup(Correct(id="back", reason="a coup", target=first, cards=ROUGE.cards))
    assert [(m.units, m.reason, m.reverses) for m in back.movements] == [
        (-100, "reversal", "S//void/0"),
        (100, "returned", ""),
        (100, "won", ""),
    ]
    assert net(table) == {"ann": 100}


def test_a_wrong_card_of_an_earlier_coup_makes_room_for_the_true_one() -> None:
    """T3 d: one K♥ of coup 1 was K♦; the seventh is refused until that is corrected, mid-row."""
    table = Live(house_like("france-2007", ""))
    for row in ("K♥ K♥ K♥ A♥ K♥ K♥ K♥ 2♥", "9♣ 9♣ 9♣ 8♣ 9♦ 9♦ 9♦ 8♦"):
        table.bet()
        table.do(CloseBets)
        for card in row.split():
            table.do(Turn, card=Card.parse(card))
        table.do(Settle)
    table.bet()
    table.do(CloseBets)
    table.do(Turn, card=Card.parse("4♠"))
    refused(table, "too-many-of-a-card", Turn, card=Card.parse("K♥"))
    right = Coup.parse("K♦ K♥ K♥ A♥ / K♥ K♥ K♥ 2♥").cards
    table.correct(1, cards=right)
    table.do(Turn, card=Card.parse("K♥"))
    assert table.table.state.shoe.seen[:8] == right  # type: ignore[union-attr]


@pytest.mark.slow
def test_a_prisoner_is_followed_through_twenty_coups_to_its_end() -> None:
    """T14: coup 1 was a refait: ann is in prison through nineteen ties, and lost in coup 21."""
    table = Live("eight-packs-machine")
    table.play(ROUGE, ("ann", "rouge", 100))
    for _time in range(19):
        table.do(OpenShoe)
        table.play(coup_with(35, 35))
    table.do(OpenShoe)
    table.play(NOIR)
    assert net(table) == {"ann": 100}
    events = table.correct(1, cards=TIE.cards)
    kinds = Counter(event.kind for event in events)
    assert kinds["line-corrected"] == 20
    assert net(table) == {"ann": -100}
    table.correct(21, cards=ROUGE.cards)
    assert (net(table), table.table.state.bank) == ({"ann": 0}, 0)
    assert not list(faults(table.table.state))
    assert recover(table.journal).state == table.table.state


@pytest.mark.parametrize(
    ("target", "hint"),
    [
        (Round("other", 1, 1), "the session of this table is s"),
        (Round("s", 1, 2), "it is not settled yet"),
        (Round("s", 1, 9), "the last coup is s/1/2"),
        (Round("s", 1, 0), "the last coup is s/1/2"),
    ],
)
def test_the_hint_says_why_a_coup_is_not_corrected(target: Round, hint: str) -> None:
    """T14: of another session, not settled yet, never played."""
    driver = Driver("france-2007")
    driver.shoe((33, 31))
    driver.bet()
    driver.deal()
    driver.bet()
    error = refused(driver, "nothing-to-correct", Correct, reason="x", void=True, target=target)
    assert hint in error.hint


def test_the_bets_of_a_coup_leave_the_history_with_it() -> None:
    """T14: of each player the bet of the coup that is made void, and of no other coup; and back."""
    limits = "[limits]\nprogression = { reference = 9, at_most = 1 }"
    driver = Driver(house_like("foster-1897", limits))
    driver.shoe(*[(33, 31)] * 3)
    for amounts in ({"ann": 10, "bob": 5}, {"ann": 20}, {"ann": 30, "bob": 7, "cy": 1}):
        driver.bet(*((player, "rouge", units) for player, units in amounts.items()))
        driver.deal()
        driver.do(Settle)
    whole, second = driver.table.state.history, driver.table.state.round
    assert whole.parties == {"ann": (10, 20, 30), "bob": (5, 7), "cy": (1,)}
    driver.do(Correct, reason="video", void=True, target=evolve(second, coup=2))
    assert driver.table.state.history.parties == {"ann": (10, 30), "bob": (5, 7), "cy": (1,)}
    driver.do(Correct, reason="video", void=True, target=evolve(second, coup=1))
    assert driver.table.state.history.parties == {"ann": (30,), "bob": (7,), "cy": (1,)}
    for coup in (2, 1):
        driver.do(Correct, reason="it counts", target=evolve(second, coup=coup))
    assert driver.table.state.history == whole


@pytest.mark.parametrize("turned", [(), ("9c",)])
def test_cards_that_are_exposed_move_with_an_earlier_coup(turned: tuple[str, ...]) -> None:
    """A card more in coup 1: what was exposed and turned since lies one place further on."""
    driver = Driver("france-2007")
    driver.live()
    driver.bet()
    driver.do(CloseBets)
    for card in parse_cards("Kh Kd Qh Ah 9h Ts 8d 5s"):
        driver.do(Turn, card=card)
    driver.do(Settle)
    driver.bet()
    driver.do(CloseBets)
    for text in turned:
        driver.do(Turn, card=Card.parse(text))
    driver.do(Expose, card=Card.parse("2h"))
    right = parse_cards("Kh Kd Qh 3h 9h Ts 7d 3s 4c")
    driver.do(Correct, reason="video", cards=right, target=Round("s", 1, 1))
    state = driver.table.state
    assert (state.exposed, list(faults(state))) == ((10 + len(turned),), [])
    assert restore(snapshot(driver.table), driver.house).state == state
    if turned:
        driver.do(Turn, card=Card.parse("9s"))
        driver.do(Correct, reason="read wrong", cards=parse_cards("9d 9h"))
        seen = driver.table.state.shoe
        assert isinstance(seen, LiveShoe)
        assert seen.seen[9:] == parse_cards("9d 2h 9h")


def test_the_id_of_a_stake_used_again_is_refused() -> None:
    """Two stakes of one id are never taken for one: the correction is refused, clearly."""
    table = Live("eight-packs-machine")
    table.play(ROUGE, ("ann", "rouge", 100))
    table.do(OpenShoe)
    table.play(NOIR, ("ann", "rouge", 100))
    fields = {"reason": "video", "target": Round("S", 1, 1), "cards": TIE.cards}
    error = refused(table, "stake-reused", Correct, **fields)
    assert "ann-rouge" in error.message


def test_what_is_unknown_or_incomplete_is_not_corrected() -> None:
    """A coup that was not played, one of another session, a void one whose rows are not known."""
    table = Live()
    table.bet(("ann", "rouge", 100))
    table.do(VoidCoup, reason="a quarrel")
    for target in (Round("S", 1, 2), Round("S", 2, 1), Round("T", 1, 1)):
        refused(table, "nothing-to-correct", Correct, reason="x", target=target)
    refused(table, "card-needed", Correct, reason="x")
    table.do(Correct, reason="it was played", cards=ROUGE.cards)
    assert net(table) == {"ann": 100}


@pytest.mark.parametrize("cut", [False, True])
def test_a_coup_before_the_cut_had_no_cards(*, cut: bool) -> None:
    """R1: void while the bets came before the cut: it has no cards, neither now nor later."""
    table = Live("foster-1897")
    table.bet(("ann", "rouge", 10))
    table.do(VoidCoup, reason="a quarrel")
    fields = {"reason": "video", "cards": ROUGE.cards}
    for target in (None, Round("S", 1, 1)):
        refused(table, "not-cut", Correct, target=target, **fields)
    table.bet()
    if cut:
        table.turn(coup_with(35, 35), ready=True)
        table.do(Settle)
    else:
        table.do(VoidCoup, reason="again")
        table.do(EndShoe)
    refused(table, "not-cut", Correct, target=Round("S", 1, 1), **fields)
    assert not list(faults(table.table.state))


@pytest.mark.parametrize("first", [False, True])
def test_an_exposed_card_moves_with_the_cards_before_it(*, first: bool) -> None:
    """R18: coup 1 had nine cards, not eight; a card of coup 2 was exposed, before or in its row."""
    table = Live("france-2007")
    table.play(ROUGE)
    table.bet()
    table.do(CloseBets)
    nine, ten, two = map(Card.parse, ("9♥", "10♥", "2♦"))
    if not first:
        table.do(Turn, card=nine)
    table.do(Expose, card=two)
    table.do(Turn, card=nine)
    place = table.table.state.exposed[0]
    table.correct(1, cards=Coup.parse("K♥ K♦ Q♥ 3♥ / 9♥ 10♠ 7♦ 3♠ 4♣").cards)
    state = table.table.state
    assert state.exposed == (place + 1,)
    assert not list(faults(state))
    assert restore(snapshot(table.table), table.house).state == state
    table.do(Correct, reason="read wrong", cards=(ten,) if first else (ten, nine))
    seen = table.table.state.shoe.seen[9:]  # type: ignore[union-attr]
    assert seen == ((two, ten) if first else (ten, two, nine))


# The property: a session corrected is the session as it was true


HOUSES = [
    *map(whole_house, ("france-2007", "italy-prison", "italy-half-loss", "germany-500")),
    *map(whole_house, ("foster-1897", "spain-1979", "hoyle-19c", "eight-packs-machine")),
    house_like("italy-prison", '[shoe]\nprisoners_at_end = "close"\n'),
    house_like("foster-1897", '[shoe]\nprisoners_at_end = "close"\n'),
    house_like("france-2007", "[limits]\nmove_prisoners = true\n"),
    house_like("italy-two-prisons", "[limits]\nmove_prisoners = true\n"),
]
VERDICTS = ("refait", "apres", "win", "lose")


def coup_of(dice: Random, pool: list[Card]) -> Coup:
    """Draw a coup off a pool: a refait, a tie or any."""
    wanted = dice.choice(["refait", "apres", "any"])
    cards, coup = list[Card](), TIE
    for _try in range(200):
        dice.shuffle(pool)
        total, rows, cards = 0, 0, []
        for card in pool:
            cards.append(card)
            total += card.points
            if total > 30:
                total, rows = 0, rows + 1
                if rows == 2:
                    break
        coup = Coup.of_cards(cards)
        points = {row.point for row in coup.rows}
        if wanted == "any" or points == {31} or (wanted == "apres" and len(points) == 1):
            break
    del pool[: len(cards)]
    return coup


class Both:
    """A session in which a coup is read wrong, and the same one as it was true."""

    def __init__(self, house: House, dice: Random) -> None:
        """Begin both."""
        self.house, self.dice = house, dice
        self.wrong, self.true = Live(house), Live(house)
        self.chances = [chance.id for chance in house.chances if chance.simple]
        self.pool = [card for card in PACK if card.suit != "♠"] * house.shoe.packs

    def do(self, kind: type[Command], **fields: Any) -> bool:
        """Do a command in both; what the true session refuses acts on stakes it does not have."""
        try:
            self.wrong.do(kind, **fields)
        except TrenteError:
            return False
        try:
            self.true.do(kind, **fields)
        except TrenteError as error:
            if error.code not in ("unknown-stake", "nothing-to-choose", "same-chance"):
                raise
        return True

    def bets(self, number: int) -> None:
        """Open the bets; place stakes, and insure, move and choose for prisoners."""
        dice = self.dice
        self.do(OpenBets)
        least = self.true.table.state.opening.minimum or 1
        for place in range(dice.randint(1, 3)):
            fields: dict[str, Any] = {
                "player": dice.choice("abc"),
                "chance": dice.choice(self.chances),
            }
            fields |= {"amount": 20 * least, "insured": dice.random() < 0.4}
            self.do(Place, stake=f"s{number}.{place}", **fields)
        for stake in self.wrong.table.state.stakes:
            if not stake.free and dice.random() < 0.4:
                self.do(Insure, stake=stake.id)
            if not stake.free and dice.random() < 0.4:
                self.do(MovePrisoner, stake=stake.id, chance=dice.choice(self.chances))
            if dice.random() < 0.5:
                fields = {"course": dice.choice(["partage", "prison"]), "state": stake.state}
                self.do(Choose, stake=stake.id, verdict=dice.choice(VERDICTS), **fields)

    def deal(self, session: Live, coup: Coup, *, void: bool) -> None:
        """Deal a coup in one of them; settle it, or make it void."""
        session.do(CloseBets)
        session.get_ready()
        for card in coup.cards:
            session.do(Turn, card=card)
        if void:
            session.do(VoidCoup, reason="a quarrel")
        elif session.table.state.phase is Phase.DEALT:
            session.do(Settle)

    def play(self, number: int, wrong: Coup, true: Coup, how: tuple[bool, bool]) -> None:
        """Play a coup in both, each with its cards."""
        for session in (self.wrong, self.true):
            if session.table.state.phase is Phase.NO_SHOE:
                session.live() if not self.house.shoe.every_coup else session.prepare(None)
        self.bets(number)
        self.deal(self.wrong, wrong, void=how[0])
        self.deal(self.true, true, void=how[1])


def state_of(session: Live) -> dict[str, Any]:
    """Return all that a session leads to: money, stakes, cards, phase."""
    state = session.table.state
    shoe = state.shoe or state.last_shoe
    return {
        "accounts": {player: units for player, units in state.accounts.items() if units},
        "bank": state.bank,
        "stakes": sorted(map(repr, state.stakes)),
        "prisoners": sorted(map(repr, state.prisoners)),
        "choices": sorted(map(repr, state.choices)),
        "history": state.history,
        "phase": state.phase,
        "seen": getattr(shoe, "seen", ()),
    }


def counted(session: Live) -> dict[str, Any]:
    """Return what the events of a session are counted to, without the number of corrections."""
    events = [event for entry in session.journal.entries() for event in entry.events]
    told = Statistics.of(events).to_json()
    told.pop("corrected")
    told["wins"] = {chance: times for chance, times in told["wins"].items() if times}
    told["players"] = sorted(
        (each for each in told["players"] if any(list(each.values())[1:])),
        key=lambda each: each["player"],
    )
    found = {}
    for coup in final(coups(events)):
        lines = sorted(map(str, coup.lines)), sorted(map(str, coup.closed))
        found[coup.shoe, coup.number] = (coup.players_net, bool(coup.void), bool(coup.end), *lines)
    steps = history(session.journal.entries())
    outcomes = {(each.shoe, each.coup): each.outcome for each in steps if each.outcome}
    for key, outcome in outcomes.items():
        assert sorted(map(str, outcome.lines)) == found[key][3]
    return {**told, "coups of it": found}


def recorded(session: Live) -> list[Any]:
    """Return what the records of a session hold of each coup: its net, cards and stakes."""
    recorder = Recorder(session.house, opening=session.table.state.setup.opening)
    recorder.extend(session.journal.entries())
    found: list[Any] = []
    for record in recorder.records:
        found.append(sorted(map(repr, record.prisoners)))
        parts: list[Any] = [*record.coups, record.end]
        for coup in parts:
            stakes = sorted(repr(evolve(each, order=0, choices=())) for each in coup.stakes)
            found.append(stakes)
        found += [(coup.players_net, coup.bank_net, bool(coup.void)) for coup in record.coups]
    return found


def ledger(session: Live) -> Counter[str]:
    """Return the sums of movements, once each of them is right in itself."""
    by_id: dict[str, Any] = {}
    taken: set[str] = set()
    sums: Counter[str] = Counter()
    for entry in session.journal.entries():
        for each in entry.movements:
            assert each.units
            assert each.id not in by_id
            by_id[each.id] = each
            sums[each.player] += each.units
            if each.reverses:
                assert each.reverses not in taken
                taken.add(each.reverses)
                was = by_id[each.reverses]
                assert (was.units, was.stake, was.reverses) == (-each.units, each.stake, "")
    return sums


@pytest.mark.slow
@settings(max_examples=100)
@given(seed=st.integers(0, 2**32))
def test_a_corrected_session_is_the_one_that_was_true(seed: int) -> None:
    """T14: whatever coup was read wrong, once corrected all is as if it never had been."""
    dice = dice_of(seed)
    both = Both(dice.choice(HOUSES), dice)
    at = dice.randrange(4)
    target, truth = Round("", 0, 0), dict[str, Any]()
    for place in range(at + dice.randint(1, 4)):
        coup, how = coup_of(dice, both.pool), (False, False)
        wrong = coup
        if place == at:
            how = dice.choice([(False, False), (True, False), (False, True)])
            wrong = coup if how[1] else coup_of(dice, both.pool)
        both.play(place, wrong, coup, how)
        if place == at:
            target = both.true.table.state.round
            truth = {"void": True} if how[1] else {"cards": coup.cards}
    end = dice.choice(["", "bets", "dealt", "shoe", "session"])
    ready = all(each.table.state.phase is Phase.READY for each in (both.wrong, both.true))
    if end in ("bets", "dealt") and ready:
        both.bets(99)
    if end == "dealt" and ready:
        coup = coup_of(dice, both.pool)
        for session in (both.wrong, both.true):
            session.turn(coup)
    if end == "shoe" and ready:
        both.do(EndShoe)
    if end == "session":
        both.do(CloseSession)
    for fields in ({"void": True}, truth) if dice.random() < 0.5 else (truth,):
        both.wrong.do(Correct, reason="video", target=target, **fields)
        assert balance(both.wrong.table.state) == 0
        assert not list(faults(both.wrong.table.state))
    corrected, true = state_of(both.wrong), state_of(both.true)
    assert corrected == true
    assert {name: units for name, units in ledger(both.wrong).items() if units} == true["accounts"]
    assert counted(both.wrong) == counted(both.true)
    assert recorded(both.wrong) == recorded(both.true)
    again = recover(both.wrong.journal)
    assert again.state == both.wrong.table.state
