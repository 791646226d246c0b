"""The statistics that players note: coups won and lost, un après, the cards that are out (U21)."""

from __future__ import annotations

from tests.table.driving import Driver

from trente_rules import load_house
from trente_rules.service.statistics_reading import StatisticsReading, statistics_reading
from trente_rules.service.table_notes import MOST_COUPS, OwnCoups, TableNotes
from trente_rules.table import Audience, Correct, EndShoe, OpenBets, Place, Settle
from trente_rules.table.events import StakeSettled
from trente_rules.table.statistics import Statistics
from trente_rules.table.views import Viewer


def coup(driver: Driver, *stakes: tuple[str, str, int]) -> None:
    """Play a coup with stakes: player, chance, amount."""
    driver.do(OpenBets)
    for player, chance, amount in stakes:
        name = (
            f"{driver.table.state.shoe_number}-{driver.table.state.coup_number}-{chance}-{player}"
        )
        driver.do(Place, stake=name, player=player, chance=chance, amount=amount)
    driver.deal()
    driver.do(Settle)


def read(driver: Driver, viewer: Viewer, notes: TableNotes | None = None) -> StatisticsReading:
    """Return the statistics of a viewer."""
    return statistics_reading(driver.table, viewer, notes)


def test_lose_and_win_count_coups() -> None:
    """U21: rouge and inverse in one coup are one coup, won, lost or neither, not two stakes."""
    driver = Driver(load_house("italian-program"))
    driver.shoe((31, 40), (33, 32), (35, 35), (31, 31), (40, 31))
    both = ("ann", "noir", 1000), ("ann", "couleur", 1000)
    coup(driver, *both)
    coup(driver, ("ann", "rouge", 1000), ("ann", "inverse", 1000), ("bob", "noir", 500))
    coup(driver, *both)
    coup(driver, ("ann", "rouge", 1000))
    own = read(driver, "ann").session.own
    assert own is not None
    assert own.won + own.lost + own.neither == 4
    nets = [step.net for step in read(driver, "ann").session.net_by_coup]
    assert own.won == sum(net > 0 for net in nets)
    assert own.lost == sum(net < 0 for net in nets)
    assert (own.staked, own.net) == (7000, sum(nets))
    assert read(driver, "ann").session.net_by_coup[-1].total == sum(nets)
    assert nets[2:] == [0, -1000]  # an après; un après takes the whole stake here
    bob = read(driver, "bob").session.own
    assert bob is not None
    assert (bob.won, bob.lost, bob.neither) == (0, 1, 0)
    assert read(driver, Audience.PUBLIC).session.own is None


def test_outcomes_points_and_the_deck() -> None:
    """Sources: un après, the wins of the chances, cards still in, low and high, points out."""
    driver = Driver(load_house("italian-program"))
    driver.shoe((31, 40), (33, 32), (35, 35), (31, 31))
    for _coup in range(4):
        coup(driver, ("ann", "noir", 1000))
    told = read(driver, "ann")
    assert told.refait_name == "un après"
    assert (told.session.coups, told.session.apres, told.session.refaits) == (4, 1, 1)
    assert (told.session.wins["noir"], told.session.wins["rouge"]) == (1, 1)
    assert sum(told.session.points) == 8
    assert told.session.points[0] == 3
    shoe = told.shoe
    assert shoe.burned == 5
    assert shoe.cards_out + shoe.cards_left == 312
    assert shoe.low_out + shoe.low_left == shoe.high_out + shoe.high_left == 144
    assert shoe.points_out == sum((31, 40, 33, 32, 35, 35, 31, 31))
    assert shoe.marker is not None
    assert shoe.to_marker == shoe.cards_left - shoe.marker
    assert shoe.cut == 0


def test_the_taille_is_apart_from_the_session() -> None:
    """A new shoe begins the taille again; the session goes on."""
    driver = Driver(load_house("france-2007"))
    told = read(driver, "ann")
    for _shoe in range(2):
        driver.shoe((31, 40), (33, 32))
        coup(driver, ("ann", "noir", 1000))
        coup(driver, ("ann", "noir", 1000))
        told = read(driver, "ann")
        driver.do(EndShoe)
    assert (told.taille.coups, told.session.coups, told.tailles) == (2, 4, 1)
    assert told.taille.own is not None
    assert (told.taille.own.staked, told.taille.own.won, told.taille.own.lost) == (2000, 1, 1)
    assert [step.total for step in told.taille.net_by_coup] == [1000, 0]
    assert [(step.shoe, step.coup) for step in told.session.net_by_coup] == [
        (1, 1),
        (1, 2),
        (2, 1),
        (2, 2),
    ]


def test_notes_that_are_kept_say_what_new_ones_say() -> None:
    """A correction takes a coup off and counts it again, also in notes that had counted it."""
    driver = Driver(load_house("france-2007"))
    notes = TableNotes(driver.table)
    driver.shoe((31, 40), (33, 32), (35, 35))
    for _coup in range(2):
        coup(driver, ("ann", "noir", 1000), ("bob", "rouge", 2000))
        assert read(driver, "ann", notes) == read(driver, "ann")
    driver.do(Correct, reason="void after all", void=True)
    own = read(driver, "ann", notes)
    assert own == read(driver, "ann")
    assert own.session.own is not None
    assert (own.session.own.won, own.session.own.lost, own.session.coups) == (1, 0, 1)
    assert (own.session.voided, own.session.corrected) == (1, 1)
    counted = Statistics.of(event for entry in driver.table.entries for event in entry.events)
    assert own.session.own.net == counted.player("ann").net


def test_the_memory_of_a_player_is_bounded() -> None:
    """Of 500 coups the last 300 are known one by one; the sums are whole, and stay right."""
    driver = Driver(load_house("france-2007"))
    driver.shoe((31, 40))
    coup(driver, ("ann", "noir", 1000))
    (line,) = [
        event.line
        for entry in driver.table.entries
        for event in entry.events
        if isinstance(event, StakeSettled)
    ]
    own = OwnCoups()
    for number in range(1, 501):
        own.count((1, number), line, 1)
    assert len(own.nets) == MOST_COUPS
    assert (own.won, own.net, sum(own.nets.values())) == (200, 200_000, 300_000)
    own.count((1, 3), line, -1)  # a correction of a coup long ago: it is part of a sum
    assert own.net == 199_000
    own.count((1, 500), line, -1)
    assert (1, 500) not in own.nets


def test_a_machine_has_one_taille() -> None:
    """Where cards are shuffled for each coup, the taille is the session."""
    driver = Driver(load_house("eight-packs-machine"))
    for _coup in range(2):
        driver.shoe((31, 40))
        coup(driver, ("ann", "noir", 1000))
    told = read(driver, "ann")
    assert told.taille == told.session
    assert told.session.coups == 2
