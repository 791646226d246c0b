"""Where a player sits: his table, his purse, and actions that are done whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Any, Final

from attrs import frozen

from trente_rules.deal.entropy import SeededShuffler, SystemShuffler
from trente_rules.errors import BetError, PhaseError
from trente_rules.house.house import House
from trente_rules.lines import Choice, Line
from trente_rules.play.chips import chip_values
from trente_rules.settlement import settle
from trente_rules.stakes import Opening, Stake
from trente_rules.table import commands as do
from trente_rules.table.events import ChoiceOffered, CoupDealt, Event
from trente_rules.table.state import Phase, TableState
from trente_rules.table.statistics import Statistics
from trente_rules.table.table import Answered, Table

PLAYER: Final = "player"
Shuffler = SeededShuffler | SystemShuffler
Keeper = Callable[[Any], None]


class Step(StrEnum):
    """What the player's next key does."""

    SHUFFLE = "shuffle"
    CUT = "cut"
    MARKER = "marker"
    DEAL = "deal"
    CARD = "card"
    CHOOSE = "choose"


_STEPS: Final = {
    Phase.NO_SHOE: Step.SHUFFLE,
    Phase.CUT: Step.CUT,
    Phase.MARK: Step.MARKER,
    Phase.BETTING: Step.DEAL,
    Phase.CLOSED: Step.CARD,
    Phase.DEALING: Step.CARD,
    Phase.DEALT: Step.CHOOSE,
}


@frozen
class _Kept:
    """All that an action can change."""

    state: TableState
    answered: Answered
    shuffler: Shuffler
    before: Statistics
    bankroll: int
    chip: int
    insure: frozenset[str]


_NOTHING: Final = Statistics()


@frozen
class _Count:
    """Statistics of some events that follow others: what was counted is not counted again."""

    base: Statistics = _NOTHING
    events: tuple[Event, ...] = ()
    counted: Statistics = _NOTHING

    def of(self, base: Statistics, events: tuple[Event, ...]) -> _Count:
        """Answer the count of these events after ``base``."""
        known, counted = self.events, self.counted
        if (base is not self.base and base != self.base) or events[: len(known)] != known:
            known, counted = (), base
        for event in events[len(known) :]:
            counted = counted.after(event)
        return _Count(base, events, counted)


