"""The rules in words: every fairness key shows in every language, and every house can be told."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from fractions import Fraction
from html.parser import HTMLParser
from importlib.resources import files
from string import Template
from typing import Any, Final

import pytest
import tomli_w
from attrs import evolve, frozen
from tests.properties.meeting import meets
from tests.properties.shipped import names, random_house, shipped
from tests.properties.test_each_key_matters import (
    BASE,
    FLIPS,
    LIVE,
    flipped,
    laid_over,
)

from trente_rules import (
    ConfigurationError,
    Course,
    Named,
    PluginError,
    PluginManager,
    Table,
    TrenteError,
    Verdict,
    dumps_house,
    hookimpl,
    loads_house,
)
from trente_rules.core import LanguageText, default_manager
from trente_rules.core.cards import Colour
from trente_rules.core.coup import Outcome
from trente_rules.core.house.difference import kind_of
from trente_rules.core.house.house import House
from trente_rules.core.keys import key
from trente_rules.core.machine import FREE
from trente_rules.core.money import Money
from trente_rules.core.rules.announcements import Call, Language, LanguageWarning
from trente_rules.core.rules.limits import Limits
from trente_rules.reports.document import Report, Section
from trente_rules.reports.formats import html, latex, markdown, text
from trente_rules.reports.rulebook import (
    RulebookFigures,
    WagerFigure,
    inferred_sections,
    rulebook,
)
from trente_rules.reports.rulebook_stakes import course_text
from trente_rules.reports.sentences import Speech
from trente_rules.table.commands import (
    Burn,
    Choose,
    CloseBets,
    Command,
    Cut,
    Deal,
    EndShoe,
    Expose,
    OpenBets,
    OpenShoe,
    Place,
    PlaceMarker,
    Settle,
    VoidCoup,
)
from trente_rules.table.events import Announced
from trente_rules.testing import coup_with, opening_of, stacked_shoe

FORMATS: Final = (text.render, markdown.render, html.render, latex.render)
FAIR: Final = sorted(
    k for k in FLIPS if k.split(".")[0] not in ("house", "announcements") and k != "limits.rule"
)
PRESENTED: Final = ("calls", "sources")
LANGUAGES: Final = default_manager().names("language")
WHOLE: Final = "monte-carlo-1911"


def each_house(*languages: str) -> pytest.MarkDecorator:
    """Return the mark that runs a test for each shipped house in each language.

    By day each house is told in one language, by turns, and one house in all; the rest at night.
    """
    told_in = languages or LANGUAGES
    return pytest.mark.parametrize(
        ("house", "language"),
        [
            pytest.param(
                house,
                language,
                marks=()
                if house == WHOLE or language == told_in[at % len(told_in)]
                else pytest.mark.nightly,
            )
            for at, house in enumerate(names())
            for language in told_in
        ],
    )


def sentences(language: str) -> dict[str, str]:
    """Return the sentences of the rulebook in a language, by their dotted keys."""
    return {
        key.removeprefix("rulebook."): text
        for key, text in default_manager().language(language).sentences.items()
        if key.startswith("rulebook.")
    }


def house_of(tables: dict[str, Any], plugins: PluginManager | None = None) -> House:
    """Return the house of tables."""
    return loads_house(tomli_w.dumps(tables), plugins=plugins)


def sections(book: Report) -> list[Section]:
    """Return the sections of a rulebook: it has nothing besides."""
    return [part for part in book.parts if isinstance(part, Section)]


def told(house: House, language: str = "en") -> str:
    """Return the rules alone: no stamp (which holds the fingerprint), no calls, no sources."""
    book = rulebook(house, language)
    left_out = {sentences(language)[f"sections.{name}"] for name in PRESENTED}
    rules = [section for section in sections(book) if section.title not in left_out]
    return text.render(evolve(book, title="", stamp="", parts=rules))


def section(house: House, name: str, language: str = "en") -> Section:
    """Return one section of the rulebook of a house."""
    title = sentences(language)[f"sections.{name}"]
    return next(s for s in sections(_book(house, language)) if s.title == title)


_BOOKS: Final[dict[tuple[int, str], tuple[House, Report]]] = {}


def _book(house: House, language: str) -> Report:
    """Return the rulebook of a house, made once: a house is kept, so that no other has its id."""
    if (id(house), language) not in _BOOKS:
        _BOOKS[id(house), language] = house, rulebook(house, language)
    return _BOOKS[id(house), language][1]


def test_every_fairness_key_is_flipped_here() -> None:
    """What only a live table shows is flipped too, and no key of fairness is left out."""
    assert set(LIVE) <= set(FAIR)
    assert {k for k in FLIPS if kind_of(k) == "fairness"} - {"limits.rule"} <= {
        *FAIR,
        "money.currency",
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", FAIR)
def test_every_value_shows_in_every_language(name: str) -> None:
    """With a key of fairness at another value, the rules read otherwise in all five languages."""
    over, value = FLIPS[name]
    tables = laid_over(BASE, over)
    before, after = house_of(tables), house_of(flipped(tables, name, value))
    new = [
        numbers(told(after, language)) - numbers(told(before, language)) for language in LANGUAGES
    ]
    for language, found in zip(LANGUAGES, new, strict=True):
        assert told(before, language) != told(after, language), language
        assert found == new[0], language  # A7: what is new has the same numbers in every language


def numbers(text: str) -> Counter[str]:
    """Count the numbers in a text."""
    return Counter(re.findall(r"\d+", text))


SMALL_WORDS: Final = {
    "de": "der die das dem den des ein eine eines einem einen einer ist sind er sie es in im zu "
    "nicht auf mit und oder bei als kein keine von wird werden wenn so für jede jeder am an aus "
    "nach wer was",
    "en": "the a an of is are it its in to not on with and or at as no by be for each if from than",
    "es": "el la los las un una de del es son en a al no se solo sobre con y o que quien si por "
    "para cada su lo",
    "fr": "le la les l un une des du de d est sont il elle en à au aux ne pas sur avec et ou par "
    "que qui si dans aucun pour plus chaque",
    "it": "il la le lo i gli un una di del della dei delle dal è sono in a al alla alle non su sul "
    "con e o che chi si se solo nel nella per da ogni l come dopo più",
}
"""Words that a sentence of six words or more has some of."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_is_in_its_language(language: str) -> None:
    """A7: each long sentence of a catalogue has more small words of its language than of others."""
    small = {other: set(words.split()) for other, words in SMALL_WORDS.items()}
    for name, sentence in sentences(language).items():
        words = re.findall(r"[^\W\d_]+", re.sub(r"\$\{?\w+\}?", "", sentence).lower())
        if len(words) >= 6:
            met = {other: sum(word in some for word in words) for other, some in small.items()}
            assert met[language] == max(met.values()) > 0, (name, sentence)


