"""What options take: numbers, amounts and seeds as people write them; names that a shell offers."""

from __future__ import annotations

import click
import pytest

from trente_rules.cli.values import AMOUNT, COUNT, SEED, AmountText
from trente_rules.core.money import Amount


def test_an_amount_is_read_as_people_write_it() -> None:
    """U43: 1000, 0.50 and 1e6 are amounts wherever one is asked for."""
    read = {
        text: str(AMOUNT.convert(text, None, None)) for text in ("1000", "0.50", "1e6", "1_000")
    }
    assert read == {"1000": "1000", "0.50": "0.50", "1e6": "1000000", "1_000": "1000"}
    assert AmountText("none").convert("none", None, None) == "none"
    assert AMOUNT.convert(Amount.parse("2.5"), None, None) == Amount.parse("2.50")


@pytest.mark.parametrize(
    "bad", ["", "-1", "1e99", "ten", "1,5", "1" * 5000, "none", "0." + "1" * 12]
)
def test_another_text_is_no_amount(bad: str) -> None:
    """A wrong call, with examples, cut short."""
    with pytest.raises(click.BadParameter, match=r"is not an amount \(examples: 1000") as refused:
        AMOUNT.convert(bad, None, None)
    assert len(refused.value.message) < 130


def test_a_count_is_a_whole_number_within_bounds() -> None:
    """U43: 1e6 is a count; half a shoe is not."""
    assert [COUNT.convert(text, None, None) for text in ("1", "1e6", "2.50e2", 7)] == [
        1,
        10**6,
        250,
        7,
    ]
    for bad in ("0", "1.5", "1e10", "x", -1):
        with pytest.raises(click.BadParameter, match="is not a whole number from 1 to 1000000000"):
            COUNT.convert(bad, None, None)


@pytest.mark.parametrize(
    ("text", "number", "data"),
    [
        ("0", 0, b"\0"),
        ("255", 255, b"\xff"),
        ("0xff", 255, b"\xff"),
        ("0X00ff", 255, b"\0\xff"),
        ("5eed", 0x5EED, b"\x5e\xed"),
        ("00112233", 0x112233, bytes.fromhex("00112233")),
        ("1234", 1234, b"\x04\xd2"),
    ],
)
def test_a_seed_is_a_number_or_bytes(text: str, number: int, data: bytes) -> None:
    """U43: each command takes what any other takes."""
    seed = SEED.convert(text, None, None)
    assert (seed.number, seed.data, str(seed)) == (number, data, text)
    assert "data" not in repr(seed)


@pytest.mark.parametrize("bad", ["", "-1", "0x", "0x123", "abc", "secret", "1.5", "9" * 3000])
def test_another_text_is_no_seed_and_is_not_shown(bad: str) -> None:
    """It may be a secret that was mistyped."""
    with pytest.raises(click.BadParameter) as refused:
        SEED.convert(bad, None, None)
    assert refused.value.message.startswith("not a seed: use a whole number")
    assert len(bad) < 3 or bad not in refused.value.message
