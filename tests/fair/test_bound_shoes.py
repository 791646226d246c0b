"""Fair shoes of the second scheme: what is drawn cannot be chosen, by nobody and nowhere."""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import attrs
import pytest
from tests.properties.shipped import names, shipped

from trente_rules import PACK, House, Table, TrenteError, loads_house
from trente_rules.fair import (
    Commitment,
    FairPlan,
    FairShoe,
    FairShuffler,
    Provenance,
    Reveal,
    SeededShuffler,
    remembered,
    verify_fair,
    verify_reveal,
)
from trente_rules.records import Record, record_of, replay, verify_record
from trente_rules.records.record import sealed as sealed_record
from trente_rules.table import (
    Audience,
    Burn,
    CloseBets,
    CloseSession,
    Cut,
    Deal,
    EndShoe,
    Expose,
    OpenBets,
    OpenShoe,
    Phase,
    PlaceMarker,
    Post,
    Settle,
    Turn,
    VoidCoup,
    command_from_json,
    command_to_json,
    restore,
    snapshot,
    view_of,
)
from trente_rules.table.commands import COMMANDS, Command
from trente_rules.testing import opening_of

SERVER: Final = bytes(range(32))
ITALIAN: Final = "italian-program"
PAGE: Final = (Path(__file__).parents[2] / "docs/entropy.md").read_text("utf-8")


def playing(house: House | int, nonce: int = 7) -> FairShoe:
    """Return a shoe whose order is settled."""
    return FairShoe.seal(nonce, house, SERVER).close_seeds(["bob:1", "alice"]).shuffle()


def written_down(house: House) -> dict[str, Any]:
    """Return what a player remembers of this shoe."""
    fair = playing(house)
    return {
        "commitment": fair.commitment.digest,
        "nonce": 7,
        "client_seeds": ["alice"],
        "seeds": fair.seeds_digest,
    }


def wrong_in(record: Record, house: House) -> list[str]:
    """Return the checks of a sealed copy of a record that do not hold."""
    reveal = playing(house).retire().reveal().to_json()
    checks = verify_record(sealed_record(record), reveal=reveal, **written_down(house))
    return [check.what for check in checks if check.holds is False]


def opened(house: House) -> Table:
    """Return a table with a fair shoe."""
    table = Table(house, opening=opening_of(house), session="s")
    table.do(playing(house).open_shoe("o"))
    return table


class Player:
    """A host that does what comes next, and leaves out every place that was drawn."""

    def __init__(self, table: Table) -> None:
        """Take a table whose shoe is opened."""
        self.table = table
        self.count = 0

    def do(self, kind: type[Command], **fields: Any) -> None:
        """Do a command with the next id."""
        self.count += 1
        self.table.do(kind(id=str(self.count), **fields))

    def step(self) -> None:
        """Do the next command of a taille without bets."""
        rule = self.table.house.shoe
        match self.table.state.phase:
            case Phase.CUT:
                self.do(Cut, by=rule.cut_by)
            case Phase.BURN:
                self.do(Burn)
            case Phase.MARK:
                assert rule.marker is not None
                self.do(PlaceMarker, by=rule.marker.placed_by)
            case Phase.READY:
                self.do(OpenBets)
            case Phase.BETTING:
                self.do(CloseBets)
            case Phase.CLOSED:
                self.do(Deal)
            case _:
                self.do(Settle)

    def until(self, *phases: Phase) -> None:
        """Play until the table is in one of these phases."""
        while self.table.state.phase not in phases:
            self.step()


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_a_fair_shoe_holds_in_every_house(name: str) -> None:
    """S1: opened, played to its end, recorded, revealed: everything holds, marker and burn too."""
    house = shipped(name)
    table = opened(house)
    Player(table).until(Phase.NO_SHOE)
    shown = playing(house).retire().reveal()
    assert verify_reveal(shown.to_json()).holds
    if house.shoe.every_coup:  # each coup has a shoe of its own, and a record has none
        assert shown.preparation == playing(house).preparation
        assert (shown.to_json().get("cut"), shown.to_json()["burn"]) == (None, 0)
        return
    record = record_of(table)
    checks = verify_record(record, reveal=shown.to_json(), **written_down(house))
    assert all(check.holds for check in checks), list(map(str, checks))
    wanted = {"sha256", "rules", "published", "plan", "commitment", "order", "cut", "burn", "cards"}
    wanted |= {"nonce", "client seed 'alice'", "digest of the list", "end"}
    wanted |= {"reveal", "list of client seeds"} | ({"marker"} if house.shoe.marker else set())
    assert {check.what for check in checks} == wanted
    assert replay(record).equal
    made = shown.preparation
    assert made is not None
    assert (record.shoe.cut, record.shoe.burn or 0) == (made.cut, made.burn)
    assert record.shoe.marker == made.marker


