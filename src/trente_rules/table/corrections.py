"""Corrections: a coup of the session is taken back and settled again, whenever it was played.

A stake that another result leaves in prison, or frees, is followed through the coups that came
after, with their cards and the choices made in them, to its end or to now. Only what differs moves
money: movements in force are taken back, whole, and the new ones written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from attrs import define, evolve, field

from trente_rules.core.cards import Card
from trente_rules.core.chances import Verdict
from trente_rules.core.coup import Coup
from trente_rules.core.errors import BetError, CardError, PhaseError, TrenteError
from trente_rules.core.house.house import House
from trente_rules.core.settlement import (
    close_session,
    courses,
    refusals,
    settle,
    void_coup,
    wager_of,
)
from trente_rules.core.shoe import LiveShoe, Shoe
from trente_rules.core.stakes import Choice, History, Line, Opening, Stake
from trente_rules.table.commands import Choose, Correct
from trente_rules.table.events import (
    ChoiceDropped,
    ChoiceMade,
    ChoiceOffered,
    CoupCorrected,
    Event,
    LineCorrected,
    StakeCorrected,
    StakeSettled,
)
from trente_rules.table.movements import Movement, Part, line_parts, prefix_of, void_parts
from trente_rules.table.past import (
    NO_ACTS,
    Acts,
    Past,
    PastCoup,
    PastEnd,
    Rewritten,
    compensations,
    laid,
    rewrites,
)
from trente_rules.table.rounds import Round
from trente_rules.table.settle import (
    CoupResult,
    choose,
    coup_over,
    dealt_events,
    given_reason,
    settled,
    voided_result,
)
from trente_rules.table.shoe import shoe_over
from trente_rules.table.state import Phase, Setup, TableState, banked, premium_of

Corrected = tuple[TableState, tuple[Event, ...], tuple[Movement, ...]]
"""The result of a correction: the next state, the events, the movements."""
_BETWEEN: Final = (Phase.READY, Phase.NO_SHOE)


def correct(state: TableState, command: Correct, past: Past) -> Corrected:
    """Take a coup back and settle it again; see the command.

    Raises ``PhaseError`` ("nothing-to-correct"), ``BetError`` ("no-reason", "stake-reused" where a
    stake that would have stayed on the table has the id of a later one), ``CardError``
    ("cards-known" where the order of the shoe is known, "not-cut" where it was not cut by then,
    "card-needed" where a void coup has no complete rows, those of the shoe), and what ``choose``
    raises.
    """
    reason = given_reason(command.reason)
    coup = past.coup
    if coup is None:
        raise _nothing_error(state, command)
    return _Correction(state, command, reason, past, coup).done()


def _nothing_error(state: TableState, command: Correct) -> PhaseError:
    what = "no coup was settled that could be corrected"
    hint = "name an earlier coup as the target"
    target, now = command.target, state.round
    if target is not None:
        what = f"no coup {target} was settled that could be corrected"
        if target.session != now.session:
            hint = f"the session of this table is {now.session}"
        elif target == now and state.in_coup:
            hint = "it is not settled yet: take its cards back, or make it void"
        elif target.coup < 1 or (target.shoe, target.coup) > (now.shoe, now.coup):
            hint = f"the last coup is {now}"
        else:
            hint = "a table without a journal remembers its last shoes only"
    return PhaseError(what, "nothing-to-correct", hint, state.phase)


@define
class _Correction:
    """One correction, while it is worked out."""

    state: TableState
    command: Correct
    reason: str
    past: Past
    coup: PastCoup
    events: list[Event] = field(factory=list)
    steps: list[Rewritten] = field(factory=list)
    bank: int = 0

    @property
    def around(self) -> Round:
        """The round of the coup that is corrected."""
        return self.coup.round

    def done(self) -> Corrected:
        """Return the state after the correction, its events and its movements."""
        state, coup = self.state, self.coup
        every_coup = state.setup.house.shoe.every_coup
        ended = state.phase is Phase.NO_SHOE and (every_coup or state.last_shoe is not None)
        direct = self.past.direct and (state.phase is Phase.READY or ended)
        before = self._before()
        self.events.append(self._taken_back(direct=direct))
        shoe = state.shoe or state.last_shoe
        if self.command.cards and not self.command.void:
            before, shoe = self._other_cards(before, shoe)
            dealt = dealt_events(before, _complete(before))
            self.events += dealt if direct else dealt[:1]
        result = self._settled(before)
        self.events += result.events if direct else result.without_calls
        self._rewrite(coup.lines, result.lines, self.around, void=self.command.void)
        new = self._directly(result, shoe) if direct else self._followed(result, shoe)
        prefix = prefix_of(self.around.session, self.command.key)
        movements = compensations(prefix, self.steps, self.past.in_force)
        return new, tuple(self.events), movements

    # The coup again

    def _before(self) -> TableState:
        """Return the state in which the coup was dealt, as far as its settlement needs it."""
        coup = self.coup
        return self.state.replaced(
            phase=Phase.DEALT,
            shoe_number=coup.round.shoe,
            coup_number=coup.round.coup,
            marker_shown=coup.marked,
            cards=coup.cards,
            first_cards=len(coup.coup.first.cards) if coup.coup else 0,
            coup=coup.coup,
            stakes=coup.stakes,
            prisoners=coup.came,
            choices=coup.choices,
            first_row=coup.first_row,
            posted=coup.opening,
        )

    def _taken_back(self, *, direct: bool) -> CoupCorrected:
        """Return the event that takes the settlement back, and the end that came with it."""
        coup = self.coup
        lines = coup.lines
        if direct:
            lines += tuple(line for end in self.past.steps[1:] for line in end.lines)
        verdicts = self.state.setup.voice(coup.first_row).verdicts(coup.coup) if coup.coup else ()
        around = coup.round
        return CoupCorrected(
            around.coup,
            self.reason,
            around.shoe,
            lines,
            coup.coup,
            verdicts,
            coup.void,
            direct,
            () if coup.coup else coup.cards,
        )

    def _other_cards(
        self, before: TableState, shoe: Shoe | LiveShoe | None
    ) -> tuple[TableState, Shoe | LiveShoe | None]:
        """Return the coup with the cards of a live shoe as they really were, and the shoe now."""
        if not self.coup.live:
            hint = "the order of this shoe is known; void the coup instead"
            raise CardError("the cards of this coup cannot be corrected", "cards-known", hint)
        if not self.coup.cut:
            what = f"no card was out in coup {self.around}: its shoe was not cut yet"
            raise CardError(what, "not-cut", "give no cards; a coup before the cut is always void")
        coup = Coup.of_cards(self.command.cards or ())
        if isinstance(shoe, LiveShoe) and self.coup.shown is not None:
            shoe = exchanged(shoe, self.coup.cards, coup.cards, self.coup.shown)
        else:  # that shoe is gone: its packs still hold no more of a card
            exchanged(LiveShoe(before.house.shoe.packs), (), coup.cards, 0)
        first_cards = len(coup.first.cards)
        return before.replaced(coup=coup, cards=coup.cards, first_cards=first_cards), shoe

    def _settled(self, before: TableState) -> CoupResult:
        """Return the coup settled again, or void."""
        if self.command.void:
            return voided_result(before, self.reason)
        coup = _complete(before)
        verdicts = dict(before.voice.verdicts(coup))
        for stake, course in self.command.choices:
            verdict = verdicts[before.stake(stake).chance]
            pick = Choose(id=self.command.id, stake=stake, course=course, verdict=verdict.id)
            before, made = choose(before, pick)
            self.events += made
        return settled(before)

    def _rewrite(
        self, was: Iterable[Line], now: Iterable[Line], around: Round, *, void: bool = False
    ) -> None:
        """Note the movements and the bank's part of settlements that differ."""
        old, new = ({line.stake.id: line for line in lines} for lines in (was, now))
        self.steps += rewrites(around, old, new, void=void)
        self.bank += banked(new.values()) - banked(old.values())

    # Where nothing has happened since

    def _directly(self, result: CoupResult, shoe: Shoe | LiveShoe | None) -> TableState:
        """Return the table after the coup, whose end of the shoe is decided again."""
        state, closed = self.state, [line for end in self.past.steps[1:] for line in end.lines]
        before = state.replaced(shoe=shoe, last_shoe=None, marker_shown=self.coup.marked)
        before = before.replaced(first_row=self.coup.first_row, posted=self.coup.opening)
        first = len(self.events)
        new, events = coup_over(
            before,
            tuple(self.events),
            stakes=self._where_they_lay(result.staying),
            bank=state.bank + self.bank - banked(closed),
            history=self._history(),
        )
        self.events += events[first:]
        ending = [
            event.line
            for event in events[first:]
            if isinstance(event, StakeSettled) and event.line.verdict == Verdict.CLOSE
        ]
        closing = evolve(self.around, coup=0)
        old, now = ({line.stake.id: line for line in lines} for lines in (closed, ending))
        self.steps += rewrites(closing, old, now, void=False)
        lay, lies = ({each.id: each for each in which.stakes} for which in (state, new))
        differ = [name for name in {**lay, **lies} if lay.get(name) != lies.get(name)]
        told = tuple(StakeCorrected(lay.get(name), lies.get(name)) for name in differ)
        self.events += told
        return new.replaced(posted=state.posted, events=new.events + len(told))

    def _where_they_lay(self, staying: Iterable[Stake]) -> Iterable[Stake]:
        """Return the stakes that stay: those on the table now in the order in which they lie."""
        stay = {stake.id: stake for stake in staying}
        stakes = {each.id: stay[each.id] for each in self.state.stakes if each.id in stay}
        order = [stake.id for stake in self.coup.stakes]
        for stake in stay.values():
            stakes = laid(stakes, stake, order, stakes)
        return stakes.values()

    def _history(self) -> History:
        """Return the bets of the earlier coups of the shoe at hand, as they count now."""
        state, coup = self.state, self.coup
        if not state.house.limits_table.reads_history:
            return state.history
        if coup.round.shoe != state.shoe_number or bool(coup.void) == self.command.void:
            return state.history
        later = Counter(
            party
            for step in self.past.steps[1:]
            if isinstance(step, PastCoup) and not step.void and step.round.shoe == coup.round.shoe
            for party in History.of([step.stakes]).parties
        )
        parties = dict(state.history.parties)
        for party, own in History.of([coup.stakes]).parties.items():
            bets = parties.get(party, ())
            cut = len(bets) - later[party]
            before, after = bets[:cut], bets[cut:]
            parties[party] = (before[: -len(own)] if self.command.void else before + own) + after
        return History((party, units) for party, bets in parties.items() for units in bets)

    # Where the session went on

    def _followed(self, result: CoupResult, shoe: Shoe | LiveShoe | None) -> TableState:
        """Return the table now: stakes with another result are followed through later coups."""
        state = self.state
        was = {line.stake.id: line.after for line in self.coup.lines}
        lives = _Lives(
            state.setup,
            {
                line.stake.id: (was.get(line.stake.id), line.after)
                for line in result.lines
                if was.get(line.stake.id) != line.after
            },
        )
        for step in self.past.steps[1:]:
            for now in lives.through(step):
                self._change(step, now)
        new = state.replaced(history=self._history(), **self._physical(shoe))
        new = self._on_the_table(new, lives)
        new = new.replaced(bank=state.bank + self.bank)
        if new.phase is Phase.READY and new.shoe and not new.marker_shown:
            rule = new.house.shoe
            if not rule.every_coup and rule.ended(new.shoe):
                new = self._end(new)
        return new.after(self.events)

    def _change(self, step: PastCoup | PastEnd, now: _Step) -> None:
        """Note that a stake has another line in a later coup, or at an end."""
        around = step.round
        was, line = now.was, now.line
        self.events += now.events
        if was == line:
            return
        house = now.house
        lines = [each for each in (was, line) if each is not None]
        paid, pays = (premium_of(house, each.stake) if each else 0 for each in (was, line))
        name, owner = lines[0].stake.id, lines[0].stake.owner
        if paid != pays:
            parts: tuple[Part, ...] = ((name, owner, -pays, "premium"),) if pays else ()
            self.steps.append(Rewritten(around, name, parts, premium=True))
        void = isinstance(step, PastCoup) and bool(step.void)
        place = around if isinstance(step, PastCoup) else evolve(around, coup=0)
        parts_of = void_parts if void else line_parts
        moved = tuple(parts_of(line)) if line else ()
        self.steps.append(Rewritten(place, name, moved))
        self.bank += banked([line] if line else []) - banked([was] if was else [])
        self.events.append(LineCorrected(place.shoe, place.coup, was, line))

    def _physical(self, shoe: Shoe | LiveShoe | None) -> Mapping[str, Any]:
        """Return the change of the shoe at hand: what came out later is at other places now."""
        state = self.state
        if not isinstance(shoe, LiveShoe):
            return {}
        if state.shoe is None:
            return {"last_shoe": shoe}
        more = shoe.position - state.shoe.position
        return {"shoe": shoe, "exposed": tuple(place + more for place in state.exposed)}

    def _on_the_table(self, state: TableState, lives: _Lives) -> TableState:
        """Return the state with the stakes that lie on the table now."""
        if not lives.alive:
            return state
        stakes = {stake.id: stake for stake in state.stakes}
        prisoners = {stake.id: stake for stake in state.prisoners}
        choices, order = state.choices, [stake.id for stake in self.coup.stakes]
        for name, (_old, came) in lives.alive.items():
            was = stakes.get(name)
            if was is not None and was.free:  # another stake of the same id
                raise _reused_error(name, state.round)
            acts = self.past.acts.get(name, NO_ACTS)
            now = with_acts(state.house, came, acts, state.opening) if came else None
            self._premium(state, name, was, now)
            inside = prisoners if state.in_coup else stakes
            if came is None or now is None:
                stakes.pop(name, None)
                prisoners.pop(name, None)
            else:
                stakes = laid(stakes, now, order, inside)
                if state.in_coup:
                    prisoners = laid(prisoners, came, order, prisoners)
            if was != now:
                self.events.append(StakeCorrected(was, now))
            choices = self._chosen(state, choices, name, now)
            if now and now != was and state.coup is not None:
                self.events += _offer(state, now, state.coup)
        return state.replaced(
            stakes=tuple(stakes.values()), prisoners=tuple(prisoners.values()), choices=choices
        )

    def _chosen(
        self, state: TableState, choices: tuple[Choice, ...], name: str, now: Stake | None
    ) -> tuple[Choice, ...]:
        """Return the choices made in the coup that is on: those for a stake that can act on it."""
        made = [choice for choice in self.past.choices if choice.stake == name]
        kept = tuple(choice for choice in made if now and _can_act(state, now, choice))
        owner = self._owner(name)
        for choice in choices:
            if choice.stake == name and choice not in kept:
                self.events.append(ChoiceDropped(name, choice.course, owner))
        for each in kept:
            if each not in choices:
                again = ChoiceMade(name, each.course, each.state, each.verdict, owner)
                self.events.append(again)
        return (*(choice for choice in choices if choice.stake != name), *kept)

    def _owner(self, name: str) -> str:
        return next(stake.owner for stake in self.coup.stakes if stake.id == name)

    def _premium(self, state: TableState, name: str, was: Stake | None, now: Stake | None) -> None:
        """Note the premium of a prisoner in the coup that is on."""
        paid, pays = (premium_of(state.house, each) if each else 0 for each in (was, now))
        if paid != pays:
            parts: tuple[Part, ...] = ()
            if pays:
                parts = ((name, self._owner(name), -pays, "premium"),)
            self.steps.append(Rewritten(state.round, name, parts, premium=True))

    def _end(self, state: TableState) -> TableState:
        """End the shoe: with the cards as they were too few are left for a coup."""
        first = len(self.events)
        new, events = shoe_over(state, tuple(self.events))
        self.events += events[first:]
        lines = [e.line for e in events[first:] if isinstance(e, StakeSettled)]
        closing = evolve(state.round, coup=0)
        now = {line.stake.id: line for line in lines}
        self.steps += rewrites(closing, {}, now, void=False)
        return new.replaced(last_shoe=state.shoe)


