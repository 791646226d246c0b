"""The desk: who may do what, at which table; and what readings and sockets share."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from attrs import evolve, field, frozen

from trente_rules.core.errors import PhaseError, TrenteError, shown
from trente_rules.service.croupier import CROUPIER, Croupier
from trente_rules.service.hall import Hall
from trente_rules.service.health import HealthChecks
from trente_rules.service.hosted import Hosted, Waits, stopping_error
from trente_rules.service.messages import TableSetup
from trente_rules.service.metrics import Metrics
from trente_rules.service.tokens import Role, Tokens, Visitor, token_in
from trente_rules.table.commands import Command
from trente_rules.table.entries import Entry

T = TypeVar("T")


@frozen
class Desk:
    """All that a request needs: the tables, the tokens, the metrics."""

    hall: Hall
    tokens: Tokens
    metrics: Metrics
    tables: tuple[TableSetup, ...] = ()
    """The tables that are there from the start."""
    health: HealthChecks = field(init=False)

    @health.default
    def _checks(self) -> HealthChecks:
        return HealthChecks(lambda: self.hall.stopping, {"tables": self.hall.check})

    async def open(self) -> None:
        """Recover the tables that are kept, and create those that are to be there.

        A table that is kept continues as it was made, whatever it would be made of today. Where
        they are open already nothing happens. Raises what a store raises.
        """
        if self.hall.opened:
            return
        await self.hall.open()
        for setup in self.tables:
            if not self.hall.keeps(setup.table):
                await self.hall.create(setup)

    def check_open(self) -> None:
        """Raise ``TrenteError`` ("stopping") once the service stops."""
        if self.hall.stopping:
            raise stopping_error()

    def visitor(self, scope: Mapping[str, Any]) -> Visitor:
        """Return the visitor of a token of a request or a socket; "token-…" if it is not valid."""
        return self.tokens.read(token_in(scope), time.time())

    def table(self, visitor: Visitor, name: str) -> Hosted:
        """Return a table that a visitor may see.

        Raises ``TrenteError``: "forbidden" where the token does not open it, "unknown-table".
        """
        if not visitor.may_see(name):
            raise forbidden_error(f"the token of {shown(visitor.name)} does not open this table")
        return self.hall.table(name)

    def croupier(self, hosted: Hosted) -> Croupier:
        """Return who deals a table by itself; ``PhaseError`` ("not-now") where a dealer does."""
        croupier = self.hall.croupier(hosted.setup.table)
        if croupier is None:
            raise PhaseError("a dealer deals this table", "not-now", "ask the dealer")
        return croupier

    async def in_thread(self, function: Callable[..., T], *given: Any) -> T:
        """Return what a function returns that may take a while, or read a journal."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.hall.threads.readings, partial(function, *given))

    async def do(
        self, hosted: Hosted, visitor: Visitor, commands: Sequence[Command]
    ) -> tuple[Entry, ...]:
        """Do commands of a visitor at a table: all of them, or none."""
        for command in commands:
            check_may_give(visitor, command)
        # Who gave it is said by the token, never by who sends it.
        staff = "" if visitor.role is Role.PLAYER else visitor.name
        given = [evolve(command, staff=staff) for command in commands]
        if hosted.remote is not None:
            return await hosted.remote.do(visitor, given)
        return await hosted.take(given)

    def give(self, hosted: Hosted, what: Waits, place: int) -> None:
        """Give a cut or a marker to whoever deals a table by itself; ``PhaseError`` ("not-now")."""
        if hosted.remote is not None:
            hosted.remote.give(what, place)
        else:
            self.croupier(hosted).give(what, place)


def check_may_give(visitor: Visitor, command: Command) -> None:
    """Raise ``TrenteError`` ("forbidden") for a command that is not this visitor's to give."""
    if not visitor.may_give(command):
        whose = "for themselves" if visitor.role is Role.PLAYER else "here"
        raise forbidden_error(f"a {visitor.role.value} does not give {command.kind!r} {whose}")
    if not command.owner and command.id.startswith(CROUPIER):
        # It would be the id of a command that the croupier is yet to give.
        raise forbidden_error(f"the id {shown(command.id)} is one of the croupier's")


def forbidden_error(what: str) -> TrenteError:
    """Return the error of somebody who asks for what is not theirs."""
    return TrenteError(what, "forbidden", "ask the host for a token that allows it")
