"""Rules in short words, for tables: "half or prison", "1 % of the stake, back on a tie".

The words are made from the tables that the rules built (stake machine, insurance table, limits,
shoe, order of settlement), never from the names of rules: a plugin's rule has words, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from trente_rules.core.chances import COULEUR, SIMPLE_CHANCES, Chance, Kind, Verdict
from trente_rules.core.coup import POINTS
from trente_rules.core.house.house import House
from trente_rules.core.machine import FREE, Course, StakeMachine
from trente_rules.core.money import Money, share_words
from trente_rules.core.rules.insurance import InsuranceTable
from trente_rules.core.rules.limits import Limits, TableBounds
from trente_rules.core.shoe import Marker

Words = dict[str, str]
"""Rules in words by their topics, in the order in which a table shows them."""
REFAIT: Final = "a refait"
AGAIN: Final = "a further refait"
NONE: Final = "none"
_NO_PRISON: Final = "no prison"
_NEVER: Final = "does not occur"
_IDLE: Final = {
    "a win in prison": (_NO_PRISON, "frees"),
    "a loss in prison": (_NO_PRISON, "loses"),
    "a tie in prison": (_NO_PRISON, _NEVER, "stays"),
    "prison at the close": (_NO_PRISON, "half back"),
    "prison at the end of a shoe": (_NO_PRISON, "waits"),
    "a shoe ends": ("at the marker", "where no coup is left"),
    "insured stakes": (NONE, "any"),
    "premium": (NONE, "as the rate says"),
    "insures": (NONE, "a free stake"),
    "proof of insurance": (NONE, "without it uninsured"),
    "players who bet together": ("no limit", "share the maximum"),
}
"""The words that say no more than that another rule is missing, or usual, by topic."""
_LISTED: Final = 4
"""The most side bets of the same odds that are all named."""


def rule_words(house: House) -> Words:
    """Return all rules of a house that can differ, in short words by topic."""
    return {
        **_stake_words(house),
        **_insurance_words(house),
        **_limit_words(house),
        **_deal_words(house),
        **_shoe_words(house),
        **_table_words(house),
    }


def differing_words(houses: Sequence[House]) -> dict[str, tuple[str, ...]]:
    """Return the topics in which houses differ, each with its words in every house.

    A topic that says only that another rule is missing, such as what a win in prison does where
    there is no prison, is left out as long as it says nothing unusual.
    """
    found = [rule_words(house) for house in houses]
    rows = {topic: tuple(words[topic] for words in found) for topic in found[0]}
    return {
        topic: words
        for topic, words in rows.items()
        if len(set(words)) > 1 and not set(words) <= set(_IDLE.get(topic, ()))
    }


def share_text(share: Fraction) -> str:
    """Return a share in words: ``half``, or ``3/7``."""
    return "all" if share == 1 else share_words(share)


def _percent(part: Fraction) -> str:
    """Return a rate exactly, in per cent where that ends: ``1 %``, ``2/3 of 1 %``."""
    number = part * 100
    places = next((n for n in range(7) if (number * 10**n).denominator == 1), None)
    return f"{number} %" if places is None else f"{float(number):.{places}f} %"


def _listed(words: Iterable[str]) -> str:
    """Return words as a list: ``a, b and c``."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


# --- What happens to a stake


def refait_words(house: House, *, ties: bool = True) -> str:
    """Return what a refait does to a free stake: ``half or prison``, ``any tie: takes half``.

    Points other than 31 are named unless ``ties`` is false.
    """
    machine = house.machine
    met = [verdict for verdict in machine.verdicts if verdict.kind == "tie"]
    if not met or not house.losing_ties:
        return "does nothing"
    words = {verdict: _refait_of(machine, verdict) for verdict in met}
    points = house.losing_ties
    which = "any tie: " if points == POINTS else ""
    if not which and points != (POINTS[0],):
        which = f"{_listed(map(str, points))}: "
    return (which if ties else "") + _by_verdict(words)


def _refait_of(machine: StakeMachine, verdict: Verdict) -> str:
    courses = machine.courses(FREE, verdict)
    if len(courses) == 1:
        (course,) = courses
        if course.returned == 1:
            return "does nothing"
        if not course.staying:
            return f"takes {share_text(course.forfeited)}"
    # What ends at once comes before what waits, whichever is the default.
    ordered = sorted(courses, key=lambda course: bool(course.staying))
    return " or ".join(_free_course(machine, course) for course in ordered)


