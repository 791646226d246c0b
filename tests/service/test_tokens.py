"""Tokens: signed, expiring, of one issuer; nothing that another key or no key signed is read."""

from __future__ import annotations

import base64
import hmac
import json
import pickle
from typing import Any, Final

import jwt
import pytest

from trente_rules.core.errors import TrenteError
from trente_rules.service.tokens import Role, Tokens, Visitor, token_in
from trente_rules.table import commands
from trente_rules.table.views import DEALER_COMMANDS, HOST_COMMANDS, Audience

KEY: Final = bytes(range(32))
OTHER: Final = bytes(range(1, 33))
NOW: Final = 1_800_000_000
ANN: Final = Visitor("ann", Role.PLAYER, ("salle-3",), NOW + 60)
CLAIMS: Final = {
    "sub": "ann",
    "role": "player",
    "tables": ["salle-3"],
    "iat": NOW,
    "exp": NOW + 60,
    "iss": "trente-rules",
}


def part(value: object) -> str:
    """Return a part of a token that is made by hand: JSON in base64 for addresses."""
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def by_hand(header: object, claims: object, key: bytes = KEY, name: str = "sha256") -> str:
    """Return a token that is made without the library under test."""
    text = f"{part(header)}.{part(claims)}"
    return f"{text}.{part(hmac.new(key, text.encode(), name).digest())}"


def refused(token: Any, now: float = NOW) -> str:
    """Return the code with which a token is refused, and check that it is not in the error."""
    with pytest.raises(TrenteError) as caught:
        Tokens(KEY).read(token, now)
    assert not token or str(token) not in f"{caught.value!r}{caught.value}"
    return caught.value.code


def test_a_token_is_a_jwt_that_any_library_can_make() -> None:
    """A host in another language signs the claims with HS256, and the service reads them."""
    assert Tokens(KEY).read(by_hand({"alg": "HS256", "typ": "JWT"}, CLAIMS), NOW) == ANN
    issued = Tokens(KEY).issue(ANN, NOW)
    options: Any = {"verify_iat": False}
    assert jwt.decode(issued, KEY, ["HS256"], options, issuer="trente-rules") == CLAIMS


def test_it_expires_to_the_second() -> None:
    """There is no leeway: at ``exp`` the token is over."""
    token = Tokens(KEY).issue(ANN, NOW)
    assert Tokens(KEY).read(token, NOW + 59.999) == ANN
    assert refused(token, NOW + 60) == "token-expired"


@pytest.mark.parametrize("claim", [*CLAIMS])
def test_every_claim_is_required(claim: str) -> None:
    """A token without an end, an issuer, a name, a role or tables is nobody's."""
    claims = {name: value for name, value in CLAIMS.items() if name != claim}
    assert refused(by_hand({"alg": "HS256"}, claims)) == "token-forged"


@pytest.mark.parametrize(
    "change",
    [
        {"sub": ""},
        {"sub": "x" * 65},
        {"sub": "eve\n"},
        {"sub": "e\u202eve"},
        {"sub": " ann"},
        {"sub": 7},
        {"sub": None},
        {"role": "host"},
        {"role": "PLAYER"},
        {"role": ["player"]},
        {"role": None},
        {"tables": "salle-3"},
        {"tables": []},
        {"tables": ["../etc"]},
        {"tables": ["**"]},
        {"tables": [None]},
        {"tables": ["a"] * 101},
        {"tables": {"*": 1, "%": 2}},
        {"tables": None},
        {"iat": "now"},
        {"iat": True},
        {"exp": "never"},
        {"exp": None},
        {"exp": NOW + 60.5},
        {"exp": True},
        {"exp": 1e400},
        {"exp": 1 << 80},
        {"iss": "another"},
        {"iss": ["trente-rules", "x"]},
        {"nbf": NOW * 2},
    ],
)
def test_claims_of_nobody_are_refused(change: dict[str, Any]) -> None:
    """What is signed by the key and still is no visitor, or for another service, is refused."""
    assert refused(by_hand({"alg": "HS256"}, {**CLAIMS, **change})) == "token-forged"


