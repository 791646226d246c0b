"""What the tests of single rules share: houses that differ in one key, and refusals."""

from __future__ import annotations

from typing import Any

import pytest
from tests.table.driving import Driver
from tests.whole_units import in_whole_units

from trente_rules import House, TrenteError, loads_house
from trente_rules.table import Command

REFAIT = (31, 31)
ROUGE = (40, 31)
NOIR = (31, 40)
APRES = (35, 35)


def house_like(base: str, toml: str) -> House:
    """Return a house that is another but for the TOML text; in whole units unless it says so."""
    house = loads_house(f'[house]\nname = "like"\nextends = "{base}"\n{toml}')
    return house if "[money]" in toml else in_whole_units(house)


def refused(table: Driver, code: str, kind: type[Command], **fields: Any) -> TrenteError:
    """Check that a command is refused with a code and changes nothing; answer the error."""
    table.count += 1
    command = kind(id=f"c{table.count}", **fields)
    before = table.table.state
    with pytest.raises(TrenteError) as caught:
        table.table.do(command)
    assert table.table.state is before
    assert not table.table.can(command)
    assert caught.value.code == code
    return caught.value


def net(table: Driver) -> dict[str, int]:
    """Return what each player is richer by, stakes on the table taken off."""
    return dict(table.table.state.accounts)
