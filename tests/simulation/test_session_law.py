"""The exact law of a session of a system, held against recursions in Fractions and simulation."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import pytest

from trente_rules import TrenteError, load_house, loads_house
from trente_rules.core.systems import Ladder, Result
from trente_rules.odds.advantage import advantage, law_of
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.odds.significance import at_most
from trente_rules.players.seats import seat_of
from trente_rules.simulation import sessions as module
from trente_rules.simulation.seat import Seat
from trente_rules.simulation.sessions import SessionLaw, session_law
from trente_rules.simulation.staking import simulate_systems

SEED = 20_261_203


def martingale(bankroll: int) -> Seat:
    """Return the seat of the table of M27: base 10, partage."""
    house = load_house("france-2007")
    return seat_of(house, "martingale", base=1000, bankroll=100 * bankroll, play="partage")


def direct(seat: Seat, session: int) -> tuple[Fraction, dict[int, Fraction], Fraction]:
    """Return ruin, the law of the final bankroll and the mean stakes: every path, in Fractions."""
    odds, ladder = fresh_shoe(seat.house.shoe.packs), Ladder(seat.system)
    finals: dict[int, Fraction] = defaultdict(Fraction)
    ruin = staked = Fraction(0)

    def follow(rung: int, money: int, left: int, weight: Fraction) -> None:
        nonlocal ruin, staked
        bet = ladder.bet(rung)
        amount = bet.units * seat.base
        chance = seat.house.chance(bet.chance)
        if not left or (seat.bankroll is not None and money < seat.cost(chance.id, amount)):
            ruin += weight if left else 0
            finals[money] += weight
            return
        staked += weight * amount
        steps, law = seat.path(chance, amount).steps, law_of(chance, odds)

        def settle(node: str, so_far: int, coups: int, part: Fraction) -> None:
            for verdict, step in steps[node].items():
                if not (p := law.get(verdict)):
                    continue
                total = so_far + int(step.back * amount)
                if step.target and coups < 6:
                    settle(step.target, total, coups + 1, part * p)
                elif not step.target:
                    sign = total - amount
                    result = Result.WON if sign > 0 else Result.LOST if sign else Result.LEVEL
                    then = ladder.rung(rung).nexts[result]
                    follow(then, money + sign, max(0, left - coups), part * p)

        settle(next(iter(steps)), 0, 1, weight)

    follow(0, seat.bankroll or 0, session, Fraction(1))
    return ruin, finals, staked


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bankroll", "session", "ruin"),
    [(10, 2, 0.467092), (70, 100, 0.955823), (630, 300, 0.833367), (2000, 200, 0.471854)],
)
def test_the_martingale_has_the_ruin_of_the_table(bankroll: int, session: int, ruin: float) -> None:
    """M27: the values that were computed by hand; after two coups it is lose or refait first."""
    law = session_law(martingale(bankroll), session=session)
    assert law.ruin == pytest.approx(ruin, abs=6e-7)
    assert law.error < 1e-10
    assert sum(law.finals.values()) == pytest.approx(1, abs=1e-10)
    assert list(law.ruined) == sorted(law.ruined)


@pytest.mark.slow
@pytest.mark.parametrize(
    "system", ["martingale", "d'alembert", "labouchere", "paroli", "fibonacci"]
)
@pytest.mark.parametrize("house", ["italy-half-loss", "foster-1897", "monte-carlo-1911"])
def test_few_coups_are_every_path_in_fractions(house: str, system: str) -> None:
    """M27: a direct recursion over all paths gives ruin, final bankroll and mean stakes."""
    loaded = load_house(house)
    base = seat_of(loaded, system).base
    seat = seat_of(loaded, system, base=base, bankroll=8 * base)
    law, (ruin, finals, staked) = session_law(seat, session=3), direct(seat, 3)
    # The recursion leaves out prisoners that stay more than six coups.
    assert law.ruin == pytest.approx(float(ruin), abs=2e-5)
    assert law.staked == pytest.approx(float(staked), rel=2e-4)
    for money, p in finals.items():
        assert law.finals[money] == pytest.approx(float(p), abs=2e-5)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("house", "system"), [("france-2007", "martingale"), ("monte-carlo-1911", "d'alembert")]
)
def test_plain_python_gives_the_law_of_the_compiled_code(
    house: str, system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M27: without numba the same figures come, slower."""
    pytest.importorskip("numba")
    loaded = load_house(house)
    base = seat_of(loaded, system).base
    seat = seat_of(loaded, system, base=base, bankroll=20 * base)
    fast = session_law(seat, session=30)
    monkeypatch.setattr(module, "fast_installed", lambda: False)
    plain = session_law(seat, session=30)
    assert fast.ruin == pytest.approx(plain.ruin, abs=2e-9)
    assert fast.staked == pytest.approx(plain.staked, rel=1e-8)
    assert fast.coups == pytest.approx(plain.coups, rel=1e-8)
    assert fast.quantile(0.5) == plain.quantile(0.5)


