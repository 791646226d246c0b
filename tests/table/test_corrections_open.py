"""Corrections of earlier coups, as a prisoner's acts, its premium and the shoe at hand see them."""

from __future__ import annotations

from typing import Any

import pytest
from tests.table.driving import Driver, kinds
from tests.table.laws import house_like, refused

from trente_rules import Coup, House, Table
from trente_rules.core.cards import Card
from trente_rules.core.shoe import LiveShoe
from trente_rules.table import (
    ChoiceDropped,
    ChoiceMade,
    ChoiceOffered,
    Choose,
    Correct,
    Cut,
    EndShoe,
    Entry,
    Insure,
    OpenBets,
    Phase,
    Round,
    Settle,
    ShoeEnded,
)
from trente_rules.testing import coup_with, opening_of

WON, LOST = coup_with(33, 31), coup_with(31, 33)
REFAIT = Coup.parse("K♥ K♥ K♥ A♥ / K♦ K♦ K♦ A♦")
AGAIN = Coup.parse("Q♥ Q♥ Q♥ A♥ / Q♦ Q♦ Q♦ A♦")
APRES = Coup.parse("J♥ J♥ J♥ 5♥ / J♦ J♦ J♦ 5♦")
FIRST = Coup.parse("K♥ K♦ Q♥ A♥ / Q♦ J♥ J♦ 3♥")
SECOND = Coup.parse("K♠ K♣ Q♠ A♠ / Q♣ J♠ J♣ A♣")
LONG = Coup.parse("9♥ 10♥ 7♦ 3♥ 4♦ / K♥ K♦ Q♥ A♥")
"""Coups of one pack: noir, a refait, and rouge with nine cards, one more than the others."""
INSURES_PRISONS = '[insurance]\ncovers = ["free", "prison"]\nminimum_stake = 0\nmultiple = 0'


class Live(Driver):
    """A table with a live shoe, whose coups are corrected."""

    def __init__(self, house: House | str, *, cut: str = "") -> None:
        """Open the shoe; ``cut`` is the card that the cut shows, where the house looks at it."""
        super().__init__(house)
        self.cut = cut
        self.table = Table(self.house, opening=opening_of(self.house), session="s")
        self.live()

    def get_ready(self) -> None:
        """Cut with the card, before the rest."""
        if self.cut and self.table.state.phase is Phase.CUT:
            self.do(Cut, place=0, by=self.house.shoe.cut_by, card=Card.parse(self.cut))
        super().get_ready()

    def correct(self, coup: int, **fields: Any) -> Entry:
        """Correct a coup of the first shoe; return the entry."""
        self.count += 1
        target = Round("s", 1, coup)
        return self.table.execute(
            Correct(id=f"c{self.count}", reason="video", target=target, **fields)
        )

    @property
    def now(self) -> dict[str, Any]:
        """What is on the table, and the money, of the players and of the bank."""
        state = self.table.state
        nets = {player: units for player, units in state.accounts.items() if units}
        return {
            "stakes": state.stakes,
            "prisoners": state.prisoners,
            "choices": state.choices,
            "accounts": nets,
            "bank": state.bank,
        }


def short(more: str = "", *, cards: int) -> House:
    """Return a house whose shoe has so many cards left after a burn that nobody sees."""
    shoe = f'[shoe]\npacks = 1\nburn = {52 - cards}\nends = "no-coup"\n'
    return house_like("italy-prison", f"{shoe}{more}")


def imprisoned(more: str = INSURES_PRISONS) -> Live:
    """Return a table with ann's and bob's stakes in prison, and the bets open."""
    table = Live(house_like("italy-prison", more))
    table.play(REFAIT, ("ann", "rouge", 100), ("bob", "rouge", 100))
    table.do(OpenBets)
    return table


# The coup that is on


