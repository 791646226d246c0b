"""Announcements: what the sources quote is what is called, in every style and language."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from trente_rules.core.cards import PACK, Card, Colour
from trente_rules.core.chances import SIMPLE_CHANCES, DealRule, Verdict
from trente_rules.core.coup import POINTS, Coup, Row
from trente_rules.core.errors import CardError, RuleError
from trente_rules.core.keys import keys_of
from trente_rules.core.plugins.manager import default_manager
from trente_rules.core.rules.announcements import (
    PHRASE_KEYS,
    Announcements,
    Call,
    Language,
    bets_closed_calls,
    bets_open_calls,
    calls_of,
    card_calls,
    coup_calls,
    opening_calls,
    phrase_faults,
    result_calls,
    talon_calls,
    words,
)

CODES = default_manager().names("language")
CHOICES: dict[str, tuple[Any, ...]] = {
    "totals": ("units", "running", "first-full", "full"),
    "points_at": ("row", "result"),
    "forty": ("quarante", "dix", "zero"),
    "row_call": (False, True),
    "result": ("rouge-couleur", "all-four", "rouge-only"),
    "tie": ("point", "both", "alone"),
}
STYLES = tuple(
    Announcements(**dict(zip(CHOICES, values, strict=True)))
    for values in product(*CHOICES.values())
)


@cache
def language(code: str) -> Language:
    """Return a catalogue that comes with the library."""
    path = files("trente_rules.core.rules") / "languages" / f"{code}.toml"
    return Language.from_toml(path.read_text(encoding="utf-8"))


def a_row(point: int, colour: Colour) -> Row:
    """Return a row of four cards with this point, its first card of this colour."""
    suit = "♥" if colour else "♠"
    last = PACK[point - 31]
    return Row((Card(10, suit), Card(13, "♣"), Card(12, "♦"), last))


@cache
def a_coup(first: int, second: int, colour: Colour = Colour.NOIR) -> Coup:
    """Return a coup of eight cards with these points, its first card of this colour."""
    return Coup(a_row(first, colour), a_row(second, Colour.NOIR))


def verdicts(rule: DealRule, coup: Coup) -> dict[str, Verdict]:
    """Return what the chances of a house say of a coup."""
    return {chance.id: chance.verdict(coup) for chance in build(rule)}


@cache
def build(rule: DealRule) -> tuple[Any, ...]:
    """Build the chances of a house once."""
    return rule.build()


def a_style(**changes: Any) -> tuple[Announcements, Language]:
    """Return a style, and the words of its language with the phrases given by name in place."""
    keys = {each.name for each in keys_of(Announcements)}
    own = {key: changes.pop(key) for key in tuple(changes) if key not in keys}
    style = Announcements(**changes, phrases=tuple(own.items()))
    return style, words(style, language(style.language))


def line(house: Language, calls: Iterable[Call]) -> str:
    """Return calls as one line, as books print them."""
    return ", ".join(map(house.say, calls))


def called(
    first: int,
    second: int,
    colour: Colour = Colour.NOIR,
    rule: DealRule = DealRule(),  # noqa: B008 - a frozen value
    **changes: Any,
) -> list[str]:
    """Return the texts called in a coup with these points and this colour of its first card."""
    style, house = a_style(**changes)
    coup = a_coup(first, second, colour)
    first_row = rule.first_colour
    calls = coup_calls(style, house, coup, first_row, verdicts(rule, coup))
    return [house.say(call) for call in calls]


NOIR, ROUGE = Colour.NOIR, Colour.ROUGE
BRITANNICA: dict[str, Any] = {
    "rouge_gagne_et_couleur": "Rouge gagne et le couleur",
    "rouge_perd_et_couleur": "Rouge perd et le couleur",
}
BROWNING: dict[str, Any] = {
    "points_at": "result",
    "tie": "both",
    "rouge_perd_couleur_gagne": "Rouge perd et Couleur gagne",
}
SPAIN: dict[str, Any] = {
    "language": "es",
    "result": "all-four",
    "points_at": "result",
    "noir_et_couleur_gagnent": "$point negro y color ganan",
    "rouge_et_couleur_gagnent": "$point rojo y color ganan",
}
HOMBURG: dict[str, Any] = {
    "totals": "first-full",
    "row_call": True,
    "tie": "alone",
    "refait_alone": "$point refait $full",
}
FOSTER: dict[str, Any] = {
    "totals": "running",
    "row_call": True,
    "tie": "alone",
    "refait_alone": "Après",
}
MEYERS: dict[str, Any] = {
    "result": "rouge-only",
    "rouge_gagne": "Le rouge gagne",
    "rouge_perd": "Le rouge perd",
}
TWO_CHANCES = DealRule(chances=("rouge", "noir"))
ROUGE_FIRST = DealRule(first_row="rouge", chances=("rouge", "noir"))
EVERY_TIE = DealRule(refait_on="any")


@pytest.mark.parametrize(
    ("points", "colour", "style", "quoted"),
    [
        # S1, W15: the four forms of an Italian house.
        ((36, 32), ROUGE, {}, ["Six", "Deux", "Rouge gagne et couleur"]),
        ((36, 32), NOIR, {}, ["Six", "Deux", "Rouge gagne, la couleur perd"]),
        ((32, 36), ROUGE, {}, ["Deux", "Six", "Rouge perd et couleur"]),
        ((32, 36), NOIR, {}, ["Deux", "Six", "Rouge perd, la couleur gagne"]),
        # S3: Britannica 1911; 40 is called quarante.
        ((33, 31), ROUGE, BRITANNICA, ["Trois", "Un", "Rouge gagne et le couleur"]),
        ((31, 40), ROUGE, BRITANNICA, ["Un", "Quarante", "Rouge perd et le couleur"]),
        ((33, 33), ROUGE, {"points_at": "result"}, ["Trois après"]),
        ((31, 31), ROUGE, {"points_at": "result"}, ["Un après"]),
        # S1, S2, H2: un après.
        ((31, 31), ROUGE, {}, ["Un", "Un après"]),
        # B1: Browning 1909.
        ((32, 36), NOIR, BROWNING, ["Deux, six", "Rouge perd et Couleur gagne"]),
        ((38, 38), NOIR, BROWNING, ["Huit, huit après"]),
        ((31, 31), NOIR, BROWNING, ["Un, un après"]),
        # B3: Homburg; the first row in full, then units.
        (
            (31, 32),
            NOIR,
            HOMBURG,
            ["Noir", "Trente-et-un", "Rouge", "Deux", "Rouge perd, la couleur gagne"],
        ),
        ((38, 38), NOIR, HOMBURG, ["Noir", "Trente-huit", "Rouge", "Huit", "Après"]),
        (
            (31, 31),
            NOIR,
            HOMBURG,
            ["Noir", "Trente-et-un", "Rouge", "Un", "Un refait trente-et-un"],
        ),
        # B10: Après; the two-chance house that deals rouge first.
        ((38, 38), NOIR, {"tie": "alone"}, ["Huit", "Huit", "Après"]),
        ((32, 36), NOIR, MEYERS, ["Deux", "Six", "Le rouge perd"]),
        ((36, 32), NOIR, MEYERS, ["Six", "Deux", "Le rouge gagne"]),
        # W11: 40 is called ten; couleur perd.
        (
            (40, 31),
            NOIR,
            {"forty": "dix", "rouge_gagne_couleur_perd": "Rouge gagne, couleur perd"},
            ["Dix", "Un", "Rouge gagne, couleur perd"],
        ),
        # L3: Spain names the winners, with the winning point, and couleur once more.
        ((32, 36), NOIR, SPAIN, ["Dos, seis", "Dos negro y color ganan", "Color gana"]),
        ((36, 32), ROUGE, SPAIN, ["Seis, dos", "Dos rojo y color ganan", "Color gana"]),
        ((32, 36), ROUGE, SPAIN, ["Dos, seis", "Negro e inverso ganan", "Color pierde"]),
        # W5, W9: French texts that name noir and inverse.
        ((31, 40), NOIR, {"result": "all-four"}, ["Un", "Quarante", "Noir et couleur gagnent"]),
        (
            (31, 40),
            ROUGE,
            {"result": "all-four", "noir_et_inverse_gagnent": "Noire gagne, et Inverse"},
            ["Un", "Quarante", "Noire gagne, et Inverse"],
        ),
    ],
)
def test_quoted_results(
    points: tuple[int, int], colour: Colour, style: dict[str, Any], quoted: list[str]
) -> None:
    """What a source quotes is called in that coup, word for word, and nothing else is."""
    assert quoted == called(*points, colour, **style)


@pytest.mark.parametrize(
    ("style", "quoted"),
    [
        # S1 and H1: two Italian houses.
        ({}, "Messieurs, à la coupe, Messieurs, les cinq cartes"),
        ({"cut": "Messieurs, la coupe"}, "Messieurs, la coupe, Messieurs, les cinq cartes"),
    ],
)
def test_quoted_openings(style: dict[str, Any], quoted: str) -> None:
    """The cut, then the five cards burned."""
    house = a_style(**style)[1]
    assert quoted == line(house, opening_calls(house))


@pytest.mark.parametrize(
    ("style", "opened", "closed"),
    [
        # H1, S1, B1.
        ({}, "Messieurs, faites vos jeux", "Les jeux sont faits, Rien ne va plus"),
        # S3.
        (
            {
                "faites_vos_jeux": "Messieurs, faites votre jeu !",
                "les_jeux_sont_faits": "Le jeu est fait, rien ne va plus !",
                "rien_ne_va_plus": "",
            },
            "Messieurs, faites votre jeu !",
            "Le jeu est fait, rien ne va plus !",
        ),
        # B3, W12; the old question of B3 and B4.
        (
            {
                "faites_vos_jeux": "Faites le jeu",
                "les_jeux_sont_faits": "Votre jeu est-il fait ?",
                "rien_ne_va_plus": "",
            },
            "Faites le jeu",
            "Votre jeu est-il fait ?",
        ),
        # L3, in the boule chapter of the same order.
        ({"language": "es", "les_jeux_sont_faits": ""}, "Hagan sus apuestas", "No va más"),
    ],
)
def test_quoted_betting(style: dict[str, Any], opened: str, closed: str) -> None:
    """Bets are opened and closed in the words of the source."""
    _style, house = a_style(**style)
    assert opened == line(house, bets_open_calls(house))
    assert closed == line(house, bets_closed_calls(house))


@pytest.mark.parametrize(
    ("key", "style", "quoted"),
    [
        ("les_cartes_passent", {}, "Les cartes passent"),  # S3
        (
            "les_cartes_passent",
            {"les_cartes_passent": "Monsieur, les cartes passent"},  # B1
            "Monsieur, les cartes passent",
        ),
        ("ajouter_a_la_banque", {}, "Ajouter à la banque"),  # B1
        ("je_vais_a_la_banque", {}, "Je vais à la banque"),  # B4
        ("dernier_coup", {"language": "it"}, "Ultimo colpo della taglia"),  # S2
        ("row_noir", {}, "Noir"),  # B3, B4, B9
    ],
)
def test_quoted_single_calls(key: str, style: dict[str, Any], quoted: str) -> None:
    """What is called outside the deal is called in the words of the source."""
    house = a_style(**style)[1]
    assert (Call(key),) == calls_of(house, key)
    assert quoted == house.say(Call(key))


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("fr", ["Zéro", "Six"]),
        ("en", ["Zero", "Six"]),
        ("it", ["Zero", "Sei"]),
        ("es", ["Cero", "Seis"]),
        ("de", ["Null", "Sechs"]),
    ],
)
def test_forty_is_called_by_its_last_digit(code: str, said: list[str]) -> None:
    """D-R27: zero where thirty is left out; whole totals, and the points of a tie, as they were."""
    assert called(40, 36, ROUGE, language=code, forty="zero")[:2] == said
    assert called(40, 36, ROUGE, language=code, forty="zero", totals="full") == called(
        40, 36, ROUGE, language=code, totals="full"
    )
    tie = called(40, 40, language=code, forty="zero")
    assert said[0].casefold() in tie[-1].casefold()


def test_running_totals() -> None:
    """S4: the colour is called, then the total of every card as it is turned."""
    assert [
        *("Noir", "Dix", "Vingt", "Trente", "Trente-cinq"),
        *("Rouge", "Dix", "Vingt", "Trente", "Trente-huit"),
        "Rouge perd, la couleur gagne",
    ] == called(35, 38, **FOSTER)
    assert ["Trente-huit", "Après"] == called(38, 38, **FOSTER)[-2:]
    assert ["Trente-et-un", "Après"] == called(31, 31, **FOSTER)[-2:]


def test_running_totals_and_points_with_the_result() -> None:
    """Where totals run, points that are called with the result are called whole."""
    calls = called(32, 36, totals="running", points_at="result")
    assert ["Trente-six", "Trente-deux, trente-six", "Rouge perd, la couleur gagne"] == calls[-3:]
    assert ["Trente-six", "Trente-six après"] == called(36, 36, totals="running")[-2:]


def test_first_in_full_and_points_with_the_result() -> None:
    """The first row's point is whole and the second's without thirty, together too."""
    assert "Trente-deux, six" == called(32, 36, totals="first-full", points_at="result")[0]


def test_both_rows_in_full() -> None:
    """B4: Hoyle's dealer calls "trente et un, or whatever it may be", and rouge likewise."""
    hoyle: dict[str, Any] = {"totals": "full", "row_call": True, "result": "rouge-only"}
    calls = called(31, 40, rule=TWO_CHANCES, **hoyle)
    assert ["Noir", "Trente-et-un", "Rouge", "Quarante", "Rouge perd"] == calls
    assert "Trente-deux, trente-six" == called(32, 36, totals="full", points_at="result")[0]
    assert ["Trente-huit", "Trente-huit après"] == called(38, 38, totals="full")


