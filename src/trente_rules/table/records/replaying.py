"""Replay: a record is dealt and settled again by the engine, and compared with what it says."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from attrs import evolve, field, frozen

from trente_rules.errors import ConfigurationError
from trente_rules.house.house import House
from trente_rules.house.toml import load_house, loads_house
from trente_rules.plugins.manager import PluginManager
from trente_rules.table.records.differences import Difference, adopt, differences
from trente_rules.table.records.driving import Driver
from trente_rules.table.records.tables import digest
from trente_rules.table.records.values import Record


@frozen
class Replay:
    """What a replay found.

    ``computed`` is the record of the taille as it was dealt and settled again: where nothing
    differs it is written as the same text, bit for bit. ``notes`` tell what is no difference but
    should be known: another house, another version.
    """

    record: Record = field(repr=False)
    computed: Record | None = field(repr=False)
    differences: tuple[Difference, ...]
    notes: tuple[str, ...] = ()

    @property
    def equal(self) -> bool:
        """Whether everything is as it is recorded."""
        return not self.differences


def house_of(
    record: Record,
    *,
    folder: str | PathLike[str] | None = None,
    plugins: PluginManager | None = None,
) -> House:
    """Answer the house of a record: the rules it holds, the file it names, or the one of its name.

    A file is looked for in ``folder``. Raises ``ConfigurationError``.
    """
    if record.rules.toml:
        return loads_house(
            record.rules.toml, folder=folder, origin="rules.toml of the record", plugins=plugins
        )
    if record.rules.file:
        return load_house(Path(folder or ".") / record.rules.file, plugins=plugins)
    return load_house(record.house.name, plugins=plugins)


def replay(
    record: Record,
    house: House | None = None,
    *,
    folder: str | PathLike[str] | None = None,
    plugins: PluginManager | None = None,
) -> Replay:
    """Deal and settle a record again, and tell where anything differs.

    ``house`` is another one to settle it by; its fingerprint is then told, and no difference. The
    shoe is still handled as the record's own house does, where that can be had. Without, it is that
    of the record (see ``house_of``), whose fingerprint must be the recorded one. Stakes are put
    on the cloth as they stood when the coup was dealt; whether the house takes them is asked as
    well. Raises ``ConfigurationError`` where the house cannot be had.
    """
    other = house is not None
    played = house or house_of(record, folder=folder, plugins=plugins)
    driver = Driver(_with_shoe_of(record, played, folder, plugins) if other else played, record)
    computed = driver.drive()
    found = list(driver.refused)
    notes = []
    if played.fingerprint != record.house.fingerprint:
        if other:
            notes.append(
                f"recorded under {record.house.name} ({record.house.fingerprint}), replayed under "
                f"{played.name} ({played.fingerprint})"
            )
        else:
            told = record.house.fingerprint
            found.insert(0, Difference(None, "", "house.fingerprint", told, played.fingerprint))
    if not other and played.name != record.house.name:
        found.insert(0, Difference(None, "", "house.name", record.house.name, played.name))
    if computed is not None:
        computed = _alike(computed, record)
        found.extend(differences(record, computed))
        if record.sha256 and not other:
            computed = evolve(computed, sha256=digest(computed))
            if computed.sha256 != record.sha256 and not found:
                found.append(Difference(None, "", "sha256", record.sha256, computed.sha256))
    found.sort(key=lambda each: each.coup or 0)
    return Replay(record, computed, tuple(found), tuple(notes))


def _with_shoe_of(
    record: Record,
    other: House,
    folder: str | PathLike[str] | None,
    plugins: PluginManager | None,
) -> House:
    """Answer another house that cuts, burns and marks as the record's own does."""
    try:
        own = house_of(record, folder=folder, plugins=plugins)
    except ConfigurationError:
        return other
    shoe = evolve(own.shoe, prisoners_at_end=other.shoe.prisoners_at_end)
    return evolve(other, shoe=shoe)


def _alike(computed: Record, record: Record) -> Record:
    """Answer the computed record with what no deal gives: who wrote it, and the user's fields."""
    shoe = computed.shoe
    if not record.shoe.order:
        shoe = evolve(shoe, live=record.shoe.live)
    known: Record = adopt(
        evolve(
            computed,
            schema=record.schema,
            engine=record.engine,
            sha256=record.sha256,
            house=record.house,
            shoe=evolve(shoe, order=record.shoe.order, server_seed=record.shoe.server_seed),
            rules=record.rules,
        ),
        record,
    )
    return known
