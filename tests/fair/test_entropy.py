"""Bytes, words, numbers, orders: every order equally often, every stream as it is specified."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Sequence
from itertools import product
from math import factorial
from typing import ClassVar, TypeVar

import pytest
from attrs import define

from trente_rules import PACK, Shoe, TrenteError
from trente_rules.core.cards import LETTERS, compact, parse_compact
from trente_rules.fair import Entropy, FairShuffler, Provenance, SeededShuffler, SystemShuffler
from trente_rules.fair.entropy import KeyedStream, WordShuffler, fresh_seed, seed_bytes

T = TypeVar("T")
SEED = bytes(range(16))
WHOLE = 1 << 64


class OutOfWordsError(Exception):
    """The words that were given did not suffice."""


@define
class GivenWords(WordShuffler):
    """A generator of the words it is given."""

    words: tuple[int, ...]
    used: int = 0

    def take(self, count: int) -> bytes:
        """Return the next word."""
        if self.used == len(self.words):
            raise OutOfWordsError
        self.used += 1
        return self.words[self.used - 1].to_bytes(count, "big")


class EightWords(GivenWords):
    """A generator of three bits: its words are 0 to 7, so that all sequences can be listed."""

    WORDS: ClassVar[int] = 8


@pytest.mark.parametrize("cards", [0, 1, 2, 3, 4, 5, 6])
def test_every_order_comes_from_exactly_one_draw(cards: int) -> None:
    """All numbers that can be drawn, one by one, give all orders, each once."""
    orders = Counter(
        GivenWords(drawn).shuffle(range(cards))
        for drawn in product(*(range(bound) for bound in range(cards, 1, -1)))
    )
    assert len(orders) == factorial(cards)
    assert set(orders.values()) == {1}


@pytest.mark.slow
@pytest.mark.parametrize(("cards", "longest"), [(3, 5), (4, 5), (5, 5)])
def test_every_order_comes_from_equally_many_sequences_of_words(cards: int, longest: int) -> None:
    """All sequences of a generator of three bits, rejections among them: the bias is nought.

    For each number of words used, each order comes from equally many sequences; what needs more
    words than are given is left out, and is left out for every order alike.
    """
    of_length: dict[int, Counter[tuple[int, ...]]] = {}
    for words in product(range(8), repeat=longest):
        shuffler = EightWords(words)
        try:
            order = shuffler.shuffle(range(cards))
        except OutOfWordsError:
            continue
        of_length.setdefault(shuffler.used, Counter())[order] += 1
    assert min(of_length) == cards - 1
    assert max(of_length) == longest
    for orders in of_length.values():
        assert len(orders) == factorial(cards)
        assert len(set(orders.values())) == 1


def test_without_rejection_the_orders_are_not_equal() -> None:
    """The test above would see it: the remainder alone favours small numbers."""

    class Careless(EightWords):
        def below(self, bound: int) -> int:
            return self.word() % bound

    orders = Counter(Careless(words).shuffle(range(3)) for words in product(range(8), repeat=2))
    assert len(set(orders.values())) > 1


def test_the_widest_whole_multiple_of_each_bound_is_accepted() -> None:
    """For every size of a shoe: the last word accepted is one below a multiple, the next is not."""
    for bound in range(1, 8 * 52 + 1):
        whole = WHOLE - WHOLE % bound
        assert whole % bound == 0
        assert WHOLE - whole < bound
        assert GivenWords((whole - 1,)).below(bound) == bound - 1
        if whole < WHOLE:
            shuffler = GivenWords((whole, WHOLE - 1, 5 * bound))
            assert shuffler.below(bound) == 0
            assert shuffler.used == 3


def test_bounds_from_one_to_all_words() -> None:
    """Below 1 there is nought alone, below 2**64 every word stands for itself."""
    assert GivenWords((WHOLE - 1,)).below(1) == 0
    assert GivenWords((WHOLE - 1,)).below(WHOLE) == WHOLE - 1
    drawn = {SystemShuffler().below(3) for _ in range(200)}
    assert drawn == {0, 1, 2}


@pytest.mark.parametrize("bound", [0, -1, WHOLE + 1, True, 2.0, "3", None])
def test_a_bound_that_is_none_is_refused(bound: object) -> None:
    """Nothing is drawn below nought, nor below what is no whole number."""
    with pytest.raises(TrenteError, match="cannot draw a number below") as caught:
        SystemShuffler().below(bound)  # type: ignore[arg-type]
    assert caught.value.code == "bad-bound"


def test_a_word_is_eight_bytes_the_first_most_significant() -> None:
    """Another language reads the same words."""
    shuffler = SeededShuffler(SEED)
    assert shuffler.word() == int(SeededShuffler(SEED).take(8).hex(), 16)


def test_the_system_shuffler_keeps_nothing_between_shuffles(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each shuffle asks the operating system anew, once unless words were rejected."""
    asked: list[int] = []

    def token_bytes(count: int) -> bytes:
        asked.append(count)
        return bytes(count)

    monkeypatch.setattr("secrets.token_bytes", token_bytes)
    shuffler = SystemShuffler()
    shuffler.shuffle(PACK)
    shuffler.shuffle(PACK)
    assert asked == [8 * 52, 8 * 52]


