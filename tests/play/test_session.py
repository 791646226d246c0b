"""The session without a screen: whole shoes, bets, choices, and what is kept when all fails."""

from __future__ import annotations

from typing import Final

import pytest
from tests.play.seated import go_on, ready, sit, step_of
from tests.whole_units import units, whole_house

from trente_rules import Colour, load_house, loads_house
from trente_rules.core import default_manager
from trente_rules.core.chances import Verdict
from trente_rules.core.errors import BetError, PhaseError, RecordError, TrenteError
from trente_rules.play.session import PLAYER, PlaySession, UiStep
from trente_rules.play.views import Texts, card_of, chances_of, counts_of, coups_of, shown_coup
from trente_rules.table.events import (
    Burned,
    CardTurned,
    CoupDealt,
    CoupSettled,
    ShoeOpened,
    StakeSettled,
)
from trente_rules.table.state import Phase, balance
from trente_rules.testing import opening_of

HOUSES = default_manager().names("house")
TEXTS: Final = Texts(default_manager().language("en"))


def until_refait(session: PlaySession, chance: str = "rouge") -> None:
    """Stake on a chance until a choice is offered; shoes follow one another."""
    for _coup in range(400):
        if step_of(session) is UiStep.SHUFFLE:
            session.shuffle()
            if step_of(session) is UiStep.CUT:
                session.cut(100)
            continue
        if session.free_on(chance) is None:
            session.add(chance)
        session.deal()
        if session.offers():
            return
    raise AssertionError("no refait in 400 coups")


@pytest.mark.slow
@pytest.mark.parametrize("name", HOUSES)
def test_a_whole_shoe_is_played_in_every_house(name: str) -> None:
    """From the shuffle to the end of the taille no unit is lost; the counts are the events'.

    The shoe of the house bounds the coups of a taille. Where a machine shuffles for every coup
    there is no taille: 40 coups are played, and the cards are those of the next one.
    """
    session = ready(name)
    house, chances = session.house, session.house.deal.chances
    coups = 0
    while step_of(session) is not UiStep.SHUFFLE and coups < 40:
        if session.step is UiStep.DEAL:
            if session.free_on(chances[coups % len(chances)]) is None:
                session.add(chances[coups % len(chances)])
            coups += 1
        if session.step in (UiStep.DEAL, UiStep.CARD):
            session.deal()
        go_on(session)
        assert balance(session.state) == 0
    events = session.events
    dealt = sum(isinstance(event, CoupDealt) for event in events)
    shoe = house.shoe
    if shoe.every_coup:
        assert dealt == 40
    else:
        behind = shoe.marker_bounds[0]
        assert shoe.sure_coups(behind) <= dealt <= shoe.most_coups(behind)
    opened = max(n for n, event in enumerate(events) if isinstance(event, ShoeOpened))
    turned = [event for event in events[opened:] if isinstance(event, CardTurned)]
    counts = counts_of(session)
    assert counts.shoe.cards_left == 52 * shoe.packs - counts.burned - len(turned)
    shown = [event.card for event in turned]
    shown += [
        card for event in events[opened:] if isinstance(event, Burned) for card in event.cards
    ]
    assert counts.shoe.points_out == sum(card.points for card in shown)
    assert len(card_of(session).lines) == sum(isinstance(event, CoupSettled) for event in events)
    nets = sum(event.line.player_net for event in events if isinstance(event, StakeSettled))
    standing = sum(stake.standing for stake in session.state.stakes)
    assert session.purse == session.bankroll + nets - standing


def test_a_chip_is_added_and_taken_off() -> None:
    """Chips add up to one stake of the chance; taking them off leaves the purse as it was."""
    session = ready(whole_house("italian-program"))
    session.choose_chip(20)
    session.add("noir")
    session.choose_chip(5)
    session.add("noir")
    stake = session.free_on("noir")
    assert stake
    assert (stake.amount, session.purse) == (25, 100_000 - 25)
    session.take("noir")
    assert session.purse == 100_000 - 20
    session.take("noir", whole=True)
    assert (session.free_on("noir"), session.purse) == (None, 100_000)