def _free_course(machine: StakeMachine, course: Course) -> str:
    """Return a course of a free stake at a refait, as one of several."""
    if not course.staying:
        if course.returned == course.forfeited:
            return "half"
        return f"{share_text(course.returned)} back" if course.returned else "all lost"
    prisons = _reached(machine, course.state)
    where = "prison" if len(prisons) == 1 else f"{len(prisons)} prisons"
    if course.state != machine.prisons[0]:
        where = f"{where} from {_state(course.state)} on"
    if course.staying == 1:
        return where
    parts = [f"{share_text(course.returned)} back"] if course.returned else []
    parts.append(f"{where} for {share_text(course.staying)}")
    if course.taken:
        parts.append(f"{share_text(course.taken)} taken at once")
    return " and ".join(parts)


def _reached(machine: StakeMachine, first: str) -> list[str]:
    """Return the prisons that a stake can reach from one of them, itself first."""
    reached = [first]
    for state in reached:
        for _verdict, courses in machine.occurring(state):
            reached += [c.state for c in courses if c.state and c.state not in reached]
    return reached


def _by_verdict(words: Mapping[Verdict, str]) -> str:
    """Return the words of several verdicts of a kind: once where they are the same."""
    groups: dict[str, list[Verdict]] = {}
    for verdict, text in words.items():
        groups.setdefault(text, []).append(verdict)
    usual, *others = groups
    special = (f"{_listed(map(_place, groups[text]))}: {text}" for text in others)
    return "; ".join((usual, *special))


def _place(verdict: Verdict) -> str:
    return verdict.id if verdict.point is None else f"on {verdict.point}"


def _stake_words(house: House) -> Words:
    machine, money = house.machine, house.money
    kinds: dict[str, Kind] = {
        AGAIN: "tie",
        "a win in prison": "win",
        "a loss in prison": "lose",
        "a tie in prison": "push",
        "prison at the close": "close",
    }
    refait = refait_words(house)
    floors = [
        _floor(course, money)
        for verdict, courses in machine.occurring(FREE)
        if verdict.kind == "tie"
        for course in courses
        if course.offered_from
    ]
    return {
        REFAIT: ", ".join((refait, *dict.fromkeys(floors))),
        "without a choice": _defaults(machine),
        **{topic: _in_prisons(machine, kind, money) for topic, kind in kinds.items()},
        "prison at the end of a shoe": _at_end(house),
        "a prisoner may change chance": _yes(house.limits_table.prisoners_move),
    }


def _at_end(house: House) -> str:
    if not house.machine.prisons:
        return _NO_PRISON
    return "waits" if house.shoe.prisoners_at_end == "carry" else "as at the close"


def _yes(value: bool) -> str:  # noqa: FBT001 - the value that is put into words
    return "yes" if value else "no"


def _defaults(machine: StakeMachine) -> str:
    """Return what happens to a player who makes no choice, where there is one."""
    texts: dict[str, str] = {}
    for state in machine.states:
        found: dict[Verdict, str] = {}
        for verdict, courses in machine.occurring(state):
            if len(courses) > 1:
                found[verdict] = _course(machine, state, courses[0]).removeprefix("to ")
        if found:
            texts[state] = _by_verdict(found)
    free = texts.pop(FREE, "")
    prisons = f"in prison: {_by_state(texts)}" if texts else ""
    return "; ".join(filter(None, (free, prisons))) or "no choice"


def _in_prisons(machine: StakeMachine, kind: Kind, money: Money) -> str:
    """Return what verdicts of a kind do in each prison."""
    texts: dict[str, str] = {}
    for state in machine.prisons:
        verdicts = (
            [Verdict.CLOSE]
            if kind == "close"
            else [verdict for verdict, _courses in machine.occurring(state) if verdict.kind == kind]
        )
        found = {
            verdict: " or ".join(
                ", ".join(filter(None, (_course(machine, state, course), _floor(course, money))))
                for course in machine.courses(state, verdict)
            )
            for verdict in verdicts
        }
        if found:
            texts[state] = _by_verdict(found)
    return _by_state(texts) if texts else _NEVER if machine.prisons else _NO_PRISON


def _by_state(texts: Mapping[str, str]) -> str:
    """Return the words of several prisons: once where they are the same."""
    first, *others = texts.values()
    if len({first, *others}) == 1:
        return first
    *most, last = texts.values()
    if len(set(most)) == 1:
        return f"{first}; in the last: {last}"
    if len(set(others)) == 1:
        return f"{first}; in the others: {last}"
    return "; ".join(f"{_state(state)}: {text}" for state, text in texts.items())


