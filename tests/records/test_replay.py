"""Replay: what was recorded is dealt and settled again, and every alteration is found."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties.shipped import names, shipped
from tests.records.recorded import Kept, altered, random_records, rich_session
from tests.table.driving import Driver
from tests.table.laws import house_like

from trente_rules import (
    ConfigurationError,
    House,
    Opening,
    RecordError,
    Table,
    dumps_house,
    load_house,
    loads_house,
)
from trente_rules.core.cards import PACK
from trente_rules.fair import FairShoe, SeededShuffler
from trente_rules.records import (
    Record,
    dumps_record,
    load_record,
    record_of,
    replay,
    verify_record,
)
from trente_rules.records.record import RulesOf, digest, sealed, write_table
from trente_rules.records.replay import Difference, differences, house_of
from trente_rules.table import Choose, CloseSession, Correct, Phase, Settle, ShowMarker
from trente_rules.testing import opening_of

EXAMPLE = Path(__file__).parents[2] / "examples" / "taille.toml"
NO_DEAL_TELLS = frozenset(
    (
        *("schema", "engine", "sha256", "at", "opened", "closed", "settled", "session_at"),
        *("reason", "source", "server_seed", "method", "commitment", "nonce", "client_seeds"),
    )
)
"""What a taille does not depend on: only the seal tells that it was altered."""
SEEN_BY_EFFECT = frozenset(
    (
        *("packs", "order", "cut_by", "marker_by", "state", "live", "chance", "amount", "insured"),
        *("share", "handed_back", "session_closed"),
    )
)
"""What is put in, not worked out: what comes of it is named."""
NAMES = frozenset(("name", "number", "id", "player", "void", "opening", "file", "cut", "choices"))
"""What can be another without a contradiction: names, and what happened to make no difference."""

ALIKE = (1, 3, 4)
"""Coups of the example that hold no more than others do: left out, to be quick."""


@pytest.mark.slow
@given(name=st.sampled_from(names()), data=st.binary(max_size=400), live=st.booleans())
@settings(max_examples=60, deadline=None)
def test_a_record_replays_bit_for_bit(name: str, data: bytes, *, live: bool) -> None:
    """In every house, from the order of the shoe or card by card: equal, and the same text."""
    _replays(name, data, live=live)


def _replays(name: str, data: bytes, *, live: bool) -> None:
    for record in random_records(name, data, live=live):
        by_cards = sealed(attrs.evolve(record, shoe=attrs.evolve(record.shoe, order=())))
        for each in (record, by_cards):
            found = replay(each)
            assert found.differences == ()
            assert found.computed is not None
            assert dumps_record(found.computed) == dumps_record(each)


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_a_taille_dealt_to_its_end_replays_bit_for_bit(name: str) -> None:
    """However it ends, by the marker within a coup or before one, or by the last card: equal.

    A machine that shuffles for every coup deals no taille, and its shoe has no reason to end.
    """
    for seed in range(3):
        driver = Driver(shipped(name))
        kept = Kept(driver)
        house = driver.house
        least = house.limits_table.bounds(opening_of(house), "rouge").least
        driver.prepare(SeededShuffler(bytes([seed]) * 16).shuffle(PACK * house.shoe.packs))
        while driver.table.state.phase is not Phase.NO_SHOE:
            driver.bet((f"player {driver.count}", "rouge", least))
            driver.deal()
            if driver.table.state.phase is Phase.DEALT:
                driver.do(Settle)
        (record,) = kept.recorder.records
        assert bool(record.end.why) is not house.shoe.every_coup
        by_cards = sealed(attrs.evolve(record, shoe=attrs.evolve(record.shoe, order=())))
        for each in (record, by_cards):
            assert replay(each).differences == ()


@pytest.mark.nightly
@given(
    name=st.sampled_from(names()), data=st.binary(min_size=300, max_size=3000), live=st.booleans()
)
@settings(max_examples=500, deadline=None)
def test_long_sessions_replay_bit_for_bit(name: str, data: bytes, *, live: bool) -> None:
    """As above, over many shoes."""
    _replays(name, data, live=live)


def leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[Any, Any]]:
    """Return every single value of a record's table, with its place."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if not name.startswith("_") and name != "toml":
                yield from leaves(inner, (*path, name))
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for place, inner in enumerate(value):
            yield from leaves(inner, (*path, place))
    else:
        yield path, value