def test_what_the_house_refuses_changes_nothing() -> None:
    """A stake above the maximum is refused in the house's words; the table is as it was."""
    session = ready("monte-carlo-1911")
    assert session.chips[0] == units(session.house, 20)
    session.choose_chip(units(session.house, 10_000))
    session.add("rouge")
    before = session.state
    with pytest.raises(BetError, match="above the maximum of 12000 FRF"):
        session.add("rouge")
    assert session.state == before


def test_the_purse_is_the_end_of_credit() -> None:
    """More than the purse, premium included, is refused; a bankroll below the minimum too."""
    session = sit("italian-program", bankroll=100)
    session.shuffle()
    go_on(session)
    session.toggle_insurance("rouge")
    session.choose_chip(units(session.house, 100))
    with pytest.raises(BetError, match="your purse is 1 EUR short"):
        session.add("rouge")
    assert session.purse == units(session.house, 100)
    house = load_house("monte-carlo-1911")
    with pytest.raises(BetError, match="does not reach the minimum of 20 FRF"):
        PlaySession.begin(house, opening_of(house), units(house, "19.99"), session.shuffler)


def test_insurance_is_asked_for_each_chance() -> None:
    """It may be asked before the stake or after it, and taken off; the premium is one per cent."""
    session = ready(whole_house("italian-program"))
    session.toggle_insurance("rouge")
    session.choose_chip(100)
    session.add("rouge")
    session.add("noir")
    assert session.purse == 100_000 - 201
    session.toggle_insurance("noir")
    assert session.purse == 100_000 - 202
    session.toggle_insurance("rouge")
    assert session.purse == 100_000 - 201
    rouge, noir, *_others = chances_of(session, TEXTS)
    assert (rouge.insured, rouge.premium, noir.insured, noir.premium) == (False, 0, True, 1)


def test_a_house_without_insurance_says_so() -> None:
    """There is nothing to insure in Foster's house."""
    with pytest.raises(BetError, match="does not insure rouge"):
        ready("foster-1897").toggle_insurance("rouge")


def test_prison_or_partage_is_the_players_choice() -> None:
    """On a refait the table waits; prison keeps the stake, partage hands half of it back."""
    for course, standing in (("prison", 100), ("partage", 0)):
        session = sit("france-2007")
        session.choose_chip(100)
        until_refait(session)
        (offer,) = session.offers()
        assert (session.step, offer.verdict) == (UiStep.CHOOSE, Verdict.REFAIT)
        assert set(offer.courses) == {"prison", "partage"}
        purse = session.purse
        session.choose(offer.stake.id, course)
        assert session.offers() == ()
        assert sum(stake.standing for stake in session.state.stakes) == standing
        assert session.purse == purse + (50 if course == "partage" else 0)
        if course == "prison":
            rouge = chances_of(session, TEXTS)[0]
            assert [(each.state, each.standing) for each in rouge.prisoners] == [("prison", 100)]


def test_a_prisoner_is_moved_where_the_house_allows_it() -> None:
    """Campione lets it stand on another chance, France does not."""
    for name, moved in (("campione", True), ("france-2007", False)):
        session = sit(name)
        session.choose_chip(100)
        until_refait(session)
        (offer,) = session.offers()
        session.choose(offer.stake.id, "prison")
        if step_of(session) is UiStep.SHUFFLE:
            session.shuffle()
            go_on(session)
        if moved:
            session.move_prisoner(offer.stake.id, "noir")
            assert [stake.chance for stake in session.state.stakes] == ["noir"]
        else:
            with pytest.raises(TrenteError, match="does not let prisoners move"):
                session.move_prisoner(offer.stake.id, "noir")


def test_the_marker_is_the_players_where_the_house_says_so() -> None:
    """The Italian program: among the last 20 to 40 cards; anything else is refused."""
    session = sit("italian-program")
    session.shuffle()
    assert step_of(session) is UiStep.CUT
    session.cut(1)
    assert step_of(session) is UiStep.MARKER
    with pytest.raises(TrenteError, match="20 to 40 cards from the end"):
        session.place_marker(41)
    session.place_marker(33)
    counts = counts_of(session)
    assert (counts.cut, counts.burned, counts.marker, counts.to_marker) == (1, 5, 33, 274)


