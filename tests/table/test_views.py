"""Views: a player sees the table and his own, the public no player, the dealer no account."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties.shipped import any_house
from tests.table.choosing import Bytes, Chooser
from tests.table.driving import Driver
from tests.table.test_machine import BURST, coups
from tests.table.watched import Books, Watched

from trente_rules import Card, House, Stake, TrenteError, Verdict
from trente_rules.core.stakes import Line
from trente_rules.table import (
    Audience,
    BuyIn,
    Choose,
    CloseBets,
    CloseSession,
    Command,
    CoupCorrected,
    CoupSettled,
    CoupVoided,
    EntryView,
    Event,
    Increase,
    MemoryJournal,
    OpenBets,
    Phase,
    Place,
    SessionClosed,
    Settle,
    SettledCoup,
    ShowMarker,
    Slip,
    StakeSettled,
    Turn,
    VoidCoup,
    may_give,
    view,
    view_of,
)
from trente_rules.table import coups as coups_of
from trente_rules.table.codec import converter, event_to_json
from trente_rules.table.commands import COMMANDS
from trente_rules.table.coups import NOT_SHOWN
from trente_rules.table.events import EVENTS, LineCorrected, OtherEvent, StakeCorrected
from trente_rules.table.movements import PURSE
from trente_rules.table.views import (
    DEALER_COMMANDS,
    HOST_COMMANDS,
    PLAYER_COMMANDS,
    RULES,
    Viewer,
    event_view,
)
from trente_rules.table.wire import Cause, stamped

ROOT = Path(__file__).parents[2]
PUBLIC, DEALER = Audience.PUBLIC, Audience.DEALER
SMALL = 420
"""No shoe has more cards than that, and no count is above it: what is larger is money."""
MANY = min(200, settings().max_examples)
"""Tables that are driven at random: at night enough for the rarest of what must be met."""


def test_every_event_has_its_view() -> None:
    """T4d: a kind of event that is added is seen by nobody until the table of views names it."""
    assert set(RULES) == set(EVENTS)


def test_a_kind_without_a_view_is_seen_by_nobody() -> None:
    """T4d: an event that only a newer release knows may name a player."""
    for viewer in ("ann", PUBLIC, DEALER):
        assert event_view(OtherEvent("dance", {"player": "ann"}), for_=viewer) is None


def test_a_corrected_stake_is_seen_by_its_player_and_the_dealer() -> None:
    """T4d: whether it came, went or changed; an event that has neither is nobody's."""
    stake = Stake("s", "ann", "rouge", 100)
    line = Line(stake, Verdict.WIN, "win")
    seen: tuple[Event, ...] = (
        StakeCorrected(stake, None),
        StakeCorrected(None, stake),
        LineCorrected(1, 2, line, None),
        LineCorrected(1, 2, None, line),
    )
    for event in seen:
        views = [event_view(event, for_=viewer) for viewer in ("ann", DEALER, "bob", PUBLIC)]
        assert views == [event, event, None, None]
    for event in (StakeCorrected(None, None), LineCorrected(1, 2, None, None)):
        assert event_view(event, for_=DEALER) is None


def test_every_command_is_somebodys() -> None:
    """S16: each command is a player's, the dealer's or the host's, and of one of them alone."""
    listed = (*PLAYER_COMMANDS, *DEALER_COMMANDS, *HOST_COMMANDS)
    assert len(listed) == len(set(listed))
    assert set(listed) == set(COMMANDS)


def test_the_document_says_whose_each_command_is() -> None:
    """S16: the table of docs/table.md is that of the code."""
    text = (ROOT / "docs/table.md").read_text("utf-8")
    for giver, listed in (
        ("player", PLAYER_COMMANDS),
        ("dealer", DEALER_COMMANDS),
        ("host", HOST_COMMANDS),
    ):
        (row,) = re.findall(rf"^\| {giver} \| (`.*) \|$", text, re.MULTILINE)
        assert re.findall(r"`(\w+)`", row) == [kind.__name__ for kind in listed]


