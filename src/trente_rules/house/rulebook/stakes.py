"""What becomes of stakes, told from the built stake machine and the insurance table alone.

No rule is asked for its name: a custom machine and a stranger's rule are told as exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from trente_rules.house.house import House
from trente_rules.house.rulebook.book import Block, Items
from trente_rules.house.rulebook.speech import Speech, capital
from trente_rules.rules.chances import VERDICTS, Verdict
from trente_rules.rules.insurance import InsuranceTable
from trente_rules.rules.machine import FREE, Course, StakeMachine


def stake_blocks(house: House, speech: Speech) -> Iterator[Block]:
    """Tell every state, verdict and course of the stake machine."""
    machine = house.machine
    if machine.prisons:
        yield f"{speech.say('stakes.worth')} {speech.say('stakes.no_winnings')}"
    for state in machine.states:
        title = "stakes.free" if state == FREE else "stakes.imprisoned"
        yield speech.say(title, **({} if state == FREE else {"state": speech.state(state)}))
        yield Items(tuple(_answers(machine, state, speech)))


def _answers(machine: StakeMachine, state: str, speech: Speech) -> Iterator[str]:
    for verdict in VERDICTS:
        if verdict in machine.possible or verdict is Verdict.CLOSE:
            courses = machine.courses(state, verdict)
            told = _choice(state, verdict, courses, speech)
            yield speech.say("stakes.answer", verdict=capital(speech.verdict(verdict)), course=told)


def _choice(state: str, verdict: Verdict, courses: tuple[Course, ...], speech: Speech) -> str:
    if len(courses) == 1:
        return course_text(state, verdict, courses[0], speech)
    told = []
    for course in courses:
        line = speech.say(
            "stakes.default" if course.default else "stakes.other",
            name=speech.quoted(course.name),
            course=course_text(state, verdict, course, speech),
        )
        condition = course.not_below == "minimum"
        told.append(f"{line} {speech.say('stakes.not_below')}" if condition else line)
    return speech.say("stakes.choice", courses=speech.apart(told))


def course_text(state: str, verdict: Verdict, course: Course, speech: Speech) -> str:
    """Answer in words what a course does to a stake in a state."""
    if state == FREE and verdict is Verdict.WIN:
        return speech.say("course.won")
    if course.returned == 1:
        freed = "course.freed" if verdict is Verdict.WIN else "course.worth_back"
        return speech.say("course.back" if state == FREE else freed)
    parts = []
    if course.returned:
        parts.append(speech.say("course.part_back", share=speech.share(course.returned)))
    if course.staying:
        parts.append(_staying(state, course, speech))
    if not parts:
        return speech.say("course.lost")
    if course.forfeited and (course.returned or course.staying == 0):
        parts.append(speech.say("course.rest_lost", share=speech.share(course.forfeited)))
    return speech.all_of(parts)


def _staying(state: str, course: Course, speech: Speech) -> str:
    whole = "" if course.staying == 1 else "_worth"
    values: dict[str, str] = {} if course.staying == 1 else {"share": speech.share(course.staying)}
    if course.state == state:
        return speech.say(f"course.stays{whole}", **values)
    return speech.say(f"course.goes{whole}", state=speech.state(course.state), **values)


def insurance_blocks(house: House, speech: Speech) -> Iterator[Block]:
    """Tell what insurance costs and does, from the insurance table."""
    table = house.insurance_table
    if table is None:
        yield speech.say("insurance.none")
        return
    say = speech.say
    covered = [say("insurance.free") if s == FREE else speech.state(s) for s in table.covers]
    yield say("insurance.what", states=speech.all_of(covered))
    lines = [*_premium(table, speech)]
    if table.minimum_stake:
        lines.append(say("insurance.minimum_stake", amount=speech.amount(table.minimum_stake)))
    if table.multiple:
        lines.append(say("insurance.multiple", amount=speech.amount(table.multiple)))
    if not table.minimum_stake and not table.multiple:
        lines.append(say("insurance.any_stake"))
    if FREE in table.covers:
        lines.append(say("insurance.serves_free"))
    if set(table.covers) - {FREE}:
        lines.append(say("insurance.serves_prison"))
    lines += _fates(house, table, speech)
    lines.append(say("insurance.prepaid" if table.proof_needed else "insurance.not_prepaid"))
    if table.proof_needed:
        lines.append(say(f"insurance.without_proof.{table.without_proof}"))
    yield Items(tuple(lines))


def _premium(table: InsuranceTable, speech: Speech) -> Iterator[str]:
    if table.started:
        yield speech.say(
            "insurance.started",
            premium=speech.amount(Fraction(table.started) * table.rate),
            started=speech.amount(table.started),
        )
    else:
        yield speech.say("insurance.rate", rate=speech.percent(table.rate))
    if table.minimum_premium:
        amount = speech.amount(table.minimum_premium)
        yield speech.say("insurance.minimum_premium", amount=amount)
    yield speech.say(f"insurance.rounding.{speech.money.rounding}")


def _fates(house: House, table: InsuranceTable, speech: Speech) -> Iterator[str]:
    meeting = [v for v in VERDICTS if v in house.machine.possible or v is Verdict.CLOSE]
    for fate, kept in (("kept", True), ("returned", False)):
        moments = [speech.verdict(v) for v in meeting if (v in table.kept) is kept]
        if moments:
            yield speech.say(f"insurance.{fate}", moments=speech.any_of(moments))
    yield speech.say("insurance.void")