def test_the_loss_is_the_edge_of_the_stakes() -> None:
    """M27: no system changes the edge: the mean loss is the edge times the mean stakes."""
    house = load_house("italy-half-loss")
    seat = seat_of(house, "paroli", base=1000, bankroll=20_000)
    law = session_law(seat, session=20)
    edge = float(advantage(house, fresh_shoe(6), chances=["rouge"]).wagers[0].edge)
    assert 20_000 - law.mean == pytest.approx(edge * law.staked, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("house", ["france-2007", "monte-carlo-1911", "german-spas-1840"])
def test_prison_houses_agree_with_the_simulation(house: str) -> None:
    """M27: ruin of a martingale, by an exact binomial test at .1 % for each house."""
    pytest.importorskip("numba")
    loaded = load_house(house)
    base = seat_of(loaded, "martingale").base
    seat = seat_of(loaded, "martingale", base=base, bankroll=40 * base)
    law = session_law(seat, session=40)
    assert law.error < 1e-4
    one = simulate_systems(seat, coups=80_000, session=40, seed=SEED, workers=1).seats[0]
    many, p = one.sessions, law.ruin or 0.0
    assert 0.0005 < at_most(one.ruined, many, p) < 0.9995, (SEED, house, one.ruined / many, p)


def test_what_is_out_of_reach_is_said() -> None:
    """M27: limits that look at the shoe, long lines, too much work: a sentence, no figure."""
    with pytest.raises(TrenteError, match="earlier ones of the same shoe") as caught:
        session_law(seat_of(load_house("venezia-online"), "martingale"))
    assert caught.value.code == "out-of-reach"
    with pytest.raises(TrenteError, match="moves of a probability"):
        session_law(martingale(2000), session=50, most=1000)
    with pytest.raises(TrenteError) as caught:
        session_law(martingale(2000), session=0)
    assert caught.value.code == "bad-session"


def test_a_quarter_lost_has_a_grid_of_quarters() -> None:
    """M27: the grid of bankrolls holds what a refait takes, so nothing is rounded."""
    text = """
    [house]
    name = "quarter"
    extends = "italy-half-loss"
    [refait]
    rule = "half-loss"
    returned = "3/4"
    """
    seat = seat_of(loads_house(text), "flat", base=1000, bankroll=4000)
    law, (ruin, finals, staked) = session_law(seat, session=6), direct(seat, 6)
    assert law.error < 1e-12
    assert law.ruin == pytest.approx(float(ruin), abs=1e-14)
    assert law.staked == pytest.approx(float(staked), rel=1e-14)
    assert law.finals == pytest.approx({money: float(p) for money, p in finals.items()}, abs=1e-14)


@pytest.mark.slow
def test_the_default_seat_of_a_session_has_its_law() -> None:
    """M27: a martingale at a prison house, 1,000 base stakes, 1,000 coups: not out of reach."""
    pytest.importorskip("numba")
    law = session_law(seat_of(load_house("france-2007"), "martingale"))
    assert law.ruin == pytest.approx(0.2718173, abs=2e-7)
    assert law.error < 1e-6


def test_endless_credit_has_no_ruin() -> None:
    """M27: without a bankroll the law of the net is given, and no ruin."""
    seat = seat_of(load_house("italy-half-loss"), "flat", base=1000, endless=True)
    law: SessionLaw = session_law(seat, session=3)
    assert law.ruin is None
    odds = law_of(seat.house.chance("rouge"), fresh_shoe(6))
    win = next(float(p) for verdict, p in odds.items() if verdict.kind == "win")
    assert law.finals[3000] == pytest.approx(win**3)
