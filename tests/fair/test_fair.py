"""Provably fair shoes: what is committed to, when the seed is shown, what a verifier finds.

The shoe here is of ``trente-fair-1``, which no release makes any more and each one reads.
"""

from __future__ import annotations

import hmac
import json
import pickle
import re
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import pytest

from trente_rules import PACK, Shoe, TrenteError
from trente_rules.fair import (
    Commitment,
    FairShoe,
    FairShuffler,
    Reveal,
    verify_fair,
    verify_reveal,
)
from trente_rules.fair.shoes import client_text

SERVER: Final = bytes(range(32))
CLIENTS: Final = ("alice", "bob:1")
SEALED: Final = FairShoe(Commitment.of(SERVER, 7, 6), SERVER)
PLAYING: Final = SEALED.shuffle(CLIENTS)
SHOWN: Final = PLAYING.retire().reveal()


def code_of(caught: pytest.ExceptionInfo[TrenteError]) -> str:
    """Return the code of a caught error."""
    return caught.value.code


def test_the_cards_wait_for_the_client_seeds() -> None:
    """A sealed shoe has a commitment and nothing else: no order, no number, no seed."""
    for ask in (SEALED.shoe, SEALED.shuffler, SEALED.drawn, SEALED.retire, lambda: SEALED.cards):
        with pytest.raises(TrenteError) as caught:
            ask()
        assert code_of(caught) == "fair-sealed"


def test_the_server_seed_is_shown_when_the_shoe_is_retired_and_not_before() -> None:
    """Sealed or in play it stays secret; once shown, no shoe is dealt from it."""
    for early in (SEALED, PLAYING):
        with pytest.raises(TrenteError) as caught:
            early.reveal()
        assert code_of(caught) == "fair-not-retired"
    retired = PLAYING.retire()
    assert retired.reveal().server_seed == SERVER
    assert retired.retire() == retired
    with pytest.raises(TrenteError) as caught:
        retired.shoe()
    assert code_of(caught) == "fair-retired"


def test_a_shoe_is_shuffled_once() -> None:
    """Other client seeds would be another order: there is no second choice."""
    for done in (PLAYING, PLAYING.retire()):
        with pytest.raises(TrenteError) as caught:
            done.shuffle(["carol"])
        assert code_of(caught) == "fair-shuffled"


def test_the_shoe_is_whole_packs_in_the_order_of_the_stream() -> None:
    """What is dealt is what is revealed, of as many packs as were committed to."""
    assert PLAYING.shoe() == Shoe.of_cards(SHOWN.cards, 6)
    assert PLAYING.shoe().cards == FairShuffler(SERVER, CLIENTS, 7).shuffle(PACK * 6)
    assert len(FairShoe.seal(0, 1, SERVER).shuffle(["a"]).shoe().cards) == 52


def test_a_cut_and_a_marker_are_drawn_behind_the_shuffle() -> None:
    """Numbers drawn are as fair as the cards, and the same whenever they are asked for."""
    stream = FairShuffler(SERVER, CLIENTS, 7)
    stream.shuffle(PACK * 6)
    expected = stream.below(313), stream.below(21)
    assert PLAYING.drawn(313, 21) == expected == PLAYING.drawn(313, 21)


def test_every_part_makes_another_order() -> None:
    """Another server seed, client seed or nonce: another shoe."""
    orders = {
        FairShuffler(seed, clients, nonce).shuffle(PACK)
        for seed, clients, nonce in (
            (SERVER, CLIENTS, 7),
            (SERVER[::-1], CLIENTS, 7),
            (SERVER, (*CLIENTS, "carol"), 7),
            (SERVER, ("alice",), 7),
            (SERVER, CLIENTS, 8),
        )
    }
    assert len(orders) == 5


def test_client_seeds_never_run_into_each_other() -> None:
    """Colons, empty joints, lookalikes and repetitions: each list is one of its own."""
    lists = (
        ["a:b"],
        ["a", "b"],
        ["a", "b", "b"],
        ["ab"],
        ["a:7:0"],
        ["a", ":b"],
        ["a:", "b"],
        ["a\n", "b"],
        [" a", "b"],
        ["A", "b"],
        ["\u00e9"],
        ["e\u0301"],
        ["\x00\x00\x00\x01a"],
    )
    assert len({client_text(seeds) for seeds in lists}) == len(lists)