def test_choices_and_premiums_of_a_prisoner_go_and_come_back_with_it() -> None:
    """An earlier coup is void, then it is not: what its players did in the coup on holds again."""
    table = imprisoned()
    for player, course in (("ann", "partage"), ("bob", "prison")):
        table.do(Choose, stake=f"{player}-rouge", course=course, verdict="refait")
    table.do(Insure, stake="bob-rouge")
    before = table.now
    (paid,) = table.table.entries[-1].movements
    gone = table.correct(1, void=True)
    assert table.now == {
        "stakes": (),
        "prisoners": (),
        "choices": (),
        "accounts": {},
        "bank": 0,
    }
    dropped = [(e.stake, e.course, e.owner) for e in gone.events if isinstance(e, ChoiceDropped)]
    assert dropped == [("ann-rouge", "partage", "ann"), ("bob-rouge", "prison", "bob")]
    premiums = [m for m in gone.movements if m.round.coup == 2]
    assert [(m.stake, m.units, m.reverses) for m in premiums] == [
        ("bob-rouge", -paid.units, paid.id)
    ]
    back = table.correct(1, cards=REFAIT.cards)
    assert table.now == before
    made = [e for e in back.events if isinstance(e, ChoiceMade)]
    assert [(e.stake, e.course, e.state, e.verdict.id, e.owner) for e in made] == [
        ("ann-rouge", "partage", "prison", "refait", "ann"),
        ("bob-rouge", "prison", "prison", "refait", "bob"),
    ]
    premiums = [m for m in back.movements if m.round.coup == 2]
    assert [(m.stake, m.units, m.reason) for m in premiums] == [
        ("bob-rouge", paid.units, "premium")
    ]


@pytest.mark.parametrize(("on", "offered"), [(AGAIN, 2), (APRES, 0)])
def test_a_prisoner_is_offered_courses_only_where_it_has_several(on: Coup, offered: int) -> None:
    """A coup is dealt when an earlier one is found to have put stakes in prison."""
    table = Live("italy-prison")
    table.play(LOST, ("ann", "rouge", 100), ("bob", "rouge", 100))
    table.bet()
    table.turn(on)
    events = table.correct(1, cards=REFAIT.cards).events
    offers = [e for e in events if isinstance(e, ChoiceOffered)]
    assert [(e.stake.id, e.verdict.id, e.courses) for e in offers] == [
        ("ann-rouge", "refait", ("prison", "partage")),
        ("bob-rouge", "refait", ("prison", "partage")),
    ][:offered]


def test_the_id_of_a_stake_that_lies_free_is_not_one_of_a_prisoner() -> None:
    """A stake that would have stayed has the id of one that was placed since: it is refused."""
    table = Live("italy-prison")
    table.play(LOST, ("ann", "rouge", 100))
    table.bet(("ann", "rouge", 100))
    fields = {"reason": "video", "target": Round("s", 1, 1), "cards": REFAIT.cards}
    error = refused(table, "stake-reused", Correct, **fields)
    assert error.message == (
        "stake 'ann-rouge' would have stayed on the table, but coup s/1/2 has another of its id"
    )


# Coups in between


def test_a_choice_in_a_later_coup_acts_again_when_the_stake_is_back() -> None:
    """Players chose and insured in coup 2; coup 1 is void, then it is not: all is as it was."""
    table = imprisoned()
    table.do(Choose, stake="ann-rouge", course="partage", verdict="refait")
    table.do(Insure, stake="bob-rouge")
    table.turn(AGAIN)
    table.do(Settle)
    table.bet()
    before = table.now
    ledger = [m for entry in table.table.entries for m in entry.movements]
    premium = next(m for m in ledger if m.reason == "premium")
    gone = table.correct(1, void=True)
    assert (table.now["stakes"], table.now["accounts"], table.now["bank"]) == ((), {}, 0)
    assert premium.id in {m.reverses for m in gone.movements}
    back = table.correct(1, cards=REFAIT.cards)
    assert table.now == before
    again = [(m.stake, m.units) for m in back.movements if m.reason == "premium"]
    assert again == [("bob-rouge", premium.units)]


def test_a_choice_for_a_refait_that_was_a_tie_is_not_used() -> None:
    """Ann chose to share at a refait; coup 2 turns out a tie, and she stays in prison."""
    table = Live("italy-prison")
    table.play(REFAIT, ("ann", "rouge", 100))
    table.do(OpenBets)
    table.do(Choose, stake="ann-rouge", course="partage", verdict="refait")
    table.turn(AGAIN)
    table.do(Settle)
    table.bet()
    events = table.correct(2, cards=APRES.cards).events
    assert "choice-dropped" not in kinds(events)
    assert [stake.id for stake in table.table.state.stakes] == ["ann-rouge"]