def test_every_tie_a_refait() -> None:
    """B7: where every tie is a refait its point is the one called, not thirty-one."""
    assert ["Trois", "Trois après"] == called(33, 33, rule=EVERY_TIE)
    full = called(33, 33, rule=EVERY_TIE, refait_point="$full après")
    assert "Trente-trois après" == full[-1]
    style, house = a_style()
    coup = a_coup(33, 33)
    (call,) = result_calls(style, house, coup, verdicts(EVERY_TIE, coup))
    assert "refait_point" == call.phrase


def test_no_losing_tie() -> None:
    """B7: where no tie loses, thirty-one on both rows is an ordinary après."""
    style, house = a_style()
    coup = a_coup(31, 31)
    calls = result_calls(style, house, coup, verdicts(DealRule(refait_on=()), coup))
    assert (Call("apres_point", (("point", 1), ("full", 31))),) == calls
    assert ["Un après"] == [house.say(call) for call in calls]


def test_rouge_dealt_first() -> None:
    """B10: the house that deals rouge first calls its colour and its point first."""
    calls = called(32, 36, rule=ROUGE_FIRST, row_call=True, **MEYERS)
    assert ["Rouge", "Deux", "Noir", "Six", "Le rouge gagne"] == calls


@pytest.mark.parametrize(
    ("chances", "result", "expected"),
    [
        (("rouge", "noir"), "rouge-couleur", "Rouge perd"),
        (("rouge", "noir"), "all-four", "Noir gagne"),
        (("noir",), "rouge-couleur", "Rouge perd"),
        (("couleur", "inverse"), "rouge-couleur", "La couleur perd"),
        (("couleur", "inverse"), "rouge-only", "La couleur perd"),
        (("couleur", "inverse"), "all-four", "Inverse gagne"),
        (("inverse",), "rouge-couleur", "La couleur perd"),
        (("noir", "inverse"), "rouge-couleur", "Rouge perd et couleur"),
        (SIMPLE_CHANCES, "rouge-only", "Rouge perd"),
    ],
)
def test_only_what_is_on_offer_is_called(
    chances: tuple[Any, ...], result: str, expected: str
) -> None:
    """A chance that the house does not offer, nor its opposite, is not called."""
    rule = DealRule(chances=chances)
    assert ["Un", "Deux", expected] == called(31, 32, ROUGE, rule, result=result)


