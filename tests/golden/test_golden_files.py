"""Golden files: what earlier versions wrote is read, and means what it meant, to the unit."""

from __future__ import annotations

import gzip
import json
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
from attrs import evolve
from tests.golden import figures

from trente_rules import House, load_house, loads_house
from trente_rules.core import default_manager
from trente_rules.core.rules.announcements import PHRASE_KEYS
from trente_rules.fair import CardSeal, FairShoe
from trente_rules.records import (
    Permanence,
    Recorder,
    dumps_record,
    load_permanence,
    load_record,
    replay,
    verify_record,
)
from trente_rules.table import Phase, SqliteJournal, entry_from_json, recover, snapshot

HERE = Path(__file__).parent
FAIR = "fair-shoe"
HOUSES = sorted(path.parent for path in HERE.glob("*/*/expected.json") if path.parent.name != FAIR)
FAIR_SHOES = sorted(HERE.glob(f"*/{FAIR}"))
of_house = pytest.mark.parametrize(
    "folder", HOUSES, ids=[f"{path.parent.name}-{path.name}" for path in HOUSES]
)
of_fair = pytest.mark.parametrize("folder", FAIR_SHOES, ids=[p.parent.name for p in FAIR_SHOES])


@cache
def expected(folder: Path) -> dict[str, Any]:
    """Return what is expected of the files of a house."""
    told: dict[str, Any] = json.loads((folder / "expected.json").read_text("utf-8"))
    return told


@cache
def house_of(folder: Path) -> House:
    """Return the house as the version of the golden files shipped it, read by today's code."""
    return loads_house(house_file(folder).read_text("utf-8"))


def house_file(folder: Path) -> Path:
    """Return the file of the house that golden files are of."""
    own = folder / "house.toml"  # from 0.3.0 on
    return own if own.exists() else HERE / "houses" / f"{folder.name}.toml"


def copied(folder: Path, name: str, tmp_path: Path) -> Path:
    """Return a copy of a golden file, which may be written to; it is no longer compressed."""
    target = tmp_path / name.removesuffix(".gz")
    target.write_bytes(data_of(folder / name))
    return target


def data_of(file: Path) -> bytes:
    """Return what a golden file holds."""
    data = file.read_bytes()
    return gzip.decompress(data) if file.suffix == ".gz" else data


def test_every_house_has_files_of_every_kind() -> None:
    """No house is left out of the first version, and no file is there that nothing is told of."""
    first = {path.name for path in HOUSES if path.parent.name == "0.1.0"}
    assert len(first) == 17
    assert first <= set(default_manager().names("house"))
    for folder in HOUSES:
        files = {path.name for path in folder.iterdir()}
        told = {
            "expected.json",
            "permanence.txt",
            "record-1.json",
            expected(folder)["save"]["file"],
        }
        if folder.parent.name not in {"0.1.0", "0.2.0"}:
            told.add("house.toml")
        for kind in ("snapshots", "journals", "records", "runs"):
            assert expected(folder)[kind]
            told |= set(expected(folder)[kind])
        assert files == told


RELEASES: Final = sorted(
    (path.name for path in HERE.iterdir() if path.name[0].isdigit()),
    key=lambda version: tuple(map(int, version.split("."))),
)
KINDS: Final = {
    "snapshot": r"snapshot-[\w-]+\.json(\.gz)?",
    "open journal": r"journal-open\.sqlite\.gz",
    "closed journal": r"journal-closed\.sqlite\.gz",
    "record": r"record-\d\.toml(\.gz)?",
    "record as JSON": r"record-\d\.json",
    "permanence": r"permanence\.txt",
    "run": r"run-(flat|systems)\.jsonl(\.gz)?",
    "unfinished run": r"run-flat-unfinished\.jsonl(\.gz)?",
    "run of chunks": r"run-long-unfinished\.jsonl(\.gz)?",
    "save": r"save\.json(\.gz)?",
    "house": r"house\.toml",
    "fair shoe in play": r"in-play\.json",
    "revealed shoe": r"reveal\.json",
    "signed and sealed journal": r"journal-signed\.sqlite\.gz",
    "JSON of the wire": r"entries\.json(\.gz)?",
    "public API": r"trente_rules\.table\.txt",
    "public surface": r"surface\.json",
}
"""What a host has in store, and what a release promises."""
SINCE_0_8_0: Final = {
    *("public API", "public surface", "signed and sealed journal", "JSON of the wire"),
}
ABSENT: Final = {
    "0.1.0": SINCE_0_8_0 | {"house"},
    "0.2.0": SINCE_0_8_0 | {"house"},
    "0.3.0": SINCE_0_8_0 | {"run of chunks"},
    "0.4.0": SINCE_0_8_0,
    "0.5.0": SINCE_0_8_0,
    "0.6.0": SINCE_0_8_0,
    "0.7.0": SINCE_0_8_0,
}
"""What a release did not keep; `houses` has the houses of 0.1.0 and 0.2.0."""


