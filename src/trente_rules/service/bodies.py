"""What is asked and given over HTTP, besides commands, views and messages.

Bodies are frozen values, as messages are: OpenAPI and the types of TypeScript are made of them, and
``message_converter`` reads and writes them. Amounts are whole units of the house, exact numbers and
probabilities texts.
"""

from __future__ import annotations

from typing import Any, Literal

from attrs import field, frozen

from trente_rules.service.messages import TableSummary
from trente_rules.table.movements import Movement
from trente_rules.table.views import EntryView, TableView

RoleName = Literal["player", "dealer", "supervisor", "auditor"]


@frozen
class Health:
    """Whether the service is up, or ready for more."""

    status: Literal["ok", "stopping"]


@frozen
class Me:
    """Who a token is of: its name, its role, the tables it is for (``*`` is all), and its end.

    ``expires`` is in seconds since 1970.
    """

    name: str
    role: RoleName
    tables: tuple[str, ...]
    expires: int


@frozen
class TokenWanted:
    """A token to issue: for whom, and for how many seconds from now."""

    name: str
    role: RoleName
    tables: tuple[str, ...] = ("*",)
    seconds: int = 12 * 60 * 60


@frozen
class TokenIssued:
    """A token: it is sent as ``Authorization: Bearer TOKEN``."""

    token: str


@frozen
class HouseChoice:
    """A house that tables may be made of."""

    name: str
    title: str
    currency: str


@frozen
class ShoeWanted:
    """A shoe that the service shuffles and opens, or a live one at a live table.

    ``id`` is that of the command, as the sender counts them: sent again, it opens no second shoe.
    """

    id: str


@frozen
class TableNow:
    """A table as it is: its summary, and what the asker may see of it."""

    summary: TableSummary
    view: TableView


@frozen
class EventsPage:
    """A part of the events of a table, in order; ``next`` is the last index that was looked at."""

    entries: tuple[EntryView, ...]
    next: int


@frozen
class MovementsPage:
    """A part of the movements of a table, in order; ``next`` is the id to go on after."""

    movements: tuple[Movement, ...]
    next: str


# Readings


@frozen
class MarkerFacts:
    """Who puts the marker in, and how many cards may be behind it."""

    placed_by: str
    low: int
    high: int


@frozen
class ChanceFacts:
    """A chance of the house: what it pays, and what may be staked on it, in units.

    ``simple`` is true for the four that meet a refait; ``key`` is a letter for the keyboard.
    ``odds`` are what is paid for one, exact. ``most`` is None where nothing is posted.
    """

    id: str
    name: str
    simple: bool
    key: str
    odds: tuple[str, ...]
    least: int
    most: int | None
    step: int
    insurable: bool


@frozen
class InsuranceFacts:
    """The insurance of a house: its rate of the stake, exact, and what it covers."""

    rate: str
    premium_text: str
    minimum_stake: int
    covers: tuple[str, ...]
    prisoners: bool


@frozen
class HouseFacts:
    """The rules of a house that a page needs to show a table; amounts in units.

    ``unit`` is a unit as a decimal of the currency, ``decimals`` its places. ``cut`` are the least
    and the most cards that may be cut, None where the house does not say.
    """

    name: str
    title: str
    currency: str
    unit: str
    decimals: int
    language: str
    packs: int
    burn: int
    cut_by: str
    cut: tuple[int, int] | None
    marker: MarkerFacts | None
    every_coup: bool
    late_bets: bool
    first_colour: str
    chips: tuple[int, ...]
    purses: bool
    chances: tuple[ChanceFacts, ...]
    insurance: InsuranceFacts | None
    prisoners_move: bool
    languages: tuple[str, ...]
    now_language: str


@frozen
class ChanceOdds:
    """The next coup for one chance: probabilities and edges, as decimal texts.

    ``insured`` is the edge with insurance, None where the chance cannot be insured.
    """

    id: str
    win: str
    lose: str
    apres: str
    refait: str
    edge: str
    insured: str | None


@frozen
class OddsNow:
    """The odds of the next coup for the cards not seen yet, off by at most about ``error``."""

    cards: int
    error: str
    chances: tuple[ChanceOdds, ...]


@frozen
class CourseWorth:
    """A course that a player may choose: what it does, and what it is worth, exact, in stakes.

    ``moves`` are its steps in words, ``returned``, ``staying`` and ``taken`` units of this stake,
    ``state`` the one that the stake is in afterwards.
    """

    course: str
    call: str
    moves: tuple[str, ...]
    returned: int
    staying: int
    taken: int
    state: str
    worth: str
    worth_text: str
    best: bool
    default: bool


@frozen
class ChoiceWorth:
    """A choice that a player has for a stake, with its courses."""

    stake: str
    chance: str
    amount: int
    state: str
    verdict: str
    courses: tuple[CourseWorth, ...]


@frozen
class CoupLine:
    """What became of a stake of the asker in a coup, in units."""

    stake: str
    chance: str
    amount: int
    insured: bool
    state: str
    verdict: str
    course: str
    net: int


@frozen
class PastCoup:
    """A coup that was settled: its cards, its points, its verdicts, and the asker's own lines."""

    shoe: int
    coup: int
    first: tuple[str, ...]
    second: tuple[str, ...]
    points: tuple[int, ...]
    verdicts: dict[str, str]
    lines: tuple[CoupLine, ...]
    net: int
    void: bool
    corrected: bool


@frozen
class ReplayStep:
    """A step of a coup: an event as the asker sees it, with what was called."""

    event: dict[str, Any]
    said: tuple[str, str] | None


@frozen
class Replay:
    """A coup with its steps."""

    coup: PastCoup
    steps: tuple[ReplayStep, ...]


@frozen
class OwnCount:
    """The coups of the asker with a stake: won, lost, neither; what was staked, and the net."""

    won: int
    lost: int
    neither: int
    staked: int
    net: int


@frozen
class CardCount:
    """The cards of the shoe: out and left, the points that are out, low and high in and out."""

    out: int
    left: int
    points_out: int
    low_in: int
    low_out: int
    high_in: int
    high_out: int


@frozen
class CountedCoups:
    """Statistics of a taille or of a session."""

    coups: int
    apres: int
    refaits: int
    wins: dict[str, int]
    shoe: CardCount
    own: OwnCount
    net_by_coup: tuple[int, ...]


@frozen
class StatisticsNow:
    """Statistics of the taille that is on, and of the session."""

    taille: CountedCoups
    session: CountedCoups


@frozen
class CardRow:
    """A line of the score card: the mark in the box of each column."""

    number: int
    marks: dict[str, str]
    tie: str
    points: tuple[int, ...]


@frozen
class CardNow:
    """The score card of the taille, as players keep it: pairs of columns, and lines."""

    title: str
    pairs: tuple[tuple[str, str], ...]
    rows: tuple[CardRow, ...] = field(factory=tuple)
