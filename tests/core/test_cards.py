"""Cards: how they are written, what they count."""

from __future__ import annotations

import pickle

import pytest

from trente_rules import PACK, Card, CardError, Colour, parse_cards


@pytest.mark.parametrize(
    ("text", "rank", "suit"),
    [
        ("10♥", 10, "♥"),
        ("Th", 10, "♥"),
        ("10h", 10, "♥"),
        ("A♠", 1, "♠"),
        ("as", 1, "♠"),
        ("KD", 13, "♦"),
        (" q♣ ", 12, "♣"),
        ("7♡", 7, "♥"),
        ("J♦\ufe0f", 11, "♦"),
    ],
)
def test_a_card_is_read_in_many_forms(text: str, rank: int, suit: str) -> None:
    """Rank by letter or number, suit by sign or letter, in any case, with any variant sign."""
    card = Card.parse(text)
    assert (card.rank, card.suit) == (rank, suit)
    assert Card.parse(str(card)) is card


@pytest.mark.parametrize("text", ["", "1x", "11h", "♥10", "10", "h", "Ahh", "0s", "joker"])
def test_what_is_no_card_is_refused(text: str) -> None:
    """Anything else is an error that shows it and says how a card is written."""
    with pytest.raises(CardError, match="is not a card") as caught:
        Card.parse(text)
    assert caught.value.code == "no-card"
    assert "10♥" in caught.value.hint


@pytest.mark.parametrize(
    ("texts", "cards"),
    [
        ("V♣ D♠ R♦ A♥ 10♠", "J♣ Q♠ K♦ A♥ 10♠"),
        ("B♣, D♠, K♦", "J♣ Q♠ K♦"),
        ("f♣ d♠ r♦", "J♣ Q♠ K♦"),
        ("DD VS bh RC", "Q♦ J♠ J♥ K♣"),
    ],
)
def test_court_cards_are_read_by_the_letters_of_other_packs(texts: str, cards: str) -> None:
    """C17: French, German and Italian letters; what is written has one form."""
    assert " ".join(map(str, parse_cards(texts))) == cards


@pytest.mark.parametrize("text", ["H♠", "C♠", "S♠", "P♠", "O♠", "V", "DV"])
def test_a_letter_that_could_be_two_ranks_or_none_is_refused(text: str) -> None:
    """C17: nothing is guessed, and a suit has English letters or a sign."""
    with pytest.raises(CardError, match="is not a card"):
        Card.parse(text)


def test_points_are_the_same_in_every_source() -> None:
    """Ace 1, court cards 10, every other card its face value."""
    assert [card.points for card in PACK[:13]] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10]


def test_a_pack_is_half_red() -> None:
    """52 different cards, 26 red, 340 points."""
    assert len(set(PACK)) == 52
    assert sum(card.colour is Colour.ROUGE for card in PACK) == 26
    assert sum(card.points for card in PACK) == 340


def test_an_unpickled_card_is_the_same_object() -> None:
    """Cards are shared: pickling a shoe does not make new ones."""
    card = Card.parse("Q♦")
    assert pickle.loads(pickle.dumps(card)) is card


def test_cards_are_read_from_a_line() -> None:
    """White space and commas part them; the bad one is named."""
    assert [str(card) for card in parse_cards("A♠, Th 9c")] == ["A♠", "10♥", "9♣"]
    with pytest.raises(CardError, match="'Zz' is not a card"):
        parse_cards("A♠ Zz")


@pytest.mark.parametrize(("rank", "suit"), [(0, "♠"), (14, "♠"), (1, "x"), (1, ""), (1, "♠♥")])
def test_a_card_has_a_rank_and_a_suit(rank: int, suit: str) -> None:
    """Ranks are 1 to 13, suits one of four; anything else is no card."""
    with pytest.raises(CardError) as caught:
        Card(rank, suit)
    assert caught.value.code == "no-card"
