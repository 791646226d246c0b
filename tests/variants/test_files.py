"""Every house file is whole: it cites its sources, and leaves no value in force unsaid."""

from __future__ import annotations

import pickle
import re

import pytest
from tests.properties.shipped import names, shipped
from tests.variants.files import table_of, text_of, under, written

from trente_rules import House, dumps_house, loads_house
from trente_rules.core.coup import POINTS
from trente_rules.core.house.checks import amounts
from trente_rules.core.house.loading import flat, house_table

on_each = pytest.mark.parametrize("name", names())


@on_each
def test_sources_are_cited(name: str) -> None:
    """Each house names its sources in its own file, by works a reader can find, not by our ids."""
    sources = table_of(name)["house"]["sources"]
    assert list(shipped(name).info.sources) == sources
    for source in sources:
        assert not re.match(r"[A-Z][0-9]{1,2}\b", source)


@on_each
def test_what_is_inferred_is_named_once(name: str) -> None:
    """A table that is inferred whole is named by itself, without its keys beside it."""
    inferred = shipped(name).info.inferred
    for path in inferred:
        assert not any(under(path, other) for other in inferred if other != path), path


def idle(house: House) -> set[str]:
    """Return the keys that cannot act in a house, whatever they say."""
    insured = house.insurance.name != "none"
    refait = house.refait.rule
    announcements = house.announcements
    cannot_act = {
        "shoe.burn_shown": not house.shoe.burn,
        "shoe.count_talon": not house.shoe.marker,
        "shoe.ends": bool(house.shoe.marker) or house.shoe.every_coup,
        "shoe.prisoners_at_end": not house.machine.prisons or house.shoe.every_coup,
        "shoe.cut": house.shoe.every_coup,
        "shoe.cut_by": house.shoe.every_coup,
        "limits.move_prisoners": not house.machine.prisons,
        "limits.maximum": getattr(house.limits.rule, "maximum_multiple", None) is not None,
        "limits.maximum_multiple": getattr(house.limits.rule, "maximum_multiple", None) is None,
        "deal.couleur": not {"couleur", "inverse"} & set(house.deal.chances),
        "refait.again": getattr(refait, "levels", 0) == 1,
        "refait.release": getattr(refait, "levels", 0) == 1,
        "refait.default": not any(getattr(refait, "partage", ())),
        "refait.partage_not_below": not any(getattr(refait, "partage", ())),
        "refait.tie": all(house.deal.loses(point) for point in POINTS),
        "insurance.without_proof": insured and not house.insurance.rule.prepaid,
        "announcements.forty": announcements.totals in ("running", "full"),
    }
    return {key for key, cannot in cannot_act.items() if cannot}


UNSPOKEN = {
    "limits.maximum_win": "none",
    "limits.aggregate_maximum": "none",
    "limits.differential_maximum": "none",
    "limits.table_maximum": "none",
    "limits.most_stakes": "none",
    "limits.table_most_stakes": "none",
    "insurance.premium_unit": 0,
    "insurance.maximum_premium": 0,
    "insurance.maximum_stake": 0,
    "insurance.lasts": "coup",
}
"""Keys that few sources speak of, with the value at which they do nothing."""


@on_each
def test_no_value_is_in_force_unwritten(name: str) -> None:
    """Every key that acts stands in the file, so that none is in force because nothing is said."""
    house = shipped(name)
    stands = written(name)
    unwritten = {
        key
        for key, value in flat(house_table(house)).items()
        if not any(under(key, each) for each in stands)
        and not (key in UNSPOKEN and value == UNSPOKEN[key])
    }
    assert unwritten <= idle(house)


@on_each
def test_what_cannot_act_is_not_inferred(name: str) -> None:
    """A key that cannot act in a house is not among the values that it had to infer."""
    assert not idle(shipped(name)) & set(shipped(name).info.inferred)