class Seat:
    """A table, and what a player has in hand there; amounts in units of the house.

    ``bankroll`` is what he came to this table with. ``insure`` are the chances he asks insurance
    for. ``before`` are the statistics of the shoes before this one. ``keeper`` is called after
    every action but bets and must raise where it cannot keep the session. While an action is being
    done ``acting`` is true: what is seen then is not whole. ``began`` names the first house.
    """

    def __init__(
        self,
        table: Table,
        shuffler: Shuffler,
        bankroll: int,
        *,
        insure: frozenset[str] = frozenset(),
        before: Statistics | None = None,
    ) -> None:
        """Sit down at a table, the smallest chip in hand."""
        self.table = table
        self.shuffler = shuffler
        self.bankroll = bankroll
        self.chips = chip_values(self.house, self.opening)
        self.chip = self.chips[0]
        self.insure = insure
        self.before = before or Statistics()
        self.keeper: Keeper | None = None
        self.acting = False
        self.began = self.house.name
        self._whole_count = self._taille_count = _Count()

    @property
    def house(self) -> House:
        """The house of the table."""
        return self.table.house

    @property
    def state(self) -> TableState:
        """The state of the table."""
        return self.table.state

    @property
    def opening(self) -> Opening:
        """What was fixed when the table opened."""
        return self.state.setup.opening

    @property
    def step(self) -> Step:
        """What the next key does."""
        return _STEPS.get(self.state.phase, Step.DEAL)

    @property
    def purse(self) -> int:
        """What the player has in hand, stakes and premiums on the table taken off."""
        return self.bankroll + dict(self.state.accounts).get(PLAYER, 0)

    @property
    def events(self) -> tuple[Event, ...]:
        """The events of this shoe, or of the last one until another is opened."""
        return tuple(event for _command, made in self.table.answered.values() for event in made)

    @property
    def statistics(self) -> Statistics:
        """What the player noted since he sat down at this table."""
        self._whole_count = self._whole_count.of(self.before, self.events)
        return self._whole_count.counted

    @property
    def of_taille(self) -> Statistics:
        """What came of this taille alone."""
        self._taille_count = self._taille_count.of(_NOTHING, self.events)
        return self._taille_count.counted

    def stakes_on(self, chance: str) -> tuple[Stake, ...]:
        """Answer the stakes that stand on a chance, prisoners among them."""
        return tuple(stake for stake in self.state.stakes if stake.chance == chance)

    def free_on(self, chance: str) -> Stake | None:
        """Answer the free stake on a chance, None where there is none."""
        return next((stake for stake in self.stakes_on(chance) if stake.free), None)

    @property
    def prisoners_move(self) -> bool:
        """Whether a prisoner may be moved to another chance now, as the house says."""
        return do.MovePrisoner.kind in self.table.allowed()

    def offers(self) -> tuple[ChoiceOffered, ...]:
        """Answer the choices that the player has still to make."""
        if self.state.phase is not Phase.DEALT:
            return ()
        chosen = {choice.stake for choice in self.state.choices}
        offers: list[ChoiceOffered] = []
        for event in self.events:
            if isinstance(event, CoupDealt):
                offers = []
            elif isinstance(event, ChoiceOffered):
                offers.append(event)
        return tuple(offer for offer in offers if offer.stake.id not in chosen)

    def outcome(self, offer: ChoiceOffered, course: str) -> Line:
        """Answer what becomes of a stake by a course that is offered for it."""
        coup = self.state.coup
        if coup is None:
            raise PhaseError("no coup is dealt", "not-now", "", self.state.phase)
        stake = offer.stake
        choice = Choice(stake.id, course, stake.state, offer.verdict)
        return settle(self.house, coup, (stake,), (choice,), opening=self.opening).lines[0]

    def keep(self) -> None:
        """Save the session now, bets that lie there too, where it has a file."""
        if self.keeper is not None:
            self.keeper(self)

    def _place(self, chance: str, amount: int, *, insured: bool) -> None:
        state = self.state
        name = f"{chance}-{state.shoe_number}-{state.coup_number}"
        self._do(do.Place, stake=name, player=PLAYER, chance=chance, amount=amount, insured=insured)

    def _bets_on(self) -> None:
        """Refuse, in a player's words, what no bet can be now: ``PhaseError``."""
        why = hint = code = ""
        if self.step in (Step.SHUFFLE, Step.CUT, Step.MARKER):
            why, code, hint = "bets are not open yet", "not-now", "shuffle and cut first"
        elif self.state.phase in (Phase.DEALING, Phase.DEALT):
            why, code, hint = "rien ne va plus", "too-late", "wait until the bets open again"
        if why:
            raise PhaseError(why, code, hint, self.state.phase, self.table.allowed())

    def _affordable(self) -> None:
        if self.purse < 0:
            short = self.house.money.text(-self.purse)
            raise BetError(f"your purse is {short} short", "not-enough", "take a smaller chip")

    def _next_id(self) -> str:
        return f"{self.state.shoe_number}-{len(self.table.answered) + 1}"

    def _do(self, kind: type[do.Command], **fields: Any) -> None:
        self.table.do(kind(id=self._next_id(), **fields))

    @contextmanager
    def _whole(self, *, keep: bool = True) -> Iterator[None]:
        """Do all of an action and keep it, or nothing."""
        kept = _Kept(
            self.state,
            self.table.answered,
            _copy(self.shuffler),
            self.before,
            self.bankroll,
            self.chip,
            self.insure,
        )
        self.acting = True
        try:
            yield
            if keep:
                self.keep()
        except BaseException:
            self.table = Table(kept.state.house, state=kept.state, answered=kept.answered)
            self.shuffler, self.before = kept.shuffler, kept.before
            self.bankroll, self.chip, self.insure = kept.bankroll, kept.chip, kept.insure
            self.chips = chip_values(self.house, self.opening)
            raise
        finally:
            self.acting = False


def _copy(shuffler: Shuffler) -> Shuffler:
    """Answer a shuffler that goes on from where this one stands."""
    if isinstance(shuffler, SystemShuffler):
        return shuffler
    return SeededShuffler(
        shuffler.seed, shuffler.stream, position=shuffler.position, test=shuffler.test
    )
