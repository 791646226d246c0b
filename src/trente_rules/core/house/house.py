"""The house: all that differs between casinos, as one frozen, hashable, picklable value.

The fields are what the TOML file says, table by table; the tables that engines read (chances,
stake machines, insurance, limits, words) are built from them once, when first asked for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, Final, TypeVar

import attrs
from attrs import frozen

from trente_rules.core.chances import (
    NOIR,
    ROUGE,
    Chance,
    ChanceKeys,
    DealRule,
    SideBetKeys,
    Verdict,
)
from trente_rules.core.errors import BetError, PluginError, RuleError, TrenteError, raised, shown
from trente_rules.core.keys import key, keys_of, named, presentation
from trente_rules.core.machine import FREE, StakeMachine, side_bet_machine
from trente_rules.core.money import Amount, Money
from trente_rules.core.names import nearest
from trente_rules.core.plugins.guard import alike, guarded
from trente_rules.core.rules.announcements import Announcements, Language, words
from trente_rules.core.rules.insurance import InsuranceTable
from trente_rules.core.rules.limits import USUAL_MINIMUM, Limits, limits_of
from trente_rules.core.rules.refait import Courses, Custom, composed
from trente_rules.core.rules.settlement_order import PayOrder
from trente_rules.core.shoe import ShoeRule
from trente_rules.core.stakes import ChanceBounds, Opening, lesser
from trente_rules.core.wager import Wager

T = TypeVar("T")
PREFIX: Final = "f1:"
_AS_WRITTEN: Final = {"offered_from": "not_below"}
"""Fields that a fingerprint knows by their key in the file."""


def _sha256(value: bytes) -> str:
    from hashlib import sha256  # noqa: PLC0415 - only a fingerprint needs it

    return sha256(value).hexdigest()


def canonical(value: object) -> Any:
    """Return a value as JSON of strings, integers, lists and objects, the same on every machine."""
    match value:
        case None | bool() | str() | int():
            return value
        case Fraction() | Amount():
            return str(value)
        case bytes():
            return _sha256(value)
        case Verdict():
            return value.id
        case Chance():
            return canonical(value.canonical())
        case frozenset():
            return sorted(canonical(member) for member in value)
        case tuple() | list():
            return [canonical(member) for member in value]
        case dict():
            return {str(name): canonical(member) for name, member in value.items()}
    if attrs.has(type(value)):
        return {
            _AS_WRITTEN.get(info.name, info.name): canonical(getattr(value, info.attribute))
            for info in keys_of(type(value))
            if getattr(value, info.attribute) != info.default and info.kind == "fairness"
        }
    raise TypeError(f"{type(value).__name__} has no canonical form")


def canonical_text(rules: dict[str, object]) -> str:
    """Return the canonical form of named rules as a text in ASCII."""
    return json.dumps(canonical(rules), sort_keys=True, separators=(",", ":"), ensure_ascii=True)


@frozen
class HouseInfo:
    """The [house] table: what the house is called, and where its rules are from."""

    name: str = presentation(doc="The name of the house: letters, digits, hyphens.", check=named)
    title: str = presentation("", "The title, as a report shows it.")
    sources: tuple[str, ...] = presentation((), "Where the rules are from.")
    inferred: tuple[str, ...] = presentation(
        (), "The keys whose values no source gives, by their paths."
    )


@frozen
class Chosen:
    """A rule that a table chose by name: the name, its version, and the rule with its values.

    ``plugin`` is the plugin that adds it, empty for a rule of this library; it does not count when
    houses are compared.
    """

    name: str
    rule: Any
    version: int = 1
    _plugin: str = attrs.field(default="", eq=False, repr=False, alias="plugin")

    @property
    def plugin(self) -> str:
        """The plugin that adds the rule."""
        return self._plugin

    def built(self, build: Callable[[], T]) -> T:
        """Build the table of the rule; that of a plugin twice, to see whether both are alike.

        Raises ``PluginError`` ("rule-fails") for whatever the rule of a plugin raises,
        ``RuleError`` ("unsteady-rule") where it builds a different table each time.
        """
        if not self.plugin:
            return build()
        try:
            with guarded(self.plugin, f"building the rule {self.name!r}"):
                table, again = build(), build()
                steady = alike(table, again)
        except PluginError as error:
            cause = error.__cause__
            if isinstance(cause, Exception):  # the caller knows the place
                raise cause from cause.__cause__
            raise PluginError(error.message, "rule-fails", "", self.plugin) from cause
        if not steady:
            raise RuleError(
                f"the rule {self.name!r} of plugin {self.plugin!r} builds a new table each time",
                "unsteady-rule",
                "a rule may depend only on its keys and the money of the house",
            )
        return table

    def words_of(self, error: BaseException) -> str:
        """Return the words for an exception that a rule raised: with its place, in a plugin's."""
        return raised(error) if self.plugin else f"{type(error).__name__}: {error}"


