"""Bets at a live table: when, by whom, how much, insured or not; each refusal changes nothing."""

from __future__ import annotations

from typing import Any

import pytest
from tests.table.driving import Driver, kinds
from tests.table.laws import APRES, NOIR, REFAIT, ROUGE, house_like, net, refused
from tests.whole_units import whole_house

from trente_rules import BetError, Opening, Table
from trente_rules.core.cards import PACK
from trente_rules.core.money import MOST
from trente_rules.table import (
    Announce,
    Choose,
    CloseBets,
    CloseSession,
    EndShoe,
    Expose,
    Increase,
    Insure,
    MovePrisoner,
    OpenBets,
    OpenShoe,
    Place,
    Settle,
    Turn,
    VoidCoup,
    Withdraw,
    restore,
    snapshot,
)


def open_table(house: str, *coups: tuple[int, int]) -> Driver:
    """Return a table whose bets are open."""
    table = Driver(house)
    table.shoe(*coups)
    table.do(OpenBets)
    return table


def ann(**fields: object) -> dict[str, object]:
    """Return the fields of a stake of Ann's."""
    return {"stake": "a", "player": "ann", "chance": "rouge", "amount": 100, **fields}


def test_late_bets_are_taken_until_the_first_card_where_the_house_says_so() -> None:
    """Hoyle's Games: stakes may still be laid after the call, until a card is turned."""
    table = open_table("hoyle-19c", ROUGE)
    table.do(Place, **ann())
    table.do(CloseBets)
    assert {"place", "increase"} <= set(table.table.allowed())
    table.do(Place, **ann(stake="b", player="bob", chance="noir"))
    table.do(Increase, stake="a", amount=10)
    refused(table, "not-now", Withdraw, stake="a")
    table.do(Turn)
    assert not {"place", "increase"} & set(table.table.allowed())
    refused(table, "too-late", Place, **ann(stake="c"))
    refused(table, "too-late", Increase, stake="a", amount=1)
    table.deal_only()
    refused(table, "too-late", Place, **ann(stake="c"))
    table.do(Settle)
    assert net(table) == {"ann": 110, "bob": -100}


def test_late_bets_are_refused_elsewhere() -> None:
    """After rien ne va plus neither a stake, nor a unit more, nor an insurance is taken."""
    table = open_table("france-2007", ROUGE)
    table.do(Place, **ann())
    table.do(CloseBets)
    for kind, fields in (
        (Place, ann(stake="b")),
        (Increase, {"stake": "a", "amount": 100}),
        (Insure, {"stake": "a"}),
    ):
        assert kind.kind not in table.table.allowed()
        refused(table, "too-late", kind, **fields)


def test_an_associate_does_not_pass_the_maximum() -> None:
    """France 2007, art. 35: players who bet together have one maximum; alone, each has his own."""
    table = open_table("homburg-1860", ROUGE)
    table.do(Place, **ann(amount=3000, group="club"))
    bob = {"stake": "b", "player": "bob", "chance": "rouge", "amount": 1001}
    refused(table, "above-maximum", Place, **bob, group="club")
    table.do(Place, **bob)
    refused(table, "above-maximum", Increase, stake="a", amount=1001)
    table.do(Increase, stake="a", amount=1000)


def test_a_group_named_for_some_stakes_alone_gives_no_second_maximum() -> None:
    """A player has one maximum: he bets with a group in all stakes of a coup, or in none."""
    table = open_table("homburg-1860", ROUGE)
    table.do(Place, **ann(amount=4000))
    refused(table, "other-group", Place, **ann(stake="b", group="club", amount=4000))
    refused(table, "above-maximum", Place, **ann(stake="b", amount=1))
    table.do(Withdraw, stake="a")
    table.do(Place, **ann(stake="b", group="club", amount=4000))