def other(value: Any) -> Any:
    """Return another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, list):
        return value[::-1] if value[::-1] != value else [*value, *value]
    words = value.split()
    if len(words) > 2:  # cards: two of them change places
        last = next(n for n in range(len(words) - 1, 0, -1) if words[n] != words[0])
        words[0], words[last] = words[last], words[0]
        return " ".join(words)
    swaps = {"win": "lose", "prison": "free", "rouge": "noir", "noir": "rouge", "1/2": "1/4"}
    return swaps.get(value, f"{value}x")


def alterations(record: Record) -> Iterator[tuple[tuple[str | int, ...], Record | None]]:
    """Return each record with one value altered; None where it cannot even be read."""
    for path, value in leaves(write_table(record)):
        if path[0] == "coups" and path[1] in ALIKE and len(record.coups) > len(ALIKE) + 2:
            continue
        try:
            yield path, altered(record, path, other(value))
        except RecordError:
            yield path, None


def records() -> list[Record]:
    """Return records that hold all that there is, but the rules: they are those of their house."""
    whole = [load_record(EXAMPLE), *rich_session()[1].recorder.records]
    return [sealed(attrs.evolve(record, rules=RulesOf())) for record in whole]


@pytest.mark.slow
@pytest.mark.parametrize("record", records(), ids=["example", "first", "second"])
def test_each_altered_field_is_found_by_its_seal(record: Record) -> None:
    """Whatever is altered, the seal no longer holds, or the file is no record."""
    count = 0
    for path, changed in alterations(record):
        count += 1
        if changed is not None:
            seal = next(check for check in verify_record(changed) if check.what == "sha256")
            assert seal.holds is False, path
    assert count > 60


@pytest.mark.slow
@pytest.mark.parametrize("record", records(), ids=["example", "first", "second"])
def test_each_altered_field_is_named_by_replay(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sealed again, so that only the engine can tell: coup and field are named."""
    replaying = sys.modules["trente_rules.records.replay"]
    monkeypatch.setattr(replaying, "load_house", lambda name, **_plugins: shipped(name))
    found = 0
    for path, changed in alterations(record):
        name = str(path[-1] if path[-2:-1] != ("verdicts",) else path[-2])
        if changed is None or name in NO_DEAL_TELLS | NAMES or "choices" in path:
            continue
        told = replay(sealed(changed)).differences
        if name == "chance" and not told:  # a tie, a void and a close meet every chance alike
            coup = record.coups[int(path[1])] if path[0] == "coups" else None
            assert coup is None or coup.void or len(set(coup.points)) == 1
            continue
        assert told, path
        if path[0] == "coups" and "taken_back" not in path:
            number = int(path[1]) + 1
            assert any(each.coup == number for each in told), (path, told)
        if name not in SEEN_BY_EFFECT and "taken_back" not in path:
            fields = " ".join(each.field for each in told)
            assert name in fields or "place" in fields, (path, told)
        found += 1
    assert found > 30


def test_a_difference_is_told_in_words() -> None:
    """Coup, stake, field, recorded, computed: and no more than what is altered."""
    record = altered(load_record(EXAMPLE), ("coups", 0, "stakes", 0, "won"), 10_100)
    (found,) = replay(record).differences
    assert str(found) == "coup 1, stake a1, won: recorded 10100, computed 10000"
    assert (found.coup, found.stake, found.field) == (1, "a1", "won")


def test_a_stake_the_house_would_not_take_is_told() -> None:
    """A stake below the minimum is settled, and named: the house refuses it."""
    table = write_table(load_record(EXAMPLE))
    table["coups"][3]["stakes"][1].update(amount=5, forfeited=5)
    record = load_record(EXAMPLE)
    record = altered(record, ("coups", 3, "stakes"), table["coups"][3]["stakes"])
    told = [str(each) for each in replay(record).differences]
    assert any("stake b4, place: recorded done, computed refused: " in each for each in told)


def test_another_house_is_told_and_is_no_difference_in_itself() -> None:
    """With a house given, both fingerprints are told; differences are what it would have done."""
    record = load_record(EXAMPLE)
    table = dumps_house(load_house("france-2007"))
    same = loads_house(table.replace('tie = "stays"', 'tie = "frees"'))
    found = replay(record, same)
    assert found.equal
    assert record.house.fingerprint in found.notes[0]
    assert same.fingerprint in found.notes[0]
    half = loads_house(table.replace('default = "prison"', 'default = "partage"'))
    assert replay(record, half).equal  # every refait of it was chosen for, or insured
    lost = load_house("hoyle-19c")
    assert any(each.field == "course" for each in replay(record, lost).differences)


