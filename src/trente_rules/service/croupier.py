"""The croupier of a table that the service deals by itself: when to shuffle, to deal, to settle.

The croupier decides nothing about the game: it looks at the phase of the table, waits as its pace
says, and gives the command of the dealer that comes next.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from trente_rules.core.errors import PhaseError, RecordError, TrenteError
from trente_rules.core.shoe import CARDS_IN_PACK
from trente_rules.fair.entropy import SeededShuffler, SystemShuffler
from trente_rules.service.hosted import Hosted, Waits
from trente_rules.service.messages import Pace
from trente_rules.table.commands import (
    Burn,
    CloseBets,
    CloseSession,
    Command,
    Cut,
    Deal,
    OpenBets,
    OpenShoe,
    PlaceMarker,
    Settle,
    Turn,
)
from trente_rules.table.decide import decide
from trente_rules.table.settle import offers
from trente_rules.table.state import Phase

CROUPIER: Final = "croupier-"
"""The beginning of the ids of a croupier's commands: nobody else gives such an id."""
_AGAIN: Final = 0.5
"""Seconds before a command is given again that was refused."""
_JOURNAL_AGAIN: Final = 1.0
_PASSES: Final = frozenset(("journal-locked", "journal-full", "journal-fails"))
"""What may keep a journal from being written for a while: a copy is made of it, the disk is full.
Nothing was changed then, and the same is tried again."""
_LOG: Final = logging.getLogger(__name__)
ShoeShuffler = SeededShuffler | SystemShuffler