def test_rejected_words_are_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The largest word is rejected by bounds that do not divide 2**64; more bytes are asked for."""
    answers = [b"\xff" * (8 * 3), bytes(8 * 3), bytes(8 * 3)]
    monkeypatch.setattr("secrets.token_bytes", lambda _count: answers.pop(0))
    assert sorted(SystemShuffler().shuffle("abc")) == ["a", "b", "c"]
    assert len(answers) == 1


def test_shuffling_leaves_what_was_handed_in_alone() -> None:
    """The cards of an earlier shoe keep their order: nothing is shared."""
    cards = list(PACK)
    SystemShuffler().shuffle(cards)
    assert cards == list(PACK)


def test_two_shuffles_differ() -> None:
    """No seed is kept: that two shuffles of 312 cards agree will not be seen."""
    one, other = (Shoe.shuffled(6, SystemShuffler()).cards for _ in range(2))
    assert one != other
    assert fresh_seed() != fresh_seed()
    assert len(fresh_seed(16)) == 16


def test_the_same_seed_gives_the_same_order_and_another_seed_another() -> None:
    """Bytes and digits are one seed; a nought more, or another stream, is another one."""
    order = SeededShuffler(SEED).shuffle(PACK)
    assert SeededShuffler(SEED.hex()).shuffle(PACK) == order
    assert SeededShuffler(SEED.hex().upper()).shuffle(PACK) == order
    others = [SeededShuffler(SEED + b"\0"), SeededShuffler(b"\0" + SEED), SeededShuffler(SEED, 1)]
    orders = {order, *(other.shuffle(PACK) for other in others)}
    assert len(orders) == 4


def test_a_seeded_shuffler_moves_on_and_can_be_taken_up_again() -> None:
    """The second shuffle is another one; from its position it can be made again."""
    shuffler = SeededShuffler(SEED, 3)
    first = shuffler.shuffle(PACK)
    assert shuffler.position == 51 * 8
    kept = pickle.loads(pickle.dumps(shuffler))
    assert kept == shuffler
    second = shuffler.shuffle(PACK)
    assert second != first
    assert kept.shuffle(PACK) == second
    again = SeededShuffler(SEED, 3, position=51 * 8)
    assert again.shuffle(PACK) == second
    assert again == shuffler


@pytest.mark.parametrize(
    "parts", [(1, 7, 24, 33, 64, 0, 3), (8,) * 12, (132,), (31, 1, 32, 68), (8, 30, 5, 8, 8, 8)]
)
def test_bytes_are_the_same_however_they_are_taken(parts: tuple[int, ...]) -> None:
    """What is held between draws leaves no byte out, and gives none twice."""
    whole = KeyedStream(b"key", "label").take(sum(parts))
    stream = KeyedStream(b"key", "label")
    assert b"".join(stream.take(part) for part in parts) == whole
    assert stream.position == len(whole) == sum(parts)


@pytest.mark.parametrize(
    ("seed", "code", "told"),
    [
        ("abc", "bad-seed", "3 hexadecimal digits"),
        ("0g" * 16, "bad-seed", "character 2 of the seed"),
        (" " + "00" * 16 + " ", "bad-seed", "character 1 of the seed"),
        ("0x" + "00" * 16, "bad-seed", "character 2 of the seed"),
        ("\u0660\u0660" * 16, "bad-seed", "character 1 of the seed"),
        ("", "short-seed", "0 bits"),
        ("00" * 15, "short-seed", "120 bits"),
        (b"123456789012345", "short-seed", "120 bits"),
        ("00" * 1025, "bad-seed", "1025 bytes"),
        (12345, "bad-seed", "a seed is a int"),
        (None, "bad-seed", "a seed is a NoneType"),
    ],
)
def test_a_seed_that_is_none_is_refused(seed: object, code: str, told: str) -> None:
    """Odd digits, other letters, white space, too few bits: told of, the seed never shown."""
    with pytest.raises(TrenteError) as caught:
        SeededShuffler(seed)  # type: ignore[arg-type]
    assert caught.value.code == code
    assert told in str(caught.value)


def test_a_short_seed_is_for_tests_only() -> None:
    """Who says that it is a test may have a short seed, but not none."""
    assert len(SeededShuffler("07", test=True).shuffle(PACK)) == 52
    with pytest.raises(TrenteError, match="a seed of 0 bytes"):
        SeededShuffler(b"", test=True)


@pytest.mark.parametrize("number", [-1, 1 << 63, True, 1.0, "1", None])
def test_a_stream_or_position_that_is_none_is_refused(number: object) -> None:
    """Both are whole numbers from nought."""
    for numbers in ({"stream": number}, {"position": number}):
        with pytest.raises(TrenteError) as caught:
            SeededShuffler(SEED, **numbers)  # type: ignore[arg-type]
        assert caught.value.code == "bad-nonce"
        assert next(iter(numbers)) in str(caught.value)


def test_seeds_are_not_shown() -> None:
    """A log that prints a shuffler does not give its orders away."""
    for shuffler in (SeededShuffler(SEED * 2), FairShuffler(SEED * 2, ["a"], 0)):
        shuffler.word()
        shown = repr(shuffler) + str(shuffler.provenance().to_json())
        assert SEED.hex() not in shown
        assert repr(SEED)[2:-1] not in shown
    with pytest.raises(TrenteError) as caught:
        seed_bytes("deadbeef" * 4 + "zz")
    assert "deadbeef" not in str(caught.value)


def test_what_a_table_may_ask_of_a_shuffler() -> None:
    """All three shuffle, draw numbers and tell of themselves."""

    def cut_shoe(entropy: Entropy) -> tuple[Shoe, str]:
        shoe = Shoe.shuffled(6, entropy)
        return shoe.cut(entropy.below(313)), entropy.provenance().source

    makers = (SystemShuffler(), SeededShuffler(SEED), FairShuffler(SEED * 2, ["a"], 0))
    assert [cut_shoe(maker)[1] for maker in makers] == ["system", "seeded", "fair"]


def test_a_shuffler_of_a_stranger_is_checked() -> None:
    """A card lost by a shuffler is found when the shoe is built."""

    class Loses:
        def shuffle(self, cards: Sequence[T], /) -> tuple[T, ...]:
            return (*cards[1:], cards[1])

    with pytest.raises(TrenteError, match="missing: 1 x A♠"):
        Shoe.shuffled(6, Loses())


def test_cards_as_letters_and_back() -> None:
    """One letter a card, all different; what is no letter of a card is named."""
    assert len(set(LETTERS)) == 52
    assert compact(PACK) == LETTERS
    assert parse_compact(LETTERS) == PACK
    for text in ("AB1", "AB ", "ABé"):
        with pytest.raises(TrenteError, match="character 3 of the cards"):
            parse_compact(text)


def test_provenance_goes_through_json() -> None:
    """What a record keeps is read back as it was; fields that say nothing are left out."""
    shuffler = SeededShuffler(SEED)
    shuffler.word()
    for provenance in (
        Provenance("given"),
        SystemShuffler().provenance(),
        shuffler.provenance(),
        FairShuffler(SEED * 2, ["b", "a"], 0).provenance(),
    ):
        table = provenance.to_json()
        assert Provenance.of_json(table) == provenance
        assert all(value not in ("", [], None) for value in table.values())
    assert Provenance("given").to_json() == {"source": "given"}
    assert shuffler.provenance().to_json()["position"] == 8
    assert FairShuffler(SEED * 2, ["a"], 0).provenance().to_json()["nonce"] == 0


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({}, "'source' is missing"),
        ({"source": "dice"}, "source: 'dice' is not one of"),
        ({"source": ["system"]}, "source: "),
        ({"source": "system", "sed": "x"}, "unknown key 'sed'"),
        ({"source": "fair", "nonce": True}, "nonce: expected a whole number, got true"),
        ({"source": "fair", "nonce": -1}, "nonce: -1 is out of range (it is 0 or more)"),
        ({"source": "fair", "client_seeds": "a"}, "expected a list, got the text 'a'"),
        ({"source": "fair", "client_seeds": [1]}, "client_seeds[1]: expected a text"),
    ],
)
def test_a_provenance_that_is_none_is_refused(table: dict[str, object], told: str) -> None:
    """A header that was written by hand is told what is wrong with it."""
    with pytest.raises(TrenteError) as caught:
        Provenance.of_json(table)
    assert caught.value.code == "bad-provenance"
    assert told in str(caught.value)
