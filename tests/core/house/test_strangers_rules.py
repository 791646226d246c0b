"""Houses with rules of strangers, and rare faults: each is at its place, with its code."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

from trente_rules import (
    Amount,
    ConfigurationError,
    Course,
    HouseText,
    Money,
    Named,
    PluginError,
    PluginManager,
    Verdict,
    hookimpl,
    load_house,
    loads_house,
)
from trente_rules.core import InsuranceTable, Limits
from trente_rules.core.errors import Fault
from trente_rules.core.house import loading, substitutes
from trente_rules.core.house.schema import house_schema
from trente_rules.core.house.templates import extending_file
from trente_rules.core.rules.limits import TableBounds
from trente_rules.core.shoe import ShoeRule
from trente_rules.core.toml import Document, Places, parse, written

HEAD = '[house]\nname = "x"\n'


def manager_with(hook: str, *things: Any) -> PluginManager:
    """Return a manager with one plugin "my:rules", which adds things by one hook."""

    def bring(self: object) -> list[Any]:  # noqa: ARG001 - a method
        return [*things]

    bring.__name__ = hook
    found = PluginManager(only=())
    found.register(type("Plugin", (), {hook: hookimpl(bring)})(), "my:rules")
    return found


def faults(text: str, plugins: PluginManager | None = None) -> tuple[Fault, ...]:
    """Return the faults of a house."""
    with pytest.raises(ConfigurationError) as caught:
        loads_house(HEAD + text, plugins=plugins)
    return caught.value.faults


@frozen
class Failing:
    """A rule that fails to build."""

    def build(self, *_money: object) -> Any:
        """Divide by nothing."""
        return 1 // 0

    def wins(self, _outcome: object) -> bool:
        """Divide by nothing."""
        return bool(1 // 0)


@pytest.mark.parametrize(
    ("hook", "text", "key"),
    [
        (
            "trente_side_bets",
            '[refait]\nrule = "all-lose"\n[[side_bets]]\nid = "pair"\nodds = 2\nwins_on = "mine"\n',
            "side_bets.0.wins_on",
        ),
        (
            "trente_refait_rules",
            (
                '[deal]\nrefait_on = [31, 40]\n[refait]\nrule = "all-lose"\n'
                '[refait.on.40]\nrule = "mine"\n'
            ),
            "refait.on.40.rule",
        ),
    ],
)
def test_the_rule_of_one_bet_or_one_point_that_fails_is_named_where_it_is(
    hook: str, text: str, key: str
) -> None:
    """T12b: the place is that of the bet, or of the point, and not of the whole table."""
    found = faults(text, manager_with(hook, Named("mine", Failing)))
    assert (key, "rule-fails") in [(each.key, each.code) for each in found]
    assert {each.code for each in found} == {"rule-fails"}


def test_an_error_of_our_own_is_not_a_fault_of_the_house(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistake in this library stays an exception: a house cannot mend it."""

    def check(_rule: ShoeRule) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(ShoeRule, "check", check)
    with pytest.raises(ZeroDivisionError):
        loads_house(HEAD + '[refait]\nrule = "all-lose"\n')


@frozen
class Tier:
    """An amount with a name."""

    name: str
    least: Amount


@frozen
class Tiered:
    """A limit rule whose tiers have names; its key has no text of its own."""

    tiers: tuple[Tier, ...] = ()

    def build(self, money: Money) -> Limits:
        """Return the limits of the lowest tier, by default from 1."""
        least = [money.units(tier.least) for tier in self.tiers]
        return Limits(money, (TableBounds(min(least, default=1)),))


def test_a_list_of_amounts_below_the_unit_is_mended_as_a_whole() -> None:
    """The fix raises each amount to a whole unit, and leaves names as they are."""
    plugins = manager_with("trente_limit_rules", Named("mine", Tiered))
    text = (
        '[money]\nunit = "1"\n[refait]\nrule = "all-lose"\n[limits]\nrule = "mine"\n'
        'tiers = [{ name = "low", least = "0.5" }]\n'
    )
    (fault,) = faults(text, plugins)
    assert fault.code == "not-whole-units"
    assert fault.key == "limits.tiers.0.least"
    house = loads_house(HEAD + text.replace("0.5", "2"), plugins=plugins)
    assert house.limits_table.tables[0].minimum == 2
    rules = house_schema(plugins)["properties"]["limits"]
    assert "tiers" in str(rules)


@frozen
class Calling:
    """A refait rule whose course is called by a phrase that no language has."""

    def build(self, _money: Money) -> Any:
        """Return the courses."""
        return {"free": {Verdict.REFAIT: (Course("half", returned=Fraction(1, 2), call="hello"),)}}


@frozen
class Covering:
    """An insurance rule that covers a state that the house does not have."""

    def build(self, _money: Money) -> InsuranceTable:
        """Return the table."""
        return InsuranceTable(Fraction(1, 100), covers=("free", "nowhere"), lasts="until-decided")


@frozen
class Mapped:
    """An insurance rule that builds something else."""

    def build(self, _money: Money) -> Any:
        """Return a mapping."""
        return {"rate": 1}