def test_an_online_house_is_cut_by_the_croupier() -> None:
    """Players of an online game touch no cards: after the shuffle the bets are open."""
    session = sit("venezia-online")
    session.shuffle()
    assert step_of(session) is UiStep.DEAL
    assert counts_of(session).cut is not None


def test_cards_are_turned_one_by_one() -> None:
    """The first key closes the bets and turns a card; the deal goes on from there."""
    session = ready("france-2007")
    session.add("rouge")
    session.turn()
    coup = shown_coup(session.events)
    assert coup
    assert (len(coup.first), session.step) == (1, UiStep.CARD)
    with pytest.raises(PhaseError, match="rien ne va plus"):
        session.add("noir")
    session.deal()
    assert session.state.phase is Phase.BETTING


def test_late_bets_are_taken_until_the_first_card_in_an_old_house() -> None:
    """Hoyle: the first key only closes the bets, and a stake may still be placed."""
    session = ready("hoyle-19c")
    session.turn()
    assert session.house.limits_table.late_bets
    assert step_of(session) is UiStep.CARD
    session.add("rouge")
    session.turn()
    assert session.state.phase is Phase.DEALING
    with pytest.raises(PhaseError, match="rien ne va plus"):
        session.add("rouge")


def test_bets_wait_for_the_shoe() -> None:
    """Nothing can be staked before the cards are shuffled and cut."""
    with pytest.raises(PhaseError, match="bets are not open yet"):
        sit("france-2007").add("rouge")


def test_an_action_that_cannot_be_kept_has_not_happened() -> None:
    """The disk is full: the coup is not dealt, and comes as it would have when there is room."""
    session = ready("france-2007")
    session.add("rouge")
    free = ready("france-2007")
    free.add("rouge")
    before = session.state

    def full(_session: PlaySession) -> None:
        raise RecordError("no space left", "file-unwritable")

    session.keeper = full
    for act in (session.deal, session.turn, session.reset):
        with pytest.raises(RecordError, match="no space left"):
            act()
        assert session.state == before
    session.keeper = None
    session.deal()
    free.deal()
    assert session.events == free.events


def test_a_shuffle_that_cannot_be_kept_comes_again() -> None:
    """The seed's stream goes back too: the same shoe comes as if nothing had been tried."""
    session, free = sit("france-2007"), sit("france-2007")

    def full(_session: PlaySession) -> None:
        raise RecordError("no space left", "file-unwritable")

    session.keeper = full
    with pytest.raises(RecordError):
        session.shuffle()
    session.keeper = None
    session.shuffle()
    free.shuffle()
    assert session.state.shoe == free.state.shoe


def test_the_house_changes_between_two_tailles() -> None:
    """The purse goes with the player, prisoners are closed; within a taille it is refused."""
    session = ready("france-2007")
    other = load_house("monte-carlo-1911")
    with pytest.raises(PhaseError, match="between two tailles"):
        session.change_house(other, opening_of(other))
    while step_of(session) is not UiStep.SHUFFLE:
        session.deal()
        go_on(session)
    purse = session.purse
    session.change_house(other, opening_of(other))
    assert (session.house.name, session.purse, session.bankroll) == (other.name, purse, purse)
    assert session.chip == units(other, 20)
    assert session.statistics.coups == 0


def test_reset_begins_again_with_the_bankroll() -> None:
    """A new table: no shoe, no stake, the bankroll whole."""
    session = ready("france-2007")
    session.choose_chip(500)
    session.add("rouge")
    session.deal()
    session.reset()
    assert (session.step, session.purse, session.events) == (UiStep.SHUFFLE, session.bankroll, ())
    assert session.bankroll == units(session.house, 100_000)