class Croupier:
    """Deals a table at its pace, until it is cancelled or its session is over."""

    def __init__(self, hosted: Hosted, pace: Pace, shuffler: ShoeShuffler) -> None:
        """Deal a table with cards in the order of a shuffler."""
        self._hosted, self._pace, self._shuffler = hosted, pace, shuffler
        self._asked: Waits = "nothing"
        self._given: int | None = None

    def give(self, what: Waits, place: int) -> None:
        """Take the place of a cut or a marker from a player.

        Raises ``PhaseError`` ("not-now") where the table does not wait for it.
        """
        phase = self._hosted.table.state.phase
        if what != self._asked:
            why = f"the table does not wait for the {what} now"
            raise PhaseError(why, "not-now", "wait until it is asked for", phase)
        # By the state alone: ``verify`` would wait, in the loop, for a commit that is under way.
        decide(self._hosted.table.state, self._placing(what, place))
        self._given = place
        self._hosted.changed.set()

    async def run(self) -> None:
        """Deal until the session is over."""
        while self._hosted.table.state.phase is not Phase.ENDED:
            try:
                await self._step()
            except RecordError as error:
                self._hosted.fail(error)
                if error.code not in _PASSES:  # the journal is not ours any more, or broken
                    return
                await asyncio.sleep(_JOURNAL_AGAIN)
            except TrenteError as error:
                # Somebody of the staff was quicker, or the service stops.
                _LOG.info("table %s: %s", self._hosted.setup.table, error)
                await asyncio.sleep(_AGAIN)
        self._show("nothing")

    async def _step(self) -> None:
        hosted, pace = self._hosted, self._pace
        state = hosted.table.state
        rule = hosted.table.house.shoe
        match state.phase:
            case Phase.NO_SHOE | Phase.READY | Phase.BETTING if hosted.closing:
                await self._do(CloseSession(id=self._id()))
            case Phase.NO_SHOE:
                await self._present()
                shoe = OpenShoe.shuffled(self._id(), rule.packs, self._shuffler)
                await self._do(shoe)
            case Phase.CUT:
                place = await self._place("cut", by_player=rule.cut_by != "croupier")
                await self._do(self._placing("cut", place))
            case Phase.BURN:
                await self._do(Burn(id=self._id()))
            case Phase.MARK:
                marked = rule.marker is not None and rule.marker.placed_by == "player"
                place = await self._place("marker", by_player=marked)
                await self._do(self._placing("marker", place))
            case Phase.READY:
                await self._do(OpenBets(id=self._id()))
            case Phase.BETTING:
                await self._bets()
            case Phase.CLOSED | Phase.DEALING:
                await self._cards()
            case Phase.DEALT:
                await self._settle(pace)

    async def _bets(self) -> None:
        """Wait for the bets of this coup, then close them, and deal where nothing is between."""
        hosted, pace = self._hosted, self._pace
        hosted.clear_ready()
        await self._present()
        await self._wait("bets", pace.bets, lambda: hosted.all_ready or hosted.closing)
        self._show("nothing")
        if hosted.closing:  # it was to be closed as these bets were opened
            return
        close = CloseBets(id=self._id())
        if pace.card == 0:
            try:
                await self._do(close, Deal(id=f"{close.id}-deal"))
            except PhaseError:  # the cards are cut first in this house, or it takes late bets
                await self._do(close)
        else:
            await self._do(close)

    async def _cards(self) -> None:
        if self._pace.card == 0:
            await self._do(Deal(id=self._id()))
            return
        await asyncio.sleep(self._pace.card / 1000)
        await self._do(Turn(id=self._id()))

    async def _settle(self, pace: Pace) -> None:
        """Wait for the choices of players who are here, settle, and open the next bets."""
        if self._choosing():
            await self._wait("choices", pace.choices, lambda: not self._choosing())
            self._show("nothing")
        if pace.rest or self._hosted.closing:
            await self._do(Settle(id=self._id()))
            await asyncio.sleep(pace.rest / 1000)
        else:
            await self._do(OpenBets(id=self._id()))

    def _choosing(self) -> bool:
        """Return whether a player who is connected has a choice to make."""
        state, players = self._hosted.table.state, set(self._hosted.players)
        if state.coup is None or not players:
            return False
        made = {choice.stake for choice in state.choices}
        stakes = [each for each in state.stakes if each.owner in players and each.id not in made]
        return any(offers(state, state.coup, stakes))

    # Waiting

    async def _present(self) -> None:
        """Wait until a player is connected, or the table is to be closed."""
        hosted = self._hosted
        while not (hosted.players or hosted.closing):
            self._show("nothing")
            hosted.changed.clear()
            await hosted.changed.wait()

    async def _place(self, what: Waits, *, by_player: bool) -> int:
        """Return where to cut, or to put the marker: by a player who is here and does it in time.

        Otherwise the croupier does it, at a place that is drawn.
        """
        rule = self._hosted.table.house.shoe
        if by_player:
            given = await self._asked_for(what)
            if given is not None:
                return given
        low, high = 0, rule.packs * CARDS_IN_PACK
        if what == "marker" and rule.marker is not None:
            low, high = rule.marker.bounds
        return low + self._shuffler.below(high - low + 1)

    async def _asked_for(self, what: Waits) -> int | None:
        """Return the place that a player gave in time, None where nobody did."""
        await self._present()
        self._asked, self._given = what, None
        try:
            await self._wait(what, self._pace.cut, lambda: self._given is not None)
        finally:
            self._asked = "nothing"
        self._show("nothing")
        return self._given

    def _placing(self, what: Waits, place: int) -> Command:
        rule = self._hosted.table.house.shoe
        if what == "cut":
            return Cut(id=self._id(), place=place, by=rule.cut_by)
        by = rule.marker.placed_by if rule.marker else "croupier"
        return PlaceMarker(id=self._id(), from_end=place, by=by)

    async def _wait(self, what: Waits, limit: int | None, until: Callable[[], bool]) -> None:
        """Wait until something holds, for so many milliseconds at most."""
        hosted, loop = self._hosted, asyncio.get_running_loop()
        deadline = None if limit is None else loop.time() + limit / 1000
        phase = hosted.table.state.phase
        while not until() and hosted.table.state.phase is phase:
            self._show(what, deadline)
            left = None if deadline is None else deadline - loop.time()
            if left is not None and left <= 0:
                return
            hosted.changed.clear()
            try:
                async with asyncio.timeout(left):
                    await hosted.changed.wait()
            except TimeoutError:
                return

    def _show(self, what: Waits, deadline: float | None = None) -> None:
        self._hosted.show_clock(what, deadline)

    async def _do(self, *commands: Command) -> None:
        await self._hosted.do(commands)
        failure = self._hosted.failure
        if failure is not None and failure.code in _PASSES:
            self._hosted.failure = None
            _LOG.warning("table %s is dealt again", self._hosted.setup.table)

    def _id(self) -> str:
        # A command makes an event at least: no other command of the session has this id.
        return f"{CROUPIER}{self._hosted.table.state.events}"
