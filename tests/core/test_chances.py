"""Chances: the verdict of all 400 outcomes, against the rules of the game told another way."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Literal

import pytest
from hypothesis import given

from trente_rules import Colour, Coup, RuleError, Verdict
from trente_rules.core.chances import (
    COUP_VERDICTS,
    OPPOSITES,
    VERDICTS,
    AnyTie,
    Chance,
    ChanceKeys,
    Condition,
    DealRule,
    ExactTie,
    OutcomeBet,
    Pay,
    RowPoint,
    SideBetKeys,
    possible_odds,
)
from trente_rules.core.coup import OUTCOMES, Outcome, outcomes
from trente_rules.core.keys import keys_of
from trente_rules.testing import coup_with, coups

BLACK, RED = Colour.NOIR, Colour.ROUGE


def all_coups() -> list[Coup]:
    """Return a coup for each outcome, in order."""
    return [coup_with(o.first, o.second, o.first_colour, o.second_colour) for o in outcomes()]


def told(rule: DealRule, coup: Coup, chance: str) -> str:
    """Return the verdict as a croupier would find it: by the rows on the cloth."""
    black, red = coup.rows if rule.first_row == "noir" else (coup.second, coup.first)
    if black.point == red.point:
        loses = rule.refait_on == "any" or black.point in rule.refait_on
        return "refait" if loses else "apres"
    won = red if red.point < black.point else black
    card = coup.first.cards[0] if rule.couleur == "first-of-coup" else won.cards[0]
    colours = {
        "rouge": won is red,
        "noir": won is black,
        "couleur": (card.suit in "♥♦") == (won is red),
        "inverse": (card.suit in "♥♦") != (won is red),
    }
    return "win" if colours[chance] else "lose"


@pytest.mark.parametrize("first_row", ["noir", "rouge"])
@pytest.mark.parametrize("couleur", ["first-of-coup", "first-of-winning-row"])
@pytest.mark.parametrize("refait_on", [(31,), (), (31, 40), "any"])
def test_every_outcome_of_every_chance(first_row: str, couleur: str, refait_on: object) -> None:
    """All pairs of points and first colours, on all four chances, in every kind of deal."""
    rule = DealRule(first_row, couleur, refait_on=refait_on)  # type: ignore[arg-type]
    chances = rule.build()
    assert len(all_coups()) == OUTCOMES == 400
    for coup in all_coups():
        for chance in chances:
            assert chance.verdict(coup).id == told(rule, coup, chance.id)


@given(coups())
def test_a_verdict_depends_on_points_and_first_colours_alone(coup: Coup) -> None:
    """Rows of any cards are judged as the plainest rows with their points and first colours."""
    plain = coup_with(coup.first.point, coup.second.point, coup.first.colour, coup.second.colour)
    for chance in DealRule(couleur="first-of-winning-row").build():
        assert chance.verdict(coup) is chance.verdict(plain)


def test_opposites_mirror_each_other() -> None:
    """Where a chance wins its opposite loses, and at a tie both share one fate."""
    chances = {chance.id: chance for chance in DealRule().build()}
    mirrored = {0: 1, 1: 0, 2: 2, 3: 3}
    for chance, other in OPPOSITES.items():
        turned = bytes(mirrored[verdict] for verdict in chances[chance].table)
        assert chances[other].table == turned


def test_dealing_rouge_first_mirrors_rouge_and_noir_alone() -> None:
    """With rouge dealt first the lower first row is rouge's."""
    noir_first = {c.id: c.table for c in DealRule().build()}
    rouge_first = {c.id: c.table for c in DealRule("rouge").build()}
    assert rouge_first["rouge"] == noir_first["noir"]
    assert rouge_first["couleur"] == noir_first["inverse"]


def test_the_two_readings_of_couleur_differ_only_where_the_second_row_wins() -> None:
    """First card of the coup, or of the winning row: the same card where the first row wins."""
    (by_coup,) = (c for c in DealRule().build() if c.id == "couleur")
    (by_row,) = (c for c in DealRule(couleur="first-of-winning-row").build() if c.id == "couleur")
    differ = [
        o
        for o, one, other in zip(outcomes(), by_coup.table, by_row.table, strict=True)
        if one != other
    ]
    assert len(differ) == 45 * 2
    assert all(o.second < o.first and o.first_colour != o.second_colour for o in differ)


def test_chances_are_those_of_the_house_in_its_order() -> None:
    """A house of two chances has no other."""
    chances = DealRule(chances=("noir", "rouge")).build()
    assert [chance.id for chance in chances] == ["noir", "rouge"]
    assert all(chance.simple and chance.odds == 1 for chance in chances)


def test_a_side_bet_never_ties() -> None:
    """It wins or loses at once, the refait included."""
    bet = SideBetKeys("any", Fraction(8), "simple").build(AnyTie(), DealRule())
    assert bet.possible() == {Verdict.WIN, Verdict.LOSE}
    assert (bet.simple, bet.needs, bet.odds) == (False, "simple", Fraction(8))
    assert bet.verdict(coup_with(31, 31)) == Verdict.WIN
    assert bet.verdict(coup_with(31, 32)) == Verdict.LOSE


