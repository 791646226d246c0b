"""Attacks on a whole service, over its sockets, as a stranger or a player would make them."""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import os
import re
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from attrs import frozen

from trente_rules.core.cards import PACK
from trente_rules.fair import SeededShuffler
from trente_rules.service.tokens import Role, Tokens, Visitor

KEY: Final = bytes(range(32))
SEED: Final = "0xa77ac5"
TOKENS: Final = Tokens(KEY)
SOCKET: Final = "/api/tables/salle-3/socket"
PATIENCE: Final = 20

pytestmark = pytest.mark.slow


def token(name: str, role: str, *tables: str, seconds: int = 3600, key: bytes = KEY) -> str:
    """Return a token that is valid, unless it is of another key or over."""
    now = time.time()
    visitor = Visitor(name, Role(role), tables or ("*",), int(now) + seconds)
    return Tokens(key).issue(visitor, now - 7200)


def unsigned(name: str) -> str:
    """Return a token of nobody's: ``alg`` is ``none``, and its signature is empty."""

    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()

    until = int(time.time()) + 3600
    claims = {"sub": name, "role": "supervisor", "tables": ["*"], "iat": 1, "exp": until}
    return f"{part({'alg': 'none'})}.{part({**claims, 'iss': 'trente-rules'})}."


@frozen
class Service:
    """A service in a process of its own."""

    port: int

    @property
    def host(self) -> str:
        """The name and the port of it."""
        return f"127.0.0.1:{self.port}"

    def ask(
        self, method: str, path: str, who: str = "", body: object = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """Return the status, the headers and the body of a response."""
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        if who:
            given["Authorization"] = f"Bearer {who}"
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        if data is not None:
            given.setdefault("Content-Type", "application/json")
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, data, given)
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return response.status, found, response.read()
        finally:
            connection.close()

    def code(self, *asked: Any, **headers: str) -> tuple[int, str]:
        """Return the status and the code of a problem."""
        status, found, body = self.ask(*asked, **headers)
        assert found["content-type"] == "application/problem+json", (status, body)
        return status, json.loads(body)["code"]

    def raw(self, data: bytes, seconds: float = PATIENCE) -> bytes:
        """Return what comes back for bytes that are no proper request, until the end."""
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            connection.settimeout(seconds)
            connection.sendall(data)
            found = b""
            try:
                while more := connection.recv(65536):
                    found += more
            except ConnectionError:
                pass
            return found

    def socket(self, who: str, path: str = SOCKET, **headers: str) -> Frames:
        """Open a socket, by hand."""
        return Frames.opened(self, who, path, headers)