def test_a_player_gives_commands_for_himself_alone() -> None:
    """S16: a player names himself; nobody else's command, and none that names nobody, is his."""
    raised = Increase(id="1", stake="s", amount=5, player="ann")
    assert may_give(raised, by="ann")
    for command, viewer in (
        (raised, "bob"),
        (Increase(id="1", stake="s", amount=5), "ann"),
        (BuyIn(id="1", player="ann", amount=5), "ann"),
        (Settle(id="1"), "ann"),
        (Settle(id="1"), "dealer"),
        (raised, DEALER),
        (raised, PUBLIC),
    ):
        assert not may_give(command, by=viewer), (command, viewer)
    assert may_give(Settle(id="1"), by=DEALER)


@pytest.mark.parametrize("viewer", ["", None, 7, b"ann"])
def test_nobody_else_views_a_table(viewer: Any) -> None:
    """T4d: a viewer is a player with a name, or an audience: a choice without owner is hidden."""
    driver = Driver("france-2007")
    for look in (lambda: view([], for_=viewer), lambda: view_of(driver.table.state, for_=viewer)):
        with pytest.raises(TrenteError) as caught:
            look()
        assert caught.value.code == "bad-viewer"


def session(*names: str) -> tuple[Driver, tuple[Event, ...]]:
    """Play a refait that each player chooses for, a void, and close; return all events."""
    driver = Driver("france-2007")
    driver.shoe((31, 31), (33, 31))
    driver.bet(*((name, "rouge", 100 * n) for n, name in enumerate(names, 1)))
    driver.deal()
    for name in names:
        driver.do(Choose, stake=f"{name}-rouge", course="prison", player=name)
    driver.do(OpenBets)
    driver.do(VoidCoup, reason=f"{names[0]} touched a card")
    driver.do(CloseSession)
    return driver, tuple(event for entry in driver.table.entries for event in entry.events)


def test_a_player_sees_his_own_and_no_other() -> None:
    """T4d: own stakes, choices, lines and account; no sum over players, no words of the staff."""
    _driver, events = session("xavier", "bob")
    seen = view(events, for_="bob")
    kinds = Counter(event.kind for event in seen)
    assert kinds["stake-placed"] == kinds["choice-offered"] == kinds["choice-made"] == 1
    assert "xavier" not in repr(seen)
    (over,) = (event for event in seen if isinstance(event, CoupSettled))
    assert (over.players_net, over.bank_net) == (None, None)
    (void,) = (event for event in seen if isinstance(event, CoupVoided))
    assert void.reason is None
    assert [line.stake.owner for line in void.lines] == ["bob"]
    (closed,) = (event for event in seen if isinstance(event, SessionClosed))
    assert closed.bank is None
    assert closed.players == ((("bob", -100),))
    assert len([event for event in seen if isinstance(event, StakeSettled)]) == 2


@pytest.mark.parametrize("name", ["public", "dealer", "Audience.DEALER"])
def test_a_player_may_have_any_name(name: str) -> None:
    """T4d: a player who is called "dealer" or "public" sees no more than his own."""
    _driver, events = session("xavier", name)
    seen = view(events, for_=name)
    assert "xavier" not in repr(seen)
    assert sum(event.kind == "stake-placed" for event in seen) == 1


def test_a_void_that_is_taken_back_is_a_void_in_every_view() -> None:
    """T4d: the reason of a void that a correction takes back is not shown; that it was void is."""
    taken = CoupCorrected(1, "bob was right", void="bob touched a card")
    (seen,) = view([taken], for_=PUBLIC)
    assert isinstance(seen, CoupCorrected)
    assert (seen.reason, seen.void) == (None, NOT_SHOWN)
    assert view([taken], for_=DEALER) == (taken,)


def test_a_stamp_names_the_command_to_its_player_and_the_dealer() -> None:
    """T4d: what staff entered on which device, and another's command, is in nobody's stamp."""
    table = session("xavier", "bob")[0].table
    placed, settled = (
        next(entry for entry in table.entries if entry.command.kind == kind)
        for kind in ("place", "open-bets")
    )
    told = evolve(
        placed, command=evolve(placed.command, staff="eve", device="t1", meta={"ip": "x"})
    )
    ((own,), (dealt,)) = (view(told, for_=viewer).events for viewer in ("xavier", DEALER))
    assert (own.stamp.cause, own.stamp.index) == (
        Cause(told.command.id, "xavier"),
        told.first_event,
    )
    assert dealt.stamp.cause.staff == "eve"
    assert {each.stamp.cause for each in view(settled, for_="bob").events} == {Cause("")}
    assert view(stamped(told), for_="xavier") == (own,)
    assert view(stamped(told), for_="bob") == ()