@pytest.mark.slow
@each_house()
def test_every_value_of_a_shipped_house_shows(house: str, language: str) -> None:
    """In every shipped house, each key that can be flipped alone changes the text.

    D5: but whether players may bet together, to pass the maximum, where there is no maximum.
    """
    base = _tables(shipped(house))
    unbounded = sentences("en")["limits.no_maximum"] in words_of(section(shipped(house), "limits"))
    as_shipped = told(shipped(house), language)
    seen = 0
    for name in FAIR:
        other = _other_value(base, name, FLIPS[name][1])
        if other is None:
            continue
        try:
            changed = house_of(other)
        except ConfigurationError:
            continue  # the key cannot act, or not alone
        if changed.fingerprint == shipped(house).fingerprint and name not in LIVE:
            continue
        seen += 1
        unsaid = unbounded and name == "limits.associations"
        assert (told(changed, language) == as_shipped) == unsaid, name
    assert seen > 15


def _tables(house: House) -> dict[str, Any]:
    from trente_rules.core.house.loading import house_table  # noqa: PLC0415 - beside its only use

    return dict(house_table(house))


def _other_value(base: dict[str, Any], name: str, value: Any) -> dict[str, Any] | None:
    """Return the tables with a key they hold at another value, None where it is not held."""
    tables = deepcopy(base)
    *steps, last = name.split(".")
    inner: Any = tables
    for step in steps:
        inner = inner.get(step) if isinstance(inner, dict) else None
    if not isinstance(inner, dict) or last not in inner or inner[last] == value or value is None:
        return None
    inner[last] = value
    return tables


def test_another_limit_rule_shows() -> None:
    """One pair of limits reads otherwise than several tables."""
    pairs = [{"minimum": 10, "maximum": 1000}, {"minimum": 20, "maximum": 2000}]
    tables = laid_over(BASE, {"limits": {"rule": "tables", "tables": pairs}})
    for language in LANGUAGES:
        assert told(house_of(BASE), language) != told(house_of(tables), language)


def test_the_languages_say_the_same_things() -> None:
    """Every catalogue has the same keys, with the same places in each; none is empty."""
    english = sentences("en")
    for language in LANGUAGES:
        catalogue = sentences(language)
        assert list(catalogue) == list(english), language
        for name, sentence in catalogue.items():
            # French parts thousands with a blank.
            blank = " " if name.endswith("thousands") else None
            assert sentence.strip(blank) == sentence != "", (language, name)
            places = set(Template(sentence).get_identifiers())
            assert places == set(Template(english[name]).get_identifiers()), (language, name)
            assert Template(sentence).is_valid()


def test_the_languages_differ() -> None:
    """Hardly a sentence of one language is left in another."""
    english = sentences("en")
    for language in set(LANGUAGES) - {"en"}:
        long = [name for name, text in english.items() if len(text) > 30]
        assert not [name for name in long if sentences(language)[name] == english[name]]


@pytest.mark.slow
@each_house()
def test_every_shipped_house_is_told(house: str, language: str) -> None:
    """Each house, language and format: whole, with no place left open and no key for a word."""
    book = rulebook(shipped(house), language)
    for render in FORMATS:
        text = render(book)
        assert "$" not in text
        assert shipped(house).fingerprint in text
        assert text.endswith("\n")
    assert [s.title for s in sections(book)][:3] == [
        sentences(language)[f"sections.{name}"] for name in ("game", "chances", "ties")
    ]


