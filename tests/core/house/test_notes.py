"""Notes: what a house may say, but deserves a word (C4, C21, D15 d)."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from trente_rules import House, Opening, Stake, loads_house, refusals
from trente_rules.core import Note, load_with_notes, notes
from trente_rules.core.errors import BetError, Fault
from trente_rules.core.plugins.manager import default_manager

HEAD = '[house]\nname = "x"\n[refait]\nrule = "half-loss"\n'


def read(lines: str) -> House:
    """Read a house of these lines, in which half is lost."""
    return loads_house(HEAD + lines)


def noted(house: House, code: str) -> list[Note]:
    """Return the notes of a code on a house."""
    return [note for note in notes(house) if note.code == code]


def insured(unit: str, rounding: str, minimum: int = 5, more: str = "") -> House:
    """Read a house that insures for 1 %."""
    return read(
        f'[money]\nunit = "{unit}"\nrounding = "{rounding}"\n[limits]\nminimum = {minimum}\n'
        f'maximum = 5000\n[insurance]\nrule = "rate"\n{more}'
    )


@pytest.mark.parametrize(
    ("unit", "rounding", "minimum", "more", "least", "most"),
    [
        ("5", "half-even", 5, "", 5, 250),  # 1 % of 250 is half a unit: to even, nothing
        ("5", "player", 5, "", 5, 495),
        ("1", "half-even", 1, "", 1, 50),
        ("1", "player", 20, "", 20, 99),
        ("1", "player", 20, "minimum_stake = 60", 60, 99),
        ("1", "player", 20, "multiple = 50", 50, 50),
        ("0.01", "player", 1, 'rate = "1/1000"', 1, "9.99"),
    ],
)
def test_stakes_that_are_insured_for_nothing_are_named(
    unit: str, rounding: str, minimum: int, more: str, least: int, most: int | str
) -> None:
    """C4: under half-even and under player; the least and the most of them, by hand."""
    (note,) = noted(insured(unit, rounding, minimum, more), "insured-for-nothing")
    which = (
        f"a stake of {least} EUR is"
        if least == most
        else f"stakes of {least} EUR to {most} EUR are"
    )
    assert note.message == f"{which} insured for nothing: the premium is rounded to 0 EUR"
    assert note.path == ("money", "rounding")


@pytest.mark.parametrize(
    ("unit", "rounding", "minimum", "more"),
    [
        ("5", "bank", 5, ""),
        ("5", "refuse", 500, ""),
        ("5", "half-even", 500, ""),
        ("5", "player", 5, "minimum_premium = 5"),
        ("5", "half-even", 5, "minimum_stake = 255"),
        ("0.01", "half-even", 1, ""),
    ],
)
def test_where_every_insured_stake_pays_there_is_no_note(
    unit: str, rounding: str, minimum: int, more: str
) -> None:
    """C4: a premium above zero for every stake that the house takes."""
    assert noted(insured(unit, rounding, minimum, more), "insured-for-nothing") == []


@pytest.mark.parametrize(
    ("house", "message"),
    [
        (insured("1", "bank", 10), "10 EUR is insured for 1 EUR, which is 10 % and not 1 %; 100"),
        (insured("0.10", "bank", 5), "5 EUR is insured for 0.10 EUR, which is 2 % and not 1 %; 10"),
        (insured("0.01", "bank", 5), ""),
        (insured("1", "bank", 1000), ""),
        (insured("1", "bank", 10, "minimum_premium = 5"), ""),
        (insured("0.01", "bank", 10, "premium_unit = 1"), ""),
    ],
)  # fmt: skip
def test_a_premium_that_rounding_raises_is_named(house: House, message: str) -> None:
    """D2: the least ordinary stake, what it pays, and the stakes that pay the rate."""
    found = [note.message for note in noted(house, "premium-above-rate")]
    stake, _semicolon, whole = message.partition("; ")
    expected = f"a stake of {stake}; multiples of {whole} EUR pay the rate"
    assert found == ([expected] if message else [])


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("", "1/2 of a stake of 1 EUR is 0 EUR"),
        ('[money]\nrounding = "player"', "1/2 of a stake of 1 EUR is 1 EUR"),
        ('[money]\nrounding = "refuse"', ""),
        ('[money]\nunit = "0.5"', ""),
        ("[limits]\nminimum = 2", ""),
        ('[limits]\nminimum = "at-opening"', "1/2 of a stake of 1 EUR is 0 EUR"),
        ('[money]\nunit = "0.01"\n[limits]\nminimum = "at-opening"', ""),
    ],
)
def test_a_share_that_is_rounded_to_all_or_nothing_is_named(lines: str, message: str) -> None:
    """C4, the kind: half of the least stake is none of it, or all of it."""
    found = [note.message for note in noted(read(lines), "share-rounded-away")]
    assert found == ([message] if message else [])


def test_a_chance_that_some_openings_close_is_named() -> None:
    """D15 d): the chance, the minimum above which it is closed, and the table is refused there."""
    house = read(
        '[limits]\nminimum = "at-opening"\nmaximum_multiple = 100\n'
        "[limits.per_chance.inverse]\nmaximum = 10\n"
    )
    (note,) = noted(house, "no-stake-at-opening")
    assert note.path == ("limits", "per_chance", "inverse", "maximum")
    assert note.message == "no stake on inverse is possible where a table opens above 10 EUR"
    house.check_opening(Opening(minimum=10))
    stake = Stake("a", "p", "inverse", 10)
    assert refusals(house, [stake], opening=Opening(minimum=10)) == ()
    with pytest.raises(BetError, match="no stake on inverse"):
        house.check_opening(Opening(minimum=11))


def test_a_maximum_between_two_steps_is_named() -> None:
    """The most that can be staked, below what is written."""
    found = noted(
        read("[limits]\nstep = 30\nmaximum = 100\nper_chance.noir.maximum = 60"),
        "maximum-between-steps",
    )
    assert [note.message for note in found] == [
        "no stake reaches 100 EUR: in steps of 30 EUR the most is 90 EUR"
    ]


def test_a_shoe_without_a_sure_coup_is_named() -> None:
    """Seven cards before the marker may not make a coup."""
    assert noted(read("[shoe]\npacks = 1\nmarker = { from_end = 45 }"), "no-sure-coup")
    assert noted(read("[shoe]\npacks = 1\nmarker = { from_end = 5 }"), "no-sure-coup") == []


def test_shipped_houses_have_no_note_but_on_halves_of_one_unit() -> None:
    """C4, C21, D2: no premium is lost or raised by rounding, and no amount changes its currency."""
    found = [note for name in default_manager().names("house") for note in load_with_notes(name)[1]]
    assert all(note.line for note in found)
    assert {note.code for note in found} <= {"share-rounded-away"}


def child(folder: Path, parent: str, lines: str) -> tuple[Fault, ...]:
    """Return the notes on a file that extends a house."""
    file = folder / "child.toml"
    file.write_text(f'[house]\nname = "child"\nextends = "{parent}"\n{lines}')
    return load_with_notes(file)[1]


def test_a_note_is_placed_in_the_file_that_causes_it(tmp_path: Path) -> None:
    """At the child's line; what the parent alone says is noted in the parent only."""
    (tmp_path / "parent.toml").write_text(
        f'{HEAD}[insurance]\nrule = "rate"\n[limits]\nminimum = 100\n[money]\nrounding = "player"\n'
    )
    assert child(tmp_path, "./parent.toml", "[shoe]\npacks = 4") == ()
    (note,) = child(tmp_path, "./parent.toml", "[shoe]\npacks = 4\n[limits]\nminimum = 20")
    assert (note.line, note.column, note.key) == (7, 11, "limits.minimum")
    assert note.message == (
        "stakes of 20 EUR to 99 EUR are insured for nothing: the premium is rounded to 0 EUR; "
        "money.rounding is inherited from ./parent.toml"
    )


