"""Sites: which names and whose pages are the service's own, and who is behind a proxy."""

from __future__ import annotations

from typing import Any, Final

import pytest
from tests.service.asgi import scope_of

from trente_rules.core.errors import TrenteError
from trente_rules.service.sites import Site, Sites

OWN: Final = "http://127.0.0.1:8000"


def code(sites: Sites, scope: dict[str, Any]) -> str:
    """Return the code with which a connection is refused, nothing where it is not."""
    try:
        sites.check(scope)
    except TrenteError as error:
        return error.code
    return ""


def scope(host: str | None, *headers: tuple[str, str], method: str = "GET") -> dict[str, Any]:
    """Return a request to the service at 127.0.0.1:8000, a socket where the method is WS."""
    kind = "websocket" if method == "WS" else "http"
    return scope_of(kind, method, "/", headers, "127.0.0.1", host=host)


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8000", "localhost:8000", "LOCALHOST:8000", "[::1]:8000"]
)
def test_the_loopback_by_its_names(host: str) -> None:
    """A service on the loopback has the loopback's names, with its port."""
    assert code(Sites(), scope(host)) == ""
    assert code(Sites(), scope(host, ("origin", f"http://{host.lower()}"), method="WS")) == ""


@pytest.mark.parametrize(
    "host",
    [
        None,
        "",
        "cards.example:8000",
        "cards.example",
        "127.0.0.1",
        "127.0.0.1:8001",
        "127.0.0.1:80000",
        "localhost",
        "localhost:8000.cards.example",
        "127.0.0.1.example:8000",
        "127.0.0.1:8000@cards.example",
        "cards.example#127.0.0.1:8000",
        "http://127.0.0.1:8000",
        "127.0.0.1:8000 ",
        "127.0.0.1:8000, cards.example",
        "0.0.0.0:8000",
        "2130706433:8000",
        "[::ffff:127.0.0.1]:8000",
        "local\u212aost:8000".encode().decode("latin-1"),
        "127.0.0.1:\uff18000".encode().decode("latin-1"),
        "127.0.0.1:+8000",
        "127.0.0.1:",
    ],
)
def test_foreign_hosts(host: str | None) -> None:
    """C9, S3: a page that reached the loopback by another name is not served at all."""
    assert code(Sites(), scope(host)) == "bad-host"


def test_two_hosts() -> None:
    """Of two names one is a lie."""
    two = scope("127.0.0.1:8000")
    two["headers"].append((b"host", b"cards.example"))
    assert code(Sites(), two) == "bad-host"


@pytest.mark.parametrize("method", ["WS", "POST", "PUT", "PATCH", "DELETE", "TRACE", "ODD"])
@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "",
        "http://127.0.0.1.example:8000",
        "http://127.0.0.1:9",
        "http://127.0.0.1",
        "https://127.0.0.1:8000",
        "http://localhost:8000",
        "https://evil.example",
        "http://127.0.0.1:8000.evil.example",
        "http://127.0.0.1:8000/",
        "http://127.0.0.1:8000\\@evil.example",
        "http://evil.example@127.0.0.1:8000",
        "HTTP://127.0.0.1:8000 http://evil.example",
        "file://",
    ],
)
def test_foreign_origins(origin: str, method: str) -> None:
    """C9, S3: sockets and what changes something are taken from the service's own pages alone."""
    assert code(Sites(), scope("127.0.0.1:8000", ("origin", origin), method=method)) == "bad-origin"


@pytest.mark.parametrize("method", ["WS", "POST", "GET"])
def test_no_origin_and_the_own_one(method: str) -> None:
    """Clients that are no browsers send none; the service's own pages send theirs."""
    assert code(Sites(), scope("127.0.0.1:8000", method=method)) == ""
    assert code(Sites(), scope("127.0.0.1:8000", ("origin", OWN), method=method)) == ""


def test_two_origins() -> None:
    """Of two pages one is a lie."""
    both = [("origin", OWN), ("origin", "https://evil.example")]
    assert code(Sites(), scope("127.0.0.1:8000", *both, method="POST")) == "bad-origin"


def test_a_public_site() -> None:
    """Behind a proxy the service has the names it was given, and pages of that scheme."""
    sites = Sites(["https://Casino.example", "http://table:8080"])
    own = ("origin", "https://casino.example")
    assert code(sites, scope("casino.example", own, method="WS")) == ""
    assert code(sites, scope("casino.example:443", own, method="WS")) == ""
    assert code(sites, scope("casino.example:80", own, method="WS")) == "bad-host"
    plain = ("origin", "http://casino.example")
    assert code(sites, scope("casino.example", plain, method="WS")) == "bad-origin"
    assert code(sites, scope("table:8080", ("origin", "http://table:8080"), method="WS")) == ""
    assert code(sites, scope("evil.casino.example", own)) == "bad-host"