@pytest.mark.slow
@meets(house=random_house(), examples=20)
def test_every_house_is_told(house: House) -> None:
    """Random houses, with machines of their own, are told in every language and format."""
    for language in LANGUAGES:
        book = rulebook(house, language)
        for render in FORMATS:
            assert render(book)
        for state in house.machine.prisons:
            assert Speech(
                default_manager().language(language), house.money, house.machine.prisons
            ).state(state) in told(house, language).replace("\n    ", " ").replace("\n", " ")


def words_of(part: object) -> str:
    """Return the texts of a section on one line, each blank as it is written."""
    return " ".join(re.split("[ \n]+", text.render(Report("", (part,), page=True))))  # type: ignore[arg-type]


MAXIMUM: Final = {
    "de": "Maximum",
    "en": "maximum",
    "es": "máximo",
    "fr": "maximum",
    "it": "massimo",
}


@pytest.mark.parametrize("house", names())
def test_no_maximum_is_named_where_there_is_none(house: str) -> None:
    """D5: beside "There is no maximum", no sentence on limits supposes one, in any language."""
    for language in LANGUAGES:
        catalogue = sentences(language)
        limits = words_of(section(shipped(house), "limits", language))
        if catalogue["limits.no_maximum"] in limits:
            others = re.sub("como máximo|al massimo", "", limits)  # "at most"
            assert others.count(MAXIMUM[language]) == 1, (language, limits)
            assert catalogue["limits.whole"] not in limits


def quoted(text: str, language: str) -> set[str]:
    """Return what stands between quotation marks, on one line."""
    left, right = sentences(language)["quote"].split("$text")
    return set(re.findall(f"{re.escape(left)}(.*?){re.escape(right)}", text))


CLOSING: Final = {
    "foster-1897": "Rien ne va plus",
    "germany-500": "Le jeu est fait !",
    "homburg-1860": "Votre jeu est-il fait ?",
    "hoyle-19c": "Votre jeu est-il fait ?",
    "monte-carlo-1911": "Rien ne va plus !",
    "rouge-et-noir-meyers": "Le jeu est fait !",
    "spain-1979": "No va más",
}


@pytest.mark.parametrize("house", sorted(CLOSING))
def test_late_bets_are_measured_by_the_closing_call_of_the_house(house: str) -> None:
    """D18 a, D21: the rules quote the call that closes the bets in this house, and no other."""
    for language in LANGUAGES:
        limits = words_of(section(shipped(house), "limits", language))
        assert quoted(limits, language) == {CLOSING[house]}


def test_a_house_that_closes_the_bets_without_a_call_quotes_none() -> None:
    """D18 a: with neither closing call, late bets are those after the bets are closed."""
    silent = {"phrases": {"les_jeux_sont_faits": "", "rien_ne_va_plus": ""}}
    house = house_of(laid_over(BASE, {"announcements": silent}))
    for language in LANGUAGES:
        limits = words_of(section(house, "limits", language))
        assert not quoted(limits, language)
        assert sentences(language)["limits.late_bets.refused_uncalled"] in limits


ROWS: Final = ((39, 32), (34, 40), (38, 38))
"""The points of the examples in the rulebook but the refait."""


def _prepare(table: Table, do: Callable[..., None]) -> None:
    """Cut, burn and mark, whenever the house does it."""
    shoe = table.state.house.shoe
    if "cut" in table.allowed():
        do(Cut, place=0, by=shoe.cut_by)
    if "burn" in table.allowed():
        do(Burn)
    if "place-marker" in table.allowed() and shoe.marker:
        do(PlaceMarker, by=shoe.marker.placed_by)


def _choose_the_other_course(table: Table, do: Callable[..., None]) -> None:
    machine = table.state.house.machine
    for verdict in machine.verdicts:
        for stake in table.state.stakes if "choose" in table.allowed() else ():
            courses = machine.courses(stake.state, verdict)
            if len(courses) > 1:
                with suppress(TrenteError):  # the coup gives another verdict
                    do(Choose, stake=stake.id, course=courses[1].name, verdict=verdict.id)


def _deal(table: Table, do: Callable[..., None], *, choosing: bool) -> None:
    """Deal and settle; every other refait takes its second course, where there are two."""
    do(Deal)
    if choosing:
        _choose_the_other_course(table, do)
    if "settle" in table.allowed():
        do(Settle)


