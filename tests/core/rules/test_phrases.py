"""Phrases and languages: catalogues are whole, replacements are checked, faults are named."""

from __future__ import annotations

import pickle
import re
from importlib.resources import files

import pytest
from attrs import evolve

from trente_rules.core.errors import RuleError
from trente_rules.core.plugins.manager import default_manager
from trente_rules.core.rules.announcements import (
    LONGEST_PHRASE,
    PHRASE_KEYS,
    Announcements,
    Call,
    Language,
    phrase_faults,
    words,
)

CODES = default_manager().names("language")


def catalogue(code: str) -> str:
    """Return the text of a catalogue that comes with the library."""
    path = files("trente_rules.core.rules") / "languages" / f"{code}.toml"
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def french() -> Language:
    """Return the French catalogue."""
    return Language.from_toml(catalogue("fr"))


@pytest.mark.parametrize("code", CODES)
def test_catalogue_is_whole(code: str) -> None:
    """A shipped catalogue is read under its own code, with a text for every key and no other."""
    language = Language.from_toml(catalogue(code))
    assert code == language.code
    assert set(PHRASE_KEYS) == {key for key, _text in language.phrases}
    assert 40 == len(set(language.numbers))


@pytest.mark.parametrize("code", CODES)
def test_catalogue_in_the_order_of_the_keys(code: str) -> None:
    """A catalogue names every key once, so that two of them can be read side by side."""

    def keys_in(text: str) -> list[str]:
        phrases = text.partition("[phrases]")[2].partition("[rulebook]")[0]
        return re.findall(r"^([a-z_]+) = ", phrases, re.MULTILINE)

    keys = keys_in(catalogue(code))
    assert keys == keys_in(catalogue("fr"))
    assert sorted(PHRASE_KEYS) == sorted(keys)


@pytest.mark.parametrize(
    ("code", "spelled"),
    [
        ("fr", {1: "un", 9: "neuf", 17: "dix-sept", 21: "vingt-et-un", 31: "trente-et-un"}),
        ("en", {1: "one", 12: "twelve", 18: "eighteen", 33: "thirty-three", 40: "forty"}),
        ("it", {8: "otto", 23: "ventitré", 28: "ventotto", 31: "trentuno", 33: "trentatré"}),
        ("es", {16: "dieciséis", 22: "veintidós", 26: "veintiséis", 31: "treinta y uno"}),
        ("de", {1: "eins", 16: "sechzehn", 17: "siebzehn", 30: "dreißig", 37: "siebenunddreißig"}),
    ],
)
def test_number_words(code: str, spelled: dict[int, str]) -> None:
    """Number words stand at their number, in the spelling of the language."""
    language = Language.from_toml(catalogue(code))
    assert spelled == {number: language.number(number) for number in spelled}


@pytest.mark.parametrize(
    ("code", "stem", "first"), [("fr", "trente-", 32), ("en", "thirty-", 31), ("de", "dreißig", 31)]
)
def test_points_are_thirty_and_units(code: str, stem: str, first: int) -> None:
    """The words from 31 to 39 are the word for thirty and that of the unit."""
    language = Language.from_toml(catalogue(code))
    for point in range(first, 40):
        whole, unit = language.number(point), language.number(point - 30).removesuffix("s")
        assert stem in whole
        assert unit in whole


def test_numbers_above_forty_are_digits(french: Language) -> None:
    """A number without a word is called in digits."""
    assert ("41", "312") == (french.number(41), french.number(312))


def test_every_language_has_its_word_for_nought(french: Language) -> None:
    """D-R27: 40 may be called by its last digit; a language without a word calls the digit."""
    words = {code: Language.from_toml(catalogue(code)).number(0) for code in CODES}
    assert words == {"fr": "zéro", "en": "zero", "it": "zero", "es": "cero", "de": "null"}
    assert evolve(french, zero="0").number(0) == "0"


def test_cards_are_counted_in_their_gender(french: Language) -> None:
    """Cards are feminine in French and Spanish: vingt-et-une cartes, treinta y una cartas."""
    spanish = Language.from_toml(catalogue("es"))
    assert ("vingt-et-une", "cinq") == (french.count(21), french.count(5))
    assert ("veintiuna", "treinta y una") == (spanish.count(21), spanish.count(31))


def test_every_placeholder_is_said_to_mean_something() -> None:
    """Every key has a meaning in words; there is no key without one."""
    assert all(each.meaning.endswith(".") for each in PHRASE_KEYS.values())
    assert all(key == each.key for key, each in PHRASE_KEYS.items())


def test_language_is_a_value(french: Language) -> None:
    """A catalogue is hashable, picklable, and equal to one read again, even after use."""
    french.say(Call("cut"))
    again = Language.from_toml(catalogue("fr"))
    assert french == again
    assert hash(french) == hash(again)
    assert french == pickle.loads(pickle.dumps(french))


def test_house_replaces_phrases(french: Language) -> None:
    """A replaced phrase is the house's, every other stays that of the language."""
    style = Announcements(phrases=(("faites_vos_jeux", "Messieurs, faites votre jeu !"),))
    house = words(style, french)
    assert "Messieurs, faites votre jeu !" == house.say(Call("faites_vos_jeux"))
    assert dict(french.phrases) | dict(style.phrases) == dict(house.phrases)
    assert "Messieurs, faites vos jeux" == french.say(Call("faites_vos_jeux"))