def test_rules_that_are_not_those_of_the_fingerprint_are_a_difference() -> None:
    """The record's own rules must have the recorded fingerprint."""
    record = load_record(EXAMPLE)
    changed = attrs.evolve(record.rules, toml=record.rules.toml.replace("1/100", "2/100"))
    found = replay(attrs.evolve(record, rules=changed))
    assert found.differences[0].field == "house.fingerprint"
    rules = next(c for c in verify_record(attrs.evolve(record, rules=changed)) if c.what == "rules")
    assert rules.holds is False
    broken = attrs.evolve(record, rules=attrs.evolve(record.rules, toml="[house]\n"))
    with pytest.raises(ConfigurationError):
        replay(broken)
    assert verify_record(broken)[1].holds is False


def test_rules_come_from_a_file_or_by_name(tmp_path: Path) -> None:
    """Without rules of its own, a record names a file beside it, or a house that is known."""
    record = load_record(EXAMPLE)
    (tmp_path / "club.toml").write_text(record.rules.toml, encoding="utf-8")
    empty = attrs.evolve(record.rules, toml="")
    by_file = sealed(attrs.evolve(record, rules=attrs.evolve(empty, file="club.toml")))
    assert replay(by_file, folder=tmp_path).equal
    assert replay(sealed(attrs.evolve(record, rules=empty))).equal


def test_the_shuffle_is_verified_card_by_card() -> None:
    """Commitment, order and dealt cards: each alteration is found, without an order as well."""
    record = load_record(EXAMPLE)
    right = ("sha256", "rules", "commitment", "order", "cards")
    alone = ("published", "nonce", "plan", "client seed")  # the record alone is no proof
    chosen = (*alone, "cut", "void", "end")  # by those who knew the order
    assert {check.what: check.holds for check in verify_record(record)} == {
        **dict.fromkeys(right, True),
        **dict.fromkeys(chosen, None),
    }
    hidden = attrs.evolve(record.shoe, server_seed="", order=())
    sealed_shoe = sealed(attrs.evolve(record, shoe=hidden))
    assert verify_record(sealed_shoe)[6].holds is None
    seed = record.shoe.server_seed
    for known, wanted in ((seed, [True] * 4), ("00" * 32, [True, True, False, False])):
        checks = verify_record(sealed_shoe, known)
        assert [c.holds for c in checks if c.what not in chosen] == wanted
    assert verify_record(sealed_shoe, "no seed")[6].holds is False
    coup = record.coups[0]
    swapped = attrs.evolve(coup, first=(coup.first[1], coup.first[0], *coup.first[2:]))
    other_cards = attrs.evolve(record, coups=(swapped, *record.coups[1:]))
    assert [c.what for c in verify_record(other_cards) if c.holds is False] == ["sha256", "cards"]
    order = record.shoe.order
    turned = attrs.evolve(record.shoe, order=(order[1], order[0], *order[2:]))
    found = verify_record(attrs.evolve(record, shoe=turned))
    assert [c.what for c in found if c.holds is False] == ["sha256", "order"]
    unfair = attrs.evolve(record, provenance=None, sha256="")
    assert [c.holds for c in verify_record(unfair)] == [None, True]
    assert verify_record(unfair, seed)[-1].holds is False