@pytest.mark.parametrize("name", ["none", "None", "NONE", "nOnE", "", "hs256", "HS384", "RS256"])
def test_only_hs256_is_taken(name: str) -> None:
    """The algorithm is the service's choice, never the token's: ``none`` least of all."""
    digest = "sha384" if name == "HS384" else "sha256"
    text = by_hand({"alg": name, "typ": "JWT"}, CLAIMS, KEY, digest)
    unsigned = f"{text.rpartition('.')[0]}."
    assert refused(text) == refused(unsigned) == "token-forged"


@pytest.mark.parametrize(
    "header",
    [
        {"alg": "HS256", "crit": ["exp"]},
        {"alg": "HS256", "b64": False, "crit": ["b64"]},
        {"typ": "JWT"},
        {"alg": None},
        {"alg": ["HS256"]},
        ["HS256"],
        "HS256",
        {"alg": "HS256", "kid": 7},
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_strange_headers_are_refused(header: Any) -> None:
    """A header that asks for more than HS256 is refused, and one that is no header."""
    assert refused(by_hand(header, CLAIMS)) == "token-forged"


def test_a_key_in_the_header_is_not_taken() -> None:
    """A token that brings its own key along (``jwk``, ``jku``, ``kid``) is not signed by ours."""
    brought = {"alg": "HS256", "jwk": {"kty": "oct", "k": part(OTHER)}, "kid": "../../dev/null"}
    assert refused(by_hand(brought, CLAIMS, OTHER)) == "token-forged"


def test_any_change_is_found() -> None:
    """Each character of a token matters: the claims, the header, the signature."""
    token = Tokens(KEY).issue(ANN, NOW)
    for place in range(len(token)):
        other = "A" if token[place] != "A" else "Q"
        changed = f"{token[:place]}{other}{token[place + 1 :]}"
        assert refused(changed) == "token-forged", place


@pytest.mark.parametrize(
    "text",
    [".", "..", "a.b", "a.b.c.d", "a.b.c ", "é.é.é", "\x00", "x" * 9000, "a.b." + "c" * 9000],
)
def test_what_is_no_token_is_refused(text: str) -> None:
    """Nothing but three parts in base64 is looked at."""
    assert refused(text) == "token-forged"


def test_no_token_at_all() -> None:
    """Nothing is missing, and not forged."""
    assert refused("") == "token-missing"


def test_keys_rotate() -> None:
    """The first key signs, all of them verify; a key that is left out verifies nothing more."""
    old, new = Tokens(OTHER), Tokens(KEY, OTHER)
    assert new.read(old.issue(ANN, NOW), NOW) == ANN
    assert Tokens(KEY).read(new.issue(ANN, NOW), NOW) == ANN
    with pytest.raises(TrenteError, match="not one of this service"):
        old.read(new.issue(ANN, NOW), NOW)
    assert refused(old.issue(ANN, NOW)) == "token-forged"


@pytest.mark.parametrize("key", [b"", b"x" * 31, "x" * 32, bytearray(32), None])
def test_short_keys_are_refused(key: Any) -> None:
    """A key below 32 bytes can be guessed from one token: none is taken, first or later."""
    for keys in ((key,), (KEY, key)):
        with pytest.raises(TrenteError) as caught:
            Tokens(*keys)
        assert caught.value.code == "bad-key"
        assert not key or repr(key) not in repr(caught.value)


def test_keys_are_never_shown() -> None:
    """Neither ``repr`` nor a pickle holds a key."""
    made = Tokens(b"a secret of thirty-two bytes....")
    assert repr(made) == "<Tokens: 1 keys>"
    assert not hasattr(made, "__dict__")
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(made)


def test_a_new_key_is_another_each_time() -> None:
    """A service without a key file draws one, which no other process has."""
    with pytest.raises(TrenteError):
        Tokens.new().read(Tokens.new().issue(ANN, NOW), NOW)


def test_keys_from_files(tmp_path: Any) -> None:
    """Files hold 64 hexadecimal digits or 32 bytes, the first of them signs."""
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_text(f"{KEY.hex()}\n")
    second.write_bytes(OTHER)
    read = Tokens.of_files(first, second)
    assert Tokens(KEY).read(read.issue(ANN, NOW), NOW) == ANN
    assert read.read(Tokens(OTHER).issue(ANN, NOW), NOW) == ANN
    first.write_text("a key that someone made up himself")
    with pytest.raises(TrenteError) as caught:
        Tokens.of_files(first)
    assert caught.value.code == "bad-key"
    assert "made up" not in str(caught.value)


def test_no_token_begins_over() -> None:
    """A visitor whose time is over gets no token."""
    with pytest.raises(TrenteError) as caught:
        Tokens(KEY).issue(ANN, NOW + 60)
    assert caught.value.code == "bad-visitor"


def test_who_sees_what() -> None:
    """A player gets their own view, dealer, supervisor and auditor that of the dealer."""
    assert ANN.viewer == "ann"
    for role in (Role.DEALER, Role.SUPERVISOR, Role.AUDITOR):
        assert Visitor("ann", role, ("*",), NOW).viewer is Audience.DEALER
    dealer = Visitor("dealer", Role.PLAYER, ("*",), NOW)
    assert dealer.viewer == "dealer", "a player whose name is a role's is a player"
    assert ANN.may_see("salle-3")
    assert not ANN.may_see("salle-33")
    assert not ANN.may_see("*")
    assert dealer.may_see("salle-33")


def test_who_gives_what() -> None:
    """Players bet for themselves, dealers deal, supervisors run the house, auditors only look."""
    own = commands.Place("i", "s", "ann", "rouge", 100)
    other = commands.Place("i", "s", "bob", "rouge", 100)
    opened = commands.OpenShoe("i", None)
    known = commands.OpenShoe("i", ())
    deal, close = commands.Deal("i"), commands.CloseSession("i")
    given = {
        role: [
            Visitor("ann", role, ("*",), NOW).may_give(each)
            for each in (own, other, deal, close, opened, known)
        ]
        for role in Role
    }
    assert given == {
        Role.PLAYER: [True, False, False, False, False, False],
        Role.DEALER: [False, False, True, False, False, False],
        Role.SUPERVISOR: [False, False, True, True, True, False],
        Role.AUDITOR: [False] * 6,
    }
    assert not set(DEALER_COMMANDS) & set(HOST_COMMANDS)


def scope(kind: str, *headers: tuple[bytes, bytes], subprotocols: Any = ()) -> dict[str, Any]:
    """Return an ASGI connection with headers."""
    return {"type": kind, "headers": [*headers], "subprotocols": [*subprotocols]}


def test_where_a_token_is_given() -> None:
    """It comes in the header or, from browsers that cannot set one, in a subprotocol."""
    header = (b"authorization", b"Bearer a.b.c")
    assert token_in(scope("http", header)) == "a.b.c"
    assert token_in(scope("websocket", header)) == "a.b.c"
    assert token_in(scope("http", (b"authorization", b"bearer  a.b.c "))) == "a.b.c"
    named = ["trente-rules.1", "bearer.a.b.c"]
    assert token_in(scope("websocket", subprotocols=named)) == "a.b.c"


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (scope("http"), "token-missing"),
        (scope("http", subprotocols=["bearer.a.b.c"]), "token-missing"),
        (scope("http", (b"authorization", b"Basic YTpi")), "token-missing"),
        (scope("http", (b"authorization", b"Bearer")), "token-missing"),
        (scope("http", (b"authorization", b"Bearer ")), "token-missing"),
        (scope("http", (b"x-authorization", b"Bearer a.b.c")), "token-missing"),
        (scope("http", *[(b"authorization", b"Bearer a.b.c")] * 2), "token-forged"),
        (
            scope("http", (b"authorization", b"Basic x"), (b"authorization", b"Bearer a.b.c")),
            "token-forged",
        ),
        (scope("websocket", subprotocols=["bearer.a.b.c", "bearer.d.e.f"]), "token-forged"),
        (
            scope("websocket", (b"authorization", b"Bearer x"), subprotocols=["bearer.y"]),
            "token-forged",
        ),
        (scope("websocket", subprotocols=["trente-rules.1", "bearer."]), "token-missing"),
    ],
)
def test_no_token_or_several(given: dict[str, Any], code: str) -> None:
    """One token is read, from one place: two of them leave open who comes."""
    with pytest.raises(TrenteError) as caught:
        token_in(given)
    assert caught.value.code == code


def test_a_signature_of_another_length_is_refused() -> None:
    """Neither the beginning of a signature nor a longer one will do."""
    token = Tokens(KEY).issue(ANN, NOW)
    text, _, signed = token.rpartition(".")
    assert refused(f"{text}.{signed[:-4]}") == refused(f"{text}.{signed}AAAA") == "token-forged"
