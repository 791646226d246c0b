"""What a house is used for: compared, printed, told, simulated, played and kept at a live table.

Each use takes every shipped house and every house that ``testing`` draws. A few drawn houses, that
are all the cases of ``tests.properties.cases`` between them, are tried every time; more at night.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import shake_256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest
from tests.cli.calling import trente
from tests.play.seated import go_on, sit, step_of
from tests.properties.cases import CASES, drawn, few
from tests.properties.meeting import meets
from tests.properties.shipped import names, random_house, shipped
from tests.records.recorded import Kept
from tests.simulation.test_oracle import agrees
from tests.table.choosing import Bytes, Chooser
from tests.table.test_machine import coups
from tests.table.watched import Watched

from trente_rules import BetError, House, PhaseError, Stake, dumps_house, refusals
from trente_rules.core import default_manager
from trente_rules.core.errors import TrenteError
from trente_rules.core.text import printable
from trente_rules.odds.advantage import advantage
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.play.session import PlaySession, UiStep
from trente_rules.records import dumps_record, loads_record, replay
from trente_rules.table import (
    BuyIn,
    CashOut,
    CloseSession,
    MemoryJournal,
    OpenBets,
    Phase,
    Post,
    recover,
    restore,
    snapshot,
)
from trente_rules.table.state import balance
from trente_rules.testing import opening_of

LANGUAGES: Final = default_manager().names("language")
COUPS: Final = 60


@contextmanager
def written(house: House) -> Iterator[Path]:
    """Write a house to a file, as a user has it."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "house.toml"
        path.write_text(dumps_house(house), "utf-8")
        yield path


def command(house: House, *words: str) -> Any:
    """Run a command on the file of a house; return its JSON."""
    first, *others = words
    with written(house) as path:
        ran = trente(first, path, *others, "--format", "json")
    assert ran.status == 0, ran.err
    return json.loads(ran.out)


def compared(house: House) -> None:
    """``trente compare`` gives the exact figures of every wager, and those of its least stake."""
    told = command(house, "compare")
    (line,) = told["houses"]
    found = advantage(house, fresh_shoe(house.shoe.packs), opening=house.lowest_opening()).wagers
    assert [(w["chance"], w["insured"]) for w in line["wagers"]] == [
        (w.chance, w.insured) for w in found
    ]
    for wager, exact in zip(line["wagers"], found, strict=True):
        assert wager["edge"] == float(exact.edge)
    if stake := accepted(house):
        amount = str(house.money.amount(stake.amount))
        assert command(house, "compare", "--stake", amount)["houses"]
    with written(house) as path:
        against = trente("compare", path, "--against", "france-2007")
    assert (against.status, against.err) == (0, "")


def printed(house: House) -> None:
    """``trente par`` prints probabilities that sum to 1 and the edges of ``compare``."""
    sheet = command(house, "par")
    assert sheet["fingerprint"] == house.fingerprint
    with written(house) as path:
        text = trente("par", path)
    assert text.status == 0
    assert house.fingerprint in text.out


def told(house: House) -> None:
    """``trente rules`` tells the house in every language, with every prison by its name."""
    with written(house) as path:
        for language in LANGUAGES:
            ran = trente("rules", path, "--language", language)
            assert (ran.status, ran.err) == (0, "")
            assert "$" not in ran.out.replace(printable(house.title), "")
            assert house.fingerprint in ran.out


def simulated(house: House) -> bool:
    """``trente simulate`` deals it, or says that its shares are too fine to be added up exactly.

    Stake for stake, what it counts is what the engine comes to.
    """
    with written(house) as path:
        ran = trente("simulate", path, "--coups", "200", "--seed", "7", "--format", "json")
    if ran.status:
        assert "too fine to be added up exactly" in ran.err
        return False
    (line,) = ran.json["houses"]
    assert line["coups"] > 0
    if stake := accepted(house):
        agrees(house, stake.amount, seed=3, shoes=1, opening=opening_of(house))
    return True


def accepted(house: House) -> Stake | None:
    """Return a small stake that the house takes; None where it could settle none to the unit."""
    opening = opening_of(house)
    for chance in house.chances:
        lowest = house.limits_table.bounds(opening, chance.id).lowest
        stake = Stake("s", "ann", chance.id, lowest)
        if not refusals(house, [stake], opening=opening):
            return stake
    assert house.money.rounding == "refuse"
    return None


def played(house: House) -> None:
    """``trente play`` seats a player who bets, chooses and comes to the end of the taille."""
    session = sit(house, bankroll=10**9)
    session.shuffle()
    go_on(session)
    bets = 0
    for coup in range(COUPS):
        if step_of(session) is UiStep.SHUFFLE:
            break
        if step_of(session) in (UiStep.DEAL, UiStep.CARD):
            bets += bet(session, coup)
            session.deal()
        go_on(session)
        assert balance(session.state) == 0
    assert bets or house.money.rounding == "refuse"  # no chip may be settled to the unit


