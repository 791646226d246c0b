"""Reading a house: every problem at once, merging, contradictions."""

from __future__ import annotations

from pathlib import Path

import pytest

from trente_rules import ConfigurationError, Fault, House, load_house, loads_house
from trente_rules.core.house.loading import house_documents, house_of_documents

HEAD = '[house]\nname = "test"\n[refait]\nrule = "half-loss"\n'


def faults(text: str) -> list[Fault]:
    """Return the faults of a text."""
    with pytest.raises(ConfigurationError) as caught:
        loads_house(text)
    return list(caught.value.faults)


def codes(text: str) -> list[tuple[str, str]]:
    """Return the keys and codes of a text's faults."""
    return [(fault.key, fault.code) for fault in faults(text)]


@pytest.mark.parametrize(
    ("table", "key", "code"),
    [
        ("[money]\nunit = 0.5", "money.unit", "float-money"),
        ("[money]\nunit = 0", "money.unit", "out-of-range"),
        ('[money]\nrounding = "up"', "money.rounding", "bad-choice"),
        ('[shoe]\npacks = "6"', "shoe.packs", "wrong-type"),
        ("[shoe]\npacks = true", "shoe.packs", "wrong-type"),
        ("[shoe]\npacks = 9", "shoe.packs", "out-of-range"),
        ("[shoe]\nburn_shown = 1", "shoe.burn_shown", "wrong-type"),
        ("[shoe]\nmarker = 5", "shoe.marker", "wrong-type"),
        ("[shoe]\nmarker = { from_end = [1, 2, 3] }", "shoe.marker.from_end", "wrong-type"),
        ('[deal]\nrefait_on = "31"', "deal.refait_on", "wrong-type"),
        ('[deal]\nrefait_on = ["31"]', "deal.refait_on.0", "wrong-type"),
        ("[deal]\nrefait_on = [30]", "deal.refait_on", "out-of-range"),
        ('[deal]\nchances = "rouge"', "deal.chances", "wrong-type"),
        ('[deal]\nchances = ["red"]', "deal.chances.0", "bad-choice"),
        ("[deals]\n", "deals", "unknown-key"),
        ('[insurance]\nrule = "rat"', "insurance.rule", "unknown-insurance-rule"),
        ("[insurance]\nrule = 5", "insurance.rule", "wrong-type"),
        ('[insurance]\nrule = "rate"\nrate = "1/0"', "insurance.rate", "bad-fraction"),
        ('[insurance]\nrule = "rate"\nrate = 0.01', "insurance.rate", "wrong-type"),
        ('[insurance]\nrule = "rate"\npremium_on = { won = "kept" }', "insurance.premium_on.won",
         "unknown-key"),
        ("[limits]\nminimum = true", "limits.minimum", "wrong-type"),
        ('[limits]\nminimum = "soon"', "limits.minimum", "bad-amount"),
        ("[limits]\nminimum = -5", "limits.minimum", "bad-amount"),
        ('[limits]\nrule = "tables"', "limits.tables", "missing-key"),
        ('[announcements]\nlanguage = "xx"', "announcements.language", "unknown-language"),
        ('[[side_bets]]\nid = "x"\nwins_on = "any-tie"', "side_bets.0.odds", "missing-key"),
        ('[[side_bets]]\nid = "x"\nodds = "8"', "side_bets.0.wins_on", "missing-key"),
        ("side_bets = 5", "side_bets", "wrong-type"),
    ],
)  # fmt: skip
def test_a_field_at_fault_is_named(table: str, key: str, code: str) -> None:
    """One fault, with its key and its code, whatever its kind."""
    first = table if table.startswith("side_bets") else ""
    found = faults(f"{first}\n{HEAD}{'' if first else table}")
    assert [(fault.key, fault.code) for fault in found] == [(key, code)]
    assert found[0].line is not None


