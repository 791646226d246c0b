"""What holds of every state of a table, and the sets of phases that several modules name."""

from __future__ import annotations

import ast
from pathlib import Path

import trente_rules.table
from trente_rules.table.state import BEFORE_LAST_CARD, BETS, COUP, PREPARING, Phase


def test_the_phases_of_a_coup_are_told_once() -> None:
    """A1 1r: four phases, from the opening of the bets to the settlement, for all modules."""
    assert BETS == (Phase.BETTING, Phase.CLOSED)
    assert BEFORE_LAST_CARD == (*BETS, Phase.DEALING)
    assert COUP == (*BEFORE_LAST_CARD, Phase.DEALT)
    session = (Phase.NO_SHOE, *PREPARING, Phase.READY, *COUP, Phase.ENDED)
    assert session == tuple(Phase)


def test_no_module_has_phases_of_a_coup_of_its_own() -> None:
    """A1 1r: a module that names two or more phases of a coup in a row takes them from here."""
    found = []
    for path in Path(trente_rules.table.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Tuple) and path.name != "state.py":
                named = {ast.unparse(each) for each in node.elts}
                found += [path.name] if {"Phase.BETTING", "Phase.CLOSED"} <= named else []
    assert found == []