@pytest.mark.parametrize(
    ("limits", "other", "own"),
    [
        ("maximum = 20", {"chance": "rouge", "amount": 20}, {"chance": "rouge", "amount": 20}),
        ("both_sides = false", {"chance": "noir"}, {"chance": "rouge"}),
        ("progression = { reference = 1, at_most = 1 }", {"amount": 1}, {"amount": 100}),
    ],
)
def test_a_group_is_not_the_player_of_its_name(
    limits: str, other: dict[str, Any], own: dict[str, Any]
) -> None:
    """T5: Eve names her group "ann", or "group:x": no bet of Ann, or of that player, is refused."""
    for name, group in (("ann", "ann"), ("group:x", "x"), ("player:ann", "ann")):
        table = Driver(house_like("foster-1897", f"[limits]\n{limits}"))
        table.shoe(ROUGE, ROUGE)
        table.do(OpenBets)
        table.do(Place, **ann(**{"stake": "e", "player": "eve", "group": group, **other}))
        if "progression" in limits:
            table.deal()
            table.do(OpenBets)
            table.do(Place, **ann(**{"stake": "e", "player": "eve", "group": group, **other}))
        table.do(Place, **ann(**{"player": name, **own}))


def test_associations_that_are_allowed_count_each_player() -> None:
    """Where a house allows them, the maximum is each player's."""
    table = Driver(house_like("homburg-1860", '[limits]\nassociations = "allowed"\nmaximum = 100'))
    table.shoe(ROUGE)
    table.do(OpenBets)
    table.do(Place, **ann(group="club"))
    table.do(Place, **ann(stake="b", player="bob", group="club"))


def test_insurance_below_its_minimum_is_refused() -> None:
    """France 1959 insures stakes of 50 and more; below, the stake is placed bare or not at all."""
    table = open_table("france-1959", REFAIT)
    refused(table, "insurance-below-minimum", Place, **ann(amount=49, insured=True))
    table.do(Place, **ann(amount=49))
    refused(table, "insurance-below-minimum", Insure, stake="a")
    table.do(Increase, stake="a", amount=1)
    table.do(Insure, stake="a")
    refused(table, "insured-already", Insure, stake="a")
    refused(table, "insurance-below-minimum", Withdraw, stake="a", amount=1)
    assert net(table) == {"ann": -51}
    table.do(Withdraw, stake="a")
    assert net(table) == {"ann": 0}


def test_insurance_is_of_whole_multiples_in_campione() -> None:
    """Campione insures multiples of 500, and they stay multiples."""
    table = open_table("campione", REFAIT)
    refused(table, "insurance-not-multiple", Place, **ann(amount=750, insured=True))
    table.do(Place, **ann(amount=1000, insured=True))
    refused(table, "insurance-not-multiple", Increase, stake="a", amount=250)
    table.do(Increase, stake="a", amount=500)
    table.deal()
    table.do(Settle)
    assert net(table) == {"ann": -15}


def test_a_stake_without_proof_is_bare_or_refused_by_house() -> None:
    """Without its marker an insured stake is refused in an Italian house, and bare in France."""
    refusing = open_table("italy-half-loss", REFAIT)
    refused(refusing, "insurance-without-proof", Place, **ann(insured=True, proof=False))
    refusing.do(Place, **ann())
    refused(refusing, "insurance-without-proof", Insure, stake="a", proof=False)
    taking = open_table("france-2007", REFAIT)
    (placed,) = taking.do(Place, **ann(insured=True, proof=False))
    assert (placed.stake.insured, placed.premium) == (False, 0)  # type: ignore[attr-defined]
    refused(taking, "insurance-without-proof", Insure, stake="a", proof=False)
    taking.do(Insure, stake="a")
    assert net(taking) == {"ann": -101}


def test_a_house_without_insurance_gives_none() -> None:
    """Foster 1897 knows no insurance: it is neither allowed nor taken."""
    table = open_table("foster-1897", REFAIT)
    assert "insure" not in table.table.allowed()
    refused(table, "no-insurance", Place, **ann(insured=True))
    table.do(Place, **ann())
    refused(table, "no-insurance", Insure, stake="a")