def called(house: House) -> dict[str, set[str]]:
    """Play a taille in which everything happens, and return the texts called, by their phrase."""
    won, lost, tied = (
        [coup_with(first, second, colour, colour) for colour in Colour] for first, second in ROWS
    )
    refait = [coup_with(point, point) for point in house.losing_ties[:1]]
    coups = [*refait, *won, *refait, *refait, *lost, *tied]  # the first prisoner is freed
    table = Table(house, opening=opening_of(house))
    count = iter(range(9999))
    said: dict[str, set[str]] = {}

    def do(kind: type[Command], **values: Any) -> None:
        for event in table.do(kind(id=str(next(count)), **values)):
            if isinstance(event, Announced):
                said.setdefault(event.phrase, set()).add(house.words.say(event))

    amount = opening_of(house).minimum or house.limits_table.tables[0].minimum or 1
    chance = "rouge" if house.deal.first_row == "noir" else "noir"  # the second row wins first
    size = 1 if house.shoe.every_coup else 5
    shoes = [coups[at : at + size] for at in range(0, len(coups), size)]
    stakes = iter(range(9999))
    for dealt in [*shoes, []]:
        cards = stacked_shoe(dealt, packs=house.shoe.packs, burn=house.shoe.burn_bounds[0]).cards
        do(OpenShoe, cards=cards)
        _prepare(table, do)
        while "open-bets" in table.allowed():
            number = next(stakes)
            do(OpenBets)
            do(Place, stake=f"s{number}", player="ann", chance=chance, amount=8 * amount)
            do(CloseBets)
            _prepare(table, do)
            if dealt:
                _deal(table, do, choosing=bool(number % 2))
                continue
            do(Expose)
            if "void-coup" in table.allowed():
                do(VoidCoup, reason="a test")
            if "end-shoe" in table.allowed():
                do(EndShoe)
    return said


@pytest.mark.parametrize("house", names())
def test_the_calls_of_a_house_are_quoted_and_no_others(house: str) -> None:
    """D18 b: what is called at the table, each phrase once at least; and nothing else is quoted."""
    played = called(shipped(house))
    for language in LANGUAGES:
        told_calls = quoted(words_of(section(shipped(house), "calls", language)), language)
        for phrase, texts in played.items():
            assert texts & told_calls, (language, phrase, texts)
        assert told_calls <= set().union(*played.values()), language


@pytest.mark.parametrize("house", names())
def test_all_four_results_are_quoted(house: str) -> None:
    """D18 b: with a first card of either colour, so that couleur wins and loses with each row."""
    words, deal = shipped(house).words, shipped(house).deal
    phrases = {
        "rouge-couleur": (
            *("rouge_gagne_et_couleur", "rouge_gagne_couleur_perd"),
            *("rouge_perd_et_couleur", "rouge_perd_couleur_gagne"),
        ),
        "all-four": (
            *("noir_et_couleur_gagnent", "noir_et_inverse_gagnent"),
            *("rouge_et_couleur_gagnent", "rouge_et_inverse_gagnent"),
        ),
        "rouge-only": ("rouge_gagne", "rouge_perd"),
    }[shipped(house).announcements.result if "couleur" in deal.chances else "rouge-only"]
    points = ((4, 34), (2, 32), (34, 34), (32, 32), (40, 40))  # as the house may call them
    for language in LANGUAGES:
        found = quoted(words_of(section(shipped(house), "calls", language)), language)
        for phrase in phrases:
            texts = {
                words.say(Call(phrase, (("point", point), ("full", full))))
                for point, full in points
            }
            assert texts & found, (language, phrase)


@each_house()
def test_no_path_of_a_key_is_shown(house: str, language: str) -> None:
    """D18 f: what is inferred is named by the headings under which it is."""
    book = rulebook(shipped(house), language)
    title = sentences(language)["sections.sources"]
    rest = [part for part in sections(book) if part.title != title]
    (sources,) = [words_of(part) for part in sections(book) if part.title == title]
    for source in shipped(house).info.sources:
        sources = sources.replace(" ".join(source.split()), "")
    for written in (*map(words_of, rest), sources):
        assert not re.findall(r"[a-z_]{2,}\.[a-z_]{2,}|[a-z]+_[a-z]+", written)
    headings = {part.title for part in rest}
    if shipped(house).info.inferred:
        assert quoted(sources, language)
        assert quoted(sources, language) <= headings


def test_inferred_keys_are_named_by_their_sections() -> None:
    """D18 f: each table of a house file, and the keys of [deal] that another section tells."""
    keys = (
        "announcements",
        "money.unit",
        "deal.refait_on",
        "deal.first_row",
        "shoe",
        "limits.step",
    )
    assert inferred_sections(keys) == ("game", "ties", "limits", "shoe", "settlement", "calls")
    catalogue = sentences("en")
    for house in names():
        for key_ in shipped(house).info.inferred:
            (found,) = inferred_sections([key_])
            assert f"sections.{found}" in catalogue, key_


@each_house(*sorted(set(LANGUAGES) - {"en"}))
def test_no_english_sentence_is_left_in_another_language(house: str, language: str) -> None:
    """D18 e: no sentence of the English catalogue is in the rules of another language."""
    rules = told(shipped(house), language).replace("\n", " ")
    for name, sentence in sentences("en").items():
        pieces = re.split(r"\$\w+", sentence)
        # To look for the pieces first takes a hundredth of the time of the expression.
        if max(map(len, pieces)) > 20 and all(piece in rules for piece in pieces):
            assert not re.search(".*?".join(map(re.escape, pieces)), rules), name