def test_a_void_of_the_table_has_a_code() -> None:
    """T11: a reason that the table gives itself can be said in any language, and all see it."""
    driver = Driver("france-2007")
    driver.live()
    driver.bet(("ann", "rouge", 100))
    driver.do(CloseBets)
    driver.do(Turn, card=Card(1, "♠"))
    (seen,) = (e for e in view(driver.do(ShowMarker), for_="bob") if isinstance(e, CoupVoided))
    assert (seen.why, seen.reason) == ("marker-out", "the marker came up within the coup")
    assert seen.lines == ()


def test_the_dealer_sees_all_stakes_and_no_account() -> None:
    """T4d: the dealer pays stakes and hears choices; accounts and the bank are not his to see."""
    driver, events = session("xavier", "bob")
    seen = view(events, for_=DEALER)
    kinds = Counter(event.kind for event in seen)
    assert (kinds["stake-placed"], kinds["choice-made"], kinds["stake-settled"]) == (2, 2, 4)
    (closed,) = (event for event in seen if isinstance(event, SessionClosed))
    assert (closed.players, closed.bank) == ((), None)
    assert "touched" in repr(seen)
    assert [view(entry, for_=DEALER).movements for entry in driver.table.entries][5] == ()


def test_the_public_sees_no_player() -> None:
    """T4d: cards, calls and results alone."""
    driver, events = session("xavier", "bob")
    seen = view(events, for_=PUBLIC)
    assert not [name for name in ("xavier", "bob") if name in repr(seen)]
    assert {event.kind for event in seen} >= {"coup-dealt", "announced", "coup-settled"}
    assert all(not view(entry, for_=PUBLIC).movements for entry in driver.table.entries)


def test_a_client_that_connects_again_sees_its_choice_to_make() -> None:
    """T4d: the cards, the results, own stakes, what is offered and may be done; not the shoe."""
    driver = Driver("france-2007")
    driver.shoe((31, 31))
    driver.bet(("ann", "rouge", 100), ("bob", "noir", 200))
    driver.deal()
    state = driver.table.state
    seen = view_of(state, for_="ann")
    assert (seen.phase, seen.round, seen.events) == (Phase.DEALT, state.round, state.events)
    assert [stake.id for stake in seen.stakes] == ["ann-rouge"]
    assert [offer.courses for offer in seen.offers] == [("prison", "partage")]
    assert (seen.account, seen.purse, seen.allowed) == (-100, None, ("choose",))
    assert dict(seen.verdicts)["rouge"].id == "refait"
    assert seen.cards == state.cards
    dealer, public = (view_of(state, for_=audience) for audience in (DEALER, PUBLIC))
    assert (len(dealer.stakes), dealer.account, "settle" in dealer.allowed) == (2, None, True)
    assert (public.stakes, public.account, public.allowed) == ((), None, ())
    assert json.loads(json.dumps(seen.to_json()))["stakes"][0]["owner"] == "ann"


# In any house, with any commands


def marked(player: str) -> str:
    """Return a name that comes up nowhere else."""
    return f"⟦{player}⟧" if player else player


class Marked(Chooser):
    """A chooser whose players, and whose stakes, have names that come up nowhere else."""

    def fields(self, kind: type[Command], choices: Bytes) -> dict[str, Any]:
        """Return the fields of a command, its players and its new stakes marked."""
        fields = super().fields(kind, choices)
        if "player" in fields:
            fields["player"] = marked(fields["player"])
        if kind is Place:
            fields["stake"] = self.new(fields["stake"])
        if kind is Slip:
            fields["bets"] = [evolve(bet, stake=self.new(bet.stake)) for bet in fields["bets"]]
        if "reason" in fields and self.table.state.stakes:
            fields["reason"] += self.table.state.stakes[0].owner
        return fields

    @staticmethod
    def new(stake: str) -> str:
        """Return the id of a new stake, marked; one on the table is marked already."""
        return stake if "⟦" in stake else f"⟦{stake}⟧"


