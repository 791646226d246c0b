"""The bill of materials: a valid CycloneDX document of what is installed, the same every time."""

from __future__ import annotations

import json
from functools import cache
from importlib.metadata import distribution, distributions, version
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator, FormatChecker
from referencing import Registry, Resource

import trente_rules
from trente_rules.reports.certification import installation as inventory
from trente_rules.reports.certification.installation import installation, plugin_distributions
from trente_rules.reports.certification.sbom import bill_of_materials

_HOME = "http://cyclonedx.org/schema/"


@cache
def schema() -> Draft7Validator:
    """Return the validator of CycloneDX 1.6 documents, from the library of its authors."""

    def read(name: str) -> Any:
        return json.loads((files("cyclonedx.schema") / "_res" / name).read_text("utf-8"))

    parts = ("spdx.SNAPSHOT.schema.json", "jsf-0.82.SNAPSHOT.schema.json")
    known = [(f"{_HOME}{name}", Resource.from_contents(read(name))) for name in parts]
    registry: Registry[Any] = Registry().with_resources(known)
    whole = read("bom-1.6.SNAPSHOT.schema.json")
    return Draft7Validator(whole, registry=registry, format_checker=FormatChecker())


def faults(document: Any) -> list[str]:
    """Return what is wrong with a document under the schema."""
    return [error.message for error in schema().iter_errors(document)]


@pytest.mark.slow
@pytest.mark.parametrize("timestamp", ["", "2026-01-31T00:00:00Z"])
def test_the_document_is_valid(timestamp: str) -> None:
    """A bill of materials is one by the schema of CycloneDX, with a time or without."""
    document = bill_of_materials(timestamp=timestamp)
    assert faults(document) == []
    assert document["metadata"].get("timestamp", "") == timestamp


@pytest.mark.slow
def test_the_schema_finds_a_fault() -> None:
    """The validation can fail: a wrong kind of component, two of one reference, a key too many."""
    document = bill_of_materials()
    first, *rest = document["components"]
    assert faults({**document, "components": [{**first, "type": "book"}, *rest]})
    assert faults({**document, "specVersion": 1.6})
    assert faults({**document, "surprise": 1})


@pytest.mark.slow
@pytest.mark.nightly
def test_it_is_the_same_every_time() -> None:
    """Two documents of one environment have the same bytes, each file read again."""
    first = json.dumps(bill_of_materials())
    installation.cache_clear()
    assert json.dumps(bill_of_materials()) == first


@pytest.mark.slow
def test_it_names_no_place() -> None:
    """No path of the machine is in the bill of materials, nor in the list of what is installed."""
    text = json.dumps(bill_of_materials()) + json.dumps(installation().to_json())
    assert str(Path.home()) not in text or str(Path.home()) == "/"
    assert str(Path(trente_rules.__file__).parent) not in text


@pytest.mark.slow
def test_it_lists_what_the_package_can_use_and_nothing_else() -> None:
    """Dependencies of dependencies are in it, tools of the developer are not."""
    document = bill_of_materials()
    found = {one["name"]: one["version"] for one in document["components"]}
    for name in ("attrs", "numpy", "markdown-it-py", "pluggy"):
        assert found[name] == version(name)
    assert not {"pytest", "ruff", "mypy"} & found.keys()
    others = dict(installation().others)
    assert {"pytest", "ruff", "mypy"} <= others.keys()
    every = {each.name for each in distributions()}
    assert every == {*others, *found, "trente-rules"} - {"CPython"}


@pytest.mark.slow
def test_every_reference_is_of_a_component() -> None:
    """The graph of dependencies names components alone, each once, and begins at the package."""
    document = bill_of_materials()
    own = document["metadata"]["component"]["bom-ref"]
    refs = [own, *(one["bom-ref"] for one in document["components"])]
    assert len(set(refs)) == len(refs)
    nodes = {node["ref"]: node.get("dependsOn", []) for node in document["dependencies"]}
    assert sorted(nodes) == sorted(refs)
    reached, waiting = {own}, [own]
    while waiting:
        new = set(nodes[waiting.pop()]) - reached
        reached |= new
        waiting += new
    assert reached == set(refs)


def test_the_files_of_the_package_are_those_of_its_folders() -> None:
    """Every file of the package is listed with its SHA-256, but what Python makes itself."""
    sums = installation().files
    assert sums["trente_rules/py.typed"] == inventory.sha256_of(
        Path(trente_rules.__file__).parent / "py.typed"
    )
    assert "trente_variants/france-2007/house.toml" in sums
    assert not [name for name in sums if "__pycache__" in name]
    assert len(sums) > 300


def install(folder: Path) -> None:
    """Install a distribution of which a file differs from its RECORD, and one is gone.

    It has no licence field, and a requirement that is not one.
    """
    info = folder / "thing-1.dist-info"
    info.mkdir()
    (folder / "same.py").write_bytes(b"1\n")
    (folder / "other.py").write_bytes(b"2\n")
    classifier = "Classifier: License :: OSI Approved :: MIT License\n"
    needs = "Requires-Dist: this is not one (((\nRequires-Dist: attrs\n"
    (info / "METADATA").write_text(f"Name: thing\nVersion: 1\n{classifier}{needs}", "utf-8")
    good = "sha256=Q1WkaxnTSNwvV8BG-O9j1FOOu5NgAPPJ7pVKJ0YN2GU"
    rows = (f"same.py,{good},2", f"other.py,{good},2", f"gone.py,{good},2", "x.pyc,,")
    (info / "RECORD").write_text("\n".join(rows), "utf-8")


def test_a_file_that_differs_from_its_record_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A changed file and a missing one are named; the licence is that of the classifier."""
    install(tmp_path)
    here = [distribution("trente-rules"), distribution("attrs")]
    there = [*distributions(path=[str(tmp_path)]), *here]
    monkeypatch.setattr(inventory, "distributions", lambda: there)
    plugins = plugin_distributions(["thing:rules"])
    found = {one.name: one for one in installation.__wrapped__(plugins).components}
    thing = found["thing"]
    assert (thing.recorded, thing.changed, thing.missing) == (3, ("other.py",), ("gone.py",))
    assert (thing.licence, thing.licence_is_expression) == ("MIT License", False)
    assert thing.requires == ("attrs",)
    assert not thing.editable