STAY = "amounts inherited from monte-carlo-1911 stay as they are: "
OF_YEN = (
    "amounts inherited from france-1959 are of JPY now, not of FRF: "
    "insurance.minimum_stake 50, limits.step 1"
)
FINER = f"money is rounded to 0.05 FRF now, not to 0.01; {STAY}"
EVEN = f"money is rounded by 'half-even' now, not by 'bank'; {STAY}"
ALL = "insurance.minimum_premium 5, limits.step 1, limits.minimum 20, limits.maximum 12000"
OTHERS = '[money]\nrounding = "half-even"\n[limits]\nminimum = 40\nmaximum = 6000'


@pytest.mark.parametrize(
    ("parent", "lines", "message", "hint"),
    [
        ("france-1959", '[money]\ncurrency = "JPY"', OF_YEN, "write each again in JPY"),
        ("monte-carlo-1911", '[money]\nunit = "0.05"', FINER + ALL, ""),
        ("monte-carlo-1911", OTHERS, f"{EVEN}insurance.minimum_premium 5, limits.step 1", ""),
    ],
)
def test_inherited_amounts_under_other_money_are_named(
    tmp_path: Path, parent: str, lines: str, message: str, hint: str
) -> None:
    """C21: each inherited amount, and what it means now; those written again are not."""
    (note,) = [n for n in child(tmp_path, parent, lines) if n.code == "inherited-amounts"]
    assert (note.line, note.message, note.hint) == (5, message, hint)


