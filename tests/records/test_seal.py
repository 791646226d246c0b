"""Checks of a record, in the words that a reader sees."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest
from tests.properties.shipped import shipped

from trente_rules import Table
from trente_rules.fair import FairShoe
from trente_rules.records import Record, load_record, record_of, verify_record
from trente_rules.records.record import EndOf, RulesOf
from trente_rules.testing import opening_of

EXAMPLE = Path(__file__).parents[2] / "examples" / "taille.toml"
HOUSE = "france-2007"


def words_of(record: Record, what: str, **known: object) -> list[tuple[bool | None, str]]:
    """Return the checks of one kind: whether they hold, and their words."""
    checks = verify_record(record, **known)  # type: ignore[arg-type]
    return [(check.holds, check.words) for check in checks if check.what == what]


def fair_record() -> tuple[Record, FairShoe]:
    """Return the record of a coup of a fair shoe that was bound to the plan of its house."""
    house = shipped("italian-program")
    table = Table(house, opening=opening_of(house), session="s")
    fair = FairShoe.seal(7, house, bytes(range(32))).close_seeds(["ann"]).shuffle()
    table.do(fair.open_shoe("o"))
    return record_of(table), fair


def test_a_record_whose_shuffles_its_house_does_not_do() -> None:
    """A taille of a house with a machine, and the other way round: both are said in words."""
    record = load_record(EXAMPLE)
    every = attrs.evolve(record, shoe=attrs.evolve(record.shoe, shuffled="every-coup"))
    assert words_of(every, "shuffles") == [
        (False, f"{HOUSE} shuffles for each taille, the record says other")
    ]
    assert words_of(record, "shuffles") == []


def test_a_plan_that_is_not_that_of_the_house_is_shown_with_the_one_that_is() -> None:
    """Both plans are in the words of the check."""
    record, _fair = fair_record()
    provenance = record.provenance
    assert provenance is not None
    ((holds, words),) = words_of(record, "plan")
    assert (holds, words) == (True, f"it is that of italian-program: {provenance.plan}")
    other = attrs.evolve(provenance, plan=f"{provenance.plan} burn=9")
    assert words_of(attrs.evolve(record, provenance=other), "plan") == [
        (False, f"sealed '{other.plan}', the house has '{provenance.plan}'")
    ]
    unknown = attrs.evolve(record, rules=RulesOf())
    assert words_of(unknown, "plan") == [
        (None, "the rules of the house are not known, nor how its shoes are prepared")
    ]


def test_values_that_record_and_reveal_both_have_are_named() -> None:
    """Each is in the words by its name: those that are the same, and those that are not."""
    record, fair = fair_record()
    reveal = fair.retire().reveal().to_json()
    ((holds, words),) = words_of(record, "reveal", reveal=reveal)
    assert holds is True
    names = "method, commitment, nonce, client seeds, packs, plan, beacon, value of the beacon"
    assert f" values are the same in both: {names}" in words
    assert record.provenance is not None
    provenance = attrs.evolve(record.provenance, commitment="00" * 32, nonce=8)
    assert words_of(attrs.evolve(record, provenance=provenance), "reveal", reveal=reveal) == [
        (False, "the record has other values: commitment, nonce")
    ]


@pytest.mark.parametrize(
    ("end", "known", "wanted"),
    [
        (EndOf(), False, []),
        (EndOf(why="marker", session_closed=True), False, []),
        (EndOf(why="called"), False, ["the shoe was ended early, by the house"]),
        (EndOf(session_closed=True), False, ["the shoe was ended early, with the session"]),
        (EndOf(), True, ["the rules of the house are not known, nor where its shoes end"]),
    ],
)
def test_an_end_that_somebody_decided_is_listed_without_the_rules(
    end: EndOf, *, known: bool, wanted: list[str]
) -> None:
    """Without the rules it is not known where a shoe ends, only that it was ended early."""
    record = load_record(EXAMPLE)
    shoe = record.shoe if known else attrs.evolve(record.shoe, server_seed="")
    stranger = attrs.evolve(record, rules=RulesOf(), end=end, shoe=shoe)
    found = words_of(stranger, "end")
    assert [holds for holds, _words in found] == [None] * len(wanted)
    for (_holds, words), part in zip(found, wanted, strict=True):
        assert words.removeprefix("decided when the order was known: ") == part


def test_rules_that_cannot_be_read_are_named_by_their_place() -> None:
    """The fault says where it is: in the rules that the record holds."""
    broken = attrs.evolve(load_record(EXAMPLE), rules=RulesOf(toml="[house\n"))
    ((holds, words),) = words_of(broken, "rules")
    assert holds is False
    assert words.startswith("rules.toml of the record:1:7: ")
