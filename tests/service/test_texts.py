"""The texts of the pages: whole in every language, and exactly those that the pages use."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from string import Template
from typing import Final

import pytest
from hypothesis import strategies as st
from tests.properties.meeting import meets
from tests.properties.shipped import any_house
from tests.table.choosing import Chooser
from tests.table.test_machine import BURST, coups
from tests.table.watched import Watched

import trente_rules.service
from trente_rules import House, load_house
from trente_rules.core import default_manager
from trente_rules.core.errors import PluginError, TrenteError
from trente_rules.core.rules.announcements import Language
from trente_rules.core.rules.limits import OF_AMOUNT
from trente_rules.service.texts import FALLBACK, PAGE, PageWords, texts
from trente_rules.table.commands import Command
from trente_rules.table.state import TableState
from trente_rules.table.views import PLAYER_COMMANDS

LANGUAGES: Final = default_manager().names("language")
SERVICE: Final = Path(trente_rules.service.__file__).parent
ENGLISH: Final = {
    key.removeprefix(PAGE): text
    for key, text in default_manager().language(FALLBACK).sentences.items()
    if key.startswith(PAGE)
}
SECTIONS: Final = {key.partition(".")[0] for key in ENGLISH}
LITERAL: Final = re.compile(r"""["'`]([a-z]+\.(?!(?:js|html|css)\b)[a-z][a-z0-9_-]*)["'`]""")
"""A key that is written whole."""
BUILT: Final = re.compile(r"""[`"]([a-z]+\.(?:[a-z_-]*))(?:\$\{|\{)""")
"""The beginning of a key that is put together: ``refused.${code}``, ``void.{why}``."""
ENDED: Final = re.compile(r"`\$\{[^}`]*\}\.([a-z_]+)`")
"""The end of a key whose section is put in: ``${kind}.title``."""


def sources() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each file that may use a text of the pages."""
    for path in sorted((*SERVICE.glob("*.py"), *SERVICE.rglob("web/**/*"))):
        if path.suffix in (".py", ".js", ".html"):
            yield path.relative_to(SERVICE).as_posix(), path.read_text("utf-8")


def used() -> tuple[dict[str, str], dict[str, str], set[str]]:
    """Return the keys that are used, and the beginnings of keys, each with a file; and ends."""
    whole: dict[str, str] = {}
    begun: dict[str, str] = {}
    ended: set[str] = set()
    for name, text in sources():
        whole |= {key: name for key in LITERAL.findall(text) if key.split(".")[0] in SECTIONS}
        begun |= {key: name for key in BUILT.findall(text) if key.split(".")[0] in SECTIONS}
        ended.update(ENDED.findall(text))
    return whole, begun, ended


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_language_has_every_text_of_the_pages(code: str) -> None:
    """Issue 11: five languages for everything; each text has the places of the English one."""
    language = default_manager().language(code)
    assert not [key for key in language.borrowed if key.startswith(PAGE)]
    for key, text in ENGLISH.items():
        own = language.sentences[f"{PAGE}{key}"]
        places = set(Template(own).get_identifiers())
        assert places == set(Template(text).get_identifiers()), f"{code}: {key}"
    assert {key for key in language.sentences if key.startswith(PAGE)} == {
        f"{PAGE}{key}" for key in ENGLISH
    }


@pytest.mark.parametrize("code", [code for code in LANGUAGES if code != FALLBACK])
def test_a_sentence_is_not_left_in_english(code: str) -> None:
    """A text of four words or more is another one in another language."""
    given = texts(code)
    same = [key for key, text in ENGLISH.items() if given[f"{PAGE}{key}"] == text]
    assert not [key for key in same if len(re.findall(r"(?<!\$)\b[A-Za-z]{2,}", ENGLISH[key])) > 3]


STAFF: Final = (
    *("wrong-hand", "no-reason", "nothing-to-correct", "card-needed", "cards-known", "other-card"),
    *("burn-cards-needed", "marker-known", "not-cut", "bad-count", "not-the-last-card"),
    *("choose-instead", "no-marker", "marker-shown", "coup-too-long", "too-many-of-a-card"),
    *("table-exists", "bad-table-name", "unknown-house", "opening-needed", "no-such-table"),
)
"""Codes of what a dealer or a supervisor can be refused."""


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_staff_reads_its_refusals_in_its_language(code: str) -> None:
    """Issue 15: a dealer's and a supervisor's refusals have texts, without places to fill."""
    for each in STAFF:
        text = texts(code)[f"{PAGE}refused.{each}"]
        assert not Template(text).get_identifiers(), each
    pages = SERVICE / "web" / "panels"
    for name in ("dealer", "supervisor", "books", "staff"):
        assert "why(error)" not in (pages / f"{name}.js").read_text("utf-8"), name


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_stake_raised_too_fast_is_refused_with_the_bound(code: str) -> None:
    """Issue 15: the refusal says how much of which bet is allowed."""
    refused = texts(code)[f"{PAGE}refused.raised-too-fast"]
    assert {"at_most", "reference"} == set(Template(refused).get_identifiers())


def test_every_text_that_the_pages_use_is_there() -> None:
    """A key that nobody wrote would be shown in the place of a text."""
    whole, begun, _ended = used()
    known = set(ENGLISH) | {key.removesuffix("_one") for key in ENGLISH}
    assert {key: name for key, name in whole.items() if key not in known} == {}
    for key, name in begun.items():
        assert any(each.startswith(key) for each in known), f"{name}: {key}"


def test_no_text_of_the_pages_is_unused() -> None:
    """A text that no page shows would be translated five times for nothing."""
    whole, begun, ended = used()
    unused = [
        key
        for key in ENGLISH
        if key.removesuffix("_one") not in whole
        and key not in whole
        and not key.startswith(tuple(begun))
        and key.partition(".")[2] not in ended
    ]
    assert unused == []


def test_the_texts_of_a_language_have_the_names_that_pages_share() -> None:
    """Chances, colours, states and courses are named once, in the rulebook."""
    french = texts("fr")
    assert french["rulebook.choice.partage"] == "partage"
    assert french["rulebook.chance.rouge"] == "rouge"
    assert french["web.common.close"] == "Fermer"
    assert set(french) == set(texts("en"))
    with pytest.raises(PluginError) as refused:
        texts("xx")
    assert refused.value.code == "unknown-language"


def test_a_language_without_the_pages_has_the_english_texts() -> None:
    """A language of a plugin may have no text for the pages: English stands in for them."""
    base = default_manager().language("fr")
    bare = Language(
        "eo",
        "Esperanto",
        base.phrases,
        base.numbers,
        sentences={key: text for key, text in base.sentences.items() if not key.startswith(PAGE)},
    )
    words = PageWords(load_house("france-2007"), bare)
    assert words.say("common.close") == "Close"
    assert words.say("result.win", number=1, chance="rouge", chances="") == "rouge wins"


def test_amounts_and_parts_are_written_as_the_language_does() -> None:
    """Exact units as money; what is no whole number of units to a hundredth at least (U19)."""
    french = PageWords.of(load_house("france-2007"), "fr")
    assert french.amount(400_050) == "4\N{NARROW NO-BREAK SPACE}000,50\N{NO-BREAK SPACE}EUR"
    assert french.amount(Fraction(12_3456, 100)) == "12,35\N{NO-BREAK SPACE}EUR"
    assert french.percent(Fraction(1, 3)) == "33,333 %"


MALFORMED: Final = {
    *("bad-value", "impossible-verdict", "no-id", "no-player", "not-legible"),
    *("unknown-verdict", "wrong-chips", "empty-slip", "other-group"),
}
"""Codes of commands that no page makes: their own title is shown."""


MISSES: Final = {
    "houses": "few tables; tests.table.test_machine drives tables of each case",
    "a stake in the third, at a table": "short bursts; so does tests.table.test_machine",
}


@pytest.mark.slow
@pytest.mark.meets
def test_every_refusal_that_a_player_can_meet_has_a_text() -> None:
    """Issue 11: refusals by their code, found by random sessions in houses of every kind."""
    met: Counter[str] = Counter()

    class Refusing(Watched):
        """A table that counts the codes of what players were refused."""

        def _refused(
            self,
            command: Command,
            before: TableState,
            error: TrenteError,
            why: TrenteError | None,
        ) -> None:
            super()._refused(command, before, error, why)
            if isinstance(command, PLAYER_COMMANDS):
                met[error.code] += 1

    @meets(
        house=any_house(),
        bursts=st.lists(BURST, min_size=2, max_size=3),
        examples=15,
        misses=MISSES,
    )
    def drive(house: House, bursts: list[bytes]) -> None:
        table = Refusing(house)
        chooser = Chooser(table, live=False)
        for burst in bursts:
            coups(chooser, burst)
            chooser.play(burst)

    drive()
    assert not {code for code in met if f"refused.{code}" not in ENGLISH} - MALFORMED
    assert {"below-minimum", "unknown-stake", "too-late"} <= set(met)


def test_every_refusal_of_the_limits_has_a_text() -> None:
    """The codes that the limits refuse stakes by, as their source names them."""
    source = (SERVICE.parent / "core" / "rules" / "limits.py").read_text("utf-8")
    codes = {*re.findall(r'_refusal\(\s*"([a-z-]+)"', source), *OF_AMOUNT}
    assert {code for code in codes if f"refused.{code}" not in ENGLISH} == set()
    assert len(codes) > 8