@pytest.mark.parametrize(
    "lines",
    [
        '[money]\ncurrency = "FRF"',
        '[money]\ncurrency = "JPY"\n[insurance]\nminimum_stake = 500\n[limits]\nstep = 100',
        '[money]\ncurrency = "JPY"\n[insurance]\nrule = "none"\n[limits]\nstep = 100',
        "[shoe]\npacks = 4",
    ],
)
def test_amounts_that_are_written_again_need_no_note(tmp_path: Path, lines: str) -> None:
    """C21: the same currency, or no amount of the parent is left."""
    found = child(tmp_path, "france-1959", lines)
    assert [note for note in found if note.code == "inherited-amounts"] == []


def test_the_percentages_of_a_note_are_exact() -> None:
    """One of 3 is 33.33 %, not 33 %."""
    (note,) = noted(insured("1", "bank", 3), "premium-above-rate")
    assert f"{float(Fraction(100, 3)):.4g} %" in note.message


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (
            'wins_on = "any-tie"\npushes_on = [{ tie = true }]',
            [("never-wins", "pushes_on", "no coup wins s")],
        ),
        (
            'wins_on = "any-tie"\npushes_on = [{ tie = false }]',
            [("never-loses", "wins_on", "no coup loses s")],
        ),
        (
            'wins_on = "outcome"\non = [{ tie = true }, { tie = false }]',
            [("never-loses", "wins_on", "no coup loses s")],
        ),
        ('wins_on = "any-tie"\npushes_on = [{ first = [31] }]', []),
    ],
)
def test_a_side_bet_that_is_decided_before_the_coup_is_named(
    lines: str, found: list[tuple[str, str, str]]
) -> None:
    """Every coup returns its wins, or none loses it."""
    house = read(f'[[side_bets]]\nid = "s"\nodds = 8\n{lines}')
    paths = [note for note in notes(house) if note.path[0] == "side_bets"]
    assert [(note.code, note.path[-1], note.message) for note in paths] == found


def test_a_premium_that_is_refused_is_not_called_too_high() -> None:
    """With rounding = "refuse" a stake of 10 whose premium is not exact is not taken."""
    house = insured("1", "refuse", 10)
    stake = Stake("a", "p", "rouge", 10, insured=True)
    assert [each.code for each in refusals(house, [stake])] == ["inexact"]
    assert noted(house, "premium-above-rate") == []


def test_inherited_amounts_of_refaits_are_named(tmp_path: Path) -> None:
    """C21: the least partage, of [refait] and of the rule of one point."""
    parent = tmp_path / "parent.toml"
    parent.write_text(
        '[house]\nname = "p"\n[deal]\nrefait_on = [31, 40]\n[refait]\nrule = "prison"\n'
        'partage = ["1/2"]\npartage_not_below = 50\n[refait.on.40]\nrule = "prison"\n'
        'partage = ["1/4"]\npartage_not_below = 30\n',
        "utf-8",
    )
    found = child(tmp_path, "./parent.toml", '[money]\ncurrency = "JPY"')
    (note,) = [note for note in found if note.code == "inherited-amounts"]
    assert "refait.partage_not_below 50" in note.message
    assert "refait.on.40.partage_not_below 30" in note.message