def test_the_order_in_which_client_seeds_come_is_no_choice() -> None:
    """A house cannot try arrangements of the players' seeds."""
    assert client_text(["b", "a", "c"]) == client_text(["c", "b", "a"])
    assert SEALED.shuffle(reversed(CLIENTS)) == PLAYING


@pytest.mark.parametrize(
    ("seeds", "told"),
    [
        ([], "are 0"),
        ([""], "0 bytes"),
        (["a", ""], "0 bytes"),
        (["x" * 257], "257 bytes"),
        (["é" * 129], "258 bytes"),
        (["a"] * 257, "are 257"),
        ("alice", "are one string"),
        (["\ud800"], "no UTF-8"),
        ([b"alice"], "hold a bytes"),
        ([7], "hold a int"),
    ],
)
def test_client_seeds_that_are_none_are_refused(seeds: Any, told: str) -> None:
    """Empty, too long, too many, no text; the shoe stays sealed."""
    for ask in (SEALED.shuffle, client_text, lambda s: FairShuffler(SERVER, s, 0)):
        with pytest.raises(TrenteError) as caught:
            ask(seeds)
        assert code_of(caught) == "bad-client-seed"
        assert told in str(caught.value)


def test_the_most_that_is_allowed_is_allowed() -> None:
    """256 client seeds of 256 bytes, 255 packs, the last nonce: a shoe like any other."""
    seeds = [f"{number:0256}" for number in range(256)]
    shoe = FairShoe.seal((1 << 63) - 1, 255, SERVER).shuffle(seeds)
    assert len(shoe.shoe().cards) == 255 * 52
    shown = shoe.retire().reveal()
    assert verify_reveal(shown.to_json()).holds


@pytest.mark.parametrize("seed", [b"", SERVER[:-1], SERVER + b"\0", "00" * 31, "00" * 64, "zz", 7])
def test_a_server_seed_is_thirty_two_bytes(seed: Any) -> None:
    """Shorter ones could be guessed, longer ones would be hashed by HMAC."""
    for ask in (lambda s: FairShoe.seal(0, 6, s), lambda s: FairShuffler(s, ["a"], 0)):
        with pytest.raises(TrenteError) as caught:
            ask(seed)
        assert code_of(caught) == "bad-seed"


@pytest.mark.parametrize("nonce", [-1, 1 << 63, True, "7", 7.0])
def test_a_nonce_is_a_whole_number(nonce: Any) -> None:
    """Nothing else has one way to be written in the message."""
    for ask in (FairShoe.seal, lambda n: FairShuffler(SERVER, ["a"], n)):
        with pytest.raises(TrenteError) as caught:
            ask(nonce)
        assert code_of(caught) == "bad-nonce"


def test_no_error_shows_a_server_seed_in_the_wrong_place() -> None:
    """Arguments that were exchanged, or one key for another: the seed is not in the message."""
    seed = SERVER.hex()
    stored = FairShoe.seal(7, 6, SERVER).to_json()
    for wrong in (
        lambda: FairShoe.seal(seed, 6),  # type: ignore[arg-type]
        lambda: FairShoe.seal(SERVER, 6),  # type: ignore[arg-type]
        lambda: Commitment(seed + "ab", 7),
        lambda: FairShoe.of_json(stored | {"commitment": seed + "ab"}),
    ):
        with pytest.raises(TrenteError) as caught:
            wrong()
        for form in (seed[8:20], repr(SERVER[4:12])[2:-1]):
            assert form not in str(caught.value)


@pytest.mark.parametrize("packs", [0, 256, True, 6.0])
def test_packs_of_a_fair_shoe(packs: Any) -> None:
    """One byte in the commitment: 1 to 255."""
    with pytest.raises(TrenteError) as caught:
        FairShoe.seal(0, packs)
    assert code_of(caught) == "no-packs"


def test_seals_draw_server_seeds_of_their_own() -> None:
    """Two shoes of one nonce have nothing in common."""
    assert FairShoe.seal(0).commitment != FairShoe.seal(0).commitment


def test_the_commitment_binds_seed_nonce_and_packs() -> None:
    """None of the three can be another one afterwards."""
    commitment = SEALED.commitment
    assert commitment.opens_with(SERVER)
    assert commitment.opens_with(SERVER.hex())
    assert not commitment.opens_with(SERVER[::-1])
    digests = {
        Commitment.of(SERVER, nonce, packs).digest for nonce in range(20) for packs in range(1, 10)
    }
    assert len(digests) == 180