@each_house()
def test_states_verdicts_and_courses_have_names_in_the_language(house: str, language: str) -> None:
    """D20 to D22: no id of a state, verdict or course is shown for want of a word."""
    loaded = shipped(house)
    speech = Speech(default_manager().language(language), loaded.money, loaded.machine.prisons)
    mark = sentences(language)["quote"][0]
    for answer in loaded.machine.answers:
        assert answer.state == FREE or mark not in speech.state(answer.state)
        assert answer.verdict.id not in speech.verdict(answer.verdict).partition("(")[2]
        if len(answer.courses) > 1:
            for course in answer.courses:
                assert f"choice.{course.name}" in sentences(language), course.name
    assert not quoted(words_of(section(loaded, "stakes", language)), language)


@pytest.mark.parametrize(
    ("language", "moment", "word"),
    [
        ("de", "bei einem Refait auf 40", "Refait auf 40"),
        ("en", "on a refait at 40", "refait at 40"),
        ("es", "en caso de refait a 40", "refait a 40"),
        ("fr", "en cas de refait à 40", "refait à 40"),
        ("it", "in caso di refait a 40", "refait a 40"),
    ],
)
def test_a_refait_of_one_point_is_named_by_it(language: str, moment: str, word: str) -> None:
    """The verdict ``refait-40`` has a name in every language, as a moment and as a word."""
    speech = Speech(default_manager().language(language), Money(), ())
    assert speech.verdict(Verdict.refait_of(40)) == moment
    assert speech.short("refait-40") == word


@pytest.mark.parametrize(
    ("language", "right", "wrong"),
    [
        ("de", "bleibt der Bank", "behält die Bank einen Teil"),
        ("en", "a fraction of a unit stays with the bank", "is kept by the bank"),
        ("es", "la fracción de unidad queda para la banca", "se queda con una fracción"),
        ("fr", "la fraction d'unité reste à la banque", "garde une fraction"),
        ("it", "la frazione di unità resta al banco", "trattiene una frazione"),
    ],
)
def test_only_what_is_over_of_a_unit_stays_with_the_bank(
    language: str, right: str, wrong: str
) -> None:
    """D18 c: rounding does not read as if the bank kept a part of every payment."""
    settled = words_of(section(shipped("france-2007"), "settlement", language))
    assert right in settled
    assert wrong not in settled


@pytest.mark.parametrize(
    ("language", "right"),
    [
        ("de", "die Bank gibt die Hälfte seines Wertes zurück und behält die andere Hälfte"),
        ("en", "the bank returns half of what the stake is worth and keeps the other half"),
        ("es", "la banca devuelve la mitad de lo que vale la apuesta y se queda con la otra mitad"),
        ("fr", "la banque rend la moitié de ce que vaut la mise et garde l'autre moitié"),
        ("it", "il banco restituisce la metà di quanto vale la puntata e trattiene l'altra metà"),
    ],
)
def test_the_bank_keeps_the_other_half(language: str, right: str) -> None:
    """D18 d: of the half that is returned, the bank takes no half."""
    assert right in words_of(section(shipped("france-2007"), "stakes", language))


def test_an_apres_leaves_the_stake_to_the_player() -> None:
    """D23: a free stake on an après may be left, moved or taken back (S0, S3)."""
    stakes = words_of(section(shipped("monte-carlo-1911"), "stakes"))
    assert (
        "On an après: the stake is neither won nor lost; it may be left, moved or taken" in stakes
    )
    assert "When the session closes: the stake is returned whole." in stakes


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_title_of_a_house_is_quoted_where_it_is_of_another_language(language: str) -> None:
    """D18 e: it is between quotation marks in every language but that of the house files."""
    title = rulebook(shipped("foster-1897"), language).title
    marked = sentences(language)["quote"].replace("$text", "Foster's Complete Hoyle, 1897")
    assert (marked in title) is (language != "en")
    assert "Foster's Complete Hoyle, 1897" in title


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_all_side_bets_need_is_said_once(language: str) -> None:
    """Venezia online: a free stake on a simple chance, for eleven side bets; for one, beside it."""
    bets = words_of(section(shipped("venezia-online"), "side_bets", language))
    assert bets.count(sentences(language)["side.all_need_simple"]) == 1
    assert sentences(language)["side.needs_simple"] not in bets
    one = [{"id": "tie", "wins_on": "any-tie", "odds": "8", "needs": "simple"}]
    alone = words_of(section(house_of(laid_over(BASE, {"side_bets": one})), "side_bets", language))
    assert alone.count(sentences(language)["side.needs_simple"]) == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_two_tableaux_are_named(language: str) -> None:
    """D16 f: S3 calls rouge and noir the grand tableau, couleur and inverse the petit tableau."""
    chances = words_of(section(shipped("monte-carlo-1911"), "chances", language))
    assert "grand tableau" in chances
    assert "petit tableau" in chances
    two = words_of(section(shipped("hoyle-19c"), "chances", language))
    assert "tableau" not in two or "couleur" in shipped("hoyle-19c").deal.chances


