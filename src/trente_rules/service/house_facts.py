"""The house as a page needs it: chances with their bounds and keys, chips, insurance, the shoe."""

from __future__ import annotations

from typing import Literal

from attrs import frozen


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

    Amounts are units; 0 is no bound. ``covers`` are the states of stakes that can be insured,
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
    """A state of a stake, such as a prison, and what it is called."""

    id: str
    name: str


@frozen
class PhraseFacts:
    """A phrase that the dealer may call, and its text in the house and in the language asked for.

    ``values`` are the names of what it is made with: only one without any can be called at will.
    """

    phrase: str
    said: str
    translated: str
    values: tuple[str, ...] = ()


@frozen
class LanguageFacts:
    """A language of the page: its code, and its name in itself."""

    code: str
    name: str


@frozen
class HouseFacts:
    """What a page needs to know of a house and of what is posted at a table.

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
