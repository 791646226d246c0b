"""Strategies in Python at the real table: what they see, what they may bet, how it is paid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import pytest
from attrs import evolve
from tests.whole_units import whole_house

from trente_rules import Card, House, Opening, Shoe, TrenteError
from trente_rules.core.cards import PACK
from trente_rules.core.shoe import Marker
from trente_rules.core.systems import Result
from trente_rules.fair import SeededShuffler
from trente_rules.players.strategy import Played, Strategy, TableBet, View, play_strategy

OPENING = Opening(minimum=10)


def shuffler() -> SeededShuffler:
    """Return the same orders each time."""
    return SeededShuffler("5a" * 16)


def played(house: House | str, strategy: Strategy, **options: Any) -> Played:
    """Play a strategy on seeded shoes."""
    loaded = whole_house(house) if isinstance(house, str) else house
    return play_strategy(
        loaded, strategy, **{"coups": 60, "shuffler": shuffler(), "opening": OPENING, **options}
    )


def always(bet: TableBet) -> Strategy:
    """Return the strategy of one bet."""
    return lambda _view: (bet,)


on_rouge = always(TableBet("rouge", 10))


def test_the_accounts_are_those_of_the_table() -> None:
    """What is at hand before a coup is the bankroll and the net of what has left or stands."""
    seen: list[tuple[int, int]] = []

    def careful(view: View) -> Iterable[TableBet]:
        assert view.at_hand is not None
        seen.append((view.at_hand, sum(stake.amount for stake in view.standing)))
        return () if view.standing else (TableBet("rouge", 10),)

    done = played("france-2007", careful, bankroll=5000)
    assert done.coups == 60
    assert done.view.at_hand == 5000 + done.net
    assert seen[0] == (5000, 0)
    ended = {each.coup: each for each in done.ended}
    assert len(ended) == len(done.ended)
    assert done.staked == 10 * len(done.ended)
    assert {each.result for each in done.ended} == {Result.WON, Result.LOST, Result.LEVEL}


def test_it_goes_on_until_the_last_prisoner_has_left() -> None:
    """Forty coups are played, and as many more as a stake in prison needs, unasked.

    A coup that is not completed is void: it is asked for again.
    """
    asked = []

    def strategy(view: View) -> Iterable[TableBet]:
        asked.append(view.coup)
        return (TableBet("rouge", 10), TableBet("noir", 10))

    done = played("german-spas-1840", strategy, coups=40)
    assert list(dict.fromkeys(asked)) == list(range(1, 41))
    assert len(done.ended) == 80
    assert done.coups >= 40
    assert not done.view.standing


def test_the_cards_that_were_seen_are_out() -> None:
    """``left`` is the shoe less what was shown; a burn that nobody saw is still in."""
    sizes: list[tuple[int, int, int]] = []

    def counter(view: View) -> Iterable[TableBet]:
        sizes.append((view.coup_of_shoe, len(view.seen), view.left.cards))
        if view.last is not None:
            rows = (view.last.first.cards, view.last.second.cards)
            assert view.seen[-len(rows[1]) :] == rows[1]
        return ()

    played("campione", counter, coups=40)
    assert sizes[0] == (1, 0, 312)
    assert all(seen + left == 312 for _coup, seen, left in sizes)
    assert [coup for coup, seen, _left in sizes if not seen] == [1, 1]


def test_a_burn_that_is_shown_is_seen() -> None:
    """Homburg shows its burned card."""
    seen: list[int] = []

    def counter(view: View) -> Iterable[TableBet]:
        seen.append(len(view.seen))
        return ()

    played("homburg-1860", counter, coups=2)
    assert seen[0] == 1


def test_who_cannot_pay_is_ruined() -> None:
    """The session ends before the bet that the bankroll does not pay."""
    done = played("france-2007", on_rouge, bankroll=30, coups=5000)
    assert done.ruined
    assert done.view.at_hand is not None
    assert done.view.at_hand < 10
    assert done.net <= 0


def test_premiums_are_paid_from_the_bankroll() -> None:
    """A stake and its premium must be at hand; what the bank keeps of premiums is told."""
    bet = TableBet("couleur", 500, insured=True)
    assert played("france-2007", always(bet), bankroll=504, coups=5).ruined
    done = played("france-2007", always(bet), coups=50)
    assert not done.ruined
    assert done.premiums == 5 * len(done.ended)
    assert done.net == sum(each.net for each in done.ended)


def test_courses_are_chosen_where_they_are_offered() -> None:
    """Always partage loses half of a stake at a refait at once; else the house's prison waits."""
    results = {}
    for course in ("partage", "prison"):
        done = played("france-2007", always(TableBet("rouge", 100, course=course)), coups=400)
        results[course] = Counter(each.net for each in done.ended)
    assert results["partage"][-50] > 0
    assert results["prison"][-50] == 0
    assert set(results["partage"]) == {100, -100, 0, -50}


