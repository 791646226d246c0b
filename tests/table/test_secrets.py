"""The cards to come are a secret: nothing a table says depends on them, whatever it is asked."""

from __future__ import annotations

import gc
import json
import re
from collections import Counter
from collections.abc import Iterable
from itertools import count
from pathlib import Path
from typing import Any

import attrs
import pytest
from attrs import evolve
from hypothesis import strategies as st
from tests.properties.meeting import meets
from tests.properties.shipped import any_house, shipped
from tests.table.choosing import Bytes, Chooser
from tests.table.driving import Driver
from tests.table.test_machine import BURST, coups
from tests.table.watched import Watched

from trente_rules import (
    PACK,
    Card,
    House,
    PhaseError,
    Shoe,
    Table,
    TrenteError,
    deal_coup,
    loads_house,
)
from trente_rules.fair import CardSeal, FairShoe, SeededShuffler
from trente_rules.play.session import PlaySession
from trente_rules.records import Recorder
from trente_rules.table import (
    Audience,
    Burn,
    CloseBets,
    Command,
    Correct,
    Cut,
    Deal,
    Dealing,
    Entry,
    Event,
    Expose,
    Journal,
    MemoryJournal,
    OpenBets,
    OpenShoe,
    Phase,
    Place,
    PlaceMarker,
    SqliteJournal,
    TableState,
    TableView,
    Turn,
    command_from_json,
    recover,
    restore,
    snapshot,
    view,
    view_of,
)
from trente_rules.table.commands import COMMANDS

SUITS = "♠♥♦♣"
CARD = re.compile("(?:10|[2-9AJQK])[♠♥♦♣]")


def other_order(cards: tuple[Card, ...], known: int, *, last: bool) -> tuple[Card, ...]:
    """Return the cards with those behind the first ``known`` in another order.

    The ``last`` one stays where the cut has shown it.
    """
    end = len(cards) - last
    return cards[:known] + cards[known:end][::-1] + cards[end:]


def with_other_cards(state: TableState, known: int | None = None) -> TableState:
    """Return a table that differs in the cards to come alone, behind ``known`` cards."""
    shoe = state.shoe
    assert isinstance(shoe, Shoe)
    known = shoe.position if known is None else known
    cards = other_order(shoe.cards, known, last=bool(state.first_row) and known < len(shoe.cards))
    assert Counter(cards) == Counter(shoe.cards)  # they differ in their order alone
    return state.replaced(shoe=evolve(shoe, cards=cards))


def copy_of(table: Table, state: TableState) -> Table:
    """Return a table in another state that has done the same commands."""
    return Table(state.setup.house, state=state, entries=table.entries)


def reply(table: Table, command: Command) -> tuple[Any, ...]:
    """Return all that a table says when it is asked about a command."""
    why = table.why_not(command)
    try:
        shown: object = table.preview(command)
    except TrenteError as error:
        shown = said(error)
    return table.can(command), why and said(why), shown, repr(shown)


def said(error: TrenteError) -> tuple[str, str, str]:
    """Return all that an error says."""
    return error.code, str(error), repr(vars(error))