@on_each
def test_a_file_has_one_key_a_line(name: str) -> None:
    """No table is written inside a line, the minima and maxima of online tables apart."""
    lines = [line.split("#")[0].strip() for line in text_of(name).splitlines()]
    inside = [line for line in lines if "{" in line]
    assert all(line.startswith("{ minimum = ") for line in inside)
    assert len(inside) == (7 if name == "venezia-online" else 0)


@on_each
def test_a_file_says_what_the_house_is(name: str) -> None:
    """A file begins with what the house is, in a comment, and no line runs over but citations."""
    text = text_of(name)
    assert text.startswith("# ")
    for line in text.splitlines():
        assert len(line) <= 100 or line.startswith('    "')


@on_each
def test_amounts_are_whole_units(name: str) -> None:
    """Every amount of a house is a whole number of its units."""
    house = shipped(name)
    found = [
        *amounts(house.limits.rule, ("limits",)),
        *amounts(house.insurance.rule, ("insurance",)),
    ]
    assert found
    for _path, amount in found:
        assert house.money.units(amount) * house.money.unit.value == amount.value


@on_each
def test_a_house_written_back_reads_equal(name: str) -> None:
    """Written as one TOML document and read again a house is equal, its inferred paths too."""
    house = shipped(name)
    again = loads_house(dumps_house(house))
    assert house == again
    assert hash(house) == hash(again)
    assert house.info.inferred == again.info.inferred
    assert house.fingerprint == again.fingerprint


@on_each
def test_a_house_can_be_pickled(name: str) -> None:
    """A pickled house is equal, and builds the same machine, insurance and words."""
    house = shipped(name)
    again = pickle.loads(pickle.dumps(house))
    assert house == again
    assert house.machine == again.machine
    assert house.insurance_table == again.insurance_table
    assert house.words == again.words


@pytest.mark.parametrize(
    ("child", "parent"),
    [("france-1959", "france-2007"), ("italy-two-prisons", "italy-prison")],
)
def test_houses_that_extend_another(child: str, parent: str) -> None:
    """A house that is another with changes says so; what it states is not inferred any more."""
    assert parent == table_of(child)["house"]["extends"]
    extending = {name for name in names() if "extends" in table_of(name)["house"]}
    assert {"france-1959", "italy-two-prisons"} == extending


def test_associations_were_forbidden_in_2007() -> None:
    """France 2007, art. 35 forbids associations; of 1959 it is an inference."""
    assert "limits.associations" not in shipped("france-2007").info.inferred
    assert "limits.associations" in shipped("france-1959").info.inferred


@pytest.mark.parametrize("phrase", ["en_prison", "partage", "libre", "carte_brulee", "coup_annule"])
def test_calls_that_no_source_has_are_inferred(phrase: str) -> None:
    """D16: where a house says them, its file names them, or all announcements."""
    for name in names():
        house = shipped(name)
        said = {course.call for answer in house.machine.answers for course in answer.courses}
        said |= {"carte_brulee"} if house.shoe.exposed_card == "burn" else set()
        if phrase not in said | {"coup_annule"} or not house.words.calls(phrase):
            continue
        path = f"announcements.phrases.{phrase}"
        assert any(under(path, each) for each in house.info.inferred), name


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("italy-half-loss", "refait"),  # half returned, or a stake that stays and is worth half
        ("france-2007", "refait.last"),  # what a stake freed after two refaits is worth
        ("france-1959", "refait.last"),
        ("venezia-online", "deal.refait_on"),  # "any given row", or both
        ("venezia-online", "shoe.packs"),
        ("italian-program", "shoe.marker.on_marker"),  # between two coups
        ("italy-half-loss", "announcements.forty"),
        ("italy-prison", "announcements.forty"),
    ],
)
def test_readings_are_named(name: str, path: str) -> None:
    """D16: what a source can be read otherwise in is among the inferred keys of its house."""
    assert path in shipped(name).info.inferred