def test_no_cut_but_the_drawn_one_is_taken() -> None:
    """S1: all 313 cuts are tried; the table takes one, and does not name it in a refusal."""
    house = shipped("france-2007")
    made = playing(house).preparation
    assert made is not None
    taken = []
    table = opened(house)
    for place in range(313):
        command = Cut(id="c", place=place)
        if table.can(command):
            taken.append(place)
            continue
        with pytest.raises(TrenteError) as caught:
            table.do(command)
        assert caught.value.code == "fair-drawn"
        assert str(made.cut) not in str(caught.value).replace(str(place), "")
    assert taken == [made.cut]


@pytest.mark.parametrize(
    "step",
    [
        pytest.param(40, marks=pytest.mark.slow),
        pytest.param(1, marks=pytest.mark.nightly),
    ],
)
def test_the_search_for_the_best_cut_finds_nothing(step: int) -> None:
    """S1: a record, dealt from the cut that the house likes best, is found out by its cut alone."""
    house = shipped(ITALIAN)
    fair = playing(house)
    made = fair.preparation
    assert made is not None
    shown = fair.retire().reveal()
    holding = []
    for cut in sorted({*range(0, 313, step), made.cut or 0}):
        # A table that is told the cut it wants, and no provenance: a host that cheats.
        table = Table(house, opening=opening_of(house), session="s")
        table.do(OpenShoe(id="o", cards=fair.cards))
        table.do(Cut(id="c", place=cut))
        table.do(Burn(id="b"))
        table.do(PlaceMarker(id="m", by="player", from_end=made.marker))
        player = Player(table)
        player.until(Phase.DEALT)
        player.step()
        player.do(EndShoe)
        honest = attrs.evolve(record_of(table), provenance=fair.provenance())
        checks = verify_record(sealed_record(honest), shown.server_seed.hex())
        found = {check.what for check in checks if check.holds is False}
        revealed = verify_reveal(shown.to_json() | {"cut": cut}).holds
        dealt = fair.shoe().cut(cut).cards
        alone = verify_fair(
            *(shown.commitment.digest, SERVER, fair.client_seeds, 7, dealt[:40]),
            plan=str(FairPlan.of(house.shoe)),
            cut_at=cut,
        ).holds
        assert found == (set() if cut == made.cut else {"cut"}), cut
        assert revealed == alone == (cut == made.cut)
        holding += [cut] if not found else []
    assert holding == [made.cut]


@pytest.mark.parametrize("place", range(20, 41))
def test_no_marker_but_the_drawn_one_is_taken(place: int) -> None:
    """S1: the marker is drawn, too, within the bounds of the house; no record has another one."""
    house = shipped(ITALIAN)
    fair = playing(house)
    made = fair.preparation
    assert made is not None
    table = opened(house)
    player = Player(table)
    player.until(Phase.MARK)
    command = PlaceMarker(id="x", from_end=place, by="player")
    assert table.can(command) is (place == made.marker)
    if place != made.marker:
        why = table.why_not(command)
        assert why is not None
        assert why.code == "fair-drawn"
    player.until(Phase.DEALT)
    record = record_of(table)
    moved = sealed_record(attrs.evolve(record, shoe=attrs.evolve(record.shoe, marker=place)))
    found = [check.what for check in verify_record(moved, SERVER.hex()) if check.holds is False]
    assert found == ([] if place == made.marker else ["marker"])


def test_what_a_record_leaves_out_was_not_done() -> None:
    """S1: a record of a shoe that was dealt cannot pass over its cut, its burn or its marker."""
    table = opened(shipped(ITALIAN))
    Player(table).until(Phase.NO_SHOE)
    record = record_of(table)
    for name in ("cut", "burn", "marker"):
        nothing: dict[str, Any] = {name: None}
        shoe = attrs.evolve(record.shoe, **nothing)
        found = verify_record(sealed_record(attrs.evolve(record, shoe=shoe)), SERVER.hex())
        wrong = {check.what for check in found if check.holds is False}
        assert name in wrong, name


