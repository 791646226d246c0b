"""Loading a house: what is said of one that cannot be loaded, and what is written of one."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import frozen

from trente_rules import (
    ConfigurationError,
    Fault,
    HouseText,
    Named,
    PluginManager,
    hookimpl,
    load_house,
    loads_house,
)
from trente_rules.core.house import loading
from trente_rules.core.house.loading import house_table, lacks_plugin
from trente_rules.core.money import Money

HEAD = '[house]\nname = "x"\n'
HALF = f'{HEAD}[refait]\nrule = "half-loss"\n'
RECORD = Path(__file__).parents[3] / "examples/taille.toml"


class Mine:
    """A plugin with a house of another name, one with a key too many, and a rule that raises."""

    @hookimpl
    def trente_houses(self) -> list[HouseText]:
        """Return the houses."""
        wrong = HALF.replace('"x"', '"odd"') + "[shoe]\npacs = 6\n"
        return [HouseText("mine", "mine.toml", HALF), HouseText("odd", "odd.toml", wrong)]

    @hookimpl
    def trente_refait_rules(self) -> list[Named]:
        """Return the rule."""
        return [Named("raises", Raises)]


@frozen
class Raises:
    """A rule that does not build."""

    def build(self, _money: Money) -> object:
        """Raise."""
        raise KeyError("what")


@pytest.fixture
def plugins() -> PluginManager:
    """Return a manager of the plugin."""
    found = PluginManager(only=())
    found.register(Mine(), "my:houses")
    return found


def faults(text: str, plugins: PluginManager | None = None) -> list[str]:
    """Return the lines of the faults of a text."""
    with pytest.raises(ConfigurationError) as caught:
        loads_house(text, plugins=plugins)
    return [*map(str, caught.value.faults)]


def test_the_house_of_a_plugin_has_the_name_it_is_found_by(plugins: PluginManager) -> None:
    """A name leads to one house: both names are said where they differ."""
    with pytest.raises(ConfigurationError) as caught:
        load_house("mine", plugins=plugins)
    assert str(caught.value) == (
        "mine.toml:2:8: house.name: the house that a plugin adds as 'mine' is named 'x' inside "
        "(give it one name) [wrong-name]"
    )


def test_a_file_that_has_the_name_of_a_house_is_not_looked_at(
    plugins: PluginManager, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U41: the faults are those of the house that was named, and no file is taken for it."""
    (tmp_path / "odd").write_bytes(RECORD.read_bytes())
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigurationError) as caught:
        load_house("odd", plugins=plugins)
    assert caught.value.code == "unknown-key"
    for name in ("./odd", Path("odd")):
        with pytest.raises(ConfigurationError) as caught:
            load_house(name, plugins=plugins)
        assert caught.value.code == "other-kind"


