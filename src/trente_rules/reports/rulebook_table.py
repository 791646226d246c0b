"""The shoe, void coups and the calls of the croupier in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trente_rules.core.cards import Card
from trente_rules.core.coup import LAST_OPEN_TOTAL, POINTS, Coup, Row
from trente_rules.core.house.house import House
from trente_rules.core.machine import COURSE_CALLS, StakeMachine
from trente_rules.core.rules.announcements import (
    Call,
    bets_closed_calls,
    bets_open_calls,
    calls_of,
    coup_calls,
    opening_calls,
    talon_calls,
)
from trente_rules.core.shoe import LEAST_CARDS, LEAST_COUP, Marker
from trente_rules.reports.document import Items, Part
from trente_rules.reports.sentences import Speech


def shoe_blocks(house: House, speech: Speech) -> Iterator[Part]:
    """Describe the cut, the burn, the marker and the end of the shoe."""
    shoe, say = house.shoe, speech.say
    if shoe.every_coup:
        yield Items((say("shoe.every_coup"), say(f"shoe.exposed_card.{shoe.exposed_card}")))
        return
    lines = [say(f"shoe.cut_by.{shoe.cut_by}")]
    if shoe.cut == "after-bets":
        lines[0] += f" {say('shoe.cut_after_bets')}"
    if shoe.burn == "first-card":
        seen = "shoe.burn_first_shown" if shoe.burn_shown else "shoe.burn_first_unseen"
        lines.append(f"{say('shoe.burn_first')} {say(seen)}")
    elif shoe.burn:
        seen = "shoe.burn_shown" if shoe.burn_shown else "shoe.burn_unseen"
        lines.append(f"{say('shoe.burn', number=shoe.burn)} {say(seen, number=shoe.burn)}")
    else:
        lines.append(say("shoe.no_burn"))
    if shoe.ends == "no-coup":
        lines.append(say("shoe.no_coup", cards=LEAST_CARDS, points=LEAST_COUP))
    elif shoe.marker is None:
        lines.append(say("shoe.no_marker"))
    else:
        lines += _marker(shoe.marker, speech)
        lines.append(say("shoe.talon_counted" if shoe.count_talon else "shoe.talon_not_counted"))
    lines.append(say(f"shoe.exposed_card.{shoe.exposed_card}"))
    if house.machine.prisons:
        lines.append(say(f"shoe.prisoners_at_end.{shoe.prisoners_at_end}"))
    yield Items(lines)


def _marker(marker: Marker, speech: Speech) -> Iterator[str]:
    low, high = marker.bounds
    key = f"shoe.marker.{marker.placed_by}"
    if low == high:
        yield speech.say(key, number=low)
    else:
        yield speech.say(f"{key}_between", low=low, high=high)
    yield speech.say(f"shoe.on_marker.{marker.on_marker}")


def void_blocks(house: House, speech: Speech) -> Iterator[Part]:
    """Describe void coups, and how errors are corrected."""
    say = speech.say
    lines = [say("voids.restored")]
    if house.machine.prisons:
        lines.append(say("voids.prisoners"))
    if house.insurance_table is not None:
        lines.append(say("voids.premium"))
    if not house.shoe.every_coup:
        lines.append(say("voids.too_few_cards"))
    yield Items((*lines, say("voids.errors")))


def call_blocks(house: House, speech: Speech) -> Iterator[Part]:
    """Describe the calls, each with its moment: examples of coups, and all that is called else.

    What the host has said beyond the coups (``je_vais_a_la_banque``, ``ajouter_a_la_banque``) is
    left out: no rule says when.
    """
    moments = [
        speech.say(f"calls.{moment}", calls=said)
        for moment, calls in _moments(house)
        if (said := _said(house, calls, speech))
    ]
    if moments:
        yield speech.say("calls.what")
        yield Items(moments)
    examples = tuple(_examples(house, speech))
    if examples:
        yield speech.say("calls.examples")
        yield Items(examples)


def _moments(house: House) -> Iterator[tuple[str, tuple[Call, ...]]]:
    """Return the calls outside the rows by their moments, in the order of a taille."""
    words, shoe = house.words, house.shoe
    opening = [("open", bets_open_calls(words)), ("close", bets_closed_calls(words))]
    cut = [("cut", calls_of(words, "cut"))]
    # Where the first card says how many are burned, a ten does so in the example.
    cut.append(("burn", opening_calls(words, shoe.burn_bounds[1], cut=False)))
    if not shoe.every_coup:
        opening = opening + cut if shoe.cut == "after-bets" else cut + opening
    yield from opening
    phrases = course_phrases(house.machine)
    for phrase in COURSE_CALLS:
        if phrase in phrases:
            yield phrase, calls_of(words, phrase)
    others = [phrase for phrase in phrases if phrase not in COURSE_CALLS]
    yield "other", tuple(call for phrase in others for call in calls_of(words, phrase))
    yield "carte_brulee", calls_of(words, "carte_brulee")
    yield "coup_annule", calls_of(words, "coup_annule")
    if shoe.finishes:
        yield "dernier_coup", calls_of(words, "dernier_coup")
    if shoe.count_talon:
        yield "talon", talon_calls(words, shoe.marker_bounds[1])
    if not shoe.every_coup:
        yield "les_cartes_passent", calls_of(words, "les_cartes_passent")


def course_phrases(machine: StakeMachine) -> tuple[str, ...]:
    """Return the phrases that the courses of a machine have the croupier say, each once."""
    said = dict.fromkeys(
        course.call
        for state in machine.states
        for _verdict, courses in machine.occurring(state)
        for course in courses
    )
    return tuple(phrase for phrase in said if phrase)


def _examples(house: House, speech: Speech) -> Iterator[str]:
    """Yield the calls of example coups: each result with a first card of either colour, and ties.

    Where the colour of the first cards changes nothing, it is not named.
    """
    losing = house.losing_ties
    special = dict.fromkeys(
        verdict for chance in house.chances if chance.simple for verdict in chance.possible()
    )
    shown = [verdict.point for verdict in special if verdict.point is not None]
    ordinary = [point for point in losing if point not in shown]
    tie = next((point for point in (38, *POINTS) if point not in losing), None)
    points = [(34, 40), (39, 32), *((point, point) for point in (*ordinary[:1], *sorted(shown)))]
    if tie is not None:
        points.append((tie, tie))
    for first, second in points:
        said = {}
        for suit in ("♠", "♥"):
            coup = Coup(_row(first, suit), _row(second, suit))
            verdicts = {chance.id: chance.verdict(coup) for chance in house.chances}
            calls = coup_calls(
                house.announcements, house.words, coup, house.deal.first_colour, verdicts
            )
            said[suit] = _said(house, calls, speech)
        values = {"first": first, "second": second}
        if said["♠"] == said["♥"]:
            if said["♠"]:
                yield speech.say("calls.example", **values, calls=said["♠"])
            continue
        for suit, colour in (("♠", "black"), ("♥", "red")):
            yield speech.say(f"calls.example_{colour}", **values, calls=said[suit])


def _row(point: int, suit: str) -> Row:
    ten = Card(10, suit)
    return Row((ten, ten, ten, Card(point - LAST_OPEN_TOTAL, "♣")))


def _said(house: House, calls: Iterable[Call], speech: Speech) -> str:
    return ", ".join(speech.quoted(house.words.say(call)) for call in calls)