class Frames:
    """A WebSocket whose frames are put together by hand."""

    def __init__(self, connection: socket.socket) -> None:
        """Take a connection that sent its handshake."""
        self._connection = connection
        self._got = b""
        self.status = 0
        self.head = b""

    @classmethod
    def opened(cls, service: Service, who: str, path: str, headers: dict[str, str]) -> Frames:
        """Send a handshake and read its response."""
        connection = socket.create_connection(("127.0.0.1", service.port))
        connection.settimeout(PATIENCE)
        given = {
            "Host": service.host,
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Protocol": f"trente-rules.1, bearer.{who}",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        lines = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in given.items())]
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
        made = cls(connection)
        while b"\r\n\r\n" not in made._got:
            made._got += made._more()
        made.head, _, made._got = made._got.partition(b"\r\n\r\n")
        made.status = int(made.head.split()[1])
        if made.status != 101:
            made.leave()
        return made

    def _more(self) -> bytes:
        more = self._connection.recv(65536)
        if not more:
            raise ConnectionError
        return more

    def send(self, data: bytes, first: int = 0x81, *, claims: int | None = None) -> None:
        """Send a frame with a first byte (final text), with a length that may be a lie."""
        size = len(data) if claims is None else claims
        if size < 126:
            length = bytes([0x80 | size])
        elif size < 1 << 16:
            length = bytes([0x80 | 126]) + struct.pack("!H", size)
        else:
            length = bytes([0x80 | 127]) + struct.pack("!Q", size)
        self._connection.sendall(bytes([first]) + length + bytes(4) + data)

    def frame(self) -> tuple[int, bytes]:
        """Return the next frame: its kind and what is in it."""
        while True:
            if len(self._got) >= 2:
                size, at = self._got[1] & 0x7F, 2
                if size == 126:
                    size, at = struct.unpack("!H", self._got[2:4].rjust(2))[0], 4
                elif size == 127:
                    size, at = struct.unpack("!Q", self._got[2:10].rjust(8))[0], 10
                if len(self._got) >= at + size:
                    kind, data = self._got[0] & 0x0F, self._got[at : at + size]
                    self._got = self._got[at + size :]
                    return kind, data
            self._got += self._more()

    def messages(self, kind: str) -> Iterator[Any]:
        """Return messages as they come, up to the first of a kind."""
        while True:
            number, data = self.frame()
            assert number == 1, (number, data)
            message = json.loads(data)
            yield message
            if message["kind"] == kind:
                return

    def closed(self) -> int:
        """Return the code with which the service closes the socket, and leave."""
        number, data = 0, b""
        try:
            while number != 8:
                number, data = self.frame()
        except ConnectionError:
            return 1006
        finally:
            self.leave()
        code: int = struct.unpack("!H", data[:2])[0]
        return code

    def leave(self) -> None:
        """Go away without a word."""
        self._connection.close()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Serve two tables; at the end nothing of a token is in the log, and no fault."""
    folder = tmp_path_factory.mktemp("service")
    key, log = folder / "key", folder / "log"
    key.write_text(KEY.hex())
    key.chmod(0o600)
    command = "from trente_rules.cli import main; main()"
    words = ["serve", "--port", "0", "--house", "france-2007", "--token-key-file", str(key)]
    words += ["--seed", SEED, "--log-format", "json"]
    with log.open("wb") as written:
        process = subprocess.Popen(
            [sys.executable, "-c", command, *words],
            stdout=subprocess.PIPE,
            stderr=written,
            text=True,
        )
    assert process.stdout is not None
    try:
        found = re.search(r":(\d+)/", process.stdout.readline())
        assert found, log.read_text("utf-8")
        made = Service(int(found[1]))
        for table in ("salle-3", "salle-4", "salle-5"):
            setup = {"table": table, "house": "france-2007", "purses": True, "advance": 100_000}
            status, _headers, body = made.ask("POST", "/api/tables", SUE, setup)
            assert status == 201, body
        for _time in range(50):  # lines to look at, however few of the attacks this process makes
            assert made.ask("GET", "/api/tables", ANN)[0] == 200
        yield made
    finally:
        process.terminate()
        process.wait(PATIENCE)
        process.stdout.close()
    check_log(log)


def check_log(log: Path) -> None:
    """Check that a log holds lines of JSON alone, no fault and no token."""
    text = log.read_text("utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    assert len(lines) > 50
    assert [line for line in lines if line["level"] in ("ERROR", "CRITICAL")] == []
    assert not [line for line in lines if "traceback" in line]
    assert "eyJ" not in text
    assert KEY.hex() not in text


SUE: Final = token("sue", "supervisor")
ANN: Final = token("ann", "player", "salle-3")
BOB: Final = token("bob", "player", "salle-3")


@pytest.mark.parametrize(
    ("who", "code"),
    [
        ("", "token-missing"),
        ("a.b.c", "token-forged"),
        (unsigned("ann"), "token-forged"),
        (token("ann", "player", key=bytes(32)), "token-forged"),
        (ANN[:-1], "token-forged"),
        (ANN + "A", "token-forged"),
        (token("ann", "player", seconds=-1), "token-expired"),
    ],
)
def test_tokens_that_are_none(service: Service, who: str, code: str) -> None:
    """Without a token, with a forged or an expired one, nothing is served: 401."""
    assert service.code("GET", "/api/me", who) == (401, code)
    assert service.code("GET", "/api/tables/salle-3", who) == (401, code)
    opened = service.socket(who)
    assert opened.status == 401
    assert service.code("POST", "/api/tables", who, {"table": "x", "house": "y"}) == (401, code)


def test_another_table(service: Service) -> None:
    """A player's token opens their table; another one is as one that does not exist."""
    for table in ("salle-4", "no-such-table"):
        for path in ("", "/events", "/history", "/statistics", "/house", "/odds"):
            asked = service.code("GET", f"/api/tables/{table}{path}", ANN)
            assert asked == (403, "forbidden")
        assert service.socket(ANN, f"/api/tables/{table}/socket").status == 403
    listed = json.loads(service.ask("GET", "/api/tables", ANN)[2])
    assert [each["table"] for each in listed] == ["salle-3"]


def test_what_is_not_a_players(service: Service) -> None:
    """Readings of the staff, commands of others, tokens and tables are forbidden."""
    for path in ("/monitor", "/journal/1/1", "/movements", "/dealer"):
        assert service.code("GET", f"/api/tables/salle-3{path}", ANN) == (403, "forbidden")
    commands = "/api/tables/salle-3/commands"
    for command in (
        {"kind": "place", "id": "1", "stake": "1", "player": "bob", "chance": "rouge", "amount": 1},
        {"kind": "deal", "id": "2"},
        {"kind": "buy-in", "id": "3", "player": "ann", "amount": 10**9},
        {"kind": "open-shoe", "id": "4"},
        {"kind": "close-session", "id": "5"},
    ):
        assert service.code("POST", commands, ANN, command) == (403, "forbidden")
        assert service.code("POST", commands, ANN, [command]) == (403, "forbidden")
        preview = service.code("POST", "/api/tables/salle-3/preview", ANN, command)
        assert preview == (403, "forbidden")
    wanted = {"name": "eve", "role": "supervisor", "tables": ["*"], "seconds": 60}
    assert service.code("POST", "/api/tokens", ANN, wanted) == (403, "forbidden")
    setup = {"table": "mine", "house": "france-2007"}
    assert service.code("POST", "/api/tables", ANN, setup) == (403, "forbidden")
    assert service.code("DELETE", "/api/tables/salle-3", ANN) == (403, "forbidden")
    assert service.code("POST", "/api/tables/salle-3/shoe", ANN, {"id": "s"}) == (403, "forbidden")


def test_nobody_gets_more_than_they_have(service: Service) -> None:
    """A supervisor of one table gives nobody another one."""
    small = token("sid", "supervisor", "salle-4")
    for tables in (["*"], ["salle-3"], ["salle-4", "salle-3"]):
        wanted = {"name": "eve", "role": "player", "tables": tables, "seconds": 60}
        assert service.code("POST", "/api/tokens", small, wanted) == (403, "forbidden")
    setup = {"table": "another", "house": "france-2007"}
    assert service.code("POST", "/api/tables", small, setup) == (403, "forbidden")


def until(opened: Frames, what: str) -> None:
    """Read until the table waits for something."""
    while [*opened.messages("clock")][-1]["waits_for"] != what:
        pass


def test_another_players_view(service: Service) -> None:
    """Whatever one player does, the name of theirs is in nothing that another is sent."""
    ann, bob = service.socket(ANN), service.socket(BOB)
    assert (ann.status, bob.status) == (101, 101)
    until(bob, "cut")
    bob.send(b'{"kind":"cut","place":100}')
    until(bob, "bets")
    command = {"kind": "place", "id": "zz", "stake": "zz", "chance": "rouge", "amount": 10_000}
    bob.send(json.dumps({"kind": "command", "command": command}).encode())
    while [*bob.messages("done")][-1]["id"] != "zz":  # that of the cut comes first
        pass
    ann.send(b'{"kind":"ping"}')
    seen = [*ann.messages("chips"), *ann.messages("pong")]
    assert "state" in [each["kind"] for each in seen]
    assert "bob" not in json.dumps(seen)
    assert "zz" not in json.dumps(seen)
    for path in ("", "/events", "/history", "/statistics", "/card", "/choices"):
        status, _headers, body = service.ask("GET", f"/api/tables/salle-3{path}", ANN)
        assert status == 200
        assert b"bob" not in body
        assert b"zz" not in body
    ann.leave()
    bob.leave()


def test_cards_to_come_are_nowhere(service: Service) -> None:
    """Whoever asks, staff too, and for whatever: three cards that come next are in no response."""
    key = hashlib.sha256(f"{SEED}/salle-5".encode()).digest()[:16]
    order = [str(card) for card in SeededShuffler(key, test=True).shuffle(PACK * 6)]
    zoe = token("zoe", "player", "salle-5")
    opened, told = service.socket(zoe, "/api/tables/salle-5/socket"), list[Any]()
    replies = {"cut": b'{"kind":"cut","place":100}', "bets": b'{"kind":"ready"}'}
    while True:
        told += opened.messages("clock")
        waits = told[-1]["waits_for"]
        if waits == "bets" and json.dumps(told).count('"coup-settled"') == 3:
            break
        if waits in replies:
            opened.send(replies[waits])
    opened.leave()
    responses = [json.dumps(told, ensure_ascii=False)]
    base = "/api/tables/salle-5"
    paths = (
        "/events /history /history/1/1 /statistics /card /odds /house /dealer /monitor /movements"
    )
    for who in (zoe, SUE, token("otto", "auditor"), token("dora", "dealer")):
        for path in ("", *paths.split()):
            status, _headers, body = service.ask("GET", base + path, who)
            assert status in (200, 403, 404), (path, body)
            responses.append(body.decode())
    for command in ({"kind": "open-shoe", "id": "x"}, {"kind": "deal", "id": "y"}):
        asked = (
            service.ask("POST", base + path, SUE, command) for path in ("/preview", "/commands")
        )
        responses += (body.decode() for _status, _headers, body in asked)
    responses.append(service.ask("GET", "/metrics")[2].decode())
    dealt = re.findall(r'"card": ?"([^"]+)"', responses[0])
    assert len(dealt) > 12
    around = order + order
    begin = next(n for n in range(312) if around[n : n + len(dealt)] == dealt)
    come = around[begin + len(dealt) : begin + 312]
    assert len(come) > 200
    for text in responses:
        shown = re.findall(r"(?:10|[2-9AJQK])[\u2660\u2663\u2665\u2666]", text)
        pairs = set(zip(shown, shown[1:], shown[2:], strict=False))
        runs = set(zip(come, come[1:], come[2:], strict=False))
        seen = set(zip(dealt, dealt[1:], dealt[2:], strict=False))
        found = [run for run in runs & pairs if run not in seen]
        assert len(found) <= 2, (found, text[:300])


@pytest.mark.parametrize(
    "origin",
    ["null", "http://127.0.0.1:9", "http://127.0.0.1.example:{port}", "https://127.0.0.1:{port}"],
)
def test_pages_of_others(service: Service, origin: str) -> None:
    """C9, S3: a page of another site has no socket and changes nothing, with a token too."""
    given = origin.format(port=service.port)
    opened = service.socket(ANN, Origin=given)
    assert opened.status == 403
    setup = {"table": "theirs", "house": "france-2007"}
    assert service.code("POST", "/api/tables", SUE, setup, Origin=given) == (403, "bad-origin")
    own = service.socket(ANN, Origin=f"http://127.0.0.1:{service.port}")
    assert own.status == 101
    own.leave()


def test_names_of_others(service: Service) -> None:
    """C9, S3: by a name that somebody else points to it the service is not reached."""
    for path in ("/", "/static/felt.js", "/api/me", "/healthz", "/metrics", SOCKET):
        for host in (f"cards.example:{service.port}", "127.0.0.1", "evil.example"):
            assert service.code("GET", path, ANN, Host=host) == (403, "bad-host")
    assert service.socket(ANN, Host="cards.example").status == 403


def test_a_path_of_a_socket_without_upgrade(service: Service) -> None:
    """S3: 426, and the connection is not broken."""
    assert service.code("GET", SOCKET, ANN) == (426, "upgrade-needed")


@pytest.mark.parametrize(
    "path",
    [
        "/static/",
        "/static/panels",
        "/static/../tokens.py",
        "/static/%2e%2e/tokens.py",
        "/static/..%2ftokens.py",
        "/static/%2e%2e%2f%2e%2e%2f%2e%2e%2fetc/passwd",
        "/static//etc/passwd",
        "/static/..\\tokens.py",
        "/static/%00",
        "/static/felt.js%00.png",
        "/static/" + "a" * 5_000,
        "/%2e%2e/etc/passwd",
        "//etc/passwd",
    ],
)
def test_files_that_are_not_the_pages(service: Service, path: str) -> None:
    """S3: no folder is listed, and no file is read but those of the pages."""
    request = f"GET {path} HTTP/1.1\r\nHost: {service.host}\r\nConnection: close\r\n\r\n"
    assert service.raw(request.encode()).startswith(b"HTTP/1.1 404")


def test_headers_are_not_written_by_clients(service: Service) -> None:
    """An end of a line in a path, a parameter or an id stays in it."""
    for path in (
        "/api/tables/%0d%0aX-Evil:1",
        "/api/texts/en%0d%0aX-Evil:1",
        "/static/x%0d%0aX-Evil:1",
        "/?a=%0d%0aX-Evil:1",
    ):
        assert "x-evil" not in service.ask("GET", path, ANN, X_Request_Id="evil-id-0001")[1]
    found = service.ask("GET", "/api/me", ANN, X_Request_Id="evil-id-0001")[1]
    assert found["x-request-id"] != "evil-id-0001"


BOMBS: Final = {
    "deep": b"[" * 200_000,
    "deep objects": b'{"a":' * 40_000,
    "digits": b'{"kind":"place","amount":' + b"9" * 200_000 + b"}",
    "large": b'{"kind":"place","id":"1","stake":"1","chance":"rouge","amount":'
    + b"9" * 4_000
    + b"}",
    "not a number": b'{"kind":"place","id":"1","stake":"1","chance":"rouge","amount":NaN}',
    "endless": b'{"kind":"place","id":"1","stake":"1","chance":"rouge","amount":1e999}',
    "half": b'{"kind":"place","id":"\\ud800","stake":"1","chance":"rouge","amount":1}',
    "not utf-8": b"\xff\xfe\xfd",
    "nothing": b"",
    "null": b"null",
    "many": json.dumps([{"kind": "deal", "id": "1"}] * 1_000).encode(),
}


@pytest.mark.parametrize("name", [*BOMBS])
def test_bodies_that_are_made_to_hurt(service: Service, name: str) -> None:
    """Depth, digits and halves of characters are refused at once, and are no fault."""
    begun = time.monotonic()
    status, _code = service.code("POST", "/api/tables/salle-3/commands", ANN, BOMBS[name])
    assert status in (400, 403)
    assert time.monotonic() - begun < 2


def test_messages_that_are_made_to_hurt(service: Service) -> None:
    """The same by a socket: each is refused, and it stays open for what is right."""
    opened = service.socket(ANN)
    for data in BOMBS.values():
        if len(data) <= 64 * 1024 and data != BOMBS["not utf-8"]:
            opened.send(b'{"kind":"command","command":' + data + b"}")
    opened.send(b"[" * 60_000)
    refused = 0
    opened.send(b'{"kind":"ping"}')
    for message in opened.messages("pong"):
        refused += message["kind"] == "refused"
    assert refused >= 7
    opened.leave()


def test_bodies_without_end(service: Service) -> None:
    """413 for what is too large, by what is said and by what comes."""
    path = "/api/tables/salle-3/commands"
    assert service.code("POST", path, ANN, b"x" * 262_145) == (413, "too-large")
    head = (
        f"POST {path} HTTP/1.1\r\nHost: {service.host}\r\nAuthorization: Bearer {ANN}\r\n"
        "Content-Type: application/json\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    assert service.raw(head.encode() + chunk * 5).startswith(b"HTTP/1.1 413")


@pytest.mark.parametrize("how", ["one", "claimed", "fragments"])
def test_frames_without_end(service: Service, how: str) -> None:
    """1009 for a message above 64 KiB: in one frame, as it is announced, or in parts."""
    opened = service.socket(ANN)
    if how == "one":
        opened.send(b"x" * 65_537)
    elif how == "claimed":
        opened.send(b"", claims=1 << 40)
    else:
        opened.send(b"x" * 1_000, 0x01)
        for _ in range(65):
            opened.send(b"x" * 1_000, 0x00)
    assert opened.closed() in (1009, 1006)


def test_frames_that_break_the_protocol(service: Service) -> None:
    """Compressed, unannounced and binary frames, and texts that are none, end the socket."""
    offered = service.socket(ANN, Sec_WebSocket_Extensions="permessage-deflate")
    assert b"deflate" not in offered.head, "what is compressed may be small and grow"
    offered.leave()
    for data, first, codes in (
        (b"x", 0xC1, (1002,)),
        (b"\xff\xfe", 0x81, (1007,)),
        (b"{}", 0x82, (1008, 1003)),
        (b"x" * 126, 0x89, (1002,)),
    ):
        opened = service.socket(ANN)
        opened.send(data, first)
        assert opened.closed() in codes


def test_a_flood_of_messages(service: Service) -> None:
    """More than the rate is refused or waits; nonsense ends the socket."""
    opened = service.socket(ANN)
    for _ in range(70):
        opened.send(b"nonsense")
    assert opened.closed() == 1008


def test_a_flood_of_messages_that_are_understood(service: Service) -> None:
    """60 messages are taken at once; what is above the rate is refused, and the socket lives."""
    opened = service.socket(ANN)
    for _ in range(90):
        opened.send(b'{"kind":"ping"}')
    told = [*opened.messages("refused")]
    *_refused, last = opened.messages("pong")
    opened.leave()
    assert told[-1]["problem"]["code"] == "too-many"
    assert 60 <= sum(each["kind"] == "pong" for each in told) < 90
    assert last["kind"] == "pong"


@pytest.mark.parametrize(
    "sent", ['{"kind":"ready"}', '{"kind":"cut","place":20}', '{"kind":"marker","from_end":20}']
)
def test_what_players_alone_say(service: Service, sent: str) -> None:
    """Staff are not ready, and neither cut nor place the marker for somebody."""
    opened = service.socket(SUE)
    opened.send(sent.encode())
    *_before, refused = opened.messages("refused")
    opened.leave()
    assert refused["problem"]["code"] == "forbidden"


def test_a_token_that_expires(service: Service) -> None:
    """An open socket is closed with 4401 when its token is over."""
    begun = time.monotonic()
    opened = service.socket(token("ann", "player", "salle-3", seconds=2))
    assert opened.status == 101
    assert opened.closed() == 4401
    assert time.monotonic() - begun < 3


TWO_LENGTHS: Final = "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello"


@pytest.mark.parametrize(
    ("request_text", "statuses"),
    [
        ("GET / HTTP/1.1\r\n\r\n", (400, 403)),
        ("GET / HTTP/1.0\r\n\r\n", (403,)),
        ("GET / HTTP/1.1\r\nHost: {host}\r\nHost: evil\r\n\r\n", (400, 403)),
        ("POST /api/tables HTTP/1.1\r\nHost: {host}\r\nContent-Length: -1\r\n\r\n", (400,)),
        ("POST / HTTP/1.1\r\nHost: {host}\r\n" + TWO_LENGTHS, (400,)),
        ("GET / HTTP/1.1\r\nHost: {host}\r\nX: " + "a" * 200_000 + "\r\n\r\n", (400,)),
        ("GET / HTTP/1.1\r\nHost: {host}\r\nX: a\0b\r\n\r\n", (400,)),
        ("TRACE / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n", (405,)),
        ("OPTIONS /api/me HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n", (405,)),
    ],
)
def test_requests_that_are_none(
    service: Service, request_text: str, statuses: tuple[int, ...]
) -> None:
    """What is no request, or means two things, is refused."""
    found = service.raw(request_text.format(host=service.host).encode("latin-1"))
    assert int(found.split()[1]) in statuses
    assert b"access-control" not in found.lower()


def test_it_still_serves(service: Service) -> None:
    """After all that the service is as it was, and what it counted is bounded."""
    assert service.ask("GET", "/readyz")[0] == 200
    # The attacks before it may have run in another process.
    assert service.ask("GET", "/api/me", token("ann", "player", key=bytes(32)))[0] == 401
    status, _headers, body = service.ask("GET", "/metrics")
    assert status == 200
    assert b'trente_refusals_total{code="token-forged"}' in body
    assert b"ann" not in body
    assert len(body) < 40_000
