"""Checks across keys: the whole line that the owner of a house reads, and nothing after it."""

from __future__ import annotations

import pytest

from trente_rules import ConfigurationError, loads_house
from trente_rules.core import notes

HEAD = '[house]\nname = "x"\n'
PRISON = f'{HEAD}[refait]\nrule = "prison"\n'
RATE = '[insurance]\nrule = "rate"\n'
UNTIL_APRES = f"""{HEAD}[refait]
rule = "custom"
[refait.machine.free]
refait = [{{ course = "in", staying = "1", state = "prison" }}]
[refait.machine.prison]
win = [{{ course = "stays", staying = "1", state = "prison" }}]
lose = [{{ course = "stays", staying = "1", state = "prison" }}]
apres = [{{ course = "freed", returned = "1" }}]
refait = [{{ course = "stays", staying = "1", state = "prison" }}]
close = [{{ course = "closed", returned = "1" }}]
"""


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            f'{UNTIL_APRES}[[chances]]\nid = "rouge"\nrefait_on = "any"\n',
            (
                "<text>:4:8: refait.rule: a stake on rouge could stay in prison forever "
                "(let a verdict of this chance release it or lose it) [bad-machine]"
            ),
        ),
        (
            (
                f"{PRISON}[limits]\nminimum = 5\n[money]\nunit = 5\n{RATE}minimum_stake = 12\n"
                'covers = ["prison"]\n'
            ),
            (
                "<text>:11:17: insurance.minimum_stake: 12 EUR is not a multiple of 5 EUR, the "
                "smallest amount that the house pays (change the amount, or money.unit) "
                "[not-whole-units]"
            ),
        ),
        (
            f'{PRISON}{RATE}covers = ["free",\n "prizon"]\nlasts = "until-decided"\n',
            (
                "<text>:8:2: insurance.covers.1: 'prizon' is not a state of this house "
                "(did you mean 'prison'?) [unknown-state]"
            ),
        ),
    ],
    ids=["a prison that nothing ends", "an amount between units", "a state of no house"],
)
def test_one_fault_across_keys_is_one_line(text: str, fault: str) -> None:
    """D15 a): what a fault makes doubtful is not looked at, so that no second line follows it."""
    with pytest.raises(ConfigurationError) as caught:
        loads_house(text)
    assert [*map(str, caught.value.faults)] == [fault]


def test_a_prison_that_an_apres_ends_is_one_where_a_chance_has_it() -> None:
    """The same machine is right where every chance meets an ordinary tie."""
    assert loads_house(UNTIL_APRES).machine.prisons == ("prison",)


def test_the_note_on_a_shoe_without_a_sure_coup_is_at_the_place_of_the_marker() -> None:
    """A note names the key to change: seven cards before the marker may not make a coup."""
    (note,) = notes(loads_house(f"{PRISON}[shoe]\npacks = 1\nmarker = {{ from_end = 45 }}"))
    assert note.path == ("shoe", "marker", "from_end")
    assert note.message == "the cards before the marker may not make a single coup"
    assert note.hint == "put the marker nearer to the end, or take more packs"