def bet(session: PlaySession, coup: int) -> bool:
    """Stake one chip on a chance, if the house takes any; return whether it did."""
    chance = session.house.deal.chances[coup % len(session.house.deal.chances)]
    for chip in session.chips:
        session.choose_chip(chip)
        try:
            session.add(chance)
        except (BetError, PhaseError):
            continue
        return True
    return False


def kept(house: House, data: bytes = shake_256(b"a session").digest(400)) -> Counter[str]:
    """Play a live table at random to the close; return which commands were done.

    Money, cards and calls hold after every command. The records of its tailles replay to
    themselves; the table recovered from its journal, and the one restored from its snapshot, are
    equal to it.
    """
    done = Counter[str]()
    for live, purses in ((False, False), (True, True)):
        journal = MemoryJournal()
        watched = Watched(house, journal=journal, purses=purses)
        record = Kept(watched)
        chooser = Chooser(watched, live=live)
        _session(chooser, data, purses=purses)
        while watched.state.phase is not Phase.ENDED:
            if watched.do(CloseSession) is None:
                chooser.onwards(Bytes(b""))
        assert not watched.state.stakes
        assert balance(watched.state) == 0
        assert recover(journal).state == watched.state
        assert restore(snapshot(watched.table), house).state == watched.state
        for each in record.recorder.records:
            again = replay(loads_record(dumps_record(each)))
            assert again.differences == ()
            assert again.computed is not None
            assert dumps_record(again.computed) == dumps_record(each)
        done += watched.kinds
    return done


def _session(chooser: Chooser, data: bytes, *, purses: bool) -> None:
    """Play bursts of commands, with chips bought first and higher limits posted in between."""
    watched = chooser.table
    if purses:
        for player in ("ann", "bob", "cy"):
            watched.do(BuyIn, player=player, amount=10**6)
    quarter = len(data) // 4
    for part in range(4):
        burst = data[part * quarter : (part + 1) * quarter]
        coups(chooser, burst)
        chooser.play(burst)
        watched.restored()
        watched.do(Post, opening=watched.house.opening_with((chooser.least or 1) * 2))
        if purses:
            watched.do(CashOut, player="ann")


USES: Final[dict[str, Callable[[House], Any]]] = {
    "compare": compared,
    "par": printed,
    "rules": told,
    "simulate": simulated,
    "play": played,
    "table": kept,
}


SHIPPED: Final = [
    pytest.param(use, name, marks=() if (at + place) % len(USES) == 0 else pytest.mark.nightly)
    for at, name in enumerate(names())
    for place, use in enumerate(USES)
]
"""Each use of each shipped house: each house in one use by turns, in the others at night."""


def take(use: str, house: House) -> bool:
    """Put a house to a use, and return whether it was taken; a failure shows the house."""
    try:
        return USES[use](house) is not False
    except TrenteError as error:
        if error.code == "too-many-states":  # a documented limit of the exact engine
            return False
        error.add_note(dumps_house(house))
        raise
    except BaseException as error:
        error.add_note(dumps_house(house))
        raise


@pytest.mark.slow
@pytest.mark.parametrize("use", [use for use in USES if use != "table"])
def test_each_case_is_taken(use: str) -> None:
    """Drawn houses that are all the cases between them are taken by each use."""
    assert len(few(lambda house: take(use, house))) < 30


@pytest.mark.slow
@pytest.mark.parametrize(("use", "name"), SHIPPED)
def test_each_shipped_house_is_taken(use: str, name: str) -> None:
    """Every shipped house is taken by each use."""
    assert take(use, shipped(name))


@pytest.mark.slow
def test_no_case_is_missed() -> None:
    """The houses drawn are of every case, and none of the cases is every house."""
    met = Counter(case for _house, cases in drawn() for case in cases)
    assert {case for case in CASES if not met[case]} == set()
    assert {case for case in CASES if met[case] == len(drawn())} == set()


@pytest.mark.slow
def test_each_case_is_taken_by_a_table() -> None:
    """They are played there; among it limits are posted again, chips are bought and cashed."""
    done = Counter[str]()

    def taken(house: House) -> bool:
        done.update(kept(house))
        return True

    assert len(few(taken)) < 30
    wanted = {Post.kind, BuyIn.kind, CashOut.kind, OpenBets.kind, CloseSession.kind}
    wanted |= {"place", "choose", "correct", "void-coup", "settle"}
    assert wanted <= set(done)
    for name in ("france-2007", "foster-1897", "monte-carlo-1911"):  # they insure
        done.update(kept(shipped(name)))
    assert "insure" in done


@pytest.mark.nightly
@pytest.mark.parametrize("use", [use for use in USES if use != "par"])
@meets(house=random_house())
def test_every_house_is_taken(use: str, house: House) -> None:
    """The same for any house that is drawn."""
    take(use, house)


# The sheet of a machine with many fractions takes half a minute, and it is printed twice.
@pytest.mark.nightly
@meets(house=random_house(), examples=100)
def test_every_house_is_printed(house: House) -> None:
    """A PAR sheet of any house that is drawn."""
    take("par", house)