@pytest.mark.parametrize("version", RELEASES)
def test_a_release_lacks_only_what_is_named(version: str) -> None:
    """Each release has a file of every kind, but those that are listed here."""
    names = [path.name for path in (HERE / version).rglob("*")]
    have = {kind for kind, form in KINDS.items() if any(re.fullmatch(form, name) for name in names)}
    assert set(KINDS) - have == ABSENT.get(version, set())


def test_every_released_version_is_here() -> None:
    """The changelog's releases are the folders, from the first one on."""
    changelog = (HERE.parents[1] / "CHANGELOG.md").read_text("utf-8")
    assert re.findall(r"^## (\d+\.\d+\.\d+) - ", changelog, re.MULTILINE) == RELEASES[::-1]


@of_house
def test_the_fingerprint_is_as_it_was(folder: Path) -> None:
    """The same rules have the same fingerprint in every version."""
    assert house_of(folder).fingerprint == expected(folder)["fingerprint"]


@of_house
def test_a_shipped_house_changes_only_with_a_reason(folder: Path) -> None:
    """Rules change where a finding changes them; the reason is kept, and only where they did."""
    changed = tomllib.loads((HERE / "changed.toml").read_text("utf-8"))
    version = _numbers(folder.parent.name)
    later = [reasons for name, reasons in changed.items() if _numbers(name) > version]
    same = load_house(folder.name).fingerprint == expected(folder)["fingerprint"]
    assert same == (not any(folder.name in reasons for reasons in later))


@pytest.mark.slow
@of_house
def test_snapshots_are_restored_and_go_on(folder: Path) -> None:
    """Phase, money, stakes and cards are those that were; the coup at hand settles as it did."""
    for name, wanted in expected(folder)["snapshots"].items():
        table = figures.restored(data_of(folder / name).decode(), house_of(folder))
        assert figures.missing(wanted["table"], figures.of_table(table)) == [], name
        again = figures.restored(snapshot(table), house_of(folder))
        assert figures.of_table(again) == figures.of_table(table), name
        assert figures.missing(_uncounted(wanted["then"]), figures.gone_on(table)) == [], name


@pytest.mark.slow
@of_house
def test_journals_are_whole_and_recovered(folder: Path, tmp_path: Path) -> None:
    """The chain holds to the head that was; coups, money and records are those that were."""
    for name, wanted in expected(folder)["journals"].items():
        with SqliteJournal(copied(folder, name, tmp_path)) as journal:
            head = journal.check()
            sequence, events, end = wanted["head"]
            assert (head.sequence, head.events) == (sequence, events)
            # A file of tables version 1 was brought up to date: the end of its chain is kept.
            chain = journal.meta.get("schema_1_head", f"{sequence} {head.hash.hex()}")
            assert chain == f"{sequence} {end}"
            entries = list(journal.entries())
            table = recover(journal)
            meta = journal.meta
        found = figures.of_table(table)
        assert figures.missing(wanted["table"], found) == [], name
        done = [event for entry in entries for event in entry.events]
        assert figures.missing(wanted["events"], figures.of_events(done)) == [], name
        setup = table.state.setup
        assert meta["fingerprint"] == setup.house.fingerprint
        recorder = Recorder(setup.house, setup.table, setup.opening)
        recorder.extend(entries)
        kept = [figures.of_record(record) for record in recorder.records]
        written = expected(folder)["records"]
        over = len(kept) - (table.state.phase not in (Phase.NO_SHOE, Phase.ENDED))
        for record in kept[:over]:
            told = next(told for told in written.values() if told["shoe"] == record["shoe"])
            assert figures.missing(_unsealed(told), record) == []