def _state(state: str) -> str:
    return state.replace("-", " ")


def course_words(machine: StakeMachine, state: str, course: Course) -> str:
    """Return what a course does to a stake in a state of a machine, in short words."""
    return _course(machine, state, course)


def _course(machine: StakeMachine, state: str, course: Course) -> str:
    """Return what a course does to a stake in a state: ``halved``, ``next prison``, ``frees``."""
    if course.returned == 1:
        return f"frees and pays {_odds(course.pays)}" if course.pays else "frees"
    parts = []
    if course.returned:
        paid = f" and {_odds(course.pays)}" if course.pays else ""
        parts.append(f"{share_text(course.returned)} back{paid}")
    if course.staying:
        parts.append(_staying(machine, state, course))
    if course.taken:
        parts.append(f"{share_text(course.taken)} taken at once")
    return ", ".join(parts) or "loses"


def _where(machine: StakeMachine, state: str, target: str) -> str:
    """Return where a stake goes from a state, as seen from there."""
    if target == state:
        return "stays"
    places = {name: at for at, name in enumerate(machine.states)}
    away = places[target] - places[state]
    if state != FREE and away in (1, -1):
        return "next prison" if away > 0 else "previous prison"
    return f"to {_state(target)}"


def _staying(machine: StakeMachine, state: str, course: Course) -> str:
    where = _where(machine, state, course.state)
    if course.staying == 1:
        return where
    if course.staying == Fraction(1, 2) and not course.returned:
        return "halved" if course.state == state else f"halved, {where}"
    if course.returned:
        return f"{share_text(course.staying)} {where}"
    if course.taken == course.forfeited:
        return where
    return f"{share_text(course.forfeited)} lost, {where}"


def _floor(course: Course, money: Money) -> str:
    """Return what a course must return to be offered, empty where it is always offered."""
    if not course.offered_from:
        return ""
    least = course.offered_from
    amount = "the minimum" if least == "minimum" else money.text(least)
    return f"only where {amount} or more comes back"


def _odds(odds: Fraction) -> str:
    if odds == 1:
        return "even money"
    return f"{odds.numerator} to {odds.denominator}"


# --- Insurance


def _insurance_words(house: House) -> Words:
    table, money = house.insurance_table, house.money
    topics = ("insurance", "insured stakes", "premium", "insures", "proof of insurance")
    if table is None:
        return dict.fromkeys(topics, NONE)
    premium = [
        f"{word} {money.text(units)}"
        for word, units in (
            ("at least", table.minimum_premium),
            ("at most", table.maximum_premium),
            ("in steps of", table.premium_unit if table.premium_unit > 1 else 0),
        )
        if units
    ]
    without = "without it uninsured" if table.without_proof == "uninsured" else "needed"
    words = (
        _insured_for(table, money, house.machine),
        _insurable(table, money),
        ", ".join(premium) or "as the rate says",
        _listed("a free stake" if state == FREE else _state(state) for state in table.covers),
        without if table.proof_needed else "not needed",
    )
    return dict(zip(topics, words, strict=True))


def _insured_for(table: InsuranceTable, money: Money, machine: StakeMachine) -> str:
    """Return what insurance costs, and when the premium comes back."""
    if table.started:
        parts = [f"{_percent(table.rate)} of each {money.text(table.started)} begun"]
    else:
        parts = [f"{_percent(table.rate)} of the stake"]
    if type(table).premium is not InsuranceTable.premium:
        parts = [f"about {parts[0]}, by a separate scale"]
    if table.back != 1:
        parts.append(f"a refait returns {share_text(table.back)}")
    for verdict in (*machine.verdicts, Verdict.CLOSE):
        part = table.usual_part(verdict)
        usual = Fraction(verdict == Verdict.CLOSE)
        if part == usual:
            continue
        name = _VERDICTS.get(verdict.id, _place(verdict))
        if not part:
            parts.append(f"kept {name}")
        else:
            parts.append(f"{'' if part == 1 else f'{share_text(part)} '}back {name}")
    if table.lasts == "until-decided":
        parts.append("until the stake is decided")
    return ", ".join(parts)


_VERDICTS: Final = {
    "win": "on a win",
    "lose": "on a loss",
    "apres": "on a tie",
    "refait": "on a refait",
    "close": "at the close",
}