def numbers(value: Any, key: str = "") -> Iterator[int]:
    """Yield the numbers of money in JSON: those too large to count cards, coups or events."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from numbers(each, name)
    elif isinstance(value, list):
        for each in value:
            yield from numbers(each, key)
    elif type(value) is int and abs(value) > SMALL and key not in ("index", "sequence", "events"):
        yield abs(value)


def owned(value: Any, player: str) -> Iterator[int]:
    """Yield the numbers of the parts of an entry that are a player's."""
    if isinstance(value, dict):
        stake = value.get("stake")
        owner = stake.get("owner") if isinstance(stake, dict) else value.get("player")
        if player in (owner, value.get("owner")):
            yield from numbers(value)
            return
        value = list(value.values())
    if isinstance(value, list):
        if value[:1] == [player]:
            yield from numbers(value)
        for each in value:
            yield from owned(each, player)


class Viewed(Watched):
    """A table whose views are checked after every command."""

    def __init__(self, house: House, *, live: bool, purses: bool) -> None:
        """Set the table up."""
        super().__init__(house, journal=MemoryJournal(), purses=purses)
        self.met: Counter[str] = Counter()
        self.chooser = Marked(self, live=live)
        self.names: dict[str, Books] = {}
        self.marks: dict[str, str] = {}
        self.moved: Counter[str] = Counter()
        self.own: dict[str, set[int]] = {}
        self.posted = set(numbers(self.state.opening.to_json()))
        self.happened: list[Event] = []

    def _took(self, command: Command, before: Any, events: tuple[Any, ...]) -> None:
        super()._took(command, before, events)
        self.happened += events
        for event in events:
            if event.kind == "stake-placed":
                name = event.stake.owner
                self.marks |= {name: name, event.stake.id: name}
                self.names.setdefault(name, Books(self.house))
                self.own.setdefault(name, set())
            if event.kind == "coup-voided":
                assert bool(event.why) == (command.kind not in ("void-coup", "correct"))
                self.met[f"void: {event.why}"] += 1
            if event.kind == "opening-posted":
                self.posted |= set(numbers(event.opening.to_json()))
        viewers: tuple[Viewer, ...] = (*self.names, PUBLIC, DEALER)
        for viewer in viewers:
            self.look(viewer)
        if len(self.done) % 12 == 0:
            self.nothing_of_others()

    def look(self, viewer: Viewer) -> None:
        """Check what a viewer sees of the last command, and of the table."""
        entry = self.table.entries[-1]
        seen, now = view(entry, for_=viewer), view_of(self.state, for_=viewer)
        shown = [seen.to_json(), now.to_json()]
        text = json.dumps(shown, ensure_ascii=False)
        whole = json.loads(json.dumps(view_everything(entry)))
        for mark, name in self.marks.items():
            if name != viewer and viewer is not DEALER:
                assert mark not in text
                self.met["another is hidden"] += mark in json.dumps(whole, ensure_ascii=False)
        if viewer is DEALER:
            assert now.stakes == self.state.stakes
            assert now.choices == self.state.choices
            assert not seen.movements
            assert not {event.kind for event in happened(seen)} & {"bought-in", "cashed-out"}
            return
        allowed = self.posted
        if isinstance(viewer, str):
            allowed = self.own[viewer] = allowed | self.own[viewer] | set(owned(whole, viewer))
            allowed = allowed | {abs(now.account or 0), abs(now.purse or 0)}
        assert set(numbers(json.loads(text))) <= allowed
        self.met["numbers are hidden"] += bool(set(numbers(whole)) - allowed)
        if isinstance(viewer, str):
            self.nothing_is_missed(viewer, seen, now)

    def nothing_is_missed(self, viewer: str, seen: Any, now: Any) -> None:
        """Check that a player knows all about himself: his balance, his stakes, his choices."""
        books = self.names[viewer]
        books.correcting, books.direct = self.books.correcting, self.books.direct
        for event in happened(seen):
            self.met["corrected"] += event.kind == "coup-corrected"
            books.write(event)
        self.moved[viewer] += sum(m.units for m in seen.movements if m.reason not in PURSE)
        account = dict(self.state.accounts).get(viewer, 0)
        assert self.moved[viewer] == self.names[viewer].players[viewer] == account == now.account
        own = {stake.id: stake for stake in self.state.stakes if stake.owner == viewer}
        assert self.names[viewer].standing == own == {stake.id: stake for stake in now.stakes}
        self.met["balance"] += bool(account)

    def nothing_of_others(self) -> None:
        """Ask what a player may ask, and check that no error names another's stake."""
        for kind in PLAYER_COMMANDS:
            fields = self.chooser.fields(
                kind, Bytes(bytes([7, *range(len(self.done) % 50, 250, 3)]))
            )
            for name in self.names:
                asked = kind(id="asked", **{**fields, "player": name})
                why = self.table.why_not(asked)
                if why is None:
                    continue
                said = f"{why} {vars(why)!r}"
                for mark, owner in self.marks.items():
                    if owner != name and mark not in repr(asked):
                        assert mark not in said, (asked, said)
                        self.met[f"refused: {why.code}"] += 1

    def whole_coups(self) -> None:
        """Check that a view is folded into coups as all events are, with the viewer's lines."""
        whole = list(coups_of(self.happened))
        for name in self.names:
            seen = list(coups_of(view(self.happened, for_=name)))
            wanted = [
                (coup.number, own_lines(coup.lines, name))
                for coup in whole
                if coup.number and coup.replaces is None
            ]
            assert [(c.number, c.lines) for c in seen if c.number and c.replaces is None] == wanted
            # What was closed, or ended, before the coup that was on: none of it may be his.
            assert closings(seen, name) == closings(whole, name)
            self.met["coups"] += len(wanted)


