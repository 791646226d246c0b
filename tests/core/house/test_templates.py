"""House files to start from, as a reader sees them."""

from __future__ import annotations

import re

from trente_rules import load_house
from trente_rules.core.house.templates import extending_file


def test_the_tables_of_a_file_to_start_from_are_apart() -> None:
    """An empty line is before each table, and nowhere two of them."""
    text = extending_file(load_house("france-2007"), "My house", "france-2007")
    before = re.findall(r"(?m)^(.*)\n\[\w+\]$", text)
    assert before == [""] * 9
    assert text.endswith('# odds = "8"\n')
    assert "\n\n\n" not in text
    assert "\n\n# Four more tables. To use one, take the # and the space before" in text