def test_empty_phrase_is_not_called() -> None:
    """A phrase replaced by an empty text leaves its call out, and no other."""
    assert ["Rouge perd, la couleur gagne"] == called(32, 36, point="")
    assert () == calls_of(a_style(cut="")[1], "cut")


@pytest.mark.parametrize(
    ("burn", "expected"),
    [
        (0, "Messieurs, à la coupe"),
        (1, "Messieurs, à la coupe, Messieurs, la carte"),
        (6, "Messieurs, à la coupe, Messieurs, les six cartes"),
        (31, "Messieurs, à la coupe, Messieurs, les trente-et-une cartes"),
        (41, "Messieurs, à la coupe, Messieurs, les 41 cartes"),
    ],
)
def test_any_number_of_cards_is_burned(burn: int, expected: str) -> None:
    """The cards burned are counted in words, and not called where none is burned."""
    _style, house = a_style()
    assert expected == line(house, opening_calls(house, burn))
    assert opening_calls(house, burn)[1:] == opening_calls(house, burn, cut=False)


def test_talon_is_counted_aloud() -> None:
    """L1, L2: the cards left at the end are counted aloud."""
    house = a_style()[1]
    assert "Un, Deux, Trois, Quatre, Cinq" == line(house, talon_calls(house))


def test_negative_counts_are_refused() -> None:
    """Cards are counted from nought."""
    for calls in (opening_calls, talon_calls):
        with pytest.raises(RuleError, match="-1 cards cannot be called"):
            calls(a_style()[1], -1)