@pytest.mark.parametrize(
    ("text", "key", "code"),
    [
        (HEAD + "[deal]\nrefait_on = []", "refait.rule", "key-cannot-act"),
        ('[house]\nname = "x"\n[refait]\nrule = "none"', "refait.rule", "no-refait-rule"),
        (HEAD + '[deal]\nchances = ["rouge"]\ncouleur = "first-of-winning-row"', "deal.couleur",
         "key-cannot-act"),
        (HEAD + '[settlement]\npay = ["rouge", "rouge"]', "settlement.pay.1", "double-chance"),
        (HEAD + '[deal]\nchances = ["rouge"]\n[settlement]\npay = ["noir"]', "settlement.pay.0",
         "unknown-chance"),
        (HEAD + "[limits]\nmove_prisoners = true", "limits.move_prisoners", "key-cannot-act"),
        (HEAD + '[shoe]\nprisoners_at_end = "close"', "shoe.prisoners_at_end", "key-cannot-act"),
        (HEAD + "[shoe]\ncount_talon = true", "shoe.count_talon", "key-cannot-act"),
        (HEAD + '[insurance]\nrule = "rate"\ncovers = ["prison"]', "insurance.covers.0",
         "unknown-state"),
        (HEAD + '[insurance]\nrule = "rate"\nprepaid = false\nwithout_proof = "refused"',
         "insurance.without_proof", "key-cannot-act"),
        (HEAD + "[money]\nunit = 5\n[limits]\nminimum = 12", "limits.minimum", "not-whole-units"),
        (HEAD + "[limits]\nper_chance = { zero = { maximum = 5 } }", "limits.per_chance.zero",
         "unknown-chance"),
        (HEAD + "[limits]\nper_chance = { rouge = { minimum = 9, maximum = 5 } }",
         "limits.per_chance.rouge", "no-stake-possible"),
        (HEAD + "[limits]\nminimum = 20\nmaximum = 25\nstep = 30", "limits.step",
         "no-stake-possible"),
        (HEAD + "[limits]\nminimum = 20\nper_chance = { rouge = { maximum = 10 } }",
         "limits.per_chance.rouge", "no-stake-possible"),
        (HEAD + '[deal]\nrefait_on="any"\n[insurance]\nrule="rate"\npremium_on.apres="returned"',
         "insurance.premium_on.apres", "key-cannot-act"),
        ('[house]\nname="x"\n[deal]\nrefait_on="any"\n[refait]\nrule="prison"\ntie="frees"',
         "refait.tie", "key-cannot-act"),
        (HEAD + '[insurance]\nrule = "rate"\ncovers = ["free", "free"]', "insurance.covers",
         "out-of-range"),
        (HEAD + '[deal]\nchances = ["rouge"]\n[limits]\nboth_sides = false', "limits.both_sides",
         "key-cannot-act"),
        (HEAD + '[[side_bets]]\nid = "rouge"\nwins_on = "any-tie"\nodds = "8"', "side_bets.0.id",
         "double-chance"),
        (HEAD + '[announcements.phrases]\nnothing = "x"', "announcements.phrases.nothing",
         "unknown-phrase"),
    ],
)  # fmt: skip
def test_keys_that_contradict_are_named(text: str, key: str, code: str) -> None:
    """Each contradiction has one fault, at the key that cannot stand."""
    assert codes(text) == [(key, code)]


def test_every_fault_of_a_file_is_told_at_once() -> None:
    """Faults of many tables, two of them on one line, all with their places."""
    found = faults(
        '[house]\nname = "x"\n[refait]\nrule = "half-loss"\nretuned = "1/2"\n'
        "[shoe]\npacks = 0\n[money]\nunit = 1.5\n"
        '[insurance]\nrule = "rate"\npremium_on = { win = "k", lose = 5 }\n'
    )
    places = [(fault.line, fault.column, fault.key) for fault in found]
    assert places == [
        (5, 1, "refait.retuned"),
        (7, 9, "shoe.packs"),
        (9, 8, "money.unit"),
        (12, 22, "insurance.premium_on.win"),
        (12, 34, "insurance.premium_on.lose"),
    ]
    assert found[0].hint == "did you mean 'returned'?"


def child(text: str) -> House:
    """Read a house that extends France."""
    return loads_house(f'[house]\nname = "child"\nextends = "france-2007"\n{text}')


def test_tables_merge_and_values_replace() -> None:
    """What the child does not say is as in the parent."""
    house = child("[insurance]\nminimum_stake = 99\n[shoe]\nmarker = { from_end = 9 }")
    parent = load_house("france-2007")
    assert house.insurance.rule.rate == parent.insurance.rule.rate
    assert str(house.insurance.rule.minimum_stake) == "99"
    assert house.shoe.marker is not None
    assert (house.shoe.marker.from_end, house.shoe.marker.on_marker) == (9, "void")


def test_another_rule_replaces_the_table_whole() -> None:
    """Keys of the parent's rule do not reach a child that names another."""
    house = child('[refait]\nrule = "half-loss"')
    assert str(house.refait.rule.returned) == "1/2"
    assert not any(path.startswith("refait") for path in house.info.inferred)


def test_none_takes_an_inherited_key_away() -> None:
    """``"none"`` removes an optional key."""
    house = child('[shoe]\nmarker = "none"\ncount_talon = false')
    assert house.shoe.marker is None


def test_maximum_and_multiple_take_each_others_place() -> None:
    """Setting one removes the other."""
    house = child("[limits]\nmaximum = 5000")
    assert house.limits.rule.maximum_multiple is None


@pytest.mark.parametrize("unit", [2, 5, "0.50", "0.20"])
def test_a_step_that_divides_the_unit_is_met_by_every_stake(unit: int | str) -> None:
    """C4: stakes in whole units of 5 are multiples of 1, so a child may take a larger unit."""
    rate = '[insurance]\nrule = "rate"\nmultiple = 1\npremium_unit = "0.10"\n'
    text = f'{HEAD}[money]\nunit = "{unit}"\n[limits]\nminimum = 10\nstep = 1\n{rate}'
    house, table = loads_house(text), loads_house(text).insurance_table
    one = max(1, int(1 / house.money.unit.value))
    assert table is not None
    assert (house.limits_table.step, table.multiple, table.premium_unit) == (one, one, 1)


