"""Systems over coups that were noted: stake by stake, as at a table."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest

from trente_rules import House, RecordError, TrenteError, load_house, loads_house
from trente_rules.core import default_manager
from trente_rules.core.chances import Verdict
from trente_rules.core.money import Amount
from trente_rules.players import PlayedPermanence, play_permanence, seat_of, system_of
from trente_rules.players.strategy import SystemPlayer, play_strategy, simulated_shoes
from trente_rules.records import Permanence, load_permanence
from trente_rules.records.permanence import Noted
from trente_rules.simulation.seat import Play

EXAMPLES = Path(__file__).parents[2] / "examples"
PLAYS: Final[tuple[Play, ...]] = ("default", "partage")
HOUSES: Final = default_manager().names("house")
THREE: Final = "35 32 n\n33 38 n\n31 36 r\n"


def units(house: str, amount: int) -> int:
    """Return an amount of the currency of a house in its units."""
    return load_house(house).money.units(Amount.parse(amount))


def played(
    noted: str,
    system: str = "martingale",
    house: House | str = "foster-1897",
    chance: str = "noir",
    **seat: Any,
) -> PlayedPermanence:
    """Play a system over a permanence, or over results; amounts of the seat in units."""
    at = load_house(house) if isinstance(house, str) else house
    results = not any(letter.isdigit() for letter in noted)
    taken = seat_of(at, system_of(system, chance=chance), label=system, **seat)
    return play_permanence(taken, noted if results else Permanence.parse(noted))


def test_a_martingale_over_three_coups() -> None:
    """C24: foster-1897, noir, unit 10: stakes 10 lost, 20 won, 10 won; net +20."""
    ten = units("foster-1897", 10)
    found = played(THREE, base=ten)
    assert [line.stake for line in found.lines] == [ten, 2 * ten, ten]
    assert [line.verdict for line in found.lines] == ["lose", "win", "win"]
    assert [line.total for line in found.lines] == [-ten, ten, 2 * ten]
    assert [line.following for line in found.lines] == [2 * ten, ten, ten]
    assert (found.net, found.staked, found.coups) == (2 * ten, 4 * ten, 3)
    assert found.results() == {"won": 2, "lost": 1, "level": 0}


def test_results_as_text_say_the_same() -> None:
    """C24: ``--results``: letters apart or together, words, tailles; what is no result."""
    base = units("foster-1897", 10)
    wanted = [line.total for line in played(THREE, base=base).lines]
    for text in ("L W W", "lww", "lose, win, win", "L;W -- W"):
        assert [line.total for line in played(text, base=base).lines] == wanted
    with pytest.raises(RecordError, match="'Q' is not a result"):
        played("L Q", base=base)
    with pytest.raises(RecordError, match="no result is given"):
        played("", base=base)


@pytest.mark.parametrize(
    ("system", "results", "stakes", "net"),
    [
        ("reverse-labouchere{line=[1, 2, 3]}", "W W L W L L", [4, 5, 6, 6, 8, 7], -6),
        ("montant-et-demontant", "L L L W W", [1, 2, 3, 4, 3], 1),
        ("fitzroy", "L L W L L W W L W W", [1, 3, 4, 4, 5, 6, 7, 4, 5, 5], 10),
        ("1-3-2-6", "W W W W", [1, 3, 2, 6], 12),
    ],
)
def test_printed_tables_are_held_against_systems(
    system: str, results: str, stakes: list[int], net: int
) -> None:
    """C24, C26: stakes and net of the books, in base stakes."""
    base = units("foster-1897", 10)
    found = played(results, system, base=base, endless=True)
    assert [stake // base for stake in found.stakes] == stakes
    assert found.net == net * base


def test_a_refait_takes_the_courses_of_the_house() -> None:
    """France: prison by default, half back where it is chosen; the system counts that a loss."""
    base = 1000
    prison = played("X W", house="france-2007", base=base)
    assert [(line.after, line.net) for line in prison.lines] == [("prison", 0), ("", 0)]
    assert [line.state for line in prison.lines] == ["free", "prison"]
    assert [line.following for line in prison.lines] == [None, base]
    assert prison.results() == {"won": 0, "lost": 0, "level": 1}
    lost = played("X L W", house="france-2007", base=base)
    assert [line.net for line in lost.lines] == [0, -base, 2 * base]
    half = played("X W", house="france-2007", base=base, play="partage")
    assert [line.net for line in half.lines] == [-base // 2, 2 * base]
    insured = played("X A W", house="france-2007", base=10_000, insured=True)
    paid = [(line.net, line.premium) for line in insured.lines]
    assert paid == [(-100, 100), (-100, 100), (9900, 100)]  # France keeps it at an après too


def test_the_end_of_a_taille_closes_prisoners_or_keeps_them() -> None:
    """As ``prisoners_at_end`` says; a prisoner after the last coup is still the player's."""
    kept = played("X -- W", house="foster-1897", base=1000)
    assert [line.coup for line in kept.lines] == [1, 1]
    closing = loads_house(
        '[house]\nname = "closing"\nextends = "france-2007"\n[shoe]\nprisoners_at_end = "close"\n'
    )
    found = played("X -- W", house=closing, base=1000)
    assert [(line.taille, line.coup, line.verdict, line.net) for line in found.lines] == [
        (1, 1, "refait", 0),
        (1, 0, "close", -500),
        (2, 1, "win", 2000),
    ]
    standing = played("W X", house="france-2007", base=1000)
    assert (standing.standing, standing.net, standing.lines[-1].following) == (1000, 1000, None)


