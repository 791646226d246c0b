"""The shuffles for a laboratory: two implementations, frozen vectors, exports."""

from __future__ import annotations

import json
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from tests.cli.calling import trente

from trente_rules.reports.certification import reference
from trente_rules.reports.certification.shuffles import DATA, data, differing_vectors, export

ROOT = Path(__file__).parents[3]
SEED = bytes(range(16)).hex()
FROZEN = "e9dcaafb6f6f81f36eb79ab90449035426be40177b8bd4f3cc7c4870ce81b7b4"
"""The SHA-256 of the vectors: they never change."""


def test_the_vectors_are_frozen() -> None:
    """A vector that was published is the same for ever: to add some, add a second file."""
    assert sha256(data("vectors.json")).hexdigest() == FROZEN


def test_the_specification_is_the_page() -> None:
    """The specification in a pack is docs/entropy.md, word for word."""
    assert data("specification.md") == (ROOT / "docs" / "entropy.md").read_bytes()


def test_both_implementations_agree_with_the_vectors() -> None:
    """The code of play gives every vector; so does the program written from the page alone."""
    assert list(differing_vectors(data("vectors.json"))) == []
    assert reference.wrong(json.loads(data("vectors.json"))["vectors"]) == []


def test_the_vectors_are_of_every_case() -> None:
    """Rejected words, all methods, plans with and without each part, the widest numbers."""
    vectors = json.loads(data("vectors.json"))["vectors"]
    assert {each["method"] for each in vectors} == set(reference.METHODS)
    drawn = [each for each in vectors if each["method"] == "below"]
    assert any(len(each["given"]["bytes"]) > 16 * len(each["given"]["bounds"]) for each in drawn)
    fair = [each for each in vectors if each["method"] == "trente-fair-2"]
    for name in ("cut", "marker"):
        assert {each["gives"][name] is None for each in fair} == {True, False}


def changes(value: Any) -> Any:
    """Return another value of the same kind."""
    match value:
        case None | int():
            return (value or 0) + 1
        case str():
            return value[:-1] + ("a" if value[-1] != "a" else "b")
        case list():
            return [*value[:-1], value[-1] + 1]
    raise AssertionError(value)


@pytest.mark.slow
def test_a_changed_vector_is_named_by_both() -> None:
    """Any value of any vector that is changed is found, by its name."""
    for vector in json.loads(data("vectors.json"))["vectors"]:
        for name, value in vector["gives"].items():
            changed = {**vector, "gives": {**vector["gives"], name: changes(value)}}
            words = f"vector 1 ({vector['method']}): {name}"
            text = json.dumps({"vectors": [changed]})
            assert list(differing_vectors(text.encode())) == [words]
            assert reference.wrong([changed]) == [f"{words} differs"]


def test_the_reference_imports_nothing_of_the_program() -> None:
    """The second implementation stands alone: the standard library, and not this package."""
    text = data("reference.py").decode()
    imports = [line for line in text.splitlines() if line.startswith(("import ", "from "))]
    assert len(imports) > 5
    assert not [line for line in imports if "trente" in line]


def run(*words: str) -> tuple[int, str]:
    """Run the reference program as a laboratory does; return its status and what it printed."""
    done = subprocess.run(
        [sys.executable, "-I", *words], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
def test_the_reference_is_a_program(tmp_path: Path) -> None:
    """It checks vectors and exports, names what differs, and explains a wrong call."""
    for name in DATA:
        (tmp_path / name).write_bytes(data(name))
    program, vectors = str(tmp_path / "reference.py"), str(tmp_path / "vectors.json")
    assert run(program, vectors) == (0, "19 vectors: all agree\n")
    shoes = tmp_path / "shoes.txt"
    shoes.write_bytes(export(SEED, 2, 3))
    assert run(program, str(shoes), SEED, "2") == (0, "3 shoes: all agree\n")
    lines = shoes.read_text("ascii").splitlines()
    shoes.write_text("\n".join((lines[0], lines[1][::-1], lines[2])), "ascii")
    status, printed = run(program, str(shoes), SEED, "2")
    assert status == 1
    assert printed.startswith("line 2: ")
    assert run(program)[0] == 2


def test_an_export_is_that_of_the_command(tmp_path: Path) -> None:
    """The small export of a pack is what ``trente rng export shoes`` writes."""
    out = tmp_path / "shoes.txt"
    asked = f"rng export shoes --shoes 5 --packs 4 --source seeded --seed {SEED} --out {out}"
    assert trente(*asked.split()).status == 0
    assert out.read_bytes() == export(SEED, 4, 5)
