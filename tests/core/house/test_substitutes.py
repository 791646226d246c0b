"""Faults that depend on a key that is broken: they are no faults until that key is mended."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal

import pytest
from attrs import frozen

from trente_rules import ConfigurationError, Named, PluginManager, Verdict, hookimpl, loads_house
from trente_rules.core.errors import RuleError
from trente_rules.core.house.converter import unstructure
from trente_rules.core.keys import at_least, at_most, between, key
from trente_rules.core.machine import Course
from trente_rules.core.money import Amount, Money

HEAD = '[house]\nname = "x"\n'
PRISON = f'{HEAD}[refait]\nrule = "prison"\n'
TWICE = '[settlement]\npay = ["rouge", "rouge"]'


@frozen
class Inner:
    """A table in a table."""

    flag: bool = key(True, "Whether it is so.")


@frozen
class Picky:
    """A rule of a plugin whose last key is right for one value of another key alone."""

    text: str = key(doc="Any text.")
    share: Fraction = key(Fraction(1, 3), "A share.")
    amount: Amount = key(Amount.parse(7), "An amount.")
    maybe: Amount | None = key(Amount.parse(7), "An amount, or none.")
    flag: bool = key(False, "Whether it is so.")
    word: Literal["a", "b"] = key("a", "One of two words.")
    low: int = key(99, "A number without an end.", check=at_least(3))
    high: int = key(-99, "A number without a beginning.", check=at_most(9))
    narrow: int = key(5, "A number of four.", check=between(3, 6))
    wide: int = key(5, "A number of a hundred.", check=between(1, 100))
    words: tuple[Literal["a", "b"], ...] = key(("b", "a"), "Words.")
    inner: Inner = key(Inner(), "A table.")
    needs: str = key("", "The other key, and its value.")

    def build(self, _money: Money) -> dict[str, dict[Verdict, tuple[Course, ...]]]:
        """Return the courses of a refait."""
        name, _space, value = self.needs.partition(" ")
        found: Any = self
        for step in name.split(".") if name else ():
            found = getattr(found, step)
        if name and str(unstructure(found)) != value:
            raise RuleError("needs cannot act", "key-cannot-act", "", "needs")
        return {"free": {Verdict.REFAIT: (Course("lost", default=True),)}}


class Plugin:
    """One refait rule."""

    @hookimpl
    def trente_refait_rules(self) -> list[Named]:
        """Return it."""
        return [Named("picky", Picky)]


def codes(text: str) -> list[tuple[str, str]]:
    """Return the keys and codes of the faults of a text."""
    plugins = PluginManager(only=())
    plugins.register(Plugin(), "my:rules")
    with pytest.raises(ConfigurationError) as caught:
        loads_house(text, plugins=plugins)
    return [(fault.key, fault.code) for fault in caught.value.faults]


def picky(broken: str, needs: str) -> list[tuple[str, str]]:
    """Return the faults of a house of the rule, with a key that is broken."""
    text = "" if broken == "text" else 'text = "t"\n'
    return codes(
        f'{HEAD}[refait]\nrule = "picky"\n{text}{broken} = [[[]]]\nneeds = "{broken} {needs}"\n'
    )


@pytest.mark.parametrize(
    ("broken", "values"),
    [
        ("text", ("placeholder",)),
        ("share", ("0", "1/2", "1", "1/3")),
        ("amount", ("0", "1", "1000000000", "7")),
        ("maybe", ("None", "0", "1", "7")),
        ("flag", ("False", "True")),
        ("word", ("a", "b")),
        ("low", ("3", "14", "15")),
        ("high", ("0", "1", "8", "9", "-99")),
        ("narrow", ("3", "4", "5", "6")),
        ("wide", ("1", "12", "100", "5")),
        ("words", ("[]", "['a']", "['b']", "['b', 'a']")),
        ("inner.flag", ("False", "True")),
    ],
)
def test_values_of_each_kind_are_tried(broken: str, values: tuple[str, ...]) -> None:
    """U37: texts, shares, amounts, words, lists, numbers: what one of them mends is no fault."""
    for value in values:
        ((place, _code),) = picky(broken, value)
        assert place.startswith(f"refait.{broken}")
    assert ("refait.needs", "key-cannot-act") in picky(broken, "another")


@pytest.mark.parametrize(
    ("text", "key", "code"),
    [
        (f'{PRISON}levels = "two"\nagain = "quarter-lost"', "levels", "wrong-type"),
        (f'{PRISON}levels = "two"\nclose = ["1/2", "1/4"]', "levels", "wrong-type"),
        (f'{PRISON}levels = "12"\nclose = {["1/2"] * 12}', "levels", "wrong-type"),
        (f'{PRISON}partage = "1/2"\ndefault = "partage"', "partage", "wrong-type"),
        (f'{PRISON}partage = ["2/1/2"]\ndefault = "partage"', "partage.0", "bad-fraction"),
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
    ("text", "fault"),
    [
        (f'{PRISON}levels = "two"\nclose = ["1/2"]\n', ("refait.levels", "wrong-type")),
        (PRISON.replace("name", "title"), ("house.name", "missing-key")),
        (f'{PRISON}levels = 2\nlevel = 2\nclose = ["1/2"]\n', ("refait.level", "unknown-key")),
    ],
)
def test_what_no_value_of_a_broken_key_mends_is_a_fault(text: str, fault: tuple[str, str]) -> None:
    """U37: one round finds every fault of a file that can be found."""
    found = codes(text + TWICE)
    assert found[0] == fault or fault in found
    assert ("settlement.pay.1", "double-chance") in found