def _insurable(table: InsuranceTable, money: Money) -> str:
    parts = []
    if table.minimum_posted:
        parts.append("minimum set at opening")
    elif table.minimum_stake > 1:
        parts.append(f"from {money.text(table.minimum_stake)}")
    if table.multiple > 1:
        parts.append(f"multiples of {money.text(table.multiple)}")
    if table.maximum_stake:
        parts.append(f"to {money.text(table.maximum_stake)}")
    return ", ".join(parts) or "any"


# --- Limits


def limit_span(limits: Limits) -> tuple[str, str]:
    """Return the minimum and the maximum of a stake: ``set at opening``, ``1000 x minimum``."""
    money, first = limits.money, limits.tables[0]
    if limits.by_opening:
        pairs = "; ".join(_pair(table, money) for table in limits.tables)
        return f"{len(limits.tables)} tables", pairs
    least = "set at opening" if first.minimum is None else money.text(first.minimum)
    if first.posted:
        return least, "set at opening"
    if first.multiple:
        return least, f"{first.multiple} x minimum"
    return least, NONE if first.maximum is None else money.text(first.maximum)


def _pair(table: TableBounds, money: Money) -> str:
    least = money.amount(table.minimum or 0)
    return f"{least} to {'any' if table.most is None else money.text(table.most)}"


LIMIT_WORDS: Final = {
    "maximum_payout": ("most won on a chance", "{amount}"),
    "aggregate_maximum": ("all players on a chance", "to {amount}"),
    "differential_maximum": ("a chance above its opposite", "to {amount}"),
    "table_maximum": ("all players together", "to {amount}"),
    "most_stakes": ("stakes of one player", "{count}"),
    "table_most_stakes": ("stakes of all players", "{count}"),
    "both_sides": ("both sides of a pair", "allowed"),
    "one_side": ("both sides of a pair", "refused"),
    "associations": ("players who bet together", "may pass the maximum"),
    "no_associations": ("players who bet together", "share the maximum"),
    "count_as_one": ("players who bet together", "count as one"),
    "progression": ("raising", "from bet {next} to {most} of bet {reference}"),
    "no_progression": ("raising", "free"),
    "late_bets.until-first-card": ("late bets", "until the first card"),
    "late_bets.refused": ("late bets", "refused"),
}
"""The topic and the words of each fact of ``Limits.facts`` that is not of one chance."""
CHANCE_WORDS: Final = {
    "chance_minimum": "{chance} from {amount}",
    "chance_maximum": "{chance} to {amount}",
    "chance_multiple": "{chance} to {times} x its minimum",
    "chance_minimum_posted": "{chance} from a minimum set at opening",
    "chance_maximum_posted": "{chance} to a maximum set at opening",
    "chance_win": "{chance} wins at most {amount}",
}
"""The words of each fact of one chance."""


def _limit_words(house: House) -> Words:
    limits, money = house.limits_table, house.money
    least, most = limit_span(limits)
    chances = []
    words: Words = {"minimum": least, "maximum": most, "single chances": "as the table"}
    unset = dict.fromkeys(topic for topic, _text in LIMIT_WORDS.values())
    words |= dict.fromkeys(unset, "no limit") | {"late bets": "refused"}
    write: dict[str, Any] = {"amount": money.text, "most": _percent}
    for fact, values in limits.facts(house.deal.chances, prisons=bool(house.machine.prisons)):
        texts = {name: write.get(name, str)(value) for name, value in values.items()}
        if fact in CHANCE_WORDS:
            chances.append(CHANCE_WORDS[fact].format(**texts))
        elif fact in LIMIT_WORDS:
            topic, text = LIMIT_WORDS[fact]
            words[topic] = text.format(**texts)
    if chances:
        words["single chances"] = "; ".join(chances)
    words["stakes in steps of"] = money.text(limits.step)
    other = limits.also is not None or type(limits) is not Limits
    words["further limits"] = "a separate check" if other else NONE
    return words


# --- The deal and the shoe


def _deal_words(house: House) -> Words:
    deal, simple = house.deal, house.simple_chances
    first = {"noir": "noir", "rouge": "rouge", "cut": "the colour shown at the cut"}
    couleur = {
        "first-of-coup": "the first card of the coup",
        "first-of-winning-row": "the first card of the winning row",
    }
    return {
        "chances": ", ".join(chance.id for chance in simple),
        "a win pays": _by_chance(simple, _pays),
        "refait at": _by_chance(simple, _ties),
        "the point that wins": f"the {deal.wins}",
        "first row": first[deal.first_row],
        "couleur goes by": couleur[deal.couleur] if _has_couleur(simple) else "no couleur",
        "side bets": _side_bets(house),
    }