def test_a_step_that_does_not_divide_the_unit_is_a_fault() -> None:
    """Of stakes of 5, 10, 15 two in three are no multiples of 3."""
    text = f"{HEAD}[money]\nunit = 5\n[limits]\nminimum = 5\nstep = 3"
    assert codes(text) == [("limits.step", "not-whole-units")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("maximum = 100", "maximum_multiple = 10"),
        ("maximum_multiple = 10", "maximum = 100"),
        ('maximum = "at-opening"', "maximum_multiple = 10"),
    ],
)
def test_maximum_and_multiple_of_a_chance_take_each_others_place(
    tmp_path: Path, old: str, new: str
) -> None:
    """C13: as those of the table do; what else is said of the chance is kept."""
    limit = "[limits.per_chance.noir]\nminimum = 5\n"
    (tmp_path / "parent.toml").write_text(f"{HEAD}{limit}{old}")
    text = f'[house]\nname = "c"\nextends = "./parent.toml"\n[limits.per_chance.noir]\n{new}'
    house = loads_house(text, folder=tmp_path)
    assert house.fingerprint == loads_house(f"{HEAD}{limit}{new}").fingerprint


def test_an_overridden_key_is_no_longer_inferred() -> None:
    """What the child states is not inferred, with all that is under it."""
    house = child('[refait]\ntie = "frees"\n[insurance.premium_on]\nwin = "kept"')
    assert "refait.tie" not in house.info.inferred
    assert "money.unit" in house.info.inferred


def test_a_parent_may_be_a_file_beside_the_child(tmp_path: Path) -> None:
    """A relative path starts at the child's folder; a fault is placed in its own file."""
    (tmp_path / "parent.toml").write_text(f"{HEAD}returned = 5.5\n")
    child_file = tmp_path / "child.toml"
    child_file.write_text('[house]\nname = "c"\nextends = "parent.toml"\n[shoe]\npacks = "x"\n')
    with pytest.raises(ConfigurationError) as caught:
        load_house(child_file)
    places = {(Path(f.file).name, f.line, f.key) for f in caught.value.faults}
    assert places == {("parent.toml", 5, "refait.returned"), ("child.toml", 5, "shoe.packs")}


@pytest.mark.parametrize(
    ("extends", "code"),
    [
        ('"missing.toml"', "extends-unreadable"),
        ('"nowhere"', "unknown-house"),
        ('"child.toml"', "circular-extends"),
        ('"./child.toml"', "circular-extends"),
        ("5", "wrong-type"),
    ],
)
def test_a_parent_that_cannot_be_had_is_placed(tmp_path: Path, extends: str, code: str) -> None:
    """Missing, unknown, circular: at the ``extends`` key."""
    file = tmp_path / "child.toml"
    file.write_text(f'[house]\nname = "c"\nextends = {extends}\n')
    with pytest.raises(ConfigurationError) as caught:
        load_house(file)
    (fault,) = caught.value.faults
    assert (fault.line, fault.column, fault.key, fault.code) == (3, 11, "house.extends", code)


def test_an_unknown_house_is_a_fault() -> None:
    """With the nearest name; and a file of that name is pointed out."""
    with pytest.raises(ConfigurationError, match="did you mean 'campione'"):
        load_house("campionne")


def test_a_chain_that_is_too_long_is_refused(tmp_path: Path) -> None:
    """Seventeen files, each extending the next."""
    for number in range(18):
        text = f'[house]\nname = "n{number}"\nextends = "{number + 1}.toml"\n'
        (tmp_path / f"{number}.toml").write_text(text)
    with pytest.raises(ConfigurationError) as caught:
        load_house(tmp_path / "0.toml")
    assert caught.value.faults[0].code == "chain-too-long"


def test_a_house_of_its_documents_is_the_house(tmp_path: Path) -> None:
    """A house and all it extends, as texts: the same house, without a file or a name."""
    (tmp_path / "parent.toml").write_text(
        '[house]\nname = "parent"\nextends = "france-1959"\n[shoe]\nburn = 2\n', "utf-8"
    )
    child = tmp_path / "child.toml"
    child.write_text(
        '[house]\nname = "child"\nextends = "parent.toml"\n[shoe]\nburn = 3\n', "utf-8"
    )
    documents = house_documents(child)
    assert [Path(each.origin).name for each in documents] == [
        *("child.toml", "parent.toml", "house.toml", "house.toml")
    ]
    house = load_house(child)
    child.unlink()
    assert house_of_documents(documents) == house
    with pytest.raises(ConfigurationError, match=r"extends|missing|needs"):
        house_of_documents(documents[:1])


def test_the_documents_of_a_broken_chain_are_its_fault() -> None:
    """What a house extends and cannot be read is an error, as it is when the house is loaded."""
    with pytest.raises(ConfigurationError):
        house_documents("no-such-house")