def test_the_obvious_call_gives_a_record_that_verifies() -> None:
    """S1: ``OpenShoe.shuffled`` takes the provenance of a fair shuffler, and what is drawn."""
    house = shipped("france-2007")
    fair = playing(house)
    made = fair.preparation
    assert made is not None
    command = OpenShoe.shuffled("o", 6, fair.shuffler())
    assert command == fair.open_shoe("o")
    assert (command.cut, command.marker) == (made.cut, made.marker)
    used = fair.shuffler()
    used.take(8)
    for packs, shuffler, code in ((5, fair.shuffler(), "fair-plan"), (6, used, "fair-shuffled")):
        with pytest.raises(TrenteError) as caught:
            OpenShoe.shuffled("o", packs, shuffler)
        assert caught.value.code == code


def test_a_shoe_of_the_first_scheme_is_still_dealt_and_verified() -> None:
    """S1: its record verifies, and says that the cut was chosen by those who knew the order."""
    house = shipped("france-2007")
    old = FairShoe(Commitment.of(SERVER, 8), SERVER).shuffle(["alice"])
    table = Table(house, opening=opening_of(house))
    table.do(OpenShoe.shuffled("o", 6, old.shuffler()))
    table.do(Cut(id="c", place=3))
    player = Player(table)
    player.until(Phase.DEALT)
    player.step()
    player.do(EndShoe)
    checks = verify_record(record_of(table), reveal=old.retire().reveal().to_json())
    assert all(check.holds is not False for check in checks), list(map(str, checks))
    assert "cut: not checked: chosen when the order was known" in map(str, checks)
    assert {"commitment", "order", "cards", "reveal"} <= {c.what for c in checks if c.holds}


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"cut": None}, "fair-plan"),
        ({"marker": None}, "fair-plan"),
        ({"cards": None}, "fair-plan"),
        ({"cut": 313}, "bad-cut"),
        ({"cut": -1}, "bad-cut"),
        ({"marker": 41}, "bad-marker"),
        ({"cut": "3"}, "bad-value"),
    ],
)
def test_a_fair_shoe_comes_with_all_that_was_drawn(changes: dict[str, Any], code: str) -> None:
    """S1: the table refuses a fair shoe without its cut or its marker, or with invalid ones."""
    house = shipped(ITALIAN)
    table = Table(house, opening=opening_of(house))
    with pytest.raises(TrenteError) as caught:
        table.do(attrs.evolve(playing(house).open_shoe("o"), **changes))
    assert caught.value.code == code


def test_a_source_that_was_written_again_is_the_same() -> None:
    """A store of JSON changes spaces and the order of keys: the shoe is as fair as before."""
    house = shipped(ITALIAN)
    command = playing(house).open_shoe("o")
    source = json.dumps(json.loads(command.source), sort_keys=True, separators=(",", ":"))
    assert source != command.source
    table = Table(house, opening=opening_of(house))
    with pytest.raises(TrenteError) as caught:
        table.do(attrs.evolve(command, cut=None, source=source))
    assert caught.value.code == "fair-plan"
    table.do(attrs.evolve(command, source=source))
    assert record_of(table).provenance == playing(house).provenance()
    Player(table).until(Phase.NO_SHOE)
    assert replay(record_of(table)).equal


def test_a_shoe_is_dealt_in_the_house_it_was_sealed_for() -> None:
    """S1: the plan is bound; another burn or another marker would be a choice."""
    for name, other in ((ITALIAN, "campione"), ("france-2007", ITALIAN), ("campione", "acanomas")):
        table = Table(shipped(other), opening=opening_of(shipped(other)))
        with pytest.raises(TrenteError, match="seal it for this house") as caught:
            table.do(playing(shipped(name)).open_shoe("o"))
        assert caught.value.code == "fair-plan"
    table = Table(shipped(ITALIAN), opening=opening_of(shipped(ITALIAN)))
    with pytest.raises(TrenteError, match="seal it for this house"):
        table.do(playing(6).open_shoe("o"))