@pytest.mark.slow
@pytest.mark.parametrize("code", CODES)
def test_every_outcome_is_called(code: str) -> None:
    """Every pair of points and colour of the first card has calls, in every style."""
    house = language(code)
    rules = DealRule()
    for first, second, colour in product(POINTS, POINTS, Colour):
        coup = a_coup(first, second, colour)
        told = verdicts(rules, coup)
        for style in STYLES:
            calls = result_calls(style, house, coup, told)
            assert calls
            assert all(house.say(call) and call.phrase in PHRASE_KEYS for call in calls)


@pytest.mark.slow
@pytest.mark.parametrize("style", [each for each in STYLES if each.result == "rouge-couleur"])
def test_french_result_never_names_noir_or_inverse(style: Announcements) -> None:
    """S0, S3, S4, B1, W13: noir and inverse are ignored, rouge and couleur alone are named."""
    house = language("fr")
    for first, second, colour in product(POINTS, POINTS, Colour):
        coup = a_coup(first, second, colour)
        text = line(house, result_calls(style, house, coup, verdicts(DealRule(), coup))).casefold()
        assert "noir" not in text
        assert "inverse" not in text


def test_rouge_and_couleur_are_each_called_once_as_they_are() -> None:
    """A result says gagne or perd of rouge, never both, and of couleur the same or the other."""
    style, house = a_style()
    for first, second, colour in product(POINTS, POINTS, Colour):
        coup = a_coup(first, second, colour)
        told = verdicts(DealRule(), coup)
        if first == second:
            continue
        (call,) = result_calls(style, house, coup, told)
        text = house.say(call)
        rouge, _, couleur = text.partition(" et " if " et " in text else ", ")
        wins = told["rouge"] == Verdict.WIN
        assert ("Rouge gagne" if wins else "Rouge perd") == rouge
        if told["couleur"] is told["rouge"]:
            assert "couleur" == couleur
        else:
            assert ("la couleur perd" if wins else "la couleur gagne") == couleur