UNWANTED: Final = {
    "de": r"niedrigere Punkt\b|in Prison|Schluss der Sitzung|bezahlt wird ihm|nimmt die Hälfte"
    r"|Schlitten",
    "en": r"has not|handed back|the taking of|copies of it|ordinary tie|losing tie|\bhe\b|\bhis\b"
    r"|\btold\b|goes on|becomes of",
    "es": r"valets|corren la suerte|la suerte de una|sabot|jugada nula|es nula|Lo más que",
    "fr": r"rangée est noir|rangée noir\b|[Ll]e plus qu|coup nul|est nul\b|sabot"
    r"|en prend la moitié",
    "it": r"è 1 %|\bpost[ae]\b|parità|sabot|null[oi]\b",
}
"""Words that no native speaker would say there, or a second word for what has one."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_thing_has_one_word_and_every_sentence_is_said_so(language: str) -> None:
    """D19 to D23: what was stiff, foreign or a second word for a thing is in no sentence."""
    catalogue = default_manager().language(language)
    for name, sentence in catalogue.sentences.items():
        words = re.sub(r"\$\w+", "", sentence)
        assert not re.search(UNWANTED[language], words), (name, sentence)


def test_an_unknown_language_is_an_error() -> None:
    """The error names the languages there are."""
    with pytest.raises(PluginError, match="unknown language 'xx'") as caught:
        rulebook(shipped(names()[0]), "xx")
    assert caught.value.code == "unknown-language"
    assert all(language in caught.value.hint for language in LANGUAGES)


def _portuguese(more: str = "", **other: str) -> PluginManager:
    """Return plugins with Portuguese: calls as in Spanish, and what is given of the rulebook."""
    spanish = (files("trente_rules.core.rules") / "languages/es.toml").read_text("utf-8")
    calls = spanish.partition("[rulebook]")[0].replace('"es"', '"pt"', 1)

    class Plugin:
        @hookimpl
        def trente_languages(self) -> list[LanguageText]:
            return [
                LanguageText(code, f"{code}.toml", written)
                for code, written in {"pt": calls + more, **other}.items()
            ]

    manager = PluginManager(only=())
    manager.register(Plugin(), "my:languages")
    return manager


def test_a_plugin_brings_a_language_whole() -> None:
    """T11c, A13 c: one catalogue is calls and rulebook; what it lacks is the fallback's."""
    manager = _portuguese('[rulebook]\ntitle = "Regras do trinta e quarenta: $title"\n')
    with pytest.warns(LanguageWarning, match="'pt' has no 'rulebook.quote'"):
        book = rulebook(house_of(BASE), "pt", plugins=manager)
    assert book.title.startswith("Regras do trinta e quarenta: ")
    assert "Any change to them makes it a different game" in book.stamp
    assert "“Un après”" in text.render(book)  # as the house calls it


def test_a_fallback_is_named() -> None:
    """T11d: a language that lacks a phrase or a sentence takes it from the one it names."""
    manager = _portuguese()
    spoken = manager.language("pt")
    calls = manager._named("language", "pt", LanguageText)[1].text
    changed = calls.replace('cut = "Señores, al corte"\n', "").replace(
        'code = "pt"', 'code = "pt"\nfallback = "fr"'
    )
    manager = _portuguese(pt=changed)
    with pytest.warns(LanguageWarning, match="'pt' has no 'cut'"):
        language = manager.language("pt")
    assert language.say(Call("cut")) == "Messieurs, à la coupe"
    assert language.say(Call("libre")) == spoken.say(Call("libre"))
    assert rulebook_title(language) == rulebook_title(default_manager().language("fr"))
    toml = '[house]\nname = "x"\nextends = "spain-1979"\n[announcements]\nlanguage = "pt"\n'
    assert loads_house(toml, plugins=manager).words.say(Call("cut")) == "Messieurs, à la coupe"


def rulebook_title(language: Language) -> str:
    """Return the title of a rulebook in a language."""
    return language.sentence("rulebook.title", title="x")


def test_fallbacks_that_lead_nowhere_are_errors() -> None:
    """A fallback that is not there, a circle, and a place that no sentence has are named."""
    calls = _portuguese()._named("language", "pt", LanguageText)[1].text
    for change, words in (
        ('fallback = "zz"', "unknown language 'zz'"),
        ('fallback = "pt"', "its own fallback"),
    ):
        manager = _portuguese(pt=calls.replace('code = "pt"', f'code = "pt"\n{change}'))
        with pytest.raises(PluginError, match=words):
            manager.language("pt")
    for line, words in (
        ('title = "$titel"', r"has no placeholder '\$titel'"),
        ("title = 5", "5 is not a sentence"),
    ):
        with pytest.raises(PluginError, match=words):
            _portuguese(f"[rulebook]\n{line}\n").language("pt")


def test_equal_machines_are_told_alike_whatever_rule_built_them() -> None:
    """A custom machine with the courses of the rule `half-loss` has its words."""
    half = {"course": "half", "returned": "1/2"}
    custom = {"rule": "custom", "machine": {"free": {"refait": [half]}}}
    one = house_of(laid_over(BASE, {"refait": {"rule": "half-loss"}}))
    other = house_of(laid_over(BASE, {"refait": custom}))
    assert section(one, "stakes") == section(other, "stakes")