def test_the_first_card_after_the_cut_decides_the_burn() -> None:
    """S1: where the first card decides how many are burned, it is the one that the cut leaves."""
    extra = '[shoe]\nburn = "first-card"\n'
    house = loads_house(f'[house]\nname="x"\nextends="monte-carlo-1911"\n{extra}')
    burned = set()
    for nonce in range(6):
        fair = playing(house, nonce)
        made = fair.preparation
        assert made is not None
        burned.add(made.burn)
        table = Table(house, opening=opening_of(house))
        table.do(fair.open_shoe("o"))
        Player(table).until(Phase.DEALT)
        assert record_of(table).shoe.burn == made.burn
        assert made.burn == 1 + fair.cards[(made.cut or 0) % 312].points
    assert len(burned) > 1


def test_what_is_drawn_is_kept_and_not_shown() -> None:
    """S1, S16: a snapshot and a journal have it, no view, event or ``repr`` before its time."""
    house = shipped(ITALIAN)
    made = playing(house).preparation
    assert made is not None
    table = opened(house)
    again = restore(snapshot(table), house)
    command = playing(house).open_shoe("o")
    assert command_from_json(json.loads(json.dumps(command_to_json(command)))) == command
    for each in (table, again):
        assert (each.state.drawn_cut, each.state.drawn_marker) == (made.cut, made.marker)
        shown = [repr(each.state), repr(command), *map(repr, each.entries[0].events)]
        shown += [repr(view_of(each.state, for_=viewer)) for viewer in (*Audience, "ann")]
        shown += [json.dumps(view_of(each.state, for_="ann").to_json())]
        for text in shown:
            assert "drawn" not in text
            assert f"cut={made.cut}" not in text
        assert not each.can(Cut(id="c", place=3))
    twisted = json.loads(snapshot(table))
    for key, value in (("drawn_cut", 999), ("drawn_marker", 41), ("drawn_cut", "3")):
        wrong = {**twisted, "state": {**twisted["state"], key: value}}
        with pytest.raises(TrenteError):
            restore(json.dumps(wrong), house)
    Player(table).until(Phase.NO_SHOE)
    assert (table.state.drawn_cut, table.state.drawn_marker) == (None, None)


def decided(kind: str) -> Record:
    """Return the record of a fair shoe in which the house decides something."""
    house = shipped("france-2007")
    table = opened(house)
    player = Player(table)
    player.until(Phase.DEALT if kind == "void" else Phase.READY)
    if kind == "void":
        player.do(VoidCoup, reason="the marker came up within the coup")
    elif kind == "limits":
        player.do(Post, opening=opening_of(house))
    elif kind == "exposed":
        player.until(Phase.CLOSED)
        player.do(Expose)
    player.until(Phase.DEALT)
    player.step()
    player.do(CloseSession if kind == "session" else EndShoe)
    return record_of(table)


@pytest.mark.parametrize("kind", ["void", "exposed", "limits", "end", "session"])
def test_what_was_decided_when_the_order_was_known_is_listed(kind: str) -> None:
    """S1: a void after the verdict, whatever reason it is given, a card shown, an early end."""
    house = shipped("france-2007")
    checks = verify_record(decided(kind), SERVER.hex(), **written_down(house))
    assert all(check.holds is not False for check in checks), list(map(str, checks))
    listed = {check.what: check.words for check in checks if check.holds is None}
    assert ("end" if kind == "session" else kind) in listed
    assert all("decided when the order was known" in words for words in listed.values())


@pytest.mark.parametrize("name", [ITALIAN, "france-2007", "monte-carlo-1911"])
@pytest.mark.parametrize("why", ["marker", "cards", "called", ""])
def test_a_shoe_ends_where_the_rules_end_it(name: str, why: str) -> None:
    """An early end is no end by the marker or the cards, whoever writes the record; and no other.

    Cut, burn and marker are known from the stream, and so is the place where the taille must end.
    """
    house = shipped(name)
    table = opened(house)
    player = Player(table)
    for _coup in range(2):
        player.until(Phase.DEALT)
        player.step()
    player.do(EndShoe)
    early = record_of(table)
    told = attrs.evolve(early, end=attrs.evolve(early.end, why=why))
    assert wrong_in(told, house) == (["end"] if why in ("marker", "cards") else [])
    listed = verify_record(told, SERVER.hex())[-1]
    assert (listed.what, listed.holds) == ("end", False if why in ("marker", "cards") else None)
    assert replay(sealed_record(told)).equal is (why == "called")
    over = opened(house)
    Player(over).until(Phase.NO_SHOE)
    whole = record_of(over)
    right = "marker" if house.shoe.marker else "cards"
    told = attrs.evolve(whole, end=attrs.evolve(whole.end, why=why))
    assert wrong_in(told, house) == ([] if why == right else ["end"])