@pytest.mark.slow
@of_house
def test_words_may_be_others_since(folder: Path, tmp_path: Path) -> None:
    """T2: journals of earlier versions are recovered whatever the house calls, and means, today."""
    house = house_of(folder)
    silent = tuple((key, "") for key in PHRASE_KEYS)
    loud = tuple((key, f"Hear: {key}") for key in PHRASE_KEYS)
    for name, wanted in expected(folder)["journals"].items():
        for phrases in (silent, loud):
            other = evolve(house, announcements=evolve(house.announcements, phrases=phrases))
            with SqliteJournal(copied(folder, name, tmp_path)) as journal:
                journal.check()
                found = figures.of_table(recover(journal, other))
            assert figures.missing(wanted["table"], found) == [], name


def _numbers(version: str) -> tuple[int, ...]:
    """Return a version as numbers, which have an order."""
    return tuple(map(int, version.split(".")))


def _uncounted(told: dict[str, Any]) -> dict[str, Any]:
    """Return figures of a table without the number of its events: what is called may be less."""
    return {name: value for name, value in told.items() if name != "events"}


def _unsealed(told: dict[str, Any]) -> dict[str, Any]:
    """Return figures of a record without its seal, which names the version that wrote it."""
    return {name: value for name, value in told.items() if name != "sha256"}


@pytest.mark.slow
@of_house
def test_an_open_journal_is_written_on(folder: Path, tmp_path: Path) -> None:
    """A table that is recovered plays its coup, prisoners and all, and the chain goes on."""
    path = copied(folder, "journal-open.sqlite.gz", tmp_path)
    with SqliteJournal(path) as journal:
        table = recover(journal, house_of(folder))
        before = table.state
        assert before.stakes
        snapshots = expected(folder)["snapshots"]
        then = next(told["then"] for name, told in snapshots.items() if "and-bets" in name)
        assert figures.missing(_uncounted(then), figures.gone_on(table)) == []
        assert journal.check().events == table.state.events
    with SqliteJournal(path) as journal:
        assert figures.of_table(recover(journal)) == figures.of_table(table)


@pytest.mark.slow
@of_house
def test_records_are_read_replayed_and_verified(folder: Path, tmp_path: Path) -> None:
    """Seals hold, every coup is settled as it was, the fair shoe opens; the text is the same."""
    held: set[str] = set()
    of_today = False
    for name, wanted in expected(folder)["records"].items():
        path = copied(folder, name, tmp_path)
        record = load_record(path)
        assert figures.missing(wanted, figures.of_record(record)) == []
        for house in (None, house_of(folder)):
            done = replay(record, house)
            assert done.equal, (name, done.differences)
        seed = expected(folder)["server_seed"] if record.provenance else ""
        checks = verify_record(record, seed)
        assert all(check.holds is not False for check in checks), list(map(str, checks))
        assert [check.what for check in checks[:2] if check.holds] == ["sha256", "rules"]
        held |= {check.what for check in checks[2:] if check.holds}
        of_today |= record.provenance is not None and record.provenance.method == "trente-fair-2"
        assert dumps_record(record) == path.read_text("utf-8")
    bound = {"plan", "list of client seeds", "cut", "burn"} if of_today else set()
    assert {"commitment", "order", "cards", *bound} <= held


@of_house
def test_a_record_as_json_is_told_again(folder: Path) -> None:
    """What JSON says of a record is what it said."""
    wanted = json.loads((folder / "record-1.json").read_text("utf-8"))
    found = json.loads(figures.told("record", str(folder / "record-1.toml"), "--format", "json"))
    assert figures.missing(wanted, found) == []


@of_house
def test_permanences_are_read(folder: Path, tmp_path: Path) -> None:
    """Points, and what every chance met, are those that were; the records give the same."""
    permanence = load_permanence(copied(folder, "permanence.txt", tmp_path))
    found = {
        "house": permanence.house,
        "tailles": [[[each.first, each.second] for each in one] for one in permanence.tailles],
        "verdicts": {
            chance: [[None if met is None else met.id for met in one] for one in tailles]
            for chance, tailles in permanence.verdicts(house_of(folder)).items()
        },
    }
    assert found == expected(folder)["permanence"]
    names = expected(folder)["records"]
    records = [load_record(copied(folder, name, tmp_path)) for name in names]
    assert Permanence.of_records(records) == permanence