@pytest.mark.parametrize(
    ("hook", "rule", "text", "found"),
    [
        (
            "trente_refait_rules",
            Calling,
            '[refait]\nrule = "mine"\n',
            ("refait.rule", "unknown-phrase", "'hello' is not a phrase of this house"),
        ),
        (
            "trente_insurance_rules",
            Covering,
            '[refait]\nrule = "half-loss"\n[insurance]\nrule = "mine"\n',
            ("insurance.rule", "unknown-state", "'nowhere' is not a state of this house"),
        ),
        (
            "trente_insurance_rules",
            Mapped,
            '[refait]\nrule = "half-loss"\n[insurance]\nrule = "mine"\n',
            ("insurance.rule", "rule-fails", "not an InsuranceTable"),
        ),
    ],
)
def test_what_a_rule_of_a_plugin_builds_is_checked(
    hook: str, rule: type, text: str, found: tuple[str, str, str]
) -> None:
    """S21: values that only a stranger's plugin can build have a code each."""
    key, code, words = found
    problems = faults(text, manager_with(hook, Named("mine", rule)))
    assert (key, code) in [(each.key, each.code) for each in problems]
    assert any(words in each.message for each in problems)


# Chains of houses


def test_a_condition_that_the_base_has_and_the_child_makes_impossible(tmp_path: Path) -> None:
    """The fault is in the child, which is told how to write the list without that condition."""
    (tmp_path / "base.toml").write_text(
        '[house]\nname = "base"\n[refait]\nrule = "half-loss"\n[[side_bets]]\nid = "x"\nodds = 1\n'
        'wins_on = "outcome"\n'
        'on = [{ first = [31], second = [40], winner = "noir" }, { first = [32] }]\n',
        encoding="utf-8",
    )
    text = '[house]\nname = "x"\nextends = "./base.toml"\n[deal]\nwins = "highest"\n'
    (tmp_path / "x.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        load_house(tmp_path / "x.toml")
    assert [each.code for each in caught.value.faults] == ["key-cannot-act"]


def test_the_search_for_further_faults_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A round puts values in place of broken keys; after the last one no more are looked for."""
    text = '[refait]\nrule = "half-los"\n[insurance]\nrule = "rate"\ncovers = ["nowhere"]\n'
    whole = faults(text)
    assert {each.key for each in whole} == {"refait.rule", "insurance.covers.0"}
    monkeypatch.setattr(substitutes, "MOST_ROUNDS", 1)
    assert faults(text) == whole
    monkeypatch.setattr(substitutes, "MOST_ROUNDS", 0)
    assert [each.key for each in faults(text)] == ["refait.rule"]


def test_a_broken_house_of_a_plugin_is_no_base_to_try(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the base is lost, other houses are tried in its place; one that is broken is not."""
    monkeypatch.setattr(substitutes, "MOST_BASES", 1_000)
    broken = HouseText("broken", "broken.toml", "= 1")
    found = faults(
        'extends = "./nonesuch.toml"\n[money]\nunit = "0"\n',
        manager_with("trente_houses", broken),
    )
    assert {each.code for each in found} >= {"no-folder", "out-of-range"}


def test_a_file_that_has_the_name_of_no_house_is_hinted_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U26: a name is that of a house; a file of that name is written with its folder."""
    monkeypatch.chdir(tmp_path)
    Path("mine").write_text(HEAD, encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        load_house("mine")
    assert caught.value.faults[0].hint == "to read the file of that name, write ./mine"


def test_a_plugin_that_fails_while_notes_are_made_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """T12c: every function that reads a house names the plugin; our own errors stay."""

    def fail(_house: object) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(loading, "notes", fail)
    with pytest.raises(ZeroDivisionError):
        loading.load_with_notes("france-2007")


def test_a_file_that_extends_a_house_with_side_bets_leaves_lists_out() -> None:
    """Lists are written whole, so that a commented-out one would say nothing."""
    house = loads_house(
        HEAD + '[refait]\nrule = "all-lose"\n'
        '[[side_bets]]\nid = "pair"\nodds = 2\nwins_on = "any-tie"\n'
    )
    text = extending_file(house, "mine", "x")
    assert "[deal]" in text
    assert "\n[side_bets]" not in text


def test_no_side_bets_are_written_as_none() -> None:
    """A child takes the side bets of its base away by the word for nothing."""
    house = loads_house(f'side_bets = "none"\n{HEAD}[refait]\nrule = "all-lose"\n')
    assert house.side_bets == ()


# TOML


@pytest.mark.parametrize(
    "text",
    ["= 1", "[]\nx = 1", "[a]\nx = 1\n[a]\ny = 2", '"\\q" = 1', "[[]]", "[a.]\nb = 1", "a. = 1"],
)
def test_places_are_found_in_broken_documents(text: str) -> None:
    """S4: nothing is raised; what is broken is passed over."""
    for path in ((), ("a",), ("a", "x"), ("x",), ("\\q",)):
        place = Places(Document("", text)).place(path)
        assert place is not None
        assert place >= (1, 1)


def test_a_number_of_too_many_digits_is_a_fault_with_a_place() -> None:
    """Python names no position for it: the place is the end of the document."""
    text = f"x = {'1' * 5_000}"
    with pytest.raises(ConfigurationError) as caught:
        parse(Document("a.toml", text))
    (fault,) = caught.value.faults
    assert fault.line == 1
    assert fault.column


def test_a_tab_in_a_text_is_written_so_that_it_shows() -> None:
    """What is not seen in an editor is written as an escape."""
    assert parse(Document("", written({"a": "x\ty\u200b"}))) == {"a": "x\ty\u200b"}
    assert r"\u200B" in written({"a": "x\ty\u200b"})


def test_a_plugin_error_has_no_place_of_its_own() -> None:
    """The name of a house that nobody adds is a fault of the caller."""
    with pytest.raises(PluginError):
        PluginManager(only=()).house("nonesuch")
