"""The house as a page needs it: chances with their bounds and keys, chips, insurance, the shoe."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final, Literal

from attrs import frozen

from trente_rules.core.chances import OPPOSITES, AnyTie, Chance
from trente_rules.core.coup import LAST_OPEN_TOTAL
from trente_rules.core.house.house import House
from trente_rules.core.machine import FREE
from trente_rules.core.plugins.manager import default_manager
from trente_rules.core.rules.announcements import PHRASE_KEYS, Call, Language
from trente_rules.core.rules.insurance import InsuranceTable
from trente_rules.core.shoe import CARDS_IN_PACK
from trente_rules.core.stakes import Opening
from trente_rules.core.text import printable
from trente_rules.play.chips import chip_values
from trente_rules.reports.names import chance_names, speech_of
from trente_rules.reports.rulebook_bets import chance_text
from trente_rules.reports.rulebook_stakes import premium_lines
from trente_rules.reports.sentences import Speech, capital
from trente_rules.table.state import TableState


@frozen
class ChanceFacts:
    """One chance of a table: amounts in units, under what is posted now.

    ``key`` is the key of a keyboard that puts a chip on it; ``odds`` are what a win pays for each
    unit, rising, as fractions. ``most`` is what one player may have on it, None without a maximum,
    0 where the chance is closed. ``opposite`` is the other chance of its pair, empty for a side
    bet. ``needs_simple`` is whether it takes a stake only from a player with one on a simple
    chance. ``rule`` says in the language when it wins.
    """

    id: str
    name: str
    simple: bool
    key: str
    odds: tuple[str, ...]
    odds_text: str
    least: int
    most: int | None
    step: int
    insurable: bool
    opposite: str
    needs_simple: bool
    rule: str


@frozen
class InsuranceFacts:
    """The insurance of a house: its rate as a fraction of the stake, and what it is bought for.

    Amounts are units; 0 means no bound. ``covers`` are the states of stakes that can be insured,
    ``prisoners`` whether there is a prison among them. ``lasts`` is how long a premium insures a
    stake. ``premium_text`` says in the language what is paid. What one stake pays, a preview of the
    command says: its event has the premium.
    """

    rate: str
    rate_text: str
    premium_text: str
    minimum_stake: int
    maximum_stake: int
    multiple: int
    minimum_premium: int
    maximum_premium: int
    covers: tuple[str, ...]
    prisoners: bool
    lasts: Literal["coup", "until-decided"]


@frozen
class MarkerFacts:
    """The marker: who places it, and how many cards may lie behind it."""

    placed_by: str
    low: int
    high: int


@frozen
class StateFacts:
    """A prison of the house, by the state of its stakes, and what it is called."""

    id: str
    name: str


@frozen
class PhraseFacts:
    """A phrase that the dealer may call at will, with its text.

    It is ``said`` in the language of the house, and ``translated`` into the one asked for.
    """

    phrase: str
    said: str
    translated: str


@frozen
class LanguageFacts:
    """A language of the page: its code, and its name in itself."""

    code: str
    name: str


@frozen
class HouseFacts:
    """Everything that a page needs to know of a house and of what is posted at a table.

    ``unit`` is the smallest amount in the currency, ``decimals`` the places of its amounts, and
    ``decimal`` and ``thousands`` how the language writes them. ``language`` is that of the calls,
    ``now_language`` the one that names and texts here are in. ``burn`` is the number of cards, None
    where the first card says it. ``cut`` are the least and the most cards that go behind, None
    where nobody cuts; ``cut_by`` is then empty. ``every_coup`` is a machine that shuffles for each
    coup. ``first_colour`` is that of the first row, empty where the cut decides it. ``chips`` are
    the values of chips in units, rising. ``refaits`` are the points whose tie is a refait.
    """

    name: str
    title: str
    fingerprint: str
    currency: str
    unit: str
    decimals: int
    decimal: str
    thousands: str
    rounding: str
    language: str
    now_language: str
    packs: int
    burn: int | None
    cut_by: str
    cut: tuple[int, int] | None
    cut_after_bets: bool
    marker: MarkerFacts | None
    every_coup: bool
    late_bets: bool
    first_colour: str
    wins: Literal["lowest", "highest"]
    chips: tuple[int, ...]
    purses: bool
    chances: tuple[ChanceFacts, ...]
    states: tuple[StateFacts, ...]
    insurance: InsuranceFacts | None
    prisoners_move: bool
    both_sides: bool
    refaits: tuple[int, ...]
    phrases: tuple[PhraseFacts, ...]
    languages: tuple[LanguageFacts, ...]


SIMPLE_KEYS: Final = {"rouge": "r", "noir": "n", "couleur": "c", "inverse": "i"}
"""The key of each simple chance."""
_OF_TIES: Final = "t"
_OTHER_KEYS: Final = "befgjmqvwyz"
"""The keys of side bets in their order: letters that no page uses for anything else."""
_DECIMALS: Final = 9


def house_facts(state: TableState, language: Language) -> HouseFacts:
    """Return what a page needs to know of a table's house, its texts in a language."""
    house, opening = state.setup.house, state.opening
    speech = speech_of(house, language)
    shoe, limits = house.shoe, house.limits_table
    deal = house.dealt_first(state.first_row).deal
    table = house.insurance_table
    cut_colour = house.deal.first_row == "cut" and not state.first_row
    return HouseFacts(
        name=house.name,
        title=printable(house.title),
        fingerprint=house.fingerprint,
        currency=printable(house.money.currency.strip()),
        unit=str(house.money.unit),
        decimals=decimals_of(house.money.unit.value),
        decimal=speech.say("decimal"),
        thousands=speech.say("thousands"),
        rounding=house.money.rounding,
        language=house.words.code,
        now_language=language.code,
        packs=shoe.packs,
        burn=None if shoe.burn == "first-card" else shoe.burn,
        cut_by="" if shoe.every_coup else shoe.cut_by,
        cut=None if shoe.every_coup else (0, shoe.packs * CARDS_IN_PACK),
        cut_after_bets=shoe.cut == "after-bets",
        marker=MarkerFacts(shoe.marker.placed_by, *shoe.marker.bounds) if shoe.marker else None,
        every_coup=shoe.every_coup,
        late_bets=limits.late_bets,
        first_colour="" if cut_colour else deal.first_colour.id,
        wins=house.deal.wins,
        chips=chip_values(house, opening),
        purses=state.setup.purses,
        chances=tuple(_chances(house, opening, language, speech)),
        states=tuple(StateFacts(name, speech.state(name)) for name in house.machine.prisons),
        insurance=_insurance(table, opening, speech) if table is not None else None,
        prisoners_move=limits.prisoners_move,
        both_sides=limits.both_sides,
        refaits=house.losing_ties,
        phrases=tuple(_phrases(house.words, language)),
        languages=languages(),
    )


