"""The texts of the catalogues keep to the typography of their language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import pytest

from trente_rules.core import default_manager

LANGUAGES: Final = default_manager().names("language")
THIN: Final = "\N{NARROW NO-BREAK SPACE}"
HELP: Final = "play.help.text"
"""A page of keys in columns: it has spaces and signs of its own."""
ENGLISH: Final = re.compile(
    r"\b(the|and|is|are|of|with|your|you|not|stake|bet|coup is|cards?|dealt|dealer|back|key|"
    r"shoe|house|player|amount|nothing|wins?|loses?|table is|score)\b",
    re.IGNORECASE,
)
"""Words that only English has, and that none of the others borrow."""
MARKUP: Final = re.compile(
    r"\$\{?[a-z_]+\}?|\[/?b\]|`[^`]*`|--\w+|trente play|ctrl\+\w", re.IGNORECASE
)


def texts(code: str) -> Iterator[tuple[str, str]]:
    """Yield each text of a language with its key; the calls are apart: houses have their own."""
    for key, text in default_manager().language(code).sentences.items():
        # "! " at the start is the sign of a warning, "? " in a welcome the key of the help.
        yield key, re.sub(r"(?<=[,;] )\? ", "", text.removeprefix("! "))


def found(code: str, pattern: str, *but: str) -> list[str]:
    """Return the texts of a language in which a pattern occurs."""
    return [
        f"{key}: {text}" for key, text in texts(code) if key not in but and re.search(pattern, text)
    ]


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_text_has_two_spaces_or_one_at_its_ends(code: str) -> None:
    """Issue 15: no double spaces, outside the columns of keys."""
    assert found(code, r"(?<=\S)  +(?=\S)|^ | $", HELP, "play.place.keys") == []


@pytest.mark.parametrize("code", LANGUAGES)
def test_quotation_marks_are_those_of_the_language(code: str) -> None:
    """Issue 15: no ASCII quotes, and only the pair of the language."""
    pair = {"en": "“”", "de": "„“"}.get(code, "«»")
    others = "".join(mark for mark in '"“”„«»' if mark not in pair)
    assert found(code, f"[{others}]") == []
    for key, text in texts(code):
        assert text.count(pair[0]) == text.count(pair[1]), key


def test_french_has_a_narrow_space_before_its_high_signs() -> None:
    """Issue 15: ``; : ! ?`` and guillemets have a no-break space, which no line break parts."""
    assert found("fr", rf"(?<![{THIN}\s\\\[(!?])[;:!?»](?=\s|$|\[)") == []
    assert found("fr", r"[ \N{NO-BREAK SPACE}][;:!?»]", HELP) == []
    assert found("fr", rf"«(?!{THIN})") == []
    assert found("fr", r"(?m)(?<!^)[ \N{NO-BREAK SPACE}][;:!?»]") == []


def test_other_languages_have_no_space_there() -> None:
    """Issue 15: only French parts a sign from its word."""
    for code in LANGUAGES:
        if code != "fr":
            assert found(code, r"(?m)(?<!^)\s[;:!?](?=\s|$)", HELP) == [], code


def test_spanish_opens_what_it_asks_and_exclaims() -> None:
    """Issue 15: each ``?`` has its ``¿``, each ``!`` its ``¡``."""
    for key, text in texts("es"):
        assert text.count("?") == text.count("¿"), key
        assert text.count("!") == text.count("¡"), key


@pytest.mark.parametrize("code", [code for code in LANGUAGES if code != "en"])
def test_no_english_word_is_left(code: str) -> None:
    """Issue 15: a text by its own idiom has no word that only English has."""
    left = [f"{key}: {text}" for key, text in texts(code) if ENGLISH.search(MARKUP.sub("", text))]
    assert left == []


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("de", r"\b(du|dein\w*|dir|dich)\b"),
        ("fr", r"\b(tu|ton|ta|tes|toi)\b"),
        ("es", r"\b(tú|tu|tus|tuyo|tuya)\b"),
        ("it", r"\b(tu|tuo|tua|tuoi|tue)\b"),
    ],
)
def test_a_person_is_addressed_politely_throughout(code: str, said: str) -> None:
    """Issue 15: one form of address: Sie, vous, usted, Lei."""
    assert found(code, rf"(?i){said}") == []
