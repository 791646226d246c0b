"""Sites: the names by which a service is reached, and whose pages may talk to it.

A browser sends any page's requests to any address, the loopback too. Its ``Host`` says by which
name the page reached the service: one that is not the service's is a name that somebody else points
here. Its ``Origin`` says whose page it is: a socket, or a request that changes something, is taken
from the service's own pages alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, Final

from attrs import field, frozen

from trente_rules.core.errors import TrenteError, shown

_SITE: Final = re.compile(
    r"(?:(?P<scheme>https?)://)?(?P<name>\[[0-9a-f:.]{2,45}\]|[a-z0-9](?:[a-z0-9._-]{0,251}[a-z0-9])?)"
    r"(?::(?P<port>[0-9]{1,5}))?"
)
_LARGEST_PORT: Final = 65_535
_DEFAULT: Final = {"http": 80, "https": 443}
_LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
_SAFE: Final = frozenset(("GET", "HEAD", "OPTIONS"))
_SHORT_PREFIX: Final = 64
"""Bits of an address of IPv6 that are one client: whoever has one has all of its network."""
UNIX: Final = "unix"
"""The address of whoever comes through a Unix socket."""


@frozen
class Site:
    """A name and a port, and the scheme if it is known: ``https://casino.example:8443``."""

    scheme: str
    name: str
    port: int | None

    @classmethod
    def of(cls, text: str) -> Site:
        """Read ``[SCHEME://]NAME[:PORT]``; ``TrenteError`` ("bad-site")."""
        found = _SITE.fullmatch(text.lower())
        if not found or int(found["port"] or 0) > _LARGEST_PORT:
            hint = "write NAME, NAME:PORT or https://NAME[:PORT]"
            raise TrenteError(f"{shown(text)} is not the name of a site", "bad-site", hint)
        port = found["port"]
        return cls(found["scheme"] or "", found["name"], int(port) if port else None)


def _sites_of(given: Iterable[str]) -> tuple[Site, ...]:
    return tuple(map(Site.of, given))


def _proxies_of(given: Iterable[str]) -> tuple[str, ...]:
    return tuple(given)


@frozen
class Sites:
    """The sites that are this service, and the proxies whose word for an address is taken.

    Without any the loopback's names are it, with the port it listens at; so is the address that the
    connection came to, which no foreign name can lead to. ``proxies`` are addresses, networks, or
    "unix". Raises ``TrenteError``: "bad-site", "bad-proxy".
    """

    own: tuple[Site, ...] = field(default=(), converter=_sites_of)
    proxies: tuple[str, ...] = field(default=(), converter=_proxies_of)
    _networks: tuple[IPv4Network | IPv6Network, ...] = field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        """Read the networks of the proxies."""
        object.__setattr__(self, "_networks", tuple(_networks_of(self.proxies)))

    def check(self, scope: Mapping[str, Any]) -> None:
        """Raise ``TrenteError`` for a connection to a foreign name, or from a foreign page.

        Codes: "bad-host", "bad-origin".
        """
        origin = self._origin(scope)
        given = header_values(scope, b"origin")
        unsafe = scope["type"] == "websocket" or scope["method"] not in _SAFE
        if unsafe and given and given != [origin]:
            what = f"a page of {shown(given[0])} asks, and not one of {origin}"
            raise TrenteError(what, "bad-origin", "open the page of this service")

    def _origin(self, scope: Mapping[str, Any]) -> str:
        """Return the origin of this service's pages, as the name in ``Host`` makes it."""
        given = header_values(scope, b"host")
        found = _SITE.fullmatch(given[0].lower()) if len(given) == 1 else None
        if found is None or found["scheme"]:
            raise _host_error(given)
        secure = scope.get("scheme") in ("https", "wss")
        name, port = found["name"], int(found["port"] or 0)
        for site in (*self.own, *_local(scope)):
            scheme = site.scheme or ("https" if secure else "http")
            usual = _DEFAULT[scheme]
            if name == site.name and (port or usual) == (site.port or usual):
                return f"{scheme}://{name}" + (f":{port}" if port and port != usual else "")
        raise _host_error(given)

    def client_of(self, scope: Mapping[str, Any]) -> str:
        """Return the address that a connection is from, as a proxy says where it is trusted.

        Of IPv6 the network, since whoever has one address has all of its network.
        """
        client = scope.get("client")
        address = client[0] if client and client[0] else UNIX
        if self._is_proxy(address):
            said = ",".join(header_values(scope, b"x-forwarded-for")).split(",")
            for each in reversed([one.strip() for one in said]):
                if not (each and _is_address(each)):
                    break
                address = each
                if not self._is_proxy(each):
                    break
        return _network_of(address)

    def _is_proxy(self, address: str) -> bool:
        if address == UNIX:
            return UNIX in self.proxies
        return _is_address(address) and any(
            ip_address(address) in network for network in self._networks
        )

    def said_by_proxy(self, scope: Mapping[str, Any], name: bytes) -> str:
        """Return a header that only a trusted proxy may set, empty where it did not."""
        client = scope.get("client")
        values = header_values(scope, name)
        trusted = self._is_proxy(client[0] if client and client[0] else UNIX)
        return values[0] if trusted and len(values) == 1 else ""


def _networks_of(proxies: Sequence[str]) -> Iterable[IPv4Network | IPv6Network]:
    for each in proxies:
        if each == UNIX:
            continue
        try:
            yield ip_network(each)
        except ValueError:
            hint = f"write an address, a network such as 10.0.0.0/8, or {UNIX}"
            raise TrenteError(f"{shown(each)} is not a proxy", "bad-proxy", hint) from None


def _local(scope: Mapping[str, Any]) -> Iterable[Site]:
    """Return the names that a connection has by itself: the loopback's, and its own address."""
    host, port = scope.get("server") or ("", None)
    if host and port:
        address = f"[{host}]" if ":" in host else host
        for name in {*_LOOPBACK, address}:
            yield Site("", name, port)


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _network_of(address: str) -> str:
    """Return the address itself, of IPv6 its network, of IPv4 inside IPv6 that of IPv4."""
    if ":" not in address or not _is_address(address):
        return address
    read = IPv6Address(address.partition("%")[0])
    if read.ipv4_mapped:
        return str(read.ipv4_mapped)
    return str(IPv6Network((int(read), _SHORT_PREFIX), strict=False))


def header_values(scope: Mapping[str, Any], name: bytes) -> list[str]:
    """Return the values of a header of an ASGI connection, in their order."""
    return [value.decode("latin-1") for each, value in scope["headers"] if each == name]


def _host_error(given: Sequence[str]) -> TrenteError:
    what = f"{shown(given[0]) if given else 'no name'} is not a name of this service"
    return TrenteError(what, "bad-host", "name it with --name, if it is")