def test_a_premium_lasts_one_coup_and_its_fate_is_the_houses() -> None:
    """On an ordinary tie Monte Carlo gives the premium back, France keeps it; the stake is back."""
    for house, richer in (("monte-carlo-1911", 0), ("france-2007", -1)):
        table = open_table(house, APRES)
        table.do(Place, **ann(insured=True))
        table.deal()
        table.do(Settle)
        assert net(table) == {"ann": richer}


def test_wrong_chips_are_refused() -> None:
    """Chips of another currency are not taken, to place or to add; the right ones are."""
    table = open_table("france-2007", ROUGE)
    assert "EUR" in str(refused(table, "wrong-chips", Place, **ann(chips="CHF")))
    table.do(Place, **ann(chips="EUR"))
    refused(table, "wrong-chips", Increase, stake="a", amount=10, chips="chip")


def test_stakes_rise_slowly_in_venezia() -> None:
    """From the fourth bet of a taille, at most 150 % of the third; a new taille begins anew."""
    table = Driver("venezia-online")
    table.shoe(*[ROUGE] * 5)
    for amount in (2, 3, 4):
        table.bet(("ann", "rouge", amount))
        table.deal()
        table.do(Settle)
    table.do(OpenBets)
    refused(table, "raised-too-fast", Place, **ann(amount=7))
    table.do(Place, **ann(amount=4))
    refused(table, "raised-too-fast", Place, **ann(stake="b", chance="noir", amount=3))
    table.do(Increase, stake="a", amount=2)
    refused(table, "raised-too-fast", Increase, stake="a", amount=1)
    table.do(Place, **ann(stake="c", player="bob", amount=41))
    table.deal()
    table.do(Settle)
    table.table.do(table.table.entries[0].command)  # a command sent again is no bet
    table.do(OpenBets)
    table.do(VoidCoup, reason="the end of the night")
    table.do(EndShoe)
    table.shoe(ROUGE)
    table.do(OpenBets)
    table.do(Place, **ann(amount=41))


def test_a_void_coup_is_no_bet_of_the_progression() -> None:
    """What came back was not bet: the third bet is the third that was played."""
    table = Driver("venezia-online")
    table.shoe(*[ROUGE] * 5)
    for amount in (2, 2, 41):
        table.bet(("ann", "rouge", amount))
        table.do(VoidCoup, reason="a card fell")
    table.bet(("ann", "rouge", 41))
    assert table.table.state.history.bets == ()


def test_the_minimum_of_the_day_is_told_when_the_table_opens() -> None:
    """France: the casino sets the minimum when it opens; a thousand times it is the maximum."""
    house = whole_house("france-2007")
    with pytest.raises(BetError, match="when the table opens") as caught:
        Table(house)
    assert caught.value.code == "opening-needed"
    with pytest.raises(BetError) as caught:
        Table(whole_house("venezia-online"), opening=Opening(3))
    assert caught.value.code == "no-such-table"
    table = open_table("france-2007", ROUGE)
    table.table = Table(house, opening=Opening(20))
    table.shoe(ROUGE)
    table.do(OpenBets)
    refused(table, "below-minimum", Place, **ann(amount=19))
    refused(table, "above-maximum", Place, **ann(amount=20_001))
    table.do(Place, **ann(amount=20_000))
    again = restore(snapshot(table.table), house)
    assert again.state.setup.opening == Opening(20)
    assert not again.can(Place(id="x", stake="x", player="bob", chance="noir", amount=19))


def test_a_side_bet_needs_a_stake_on_a_simple_chance() -> None:
    """Venezia: after it, beside it, as long as it stands; of the same player."""
    table = open_table("venezia-online", REFAIT)
    side = {"stake": "s", "player": "ann", "chance": "exact-apres-31", "amount": 2}
    refused(table, "needs-simple", Place, **side)
    table.do(Place, **ann(player="bob", stake="b", amount=2))
    refused(table, "needs-simple", Place, **side)
    table.do(Place, **ann(amount=2))
    table.do(Place, **side)
    refused(table, "needs-simple", Withdraw, stake="a")
    refused(table, "no-insurance", Place, **{**side, "stake": "t"}, insured=True)
    table.do(Withdraw, stake="s")
    table.do(Withdraw, stake="a")
    table.do(Place, **ann(amount=2))
    table.do(Place, **side)
    table.deal()
    table.do(Settle)
    assert net(table) == {"ann": 78 - 1, "bob": -1}