@pytest.mark.parametrize("name", [ITALIAN, "france-2007"])
def test_no_coup_is_left_out_of_a_record(name: str) -> None:
    """The cards that are out follow one another: a coup, void or not, cannot be dropped."""
    house = shipped(name)
    table = opened(house)
    Player(table).until(Phase.NO_SHOE)
    record = record_of(table)
    assert wrong_in(record, house) == []
    for left_out in (0, 4, len(record.coups) - 2):
        coups = [coup for place, coup in enumerate(record.coups) if place != left_out]
        again = tuple(attrs.evolve(each, number=at) for at, each in enumerate(coups, 1))
        assert wrong_in(attrs.evolve(record, coups=again), house) == ["cards"]
    for kept in (0, 10, len(record.coups) - 1):
        shorter = attrs.evolve(record, coups=record.coups[:kept])
        assert wrong_in(shorter, house) == ["end"]
    twice = (*record.coups[:5], record.coups[4], *record.coups[5:])
    assert "cards" in wrong_in(attrs.evolve(record, coups=twice), house)
    more = (*record.coups, attrs.evolve(record.coups[-1], first=(), second=(), first_places=()))
    more = (*record.coups, attrs.evolve(more[-1], number=len(more), second_places=()))
    assert wrong_in(attrs.evolve(record, coups=more), house) == ["end"]
    live = attrs.evolve(record, shoe=attrs.evolve(record.shoe, live=True))
    assert wrong_in(live, house) == ["shoe"]
    provenance = playing(house).provenance()
    other = attrs.evolve(record, provenance=attrs.evolve(provenance, position=8))
    assert wrong_in(other, house) == ["shoe"]


def test_a_void_that_the_rules_did_not_demand_is_listed() -> None:
    """The last coup of a house that finishes it is not void by the marker, whatever is written."""
    house = shipped(ITALIAN)
    assert house.shoe.finishes
    table = opened(house)
    player = Player(table)
    while not table.state.marker_shown:
        player.until(Phase.CLOSED)
        while table.state.phase in (Phase.CLOSED, Phase.DEALING) and not table.state.marker_shown:
            player.do(Turn)
        if table.state.phase is Phase.DEALT:
            player.step()
    if table.state.phase is not Phase.DEALING:  # it came up between two coups
        player.until(Phase.CLOSED)
        player.do(Turn)
    player.do(VoidCoup, reason="the marker came up within the coup")
    checks = verify_record(record_of(table), SERVER.hex())
    assert all(check.holds is not False for check in checks), list(map(str, checks))
    assert "void" in {check.what for check in checks if check.holds is None}


def test_a_plan_is_compared_whatever_scheme_is_named() -> None:
    """A provenance that has a plan and names the first scheme is none: nothing evades the plan."""
    house = shipped(ITALIAN)
    table = opened(house)
    Player(table).until(Phase.NO_SHOE)
    provenance = playing(house).provenance()
    for changes in ({"method": "trente-fair-1"}, {"plan": ""}):
        with pytest.raises(TrenteError) as caught:
            Provenance.of_json({**provenance.to_json(), **changes})
        assert caught.value.code == "bad-provenance"
        fields: dict[str, Any] = changes
        with pytest.raises(TrenteError, match="scheme"):
            attrs.evolve(provenance, **fields)
    other = FairShoe.seal(7, FairPlan(6, burn=5, marker=(40, 40)), SERVER).shuffle(["alice"])
    record = attrs.evolve(record_of(table), provenance=other.provenance())
    checks = verify_record(sealed_record(record), SERVER.hex())
    assert "plan" in [check.what for check in checks if check.holds is False]
    new = attrs.evolve(provenance, method="trente-fair-3", plan="")
    checks = verify_record(attrs.evolve(record, provenance=new), SERVER.hex())
    found = {check.what: str(check) for check in checks if check.holds is None}
    assert found["commitment"] == (
        "commitment: not checked: the scheme 'trente-fair-3' is not known"
    )