def exchanged(shoe: LiveShoe, old: Iterable[Card], new: Iterable[Card], since: int) -> LiveShoe:
    """Return a live shoe with the cards of a coup exchanged; ``since`` cards came out after them.

    Raises ``CardError`` as ``LiveShoe.see``.
    """
    end = len(shoe.seen) - since
    before, after = list(shoe.seen[:end]), shoe.seen[end:]
    for card in old:
        del before[len(before) - 1 - before[::-1].index(card)]
    seen = evolve(shoe, seen=(*before, *after))
    for card in new:
        seen = seen.see(card)
    return evolve(shoe, seen=(*before, *new, *after))


def _complete(state: TableState) -> Coup:
    """Return the coup, whose rows must be complete."""
    if state.coup is None:
        hint = "give all the cards of both rows"
        raise CardError("the rows of this coup were not completed", "card-needed", hint)
    return state.coup


def _can_act(state: TableState, stake: Stake, choice: Choice) -> bool:
    """Return whether a choice that was made can still act on a stake."""
    if choice.state != stake.state:
        return False
    try:
        known = state.house.wager(stake.chance).courses(choice.state, choice.verdict)
    except TrenteError:
        return False
    return choice.course in [course.name for course in known]


def _offer(state: TableState, stake: Stake, coup: Coup) -> Iterator[Event]:
    verdict = dict(state.voice.verdicts(coup))[stake.chance]
    offered = courses(state.house, stake, verdict, opening=state.opening)
    if len(offered) > 1:
        yield ChoiceOffered(stake, verdict, tuple(course.name for course in offered))


