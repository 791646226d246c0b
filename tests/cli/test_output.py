"""What commands have in common: the command as it would be typed, what is misuse."""

from __future__ import annotations

import shlex
from pathlib import Path

import click
import pytest
from tests.cli.calling import trente

from trente_rules.cli.output import misuse
from trente_rules.core.errors import TrenteError


def test_a_command_of_one_house_is_told_as_it_would_be_typed(tmp_path: Path) -> None:
    """A1 1m: the house first, then what was given, quoted for a shell."""
    file = tmp_path / "it's mine.toml"
    file.write_text('[house]\nname = "mine"\nextends = "campione"\n', "utf-8")
    typed = ["par", str(file), "--format", "json", "--deal", "infinite"]
    assert trente(*typed).json["command"] == shlex.join(["trente", *typed])


def test_a_command_of_many_houses_is_told_as_it_would_be_typed() -> None:
    """A1 1m: a list of houses stands last; flags have no value; nothing that was not given."""
    typed = "compare --chance noir --chance rouge --sequential --format html campione spain-1979"
    page = trente(*typed.split()).out
    assert f"Made by: trente {typed}<" in page  # the text of an element ends with it


def test_misuse_is_of_the_codes_that_are_named() -> None:
    """Of any where none is named; other errors pass as they are."""
    with pytest.raises(click.UsageError, match="a sentence"), misuse("one", "two"):
        raise TrenteError("a sentence", "two")
    with pytest.raises(TrenteError, match="a sentence"), misuse("one"):
        raise TrenteError("a sentence", "three")
    with pytest.raises(click.UsageError), misuse():
        raise TrenteError("a sentence", "three")
