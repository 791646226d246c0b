"""The cashier whose process is killed between any two steps: every unit moves once, or not at all.

After each kill another process takes the table up, and each account is what the journal says.
"""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Final

import pytest
from tests.service.bad_wallet import BadWallet, lottery, serving
from tests.service.cashier_stage import START, staged

from trente_rules.service.stores import FolderStore

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL and fork")
_ACCOUNTS: Final = {"ann": START, "bob": START, "poor": 5_00}
_MOST: Final = 200


def killed_everywhere(
    folder: Path, every: int, fault: Callable[[int], Callable[[str], str]]
) -> int:
    """Kill a process at each of its steps, or each so many; return how many times."""
    program = Path(__file__).with_name("killed_cashier.py")
    run = subprocess.Popen(
        [sys.executable, str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert run.stdin is not None
    assert run.stdout is not None
    kills = 0
    with run, run.stdin:
        for step in count(1, every):
            assert step < _MOST
            wallet = BadWallet(_ACCOUNTS, fault(step))
            place = folder / str(step)
            with serving(wallet) as url:
                order = {"folder": str(place), "url": url, "step": step}
                run.stdin.write(json.dumps(order) + "\n")
                run.stdin.flush()
                ended = int(run.stdout.readline())
                assert ended in (0, -signal.SIGKILL)
                asyncio.run(taken_up(place, url, wallet))
            if not ended:
                break
            kills += 1
    return kills


async def taken_up(folder: Path, url: str, wallet: BadWallet) -> None:
    """Take a table up that was left by a process that died, and check all accounts."""
    with closing(FolderStore(folder)) as store:
        async with staged(store, url) as stage:
            await stage.quiet()
            await asyncio.sleep(0.06)  # calls that come late
            due = {each.id: (each.player, each.units) for each in stage.journal.movements()}
            assert wallet.moved == due
            for player, start in _ACCOUNTS.items():
                assert wallet.accounts[player] == start + sum(
                    units for owner, units in due.values() if owner == player
                )
            assert wallet.counts["other content"] == 0
            assert stage.cashier.stuck == 0


@pytest.mark.slow
def test_killed_between_two_steps(tmp_path: Path) -> None:
    """Issue 14, SIGKILL: before and after each row, each call of the wallet, each command."""
    assert killed_everywhere(tmp_path, 5, lambda _step: lambda _what: "fine") >= 8


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(3))
def test_killed_at_every_step_with_a_bad_wallet(tmp_path: Path, seed: int) -> None:
    """The same at every step, while the wallet fails, too."""
    assert killed_everywhere(tmp_path, 1, lambda step: lottery(1000 * seed + step, 0.2)) >= 30


def test_the_check_finds_what_is_wrong(tmp_path: Path) -> None:
    """A unit too many, or a movement that nobody made, does not pass."""
    wallet = BadWallet(_ACCOUNTS, lambda _what: "fine")
    with serving(wallet) as url:
        asyncio.run(taken_up(tmp_path, url, wallet))
        wallet.done["x"] = "ann", 1
        with pytest.raises(AssertionError):
            asyncio.run(taken_up(tmp_path, url, wallet))