def _reused_error(stake: str, around: Round) -> BetError:
    what = (
        f"stake {stake!r} would have stayed on the table, but coup {around} has another of its id"
    )
    hint = "give each stake of a session a separate id"
    return BetError(what, "stake-reused", hint, stake)


def with_acts(house: House, came: Stake, acts: Acts, opening: Opening) -> Stake:
    """Return a prisoner with what its player did for it in a coup: moved, insured.

    What the house would refuse now is left out.
    """
    stake = came
    moved = acts.chance not in ("", came.chance)
    if moved and not (came.covered and (acts.chance, True) not in house.wagers):
        stake = evolve(came, chance=acts.chance, position=acts.position)
    if acts.insured and not stake.covered:
        insured = evolve(stake, insured=True, proof=acts.proof)
        if not refusals(house, (insured,), opening=opening) and wager_of(house, insured).insured:
            stake = insured
    return stake


@define
class _Step:
    """A later coup, or an end, of one stake: its line until now, and the one that counts."""

    house: House
    was: Line | None
    line: Line | None
    events: tuple[Event, ...] = ()


@define
class _Lives:
    """Stakes whose result is another one, as they came out of a coup: until now, and really."""

    setup: Setup
    alive: dict[str, tuple[Stake | None, Stake | None]]

    def through(self, step: PastCoup | PastEnd) -> Iterator[_Step]:
        """Yield what another result changes in a later coup, or at an end; follow the stakes."""
        house = self.setup.house
        if step.first_row:
            house = house.dealt_first(step.first_row)
        if isinstance(step, PastEnd) and not step.closes(house):
            return
        for name, (_old, came) in [*self.alive.items()]:
            was = step.line(name)
            if was is not None and was.stake.free:  # another stake of the same id
                raise _reused_error(name, step.round)
            now = _Step(house, was, None)
            if came is not None:
                lay = with_acts(house, came, step.acts.get(name, NO_ACTS), step.opening)
                now = self._line(house, step, came, lay, was)
            ended = now.line.after if now.line else None
            left = was.after if was else None
            if ended == left:
                del self.alive[name]
            else:
                self.alive[name] = left, ended
            yield now

    def _line(
        self, house: House, step: PastCoup | PastEnd, came: Stake, lay: Stake, was: Line | None
    ) -> _Step:
        if isinstance(step, PastEnd):
            (line,) = close_session(house, (lay,), opening=step.opening).lines
            return _Step(house, was, line)
        coup = None if step.void else step.coup
        made = [choice for choice in step.choices if choice.stake == lay.id]
        line, acted = settled_again(house, coup, came, lay, made, step.opening)
        dropped: tuple[Event, ...] = ()
        if coup is not None and was is not None and not acted:
            dropped = tuple(
                ChoiceDropped(lay.id, choice.course, lay.owner)
                for choice in made
                if (choice.state, choice.verdict) == (was.stake.state, was.verdict)
                and choice.course == was.course
            )
        return _Step(house, was, line, dropped)


def settled_again(
    house: House,
    coup: Coup | None,
    came: Stake,
    lay: Stake,
    made: Iterable[Choice],
    opening: Opening,
) -> tuple[Line, bool]:
    """Return the line of a prisoner in a coup that another stake lay in until now.

    ``coup`` is None where it is void; ``came`` is the prisoner as it came into the coup, ``lay`` as
    it lay when the cards were dealt, ``made`` are the choices made for it. Returned with the line
    is whether one of them acts: those that the prisoner is not offered are dropped.
    """
    if coup is None:
        (line,) = void_coup(house, (lay,)).lines
        return evolve(line, after=came), False
    verdict = wager_of(house, lay).chance.verdict(coup)
    offered = {each.name for each in courses(house, lay, verdict, opening=opening)}
    acting = [
        choice
        for choice in made
        if (choice.state, choice.verdict) == (lay.state, verdict) and choice.course in offered
    ]
    return settle(house, coup, (lay,), acting, opening=opening).lines[0], bool(acting)