def test_a_bet_that_the_house_refuses_is_the_strategys_fault() -> None:
    """The table's own sentence, unless the strategy asks first."""
    with pytest.raises(TrenteError) as caught:
        played("france-2007", always(TableBet("rouge", 5)))
    assert caught.value.code == "below-minimum"

    def asks(view: View) -> Iterable[TableBet]:
        why = view.why_not(TableBet("rouge", 5))
        assert why is not None
        assert why.code == "below-minimum"
        assert view.why_not(TableBet("rouge", 10)) is None
        return ()

    assert not played("france-2007", asks, coups=3).ended


class Plain:
    """A shuffler that draws no numbers."""

    def shuffle(self, cards: Any, /) -> Any:
        """Return an order."""
        return SeededShuffler("77" * 16).shuffle(cards)


def test_the_marker_is_placed_within_its_bounds() -> None:
    """By numbers of the shuffler; by one that draws none, as near to the end as may be."""
    house = whole_house("france-2007")
    marker = Marker(from_end=(5, 150), placed_by="player")
    house = evolve(house, shoe=evolve(house.shoe, marker=marker))
    wide = played(house, on_rouge, coups=200)
    near = played(house, on_rouge, coups=200, shuffler=Plain())
    assert wide.shoes > near.shoes == 8


def test_given_shoes_are_played_as_they_are() -> None:
    """A shoe is opened, burned and marked as it was prepared; when they end there is a sentence."""
    house = whole_house("italian-program")
    order: tuple[Card, ...] = tuple(PACK * 6)
    shoe = house.shoe.prepare(Shoe.of_cards(order, 6))
    assert play_strategy(house, on_rouge, coups=3, shoes=[shoe], opening=OPENING).shoes == 1
    with pytest.raises(TrenteError) as caught:
        play_strategy(house, on_rouge, coups=100, shoes=[shoe], opening=OPENING)
    assert caught.value.code == "shoes-used-up"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"coups": 0}, "bad-coups"),
        ({"coups": 1.0}, "bad-coups"),
        ({"seed": 1}, "which-shoes"),
        ({"shuffler": None}, "which-shoes"),
    ],
)
def test_what_cannot_be_played_is_a_sentence(options: dict[str, Any], code: str) -> None:
    """No coups; no shoes, or two kinds of them."""
    with pytest.raises(TrenteError) as caught:
        played("france-2007", on_rouge, **options)
    assert caught.value.code == code


@pytest.mark.slow
def test_a_seed_gives_the_shoes_of_a_simulation() -> None:
    """The shoes of stream nought, as many as are needed."""
    pytest.importorskip("numba")
    house = whole_house("italy-half-loss")
    one, other = (play_strategy(house, on_rouge, coups=1000, seed=5) for _time in range(2))
    assert one.shoes > 32
    assert one.net == other.net
    assert one.net != play_strategy(house, on_rouge, coups=1000, seed=6).net
