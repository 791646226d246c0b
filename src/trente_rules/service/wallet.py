"""The wallet of a service: where players' money is, and how it is moved, over HTTP.

Every call names a movement, and is idempotent by its id: it may be sent any number of times, and
counts once. A wallet says that a call is done, or refuses it for good. Anything else, an error or
no reply, leaves it unknown: the call was done, or not, and is sent again. docs/wallet.md is the
contract.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final, Protocol
from urllib.parse import quote, urlsplit

import httpx
from attrs import asdict, define, frozen

from trente_rules.core.errors import TrenteError, shown
from trente_rules.core.text import printable

TRIES: Final = 3
"""Attempts of a call before a player's bet is given up."""
_REFUSES: Final = (402, 409, 422)
"""Statuses by which a wallet refuses for good; any other but 2xx leaves it unknown."""
_TIMEOUT: Final = httpx.Timeout(5.0, connect=2.0)
_FIRST_PAUSE: Final = 0.1
_LONGEST_PAUSE: Final = 30.0
_LONGEST_OF_A_BET: Final = 2.0
"""Seconds that a bet waits before its debit is sent again. Its player's socket is not read
meanwhile: a connection whose pings are not answered within 20 s is closed."""
_LONGEST_REASON: Final = 200
_SHORTEST_KEY: Final = 16
_JITTER: Final = 0.5


