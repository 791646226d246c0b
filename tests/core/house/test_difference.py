"""What changes from one house to another, in the order that TOML writes it."""

from __future__ import annotations

from tests.table.laws import house_like

from trente_rules import load_house
from trente_rules.core.house.difference import Change, difference

OWN = """[announcements.phrases]
noir_gagne = "noir"
[deal]
refait_on = [31, 40]
[refait]
levels = 2
close = ["1/2", "1/4"]
[refait.on.40]
rule = "all-lose"
[limits.per_chance.rouge]
maximum = 50000
[money]
unit = 1
"""


def test_keys_inside_of_tables_come_with_their_table() -> None:
    """A reader finds a key where the file has it: phrases, rules of a point, limits of a chance."""
    old, new = load_house("france-2007"), house_like("france-2007", OWN)
    changes = [each for each in difference(old, new) if not each.key.startswith("house.")]
    at = ("limits", "per_chance", "rouge")
    assert changes == [
        Change("money.unit", "0.01", 1, "fairness"),
        Change("deal.refait_on", [31], [31, 40], "fairness"),
        Change("announcements.phrases.noir_gagne", None, "noir", "presentation"),
        Change("refait.levels", 1, 2, "fairness"),
        Change("refait.close", ["1/2"], ["1/2", "1/4"], "fairness"),
        Change("refait.on.40.rule", None, "all-lose", "fairness"),
        Change(".".join((*at, "minimum")), None, "none", "fairness"),
        Change(".".join((*at, "maximum")), None, 50000, "fairness"),
        Change(".".join((*at, "maximum_multiple")), None, "none", "fairness"),
        Change(".".join((*at, "maximum_win")), None, "none", "fairness"),
    ]
