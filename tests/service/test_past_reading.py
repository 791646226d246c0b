"""The coups of a session as a viewer may see them: the list, the replay, the score card."""

from __future__ import annotations

import pytest
from tests.table.driving import Driver

from trente_rules import House, TrenteError, load_house, loads_house
from trente_rules.core import default_manager
from trente_rules.service.past_reading import (
    CoupReading,
    card_reading,
    coup_of,
    history_reading,
    replay_reading,
)
from trente_rules.service.texts import PageWords
from trente_rules.table import Audience, Correct, OpenBets, Place, Settle, Turn, VoidCoup
from trente_rules.table.commands import CloseBets
from trente_rules.table.views import Viewer

EURO = "\N{NO-BREAK SPACE}EUR"


def played(house: House | None = None) -> Driver:
    """Return a table of two players after a refait, which took both into prison."""
    driver = Driver(house or load_house("france-2007"))
    driver.shoe((31, 31), (34, 32), (35, 35), (36, 33))
    driver.bet(("ann", "rouge", 4000), ("bob", "inverse", 1000))
    driver.deal()
    driver.do(Settle)
    assert [stake.state for stake in driver.table.state.stakes] == ["prison", "prison"]
    return driver


def go_on(driver: Driver, coups: int) -> None:
    """Deal some coups with a stake of each player."""
    for _coup in range(coups):
        driver.do(OpenBets)
        number = driver.table.state.coup_number
        for player, chance in (("ann", "rouge"), ("bob", "inverse")):
            driver.do(Place, stake=f"{player}-{number}", player=player, chance=chance, amount=1000)
        driver.deal()
        driver.do(Settle)


def history(
    driver: Driver, viewer: Viewer, coups: int = 20, language: str = "en"
) -> tuple[CoupReading, ...]:
    """Return the last coups."""
    words = PageWords.of(driver.table.state.house, language)
    return history_reading(driver.table, viewer, words, coups)


def test_the_coups_with_a_players_own_lines() -> None:
    """Issue 11: history of every coup: cards, points, verdicts, own lines, the net."""
    driver = played()
    go_on(driver, 2)
    first, second, third = history(driver, "ann")
    assert (first.tie, first.outcome, first.net, first.winners) == ("refait", "Refait", 0, ())
    assert (first.first.point, first.second.point) == (31, 31)
    assert [line.after for line in first.lines] == ["prison"]
    assert second.winners == ("rouge", "inverse")
    assert second.outcome == "Rouge and inverse win"
    assert [(line.stake, line.net) for line in second.lines] == [("ann-2", 1000), ("ann-rouge", 0)]
    assert second.net == 1000
    assert second.lines[0].text == f"rouge 10{EURO}: win; 10{EURO} won, 10{EURO} back"
    assert (third.tie, third.outcome) == ("apres", "Après")
    assert first.first.colour == "noir"
    assert len(first.first.cards) >= 4
    assert [coup.coup for coup in history(driver, "ann", 2)] == [2, 3]
    assert all(coup.status == "settled" for coup in (first, second, third))


def test_others_see_the_coup_and_no_line() -> None:
    """The public sees cards and verdicts; the dealer the lines of all."""
    driver = played()
    go_on(driver, 1)
    public, staff = history(driver, Audience.PUBLIC)[-1], history(driver, Audience.DEALER)[-1]
    assert public.lines == ()
    assert public.net == 0
    assert {line.player for line in staff.lines} == {"ann", "bob"}
    assert public.first == staff.first


def test_a_coup_is_told_in_every_language() -> None:
    """The outcome and the lines are in the language that is asked for."""
    driver = played()
    go_on(driver, 1)
    outcomes = {
        code: history(driver, "ann", language=code)[-1].outcome
        for code in default_manager().names("language")
    }
    assert outcomes["fr"] == "Rouge et inverse gagnent"
    assert outcomes["de"] == "Rouge und Inverse gewinnen"
    assert len(set(outcomes.values())) == len(outcomes)