def test_a_machine_that_shuffles_for_every_coup() -> None:
    """Its record names no shoe: the one that was revealed is compared with each of its coups."""
    house = shipped("italy-dispenser")
    table = Table(house, opening=opening_of(house), session="s")
    player = Player(table)
    shoes = [playing(house, nonce) for nonce in (1, 2, 3)]
    for nonce, shoe in enumerate(shoes[:2]):
        table.do(shoe.open_shoe(f"o{nonce}"))
        player.until(Phase.DEALT)
        player.step()
    record = record_of(table.entries, house)
    assert len(record.coups) == 2
    for nonce, shoe in enumerate(shoes, 1):
        shown = shoe.retire().reveal().to_json()
        checks = verify_record(record, reveal=shown, commitment=shoe.commitment.digest, nonce=nonce)
        found = {check.what: check.holds for check in checks}
        assert (found["published"], found["commitment"], found["plan"]) == (True, True, True)
        assert found["cards"] is (nonce < 3)
    checks = verify_record(record, commitment=shoes[0].commitment.digest)
    assert [check.what for check in checks if check.holds is None] == ["published"]
    checks = verify_record(record, SERVER.hex())
    assert [check.what for check in checks if check.holds is None] == ["commitment"]
    wrong = shoes[0].retire().reveal().to_json() | {"nonce": 9}
    checks = verify_record(record, reveal=wrong)
    assert "commitment" in [check.what for check in checks if check.holds is False]


def test_no_record_says_that_a_machine_shuffled_where_none_does() -> None:
    """A taille that is called coups of a machine would have neither a cut nor a marker to check."""
    for name in (ITALIAN, "italy-dispenser"):
        house = shipped(name)
        table = opened(house)
        Player(table).until(Phase.NO_SHOE)
        record = record_of(table)
        assert wrong_in(record, house) == []
        shuffled = "" if house.shoe.every_coup else "every-coup"
        told = attrs.evolve(record, shoe=attrs.evolve(record.shoe, shuffled=shuffled))
        assert "shuffles" in wrong_in(told, house)


def test_a_record_alone_is_no_proof() -> None:
    """What a player did not give is listed as not checked: the house can make a record anew."""
    house = shipped("france-2007")
    table = opened(house)
    Player(table).until(Phase.NO_SHOE)
    record = record_of(table)
    checks = verify_record(record, SERVER.hex())
    unchecked = [check.what for check in checks if check.holds is None]
    assert unchecked == ["published", "nonce", "client seed", "digest of the list"]
    assert playing(house).commitment.digest in checks[2].words
    digest = playing(house).commitment.digest
    for given, what in (
        ({"commitment": "0" * 64}, "published"),
        ({"nonce": 8}, "nonce"),
        ({"client_seeds": ["carol"]}, "client seed 'carol'"),
        ({"seeds": digest}, "digest of the list"),
        ({"beacon_value": "b0a7"}, "beacon"),
    ):
        asked: dict[str, Any] = given
        found = verify_record(record, SERVER.hex(), **asked)
        assert [check.what for check in found if check.holds is False] == [what]
    empty: tuple[dict[str, Any], ...] = {"commitment": ""}, {"seeds": ""}, {"client_seeds": [""]}
    for invalid in empty:
        with pytest.raises(TrenteError):
            verify_record(record, SERVER.hex(), **invalid)
    plain = attrs.evolve(record, provenance=None)
    checks = verify_record(plain, nonce=7)
    assert [str(check) for check in checks if check.holds is False][-1].startswith("published: ")


def test_a_beacon_that_was_not_sealed_is_missed() -> None:
    """A house that announced a beacon and sealed without one is found by who remembers it."""
    shown = playing(6).retire().reveal().to_json()
    (found,) = (c for c in remembered(shown, beacon_value="b0a7") if c.what == "beacon")
    assert str(found) == "beacon: does not hold: you gave b0a7, the file has none"
    plan = "packs=6 cut=0-312 burn=5 marker=20-40"
    for given, holds in ((plan, False), (str(FairPlan(6)), True), (None, None)):
        (check,) = (c for c in remembered(shown, plan=given) if c.what == "plan")
        assert check.holds is holds
        assert holds or "'packs=6 cut=0-312 burn=0 marker=none'" in check.words