def test_phrase_begins_with_a_capital(french: Language) -> None:
    """A call is an utterance of its own: number words begin it with a capital."""
    assert "Trois après" == french.say(Call("apres_point", (("point", 3), ("full", 33))))


def test_dollar_sign_can_be_said(french: Language) -> None:
    """Two dollar signs are one in the text."""
    house = words(Announcements(phrases=(("cut", "10 $$"),)), french)
    assert "10 $" == house.say(Call("cut"))


def test_missing_value_is_named(french: Language) -> None:
    """A phrase that is made with words is not called without them."""
    with pytest.raises(RuleError, match="'burn' cannot be called without 'number'") as caught:
        french.say(Call("burn"))
    assert "missing-value" == caught.value.code


def test_unknown_phrase_names_the_nearest(french: Language) -> None:
    """A misspelt phrase key is an error that names the key meant, in a house and in a call."""
    with pytest.raises(RuleError) as caught:
        words(Announcements(phrases=(("faites_vos_jeu", "x"),)), french)
    assert ("unknown-phrase", "phrases.faites_vos_jeu") == (caught.value.code, caught.value.field)
    assert "'faites_vos_jeux'" in caught.value.hint
    with pytest.raises(RuleError, match="did you mean 'en_prison'"):
        french.say(Call("en_prisson"))


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        ("Messieurs, $who", "unknown-placeholder", "'$who'"),
        ("Messieurs, ${point}", "unknown-placeholder", "its placeholders: $number"),
        ("5 $", "bad-phrase", "a single $"),
        ("${number", "bad-phrase", "a single $"),
        ("$1", "bad-phrase", "a single $"),
        ("x" * (LONGEST_PHRASE + 1), "bad-phrase", "201 characters"),
        ("one\ntwo", "bad-phrase", "U+000A"),
        ("\x1b[2J", "bad-phrase", "U+001B"),
        ("\u202egnorw", "bad-phrase", "U+202E"),
        (5, "bad-phrase", "it is not text"),
    ],
)
def test_phrase_that_cannot_be_called_is_refused(text: object, code: str, told: str) -> None:
    """A phrase holds one line, its own placeholders, and nothing a terminal would act upon."""
    (fault,) = phrase_faults([("burn", text)])
    assert (code, "phrases.burn") == (fault.code, fault.field)
    assert told in str(fault)


@pytest.mark.parametrize(
    "text", ["", "Messieurs, faites votre jeu\u00a0!", "${number} cartes", "👍"]
)
def test_phrase_that_can_be_called(text: str) -> None:
    """Empty texts, French spacing and braces round a placeholder are good."""
    assert () == phrase_faults([("burn", text)])


def test_all_faults_of_the_phrases_are_told(french: Language) -> None:
    """Every fault is answered, in the order of the phrases; merging raises the first."""
    wrong = (("cut", "$number"), ("brun", "x"), ("total", "$number"), ("total", "$number"))
    faults = phrase_faults(wrong)
    assert ["unknown-placeholder", "unknown-phrase", "double-phrase"] == [
        fault.code for fault in faults
    ]
    with pytest.raises(RuleError) as caught:
        words(Announcements(phrases=wrong), french)
    assert str(faults[0]) == str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "code", "field", "told"),
    [
        ('cut = "Messieurs, à la coupe"', "", "missing-phrase", "phrases.cut", "'cut'"),
        ("\ncut =", "\ncutt =", "unknown-phrase", "phrases.cutt", "did you mean 'cut'?"),
        ('talon = "$number"', "talon = 5", "bad-phrase", "phrases.talon", "it is not text"),
        ('talon = "$number"', 'talon = "$n"', "unknown-placeholder", "phrases.talon", "$number"),
        ('code = "fr"', 'code = "French!"', "bad-language", "code", "'French!'"),
        ('code = "fr"', "code = 5", "bad-language", "code", "code is not a text"),
        ('code = "fr"', "", "bad-language", "code", "code is not a text"),
        ('name = "français"', 'name = ""', "bad-language", "name", "it is empty"),
        ('name = "français"', 'names = "français"', "bad-language", "names", "mean 'name'?"),
        ('"quarante",', "", "bad-language", "numbers", "39 number words"),
        ('"quarante",', "40,", "bad-language", "numbers", "40: it is not text"),
        ('"quarante",', '"",', "bad-language", "numbers", "it is empty"),
        ("{ 21 =", "{ many =", "bad-language", "counted", "'many' is not a number of cards"),
        ('{ 21 = "vingt-et-une"', "{ 21 = 21", "bad-language", "counted", "it is not text"),
        ("[phrases]", "[phrases", "bad-language", "", "not TOML"),
        ("numbers = [", "numbers = " + "[" * 3000, "bad-language", "", "not TOML"),
    ],
)
def test_bad_catalogue_is_refused(old: str, new: str, code: str, field: str, told: str) -> None:
    """A catalogue with a fault is a RuleError with the place of the fault."""
    text = catalogue("fr")
    assert old in text
    with pytest.raises(RuleError) as caught:
        Language.from_toml(text.replace(old, new, 1))
    assert (code, field) == (caught.value.code, caught.value.field)
    assert told in str(caught.value)


def test_empty_catalogue_names_all_that_is_missing(french: Language) -> None:
    """A catalogue without phrases is told every key it lacks at once."""
    with pytest.raises(RuleError) as caught:
        Language("xx", "none", (), french.numbers)
    assert all(repr(key) in caught.value.message for key in PHRASE_KEYS)
