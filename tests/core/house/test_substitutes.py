"""Faults that depend on a key that is broken: they are no faults until that key is mended."""

from __future__ import annotations

from fractions import Fraction

import pytest
from attrs import frozen

from trente_rules import ConfigurationError, Named, PluginManager, Verdict, hookimpl, loads_house
from trente_rules.core.errors import RuleError
from trente_rules.core.keys import key
from trente_rules.core.machine import Course
from trente_rules.core.money import NOUGHT, Money

HEAD = '[house]\nname = "x"\n'
PRISON = f'{HEAD}[refait]\nrule = "prison"\n'


@frozen
class Shares:
    """A rule of a plugin, of which a word needs a whole share."""

    share: Fraction = key(NOUGHT, "The share that is returned.")
    word: str = key("", "Called where all of it is.")

    def build(self, _money: Money) -> dict[str, dict[Verdict, tuple[Course, ...]]]:
        """Return the courses of a refait."""
        if self.word and self.share != 1:
            raise RuleError("word cannot act: not all is returned", "key-cannot-act", "", "word")
        return {"free": {Verdict.REFAIT: (Course("shared", returned=self.share, default=True),)}}


class Plugin:
    """One refait rule."""

    @hookimpl
    def trente_refait_rules(self) -> list[Named]:
        """Return it."""
        return [Named("shares", Shares)]


def codes(text: str) -> list[tuple[str, str]]:
    """Return the keys and codes of the faults of a text."""
    plugins = PluginManager(only=())
    plugins.register(Plugin(), "my:rules")
    with pytest.raises(ConfigurationError) as caught:
        loads_house(text, plugins=plugins)
    return [(fault.key, fault.code) for fault in caught.value.faults]


SHARES = f'{HEAD}[refait]\nrule = "shares"\n'


@pytest.mark.parametrize(
    ("text", "key", "code"),
    [
        (f'{PRISON}levels = "two"\nagain = "quarter-lost"', "levels", "wrong-type"),
        (f'{PRISON}levels = "two"\nclose = ["1/2", "1/4"]', "levels", "wrong-type"),
        (f'{PRISON}levels = "12"\nclose = {["1/2"] * 12}', "levels", "wrong-type"),
        (f'{PRISON}partage = "1/2"\ndefault = "partage"', "partage", "wrong-type"),
        (f'{PRISON}partage = ["2/1/2"]\ndefault = "partage"', "partage.0", "bad-fraction"),
        (f'{SHARES}share = 0.5\nword = "all"', "share", "wrong-type"),
    ],
)
def test_what_some_value_of_a_broken_key_mends_is_no_fault(text: str, key: str, code: str) -> None:
    """U37: only what is certain is said, so that nobody mends what is right."""
    assert codes(text) == [(f"refait.{key}", code)]


def test_an_amount_that_cannot_be_read_may_be_small_or_large() -> None:
    """U37: what is below an inherited minimum may be above the one that is meant."""
    head = f'{HEAD}extends = "monte-carlo-1911"\n[limits]\nminimum = "ten"\n'
    assert codes(f"{head}aggregate_maximum = 15") == [("limits.minimum", "bad-amount")]
    assert codes(head.replace('"ten"', "20") + "aggregate_maximum = 15") == [
        ("limits.aggregate_maximum", "no-stake-possible")
    ]


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        (
            f'{PRISON}levels = "two"\nclose = ["1/2"]\n[settlement]\npay = ["rouge", "rouge"]',
            [("refait.levels", "wrong-type"), ("settlement.pay.1", "double-chance")],
        ),
        (
            f'{PRISON.replace("name", "title")}[settlement]\npay = ["rouge", "rouge"]',
            [("house.name", "missing-key"), ("settlement.pay.1", "double-chance")],
        ),
        (
            f'{SHARES}share = 0.5\nword = 7\n[settlement]\npay = ["rouge", "rouge"]',
            [
                ("refait.share", "wrong-type"),
                ("refait.word", "wrong-type"),
                ("settlement.pay.1", "double-chance"),
            ],
        ),
    ],
)
def test_what_no_value_of_a_broken_key_mends_is_a_fault(
    text: str, faults: list[tuple[str, str]]
) -> None:
    """U37: one round finds every fault of a file that can be found."""
    assert codes(text) == faults