def test_a_reveal_of_another_shoe_is_found() -> None:
    """S2: every value that a record and a reveal both have is compared, and named."""
    house = shipped(ITALIAN)
    table = opened(house)
    Player(table).until(Phase.NO_SHOE)
    record = record_of(table)
    right = playing(house).retire().reveal().to_json()
    others = FairShoe.seal(8, house, SERVER).shuffle(["mallory"]).retire().reveal()
    for told, wanted in (
        (others.to_json(), ("commitment", "nonce", "client seeds", "order")),
        (right | {"client_seeds": ["alice"]}, ("client seeds",)),
        (right | {"marker": 40}, ("marker",)),
        (right | {"cut": 1}, ("cut",)),
        (right | {"beacon": "x"}, ("beacon",)),
    ):
        (found,) = (c for c in verify_record(record, reveal=told) if c.what == "reveal")
        assert found.holds is False
        assert all(name in found.words for name in wanted), (wanted, found.words)
    checks = verify_record(record, reveal=right, commitment="0" * 64)
    assert [check.what for check in checks if check.holds is False] == ["published"]


def test_the_list_of_seeds_is_closed_before_the_shuffle() -> None:
    """S1: its digest exists before the order; it binds the shoe and every seed."""
    sealed = FairShoe.seal(7, 6, SERVER)
    closed = sealed.close_seeds(["b", "a"])
    with pytest.raises(TrenteError) as caught:
        _ = sealed.seeds_digest
    assert caught.value.code == "fair-sealed"
    asked: tuple[Callable[[], object], ...] = (
        *(lambda: closed.cards, closed.shuffler, closed.retire),
        lambda: closed.open_shoe("o"),
    )
    for ask in asked:
        with pytest.raises(TrenteError, match="publish seeds_digest") as caught:
            ask()
        assert caught.value.code == "fair-sealed"
    steps: tuple[Callable[[Any], FairShoe], ...] = closed.close_seeds, closed.shuffle
    for step in steps:
        with pytest.raises(TrenteError) as caught:
            step(["c"])
        assert caught.value.code == "fair-shuffled"
    assert closed.shuffle().seeds_digest == closed.seeds_digest
    digests = {
        FairShoe.seal(nonce, 6, SERVER).close_seeds(seeds).seeds_digest
        for nonce in (7, 8)
        for seeds in (["a"], ["a", "b"], ["ab"], ["a", "b", "b"])
    }
    assert len(digests) == 8
    for shoe in (sealed, closed, closed.shuffle(), closed.shuffle().retire()):
        assert pickle.loads(pickle.dumps(shoe)) == shoe
        assert FairShoe.of_json(json.loads(json.dumps(shoe.to_json()))) == shoe
    with pytest.raises(TrenteError, match="other client seeds"):
        FairShoe.of_json(closed.to_json() | {"client_seeds": ["a", "c"]})


def test_a_beacon_speaks_after_the_list_is_closed() -> None:
    """S1: a house that comes last cannot try seeds where the order waits for a public value."""
    sealed = FairShoe.seal(7, 6, SERVER, beacon="drand 4242")
    assert sealed.commitment != FairShoe.seal(7, 6, SERVER).commitment
    closed = sealed.close_seeds(["a"])
    wrongs: tuple[Callable[[], FairShoe], ...] = (
        lambda: sealed.shuffle(["a"], beacon="b0a7"),
        closed.shuffle,
        lambda: FairShoe.seal(7, 6, SERVER).close_seeds(["a"]).shuffle(beacon="b0a7"),
    )
    for wrong in wrongs:
        with pytest.raises(TrenteError) as caught:
            wrong()
        assert caught.value.code == "fair-beacon"
    orders = {closed.shuffle(beacon=value).cards for value in ("b0a7", "b0a8")}
    assert len(orders) == 2
    shoe = closed.shuffle(beacon="b0a7")
    assert FairShoe.of_json(shoe.to_json()) == shoe
    shown = shoe.retire().reveal().to_json()
    assert verify_reveal(shown).holds
    assert not verify_reveal(shown | {"beacon_value": "b0a8"}).holds
    assert not verify_reveal(shown | {"beacon": "drand 4243"}).opens
    with pytest.raises(TrenteError) as caught:
        FairShoe.seal(7, 6, SERVER, beacon="x" * 257)
    assert caught.value.code == "bad-beacon"