@pytest.mark.parametrize(
    ("course", "words"),
    [
        (Course("x"), "the stake is lost"),
        (
            Course("x", returned=Fraction(1, 2)),
            "the bank returns half of what the stake is worth and keeps the other half",
        ),
        (
            Course("x", staying=Fraction(1, 2), state="prison"),
            "the stake goes to prison, worth only half of what it was",
        ),
        (
            Course("x", returned=Fraction(1, 4), staying=Fraction(3, 8), state="prison"),
            (
                "the bank returns a quarter of what the stake is worth, the stake goes to "
                "prison, worth only 3/8 of what it was and the bank takes 3/8 of it "
                "when the stake leaves the table"
            ),
        ),
        (
            Course("x", returned=Fraction(1, 4)),
            "the bank returns a quarter of what the stake is worth and keeps the rest",
        ),
        (
            Course("x", taken=Fraction(1, 4), staying=Fraction(3, 4), state="prison"),
            (
                "the bank takes a quarter of what the stake is worth at once and the rest goes to "
                "prison"
            ),
        ),
        (
            Course("x", returned=Fraction(1, 2), pays=Fraction(2)),
            (
                "the bank returns half of what the stake is worth, keeps the other half and what "
                "is returned is paid 2 to 1"
            ),
        ),
    ],
)
def test_a_course_is_told_by_its_shares(course: Course, words: str) -> None:
    """What is handed back, what stays and where, what is lost: each share is named."""
    speech = Speech(default_manager().language("en"), house_of(BASE).money, ("prison",))
    assert course_text(FREE, Verdict.REFAIT, course, speech) == words


def test_defaults_and_conditions_of_choices_are_told() -> None:
    """The course taken without a choice is named so, and what is offered from the minimum on."""
    rules = text.render(rulebook(shipped("spain-1979"))).replace("\n    ", " ")
    assert "prison, the default (the stake goes to prison, worth what it was)" in rules
    assert "; offered only where what it returns reaches the table minimum)" in rules


@frozen
class ThirdLost:
    """A stranger's refait rule."""

    kept: Fraction = key(Fraction(2, 3))

    def build(self, _money: Money) -> Any:
        """Return courses through a state of its own."""
        waits = Course("waits", staying=self.kept, state="waiting")
        again = {Verdict.REFAIT: [waits], Verdict.CLOSE: [Course("closed", returned=Fraction(1))]}
        return {"free": {Verdict.REFAIT: [waits]}, "waiting": again}


@frozen
class OddHours:
    """A stranger's limit rule: limits, and a function on top of them."""

    hours: int = key(3)

    def build(self, money: Money) -> Limits:
        """Return limits with a function that refuses nothing."""
        return Limits(money, also=lambda *_: ())


@frozen
class FirstBlack:
    """A stranger's side bet: the first card is black, and the first row ends on 31."""

    point: int = key(31)

    def wins(self, outcome: Outcome) -> bool:
        """Return whether it wins."""
        return outcome.first == self.point and outcome.first_colour.name == "NOIR"