@pytest.mark.parametrize("code", CODES)
def test_winners_named_are_the_winners(code: str) -> None:
    """The all-four form names by its key the two chances that win."""
    style, house = Announcements(result="all-four"), language(code)
    for first, second, colour in product((31, 35), (33, 40), Colour):
        coup = a_coup(first, second, colour)
        told = verdicts(DealRule(), coup)
        call, *more = result_calls(style, house, coup, told)
        winners = [chance for chance in SIMPLE_CHANCES if told[chance] == Verdict.WIN]
        assert f"{winners[0]}_et_{winners[1]}_gagnent" == call.phrase
        assert (code == "es") == bool(more)


@pytest.mark.parametrize("key", [*CHOICES, "phrases", "language"])
def test_every_key_changes_some_call(key: str) -> None:
    """No key of [announcements] is idle: each value is heard in some coup."""
    values = CHOICES | {"language": CODES, "phrases": ((), (("point", "$full"),))}
    coups = [a_coup(40, 31), a_coup(36, 36), a_coup(31, 40, ROUGE)]

    def heard(value: Any) -> tuple[str, ...]:
        style = evolve(Announcements(), **{key: value})
        house = words(style, language(style.language))
        return tuple(
            line(house, coup_calls(style, house, coup, NOIR, verdicts(DealRule(), coup)))
            for coup in coups
        )

    assert len(values[key]) == len({heard(value) for value in values[key]})