def languages() -> tuple[LanguageFacts, ...]:
    """Return the languages that a page can be in."""
    known = default_manager()
    return tuple(LanguageFacts(code, known.language(code).name) for code in known.names("language"))


def decimals_of(unit: Fraction) -> int:
    """Return how many decimals an amount needs that is a multiple of a unit, nine at most.

    >>> decimals_of(Fraction(1, 2)), decimals_of(Fraction(5))
    (2, 0)
    """
    if unit.denominator == 1:
        return 0
    places = 2
    while places < _DECIMALS and (unit * 10**places).denominator != 1:
        places += 1
    return places


def keys_of_chances(house: House) -> dict[str, str]:
    """Return the key of a keyboard for each chance: unique, empty where no letter is left."""
    left = [*_OTHER_KEYS]
    keys: dict[str, str] = {}
    side = {bet.id: bet for bet in house.side_bets}
    for chance in house.chances:
        if chance.simple:
            keys[chance.id] = SIMPLE_KEYS[chance.id]
        elif isinstance(side[chance.id].wins_on.rule, AnyTie) and _OF_TIES not in keys.values():
            keys[chance.id] = _OF_TIES
        else:
            keys[chance.id] = left.pop(0) if left else ""
    return keys


def _chances(
    house: House, opening: Opening, language: Language, speech: Speech
) -> Iterator[ChanceFacts]:
    names, keys = chance_names(house, language), keys_of_chances(house)
    for chance in house.chances:
        bounds = house.limits_table.bounds(opening, chance.id)
        odds = chance.winning_odds
        yield ChanceFacts(
            id=chance.id,
            name=names[chance.id],
            simple=chance.simple,
            key=keys[chance.id],
            odds=tuple(map(str, odds)),
            odds_text=speech.any_of([speech.odds(each) for each in odds]),
            least=bounds.lowest,
            most=bounds.most,
            step=bounds.step,
            insurable=_insurable(house, chance),
            opposite=OPPOSITES.get(chance.id, "") if chance.simple else "",
            needs_simple=chance.needs == "simple",
            rule=capital(chance_text(house, chance, speech, names[chance.id])),
        )


def _insurable(house: House, chance: Chance) -> bool:
    return house.insurance_table is not None and chance.insurable


def _insurance(table: InsuranceTable, opening: Opening, speech: Speech) -> InsuranceFacts:
    return InsuranceFacts(
        rate=str(table.rate),
        rate_text=speech.percent(table.rate),
        premium_text=" ".join(premium_lines(table, speech)),
        minimum_stake=max(table.minimum_stake, opening.insurance_minimum or 0),
        maximum_stake=table.maximum_stake,
        multiple=table.multiple,
        minimum_premium=table.minimum_premium,
        maximum_premium=table.maximum_premium,
        covers=table.covers,
        prisoners=bool(set(table.covers) - {FREE}),
        lasts=table.lasts,
    )


def _phrases(words: Language, language: Language) -> Iterator[PhraseFacts]:
    """Yield the phrases that can be called with nothing but their key."""
    for phrase, key in PHRASE_KEYS.items():
        if not key.placeholders and words.calls(phrase):
            call = Call(phrase)
            yield PhraseFacts(phrase, words.say(call), language.say(call))


def refait_name(house: House) -> str:
    """Return what players call a refait: "un après" where 31 is the only losing tie."""
    return "un après" if house.losing_ties == (LAST_OPEN_TOTAL + 1,) else "refait"