@pytest.mark.parametrize("name", ["1/0", "./house.toml", "..\\house", "house.toml"])
def test_the_name_of_a_house_in_a_record_is_never_a_path(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A record of a stranger names a house that is installed; no file is looked for."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "house.toml").write_text(dumps_house(load_house("france-2007")), "utf-8")
    made = load_record(EXAMPLE)
    named = attrs.evolve(made, house=attrs.evolve(made.house, name=name), rules=RulesOf())
    with pytest.raises(ConfigurationError) as caught:
        house_of(named)
    assert [fault.code for fault in caught.value.faults] == ["unknown-house"]


def told(record: Record, house: House | None = None) -> list[str]:
    """Return the differences that a replay of a record lists, as a reader sees them."""
    return [str(each) for each in replay(record, house).differences]


def stakes_changed(place: int, **changes: Any) -> Record:
    """Return the example with a stake of its first coup changed and no seal."""
    record = load_record(EXAMPLE)
    coup = record.coups[0]
    stakes = list(coup.stakes)
    stakes[place] = attrs.evolve(stakes[place], **changes)
    coups = (attrs.evolve(coup, stakes=tuple(stakes)), *record.coups[1:])
    return attrs.evolve(record, coups=coups, sha256="")


def test_a_difference_of_the_head_names_no_coup() -> None:
    """Coup and stake are named only where the difference is about one."""
    assert str(Difference(None, "", "house.name", "a", "b")) == (
        "house.name: recorded a, computed b"
    )
    assert (
        str(Difference(0, "a1", "won", "1", "2")) == "coup 0, stake a1, won: recorded 1, computed 2"
    )


def test_what_is_on_one_side_alone_is_named_with_its_side() -> None:
    """A stake or a coup that only one record has: "there" on one side, "nothing" on the other."""
    record = load_record(EXAMPLE)
    short = attrs.evolve(record, coups=record.coups[:-1])
    last = record.coups[-1].number
    one = attrs.evolve(record.coups[0], stakes=record.coups[0].stakes[1:])
    without = attrs.evolve(record, coups=(one, *record.coups[1:]))
    gone = record.coups[0].stakes[0].id
    for recorded, computed, where in (
        (short, record, f"coup {last}, coup: recorded nothing, computed there"),
        (
            attrs.evolve(record, coups=record.coups[1:]),
            record,
            "coup 1, coup: recorded nothing, computed there",
        ),
        (record, short, f"coup {last}, coup: recorded there, computed nothing"),
        (without, record, f"coup 1, stake {gone}, stake: recorded nothing, computed there"),
        (record, without, f"coup 1, stake {gone}, stake: recorded there, computed nothing"),
    ):
        assert [str(each) for each in differences(recorded, computed)] == [where]


def test_a_settlement_that_was_corrected_is_named_by_its_place() -> None:
    """Coups are known by number, stakes by id; settlements that were corrected are counted."""
    record = rich_session()[1].recorder.records[0]
    (earlier,) = record.coups[1].taken_back
    stake = attrs.evolve(earlier.stakes[0], won=earlier.stakes[0].won + 1)
    changed = attrs.evolve(earlier, stakes=(stake, *earlier.stakes[1:]), reason="other")
    coup = attrs.evolve(record.coups[1], taken_back=(changed,))
    recorded = attrs.evolve(record, coups=(record.coups[0], coup, *record.coups[2:]))
    assert [str(each) for each in differences(recorded, record)] == [
        f"coup 2, stake {stake.id}, won: recorded {stake.won}, computed {stake.won - 1}",
        "coup 2, taken_back[1].reason: recorded other, computed she wanted prison",
    ]


def test_the_seal_of_a_computed_record_is_its_own() -> None:
    """The seal is computed again: a wrong one that nothing else explains is the difference."""
    record = load_record(EXAMPLE)
    wrong = attrs.evolve(record, sha256="0" * 64)
    found = replay(wrong)
    assert told(wrong) == [f"sha256: recorded {'0' * 64}, computed {record.sha256}"]
    assert found.computed is not None
    assert found.computed.sha256 == record.sha256
    changed = stakes_changed(0, won=10_100)
    sealed_again = replay(sealed(changed)).computed
    assert sealed_again is not None
    assert sealed_again.sha256 == digest(sealed_again) == record.sha256


def test_a_record_that_names_a_file_needs_a_folder() -> None:
    """The fault names the key, the code, and what to do."""
    record = attrs.evolve(load_record(EXAMPLE), rules=RulesOf(file="club.toml"))
    with pytest.raises(ConfigurationError) as caught:
        house_of(record)
    (fault,) = caught.value.faults
    assert (fault.key, fault.code, fault.hint) == ("rules.file", "no-folder", "give its folder")
    assert fault.message == "the record names a file, but it is not in a folder"


def test_a_choice_that_was_corrected_is_made_again() -> None:
    """Only the choices that differ between two settlements are those of the correction."""
    driver = Driver("france-2007")
    kept = Kept(driver)
    driver.shoe((31, 31))
    driver.bet(("ann", "rouge", 50), ("bob", "noir", 50), ("cy", "rouge", 20))
    driver.deal()
    driver.do(Choose, stake="ann-rouge", course="partage")
    driver.do(Choose, stake="bob-noir", course="prison")
    driver.do(Settle)
    driver.do(Correct, reason="video", choices=(("cy-rouge", "partage"),))
    record = kept.recorder.record()
    assert told(record) == []
    computed = replay(record).computed
    assert computed is not None
    assert {each.id: each.choices for each in computed.coups[0].stakes} == {
        "ann-rouge": (("refait", "partage"),),
        "bob-noir": (("refait", "prison"),),
        "cy-rouge": (("refait", "partage"),),
    }


def test_the_times_of_a_marker_between_two_coups_and_of_an_early_end() -> None:
    """The marker that ends the shoe carries the time of its end."""
    shoe = 'ends = "last-card"\nmarker = { from_end = 20, on_marker = "finish" }'
    driver = Driver(house_like("italy-prison", f"[shoe]\n{shoe}\n"))
    kept = Kept(driver)
    driver.live()
    driver.do(ShowMarker, at="21:40")
    record = kept.recorder.record()
    assert (record.end.why, record.end.at) == ("marker", "21:40")
    assert told(record) == []


@pytest.mark.parametrize("states", [("prison",), ("prison", "free"), ("free",)])
def test_a_session_is_closed_with_prisoners_and_with_stakes_of_open_bets(
    states: tuple[str, ...],
) -> None:
    """Prisoners need no bets to be open; a free stake was placed in bets that were."""
    driver = Driver("france-2007")
    kept = Kept(driver)
    driver.shoe((31, 31) if "prison" in states else (31, 40))
    driver.bet(("ann", "rouge", 50))
    driver.deal()
    driver.do(Settle)
    if "free" in states:
        driver.bet(("bob", "noir", 40))
    driver.do(CloseSession, at="22:00")
    record = kept.recorder.record()
    assert tuple(each.state for each in record.end.stakes) == states
    found = replay(record)
    assert found.differences == ()
    assert found.computed == record


def test_a_choice_that_is_not_offered_is_not_made_again_by_a_correction() -> None:
    """Half of 199 is below the minimum: the choice is dropped, and no part of the correction."""
    rule = '[refait]\npartage_not_below = "minimum"\n'
    driver = Driver(house_like("spain-1979", rule))
    driver.table = Table(driver.house, opening=Opening(100), session="s")
    kept = Kept(driver)
    driver.shoe((31, 31))
    driver.bet(("ann", "rouge", 199), ("bob", "noir", 200))
    driver.do(Choose, stake="ann-rouge", course="partage")
    driver.deal()
    driver.do(Settle)
    driver.do(Correct, reason="video", choices=(("bob-noir", "partage"),))
    record = kept.recorder.record()
    assert [(each.id, each.course) for each in record.coups[0].stakes] == [
        ("ann-rouge", "prison"),
        ("bob-noir", "partage"),
    ]
    assert told(record) == []


def test_cards_of_a_shoe_whose_order_is_known_come_from_the_shoe() -> None:
    """Two cards changed places in the record: the rows differ, and nothing is refused."""
    record = load_record(EXAMPLE)
    assert record.shoe.order
    coup = record.coups[0]
    row = coup.first
    turned = attrs.evolve(coup, first=(row[1], row[0], *row[2:]))
    changed = attrs.evolve(record, coups=(turned, *record.coups[1:]), sha256="")
    right, wrong = (" ".join(map(str, each.first)) for each in (coup, turned))
    assert told(changed)[0] == f"coup 1, first: recorded {wrong}, computed {right}"
    assert not any("refused" in each for each in told(changed))


def test_a_fair_shoe_under_a_house_of_another_plan_is_of_no_plan() -> None:
    """The rules of the record are not known: its cards are dealt by those of the house given."""
    house = shipped("italian-program")
    table = Table(house, opening=opening_of(house), session="s")
    fair = FairShoe.seal(7, house, bytes(range(32))).close_seeds(["ann"]).shuffle()
    table.do(fair.open_shoe("o"))
    record = record_of(table)
    assert record.provenance is not None
    assert record.provenance.plan
    order = attrs.evolve(record.shoe, order=fair.cards)
    unknown = attrs.evolve(record.house, name="nobody-has-it")
    stranger = attrs.evolve(record, shoe=order, rules=RulesOf(), house=unknown, sha256="")
    other_house = shipped("monte-carlo-1911")
    assert replay(stranger, other_house).computed is not None
    assert not any("refused" in each for each in told(stranger, other_house))