def test_the_scheme_is_that_of_the_connection() -> None:
    """A name without a scheme has that by which the client came."""
    sites, own = Sites(["casino.example"]), ("origin", "https://casino.example")
    secure = scope("casino.example", own, method="WS") | {"scheme": "wss"}
    assert code(sites, secure) == ""
    assert code(sites, scope("casino.example", own, method="WS")) == "bad-origin"


def test_the_own_address() -> None:
    """Who names the very address of the connection was led there by no foreign name."""
    asked = scope("10.0.0.5:8000") | {"server": ("10.0.0.5", 8000)}
    assert code(Sites(), asked) == ""
    assert code(Sites(), scope("10.0.0.5:8000")) == "bad-host"
    six = scope("[2001:db8::1]:8000") | {"server": ("2001:db8::1", 8000)}
    assert code(Sites(), six) == ""
    assert code(Sites(), scope("127.0.0.1:8000") | {"server": ("/run/t.sock", None)}) == "bad-host"
    assert code(Sites(), scope("127.0.0.1:8000") | {"server": None}) == "bad-host"


@pytest.mark.parametrize(
    "text", ["", "a b", "https://", "ftp://a", "a:b", "a/b", "*", "*.example", "a:123456", "-a"]
)
def test_what_is_no_site(text: str) -> None:
    """A name is written out: no pattern, no path."""
    with pytest.raises(TrenteError) as caught:
        Sites([text])
    assert caught.value.code == "bad-site"


def test_a_site() -> None:
    """Scheme and port are optional."""
    assert Site.of("Casino.Example") == Site("", "casino.example", None)
    assert Site.of("https://[2001:db8::1]:8443") == Site("https", "[2001:db8::1]", 8443)


def test_who_is_behind_a_proxy() -> None:
    """The last address that no trusted proxy has; without a proxy nobody is believed."""
    lie = [("x-forwarded-for", "1.2.3.4, 198.51.100.7"), ("x-forwarded-for", "10.1.1.1")]
    asked = scope_of("http", "GET", "/", lie, "10.0.0.1")
    assert Sites().client_of(asked) == "10.0.0.1"
    assert Sites(proxies=["10.0.0.0/8"]).client_of(asked) == "198.51.100.7"
    assert Sites(proxies=["10.0.0.1"]).client_of(asked) == "10.1.1.1"
    odd = scope_of("http", "GET", "/", [("x-forwarded-for", "1.2.3.4, unknown")], "10.0.0.1")
    assert Sites(proxies=["10.0.0.1"]).client_of(odd) == "10.0.0.1"
    unix = scope_of("http", "GET", "/", lie, "") | {"client": None}
    assert Sites().client_of(unix) == "unix"
    assert Sites(proxies=["unix", "10.0.0.0/8"]).client_of(unix) == "198.51.100.7"


@pytest.mark.parametrize(
    ("address", "client"),
    [
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("::ffff:198.51.100.7", "198.51.100.7"),
        ("fe80::1%eth0", "fe80::/64"),
        ("198.51.100.7", "198.51.100.7"),
        ("testclient", "testclient"),
    ],
)
def test_a_client_of_ipv6_is_its_network(address: str, client: str) -> None:
    """Whoever has one address of IPv6 has 2 to the power of 64 of them."""
    assert Sites().client_of(scope_of("http", "GET", "/", (), address)) == client


def test_what_only_a_proxy_may_say() -> None:
    """The id of a request is taken from a proxy that is trusted, and from nobody else."""
    asked = scope_of("http", "GET", "/", [("x-request-id", "abc")], "10.0.0.1")
    assert Sites().said_by_proxy(asked, b"x-request-id") == ""
    assert Sites(proxies=["10.0.0.1"]).said_by_proxy(asked, b"x-request-id") == "abc"
    asked["headers"].append((b"x-request-id", b"def"))
    assert Sites(proxies=["10.0.0.1"]).said_by_proxy(asked, b"x-request-id") == ""


@pytest.mark.parametrize("text", ["", "proxy", "10.0.0.1/8", "10.0.0.0/40", "*"])
def test_what_is_no_proxy(text: str) -> None:
    """Proxies are addresses and networks: a name would be whoever answers to it."""
    with pytest.raises(TrenteError) as caught:
        Sites(proxies=[text])
    assert caught.value.code == "bad-proxy"