def own_lines(lines: Iterable[Line], name: str) -> tuple[Line, ...]:
    """Return the lines of a player's stakes."""
    return tuple(line for line in lines if line.stake.owner == name)


def closings(coups: Iterable[SettledCoup], name: str) -> dict[int, tuple[tuple[Line, ...], bool]]:
    """Return by shoe what of a player was closed without a coup, and whether the shoe ended."""
    last = {coup.shoe: coup for coup in coups if not coup.number}
    found = {shoe: (own_lines(each.closed, name), bool(each.end)) for shoe, each in last.items()}
    return {shoe: each for shoe, each in found.items() if any(each)}


def happened(seen: EntryView) -> tuple[Event, ...]:
    """Return the events of a view, without their stamps."""
    return tuple(each.event for each in seen.events)


def view_everything(entry: Any) -> Any:
    """Return all that an entry holds as JSON: what nobody but the host sees."""
    return [
        *map(event_to_json, entry.events),
        *map(converter().unstructure, entry.movements),
    ]


@pytest.mark.slow
def test_no_view_shows_another_player() -> None:
    """T4d: no name, stake or amount of another player; of himself a player misses nothing."""
    met: Counter[str] = Counter()

    @settings(max_examples=MANY)
    @given(
        house=any_house(),
        live=st.booleans(),
        purses=st.booleans(),
        data=st.lists(BURST, min_size=1, max_size=4),
    )
    def drive(house: House, live: bool, purses: bool, data: list[bytes]) -> None:  # noqa: FBT001
        table = Viewed(house, live=live, purses=purses)
        if purses:
            for n, name in enumerate(("ann", "bob", "cy")):
                table.do(BuyIn, player=marked(name), amount=10**6 + n)
        for burst in data:
            coups(table.chooser, burst)
            table.chooser.play(burst)
        table.whole_coups()
        met.update(table.met)

    drive()
    for wanted in (
        "another is hidden",
        "numbers are hidden",
        "balance",
        "corrected",
        "coups",
        "void: exposed",
        "refused: unknown-stake",
    ):
        assert met[wanted] > 1, (wanted, met)
