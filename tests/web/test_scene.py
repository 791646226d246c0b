"""What the page shows is a fold of messages: after each one it equals the view of the table."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.table.driving import Driver
from tests.table.ten_players import dice_of, following
from tests.web.tools import HERE, WEB, missing

from trente_rules import Table
from trente_rules.table import (
    BuyIn,
    CloseSession,
    Command,
    Correct,
    Increase,
    Insure,
    MovePrisoner,
    Phase,
    Place,
    Round,
    Withdraw,
    view,
)
from trente_rules.table.views import view_of
from trente_rules.testing import opening_of

PLAYER = "player 1"
HOUSES = ("france-2007", "german-spas-1840", "hoyle-19c", "italian-program", "venezia-online")
COMMANDS = 800
OFTEN = 0.4
SELDOM = 0.04


def of_player(table: Table, dice: Random) -> Command | None:
    """Return something that the player does with the chips now, None where nothing is taken."""
    own = f"own{table.state.events}"
    chance = dice.choice([str(each) for each in table.house.deal.chances])
    wishes: list[Command] = [
        Place(id=own, stake=own, player=PLAYER, chance=chance, amount=dice.choice((10, 40)) * 100),
    ]
    for stake in view_of(table.state, for_=PLAYER).stakes:
        part = dice.choice((None, 1000, 100))
        wishes += (
            Increase(id=own, stake=stake.id, player=PLAYER, amount=1000),
            Withdraw(id=own, stake=stake.id, player=PLAYER, amount=part),
            Insure(id=own, stake=stake.id, player=PLAYER, proof=True),
            MovePrisoner(id=own, stake=stake.id, player=PLAYER, chance=chance),
        )
    dice.shuffle(wishes)
    return next((wish for wish in wishes if table.can(wish)), None)


def corrected(table: Table, dice: Random) -> Command | None:
    """Return a correction of an earlier coup of the shoe, while a later one is on."""
    now = table.state.round
    if now.coup < 2 or table.state.phase is Phase.READY:
        return None
    target = Round(now.session, now.shoe, now.coup - dice.choice((1, 1, now.coup - 1)))
    void = dice.random() < 0.5
    wish = Correct(id=f"c{table.state.events}", reason="paid wrong", void=void, target=target)
    return wish if table.can(wish) else None


def played(house: str) -> list[dict[str, Any]]:
    """Return what one of ten players receives of a session: entries, and the view after each."""
    loaded = Driver(house).house
    table = Table(loaded, opening=opening_of(loaded), purses=True, session="s")
    dice = dice_of(len(house))
    for number in range(1, 11):
        table.do(BuyIn(id=f"b{number}", player=f"player {number}", amount=10**9))
    seen: list[dict[str, Any]] = [{"view": view_of(table.state, for_=PLAYER).to_json()}]

    def done(command: Command) -> None:
        entry = table.execute(command)
        seen.append(
            {
                "entry": view(entry, for_=PLAYER).to_json(),
                "view": view_of(table.state, for_=PLAYER).to_json(),
            }
        )

    for _ in range(COMMANDS):
        wanted = of_player(table, dice) if dice.random() < OFTEN else None
        if dice.random() < SELDOM:
            wanted = corrected(table, dice) or wanted
        done(wanted or following(table, dice))
    close = CloseSession(id="close")  # with a stake that is returned
    while not (table.can(close) and view_of(table.state, for_=PLAYER).stakes):
        done(of_player(table, dice) or following(table, dice))
    done(close)
    return seen


def folded(seen: list[dict[str, Any]], folder: Path) -> list[dict[str, Any]]:
    """Return the scenes that the page's modules make of them."""
    node = shutil.which("node")
    if node is None:
        missing("node is not installed", "TRENTE_NODE")
    for name in (WEB / "scene.js", HERE / "folding.mjs"):
        shutil.copy(name, folder)
    (folder / "package.json").write_text('{"type": "module"}', "utf-8")
    (folder / "seen.json").write_text(json.dumps({"seen": seen}), "utf-8")
    command = (node or "node", "folding.mjs", "seen.json")
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    scenes: list[dict[str, Any]] = json.loads(done.stdout)
    return scenes


def of_scene(scene: dict[str, Any]) -> dict[str, Any]:
    """Return what a scene and a view have in common."""
    rows = {"first": [], "second": []} if scene["stale"] else scene["rows"]
    return {
        "stakes": sorted(scene["stakes"], key=lambda stake: str(stake["id"])),
        "account": scene["account"],
        "purse": scene["purse"],
        "left": scene["left"],
        "cards": [*rows["first"], *rows["second"]],
        "verdicts": {} if scene["stale"] else scene["verdicts"],
        "betting": scene["betting"],
        "events": scene["events"],
        "offers": sorted(offer["stake"]["id"] for offer in scene["offers"]),
    }


def of_view(seen: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    """Return the same of a view; a coup that is over stays on the page until the next bets."""
    over = seen["phase"] in {"ready", "no-shoe", "cut", "burn", "mark", "ended"}
    return {
        "stakes": sorted(seen["stakes"], key=lambda stake: str(stake["id"])),
        "account": seen["account"],
        "purse": seen["purse"],
        "left": known["left"] if seen["left"] is None else seen["left"],
        "cards": known["cards"] if over else seen["cards"],
        "verdicts": known["verdicts"] if over else dict(seen["verdicts"]),
        "betting": seen["phase"] == "betting",
        "events": known["events"],
        "offers": sorted(offer["stake"]["id"] for offer in seen["offers"]),
    }


@pytest.mark.slow
@pytest.mark.parametrize("house", HOUSES)
def test_the_page_shows_what_the_table_has(house: str, tmp_path: Path) -> None:
    """It adds no rule of the game, and a reload changes nothing: the fold equals the view."""
    seen = played(house)
    scenes = folded(seen, tmp_path)
    assert len(scenes) == len(seen) - 1 > COMMANDS
    for received, made in zip(seen[1:], scenes, strict=True):
        kinds = [event["kind"] for event in received["entry"]["events"]]
        scene = of_scene(made["scene"])
        assert scene == of_view(received["view"], scene), kinds
        resumed = of_scene(made["resumed"])
        assert resumed == {**of_view(received["view"], resumed), "events": resumed["events"]}, kinds
        assert made["resumed"]["totals"] == made["scene"]["totals"], kinds
