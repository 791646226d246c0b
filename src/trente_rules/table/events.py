"""Events of a table, as frozen values, in order.

A host may show them to players, and nothing else: they do not hold the order of the cards to come.
Amounts are in units of the house. A host numbers events by ``TableState.events``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal, get_args

from attrs import field, frozen

from trente_rules.core.cards import Card
from trente_rules.core.chances import Verdict
from trente_rules.core.coup import Coup
from trente_rules.core.rules.announcements import Call
from trente_rules.core.stakes import Choice, Line, Opening, Stake


@frozen
class Event:
    """The base of every event."""

    kind: ClassVar[str] = ""


@frozen
class ShoeOpened(Event):
    """A shoe is on the table; ``live`` where its cards come one by one."""

    kind: ClassVar[Literal["shoe-opened"]] = "shoe-opened"
    shoe: int
    packs: int
    live: bool
    source: str


@frozen
class CutMade(Event):
    """The cards are cut.

    ``card`` is the card shown, in a house where its colour decides that of the first row, which is
    then ``first_row``, for this shoe.
    """

    kind: ClassVar[Literal["cut-made"]] = "cut-made"
    place: int
    by: str
    card: Card | None = None
    first_row: Literal["", "noir", "rouge"] = ""


@frozen
class Burned(Event):
    """Cards are burned at the front; ``cards`` where the house shows them."""

    kind: ClassVar[Literal["burned"]] = "burned"
    count: int
    cards: tuple[Card, ...]


@frozen
class MarkerPlaced(Event):
    """The marker is in, before the last ``from_end`` cards."""

    kind: ClassVar[Literal["marker-placed"]] = "marker-placed"
    from_end: int
    by: str


@frozen
class BetsOpened(Event):
    """Bets are open for a coup, counted from 1 in its taille."""

    kind: ClassVar[Literal["bets-opened"]] = "bets-opened"
    coup: int


@frozen
class StakePlaced(Event):
    """A stake is on the table, and its premium paid."""

    kind: ClassVar[Literal["stake-placed"]] = "stake-placed"
    stake: Stake
    premium: int


@frozen
class StakeIncreased(Event):
    """A stake is larger by ``added``; ``premium`` is the increase of its premium."""

    kind: ClassVar[Literal["stake-increased"]] = "stake-increased"
    stake: Stake
    added: int
    premium: int


@frozen
class StakeInsured(Event):
    """A stake is insured for this coup."""

    kind: ClassVar[Literal["stake-insured"]] = "stake-insured"
    stake: Stake
    premium: int


@frozen
class StakeWithdrawn(Event):
    """Units of a stake, and of its premium, are returned; ``left`` stay on the table."""

    kind: ClassVar[Literal["stake-withdrawn"]] = "stake-withdrawn"
    stake: Stake
    taken: int
    premium: int
    left: int


@frozen
class PrisonerMoved(Event):
    """A stake in prison is on another chance."""

    kind: ClassVar[Literal["prisoner-moved"]] = "prisoner-moved"
    stake: Stake
    was_on: str


@frozen
class BetsClosed(Event):
    """Bets are closed: rien ne va plus."""

    kind: ClassVar[Literal["bets-closed"]] = "bets-closed"
    coup: int


@frozen
class CardTurned(Event):
    """A card is turned: its row, the total of the row now, its place in the shoe from 1."""

    kind: ClassVar[Literal["card-turned"]] = "card-turned"
    card: Card
    row: Literal["first", "second"]
    total: int
    place: int


@frozen
class CardBurned(Event):
    """A card shown by mistake is out of play."""

    kind: ClassVar[Literal["card-burned"]] = "card-burned"
    card: Card
    place: int


@frozen
class CardsRetracted(Event):
    """Cards of the coup that is on were read wrong and are in the shoe again.

    ``cards`` are in the order in which they were turned, or with ``exposed`` shown by mistake, at
    ``places`` in the shoe from 1. ``row`` is the open one now, ``total`` what it counts. A coup
    that was dealt is not dealt any more.
    """

    kind: ClassVar[Literal["cards-retracted"]] = "cards-retracted"
    cards: tuple[Card, ...]
    places: tuple[int, ...]
    row: Literal["first", "second"]
    total: int
    exposed: bool = False
    reason: str | None = ""


@frozen
class MarkerShown(Event):
    """The marker is out; ``last`` where the coup is finished as the last one of the taille."""

    kind: ClassVar[Literal["marker-shown"]] = "marker-shown"
    last: bool


@frozen
class CoupDealt(Event):
    """Both rows are complete; ``verdicts`` are those of every chance of the house."""

    kind: ClassVar[Literal["coup-dealt"]] = "coup-dealt"
    number: int
    coup: Coup
    verdicts: tuple[tuple[str, Verdict], ...]


@frozen
class ChoiceOffered(Event):
    """A player may choose the course of a stake; the first one is the default."""

    kind: ClassVar[Literal["choice-offered"]] = "choice-offered"
    stake: Stake
    verdict: Verdict
    courses: tuple[str, ...]


@frozen
class ChoiceMade(Event):
    """A player has chosen for a stake of ``owner``."""

    kind: ClassVar[Literal["choice-made"]] = "choice-made"
    stake: str
    course: str
    state: str
    verdict: Verdict
    owner: str = ""

    @property
    def choice(self) -> Choice:
        """The choice, as a settlement takes it."""
        return Choice(self.stake, self.course, self.state, self.verdict)


@frozen
class ChoiceDropped(Event):
    """A choice made in advance is not offered now: the default acts."""

    kind: ClassVar[Literal["choice-dropped"]] = "choice-dropped"
    stake: str
    course: str
    owner: str = ""


@frozen
class StakeSettled(Event):
    """A stake is settled, in the order of the house."""

    kind: ClassVar[Literal["stake-settled"]] = "stake-settled"
    line: Line

    @classmethod
    def of_lines(cls, lines: Iterable[Line]) -> list[StakeSettled]:
        """Return the events of lines, in their order: in half the time, for there are thousands."""
        new, put = object.__new__, _PUT_LINE
        made = []
        for line in lines:
            event = new(cls)
            put(event, line)
            made.append(event)
        return made


_PUT_LINE: Final = vars(StakeSettled)["line"].__set__


@frozen
class CoupSettled(Event):
    """The coup is settled, with the net results of players and bank: None in a view."""

    kind: ClassVar[Literal["coup-settled"]] = "coup-settled"
    number: int
    players_net: int | None
    bank_net: int | None


VoidCode = Literal["", "out-of-cards", "marker-out", "no-coup-left", "too-few-cards", "exposed"]
OUT_OF_CARDS: Final = "the cards ran out within the coup"
MARKER_OUT: Final = "the marker came up within the coup"
NO_COUP_LEFT: Final = "the marker came up before the first card"
TOO_FEW_CARDS: Final = "the cards that are left make no coup"
EXPOSED: Final = "a card was exposed"
ENDED_BY_RULES: Final = ("marker", "cards")
"""Why a taille ended, where nobody called its end."""
VOIDED_BY_TABLE: Final[Mapping[str | None, VoidCode]] = MappingProxyType(
    {
        OUT_OF_CARDS: "out-of-cards",
        MARKER_OUT: "marker-out",
        NO_COUP_LEFT: "no-coup-left",
        TOO_FEW_CARDS: "too-few-cards",
        EXPOSED: "exposed",
    }
)
"""The reasons of voids that the table gives itself, and their codes."""


@frozen
class CoupVoided(Event):
    """The coup is void: everything is as it was before it.

    ``why`` is the code of a reason that the table gave itself, for other languages; nothing where
    the staff gave one: in a view ``reason`` is then None, since it may name a player.
    """

    kind: ClassVar[Literal["coup-voided"]] = "coup-voided"
    number: int
    reason: str | None
    lines: tuple[Line, ...]
    why: VoidCode = ""


@frozen
class CoupCorrected(Event):
    """The settlement of a coup of a shoe is taken back; the events that follow replace it.

    ``reversed`` are the lines that count no more, with those that were closed with the shoe where
    its end is taken back too. ``coup`` and ``verdicts`` are those that counted until now, and
    ``void`` is why the coup was void. With ``with_end`` an end of the shoe that came with the coup
    is taken back too, and decided again. ``turned`` are the cards of rows that were not completed.
    Journals of releases before 0.4.0 have number and reason
    alone, and corrected the last coup. ``reason`` is None in a view, and ``void`` is then empty.
    """

    kind: ClassVar[Literal["coup-corrected"]] = "coup-corrected"
    number: int
    reason: str | None
    shoe: int = 0
    reversed: tuple[Line, ...] = ()
    coup: Coup | None = None
    verdicts: tuple[tuple[str, Verdict], ...] = ()
    void: str = ""
    with_end: bool = True
    turned: tuple[Card, ...] = ()


@frozen
class LineCorrected(Event):
    """A stake has another line in a coup after a corrected one: the cards of that coup are kept.

    ``was`` is the line that counts no more, None where the stake had left the table before, and
    ``line`` the one that counts, None where it has now. ``coup`` is 0 for the end of a shoe or of a
    session.
    """

    kind: ClassVar[Literal["line-corrected"]] = "line-corrected"
    shoe: int
    coup: int
    was: Line | None
    line: Line | None


@frozen
class StakeCorrected(Event):
    """A correction of an earlier coup changes what lies on the table now.

    ``was`` is None for a stake that had left the table, ``now`` for one that has left it since.
    """

    kind: ClassVar[Literal["stake-corrected"]] = "stake-corrected"
    was: Stake | None
    now: Stake | None


@frozen
class ShoeEnded(Event):
    """The taille is over, and ``left`` cards were not dealt."""

    kind: ClassVar[Literal["shoe-ended"]] = "shoe-ended"
    shoe: int
    why: Literal["marker", "cards", "called"]
    left: int


@frozen
class OpeningPosted(Event):
    """Other limits hold from the next coup on; ``was`` are those that held until now."""

    kind: ClassVar[Literal["opening-posted"]] = "opening-posted"
    opening: Opening
    was: Opening | None = None


@frozen
class BoughtIn(Event):
    """A player has bought chips; ``purse`` is what the player can stake now."""

    kind: ClassVar[Literal["bought-in"]] = "bought-in"
    player: str
    amount: int
    purse: int


@frozen
class CashedOut(Event):
    """A player has taken money out of the purse; ``purse`` is left."""

    kind: ClassVar[Literal["cashed-out"]] = "cashed-out"
    player: str
    amount: int
    purse: int


@frozen
class Announced(Call, Event):
    """A call of the croupier: the phrase and its values.

    ``house.words.say(event)`` is its text in this house, ``Language.say`` that in any language.
    """

    kind: ClassVar[Literal["announced"]] = "announced"


def _sorted(players: Iterable[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    """Return players in their order: up to 0.3.0 they were in the order of their first stakes."""
    return tuple(sorted(players))


@frozen
class SessionClosed(Event):
    """The session is over: the net of every player, sorted, and of the bank since it began.

    In a view ``players`` has the viewer alone, and ``bank`` is None.
    """

    kind: ClassVar[Literal["session-closed"]] = "session-closed"
    players: tuple[tuple[str, int], ...] = field(converter=_sorted)
    bank: int | None


@frozen
class OtherEvent(Event):
    """An event of a kind that only a newer release knows, as it was read.

    ``name`` is its kind, ``fields`` are the values of its keys as JSON has them. No table of this
    release has such an event: it is for readers that follow the events of a newer one.
    """

    kind: ClassVar[Literal["other"]] = "other"
    name: str
    fields: Mapping[str, Any] = field(factory=dict, hash=False)


ShoeEvent = ShoeOpened | CutMade | Burned | MarkerPlaced
BetsEvent = (
    BetsOpened | StakePlaced | StakeIncreased | StakeInsured | StakeWithdrawn | PrisonerMoved
)
DealEvent = BetsClosed | CardTurned | CardBurned | CardsRetracted | MarkerShown | CoupDealt
ChoiceEvent = ChoiceOffered | ChoiceMade | ChoiceDropped
CoupEvent = StakeSettled | CoupSettled | CoupVoided
CorrectionEvent = CoupCorrected | LineCorrected | StakeCorrected
TableEvent = OpeningPosted | BoughtIn | CashedOut
EndEvent = ShoeEnded | Announced | SessionClosed
AnyEvent = (
    ShoeEvent
    | BetsEvent
    | DealEvent
    | ChoiceEvent
    | CoupEvent
    | CorrectionEvent
    | TableEvent
    | EndEvent
)
"""Every event, in the order of a session."""
EVENTS: tuple[type[AnyEvent], ...] = get_args(AnyEvent)
"""Their classes."""