LATER_ERROR: Final = re.compile(
    r"\.houses\[\d+\]\.(systems|wagers)\[\d+\]\.([\w.]+\.)?"
    r"(standard_error|band|sd_of_a_coup|n0|z)(\[\d+\])?: "
)
"""Errors: of systems they come from the stakes, and may be left out (C1); those of houses count
that a stake in prison shares its coup with the next stake (M6)."""


OTHER_SHOES: Final = (0, 7, 0)
"""Up to this version a seed gave other shoes in a simulation: chunks dealt today are others."""


@pytest.mark.slow
@of_house
def test_runs_are_resumed(folder: Path, tmp_path: Path) -> None:
    """Chunks that are kept are not played again, the others are; totals are those that were."""
    pytest.importorskip("numba")
    for name, wanted in expected(folder)["runs"].items():
        file = copied(folder, name, tmp_path)
        before = file.read_bytes().splitlines()
        totals = figures.of_run(str(house_file(folder)), wanted["arguments"], file)
        after = file.read_bytes().splitlines()
        same = expected(folder)["runs"][wanted.get("totals_of", name)]
        kept = wanted["chunks"]
        assert after[: kept + 1] == before[: kept + 1]
        whole = len(after) == kept + 1
        assert whole or "unfinished" in name
        if whole or _numbers(folder.parent.name) > OTHER_SHOES:
            lost = figures.missing(same["totals"], totals)
            assert [place for place in lost if not LATER_ERROR.match(place)] == [], name
            continue
        alike = ("seed", "coups_asked", "complete")
        assert [totals[key] for key in alike] == [same["totals"][key] for key in alike]
        assert [one["name"] for one in totals["houses"]] == [
            one["name"] for one in same["totals"]["houses"]
        ]
        assert figures.of_run(str(house_file(folder)), wanted["arguments"], file) == totals
        assert file.read_bytes().splitlines() == after


@of_house
def test_saves_are_sat_down_to(folder: Path) -> None:
    """Purse, stakes, prisoner and statistics are those that were, and the next shuffle too."""
    wanted = expected(folder)["save"]
    found = figures.of_save(data_of(folder / wanted["file"]).decode())
    assert figures.missing(wanted["session"], found) == []


@of_fair
def test_fair_shoes_are_opened(folder: Path) -> None:
    """A shoe that a host kept goes on; one that was revealed verifies."""
    wanted = json.loads((folder / "expected.json").read_text("utf-8"))
    shoe = FairShoe.of_json(json.loads((folder / "in-play.json").read_text("utf-8")))
    assert figures.of_cards(shoe.cards) == wanted["cards"]
    assert list(shoe.drawn(312, 20)) == wanted["drawn"]
    told = json.loads((folder / "reveal.json").read_text("utf-8"))
    assert shoe.retire().reveal().to_json() == told
    found = json.loads(
        figures.told("rng", "verify", str(folder / "reveal.json"), "--format", "json")
    )
    assert found["holds"]


KEPT = sorted(path.parent for path in HERE.glob("*/kept/expected-kept.json"))


@pytest.mark.parametrize("folder", KEPT, ids=[path.parent.name for path in KEPT])
def test_a_signed_and_sealed_journal_is_verified_and_recovered(
    folder: Path, tmp_path: Path
) -> None:
    """Signatures and head hold, cards to come are opened by the key, the wire reads the entries."""
    wanted = json.loads((folder / "expected-kept.json").read_text("utf-8"))
    path = copied(folder, "journal-signed.sqlite.gz", tmp_path)
    options = ("--public-key", str(folder / "head.key.pub"), "--head", wanted["head"])
    said = figures.told("verify", str(path), *options).splitlines()
    assert {"chain", "head", "signatures"} <= {
        line.partition(":")[0] for line in said if ": holds" in line
    }, said
    file = next(folder.glob("entries.json*"))
    lines = json.loads(data_of(file))
    with SqliteJournal(path, seal=CardSeal(wanted["seal"])) as journal:
        assert [entry_from_json(line) for line in lines] == list(journal.entries())
        table = recover(journal)
        assert figures.missing(wanted["table"], figures.of_table(table)) == []
        figures.gone_on(table)
        assert journal.check().sequence > int(wanted["head"].partition(":")[0])