@pytest.mark.parametrize("point", range(31, 41))
def test_exact_tie_wins_on_its_own_point(point: int) -> None:
    """One of the hundred pairs of points, whatever the colours."""
    bet = SideBetKeys("exact", Fraction(39), "none").build(ExactTie(point), DealRule())
    won = {(o.first, o.second) for o, v in zip(outcomes(), bet.table, strict=True) if v == 0}
    assert won == {(point, point)}


def test_verdicts_have_ids() -> None:
    """Ids are lower case, and read back; another text is refused with the list of them."""
    assert [verdict.id for verdict in VERDICTS] == ["win", "lose", "apres", "refait", "close"]
    assert [Verdict.of_id(verdict.id) for verdict in VERDICTS] == list(VERDICTS)
    with pytest.raises(RuleError, match="win, lose, apres, refait, close") as caught:
        Verdict.of_id("draw")
    assert caught.value.code == "unknown-verdict"


def test_only_a_point_as_it_is_written_limits_a_refait() -> None:
    """S17: neither other digits nor thousands of them are a point."""
    assert Verdict.refait_of(31).point == 31
    for point in ("", "30", "41", "031", "\u0663\u0661"):
        assert Verdict(f"refait-{point}").point is None
    assert Verdict(f"refait-{'9' * 5000}").point is None
    with pytest.raises(RuleError, match="is not a verdict") as caught:
        Verdict("x" * 5000)
    assert len(str(caught.value)) < 200


def test_a_coup_never_gives_close() -> None:
    """CLOSE comes from the table: no verdict table may hold it."""
    assert Verdict.CLOSE not in COUP_VERDICTS
    with pytest.raises(RuleError):
        Chance.of("x", lambda _outcome: Verdict.CLOSE)
    with pytest.raises(RuleError):
        Chance.of("x", lambda _outcome: Verdict.CLOSE, (Verdict.CLOSE,))


def test_the_colour_of_the_first_card_is_that_of_its_suit() -> None:
    """The places of an outcome are by points, then by colours: black before red."""
    pairs = [(o.first_colour, o.second_colour) for o in outcomes()][:4]
    assert pairs == [(BLACK, BLACK), (BLACK, RED), (RED, BLACK), (RED, RED)]


@pytest.mark.parametrize("first_row", ["noir", "rouge"])
def test_the_winner_is_the_colour_of_the_lower_row(first_row: Literal["noir", "rouge"]) -> None:
    """The deal names a colour, and nobody at a tie."""
    rule = DealRule(first_row)
    other = {"noir": RED, "rouge": BLACK}[first_row]
    assert rule.winner(Outcome(32, 31, RED, RED)) is other
    assert rule.winner(Outcome(31, 32, RED, RED)) is Colour(1 - other)
    assert rule.winner(Outcome(32, 32, RED, RED)) is None


def test_side_bets_that_differ_by_their_odds_alone_keep_them_apart() -> None:
    """What a bet can win is not taken from another that wins on the same outcomes."""
    for odds in (Fraction(8), Fraction(81, 10), Fraction(8)):
        bet = SideBetKeys("tie", odds).build(AnyTie(), DealRule())
        assert bet.winning_odds == (odds,)
        assert {verdict.odds for verdict in bet.possible()} == {odds, 0}


def test_a_chance_is_shown_without_its_400_verdicts() -> None:
    """What a reader of a failed test or a log sees is one line, and nothing may be left out."""
    (rouge, *_others) = DealRule(chances=("rouge",)).build()
    assert repr(rouge).startswith("Chance(id='rouge', verdicts=(")
    assert repr(rouge).endswith("), simple=True, needs='none')")
    with pytest.raises(TypeError, match="table"):
        Chance("rouge", COUP_VERDICTS)  # type: ignore[call-arg]


@pytest.mark.parametrize("refait_on", [(30,), (41,), (31, 31)])
@pytest.mark.parametrize("keys", [DealRule, partial(ChanceKeys, "rouge")])
def test_ties_that_lose_are_points_of_a_row_each_named_once(
    keys: Callable[..., object], refait_on: tuple[int, ...]
) -> None:
    """A row ends on 31 to 40 (France 2007, art. 54): no other tie exists, also for one chance."""
    with pytest.raises(ValueError, match="refait_on"):
        keys(refait_on=refait_on)


def test_a_win_pays_at_most_a_million_for_each_unit() -> None:
    """Sums of what is paid stay in the range that other programs can hold."""
    assert possible_odds(Fraction(10**6)) == ""
    assert possible_odds(Fraction(10**6 + 1)) == "1000001 is out of range (1000000 or less)"


@pytest.mark.parametrize(
    "keys",
    [DealRule, ChanceKeys, SideBetKeys, Condition, Pay, AnyTie, ExactTie, RowPoint, OutcomeBet],
)
def test_every_key_of_a_chance_says_what_it_means(keys: type) -> None:
    """The schema, ``trente new`` and the reference show a sentence for each key."""
    for info in keys_of(keys):
        assert re.fullmatch(r"[A-Z`].*[.)]", info.doc), info.name