def test_a_beacon_has_a_value_and_a_value_a_beacon() -> None:
    """No verifier takes an order without the value of its beacon: it would be a second one."""
    house = shipped("france-2007")
    made = Commitment.of(SERVER, 7, FairPlan.of(house.shoe), "drand 5")
    stream = FairShuffler(SERVER, ["a"], 7, commitment=made)  # with an empty value
    forged = Reveal(made, SERVER, ("a",), stream.shuffle(PACK * 6)).to_json()
    found = verify_reveal(forged)
    assert str(found) == "does not hold: beacon: 'drand 5' has no value"
    shown = playing(house).retire().reveal().to_json()
    assert verify_reveal(shown).holds
    assert verify_reveal(shown | {"beacon_value": "x"}).wrong[0].what == "beacon"
    sealed = FairShoe.seal(7, house, SERVER, beacon="drand 5").close_seeds(["alice"])
    table = Table(house, opening=opening_of(house), session="s")
    table.do(sealed.shuffle(beacon="v2").open_shoe("o"))
    Player(table).until(Phase.NO_SHOE)
    for given, holds in ((None, None), ("v2", True), ("v3", False)):
        checks = verify_record(record_of(table), SERVER.hex(), beacon_value=given)
        (check,) = (each for each in checks if each.what == "beacon 'drand 5'")
        assert check.holds is holds
    provenance = record_of(table).provenance
    assert provenance is not None
    none = attrs.evolve(record_of(table), provenance=attrs.evolve(provenance, beacon_value=""))
    wrong = [c.what for c in verify_record(none, SERVER.hex()) if c.holds is False]
    assert "beacon" in wrong


def test_the_commitment_binds_the_plan() -> None:
    """S1: neither packs, cut, burn nor marker can be another one afterwards."""
    plans = [
        FairPlan(packs, cut, burn, marker)
        for packs in (1, 6)
        for cut in (True, False)
        for burn in (0, 5, "first-card")
        for marker in (None, (5, 5), (5, 6), (0, 0))
    ]
    digests = {Commitment.of(SERVER, 7, plan).digest for plan in plans}
    assert len(digests) == len(plans) == 48
    for plan in plans:
        assert FairPlan.parse(str(plan)) == plan
        assert Commitment.of_json(Commitment.of(SERVER, 7, plan).to_json()).plan == plan
    for text in (
        *("packs=06 cut=0-312 burn=0 marker=none", "packs=6 cut=0-311 burn=0 marker=none"),
        *("packs=6 cut=0-312 burn=0 marker=9-5", "packs=6 cut=0-312 burn=0 marker=5-312"),
        *("packs=6 cut=0-312 burn=53 marker=none", "packs=256 cut=0-312 burn=0 marker=none", ""),
        *("packs=6  cut=0-312 burn=0 marker=none", "packs=6 cut=0-312 burn=0 marker=05-5"),
    ):
        with pytest.raises(TrenteError) as caught:
            FairPlan.parse(text)
        assert caught.value.code in ("bad-plan", "no-packs")


def test_any_host_may_have_a_cut_drawn() -> None:
    """S1: a shoe of another source may name its cut and its marker as well, in its bounds."""
    house = shipped("france-2007")
    table = Table(house, opening=opening_of(house))
    cards = SeededShuffler(bytes(16)).shuffle(playing(house).cards)
    table.do(OpenShoe(id="o", cards=cards, cut=4))
    assert not table.can(Cut(id="c", place=5))
    assert table.can(Cut(id="c"))
    table.do(Cut(id="c", place=4))
    assert table.can(PlaceMarker(id="m"))


def rows() -> dict[str, tuple[set[str], str, str]]:
    """Return the table of the page: fields, who chooses them and what checks them, by command."""
    part = PAGE.split("### Who chooses what")[1].split("###")[0]
    found = {}
    for line in part.splitlines():
        cells = [cell.strip() for cell in line.split("|")][1:-1]
        if len(cells) == 4 and cells[0] not in ("command", "---"):
            fields = set(re.findall(r"`([a-z_]+)`", cells[1]))
            found[cells[0].strip("`")] = fields, cells[2], cells[3]
    return found


def test_the_page_says_who_chooses_every_value() -> None:
    """S1, the kind: every field of every command is in the table, with who chooses it."""
    shared = {field.name for field in attrs.fields(Command)}
    wanted = {"every command": shared} | {
        command.kind: {field.name for field in attrs.fields(command)} - shared
        for command in COMMANDS
    }
    found = rows()
    assert {name: fields for name, (fields, _who, _check) in found.items()} == wanted
    assert all(who and check for _fields, who, check in found.values())
    checks = " ".join(check for _fields, _who, check in found.values())
    assert set(re.findall(r'"(\w+)"', checks)) == {"exposed", "void", "correction", "end", "limits"}