def test_a_link_that_is_put_in_place_meanwhile_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S20: nothing is learned of a file outside of the folder, not even of what kind it is."""
    folder = tmp_path / "uploads"
    folder.mkdir()
    file = folder / "a.toml"
    file.write_text(HALF)
    (tmp_path / "secret.toml").write_bytes(RECORD.read_bytes())

    def swapped(*_arguments: object) -> None:
        file.unlink()
        file.symlink_to(tmp_path / "secret.toml")
        raise ConfigurationError.of(Fault("a.toml", 1, 1, "shoe.pacs", "unknown-key", "unknown"))

    monkeypatch.setattr(loading, "_house", swapped)
    with pytest.raises(ConfigurationError) as caught:
        load_house(file, within=folder)
    assert caught.value.code == "unknown-key"


def test_a_side_bet_is_written_without_lists_that_are_empty() -> None:
    """A house file that was written shows the conditions that there are."""
    bet = '[[side_bets]]\nid = "{}"\nwins_on = "any-tie"\nodds = "8"\n'
    pushed = "pushes_on = [{ tie = true, first = [32] }]\n"
    plain, other = house_table(loads_house(HALF + bet.format("a") + bet.format("b") + pushed))[
        "side_bets"
    ]
    keys = {"wins_on": "any-tie", "except": [], "odds": "8", "needs": "none", "commission": "0"}
    assert plain == {"id": "a", **keys}
    assert other == {"id": "b", **keys, "pushes_on": [{"tie": True, "first": [32]}]}


@pytest.mark.parametrize("letters", [200, 201])
def test_the_name_of_a_parent_has_at_most_200_characters(letters: int) -> None:
    """A file of a stranger makes nobody look for a name without end."""
    (fault,) = faults(f'{HEAD}extends = "{"a" * letters}"\n')
    assert fault.endswith("[unknown-house]")
    assert ("is too long for a name" in fault) == (letters > 200)


def test_what_a_rule_raised_is_the_cause_of_the_error(plugins: PluginManager) -> None:
    """Whoever wrote a rule finds its exception, also where other faults come before it."""
    text = f'{HEAD}[refait]\nrule = "raises"\n[settlement]\npay = ["rouge", "rouge"]\n'
    chance = '[[chances]]\nid = "rouge"\nodds = "2"\n'
    for more in ("", chance + chance):
        with pytest.raises(ConfigurationError) as caught:
            loads_house(text + more, plugins=plugins)
        assert len(caught.value.faults) == (3 if more else 2)
        assert isinstance(caught.value.__cause__, KeyError)


def test_an_inferred_key_is_one_that_the_house_has() -> None:
    """Keys that are written, defaults and calls of the language are; a misspelt one is named."""
    head = HALF.replace("[refait]", "inferred = [{}]\n[refait]")
    known = '"refait.rule", "refait.returned", "shoe.burn", "announcements.phrases.noir_gagne"'
    assert len(loads_house(head.format(known)).info.inferred) == 4
    assert faults(head.format(f'{known}, "shoe.bum"')) == [
        (
            "<text>:3:96: house.inferred.4: 'shoe.bum' is not a key of this house "
            "(did you mean 'shoe.burn'?) [unknown-path]"
        )
    ]


BET = '[[side_bets]]\nid = "b"\nodds = "1"\nwins_on = "strange"\n'


@pytest.mark.parametrize(
    ("text", "lacks"),
    [
        (HALF, False),
        (f'{HEAD}[refait]\nrule = "strange"\n', True),
        (f'{HEAD}[refait]\nrule = "strange"\nown = 1\nlevels = "all"\n', True),
        (f'{HEAD}[refait]\nrule = "strange"\n[refait.on.31]\nrule = "half-loss"\n', True),
        (f'{HEAD}[refait]\nrule = "strange"\n[refait.on.31]\nrule = "half-loss"\no = 1\n', False),
        (f'{HALF}[refait.on.31]\nrule = "strange"\nown = 1\n', True),
        (f'{HALF}own = 1\n[refait.on.31]\nrule = "strange"\n', False),
        (f'{HEAD}[refait]\nrule = "strange"\non = 1\n', False),
        (f'{HALF}[limits]\nrule = "strange"\n[insurance]\nrule = "other"\n', True),
        (f'{HALF}[limits]\nrule = "strange"\n[insurance]\nown = 1\n', False),
        (f'{HALF}[limits]\nrule = "strange"\n[limit]\nown = 1\n', False),
        (f"{HALF}[limits]\nrule = 1\n", False),
        (f"{HALF}{BET}own = 1\n", True),
        (f"{HALF}{BET}pays = 1\n", False),
        (f"{HALF}{BET}{BET.replace('strange', 'exact-tie')}own = 1\n", False),
        (f'{HALF}[announcements]\nlanguage = "xx"\n', True),
        (f'{HALF}[announcements]\nlanguage = "xx"\nown = 1\n', False),
        (f'{HALF}[shoe]\npacks = 99\n[limits]\nrule = "strange"\n', False),
        (HALF.replace("[refait]", 'extends = "strange"\n[refait]'), False),
        (HEAD, False),
    ],
)
def test_only_a_plugin_adds_a_rule_or_a_language(text: str, *, lacks: bool) -> None:
    """A house lacks a plugin where every fault is the name of a rule or language, or its keys."""
    assert lacks_plugin(text, plugins=PluginManager(only=())) is lacks
