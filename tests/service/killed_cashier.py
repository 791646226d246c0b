"""A program that takes bets from a wallet and is killed at a step: ``python killed_cashier.py``.

It reads one JSON object a line (folder, url, step), and forks a child that opens the table of the
folder, lets two players bet through a coup, and is killed by SIGKILL at its n-th step: before or
after each row, each call of the wallet and each command. It writes how the child ended.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.service.cashier_stage import Stage, bet, staged

from trente_rules import TrenteError
from trente_rules.service.outbox import Outbox
from trente_rules.service.stores import FolderStore
from trente_rules.service.wallet import HttpWallet
from trente_rules.table import Increase


class Steps:
    """Counts steps, and kills the process at one of them."""

    def __init__(self, last: int) -> None:
        """Be killed at a step, from 1."""
        self.left = last

    def step(self) -> None:
        """Take a step."""
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, do: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that takes a step before and after."""

        def done(*arguments: Any, **how: Any) -> Any:
            self.step()
            result = do(*arguments, **how)
            self.step()
            return result

        return done

    def awaited(self, do: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        """Return a coroutine that takes a step before and after."""

        async def done(*arguments: Any, **how: Any) -> Any:
            self.step()
            result = await do(*arguments, **how)
            self.step()
            return result

        return done


async def play(folder: str, url: str, step: int) -> None:
    """Bet through a coup."""
    steps = Steps(step)

    def wrap(stage: Stage) -> None:
        Outbox._do = steps.around(Outbox._do)  # type: ignore[method-assign]
        HttpWallet._ask = steps.awaited(HttpWallet._ask)  # type: ignore[assignment,method-assign]
        stage.at.do = steps.awaited(stage.at.do)  # type: ignore[assignment,method-assign]

    async with staged(FolderStore(folder), url, wrap=wrap, tries=1) as stage:
        if not stage.table.state.shoe_number:
            await stage.open()

        async def one(player: str, chance: str) -> None:
            more = Increase(id="more", player=player, stake=f"{player}-1", amount=10_00)
            try:
                await stage.cashier.do([bet(player, 1, 20_00, chance)])
                await stage.cashier.do([more])
            except TrenteError:
                return

        await asyncio.gather(one("ann", "rouge"), one("bob", "noir"), one("poor", "noir"))
        await stage.coup(0)
        await stage.quiet()


def main() -> None:
    """Fork a child for each line."""
    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if not child:
            asyncio.run(play(**order))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