def test_the_commitment_does_not_give_the_order() -> None:
    """Used as a key, as bytes or digits, the commitment gives another stream than the shoe's.

    A key above 64 bytes is hashed by HMAC: where a server seed of 128 digits is the key, and its
    SHA-256 is published, the commitment is the key. The first lines show that fault.
    """
    digits = "ab" * 64
    published = sha256(digits.encode()).digest()
    assert hmac.digest(digits.encode(), b"x", "sha256") == hmac.digest(published, b"x", "sha256")
    label = f"{client_text(CLIENTS)}:7:0".encode()
    block = PLAYING.shuffler().take(32)
    assert block == hmac.digest(SERVER, label, "sha256")
    digest = SEALED.commitment.digest
    guesses = {
        hmac.digest(key, label, "sha256")
        for key in (bytes.fromhex(digest), digest.encode(), digest.upper().encode())
    }
    assert block not in guesses
    with pytest.raises(TrenteError):
        FairShoe.seal(0, 6, digits)


def test_the_secret_is_not_shown_before_it_may_be() -> None:
    """Neither a log nor the header of a record gives the server seed away."""
    header = json.dumps(PLAYING.provenance().to_json())
    for shown in (repr(SEALED), repr(PLAYING), repr(PLAYING.shuffler()), header):
        assert SERVER.hex() not in shown
        assert repr(SERVER)[2:-1] not in shown
    assert PLAYING.provenance().to_json() == {
        "source": "fair",
        "method": "trente-fair-1",
        "commitment": SEALED.commitment.digest,
        "nonce": 7,
        "client_seeds": ["alice", "bob:1"],
    }


def test_a_fair_shoe_goes_on_after_a_stop() -> None:
    """Pickled or written as JSON, at any stage, it is the same shoe."""
    for shoe in (SEALED, PLAYING, PLAYING.retire()):
        assert pickle.loads(pickle.dumps(shoe)) == shoe
        assert FairShoe.of_json(json.loads(json.dumps(shoe.to_json()))) == shoe
    stream = PLAYING.shuffler()
    stream.take(11)
    assert pickle.loads(pickle.dumps(stream)).take(99) == stream.take(99)


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("server_seed", SERVER[::-1].hex(), "a different server seed"),
        ("nonce", 8, "a different server seed"),
        ("packs", 5, "a different server seed"),
        ("stage", "over", "stage: 'over' is not one of"),
        ("stage", "sealed", "has client seeds"),
        ("client_seeds", ["b", "a"], "not sorted"),
        ("method", "trente-fair-3", "method: 'trente-fair-3' is not one of"),
        ("method", "trente-fair-2", "of trente-fair-2 without a plan"),
        ("extra", 1, "extra"),
    ],
)
def test_a_stored_shoe_that_was_damaged_is_refused(key: str, value: object, told: str) -> None:
    """A shoe that would not open its commitment is not dealt."""
    with pytest.raises(TrenteError) as caught:
        FairShoe.of_json(PLAYING.to_json() | {key: value})
    assert code_of(caught) == "bad-fair-shoe"
    assert told in str(caught.value)
    assert SERVER.hex() not in str(caught.value)
    with pytest.raises(TrenteError, match="server_seed: 'server_seed' is missing"):
        FairShoe.of_json({"stage": "sealed"})


def check(**other: Any) -> Any:
    """Verify the shoe of this module, with some parts changed."""
    given: dict[str, Any] = {
        "commitment": SHOWN.commitment.digest,
        "server_seed": SHOWN.server_seed,
        "client_seeds": SHOWN.client_seeds,
        "nonce": 7,
        "cards": SHOWN.cards,
    }
    return verify_fair(**given | other)


def test_a_fair_shoe_holds() -> None:
    """All cards or those known from the front, as cards or as text, cut or not."""
    assert check().holds
    assert str(check()) == "holds: the commitment opens, 312 of 312 cards are as they must be"
    assert check(cards=SHOWN.cards[:20]).compared == 20
    assert check(cards=" ".join(map(str, SHOWN.cards))).holds
    assert check(server_seed=SERVER.hex().upper(), client_seeds=["bob:1", "alice"]).holds
    cut = PLAYING.shoe().cut(99).burn(5)
    assert check(cards=cut.cards, cut_at=99).holds
    assert not check(cards=cut.cards).holds