def _has_couleur(simple: Iterable[Chance]) -> bool:
    return any(chance.id in (COULEUR, SIMPLE_CHANCES[-1]) for chance in simple)


def _by_chance(chances: Sequence[Chance], words: Callable[[Chance], str]) -> str:
    """Return the words of each chance: once where they are all the same."""
    groups: dict[str, list[str]] = {}
    for chance in chances:
        groups.setdefault(words(chance), []).append(chance.id)
    if len(groups) == 1:
        return next(iter(groups))
    return "; ".join(f"{_listed(ids)}: {text}" for text, ids in groups.items())


def _pays(chance: Chance) -> str:
    return " or ".join(map(_odds, chance.winning_odds)) or "nothing"


def _ties(chance: Chance) -> str:
    ties = chance.losing_ties
    return "any tie" if ties == POINTS else ", ".join(map(str, ties)) or "no tie"


def _side_bets(house: House) -> str:
    bets = [chance for chance in house.chances if not chance.simple]
    groups: dict[str, list[str]] = {}
    for bet in bets:
        needs = f", with a stake on a {bet.needs} chance" if bet.needs != "none" else ""
        groups.setdefault(f"{_pays(bet)}{needs}", []).append(bet.id)
    return "; ".join(f"{_run(ids)} at {text}" for text, ids in groups.items()) or NONE


def _run(ids: Sequence[str]) -> str:
    """Return the ids of several bets, many of them by the first and the last."""
    many = len(ids) > _LISTED
    return f"{len(ids)} from {ids[0]} to {ids[-1]}" if many else _listed(ids)


def marker_words(marker: Marker | None) -> str:
    """Return where the marker is and what it does: ``5 from the end, voids the coup``."""
    if marker is None:
        return NONE
    low, high = marker.bounds
    span = str(low) if low == high else f"{low} to {high}"
    does = {
        "void": "voids the coup",
        "finish": "the coup is finished",
        "last-coup": "one more coup",
    }[marker.on_marker]
    by = ", put in by a player" if marker.placed_by == "player" else ""
    return f"{span} from the end, {does}{by}"


def _shoe_words(house: House) -> Words:
    shoe = house.shoe
    burned = "as the first card says" if shoe.burn == "first-card" else str(shoe.burn)
    every = shoe.every_coup
    cut = {"player": "a player", "croupier": "the croupier", "player-on-right": "on the right"}
    return {
        "packs": str(shoe.packs),
        "shuffled": "by a machine, for every coup" if every else "for each shoe",
        "cards burned": f"{burned}, shown" if shoe.burn_shown else burned,
        "marker": marker_words(shoe.marker),
        "a shoe ends": _end(house),
        "cards cut by": cut[shoe.cut_by],
        "cards cut": "before bets" if shoe.cut == "before-bets" else "after bets",
        "a card exposed": "is burned" if shoe.exposed_card == "burn" else "voids the coup",
        "talon counted": _yes(shoe.count_talon),
    }


def _end(house: House) -> str:
    if house.shoe.every_coup:
        return "after every coup"
    if house.shoe.marker:
        return "at the marker"
    return "with the last card" if house.shoe.ends == "last-card" else "where no coup is left"


# --- Money, and the order at the table


def _table_words(house: House) -> Words:
    money, order = house.money, house.settlement
    rounding = {
        "bank": "for the bank",
        "player": "for the player",
        "half-even": "to the nearest",
        "refuse": "never: such stakes are refused",
    }
    first = "losers first"
    how = {
        "losers-first": first,
        "by-position": f"{first}, winners as they lie",
        "as-placed": "as placed",
    }
    paid = [name for name in order.pay if name in {chance.id for chance in house.chances}]
    collect, pay = order.ends
    placed = order.order == "as-placed"
    return {
        "currency": money.currency,
        "smallest amount": money.text(1),
        "rounding": rounding[money.rounding],
        "settled": how[order.order],
        "paid in the order": ", ".join(paid) or "of the chances",
        "collected from": "as placed" if placed else collect,
        "paid from": "as placed" if placed else pay,
    }