class Guarded(Watched):
    """A table beside another one that differs in the cards to come: what they say is the same."""

    chooser: Chooser

    def __init__(self, house: House) -> None:
        """Set the table up."""
        self.journal = MemoryJournal()
        super().__init__(house, journal=self.journal)
        self.met: Counter[str] = Counter()
        self.ids = count()

    def give(self, command: Command) -> tuple[Event, ...] | None:
        """Give a command; first ask everything, now and then and in phases that come seldom."""
        seldom = (Phase.CUT, Phase.BURN, Phase.DEALING)
        often = self.state.phase in seldom or next(self.ids) % 16 == 0
        if isinstance(self.state.shoe, Shoe) and often:
            self.ask()
        return super().give(command)

    def _took(self, command: Command, before: TableState, events: tuple[Any, ...]) -> None:
        super()._took(command, before, events)
        self.nothing_early(command, before, events)

    def _refused(
        self, command: Command, before: TableState, error: TrenteError, why: TrenteError | None
    ) -> None:
        super()._refused(command, before, error, why)
        if isinstance(before.shoe, Shoe):
            known = {str(card) for card in before.shoe.cards[: before.shoe.position]}
            named = set(CARD.findall(repr(said(error)))) - set(CARD.findall(repr(command)))
            assert named <= known, (command, error)
            self.met[f"refused: {error.code}"] += 1

    def ask(self) -> None:
        """Ask both tables everything."""
        state, shoe = self.state, self.state.shoe
        assert isinstance(shoe, Shoe)
        other = with_other_cards(state)
        assert isinstance(other.shoe, Shoe)
        tables = copy_of(self.table, state), copy_of(self.table, other)
        if not shoe.rest or shoe.rest[0] == other.shoe.rest[0]:
            self.met["same next card"] += 1
        else:
            self.met[f"asked: {state.phase}"] += 1
        for command in self.questions((*shoe.rest[:1], *other.shoe.rest[:1], shoe.cards[-1])):
            replies = [reply(table, command) for table in tables]
            assert replies[0] == replies[1], command
            self.met[f"{command.kind} {replies[0][0]}"] += 1
        assert tables[0].allowed() == tables[1].allowed()
        assert repr(state) == repr(other)
        assert repr(shoe) == repr(other.shoe)
        for viewer in (*Audience, "ann"):
            assert view_of(state, for_=viewer) == view_of(other, for_=viewer)

    def questions(self, cards: tuple[Card, ...]) -> list[Command]:
        """Return every command, and those that may name a card with each of some cards."""
        name = f"question-{next(self.ids)}"
        bytes_ = Bytes(bytes(range(7, 250, 3)))
        asked: list[Command] = [
            kind(id=name, **self.chooser.fields(kind, bytes_)) for kind in COMMANDS
        ]
        for card in {*cards, Card(7, "♦")}:
            asked += [Turn(id=name, card=card), Expose(id=name, card=card)]
            asked += [Burn(id=name, cards=(card,)), Correct(id=name, reason="r", cards=(card,))]
            asked += [
                Cut(id=name, place=place, by=self.house.shoe.cut_by, card=card) for place in (0, 9)
            ]
        return asked

    def nothing_early(self, command: Command, before: TableState, events: tuple[Any, ...]) -> None:
        """Check that a command shows no card that is still to come after it."""
        shoe = before.shoe
        if isinstance(command, OpenShoe) and command.cards and isinstance(command.cards, tuple):
            other: Command = evolve(command, cards=command.cards[::-1])
            twin = before
        elif isinstance(shoe, Shoe) and not (
            isinstance(command, Cut) and before.house.deal.first_row == "cut"
        ):
            out = sum(event.kind in ("card-turned", "card-burned") for event in events)
            out += sum(event.count for event in events if event.kind == "burned")
            twin, other = with_other_cards(before, shoe.position + out), command
        else:
            return
        done = self.table.entries[-1]
        table = Table(self.house, state=twin, entries=self.table.entries[:-1])
        entry = table.execute(other)
        assert (entry.events, entry.movements) == (events, done.movements)
        assert repr(table.state) == repr(self.state)
        self.met[f"done: {command.kind}"] += 1


def guarded(house: House, data: list[bytes]) -> Counter[str]:
    """Drive a guarded table; return what was met."""
    table = Guarded(house)
    table.chooser = Chooser(table, live=False)
    for burst in data:
        coups(table.chooser, burst)
        table.chooser.play(burst)
    return table.met


@pytest.mark.slow
@pytest.mark.meets
def test_no_reply_depends_on_the_cards_to_come() -> None:
    """S16: two tables that differ in the cards to come say the same, and show no card early."""
    met: Counter[str] = Counter()

    @meets(house=any_house(), bursts=st.lists(BURST, min_size=2, max_size=5))
    def drive(house: House, bursts: list[bytes]) -> None:
        met.update(guarded(house, bursts))

    drive()
    for wanted in (
        *(f"asked: {phase}" for phase in ("cut", "ready", "betting", "closed", "dealing", "dealt")),
        *(f"done: {kind}" for kind in ("open-shoe", "cut", "burn", "turn", "deal", "settle")),
        "turn False",
        "refused: other-card",
        "deal True",
    ):
        assert met[wanted] > 0, (wanted, met)