def test_a_maximum_makes_a_system_restart_with_a_reason() -> None:
    """Monte Carlo: 12,000 francs; the line says what the house refused."""
    base = units("monte-carlo-1911", 5000)
    found = played("L L L", house="monte-carlo-1911", base=base, endless=True)
    assert [stake // base for stake in found.stakes] == [1, 2, 1]
    assert found.restarts == 1
    assert "restarts: " in found.lines[1].note
    assert "above the maximum of 12000 FRF" in found.lines[1].note


def test_a_limit_on_raising_holds_within_a_taille() -> None:
    """Venezia online: from the fourth bet at most 3/2 of the third; a new taille starts over."""
    base = units("venezia-online", 2)
    within = played("L L L L L", house="venezia-online", base=base, endless=True)
    assert within.restarts > 0
    apart = played("L L L -- L", house="venezia-online", base=base, endless=True)
    assert [stake // base for stake in apart.stakes] == [1, 2, 4, 8]
    assert apart.restarts == 0


def test_what_was_not_noted_is_skipped_or_stops() -> None:
    """C25: no stake on a coup that was missed; where a stake in prison meets one, the play ends."""
    found = played("L ? W", base=1000)
    assert [line.stake for line in found.lines] == [1000, None, 2000]
    assert [line.following for line in found.lines] == [2000, 2000, 1000]
    assert "not noted" in found.lines[1].note
    assert (found.unknown, found.coups) == (1, 3)
    stopped = played("X ? W", house="france-2007", base=1000)
    assert stopped.stopped == "the stake in prison met coup 2 of taille 1, which was not noted"
    assert (stopped.coups, stopped.standing) == (1, 1000)
    dots = seat_of(load_house("france-2007"), system_of("flat", chance="couleur"), base=1000)
    known = play_permanence(dots, Permanence.parse("N C\nR\nA\nN I\n"))
    assert [line.verdict for line in known.lines] == ["win", "", "apres", "lose"]


def test_money_that_ends_stops_the_play() -> None:
    """The next stake cannot be paid: said in the currency."""
    found = played("L L L", base=1000, bankroll=3000)
    assert found.ruined
    assert found.coups == 2
    assert found.stopped.startswith("the next bet costs ")
    assert " are left" in found.stopped


def test_systems_that_follow_the_shoe_change_their_chance() -> None:
    """Série bets on the last winner: its line names the chance, and what that chance met."""
    seat = seat_of(load_house("foster-1897"), "serie", base=1000)
    found = play_permanence(seat, Permanence.parse(THREE))
    assert [line.chance for line in found.lines] == ["rouge", "rouge", "noir"]
    assert [line.verdict for line in found.lines] == ["win", "lose", "win"]


def test_impossible_tailles_are_rejected() -> None:
    """C25: with the file and the line where a break may be missing."""
    with pytest.raises(RecordError) as caught:
        played("39 38 n\n" * 40)
    assert caught.value.code == "impossible-taille"
    assert "27" in str(caught.value)


def test_the_example_is_played_by_every_system() -> None:
    """The permanence of examples/ in its house, and its JSON."""
    permanence = load_permanence(EXAMPLES / "permanence.txt")
    house = load_house(permanence.house)
    for name in default_manager().names("system"):
        found = play_permanence(seat_of(house, name, base=1000), permanence)
        told = json.loads(json.dumps(found.to_json()))
        assert told["coups"] == 7
        assert told["net"] == sum(line["net"] for line in told["lines"])
        assert [line["total"] for line in told["lines"]][-1] == told["net"]


@pytest.mark.slow
@pytest.mark.parametrize("name", HOUSES)
def test_a_permanence_of_played_shoes_gives_what_the_table_gave(name: str) -> None:
    """The coups of a session at the real table, noted, come to the same stakes and nets."""
    pytest.importorskip("numba")
    house = load_house(name)
    system = "d'alembert" if name == "venezia-online" else "labouchere"
    for play in PLAYS:
        seat = seat_of(house, system, endless=True, play=play)
        shoes = simulated_shoes(house, 5, 0)
        dealt, tailles = [], []
        for _ in range(150 if house.shoe.every_coup else 6):
            shoe = next(shoes)
            dealt.append(shoe)
            coups = []
            while not house.shoe.ended(shoe):
                result = house.shoe.deal(shoe)
                shoe = result.shoe
                if result.coup is None:
                    break
                first, second = result.coup.rows
                coups.append(Noted(first.point, second.point, first.colour, second.colour))
            if coups:
                tailles.append(tuple(coups))
        table = play_strategy(
            house,
            SystemPlayer(seat),
            coups=sum(map(len, tailles)) - 5,
            shoes=iter(dealt),
            opening=seat.opening,
        )
        noted = play_permanence(seat, Permanence(tuple(tailles)))
        there = [(one.bet.chance, one.bet.amount, one.net, one.premium) for one in table.ended]
        here = [(one.bet.chance, one.bet.amount, one.net, one.premium) for one in noted.ended]
        assert here[: len(there)] == there
        assert len(there) > 50


def test_lines_follow_one_another() -> None:
    """The stake that is placed is the one that the line before announced."""
    found = played("L L A W X L W ? W L", house="foster-1897", base=1000)
    for before, line in pairwise(found.lines):
        if line.state == "free":
            assert line.stake == before.following
    assert Verdict.of_id(found.lines[0].verdict) == Verdict.LOSE


def test_a_seat_that_cannot_sit_down_is_an_error() -> None:
    """As for a simulation: the first bet below the minimum of the house."""
    with pytest.raises(TrenteError) as caught:
        played("W", house="monte-carlo-1911", base=500)
    assert caught.value.code == "below-minimum"


def test_a_stake_above_all_amounts_makes_a_system_restart() -> None:
    """C2: a limit of the program is named as one, not as a maximum of the house."""
    base = 4 * 10**17
    found = played("L L L", base=base, endless=True)
    assert [stake // base for stake in found.stakes] == [1, 2, 1]
    assert "restarts: the stake is larger than any that is counted" in found.lines[1].note