@frozen
class Order:
    """An order to a wallet, for one movement: units, below zero from the player.

    ``due`` is true for what the table has done already: it cannot be refused. ``reverses`` is the
    id of an earlier movement that this one takes back.
    """

    movement: str
    player: str
    units: int
    table: str
    reason: str
    round: str
    due: bool = False
    reverses: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the body of the call: the units are above zero there."""
        body = {**asdict(self), "units": abs(self.units)}
        if not self.reverses:
            del body["reverses"]
        return body


class Wallet(Protocol):
    """Accounts of players. Each call is idempotent by the id of its movement.

    A call raises ``WalletError``: "wallet-refused" where it is refused for good, "wallet-unknown"
    where it may have been done, or not.
    """

    async def debit(self, order: Order, /) -> None:
        """Take units from a player, who must have them unless it is due."""
        ...  # pragma: no cover - a protocol has no body

    async def credit(self, order: Order, /) -> None:
        """Give units to a player."""
        ...  # pragma: no cover - a protocol has no body

    async def reverse(self, movement: str, player: str, /) -> None:
        """Undo a debit; one that was not done yet is refused from then on."""
        ...  # pragma: no cover - a protocol has no body


class HttpWallet:
    """A wallet over HTTP: ``POST URL/debit``, ``URL/credit`` and ``URL/reverse``.

    A call is made once; who makes it decides whether and when it is sent again (``again_after``).
    """

    def __init__(self, url: str, key: str, client: httpx.AsyncClient | None = None) -> None:
        """Take the address of a wallet and the key that it knows the service by.

        Raises ``TrenteError`` ("bad-wallet") for an address that is not of HTTP, one of plain HTTP
        on another machine, or a key shorter than 16 characters.
        """
        _check(url, key)
        self._url = url.rstrip("/")
        self._client = client or httpx.AsyncClient(timeout=_TIMEOUT)
        self._headers = {"Authorization": f"Bearer {key}"}

    async def debit(self, order: Order) -> None:
        """Take units from a player; as ``Wallet``."""
        await self._ask("debit", order.movement, order.to_json())

    async def credit(self, order: Order) -> None:
        """Give units to a player; as ``Wallet``."""
        await self._ask("credit", order.movement, order.to_json())

    async def reverse(self, movement: str, player: str) -> None:
        """Undo a debit, or forbid it; as ``Wallet``."""
        body = {"movement": movement, "player": player}
        await self._ask("reverse", movement, body)

    async def _ask(self, what: str, movement: str, body: Mapping[str, Any]) -> None:
        # An id may hold any character of a session: a header holds those of ASCII.
        key = quote(f"{what}:{movement}", safe="/:%~")
        headers = {**self._headers, "Idempotency-Key": key}
        try:
            reply = await self._client.post(f"{self._url}/{what}", json=body, headers=headers)
        except httpx.HTTPError as error:
            raise unknown_error(what, type(error).__name__) from None
        if reply.is_success:
            return
        if reply.status_code in _REFUSES:
            raise refused_error(what, _reason(reply))
        raise unknown_error(what, f"status {reply.status_code}", _seconds(reply))

    async def close(self) -> None:
        """Close its connections."""
        await self._client.aclose()


def _check(url: str, key: str) -> None:
    try:
        parts = urlsplit(url)
    except ValueError:  # brackets without an address of IPv6 in them
        parts = urlsplit("")
    local = parts.hostname in ("127.0.0.1", "::1", "localhost")
    if parts.scheme != "https" and not (parts.scheme == "http" and local):
        # An address may hold a password: its scheme and its host alone are shown.
        where = f"{parts.scheme}://{parts.hostname}" if parts.hostname else f"{parts.scheme}:"
        what = f"{shown(where)} is not the address of a wallet"
        hint = "give an address that begins with https://; http:// is for this machine alone"
        raise TrenteError(what, "bad-wallet", hint)
    if len(key) < _SHORTEST_KEY or not key.isascii() or not key.isprintable():
        what = f"the key of the wallet has {len(key)} characters"
        hint = f"give {_SHORTEST_KEY} printable ones of ASCII at least: openssl rand -hex 32"
        raise TrenteError(what, "bad-wallet", hint)


def _reason(reply: httpx.Response) -> str:
    """Return why a wallet refuses: of problem details, or the beginning of its text."""
    try:
        told = reply.json()
    except ValueError:
        told = reply.text
    if isinstance(told, dict):
        told = told.get("title") or told.get("detail") or ""
    return printable(str(told)[:_LONGEST_REASON]) or f"status {reply.status_code}"


def _seconds(reply: httpx.Response) -> float:
    """Return the pause that a wallet asks for, in seconds; 0 where it asks for none."""
    told = reply.headers.get("Retry-After", "")
    return min(float(told), _LONGEST_PAUSE) if told.isascii() and told.isdigit() else 0.0


@define(eq=False, slots=False)
class WalletError(TrenteError):
    """A call that a wallet refused, or of which nobody knows whether it was done.

    ``pause`` are the seconds that the wallet asks for before the next one.
    """

    pause: float = 0.0


def refused_error(what: str, why: str) -> WalletError:
    """Return the error of a wallet that refuses for good."""
    hint = "bet less, or again under another id"
    return WalletError(f"the wallet refuses the {what}: {why}", "wallet-refused", hint)


def unknown_error(what: str, why: str, pause: float = 0.0) -> WalletError:
    """Return the error of a call of which nobody knows whether it was done."""
    hint = "bet again in a moment, under another id"
    told = f"the wallet does not confirm the {what}: {why}"
    return WalletError(told, "wallet-unknown", hint, pause)


def again_after(movement: str, attempt: int, pause: float = 0.0) -> float:
    """Return how many seconds to wait before a call is sent again, after so many attempts.

    It doubles, up to half a minute, and differs for each movement, so that calls that failed
    together do not come together again. It is never less than the ``pause`` the wallet asked for.
    """
    whole = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** min(attempt, 16))
    drawn = sha256(f"{attempt} {movement}".encode()).digest()[0] / 255
    return max(pause, whole * (1 - _JITTER * drawn))


async def persist(call: Any, *arguments: Any, movement: str, tries: int = TRIES) -> None:
    """Make a call of a bet until it is done or refused, so many times at most.

    A wallet that asks for a pause which no player can wait for is not asked again. Raises as the
    call: "wallet-refused", or "wallet-unknown" of the last attempt.
    """
    for attempt in range(tries):
        try:
            await call(*arguments)
        except WalletError as error:
            last = attempt == tries - 1 or error.pause > _LONGEST_OF_A_BET
            if error.code != "wallet-unknown" or last:
                raise
            await asyncio.sleep(again_after(movement, attempt, error.pause))
        else:
            return