@pytest.mark.slow
def test_the_last_coup_of_a_shoe_whose_cut_shows_a_card_shows_none_early() -> None:
    """S16: a coup that the last card of the shoe does not complete; the cut has shown that card."""
    rules = '[deal]\nfirst_row = "cut"\n[shoe]\npacks = 1\nends = "last-card"\n'
    house = loads_house('[house]\nname = "own"\n[refait]\nrule = "half-loss"\n' + rules)
    table = Guarded(house)
    table.chooser = Chooser(table, live=False)
    while not table.kinds["open-shoe"] or table.state.shoe:
        table.chooser.onwards(Bytes(b""))
    last = table.table.entries[-1]
    assert last.command.kind == "deal"
    kinds = [event.kind for event in last.events]
    assert "coup-voided" in kinds
    assert "shoe-ended" in kinds


def dealing(house: str = "france-2007") -> tuple[Driver, Shoe]:
    """Return a table whose bets are closed, and its shoe."""
    driver = Driver(house)
    driver.shoe((33, 31))
    driver.bet(("ann", "rouge", 100))
    shoe = driver.table.state.shoe
    assert isinstance(shoe, Shoe)
    return driver, shoe


@pytest.mark.parametrize("kind", [Turn, Expose])
def test_a_question_does_not_find_the_next_card(kind: type[Turn | Expose]) -> None:
    """S16: asked for every card of a pack the table says the same; ``do`` takes the right one."""
    driver, shoe = dealing()
    if kind is Turn:
        driver.do(CloseBets)
    table = driver.table
    replies = {
        (why.code, why.message.replace(str(card), "X")) if why else None
        for card in PACK
        for why in [table.why_not(kind(id="p", card=card))]
    }
    assert [code for code, _words in filter(None, replies)] == ["card-secret"]
    assert len(replies) == 1
    assert table.can(kind(id="p"))
    with pytest.raises(PhaseError, match="leave the card out"):
        table.verify(kind(id="p", card=shoe.rest[0]))
    wrong = next(card for card in PACK if card != shoe.rest[0])
    with pytest.raises(TrenteError) as caught:
        table.do(kind(id="p", card=wrong))
    assert caught.value.code == "other-card"
    assert str(shoe.rest[0]) not in str(caught.value)
    assert table.do(kind(id="p", card=shoe.rest[0]))


def test_a_question_about_a_faulty_card_names_the_fault() -> None:
    """S16: what is not about the card is refused as ever: a wrong type, a wrong time."""
    driver, _shoe = dealing()
    wrong: Any = "7d"
    for command, code in (
        (Expose(id="p", card=wrong), "bad-value"),
        (Turn(id="p", card=PACK[0]), "not-now"),
    ):
        why = driver.table.why_not(command)
        assert why is not None
        assert why.code == code


def test_a_live_table_is_asked_for_cards() -> None:
    """S16: where nobody knows the order, a card may be named in a question."""
    driver = Driver("france-2007")
    driver.live()
    driver.bet(("ann", "rouge", 100))
    assert driver.table.can(Expose(id="p", card=PACK[0]))


def test_the_card_of_a_cut_is_not_asked_for() -> None:
    """S16: where the cut decides the first row, the card it shows cannot be found by asking."""
    house = loads_house('[house]\nname="x"\nextends="france-2007"\n[deal]\nfirst_row="cut"\n')
    driver = Driver(house)
    cards = SeededShuffler(bytes(16)).shuffle(PACK * house.shoe.packs)
    driver.do(OpenShoe, cards=cards)
    for card in (cards[99], cards[100]):
        why = driver.table.why_not(Cut(id="p", place=100, by=house.shoe.cut_by, card=card))
        assert why is not None
        assert why.code == "card-secret"
    assert driver.do(Cut, place=100, by=house.shoe.cut_by, card=cards[99])


