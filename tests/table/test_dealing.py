"""One shoe at several tables: each is as if it were alone, whatever happens between two of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.table.laws import house_like
from tests.whole_units import whole_house

from trente_rules import Card, House, Opening, PhaseError, RuleError, Shoe, Table, TrenteError
from trente_rules.fair import SeededShuffler
from trente_rules.table import (
    CloseBets,
    Command,
    Correct,
    Cut,
    Deal,
    Dealing,
    EndShoe,
    OpenBets,
    OpenShoe,
    Phase,
    Place,
    PlaceMarker,
    Post,
    Retract,
    Settle,
    SqliteJournal,
    Turn,
    VoidCoup,
    recover,
)
from trente_rules.table.state import balance
from trente_rules.testing import coup_with, opening_of, stacked_shoe

HOUSES = {
    "euro": house_like("france-2007", '[money]\ncurrency = "EUR"\nunit = "0.01"'),
    "franc": house_like(
        "france-2007",
        '[money]\ncurrency = "CHF"\nunit = "0.05"\n[limits]\nmaximum_multiple = 20\n'
        '[refait]\nlevels = 2\npartage = ["1/2", "1/4"]\nclose = ["1/2", "1/4"]\nlast = "lose"',
    ),
    "pound": house_like(
        "france-2007",
        '[money]\ncurrency = "GBP"\nunit = "0.10"\n[limits]\nrule = "fixed"\nminimum = 5\n'
        'maximum = 500\nmaximum_multiple = "none"\n[refait]\nrule = "half-loss"',
    ),
}


def table_of(name: str, house: House | None = None, **named: Any) -> Table:
    """Return a table of a house, opened at 10 of its currency."""
    house = house or HOUSES[name]
    opening = opening_of(house)
    return Table(house, name=name, opening=opening, session=f"session-{name}", **named)


class Killed(BaseException):
    """The end of the process between two writes."""


class Host:
    """A host of one dealing: it gives each command an id, and sends it again after a crash."""

    def __init__(self, folder: Path, chance: random.Random, kills: float) -> None:
        """Set the three tables up, each with its journal."""
        self.folder, self.chance, self.kills, self.killed = folder, chance, kills, 0
        self.journals = {name: SqliteJournal(folder / name) for name in HOUSES}
        tables = (table_of(name, journal=journal) for name, journal in self.journals.items())
        self.dealing, self.count = Dealing(tables), 0

    @property
    def state(self) -> Any:
        """The state of the first table."""
        return next(iter(self.dealing.tables.values())).state

    def do(self, kind: type[Command], **fields: Any) -> None:
        """Do a command of the dealer at all tables, in spite of crashes."""
        self.count += 1
        command = kind(id=f"d{self.count}", **fields)
        try:
            if self.chance.random() < self.kills:
                self.trap(self.chance.choice(list(HOUSES)), after=self.chance.random() < 0.5)
            self.dealing.execute(command)
        except Killed:
            self.killed += 1
            self.recover()
            entries = self.dealing.execute(command)
            assert {entry.command for entry in entries.values()} == {command}
        again = self.dealing.execute(command)
        assert all(entry.repeated for entry in again.values())

    def trap(self, name: str, *, after: bool) -> None:
        """Let the process end when a table writes next, before it has written or after that."""
        journal, append = self.journals[name], self.journals[name].append

        def ends(*written: Any) -> None:
            if after:
                append(*written)
            raise Killed

        vars(journal)["append"] = ends

    def recover(self) -> None:
        """Read every table from its journal, as a new process does."""
        for journal in self.journals.values():
            journal.close()
        self.journals = {name: SqliteJournal(self.folder / name) for name in HOUSES}
        self.dealing = Dealing(
            recover(journal, HOUSES[name]) for name, journal in self.journals.items()
        )


def bets(name: str, coup: int) -> Iterator[Place]:
    """Yield what is staked at a table, in units of its currency."""
    unit = 1 / HOUSES[name].money.unit.value
    for place, (player, chance) in enumerate((("ann", "rouge"), ("bob", "inverse"))):
        insured, amount = (coup + place) % 3 == 0, int((10 + coup % 7) * unit)
        yield Place(
            f"{coup}", f"{player}-{coup}", player, chance, amount, insured=insured, at="now"
        )


def scans(host: Host, true: list[Card], rest: list[Card]) -> int:
    """Turn the cards of a coup, 15 % of them wrong, until all are right; return the mistakes."""
    mended, chance = 0, host.chance
    while host.state.cards != tuple(true):
        cards = host.state.cards
        alike = sum(1 for n in range(len(cards)) if cards[: n + 1] == tuple(true[: n + 1]))
        if alike < len(cards):
            mended += 1
            if chance.random() < 0.5:
                host.do(Retract, cards=len(cards) - alike)
            else:
                host.do(Correct, reason="video", cards=tuple(true[: alike + 1]))
        for number in range(len(host.state.cards), len(true)):
            misread = chance.choice(rest) if chance.random() < 0.15 else true[number]
            first = next(iter(host.dealing.tables.values()))
            if host.state.phase is Phase.DEALT or not first.can(Turn("?", misread)):
                break
            host.do(Turn, card=misread)
    return mended


@pytest.mark.slow
def test_three_tables_on_one_shoe_are_as_three_alone(tmp_path: Path) -> None:
    """T8 c: EUR, CHF and GBP, three refaits, 15 % wrong scans, ends of the process in between.

    Each table has the money, the stakes and the shoe of one that was alone and read every card
    right.
    """
    chance = random.Random("one shoe")  # noqa: S311 - not for a shoe
    host = Host(tmp_path, chance, kills=0.04)
    alone = {name: table_of(name) for name in HOUSES}
    mended = 0
    for shoe in range(2):
        order = list(Shoe.shuffled(6, SeededShuffler(f"{shoe:032}")).cards)
        opening: tuple[Command, ...] = (OpenShoe("o"), Cut("c"), PlaceMarker("m"))
        for command in opening:
            host.do(type(command))
            for table in alone.values():
                table.do(type(command)(id=f"{command.id}{shoe}"))
        for coup in range(shoe * 100, shoe * 100 + 5):
            ids = iter(f"{coup}-{number}" for number in range(100))
            true: list[Card] = []
            host.do(OpenBets)
            for name, table in alone.items():
                table.do(OpenBets(id=next(ids)))
                for bet in bets(name, coup):
                    assert table.do(bet)
                    host.dealing.tables[name].do(bet)
                table.do(CloseBets(id=next(ids)))
            host.do(CloseBets)
            first = alone["euro"]
            while first.state.phase is not Phase.DEALT:
                true.append(order.pop(0))
                for table in alone.values():
                    table.do(Turn(id=next(ids), card=true[-1]))
            mended += scans(host, true, order)
            host.do(Settle)
            for name, table in alone.items():
                table.do(Settle(id=next(ids)))
                now, wanted = host.dealing.tables[name].state, table.state
                assert now.accounts == wanted.accounts
                assert (now.stakes, now.bank, now.shoe) == (wanted.stakes, wanted.bank, wanted.shoe)
                assert balance(now) == 0
        host.do(EndShoe)
        for table in alone.values():
            table.do(EndShoe(id=f"end{shoe}"))
    assert mended > 6
    assert host.killed > 4
    nets = {name: sum(dict(table.state.accounts).values()) for name, table in alone.items()}
    assert len(set(nets.values())) == len(nets)


def test_a_refusal_of_one_table_leaves_all_unchanged() -> None:
    """All are asked before the first is changed; a command of one table is not of the dealing."""
    dealing = Dealing(table_of(name) for name in HOUSES)
    dealing.execute(OpenShoe(id="1"))
    before = [table.state for table in dealing.tables.values()]

    def refused(code: str, command: Any) -> None:
        with pytest.raises(TrenteError) as caught:
            dealing.execute(command)
        assert caught.value.code == code
        assert [table.state for table in dealing.tables.values()] == before

    refused("not-now", OpenBets(id="2"))
    refused("bad-cut", Cut(id="2", place=1000))
    refused("same-id", Cut(id="1"))
    place = Place(id="2", stake="s", player="ann", chance="rouge", amount=100)
    for own in (place, Post(id="2", opening=Opening(10)), None, 5):
        refused("one-table", own)
    refused("one-table", Correct(id="2", reason="x", choices=(("s", "prison"),)))
    euro = dealing.tables["euro"]
    refused("one-table", Cut(id="2", round=euro.state.round))
    refused("one-table", Correct(id="2", reason="x", void=True, target=euro.state.round))
    euro.do(Cut(id="alone"))
    before = [table.state for table in dealing.tables.values()]
    refused("tables-apart", Cut(id="2"))
    refused("tables-apart", PlaceMarker(id="2"))
    dealing.execute(Cut(id="alone"))  # that one was missed by the others
    dealing.execute(PlaceMarker(id="3"))


@pytest.mark.parametrize(
    ("toml", "key"),
    [
        ("[shoe]\npacks = 5", "shoe.packs"),
        ('[shoe]\nexposed_card = "void"', "shoe.exposed_card"),
        ("[shoe.marker]\nfrom_end = 6", "shoe.marker.from_end"),
        ("[deal]\nrefait_on = [31, 32]", "deal.refait_on"),
    ],
)
def test_a_house_with_another_shoe_is_named_with_its_key(toml: str, key: str) -> None:
    """T8 c: [shoe] and [deal] are alike, also in when a coup is void or a shoe ends."""
    other = table_of("other", house_like("france-2007", toml))
    with pytest.raises(RuleError) as caught:
        Dealing([table_of("euro"), other])
    assert (caught.value.code, caught.value.field) == ("other-dealing", key)
    assert key in caught.value.message
    for wrong in ([], [table_of("euro"), table_of("euro")]):
        with pytest.raises(TrenteError, match="table"):
            Dealing(wrong)


def test_two_tables_of_one_session_are_refused() -> None:
    """R11: their movements would have the same ids, and a wallet would pay one of them."""
    house, opening = whole_house("monte-carlo-1911"), Opening(20)
    one, two = (Table(house, name=name, opening=opening, session="monday") for name in "ab")
    for call in (lambda: Dealing([one, two]), lambda: Dealing([one]).join(two)):
        with pytest.raises(TrenteError, match="have one session") as caught:
            call()
        assert caught.value.code == "bad-setup"


def test_two_tables_of_one_name_are_refused() -> None:
    """T8 c: a table is found by its name, so that one of two would be lost."""
    house, opening = whole_house("monte-carlo-1911"), Opening(20)
    one, two = (Table(house, name="a", opening=opening, session=day) for day in ("mon", "tue"))
    dealing = Dealing([one])
    for call in (lambda: Dealing([one, two]), lambda: dealing.join(two)):
        with pytest.raises(TrenteError) as caught:
            call()
        assert (caught.value.message, caught.value.code, caught.value.hint) == (
            "two tables are named 'a'",
            "bad-setup",
            "give each table a name: Table(house, name=...)",
        )
    assert dealing.tables["a"] is one


def test_a_table_joins_between_two_shoes_and_leaves_with_its_prisoners() -> None:
    """A late copy of a command before it joined does not reach it; prisoners stay."""
    dealing = Dealing([table_of("euro"), table_of("franc")])
    franc, pound = dealing.tables["franc"], table_of("pound")
    cards = stacked_shoe([coup_with(31, 31)]).cards

    def coup(number: int) -> None:
        opening = (OpenShoe(id=f"o{number}", cards=cards), Cut(id=f"c{number}"))
        for command in (*opening, PlaceMarker(id=f"m{number}"), OpenBets(id=f"b{number}")):
            dealing.execute(command)
        with pytest.raises(PhaseError) as caught:
            dealing.join(table_of("late", HOUSES["euro"]))
        assert caught.value.code == "tables-apart"
        franc.do(Place(id="p", stake=f"s{number}", player="ann", chance="rouge", amount=200))
        for closing in (CloseBets(id=f"r{number}"), Deal(id=f"d{number}"), Settle(id=f"s{number}")):
            dealing.execute(closing)

    coup(1)
    last = EndShoe(id="e1")
    dealing.execute(last)
    dealing.join(pound)
    for late in (last, OpenShoe(id="o1", cards=cards), Correct(id="x", reason="x", void=True)):
        with pytest.raises(PhaseError) as caught:
            dealing.execute(late)
        assert caught.value.code == "tables-apart"
    assert (pound.entries, [stake.state for stake in franc.state.stakes]) == ((), ["prison"])
    assert dealing.leave("franc") is franc
    coup_two = OpenShoe(id="o2", cards=cards)
    dealing.tables["euro"].do(coup_two)  # the process ended before the table that joined had it
    again = dealing.execute(coup_two)
    assert [entry.repeated for entry in again.values()] == [True, False]
    assert [stake.state for stake in franc.state.stakes] == ["prison"]
    dealing.execute(Cut(id="c2"))
    dealing.execute(PlaceMarker(id="m2"))
    dealing.execute(OpenBets(id="b2"))
    dealing.execute(VoidCoup(id="v2", reason="a card fell"))
    dealing.leave("pound")
    with pytest.raises(TrenteError, match="cannot leave"):
        dealing.leave("euro")