def test_statistics_go_over_shoes_and_views_over_the_present_one() -> None:
    """Outcomes of the taille begin anew with each shoe; those of the session go on."""
    session = ready("foster-1897")
    for _shoe in range(2):
        while step_of(session) is not UiStep.SHUFFLE:
            session.deal()
            go_on(session)
        first = counts_of(session)
        assert sum(count for _name, count in first.taille[:2]) > 0
        session.shuffle()
        go_on(session)
    counts = counts_of(session)
    assert sum(count for _name, count in counts.taille) == 0
    assert session.statistics.tailles == 2
    assert session.statistics.coups == session.before.coups > 50
    assert session.statistics.player(PLAYER).won == 0


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("italian-program", "un après"),
        ("german-spas-1840", "refait"),
        ("wilhelmsbad-1840", "refait"),
    ],
)
def test_a_refait_is_called_un_apres_where_31_alone_loses(name: str, called: str) -> None:
    """Where every tie loses, or none, the count is not named after 31."""
    assert counts_of(ready(name)).taille[-1] == (called, 0)


def test_the_review_holds_every_coup() -> None:
    """Each coup has its cards, what was said, and what became of the stakes."""
    session = ready("france-2007")
    for _coup in range(5):
        if session.free_on("noir") is None:
            session.add("noir")
        session.deal()
        go_on(session)
    coups = [coup for coup in coups_of(session.events) if coup.begun]
    assert [coup.number for coup in coups] == [1, 2, 3, 4, 5]
    assert all(coup.coup and coup.first and coup.second and coup.lines for coup in coups)
    assert all(coup.calls[0].phrase == "faites_vos_jeux" for coup in coups)


MACHINE: Final = """
[house]
name = "machine"
extends = "france-2007"
[shoe]
packs = 8
shuffled = "every-coup"
marker = "none"
count_talon = false
"""


def test_a_machine_deals_coup_after_coup() -> None:
    """D-R35: one shuffle by the player, then bets are open again after every coup."""
    session = sit(loads_house(MACHINE))
    session.shuffle()
    for number in range(1, 21):
        assert step_of(session) is UiStep.DEAL
        if session.free_on("rouge") is None:
            session.add("rouge")
        session.deal()
        go_on(session)
        assert session.state.coup_number == number + 1
        assert len(coups_of(session.events)) == number + 1
        assert len(card_of(session).lines) == number
    assert session.statistics.coups == 20
    assert session.earlier.coups == 20  # what a file keeps of coups that the table has forgotten
    counts = counts_of(session)
    assert counts.shoe.cards_left == 8 * 52
    if not session.state.stakes:
        session.change_house(load_house("france-2007"), opening_of(load_house("france-2007")))
        assert step_of(session) is UiStep.SHUFFLE


def test_bets_before_the_cut_are_taken_at_the_table() -> None:
    """D11: the player bets, closes, cuts, and then the cards are dealt; later coups have no cut."""
    session = sit("foster-1897")
    session.shuffle()
    assert step_of(session) is UiStep.DEAL
    session.add("rouge")
    session.deal()
    assert step_of(session) is UiStep.CUT
    with pytest.raises(PhaseError, match="rien ne va plus"):
        session.add("rouge")
    session.cut(100)
    assert step_of(session) is UiStep.CARD
    session.deal()
    go_on(session)
    assert session.state.coup_number == 2
    session.deal()
    go_on(session)
    assert session.state.coup_number == 3


def test_the_rows_on_the_screen_have_the_colour_of_the_cut() -> None:
    """D-R15: the colour of the first row is that of the card shown at the cut."""
    house = loads_house(
        '[house]\nname = "cut"\nextends = "homburg-1860"\n[deal]\nfirst_row = "cut"\n'
    )
    seen = set()
    for seed in range(6):
        session = sit(house, seed=f"{seed:032x}")
        session.shuffle()
        session.cut(150)
        first = session.state.house.deal.first_colour
        session.deal()
        coup = coups_of(session.events)[0]
        assert [colour for colour, _cards in coup.rows(house)] == [first, Colour(1 - first)]
        seen.add(first)
    assert len(seen) == 2