@frozen
class PointRefait:
    """One [refait.on.POINT] table: the refait rule of the ties on one point."""

    point: int
    rule: Chosen


@frozen
class SideBet(SideBetKeys):
    """One [[side_bets]] table: a wager besides the simple chances, decided at once."""

    wins_on: Chosen = key(
        None,
        "The kind of side bet: `any-tie`, `exact-tie`, `row-point`, `outcome`, or a plugin's, with "
        "its own keys.",
    )


@frozen(slots=False)
class House:
    """One house; read with ``load_house`` or ``loads_house``, written with ``dumps_house``."""

    info: HouseInfo
    money: Money
    shoe: ShoeRule
    deal: DealRule
    refait: Chosen
    insurance: Chosen
    limits: Chosen
    settlement: PayOrder
    announcements: Announcements
    side_bets: tuple[SideBet, ...]
    language: Language
    refaits: tuple[PointRefait, ...] = ()
    chance_keys: tuple[ChanceKeys, ...] = ()

    @property
    def name(self) -> str:
        """The name of the house."""
        return self.info.name

    @property
    def title(self) -> str:
        """The title, by default the name."""
        return self.info.title or self.info.name

    @cached_property
    def chances(self) -> tuple[Chance, ...]:
        """Every wager of the house: the simple chances, then the side bets."""
        side = (
            bet.wins_on.built(partial(bet.build, bet.wins_on.rule, self.deal))
            for bet in self.side_bets
        )
        return (*self.simple_chances, *side)

    @property
    def simple_chances(self) -> tuple[Chance, ...]:
        """The simple chances on offer."""
        return self.deal.build(self.chance_keys, self.special_points)

    @property
    def special_points(self) -> tuple[int, ...]:
        """The points whose refait has a separate rule, in ascending order."""
        points = {special.point for special in self.refaits}
        if isinstance(self.refait.rule, Custom):
            points.update(self.refait.rule.points)
        return tuple(sorted(points))

    @cached_property
    def losing_ties(self) -> tuple[int, ...]:
        """The points whose tie is a refait for some simple chance on offer."""
        return tuple(
            sorted({point for chance in self.simple_chances for point in chance.losing_ties})
        )

    @cached_property
    def _by_first_row(self) -> dict[str, House]:
        return {
            row: attrs.evolve(self, deal=attrs.evolve(self.deal, first_row=row))
            for row in (NOIR, ROUGE)
        }

    def dealt_first(self, row: str) -> House:
        """Return the house for a shoe whose first row is dealt for a colour.

        It is the house itself where the cut does not decide that, or has not yet (``""``).
        """
        if not row or self.deal.first_row != "cut":
            return self
        return self._by_first_row[row]

    @cached_property
    def _chances_by_id(self) -> dict[str, Chance]:
        return {chance.id: chance for chance in self.chances}

    def chance(self, chance_id: str) -> Chance:
        """Return a wager by its id; ``BetError`` ("unknown-chance") if the house has none."""
        chance = self._chances_by_id.get(chance_id)
        if chance is None:
            raise BetError(
                f"{self.name} has no chance {chance_id!r}",
                "unknown-chance",
                nearest(chance_id, self._chances_by_id)
                or f"chances are {', '.join(self._chances_by_id)}",
            )
        return chance

    @cached_property
    def machine(self) -> StakeMachine:
        """The stake machine of the simple chances."""
        return StakeMachine.of(self._courses, possible_verdicts(self.simple_chances))

    @cached_property
    def _courses(self) -> Courses:
        courses: Courses = self.refait.built(partial(self.refait.rule.build, self.money))
        special: dict[int, Courses] = {
            own.point: own.rule.built(partial(own.rule.rule.build, self.money))
            for own in self.refaits
        }
        return composed(courses, dict.fromkeys(self.special_points) | special)

    @cached_property
    def wagers(self) -> dict[tuple[str, bool], Wager]:
        """Every wager, by its chance and whether it is insured; wagers not offered are left out."""
        table = self.insurance_table
        detained = table if table and set(table.covers) - {FREE} else None
        return {
            (chance.id, insurance is not None): Wager(
                house=self.name,
                chance=chance,
                machine=self.machine if chance.simple else side_bet_machine(chance.verdicts),
                insurance=insurance,
                limits=self.limits_table,
                money=self.money,
                detained=detained if chance.insurable and insurance is None else None,
            )
            for chance in self.chances
            for insurance in ((None, table) if table and chance.insurable else (None,))
        }

    def wager(self, chance: str, *, insured: bool = False) -> Wager:
        """Return a wager by its chance; ``BetError``: "unknown-chance", "no-insurance"."""
        wager = self.wagers.get((chance, insured))
        if wager is None:
            self.chance(chance)
            raise BetError(
                f"{self.name} does not insure stakes on {chance}",
                "no-insurance",
                "place it uninsured",
            )
        return wager

    @cached_property
    def terms(self) -> dict[int, Any]:
        """The terms that ``terms_of`` remembers."""
        return {}

    def wagers_on(self, chance: str) -> tuple[Wager, ...]:
        """Return the wagers of free stakes on a chance: uninsured, and insured where it can be."""
        plain, insured = self.wager(chance), self.wagers.get((chance, True))
        if insured and insured.insurance and FREE in insured.insurance.covers:
            return plain, insured
        return (plain,)

    @cached_property
    def insurance_table(self) -> InsuranceTable | None:
        """The cost and the effect of insurance; None where it has no insurance."""
        build = partial(self.insurance.rule.build, self.money)
        table: InsuranceTable | None = self.insurance.built(build)
        return table

    @cached_property
    def limits_table(self) -> Limits:
        """Which stakes the house takes, as its limit rule builds it."""
        limits = self.free_limits
        if not limits.odds:
            return limits
        odds = tuple((chance.id, self.most_won(chance)) for chance in self.chances)
        return limits if odds == limits.odds else attrs.evolve(limits, odds=odds)

    @cached_property
    def free_limits(self) -> Limits:
        """The limits as far as they bind free stakes alone, by the odds that those are paid."""
        odds = ((chance.id, chance.odds) for chance in self.chances)
        limits = self.limits.built(partial(self.limits.rule.build, self.money))
        return limits_of(self.limits.name, limits, odds)

    def most_won(self, chance: Chance) -> Fraction:
        """Return the most that a stake on a chance can win, for each unit: free, or in prison."""
        if not chance.simple:
            return chance.odds
        moved = self.free_limits.prisoners_move
        met = self.machine.possible if moved else chance.possible()
        return max(chance.odds, self.machine.prisoners_odds(met))

    @property
    def usual_minimum(self) -> int:
        """The least stake, in units, to reckon with where the minimum is set daily."""
        return max(1, int(USUAL_MINIMUM / self.money.unit.value))

    def lowest_opening(self, units: int = 0) -> Opening:
        """Return the opening with the least minimum a table can have.

        Of several tables, that of those which take a stake of ``units``, if any does.
        """
        return self._with_insurance(self.limits_table.lowest_opening(units))

    def opening_with(self, minimum: int, units: int = 0) -> Opening:
        """Return the opening with a minimum in units, and all else that the house posts.

        What it must post besides is as at the lowest opening: maxima are 1,000 times the minimum,
        or more where that takes no stake of ``units``; every stake is insured.
        """
        return self._with_insurance(self.limits_table.opening(minimum, units))

    def _with_insurance(self, opening: Opening) -> Opening:
        table = self.insurance_table
        needed = table is not None and table.minimum_posted
        return attrs.evolve(opening, insurance_minimum=1) if needed else opening

    def opening(
        self,
        minimum: int | str | Amount | None = None,
        maximum: int | str | Amount | None = None,
        *,
        per_chance: Mapping[str, Mapping[str, int | str | Amount]] | None = None,
        insurance_minimum: int | str | Amount | None = None,
    ) -> Opening:
        """Return an opening from amounts as TOML writes them, in the currency of the house.

        ``per_chance`` has a ``minimum`` or a ``maximum`` for chances by their ids. Raises
        ``BetError``: "bad-amount" and "not-whole-units" for an amount that the house cannot pay,
        "bad-opening" for an unknown bound, and what ``check_opening`` raises.
        """
        own = []
        named = _mapping(per_chance or {}, "per_chance")
        for chance, each in named.items():
            bounds = _mapping(each, f"bounds of {chance}")
            if unknown := sorted({*bounds} - {"minimum", "maximum"}):
                raise BetError(
                    f"bounds of {chance}: unknown key {unknown[0]!r}",
                    "bad-opening",
                    "expected minimum or maximum",
                )
            units = {
                key: self._posted_units(each, f"{key} of {chance}") for key, each in bounds.items()
            }
            own.append(ChanceBounds(chance, **units))
        least = self._posted_units(minimum, "minimum")
        most = self._posted_units(maximum, "maximum")
        self._check_posted(least, most)
        insured = self._posted_units(insurance_minimum, "least insured stake")
        opening = Opening(least, most, tuple(own), insured)
        self.check_opening(opening)
        return opening

    def narrowed(self, opening: Opening, maximum: int) -> Opening:
        """Return an opening with a posted maximum, in units, of a stake on any chance.

        Raises ``BetError`` ("bad-opening", and what ``check_opening`` raises).
        """
        self._check_posted(opening.minimum, maximum)
        narrowed = attrs.evolve(opening, maximum=maximum)
        self.check_opening(narrowed)
        return narrowed

    def _check_posted(self, minimum: int | None, maximum: int | None) -> None:
        """Refuse a maximum below the minimum, in the currency of the house."""
        if maximum is not None and maximum < (minimum or 0):
            text = self.money.text
            raise BetError(
                f"a maximum of {text(maximum)} is below the minimum of {text(minimum or 0)}",
                "bad-opening",
                "post a maximum that allows a stake",
            )

    def _posted_units(self, written: int | str | Amount | None, what: str) -> int | None:
        if written is None:
            return None
        try:
            amount = written if isinstance(written, Amount) else Amount.parse(written)
            return self.money.units(amount)
        except RuleError as error:
            raise BetError(
                f"a {what} of {shown(str(written))}: {error.message}", error.code, error.hint
            ) from error

    def check_opening(self, opening: Opening) -> None:
        """Refuse an opening that this house cannot play with.

        Raises ``BetError``: "opening-needed", "no-such-table", "unknown-chance", "no-insurance",
        and "bad-opening" where no stake on a chance is left between what is posted.
        """
        for posted in opening.per_chance:
            self.chance(posted.chance)
        table, limits = self.insurance_table, self.limits_table
        if opening.insurance_minimum is not None and table is None:
            raise BetError(f"{self.name} insures no stakes", "no-insurance", "post no minimum")
        for chance in self._chances_by_id:
            bounds = limits.bounds(opening, chance)
            most = lesser(bounds.most, limits.together)
            if most and bounds.lowest > most:
                raise BetError(
                    f"no stake on {chance} is between {self.money.text(bounds.least)} and "
                    f"{self.money.text(most)}",
                    "bad-opening",
                    "post other values; a maximum of 0 closes a chance",
                )
        if table is not None and table.minimum_posted and opening.insurance_minimum is None:
            raise BetError(
                "this house sets the least stake that is insured when the table opens",
                "opening-needed",
                "post what is missing: insurance_minimum",
            )

    @cached_property
    def pay_ranks(self) -> dict[str, int]:
        """The place of each chance in the order of payment; those not named come last."""
        order = dict.fromkeys((*self.settlement.pay, *(chance.id for chance in self.chances)))
        return {chance: rank for rank, chance in enumerate(order)}

    @cached_property
    def words(self) -> Language:
        """The phrases of the house: its language, with its own replacements."""
        return words(self.announcements, self.language)

    @cached_property
    def fingerprint(self) -> str:
        """``f1:`` and the SHA-256 of the rules in force; words and sources leave it alone."""
        return PREFIX + _sha256(self.canonical_rules.encode("ascii"))

    @property
    def canonical_rules(self) -> str:
        """The rules in force as a text in ASCII, of which the fingerprint is the SHA-256."""
        # A table with custom premiums is known by the rule that built it, not by its fields.
        own = type(self.insurance_table) not in (InsuranceTable, type(None))
        # The chances are those of one order.
        cut = {"first_row": "cut"} if self.deal.first_row == "cut" else {}
        return canonical_text(
            {
                **({"insurance_rule": self.insurance} if own else {}),
                **cut,
                "currency": self.money.currency,
                "unit": self.money.unit.written(),
                "rounding": self.money.rounding,
                "shoe": self.shoe,
                "chances": self.chances,
                "machine": self.machine,
                "insurance": self.insurance_table,
                "limits": self.limits,
                "settlement": self.settlement,
            }
        )

    def blame(self, error: BaseException) -> None:
        """Raise ``PluginError`` for an exception that the rule of a plugin raised.

        It names the plugin, and its cause is the exception; any other exception is left to the
        caller.
        """
        from traceback import walk_tb  # noqa: PLC0415 - only a rule that fails needs it

        if isinstance(error, TrenteError | KeyboardInterrupt):
            return
        packages = {
            str(frame.f_globals.get("__name__")).partition(".")[0]
            for frame, _line in walk_tb(error.__traceback__)
        }
        rules = [("refait", self.refait), ("insurance", self.insurance), ("limit", self.limits)]
        rules += [("refait", own.rule) for own in self.refaits]
        for kind, rule in rules:
            if rule.plugin and type(rule.rule).__module__.partition(".")[0] in packages:
                raise PluginError(
                    f"the {kind} rule {rule.name!r} of plugin {rule.plugin!r} fails: "
                    f"{rule.words_of(error)}",
                    "rule-fails",
                    "",
                    rule.plugin,
                ) from error

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the fields alone: what was built is built again."""
        return {name: value for name, value in self.__dict__.items() if name in _FIELDS}

    def __str__(self) -> str:
        """Return the title and the name."""
        return f"{self.title} ({self.name})"


_FIELDS = frozenset(attribute.name for attribute in House.__attrs_attrs__)


def _mapping(value: Any, what: str) -> Mapping[str, Any]:
    """Return a mapping as it is; raise ``BetError`` ("bad-opening") for anything else."""
    if not isinstance(value, Mapping):
        wanted = 'write {"rouge": {"maximum": 100}}'
        raise BetError(f"{what}: {shown(value)} is not a table", "bad-opening", wanted)
    return value


def possible_verdicts(chances: Iterable[Chance]) -> frozenset[Verdict]:
    """Return the verdicts that a coup can give the simple ones among some chances."""
    given = (chance.possible() for chance in chances if chance.simple)
    return frozenset[Verdict]().union(*given)