def test_a_stake_is_its_players() -> None:
    """With the player named, another's stake is not touched; a stake of nobody is none."""
    table = open_table("france-2007", REFAIT)
    table.do(Place, **ann())
    for kind, fields in (
        (Increase, {"amount": 10}),
        (Withdraw, {}),
        (Insure, {}),
    ):
        refused(table, "unknown-stake", kind, stake="a", player="bob", **fields)
        refused(table, "unknown-stake", kind, stake="z", **fields)
    refused(table, "no-player", Place, **ann(stake="b", player=""))
    refused(table, "double-stake", Place, **ann(player="bob"))


SECRETS = ("bob", "s-77", "club-1", "17", "34", "68")
"""Bob, his stake, what he bets, and what he and others have on a chance."""


@pytest.mark.parametrize(
    ("limits", "code", "fields"),
    [
        ("aggregate_maximum = 20", "above-aggregate", {"amount": 10}),
        ("differential_maximum = 20", "above-differential", {"amount": 10}),
        ("table_maximum = 20", "above-table-maximum", {"amount": 10}),
        ("maximum = 20", "above-maximum", {"amount": 10, "group": "x"}),
        ("both_sides = false", "both-sides", {"chance": "noir", "group": "x"}),
        ("progression = { reference = 1, at_most = 1 }", "raised-too-fast", {"group": "x"}),
        ("", "double-stake", {"stake": "s-77"}),
    ],
)
def test_no_refusal_of_a_bet_says_what_another_player_has(
    limits: str, code: str, fields: dict[str, object]
) -> None:
    """T5, S8: a player learns no id, no name, no amount of another from what is refused."""
    table = Driver(house_like("foster-1897", f"[limits]\n{limits}"))
    table.shoe(ROUGE, ROUGE)
    stake = {"stake": "s-77", "player": "bob", "chance": "rouge", "amount": 17}
    group = {"group": fields.get("group", "club-1")}
    if code == "raised-too-fast":
        table.bet()
        table.do(Place, **stake, **group)
        table.deal()
    table.do(OpenBets)
    table.do(Place, **stake, **group)
    error = refused(table, code, Place, **ann(**{"player": "eve", "amount": 1, **fields}))
    assert isinstance(error, BetError)
    told = f"{error} {error.hint} {error.refusals!r}"
    if "stake" in fields:  # that it is taken, Eve has to know
        told = told.replace("s-77", "")
    assert not [secret for secret in SECRETS if secret in told], told


@pytest.mark.parametrize("stake", ["s-77", "s-78", "a"])
def test_a_stake_of_another_player_is_as_unknown_as_none(stake: str) -> None:
    """T5, S8: the errors differ in nothing but the id asked for."""
    table = open_table("campione", ROUGE)
    table.do(Place, **ann(stake="s-77", player="bob", amount=500))
    table.do(Place, **ann(stake="mine", player="eve", amount=500))
    for kind, fields in (
        (Increase, {"amount": 10}),
        (Withdraw, {}),
        (Insure, {}),
        (MovePrisoner, {"chance": "noir"}),
        (Choose, {"course": "prison"}),
    ):
        error = refused(table, "unknown-stake", kind, stake=stake, player="eve", **fields)
        assert str(error) == (
            f"stake {stake!r} is not on the table for 'eve' (stakes of 'eve': mine)"
        )
        host = refused(table, "unknown-stake", kind, stake="none", **fields)
        assert not [secret for secret in (*SECRETS, "mine", "eve") if secret in str(host)]