def test_a_later_coup_of_a_shoe_whose_cut_decided_is_settled_by_its_colour() -> None:
    """The cut showed a red card: the first row is rouge, also for a prisoner found out later."""
    table = Live(house_like("italy-prison", '[deal]\nfirst_row = "cut"'), cut="A♥")
    table.play(LOST, ("ann", "noir", 100))  # rouge first: 31 wins for rouge
    table.play(LONG)  # rouge 33, noir 31: noir wins
    table.bet()
    table.correct(1, cards=REFAIT.cards)
    assert table.now["accounts"] == {}  # out of prison, with nothing won or lost
    assert table.now["stakes"] == ()


def test_there_is_no_coup_to_correct_before_the_first_of_a_shoe() -> None:
    """Without a target it is the last coup of the shoe at hand: an earlier one is named."""
    table = Live("italy-prison")
    table.play(WON)
    table.do(EndShoe)
    table.live()
    error = refused(table, "nothing-to-correct", Correct, reason="video")
    assert error.message == "no coup was settled that could be corrected"
    assert error.hint.startswith("name an earlier coup as the target")


# The stakes of the last coup, and the end of the shoe


def test_stakes_that_stay_lie_as_they_lay_after_a_correction() -> None:
    """Payment chance by chance does not move prisoners: they stay in their order on the cloth."""
    table = Live("italy-prison")
    table.play(REFAIT, ("ann", "noir", 100), ("bob", "rouge", 100), ("cy", "noir", 100))
    table.play(APRES)
    lay = table.table.state.stakes
    table.do(Correct, reason="sure")
    assert table.table.state.stakes == lay


@pytest.mark.parametrize("at_end", ["carry", "close"])
def test_an_earlier_coup_with_more_cards_ends_the_shoe(at_end: str) -> None:
    """Too few cards are left for a coup: the shoe is over, and what it closes is paid then."""
    table = Live(short(f'prisoners_at_end = "{at_end}"', cards=24))
    table.play(FIRST, ("ann", "noir", 100), ("bob", "rouge", 100))
    table.play(SECOND, ("cy", "rouge", 100))
    assert table.table.state.phase is Phase.READY
    done = table.correct(1, cards=LONG.cards)
    assert any(isinstance(event, ShoeEnded) for event in done.events)
    state = table.table.state
    assert (state.phase, state.shoe) == (Phase.NO_SHOE, None)
    assert isinstance(state.last_shoe, LiveShoe)
    assert state.last_shoe.seen == (*LONG.cards, *SECOND.cards)
    closes = at_end == "close"
    assert [stake.id for stake in state.stakes] == ([] if closes else ["cy-rouge"])
    assert (state.accounts["ann"], state.accounts["bob"]) == (-100, 100)
    moved = {(m.round.coup, m.stake) for m in done.movements}
    coup = {(1, "ann-noir"), (1, "bob-rouge")}
    assert moved == (coup | {(0, "cy-rouge")} if closes else coup)


def test_an_earlier_coup_is_corrected_in_the_shoe_that_is_over() -> None:
    """The shoe ended with its last coup: the cards are changed in that shoe."""
    table = Live(short(cards=23))
    table.play(FIRST, ("ann", "noir", 100))
    table.play(SECOND)
    assert table.table.state.phase is Phase.NO_SHOE
    table.correct(1, cards=LONG.cards)
    shoe = table.table.state.last_shoe
    assert isinstance(shoe, LiveShoe)
    assert shoe.seen == (*LONG.cards, *SECOND.cards)


def test_a_shoe_that_a_correction_opens_again_has_its_first_row() -> None:
    """The last coup had fewer cards: the shoe is not over, and its first row is still rouge."""
    more = 'prisoners_at_end = "carry"\n[deal]\nfirst_row = "cut"'
    table = Live(short(more, cards=24), cut="5♥")
    table.play(SECOND)
    table.play(LONG)
    assert table.table.state.phase is Phase.NO_SHOE
    assert table.table.state.first_row == ""
    table.do(Correct, reason="video", cards=FIRST.cards)
    state = table.table.state
    assert (state.phase, state.first_row) == (Phase.READY, "rouge")