class Strangers:
    """A plugin that brings the three."""

    @hookimpl
    def trente_refait_rules(self) -> list[Named]:
        """Bring a refait rule."""
        return [Named("third-lost", ThirdLost)]

    @hookimpl
    def trente_limit_rules(self) -> list[Named]:
        """Bring a limit rule."""
        return [Named("odd-hours", OddHours)]

    @hookimpl
    def trente_side_bets(self) -> list[Named]:
        """Bring a side bet."""
        return [Named("first-black", FirstBlack)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_strangers_rules_are_told_from_what_they_build(language: str) -> None:
    """States and shares of the machine, outcomes of the side bet, the limit rule by its name."""
    manager = PluginManager(only=())
    manager.register(Strangers(), "strangers")
    tables = {
        "house": {"name": "strange"},
        "refait": {"rule": "third-lost", "kept": "3/5"},
        "limits": {"rule": "odd-hours", "hours": 7},
        "side_bets": [{"id": "fb", "wins_on": "first-black", "point": 33, "odds": "20"}],
    }
    house = house_of(tables, manager)
    text = told(house, language)
    assert " ".join(text.split()).count("hours = 7") == 1
    assert all(part in text for part in ("waiting", "3/5", "odd-hours", "fb"))
    assert sentences(language)["colour.noir"] in text
    for changed in (
        {"refait": {"rule": "third-lost", "kept": "1/2"}},
        {"limits": {"rule": "odd-hours", "hours": 8}},
        {"side_bets": [{"id": "fb", "wins_on": "first-black", "point": 34, "odds": "20"}]},
    ):
        assert told(house_of({**tables, **changed}, manager), language) != text


def test_the_most_a_stake_can_win_keeps_step_and_exactness() -> None:
    """The greatest stake is a multiple of the step, and one that can be settled exactly."""
    side = [{"id": "tie", "wins_on": "any-tie", "odds": "17/2"}]
    limits = {"rule": "fixed", "minimum": 10, "maximum": 1001, "step": 3}
    tables = laid_over(BASE, {"limits": limits, "side_bets": side})
    assert "999\N{NO-BREAK SPACE}EUR" in told(house_of(tables))  # 333 times 3, at 1 to 1
    assert "8,491\N{NO-BREAK SPACE}EUR" in told(house_of(tables))  # half a unit less
    refusing = laid_over(tables, {"money": {"rounding": "refuse"}})
    assert "8,466\N{NO-BREAK SPACE}EUR" in told(house_of(refusing))  # 996 at 17 to 2


def test_a_side_bet_that_cannot_win_is_told_as_such() -> None:
    """A stranger's side bet with no winning outcome says so."""
    manager = PluginManager(only=())
    manager.register(Strangers(), "strangers")
    side = [{"id": "fb", "wins_on": "first-black", "point": 50, "odds": "20"}]
    text = told(house_of({**BASE, "side_bets": side}, manager))
    assert "“fb” never wins." in text


@pytest.mark.parametrize(
    ("value", "number", "percent"),
    [
        (Fraction(1, 3), "1/3", "1/3"),
        (Fraction(3, 2), "1,50", "150 %"),
        (Fraction(1, 80), "0,0125", "1,25 %"),
        (Fraction(7), "7", "700 %"),
    ],
)
def test_numbers_are_exact(value: Fraction, number: str, percent: str) -> None:
    """Decimals where they tell the value exactly, with the mark of the language; else fractions."""
    speech = Speech(default_manager().language("de"), house_of(BASE).money, ())
    assert (speech.number(value), speech.percent(value)) == (number, percent)


class Balance(HTMLParser):
    """A reader of HTML that checks that what is opened is closed."""

    def __init__(self) -> None:
        """Begin with nothing open."""
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        """Open an element."""
        self.seen.add(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close the element that was opened last."""
        assert self.open.pop() == tag


def test_what_a_house_writes_cannot_act_in_html_or_markdown() -> None:
    """Marks in a title or a source are escaped; line breaks and unseen signs do not act."""
    info = {"name": "h", "title": "<script>*x*\n# y\u202e", "sources": ["1. [a](b) | c", "- d"]}
    house = house_of({**BASE, "house": info})
    book = rulebook(house)
    page = Balance()
    page.feed(html.render(book))
    assert not page.open
    assert page.seen <= {
        *("html", "head", "meta", "title", "style", "body", "h1", "p", "section", "h2", "ul"),
        *("li", "div", "table", "thead", "tbody", "tr", "th", "td", "caption", "span"),
        *("header", "nav", "main", "ol", "a", "script", "details", "summary"),
    }
    assert html.render(book).count("<script") == 1
    first = markdown.render(book).splitlines()[0]
    assert first == r"# Rules of trente et quarante: \<script\>\*x\*\\n\# y\\u202e"
    assert r"- 1\. \[a\](b) \| c" in markdown.render(book)
    assert r"- \- d" in markdown.render(book)
    assert "\u202e" not in text.render(book)


def test_odds_are_told_where_the_caller_gives_them() -> None:
    """Without figures there is no section of odds; with them it holds each figure."""
    house = house_of(BASE)
    choices = (("free/refait", "prison"), ("prison/refait", "partage"))
    figures = RulebookFigures(
        6,
        Fraction(1, 50),
        Fraction(1, 11),
        (WagerFigure("rouge", insured=True, choices=choices, edge=Fraction(1, 90)),),
    )
    for language in LANGUAGES:
        title = sentences(language)["sections.odds"]
        without, book = rulebook(house, language), rulebook(house, language, figures)
        assert title not in [section.title for section in sections(without)]
        assert title in [section.title for section in sections(book)]
        decimal = sentences(language)["decimal"]
        for figure in ("2.00000 %", "9.09091 %", "1.11111 %"):
            assert figure.replace(".", decimal) in text.render(book)
        assert sentences(language)["choice.partage"] in text.render(book)


@pytest.mark.parametrize(
    ("language", "most", "unit"),
    [
        ("en", "7,654,321", "0.01"),
        ("fr", "7\u202f654\u202f321", "0,01"),
        ("it", "7.654.321", "0,01"),
        ("es", "7.654.321", "0,01"),
        ("de", "7.654.321", "0,01"),
    ],
)
@pytest.mark.parametrize("width", [None, 30, 47, 80])
def test_no_line_break_parts_an_amount_from_its_currency(
    language: str, most: str, unit: str, width: int | None
) -> None:
    """C20: a no-break space between them, thousands as the language writes them."""
    large = loads_house(
        '[house]\nname = "large"\nextends = "monte-carlo-1911"\n[limits]\nmaximum = 7654321\n'
    )
    said = text.render(rulebook(large, language), width)
    assert f"{most}\N{NO-BREAK SPACE}FRF" in said
    assert f"{unit}\N{NO-BREAK SPACE}FRF" in said
    assert re.findall(r".*\d[ \n]+FRF.*", said) == []
    assert "7654321" not in said


def test_a_machine_reads_amounts_without_thousands() -> None:
    """C20: only the rules in words have them; TOML and JSON have the bare number."""
    large = loads_house(
        '[house]\nname = "large"\nextends = "monte-carlo-1911"\n[limits]\nmaximum = 7654321\n'
    )
    assert "7654321" in dumps_house(large)
    assert loads_house(dumps_house(large)).fingerprint == large.fingerprint