def test_no_repr_shows_cards_to_come_or_a_seed() -> None:
    """S16: nothing that holds cards to come or a secret seed shows them as text."""
    seed = bytes(range(1, 33))
    seeded, fair = SeededShuffler(seed), FairShoe.seal(3, server_seed=seed).shuffle(["alice"])
    cards = seeded.shuffle(PACK * 6)
    shoe = Shoe.of_cards(cards, 6)
    journal = MemoryJournal()
    table = Table(shipped("italy-half-loss"), opening=_opening(), journal=journal)
    table.do(OpenShoe(id="1", cards=cards))
    holders = (shoe, table, table.state, OpenShoe(id="1", cards=cards), journal, journal.kept())
    for value in (*holders, table.entries, deal_coup(shoe).shoe, fair, fair.shuffler(), seeded):
        for text in (repr(value), str(value)):
            assert not any(suit in text for suit in SUITS), text
            assert seed.hex()[:16] not in text
            assert repr(seed)[2:20] not in text


def _opening() -> Any:
    house = shipped("italy-half-loss")
    return house.opening(minimum=10, maximum=1000)


def test_a_refused_shoe_does_not_show_its_order() -> None:
    """S16: the cards that are missing or too many are named in the order of a pack."""
    cards = SeededShuffler(bytes(16)).shuffle(PACK * 6)
    with pytest.raises(TrenteError) as caught:
        Shoe.of_cards(cards + cards[:40], 6)
    named = [text.split(" x ")[1] for text in vars(caught.value)["extra"]]
    assert named == sorted(named, key=[str(card) for card in PACK].index)
    assert len(named) > 20


def test_the_seed_of_a_test_is_not_committed_to() -> None:
    """S16: a short seed is found from its SHA-256 by trying all: no commitment is published."""
    short = SeededShuffler("ab12", test=True)
    assert short.provenance().commitment == ""
    assert SeededShuffler(bytes(16)).provenance().commitment != ""
    assert "commitment" not in OpenShoe.shuffled("1", 6, short).source


def run_of(cards: tuple[Card, ...], text: str) -> bool:
    """Return whether three cards that follow each other in a shoe do so in a text."""
    order = " ".join(map(str, cards))
    named = CARD.findall(text)
    return any(" ".join(named[n : n + 3]) in order for n in range(len(named) - 2))


def test_no_error_of_a_wrong_form_shows_the_order() -> None:
    """S16: a snapshot or a command whose cards are of a wrong form is refused without them."""
    cards = SeededShuffler(bytes(16)).shuffle(PACK * 6)
    names, house = [str(card) for card in cards], shipped("france-2007")
    table = Table(house, opening=house.opening(minimum=10))
    table.do(OpenShoe(id="1", cards=cards))
    kept = json.loads(snapshot(table))
    order = kept["state"]["shoe"]["cards"]
    letters = order.translate(str.maketrans("♠♥♦♣", "shdc"))
    wrong: Any = (
        [names],
        [" ".join(names)],
        names,
        {"x": names},
        order + " X",
        order[:50],
        [order],
    )
    said = []
    for form in (*wrong, [letters], order.replace(" ", ""), " ".join(names[:3]) + "?"):
        kept["state"]["shoe"]["cards"] = form
        told = {"kind": "open-shoe", "id": "2", "cards": form}
        for refuse in (
            lambda: restore(json.dumps(kept), house),
            lambda: command_from_json(told),  # noqa: B023
            lambda: table.do(OpenShoe(id="2", cards=(form,))),  # noqa: B023
            lambda: Card.parse(form),  # noqa: B023
        ):
            try:
                refuse()
            except TrenteError as error:
                said.append(f"{error} {vars(error)!r}".replace(" and ", ""))
    assert len(said) > 30
    for text in said:
        assert not run_of(cards, text), text
        assert not re.search(r"[2-9]d [2-9]d \w", text), text


RUN = 5
"""So many cards that follow each other are no chance, of 6.5 million orders of them."""


def runs(cards: Iterable[Card]) -> set[str]:
    """Return every run of five cards, as text with spaces between."""
    names = [str(card) for card in cards]
    return {" ".join(names[n : n + RUN]) for n in range(len(names) - RUN + 1)}