def test_amounts_that_are_none_are_refused() -> None:
    """Nought, less, parts, truth values, more than any table holds: refused, never clamped."""
    table = open_table("foster-1897", ROUGE)
    for amount in (0, -1, MOST + 1):
        refused(table, "bad-stake", Place, **ann(amount=amount))
    for odd in (10**5000, True, 1.5, "10", None):
        refused(table, "bad-value", Place, **ann(amount=odd))
    table.do(Place, **ann(amount=MOST))
    for amount in (0, -1, 1):
        refused(table, "bad-stake", Increase, stake="a", amount=amount)
    for amount in (0, -1, MOST + 1):
        refused(table, "bad-stake", Withdraw, stake="a", amount=amount)
    table.do(Place, **ann(stake="b", amount=MOST))
    table.deal()
    table.do(Settle)
    assert net(table) == {"ann": 2 * MOST}
    assert restore(snapshot(table.table), table.house).state == table.table.state


def test_names_are_any_text_that_can_be_written() -> None:
    """Names of every script are kept as they are; half a character is no text, and is refused."""
    table = open_table("foster-1897", ROUGE)
    odd = "Žofie ☂\u202e\u0000\n'\"; 𐍈"
    table.do(Place, **ann(stake=odd, player=odd, group=odd))
    assert restore(snapshot(table.table), table.house).state == table.table.state
    for name in ("stake", "player", "group", "chance", "chips"):
        refused(table, "bad-value", Place, **ann(**{name: "\ud800"}))
    refused(table, "bad-value", VoidCoup, reason="\udfff")
    table.do(Withdraw, stake=odd, player=odd)
    snapshot(table.table).encode("utf-8")


def test_who_never_staked_has_no_account() -> None:
    """Accounts are of those who staked, in the order they first did; one closes at nought too."""
    table = open_table("foster-1897", ROUGE)
    assert not table.table.state.accounts
    table.do(Place, **ann())
    table.do(Place, **ann(stake="b", player="bob"))
    table.do(Withdraw, stake="b")
    (*lines, closed) = table.do(CloseSession)
    assert kinds(lines) == ["stake-settled"]
    assert closed.players == (("ann", 0), ("bob", 0))  # type: ignore[attr-defined]
    assert closed.bank == 0  # type: ignore[attr-defined]


def test_a_prisoner_neither_grows_nor_leaves() -> None:
    """France: a stake in prison waits; its player may place another beside it."""
    table = Driver("france-2007")
    table.shoe(REFAIT, NOIR)
    table.bet(("ann", "rouge", 100))
    table.deal()
    table.do(Settle)
    table.do(OpenBets)
    refused(table, "in-prison", Increase, stake="ann-rouge", amount=10)
    refused(table, "in-prison", Withdraw, stake="ann-rouge")
    refused(table, "not-covered", Insure, stake="ann-rouge")
    refused(table, "prisoners-stay", MovePrisoner, stake="ann-rouge", chance="noir")
    refused(table, "double-stake", Place, **ann(stake="ann-rouge"))
    table.do(Place, **ann())
    table.deal()
    table.do(Settle)
    assert net(table) == {"ann": -200}


def test_only_what_needs_no_other_word_is_announced_at_will() -> None:
    """A phrase the house does not have, or that is made with a number, is refused."""
    table = open_table("france-2007", ROUGE)
    assert table.do(Announce, phrase="ajouter_a_la_banque")
    for phrase in ("open", "closed", "", "talons"):
        refused(table, "unknown-phrase", Announce, phrase=phrase)
    refused(table, "missing-value", Announce, phrase="talon")


def test_a_shoe_of_other_cards_is_refused() -> None:
    """Whole packs of this house, or none: what is missing and what is too much is named."""
    table = Driver("france-2007")
    for cards in (PACK * 5, PACK * 6 + PACK[:1], (PACK * 6)[1:]):
        refused(table, "not-whole-packs", OpenShoe, cards=cards)
    refused(table, "bad-value", OpenShoe, cards=("10♥",))
    refused(table, "not-now", Expose)
