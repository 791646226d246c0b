"""The courses of a stake and its insurance in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from trente_rules.core.chances import Verdict
from trente_rules.core.house.house import House
from trente_rules.core.machine import FREE, Course, StakeMachine
from trente_rules.core.money import NOUGHT, ONE
from trente_rules.core.rules.insurance import InsuranceTable
from trente_rules.reports.document import Items, Part
from trente_rules.reports.sentences import Speech, capital


def stake_blocks(house: House, speech: Speech) -> Iterator[Part]:
    """Describe every state, verdict and course of the stake machine."""
    machine = house.machine
    if machine.prisons:
        courses = [course for answer in machine.answers for course in answer.courses]
        texts = []
        if any(0 < course.staying < 1 - course.taken for course in courses):
            texts.append(speech.say("stakes.worth"))
        if not any(course.pays for course in courses):
            texts.append(speech.say("stakes.no_winnings"))
        if texts:
            yield " ".join(texts)
    for state in machine.states:
        title = "stakes.free" if state == FREE else "stakes.imprisoned"
        yield speech.say(title, **({} if state == FREE else {"state": speech.state(state)}))
        yield Items(_state_lines(machine, state, speech))


def _state_lines(machine: StakeMachine, state: str, speech: Speech) -> Iterator[str]:
    for verdict in (*machine.verdicts, Verdict.CLOSE):
        moment, courses = capital(speech.verdict(verdict)), machine.courses(state, verdict)
        if len(courses) == 1:
            text = course_text(state, verdict, courses[0], speech)
            yield speech.say("stakes.answer", verdict=moment, course=text)
        else:
            text = _choice(state, verdict, courses, speech)
            yield speech.say("stakes.choice", verdict=moment, courses=text)


def _choice(state: str, verdict: Verdict, courses: tuple[Course, ...], speech: Speech) -> str:
    texts = []
    for course in courses:
        parts = [course_text(state, verdict, course, speech)]
        if course.offered_from == "minimum":
            parts.append(speech.say("stakes.not_below"))
        elif course.offered_from:
            amount = speech.amount(course.offered_from)
            parts.append(speech.say("stakes.not_below_amount", amount=amount))
        key = "stakes.default" if course.default else "stakes.other"
        texts.append(speech.say(key, name=speech.course(course.name), course=speech.apart(parts)))
    return speech.apart(texts)


def course_text(state: str, verdict: Verdict, course: Course, speech: Speech) -> str:
    """Return the effect of a course on a stake in a state, in words."""
    say = speech.say
    if state == FREE and verdict.kind == "win":
        return say("course.won")
    if course.returned == 1:
        if state == FREE:
            return say("course.untouched" if verdict.kind == "push" else "course.back")
        if course.pays:
            return say("course.freed_paid", odds=speech.odds(course.pays))
        return say("course.freed" if verdict.kind == "win" else "course.worth_back")
    parts = []
    if course.returned:
        parts.append(say("course.part_back", share=speech.share(course.returned)))
    if course.taken and course.staying:
        parts.append(say("course.taken", share=speech.share(course.taken)))
    if course.staying:
        parts.append(_staying(state, course, speech))
    elif course.returned and course.forfeited:
        half = course.forfeited == course.returned
        parts.append(say("course.other_half" if half else "course.rest_lost"))
    if course.returned and course.staying and course.forfeited > course.taken:
        lost = course.forfeited - course.taken
        parts.append(say("course.part_lost", share=speech.share(lost)))
    if course.pays:
        parts.append(say("course.part_paid", odds=speech.odds(course.pays)))
    return speech.all_of(parts) if parts else say("course.lost")


def _staying(state: str, course: Course, speech: Speech) -> str:
    values = {} if course.state == state else {"state": speech.state(course.state)}
    key = "stays" if course.state == state else "goes"
    if course.taken and course.staying + course.returned + course.taken == 1:
        return speech.say(f"course.rest_{key}", **values)
    if course.staying == 1:
        return speech.say(f"course.{key}", **values)
    return speech.say(f"course.{key}_worth", share=speech.share(course.staying), **values)


def insurance_blocks(house: House, speech: Speech) -> Iterator[Part]:
    """Describe the cost and the effect of insurance."""
    table = house.insurance_table
    if table is None:
        yield speech.say("insurance.none")
        return
    say = speech.say
    covered = [_covered(state, speech) for state in table.covers]
    lasts = table.lasts == "until-decided"
    what = say(f"insurance.{'what_lasts' if lasts else 'what'}", states=speech.all_of(covered))
    spared = [c.id for c in house.chances if c.simple and not c.insurable]
    if spared:
        names = speech.all_of([speech.chance(name) for name in spared])
        what += f" {say('insurance.spared', chances=names)}"
    yield what
    lines = [*premium_lines(table, speech)]
    lines += _insurable(table, speech)
    lines += _served(house, table, speech)
    lines += _fates(house, table, speech)
    lines.append(say("insurance.prepaid" if table.proof_needed else "insurance.not_prepaid"))
    if table.proof_needed:
        lines.append(say(f"insurance.without_proof.{table.without_proof}"))
    yield Items(lines)


def _served(house: House, table: InsuranceTable, speech: Speech) -> Iterator[str]:
    """Yield what a refait does to an insured stake."""
    lasts = table.lasts == "until-decided"
    if FREE in table.covers and table.back == 1:
        yield speech.say("insurance.serves_free")
    elif FREE in table.covers:
        met = next(filter(house.machine.insures, house.machine.verdicts), None)
        if met is not None:
            (course,) = house.machine.courses(FREE, met, insured=table.back)
            moment = capital(speech.verdict(Verdict.REFAIT))
            text = course_text(FREE, met, course, speech)
            yield speech.say("stakes.answer", verdict=moment, course=text)
    if set(table.covers) - {FREE}:
        yield speech.say("insurance.serves_prison")
    if lasts and FREE in table.covers:
        yield speech.say("insurance.lasts_free")
    if lasts and set(table.covers) - {FREE}:
        yield speech.say("insurance.lasts_prison")


def _insurable(table: InsuranceTable, speech: Speech) -> Iterator[str]:
    """Yield which stakes can be insured; where prisoners can be too, what binds free ones alone."""
    of_free = "_free" if set(table.covers) - {FREE} else ""
    for name, units in (
        (f"minimum_stake{of_free}", table.minimum_stake),
        (f"multiple{of_free}", table.multiple),
        ("maximum_stake", table.maximum_stake),
    ):
        if units:
            yield speech.say(f"insurance.{name}", amount=speech.amount(units))
    if table.minimum_posted:
        yield speech.say(f"insurance.minimum_posted{of_free}")
    if not (table.minimum_stake or table.multiple or table.minimum_posted or table.maximum_stake):
        yield speech.say("insurance.any_stake")


def _covered(state: str, speech: Speech) -> str:
    if state == FREE:
        return speech.say("insurance.free")
    return speech.say("insurance.held", state=speech.state(state))


def premium_lines(table: InsuranceTable, speech: Speech) -> Iterator[str]:
    """Yield what the premium is, its bounds, and how it is rounded."""
    if table.started:
        yield speech.say(
            "insurance.started",
            premium=speech.amount(Fraction(table.started) * table.rate),
            started=speech.amount(table.started),
        )
    else:
        percent = speech.percent(table.rate)
        yield speech.say("insurance.rate", rate=percent, number=table.rate * 100)
    if table.minimum_premium:
        amount = speech.amount(table.minimum_premium)
        yield speech.say("insurance.minimum_premium", amount=amount)
    if table.maximum_premium:
        amount = speech.amount(table.maximum_premium)
        yield speech.say("insurance.maximum_premium", amount=amount)
    if table.premium_unit != 1:
        yield speech.say("insurance.premium_unit", amount=speech.amount(table.premium_unit))
    yield speech.say(f"insurance.rounding.{speech.money.rounding}")


def _fates(house: House, table: InsuranceTable, speech: Speech) -> Iterator[str]:
    by_kind: dict[str, list[Verdict]] = {}
    for verdict in (*house.machine.verdicts, Verdict.CLOSE):
        by_kind.setdefault(verdict.kind, []).append(verdict)
    meeting = [  # one name for all refaits, where their premiums fare alike
        verdict
        for verdicts in by_kind.values()
        for verdict in (
            verdicts if len({*map(table.usual_part, verdicts)}) > 1 else [verdicts[0].usual]
        )
        if not (table.lasts == "until-decided" and verdict.kind == "push")
    ]
    for part in sorted({*map(table.usual_part, meeting)}):
        fate = {NOUGHT: "kept", ONE: "returned"}.get(part, "returned_part")
        moments = [speech.verdict(v) for v in meeting if table.usual_part(v) == part]
        share = {} if part in (0, 1) else {"share": speech.share(part)}
        yield speech.say(f"insurance.{fate}", moments=speech.any_of(moments), **share)
    yield speech.say("insurance.void")