def test_every_card_that_is_another_is_found() -> None:
    """The first place that differs is named, with the card that must be there."""
    for place in range(312):
        cards = list(SHOWN.cards)
        cards[place] = next(card for card in PACK if card != cards[place])
        found = check(cards=cards)
        assert not found.holds
        assert found.opens
        assert found.difference == place + 1
        assert f"card {place + 1} of 312 must be {SHOWN.cards[place]}" in str(found)
    more = check(cards=(*SHOWN.cards, PACK[0]))
    assert more.difference == 313
    assert "no card 313" in str(more)


def test_digits_are_of_either_case() -> None:
    """C19: one rule for the seed, the commitment and the digest of the list."""
    assert check(commitment=SHOWN.commitment.digest.upper(), server_seed=SERVER.hex().upper()).holds
    assert Commitment(SHOWN.commitment.digest.upper(), 7) == SHOWN.commitment
    for key in ("commitment", "server_seed"):
        assert verify_reveal(SHOWN.to_json() | {key: str(SHOWN.to_json()[key]).upper()}).holds
        stored = PLAYING.to_json()
        assert FairShoe.of_json(stored | {key: stored[key].upper()}) == PLAYING


@pytest.mark.parametrize(
    "other",
    [
        {"server_seed": SERVER[::-1]},
        {"nonce": 8},
        {"packs": 5},
        {"commitment": "0" * 64},
    ],
)
def test_another_seed_nonce_or_number_of_packs_does_not_open(other: dict[str, Any]) -> None:
    """The commitment was to these and no others."""
    found = check(**other)
    assert not found.opens
    assert not found.holds
    assert "the commitment is not that of" in str(found)


def test_left_out_client_seeds_are_found() -> None:
    """The commitment opens, the cards are others: a player's seed was not used."""
    found = check(client_seeds=["alice"])
    assert found.opens
    assert not found.holds


@pytest.mark.parametrize(
    ("other", "code"),
    [
        ({"cards": ()}, "cards-missing"),
        ({"cards": "  "}, "cards-missing"),
        ({"cards": "11♥"}, "no-card"),
        ({"commitment": "0" * 63}, "bad-commitment"),
        ({"commitment": "0" * 64 + "\n"}, "bad-commitment"),
        ({"commitment": None}, "bad-commitment"),
        ({"server_seed": "00"}, "bad-seed"),
        ({"client_seeds": []}, "bad-client-seed"),
        ({"nonce": -1}, "bad-nonce"),
        ({"packs": 0}, "no-packs"),
        ({"cut_at": 313}, "bad-cut"),
    ],
)
def test_what_can_be_no_fair_shoe_is_refused(other: dict[str, Any], code: str) -> None:
    """A text that is no commitment is no shoe that does not hold: it is told apart."""
    with pytest.raises(TrenteError) as caught:
        check(**other)
    assert code_of(caught) == code


def test_the_page_shows_a_revealed_shoe() -> None:
    """The JSON of docs/entropy.md verifies, and is the shoe of its example."""
    page = (Path(__file__).parents[2] / "docs/entropy.md").read_text("utf-8")
    block = re.findall(r"```json\n(.*?)```", page, re.DOTALL)[-1]
    table = json.loads(block)
    found = verify_reveal(table)
    assert found.holds
    assert found.compared == 20
    assert verify_reveal(SHOWN.to_json()).compared == 312
    assert {**SHOWN.to_json(), "cards": table["cards"]} == table
    assert isinstance(SHOWN, Reveal)


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({"nonse": 7}, "unknown key 'nonse'"),
        ({"nonce": "7"}, "nonce: expected a whole number, got the text '7'"),
        ({"nonce": True}, "nonce: expected a whole number, got true"),
        ({"cut_at": 1.0}, "got the decimal number 1.0"),
        ({"method": "trente-fair-3"}, "method: 'trente-fair-3' is not"),
        ({"method": "trente-fair-2"}, "of trente-fair-2 without a plan"),
        ({"cut": 3, "cut_at": 4}, "two cuts: 3 and 4"),
        ({"client_seeds": "alice"}, "client_seeds: expected a list, got the text 'alice'"),
        ({"cards": []}, "cards: expected a text, got the list []"),
        ({"server_seed": 1}, "server_seed: not a string of"),
    ],
)
def test_a_reveal_that_is_none_is_refused(table: dict[str, object], told: str) -> None:
    """What a program wrote wrongly is told of key by key."""
    with pytest.raises(TrenteError) as caught:
        verify_reveal(SHOWN.to_json() | table)
    assert code_of(caught) == "bad-reveal"
    assert told in str(caught.value)
    with pytest.raises(TrenteError, match="server_seed: 'server_seed' is missing"):
        verify_reveal({"nonce": 7})