def test_every_key_is_tried() -> None:
    """The test above tries every key that the table has; all are presentation."""
    assert {*CHOICES, "phrases", "language"} == {each.name for each in keys_of(Announcements)}
    assert {"presentation"} == {each.kind for each in keys_of(Announcements)}


def test_every_phrase_is_called_by_some_function() -> None:
    """No phrase key is idle: each is called by some function in some style."""
    _style, house = a_style(language="es")
    calls = [
        *opening_calls(house),
        *opening_calls(house, 1),
        *bets_open_calls(house),
        *bets_closed_calls(house),
    ]
    calls += talon_calls(house)
    for key in PHRASE_KEYS:
        if not PHRASE_KEYS[key].placeholders:
            calls += calls_of(house, key)
    rules = [DealRule(), TWO_CHANCES, DealRule(chances=("couleur", "inverse"))]
    coups = [a_coup(31, 31), a_coup(32, 32)]
    coups += [a_coup(*points, colour) for points in ((31, 32), (32, 31)) for colour in Colour]
    for style, rule, coup in product(STYLES, rules, coups):
        calls += coup_calls(style, house, coup, NOIR, verdicts(rule, coup))
    assert set(PHRASE_KEYS) == {call.phrase for call in calls}


CARDS = st.lists(st.sampled_from(PACK), min_size=62, max_size=62)


@given(CARDS, st.sampled_from(STYLES), st.sampled_from(CODES), st.sampled_from(Colour))
def test_card_by_card_is_the_whole(
    cards: list[Card], style: Announcements, code: str, first_row: Colour
) -> None:
    """A live table that asks after every card calls what coup_calls calls at once."""
    supply = iter(cards)
    rows: list[Row] = []
    turned: list[Card] = []
    heard: list[Call] = []
    while len(rows) < 2:
        row: list[Card] = []
        while sum(card.points for card in row) <= 30:
            card = next(supply)
            row.append(card)
            turned.append(card)
            heard += card_calls(style, language(code), turned, first_row)
        rows.append(Row(tuple(row)))
    coup = Coup(*rows)
    told = verdicts(DealRule(first_row=first_row.id), coup)  # type: ignore[arg-type]
    heard += result_calls(style, language(code), coup, told)
    assert tuple(heard) == coup_calls(style, language(code), coup, first_row, told)


