"""Wagers: a chance, insured or not, in one house, and everything that can happen to a stake on it.

A house resolves each wager once (``House.wager``) into one value: chance, stake machine, insurance,
limits and money. A wager settles a stake, where shares become units, and follows one through every
policy of a player; settlement, exact advantage and simulation read the same paths.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Final

from attrs import evolve, frozen

from trente_rules.core.chances import Chance, Verdict
from trente_rules.core.errors import BetError, RuleError, TrenteError
from trente_rules.core.machine import FREE, Course, Policy, StakeMachine, pure_policies
from trente_rules.core.money import NOUGHT, ONE, Money, Rounded, round_to_bank, round_to_player
from trente_rules.core.rules.insurance import InsuranceTable
from trente_rules.core.rules.limits import Limits
from trente_rules.core.stakes import Line, Opening, Stake

MOST_STATES: Final = 1000
"""How many worths a stake is followed through; the advantage of so many takes a second."""
_NO_OPENING: Final = Opening()
_NO_PREMIUM: Final = Rounded(0)


@frozen(slots=False)
class Wager:
    """One chance of one house, insured or not, with all that acts on a stake placed on it.

    ``insurance`` is None where the wager is not insured; ``detained`` is then the insurance that
    the player may buy for the stake once it is in a prison. ``house`` is a name, for messages.
    """

    house: str
    chance: Chance
    machine: StakeMachine
    insurance: InsuranceTable | None
    limits: Limits
    money: Money
    detained: InsuranceTable | None = None

    @property
    def insured(self) -> bool:
        """The wager is insured."""
        return self.insurance is not None

    @cached_property
    def _courses(self) -> dict[tuple[str, str], tuple[Course, ...]]:
        # By the id of the verdict: a string knows its hash, an attrs value has to be asked for it.
        table = self.insurance
        covered = dict.fromkeys(table.covers, table.back) if table else {}
        return {
            (answer.state, answer.verdict.id): self.machine.courses(
                answer.state, answer.verdict, insured=covered.get(answer.state)
            )
            for answer in self.machine.answers
        }

    @cached_property
    def called(self) -> frozenset[str]:
        """The names of the courses that the croupier calls."""
        return frozenset(
            course.name for courses in self._courses.values() for course in courses if course.call
        )

    def courses(self, state: str, verdict: Verdict) -> tuple[Course, ...]:
        """Return the courses of a stake in a state, insured where it can be, the default first.

        Raises ``RuleError`` as ``StakeMachine.courses``.
        """
        found = self._courses.get((state, verdict.id))
        return self.machine.courses(state, verdict) if found is None else found

    def offered(
        self, stake: Stake, verdict: Verdict, *, opening: Opening = _NO_OPENING
    ) -> tuple[Course, ...]:
        """Return the courses that a player is offered for a stake, the default first.

        A course that returns less than the minimum is left out where the house says so (Spain
        1979); where the house refuses to round, an inexact course is left out if another is exact.
        Raises ``BetError`` ("unknown-state", "impossible-verdict", "opening-needed").
        """
        try:
            courses = self.courses(stake.state, verdict)
        except RuleError as error:
            message = f"stake {stake.id!r}: {error.message}"
            raise BetError(message, error.code, error.hint, stake.id) from error
        if len(courses) == 1:  # most: a third of the time of accepting a prisoner
            return courses
        if any(course.offered_from for course in courses):
            courses = tuple(c for c in courses if self._large_enough(stake, c, opening))
        if self.money.rounding == "refuse":
            exact = tuple(c for c in courses if (stake.worth * c.returned).denominator == 1)
            courses = exact or courses
        return courses

    def _large_enough(self, stake: Stake, course: Course, opening: Opening) -> bool:
        least = course.offered_from
        if least == "minimum":
            least = self.limits.bounds(opening, self.chance.id).least
        return not least or self._returned(stake, course)[0] >= least

    def premium(self, worth: Fraction | int) -> Rounded:
        """Return the premium for a stake of this worth, in units; nothing if it is not insured."""
        if self.insurance is None:
            return _NO_PREMIUM
        return self.insurance.premium(worth, self.money.rounding)

    def insured_for_nothing(self) -> tuple[int, int] | None:
        """Return the least and the most stake whose premium is rounded to nothing, in units.

        Of the stakes that the house takes and insures; None where each of them pays, and where the
        rate itself is zero. A minimum that is set at the opening counts as none.
        """
        table = self.insurance
        if table is None or not table.rate or table.minimum_premium:
            return None
        found: list[int] = []
        for posted in self.limits.tables:
            bounds = self.limits.bounds_at(posted, _NO_OPENING, self.chance.id)
            step = lcm(bounds.step, table.multiple or 1)
            ends = [most for most in (bounds.most, table.maximum_stake or None) if most is not None]
            # A premium of a whole premium unit is never rounded to nothing.
            ends.append(int(table.premium_unit / table.rate))
            low = max(1, -(-max(bounds.least, table.minimum_stake) // step))
            high = min(ends) // step
            if low > high or self.premium(low * step).units:
                continue
            least = low * step
            while low < high:  # a premium never falls as the stake rises
                middle = (low + high + 1) // 2
                low, high = (
                    (low, middle - 1) if self.premium(middle * step).units else (middle, high)
                )
            found += [least, low * step]
        return (min(found), max(found)) if found else None

    def exact(self, stake: Stake) -> bool:
        """Return whether the premium, and every result of a free stake, are whole units."""
        premium = self.premium(stake.worth)
        if premium.residue:
            return False
        parts = self.insurance.returned if self.insurance else ()
        amounts = [premium.units * part for _verdict, part in parts]
        if stake.free:
            amounts.extend(stake.amount * verdict.odds for verdict in self.chance.verdicts)
            for verdict, _courses in self.machine.occurring(FREE):
                for course in self.courses(FREE, verdict):
                    shares = course.returned, course.taken, course.returned * course.pays
                    amounts.extend(stake.amount * share for share in shares)
        return all(amount.denominator == 1 for amount in amounts)

    def winnings(self, amount: int, odds: Fraction) -> tuple[int, Fraction]:
        """Return what an amount wins at these odds, in units, and the residue."""
        if odds.denominator == 1:
            return amount * odds.numerator, NOUGHT
        paid = round_to_player(amount * odds, self.money.rounding)
        return paid.units, paid.residue

    def settle(
        self, stake: Stake, verdict: Verdict, course: str = "", *, opening: Opening = _NO_OPENING
    ) -> Line:
        """Return the line of a stake under a verdict, by the course named or the default.

        The insurance of the wager acts in the states that it covers. Raises ``BetError``
        ("course-not-offered", and those of ``offered``).
        """
        table = self.insurance
        if table is not None and stake.state not in table.covers:
            table = None
        if table is not None and self.machine.insures(verdict):
            course = ""  # insurance decides: a choice made in advance is dropped
        courses = self._courses.get((stake.state, verdict.id), ())
        if len(courses) == 1 and (not course or course == courses[0].name):
            taken = courses[0]  # nearly every stake: this saves a fifth of the time
        else:
            taken = self._taken(stake, verdict, course, opening)
        back, residue = self._returned(stake, taken)
        won = gone = 0
        odds = verdict.odds if stake.state == FREE else taken.pays
        if odds is not NOUGHT:
            won, more = self.winnings(stake.amount if stake.state == FREE else back, odds)
            residue = residue + more if more else residue
        left = stake.amount - stake.handed_back - back
        premium = kept = 0
        premium_residue = NOUGHT
        if table is not None and not stake.covered:
            premium, kept, premium_residue = self._premium(table, stake, verdict, taken)
        after = None
        if taken.staying is not NOUGHT and taken.staying and left > 0:
            if taken.taken is not NOUGHT:
                exact = stake.worth * taken.taken
                gone = min(round_to_bank(exact, self.money.rounding).units, left)
                residue += gone - exact
            if gone < left:
                covered = table is not None and table.stays_covered(taken.state)
                after = continued(stake, taken.state, taken.staying, back + gone, covered=covered)
        # In the order of the fields: by keyword it takes 0.4 us longer, of 2 us for a stake.
        return Line(
            stake,
            verdict,
            taken.name,
            back,
            won,
            gone if after else left,  # forfeited
            left - gone if after else 0,  # staying
            after,
            table is not None,
            kept,
            premium - kept,
            residue,
            premium_residue,
        )

    def _premium(
        self, table: InsuranceTable, stake: Stake, verdict: Verdict, taken: Course
    ) -> tuple[int, int, Fraction]:
        """Return the premium of a coup, the units of it that the bank keeps, and their residue."""
        worth = stake.amount if stake.share is ONE else stake.worth
        rounded = table.premium(worth, self.money.rounding)
        premium, part = rounded.units, table.part_back(verdict, taken)
        if part is NOUGHT:  # nearly always: a third of the time of an insured stake
            whole = rounded.residue is NOUGHT or not premium
            return premium, premium, NOUGHT if whole else -rounded.residue
        kept = premium - round_to_player(premium * part, self.money.rounding).units
        exact = (premium + rounded.residue) * (1 - part)
        return premium, kept, kept - exact if kept else NOUGHT

    def _taken(self, stake: Stake, verdict: Verdict, name: str, opening: Opening) -> Course:
        """Return the course that a stake takes: the one named, or the default."""
        offered = self.offered(stake, verdict, opening=opening)
        for course in offered:
            if not name or course.name == name:
                return course
        raise BetError(
            f"stake {stake.id!r} is not offered the course {name!r}",
            "course-not-offered",
            f"offered: {', '.join(course.name for course in offered)}",
            stake.id,
        )

    def _returned(self, stake: Stake, course: Course) -> tuple[int, Fraction]:
        """Return the units that a course returns, and the residue."""
        share = course.returned
        if share is NOUGHT:
            return 0, NOUGHT
        if share is ONE and stake.state == FREE:  # a free stake is whole
            return stake.amount, NOUGHT
        exact = stake.amount * stake.share * share
        units = min(round_to_player(exact, self.money.rounding).units, stake.standing)
        return units, exact - units

    def paths(
        self,
        *,
        stake: int | None = None,
        opening: Opening = _NO_OPENING,
        verdicts: Collection[Verdict] | None = None,
    ) -> Iterator[WagerPath]:
        """Return what every pure policy does with a stake: nominal, or of an amount in units.

        ``verdicts`` are those that are followed, by default those of a coup. A stake that the house
        cannot insure, or refuses to round, makes no path. Raises ``TrenteError``
        ("too-many-policies", "too-many-states").
        """
        # Those of the chance know what they pay.
        known = (*self.chance.verdicts, Verdict.CLOSE)
        wanted = self.chance.verdicts if verdicts is None else verdicts
        possible = {*self.machine.possible, Verdict.CLOSE}
        followed = [verdict for verdict in known if verdict in wanted and verdict in possible]
        placed = None if stake is None else Stake("stake", "player", self.chance.id, stake)
        if placed is not None and not self._takes(placed, opening):
            return

        def offer(state: str, verdict: Verdict, insured: bool) -> tuple[Course, ...]:  # noqa: FBT001
            wager = self._bought(insured)
            if placed is None:
                return wager.courses(state, verdict)
            return wager.offered(evolve(placed, state=state), verdict, opening=opening)

        for policy in pure_policies(
            offer,
            self._met,
            insurable=[
                state
                for state in self._prisons
                if placed is None or self._insurable(evolve(placed, state=state))
            ],
            lasting=[state for state in self._prisons if self._stays_covered(state)],
        ):
            steps = (
                self._nominal(policy, followed)
                if placed is None
                else self._real(placed, policy, opening, followed)
            )
            yield WagerPath(self, policy, stake, steps)

    def _takes(self, stake: Stake, opening: Opening) -> bool:
        """Return whether the house insures a free stake of this wager, and need not round it."""
        table, posted = self.insurance, opening.insurance_minimum or 0
        if table is not None and (table.refusal(stake.amount) or stake.amount < posted):
            return False
        return self.money.rounding != "refuse" or self.exact(stake)

    @cached_property
    def _met(self) -> frozenset[Verdict]:
        """The verdicts that a coup can give this chance: a chance may be spared some of a house."""
        return self.machine.possible & self.chance.possible()

    @property
    def _prisons(self) -> tuple[str, ...]:
        """The prisons in which the player may insure the stake of this wager, coup by coup."""
        if self.detained is None:
            return ()
        return tuple(state for state in self.detained.covers if state != FREE)

    def _stays_covered(self, state: str) -> bool:
        table = self.detained or self.insurance
        return table is not None and table.stays_covered(state)

    def _bought(self, insured: bool) -> Wager:  # noqa: FBT001 - what a policy says of a prison
        """Return the wager that acts on a prisoner, whose insurance is bought or not."""
        return self._covering if insured else self

    @cached_property
    def _covering(self) -> Wager:
        return evolve(self, insurance=self.insurance or self.detained, detained=None)

    def _insurable(self, prisoner: Stake) -> bool:
        """Return whether the house insures a prisoner: up to its maximum, and without rounding."""
        wager = self._covering
        if wager.insurance is None or wager.insurance.refusal(prisoner.amount, free=False):
            return False
        return self.money.rounding != "refuse" or wager.exact(prisoner)

    def _nominal(self, policy: Policy, verdicts: Collection[Verdict]) -> Steps:
        """Return the steps of one unit of stake: nothing is rounded, and no minimum acts."""
        steps: Steps = {FREE: {}}
        order = [(FREE, False)]
        for state, covered in order:
            wager = self._bought(covered or policy.insures(state))
            table = wager.insurance
            if table is not None and state not in table.covers:
                table = None
            here = steps[_node(state, covered=covered)]
            for verdict in verdicts:
                courses = wager._insured_between(verdict).courses(state, verdict)  # noqa: SLF001
                name = policy.course(state, verdict)
                course = next((each for each in courses if each.name == name), courses[0])
                back = course.returned
                odds = verdict.odds if state == FREE else course.pays
                if odds is not NOUGHT:
                    back += odds * course.returned
                premium = NOUGHT
                if table is not None and not covered and verdict != Verdict.CLOSE:
                    premium = table.rate * (1 - table.part_back(verdict, course))
                target = ""
                if course.state:
                    still = table is not None and table.stays_covered(course.state)
                    target = _node(course.state, covered=still)
                    if target not in steps:
                        steps[target] = {}
                        order.append((course.state, still))
                here[verdict] = Step(back - premium, course.staying, target, premium)
        return steps

    def _real(
        self, first: Stake, policy: Policy, opening: Opening, verdicts: Collection[Verdict]
    ) -> Steps:
        """Return the steps of a whole stake: each share that it can reach is a separate state."""
        nodes: dict[Stake, str] = {first: FREE}
        order = [first]
        steps: Steps = {}
        for stake in order:
            here = steps.setdefault(nodes[stake], {})
            for verdict in verdicts:
                line = self._followed(stake, verdict, policy, opening)
                target = ""
                if line.after is not None:
                    after = _merged(line.after)
                    if after not in nodes:
                        if len(nodes) >= MOST_STATES:
                            raise TrenteError(
                                f"one stake can reach more than {MOST_STATES} different worths",
                                "too-many-states",
                                "ask for the nominal figures, or for a smaller stake",
                            )
                        nodes[after] = f"{after.state} {len(nodes)}"
                        order.append(after)
                    target = nodes[after]
                units = line.returned + line.won - line.premium_kept
                back, premium = (Fraction(n, first.amount) for n in (units, line.premium_kept))
                here[verdict] = Step(back, ONE if target else NOUGHT, target, premium)
        return steps

    def _followed(self, stake: Stake, verdict: Verdict, policy: Policy, opening: Opening) -> Line:
        """Settle by the policy, or by the default where the stake is too small for its course."""
        chosen = policy.course(stake.state, verdict)
        bought = policy.insures(stake.state) and self._insurable(stake)
        wager = self._bought(stake.covered or bought)._insured_between(verdict)  # noqa: SLF001
        try:
            return wager.settle(stake, verdict, chosen, opening=opening)
        except BetError as error:
            if error.code != "course-not-offered":
                raise
            return wager.settle(stake, verdict, opening=opening)

    def _insured_between(self, verdict: Verdict) -> Wager:
        """Return the wager that acts: at the close of the session no stake is insured."""
        return self._uninsured if verdict == Verdict.CLOSE else self

    @cached_property
    def _uninsured(self) -> Wager:
        return evolve(self, insurance=None) if self.insurance else self


def _node(state: str, *, covered: bool) -> str:
    """Return the name of a state in nominal steps, apart where an earlier premium covers it."""
    return f"{state} covered" if covered else state


def continued(
    stake: Stake, state: str, share: Fraction = ONE, back: int = 0, *, covered: bool = False
) -> Stake:
    """Return what stays of a stake, in a state, for the next coup.

    ``covered``: the premium of this coup, or of an earlier one, insures it there too.
    """
    return Stake(
        id=stake.id,
        owner=stake.owner,
        chance=stake.chance,
        amount=stake.amount,
        state=state,
        share=stake.share * share,
        handed_back=stake.handed_back + back,
        group=stake.group,
        position=stake.position,
        covered=covered,
    )


@frozen
class Step:
    """The effect of one verdict on a stake, in parts of what the stake counts for in its state.

    ``back`` is what the player has back: winnings are added, a premium that is kept is taken off.
    ``keeps`` is the part that the stake counts for in the state ``target``, zero where it ends.
    ``premium`` is the premium that was taken off, apart from what the stake lost.
    """

    back: Fraction
    keeps: Fraction = NOUGHT
    target: str = ""
    premium: Fraction = NOUGHT


Steps = dict[str, dict[Verdict, Step]]
"""The steps by state and verdict; the first state is where the stake is placed."""


@frozen
class WagerPath:
    """One wager under one policy, and the steps of its stake.

    ``stake`` is the amount in units that the steps hold for, every unit of it counted until it
    leaves; None for nominal steps, where nothing is rounded and no minimum acts.
    """

    wager: Wager
    policy: Policy
    stake: int | None
    steps: Steps

    @property
    def chance(self) -> Chance:
        """The chance of the wager."""
        return self.wager.chance

    @property
    def staying(self) -> bool:
        """A coup can leave the stake on the table, for the next."""
        return any(step.target for there in self.steps.values() for step in there.values())

    @property
    def insured(self) -> bool:
        """The wager is insured."""
        return self.wager.insured


def _merged(stake: Stake) -> Stake:
    """Return one stake for all that are settled alike: what is worth less than half a unit.

    Any share of half a unit rounds to the same by every policy, so the shares that an endless
    halving makes are finitely many.
    """
    if stake.share and stake.worth <= Fraction(1, 2):
        return evolve(stake, share=Fraction(1, 4 * stake.amount))
    return stake