def test_a_void_coup_and_who_may_know_why() -> None:
    """The words of the staff may name a player: only the staff reads them."""
    driver = played()
    driver.bet(("ann", "couleur", 1000))
    driver.deal()
    driver.do(VoidCoup, reason="bob touched the cards")
    for viewer, why in (
        ("ann", "the staff decided so"),
        (Audience.DEALER, "bob touched the cards"),
    ):
        last = history(driver, viewer)[-1]
        assert (last.status, last.void, last.net) == ("void", why, None)
    assert history(driver, "ann", language="fr")[-1].void == "sur décision de la maison"


def test_a_corrected_coup_counts_as_it_is_now() -> None:
    """A correction is seen by all, its reason by the staff."""
    driver = played()
    go_on(driver, 1)
    driver.do(Correct, reason="a nine was read as a six", void=True)
    own, staff = history(driver, "ann")[-1], history(driver, Audience.DEALER)[-1]
    assert (own.corrected, own.reason, own.status) == (1, "", "void")
    assert staff.reason == "a nine was read as a six"


def test_a_replay_has_the_events_of_the_viewer_with_their_calls() -> None:
    """Issue 11: replay of a coup from the opening of its bets, said in two languages."""
    driver = played()
    words = PageWords.of(driver.table.state.house, "it")
    replay = replay_reading(driver.table, "ann", words, 1, 1)
    kinds = [each.event.kind for each in replay.events]
    assert kinds[0] == "bets-opened"
    assert kinds.count("card-turned") == len(replay.coup.first.cards + replay.coup.second.cards)
    assert kinds.count("stake-placed") == 1
    said = list(replay.said.values())
    assert any(text == "Rien ne va plus" for text, _other in said)
    assert all(text and other and text != other for text, other in said[:2])
    assert [each.stamp.index for each in replay.events] == sorted(
        each.stamp.index for each in replay.events
    )
    with pytest.raises(TrenteError) as refused:
        coup_of(driver.table.entries, 1, 9)
    assert refused.value.code == "unknown-coup"


def test_a_coup_whose_cards_come_one_by_one_is_seen_as_far_as_it_went() -> None:
    """Between two cards the row is there, without a point, and nothing is won."""
    driver = played()
    driver.bet(("ann", "couleur", 1000))
    assert len(history(driver, "ann")) == 1
    driver.do(CloseBets)
    driver.do(Turn)
    last = history(driver, "ann")[-1]
    assert (last.status, last.first.point, len(last.first.cards), last.net) == (
        "dealing",
        None,
        1,
        None,
    )


def test_the_score_card_of_a_taille() -> None:
    """A dot for the winner, an empty box for an après, a cross for the refait."""
    driver = played()
    go_on(driver, 2)
    card = card_reading(driver.table)
    assert card.columns == ("rouge", "noir", "couleur", "inverse")
    assert card.letters == ("R", "N", "C", "I")
    assert [row.marks for row in card.rows] == [
        ("refait",) * 4,
        ("win", "", "", "win"),
        ("",) * 4,
    ]
    assert [row.tie for row in card.rows] == ["refait", "", "apres"]
    assert [row.points for row in card.rows] == [(31, 31), (34, 32), (35, 35)]


def test_the_rows_of_a_house_whose_cut_decides_the_colour() -> None:
    """The first row has the colour of the card shown at the cut, for that shoe."""
    house = loads_house(
        '[house]\nname = "cut"\nextends = "france-2007"\n[deal]\nfirst_row = "cut"\n'
    )
    driver = Driver(house)
    driver.shoe((33, 31))
    driver.bet(("ann", "rouge", 1000))
    driver.deal()
    (coup,) = history(driver, "ann")
    assert coup.first.colour == driver.table.state.first_row
    assert {coup.first.colour, coup.second.colour} == {"noir", "rouge"}