@given(st.sampled_from(STYLES), st.sampled_from(POINTS), st.sampled_from(POINTS))
def test_both_points_are_heard(style: Announcements, first: int, second: int) -> None:
    """Whatever the style, both points can be told from the calls before or in the result."""
    coup = a_coup(first, second)
    house = language("fr")
    texts = " ".join(
        house.say(call) for call in coup_calls(style, house, coup, NOIR, verdicts(DealRule(), coup))
    ).casefold()
    for point in (first, second):
        units = house.number(point)
        if point == 40 and style.forty != "quarante":
            units = {"dix": "dix", "zero": "zéro"}[style.forty]
        assert house.number(point) in texts or units.split("-")[-1] in texts


@pytest.mark.parametrize(
    ("points", "told", "shown"),
    [
        ((31, 32), {}, "none"),
        ((31, 32), {"any-apres": Verdict.LOSE}, "none"),
        ((31, 32), {"rouge": Verdict.APRES}, "rouge apres"),
        ((31, 31), {"rouge": Verdict.WIN}, "rouge win"),
        ((31, 32), {"rouge": Verdict.CLOSE}, "rouge close"),
        ((31, 31), {"rouge": Verdict.CLOSE}, "rouge close"),
        ((31, 32), {"rouge": Verdict.WIN, "inverse": Verdict.APRES}, "couleur apres"),
    ],
)
def test_verdicts_that_do_not_fit_are_refused(
    points: tuple[int, int], told: dict[str, Verdict], shown: str
) -> None:
    """A result is not called from verdicts of no simple chance, or of another coup."""
    style, house = a_style()
    with pytest.raises(RuleError, match=f"{shown}") as caught:
        result_calls(style, house, a_coup(*points), told)
    assert "bad-verdicts" == caught.value.code


def test_cards_beyond_the_coup_are_refused() -> None:
    """A card after the end of the coup is named; so is a call before the first card."""
    style, house = a_style()
    with pytest.raises(CardError, match="the coup ended before 2♥") as caught:
        card_calls(style, house, (*a_coup(31, 32).cards, Card.parse("2♥")))
    assert ("coup-too-long", ("2♥",)) == (caught.value.code, caught.value.extra)
    with pytest.raises(CardError, match="no card has been turned"):
        card_calls(style, house, ())


def test_a_language_is_shown_by_its_name_alone() -> None:
    """A catalogue has hundreds of texts: a failed test or a log shows none of them."""
    french = language("fr")
    assert (
        repr(evolve(french, borrowed=("play.bet",))) == f"Language(code='fr', name={french.name!r})"
    )
    with pytest.raises(TypeError, match="numbers"):
        Language("fr", "Français", french.phrases)  # type: ignore[call-arg]


def test_the_faults_of_phrases_are_whole_sentences() -> None:
    """A phrase that is given twice, or that does not exist, with a hint where there is one."""
    found = phrase_faults((("talon", "le talon"), ("talon", "encore"), ("taln", "x")))
    assert [str(fault) for fault in found] == [
        "the phrase 'talon' is given twice",
        "'taln' is not a phrase (did you mean 'talon'?)",
    ]
    assert [(fault.code, fault.hint, fault.field) for fault in found] == [
        ("double-phrase", "", "phrases.talon"),
        ("unknown-phrase", "did you mean 'talon'?", "phrases.taln"),
    ]


def test_a_house_that_says_nothing_calls_as_most_sources_have_it() -> None:
    """The defaults, each with its sentence in the reference."""
    keys = {info.name: (info.default, info.kind) for info in keys_of(Announcements)}
    assert keys == {
        "language": ("fr", "presentation"),
        "totals": ("units", "presentation"),
        "points_at": ("row", "presentation"),
        "forty": ("quarante", "presentation"),
        "row_call": (False, "presentation"),
        "result": ("rouge-couleur", "presentation"),
        "tie": ("point", "presentation"),
        "phrases": ((), "presentation"),
    }
    for info in keys_of(Announcements):
        assert re.fullmatch(r"[A-Z].*[.)]", info.doc), info.name
