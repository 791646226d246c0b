"""The wallet over HTTP: what is sent, and what a reply means."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

import httpx
import pytest

from trente_rules import TrenteError
from trente_rules.service.wallet import (
    HttpWallet,
    Order,
    WalletError,
    again_after,
    persist,
    unknown_error,
)

KEY = "0123456789abcdef"
ORDER = Order("s/ann/c1/0", "ann", -500, "salle-3", "stake", "s/1/2")
Handler = Callable[[httpx.Request], httpx.Response]


def asked(handler: Handler, what: str = "debit") -> None:
    """Ask a wallet once."""

    async def ask() -> None:
        async with httpx.AsyncClient(transport=httpx.MockTransport(handler)) as client:
            wallet = HttpWallet("https://wallet.example/v1/", KEY, client)
            if what == "reverse":
                await wallet.reverse(ORDER.movement, ORDER.player)
            else:
                await (wallet.debit if what == "debit" else wallet.credit)(ORDER)

    asyncio.run(ask())


def test_what_is_sent() -> None:
    """docs/wallet.md: a body of whole units above zero, the key, the id of the movement."""
    seen: list[httpx.Request] = []

    def handler(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(204)

    for what in ("debit", "credit", "reverse"):
        asked(handler, what)
    assert [str(each.url) for each in seen] == [
        f"https://wallet.example/v1/{what}" for what in ("debit", "credit", "reverse")
    ]
    assert {each.headers["Authorization"] for each in seen} == {f"Bearer {KEY}"}
    assert [each.headers["Idempotency-Key"] for each in seen] == [
        "debit:s/ann/c1/0",
        "credit:s/ann/c1/0",
        "reverse:s/ann/c1/0",
    ]
    whole = {
        "movement": "s/ann/c1/0",
        "player": "ann",
        "units": 500,
        "table": "salle-3",
        "reason": "stake",
        "round": "s/1/2",
        "due": False,
    }
    assert json.loads(seen[0].content) == whole
    assert json.loads(seen[2].content) == {"movement": "s/ann/c1/0", "player": "ann"}
    taken_back = Order("m", "ann", 5, "t", "reversal", "r", due=True, reverses="n")
    assert taken_back.to_json()["reverses"] == "n"


@pytest.mark.parametrize("status", [200, 201, 204])
def test_done(status: int) -> None:
    """Any status 2xx: it is done, now or before."""
    asked(lambda _request: httpx.Response(status))


@pytest.mark.parametrize("status", [402, 409, 422])
def test_refused(status: int) -> None:
    """Three statuses refuse for good, with the reason as the player reads it."""
    with pytest.raises(WalletError, match="no funds") as caught:
        asked(lambda _request: httpx.Response(status, json={"title": "no funds\x1b[2J"}))
    assert caught.value.code == "wallet-refused"
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize("status", [301, 400, 401, 403, 404, 408, 425, 429, 500, 502, 503, 504])
def test_unknown(status: int) -> None:
    """Any other status: it may have been done, and is sent again, after the pause asked for."""
    with pytest.raises(WalletError) as caught:
        asked(lambda _request: httpx.Response(status, headers={"Retry-After": "7"}))
    assert (caught.value.code, caught.value.pause) == ("wallet-unknown", 7.0)


@pytest.mark.parametrize("error", [httpx.ReadTimeout, httpx.ConnectError, httpx.ReadError])
def test_no_reply_is_unknown(error: type[httpx.HTTPError]) -> None:
    """A reply that is lost says nothing of what was done."""

    def handler(request: httpx.Request) -> httpx.Response:
        del request
        raise error("gone")

    with pytest.raises(WalletError) as caught:
        asked(handler)
    assert caught.value.code == "wallet-unknown"


@pytest.mark.parametrize("told", [b"\xff\xfe", b"[1]", b'{"title": 5}', b"", b"x" * 100_000])
def test_any_body_of_a_refusal(told: bytes) -> None:
    """What a wallet writes is shortened, and never a reason to fail."""
    with pytest.raises(WalletError) as caught:
        asked(lambda _request: httpx.Response(409, content=told))
    assert len(str(caught.value)) < 400


def test_a_call_is_sent_again_with_growing_pauses() -> None:
    """Back-off with jitter: it doubles, has an end, and differs between movements."""
    pauses = [again_after("m", attempt) for attempt in range(40)]
    assert all(0.05 * 2**n <= pause <= 0.1 * 2**n for n, pause in enumerate(pauses[:8]))
    assert max(pauses) <= 30
    assert len({again_after(f"m{n}", 3) for n in range(50)}) > 20
    assert again_after("m", 0, 9.0) == 9.0


def test_persist_asks_so_often_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """A debit is given up in the end; a refusal is not asked again."""
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    calls: list[int] = []

    async def call(code: str, until: int) -> None:
        calls.append(1)
        if len(calls) < until:
            raise WalletError("no", code)

    asyncio.run(persist(call, "wallet-unknown", 3, movement="m"))
    assert (len(calls), len(slept)) == (3, 2)
    for code, times in (("wallet-unknown", 3), ("wallet-refused", 1)):
        calls.clear()
        with pytest.raises(WalletError):
            asyncio.run(persist(call, code, 9, movement="m"))
        assert len(calls) == times


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://wallet.example", KEY),
        ("ftp://wallet.example", KEY),
        ("wallet.example", KEY),
        ("https://wallet.example", "short"),
        ("https://wallet.example", KEY + "é"),
        ("https://wallet.example", KEY + "\n"),
    ],
)
def test_a_bad_wallet_is_refused(url: str, key: str) -> None:
    """Money goes over TLS, and the key is one: it is not shown."""
    with pytest.raises(TrenteError) as caught:
        HttpWallet(url, key)
    assert caught.value.code == "bad-wallet"
    assert key not in str(caught.value)


def test_a_bet_waits_for_no_long_pause() -> None:
    """The socket of its player is not read meanwhile: after 20 s it would be closed."""
    asked_for = []

    async def call() -> None:
        asked_for.append(0)
        raise unknown_error("debit", "status 503", 30.0)

    with pytest.raises(WalletError) as caught:
        asyncio.run(persist(call, movement="m"))
    assert caught.value.code == "wallet-unknown"
    assert len(asked_for) == 1