def shows(coming: set[str], text: str) -> bool:
    """Return whether a text has five cards to come one after the other, whatever is between."""
    return text.count("♠") + text.count("♥") + text.count("♦") + text.count("♣") >= RUN and not (
        coming.isdisjoint(runs_named(text))
    )


def runs_named(text: str) -> set[str]:
    """Return every run of five cards that a text names."""
    named = CARD.findall(text)
    return {" ".join(named[n : n + RUN]) for n in range(len(named) - RUN + 1)}


def everything_asked(table: Table, session: PlaySession) -> list[object]:
    """Return what a host has in hand in the middle of a shoe: replies, views, errors, texts."""
    held: list[object] = []
    shoe = table.state.shoe
    assert isinstance(shoe, Shoe)
    for kind in COMMANDS:
        order = {"cards": shoe.cards} if kind is OpenShoe else {}
        for fields in ({}, order, {"card": shoe.rest[0]}, {"amount": -1}, {"place": "x"}):
            names = {each.name for each in attrs.fields(kind)}
            try:
                command = kind(id="q", **{n: v for n, v in fields.items() if n in names})  # type: ignore[arg-type]
            except (TrenteError, TypeError) as error:
                held.append(error)
                continue
            for ask in (table.preview, table.why_not, table.verify):
                try:
                    held.append(ask(command))
                except TrenteError as error:
                    held.append(error)
    for viewer in (*Audience, "ann"):
        held += [view_of(table.state, for_=viewer), view(table.entries[-1], for_=viewer)]
    held += [PhaseError("x"), session, Recorder(table.house), table.taille, Dealing([table])]
    return held


@pytest.mark.slow
def test_no_object_of_ours_shows_five_cards_to_come(tmp_path: Path) -> None:
    """S16: ``repr`` and ``str`` of every object of every class of ours that is in memory."""
    house = shipped("france-2007")
    gc.collect()
    gc.freeze()  # what was there before
    try:
        key = CardSeal(bytes(range(32)))
        fair = FairShoe.seal(5, house, bytes(range(2, 34))).shuffle(["ann", "bob"])
        tables, journals, coming = [], list[Journal](), set[str]()
        for number, source in enumerate((fair.shuffler(), SeededShuffler(bytes(range(40, 56))))):
            cards = source.shuffle(PACK * 6)
            sealed = SqliteJournal(tmp_path / f"{number}.journal", "normal", seal=key)
            journals.append(MemoryJournal() if number else sealed)
            opening = house.opening(minimum=10)
            table = Table(house, name=f"t{number}", opening=opening, journal=journals[-1])
            for command in (
                OpenShoe(id="1", cards=cards) if number else fair.open_shoe("1"),
                Cut(id="2"),
                PlaceMarker(id="3"),
                OpenBets(id="4"),
                Place(id="5", stake="s", player="ann", chance="rouge", amount=1000),
                CloseBets(id="6"),
                Deal(id="7"),
            ):
                table.do(command)
            shoe = table.state.shoe
            assert isinstance(shoe, Shoe)
            coming |= runs(shoe.rest)
            assert shows(coming, repr(shoe.rest))
            tables.append(table)
        session = PlaySession(tables[1], SeededShuffler(bytes(range(40, 56))), 10_000)
        held = [everything_asked(table, session) for table in tables]
        held.append([recover(journal) for journal in journals])
        held.append([restore(snapshot(table), house) for table in tables])
        ours = [each for each in gc.get_objects() if type(each).__module__.startswith("trente_")]
        seen: Counter[type] = Counter()
        for each in ours:
            seen[type(each)] += 1
            if seen[type(each)] > 500:  # announcements and the like
                continue
            for text in (repr(each), str(each)):
                assert not shows(coming, text), (type(each), text[:500])
    finally:
        gc.unfreeze()
    wanted = {Table, TableState, Shoe, OpenShoe, FairShoe, SeededShuffler, MemoryJournal, Dealing}
    wanted |= {SqliteJournal, PlaySession, CardSeal, Recorder, PhaseError, TableView, Entry}
    assert wanted <= set(seen)
    assert len(seen) > 60
    assert held
