"""What the croupier of each house says, whole coups of it, beside the words of the source."""

from __future__ import annotations

import pytest
from tests.properties.shipped import names, shipped
from tests.sources.reading import calls

from trente_rules import Colour, Coup
from trente_rules.core.rules.announcements import bets_closed_calls, bets_open_calls, opening_calls
from trente_rules.testing import coup_with

NOIR, ROUGE = Colour.NOIR, Colour.ROUGE
NOIR_AND_COULEUR = coup_with(32, 36, NOIR)
NOIR_AND_INVERSE = coup_with(32, 36, ROUGE)
ROUGE_AND_INVERSE = coup_with(36, 32, NOIR)
ROUGE_AND_COULEUR = coup_with(36, 32, ROUGE)
FORTY = coup_with(31, 40, ROUGE)
TIE = coup_with(38, 38)
REFAIT = coup_with(31, 31)


def said(name: str, coup: Coup) -> str:
    """Return all that is said in a coup, one call after the other."""
    return " / ".join(calls(shipped(name), coup))


@pytest.mark.parametrize(
    ("coup", "quoted"),
    [
        (NOIR_AND_COULEUR, "Deux, six / Rouge perd et Couleur gagne"),
        (NOIR_AND_INVERSE, "Deux, six / Rouge perd et le couleur"),
        (ROUGE_AND_INVERSE, "Six, deux / Rouge gagne et Couleur perd"),
        (ROUGE_AND_COULEUR, "Six, deux / Rouge gagne et le couleur"),
        (FORTY, "Un, quarante / Rouge perd et le couleur"),
        (TIE, "Huit après"),
        (REFAIT, "Un après"),
    ],
)
def test_monte_carlo_in_the_words_of_britannica_and_browning(coup: Coup, quoted: str) -> None:
    """Britannica: "le couleur", quarante, un après; Browning: "Rouge perd et Couleur gagne"."""
    assert quoted == said("monte-carlo-1911", coup)


@pytest.mark.parametrize(
    ("coup", "quoted"),
    [
        (NOIR_AND_COULEUR, "Dos, seis / Dos negro y color ganan / Color gana"),
        (NOIR_AND_INVERSE, "Dos, seis / Negro e inverso ganan / Color pierde"),
        (ROUGE_AND_COULEUR, "Seis, dos / Dos rojo y color ganan / Color gana"),
        (ROUGE_AND_INVERSE, "Seis, dos / Rojo e inverso ganan / Color pierde"),
    ],
)
def test_spain_calls_each_row_the_winners_and_couleur(coup: Coup, quoted: str) -> None:
    """Spain 1979: "la puntuación de cada fila y las suertes ganadoras", "color gana o pierde"."""
    assert quoted == said("spain-1979", coup)


@pytest.mark.parametrize(
    ("coup", "quoted"),
    [
        (NOIR_AND_COULEUR, "Noir / Trente-deux / Rouge / Trente-six / Rouge perd"),
        (FORTY, "Noir / Trente-et-un / Rouge / Quarante / Rouge perd"),
        (TIE, "Noir / Trente-huit / Rouge / Trente-huit / Après"),
        (REFAIT, "Noir / Trente-et-un / Rouge / Trente-et-un / Après"),
    ],
)
def test_hoyle_calls_both_points_whole(coup: Coup, quoted: str) -> None:
    """Hoyle's Games: "trente et un, or whatever it may be"; "Après" where both are the same."""
    assert quoted == said("hoyle-19c", coup)


def test_meyers_says_the_sum_with_every_card() -> None:
    """Meyers: "den Wert ... der aufliegenden Augensumme", "Le rouge perd", and "Après"."""
    counted = "Dix / Vingt / Trente"
    lost = said("rouge-et-noir-meyers", ROUGE_AND_COULEUR)
    assert f"{counted} / Trente-six / {counted} / Trente-deux / Le rouge perd" == lost
    assert said("rouge-et-noir-meyers", REFAIT).endswith("Trente-et-un / Après")


def test_the_german_spas_call_the_whole_number() -> None:
    """International Monthly 1852: "'Et trente trois' or any other number 'après'"."""
    assert "Trente-trois / Et trente-trois après" == said("german-spas-1840", coup_with(33, 33))
    assert "Trente-et-un / Et trente-et-un après" == said("german-spas-1840", REFAIT)


@pytest.mark.parametrize(
    ("name", "point", "called"),
    [
        ("germany-500", 40, "Quarante"),  # casinospiegel.net: 40 in full
        ("italy-half-loss", 40, "Zéro"),  # "only the final digit"
        ("italy-two-prisons", 40, "Zéro"),  # "only the units of the sum"
        ("acanomas", 40, "Dix"),
        ("italy-half-loss", 36, "Six"),  # "if the total is 36, he announces '6'"
    ],
)
def test_how_a_point_is_called(name: str, point: int, called: str) -> None:
    """A point is called by its unit; forty as the house has it."""
    assert called == calls(shipped(name), coup_with(point, 31))[0]


@pytest.mark.parametrize(
    ("name", "quoted"),
    [
        ("campione", "Messieurs, la coupe / Messieurs, les cinq cartes"),
        ("italy-half-loss", "Messieurs, à la coupe / Messieurs, les cinq cartes"),
        ("homburg-1860", "Messieurs, à la coupe"),  # the first card is laid down without a word
        ("spain-1979", "Señores, al corte"),
    ],
)
def test_the_opening_of_a_taille(name: str, quoted: str) -> None:
    """The cut, and the cards burned where the house calls them."""
    house = shipped(name)
    opening = opening_calls(house.words, house.shoe.burn)
    assert quoted == " / ".join(house.words.say(call) for call in opening)


@pytest.mark.parametrize(
    ("name", "quoted"),
    [
        ("monte-carlo-1911", "Messieurs, faites votre jeu ! / Le jeu est fait / Rien ne va plus !"),
        ("homburg-1860", "Faites le jeu / Votre jeu est-il fait ?"),
        ("hoyle-19c", "Messieurs, faites vos jeux / Votre jeu est-il fait ?"),
        ("rouge-et-noir-meyers", "Messieurs, faites vos jeux / Le jeu est fait !"),
        ("germany-500", "Faites votre jeu, messieurs ! / Le jeu est fait !"),
    ],
)
def test_how_bets_are_opened_and_closed(name: str, quoted: str) -> None:
    """Where a source has its own words, they are called, and nothing after them."""
    house = shipped(name)
    calls = (*bets_open_calls(house.words), *bets_closed_calls(house.words))
    assert quoted == " / ".join(house.words.say(call) for call in calls)


@pytest.mark.parametrize("name", names())
def test_every_house_calls_in_french_but_spain(name: str) -> None:
    """Italian and German houses keep the French words; the Spanish catalogue is in Spanish."""
    assert ("es" if name == "spain-1979" else "fr") == shipped(name).announcements.language
