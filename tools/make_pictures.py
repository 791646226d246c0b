"""Make docs/images/*.svg: the tableau, two coups, a taille, a score card, the machine of a stake.

    python tools/make_pictures.py

All of it comes from the library: the cards are dealt and judged by it, a machine is that of a
shipped house. With ``--check`` nothing is written, and the exit status is 1 where a picture that is
stored is not what is made.
"""

# ruff: noqa: INP001 - a script

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Final

from made_file import write_or_check
from picture import Picture

from trente_rules import Card, Coup, Course, House, Table, Verdict, load_house
from trente_rules.core.cards import Colour
from trente_rules.core.coup import Row
from trente_rules.core.machine import FREE
from trente_rules.fair import SeededShuffler
from trente_rules.records.scorecard import ScoreCard, lines_of_events
from trente_rules.records.scorecard_drawing import cards_svg
from trente_rules.table import (
    Burn,
    Burned,
    CloseBets,
    CoupDealt,
    CoupVoided,
    Cut,
    Deal,
    Event,
    MarkerPlaced,
    OpenBets,
    OpenShoe,
    PlaceMarker,
    Settle,
)

ROOT: Final = Path(__file__).parents[1]
PLACE: Final = ROOT / "docs" / "images"
SEED: Final = bytes(15) + bytes([20])
"""The shoe of the pictures of a taille."""
SUIT_NAMES: Final = {"♠": "spades", "♥": "hearts", "♦": "diamonds", "♣": "clubs"}
SHAPES: Final = dict(
    re.findall(
        r'^  (\w+): "(M[^"]+)",$',
        (ROOT / "src/trente_rules/service/web/cards.js").read_text("utf-8"),
        re.MULTILINE,
    )
)
"""The four suits as the web table draws them, each in a square of 100."""


# --- the tableau -----------------------------------------------------------------------------


def tableau() -> str:
    """Return the cloth with the four chances where they lie, a stake and a prisoner on it."""
    drawing = Picture(
        560,
        "The tableau",
        "One half of a table. From left to right: rouge, a large red diamond; couleur, a square, "
        "above inverse, a triangle; noir, a large black diamond. A stake lies on rouge, and a "
        "stake in prison on the line of inverse.",
    )
    drawing.box(16, 16, 528, 262, "cloth", 12)
    drawing.path("M192 16V278M368 16V278M192 147H368", "seam")
    for x, chance, row in ((104, "rouge", "second"), (456, "noir", "first")):
        drawing.text(x, 46, chance.upper(), "chalk", size=17, anchor="middle", bold=True)
        drawing.path(f"M{x} 60 {x + 46} 128 {x} 196 {x - 46} 128Z", chance)
        drawing.text(x, 226, f"wins when the {row}", "chalk", size=13, anchor="middle")
        drawing.text(x, 244, f"row, {chance}, is lower", "chalk", size=13, anchor="middle")
    drawing.text(280, 40, "COULEUR", "chalk", size=15, anchor="middle", bold=True)
    drawing.path("M258 50H302L258 94Z", "rouge")
    drawing.path("M302 50V94H258Z", "noir")
    drawing.text(280, 116, "wins when the first card", "chalk", size=12, anchor="middle")
    drawing.text(280, 132, "has the winner's colour", "chalk", size=12, anchor="middle")
    drawing.path("M200 152H360L280 272Z", "seam")
    drawing.text(280, 174, "INVERSE", "chalk", size=15, anchor="middle", bold=True)
    drawing.text(280, 194, "wins when it", "chalk", size=12, anchor="middle")
    drawing.text(280, 210, "does not", "chalk", size=12, anchor="middle")
    drawing.circle(104, 128, 19, "chip")
    drawing.text(104, 133, "10", "chalk", size=14, anchor="middle", bold=True)
    drawing.circle(280, 278, 19, "held")
    drawing.text(280, 283, "10", "chalk", size=14, anchor="middle", bold=True)
    drawing.circle(34, 322, 11, "chip")
    drawing.text(54, 327, "a stake of 10 on rouge", size=13)
    drawing.circle(280, 322, 11, "held")
    drawing.text(300, 327, "a stake of 10 on inverse, in prison", size=13)
    return drawing.svg(346)


# --- a coup ----------------------------------------------------------------------------------

CARD: Final = (58.0, 78.0)
"""The width and height of a card."""
GAP: Final = 8.0


def card(drawing: Picture, x: float, y: float, drawn: Card) -> None:
    """Draw a card: its rank and its suit."""
    width, height = CARD
    colour = "red" if drawn.colour is Colour.ROUGE else "black"
    drawing.box(x, y, width, height, "paper", 5)
    rank = str(drawn).rstrip("♠♥♦♣")
    drawing.text(x + width / 2, y + 34, rank, colour, size=26, anchor="middle", bold=True)
    place = f"translate({x + width / 2 - 14:g} {y + 42:g}) scale(0.28)"
    drawing.path(SHAPES[SUIT_NAMES[drawn.suit]], colour, place)


def verdicts(house: House, coup: Coup) -> dict[str, Verdict]:
    """Return what a coup does to each simple chance."""
    return {
        chance.id: chance.verdicts[chance.table[coup.outcome]] for chance in house.simple_chances
    }


WORDS: Final = {"win": "wins", "lose": "loses", "apres": "après", "refait": "refait"}


def coup(house: House, cards: str, title: str) -> str:
    """Return the picture of a coup: two rows with their totals, and what each chance does."""
    dealt = Coup.parse(cards)
    decided = verdicts(house, dealt)
    rows = dict(zip((house.deal.first_row, "rouge"), dealt.rows, strict=True))
    points = " and ".join(f"{name} {row.point}" for name, row in rows.items())
    results = ", ".join(f"{chance} {WORDS[v.id]}" for chance, v in decided.items())
    drawing = Picture(420, title, f"Two rows of cards: {points}. {results}.")
    drawing.box(10, 10, 400, 246, "cloth", 10)
    for place, (name, row) in enumerate(rows.items()):
        draw_row(drawing, 22 + place * 116, name, row, won=decided[name].kind == "win")
    says = "Both rows have the same point: no chance wins."
    if dealt.first.point != dealt.second.point:
        colour = "red" if dealt.first.cards[0].colour is Colour.ROUGE else "black"
        says = f"The first card is {colour}: it decides couleur."
        drawing.path(f"M104 18h{CARD[0] + 8:g}v{CARD[1] + 8:g}h{-CARD[0] - 8:g}Z", "seam")
    drawing.text(20, 278, says, size=13)
    for place, (chance, verdict) in enumerate(decided.items()):
        x = 10 + place * 102
        good = {"win": "good", "lose": "bad", "tie": "wait"}.get(verdict.kind, "soft")
        drawing.box(x, 292, 94, 44, "box", 6)
        drawing.text(x + 47, 311, chance, "ink", size=14, anchor="middle")
        word = WORDS[verdict.id]
        drawing.text(x + 47, 328, word, good, size=14, anchor="middle", bold=True)
    return drawing.svg(350)


def draw_row(drawing: Picture, top: float, name: str, row: Row, *, won: bool) -> None:
    """Draw a row: its name and point, its cards, the running total under each."""
    drawing.text(22, top + 26, name.upper(), "chalk", size=14, bold=True)
    drawing.text(22, top + 58, str(row.point), "lit" if won else "chalk", size=30, bold=True)
    if won:
        drawing.text(22, top + 80, "wins", "lit", size=14)
    for place, (drawn, total) in enumerate(zip(row.cards, row.totals(), strict=True)):
        x = 108 + place * (CARD[0] + GAP)
        card(drawing, x, top, drawn)
        drawing.text(x + CARD[0] / 2, top + 97, str(total), "chalk", size=14, anchor="middle")


# --- a taille --------------------------------------------------------------------------------


def play_taille(house: House, marker: int | None = None) -> Iterator[Event]:
    """Yield the events of a whole taille on which nobody bets."""
    table = Table(house, opening=house.lowest_opening())
    yield from table.do(OpenShoe.shuffled("shoe", house.shoe.packs, SeededShuffler(SEED)))
    number = 0
    while True:
        number += 1
        name, allowed = str(number), table.allowed()
        if "cut" in allowed:
            yield from table.do(Cut(id=name, place=150, by=house.shoe.cut_by))
        elif "burn" in allowed:
            yield from table.do(Burn(id=name))
        elif "place-marker" in allowed and house.shoe.marker:
            hand = house.shoe.marker.placed_by
            yield from table.do(PlaceMarker(id=name, from_end=marker, by=hand))
        elif "open-bets" in allowed:
            yield from table.do(OpenBets(id=name))
        elif "close-bets" in allowed:
            yield from table.do(CloseBets(id=name))
        elif "deal" in allowed:
            yield from table.do(Deal(id=name))
        elif "settle" in allowed:
            yield from table.do(Settle(id=name))
        else:
            return


def taille() -> str:
    """Return two tailles as strips of cards: burned cards, coups, the marker, the talon."""
    drawing = Picture(
        480,
        "Two tailles",
        "Two strips of 312 cards. In France the coups follow one another up to the marker before "
        "the last five cards, and the coup in which it appears is void. In the rules of an Italian "
        "program five cards are burned first, a player puts the marker in, and the coup in which "
        "it appears is the last one.",
    )
    houses = (("france-2007", None), ("italian-program", 30))
    for place, (name, marker) in enumerate(houses):
        house = load_house(name)
        draw_taille(drawing, 20 + place * 132, house, tuple(play_taille(house, marker)))
    x = 18.0
    legend = (("talon", "burned; left over"), ("even", "a coup"), ("void", "void"))
    for of, words in (*legend, ("marker", "the marker")):
        drawing.box(x, 286, 14, 14, of, 2)
        drawing.text(x + 20, 298, words, size=13)
        x += 34 + 7.8 * len(words)
    return drawing.svg(316)


def draw_taille(drawing: Picture, top: float, house: House, events: Sequence[Event]) -> None:
    """Draw one strip, a card two pixels wide less a little, and the words for it."""
    cards = house.shoe.packs * 52
    scale = 444 / cards
    left = 18.0
    drawing.text(left, top + 14, house.title, bold=True)
    at = 0

    def strip(count: int, of: str) -> None:
        nonlocal at
        drawing.box(left + at * scale, top + 44, count * scale, 34, of, 0)
        at += count

    dealt = [event for event in events if isinstance(event, CoupDealt)]
    burned = sum(event.count for event in events if isinstance(event, Burned))
    if burned:
        strip(burned, "talon")
    middle = 0.0
    for event in dealt:
        middle = left + (at + len(event.coup.cards) / 2) * scale
        if event.number == 1 or event.number % 5 == 0:
            drawing.text(middle, top + 39, str(event.number), "soft", size=13, anchor="middle")
        strip(len(event.coup.cards), "even" if event.number % 2 == 0 else "odd")
    behind = next(event.from_end for event in events if isinstance(event, MarkerPlaced))
    void = any(isinstance(event, CoupVoided) for event in events)
    if void:
        strip(cards - behind - at, "void")
    strip(cards - at, "talon")
    marker = left + (cards - behind) * scale
    drawing.box(marker - 2, top + 38, 4, 46, "marker", 1)
    says = f"marker {behind} cards from the end: "
    says += "it voids its coup" if void else "its coup is the last"
    drawing.text(left + 444, top + 102, f"{len(dealt)} coups; {says}", anchor="end", size=13)
    if burned:
        drawing.text(left + 444, top + 14, f"{burned} burned", anchor="end", size=13)


def score_card() -> str:
    """Return the score card of the French taille of the other picture, as the product draws it."""
    house = load_house("france-2007")
    lines = lines_of_events(play_taille(house))
    chances = [chance.id for chance in house.simple_chances]
    return cards_svg([ScoreCard.of(f"{house.name}, taille 1", lines, chances)])


# --- the machine of a stake ------------------------------------------------------------------

LINE: Final = 24.0
WIDE: Final = 440.0
"""The height of a line of a machine, and the width of a state."""
HAPPENS: Final = {"win": "win", "lose": "loss", "apres": "après", "refait": "refait"}


def state_name(state: str) -> str:
    """Return the heading of a state."""
    return "FREE: where every stake begins" if state == FREE else state.replace("-", " ").upper()


def share(part: Fraction, whole: str) -> str:
    """Return a share of what the stake is worth."""
    return whole if part == 1 else f"{part} of it"


def course_parts(state: str, verdict: Verdict, course: Course) -> Iterator[tuple[str, str]]:
    """Yield what a course does in words, each with its colour."""
    if state == FREE and verdict.kind == "win":
        yield "the stake back, and the win", "good"
        return
    if course.returned:
        paid = f", paid {course.pays}" if course.pays else ""
        if state != FREE and verdict.kind == "win" and not course.pays:
            paid = ", without a win"
        yield f"{share(course.returned, 'all of it')} back{paid}", "good"
    if course.staying:
        worth = "" if course.staying == 1 else f", worth {course.staying} of it"
        where = "stays here" if course.state == state else f"to {course.state.replace('-', ' ')}"
        yield f"{where}{worth}", "wait"
    if course.forfeited:
        yield f"{share(course.forfeited, 'all of it')} lost", "bad"


def machine(house: House, title: str) -> str:
    """Return the machine of a house: what each verdict does in each state, and where it leads."""
    table = house.machine
    states = ", ".join(table.states)
    drawing = Picture(520, f"The machine of a stake: {house.name}", f"{title} States: {states}.")
    drawing.text(20, 30, f"{house.name}: {title}", bold=True, size=15)
    tops: dict[str, float] = {}
    ways: list[tuple[float, str]] = []
    y = 46.0
    for state in table.states:
        tops[state] = y
        lines = list(state_lines(house, state))
        drawing.box(20, y, WIDE, LINE * (len(lines) + 1) + 12, "box", 6)
        drawing.box(20, y, WIDE, LINE + 4, "head", 6)
        drawing.text(32, y + 19, state_name(state), bold=True)
        y += LINE + 4
        for happens, name, parts, leads in lines:
            y += LINE
            drawing.text(32, y - 4, happens, "ink", size=13, bold=True)
            x = 120.0
            if name:
                drawing.text(x, y - 4, name, "ink", size=13)
                x += 8.0 * len(name) + 10
            for words, of in parts:
                drawing.text(x, y - 4, words, of, size=13)
                x += 7.8 * len(words) + 14
            if leads:
                ways.append((y - 9, leads))
        y += 8 + 28
    for lane, (start, state) in enumerate(ways):
        end, x = tops[state] + 14, 476 + 14 * lane
        drawing.path(f"M{20 + WIDE:g} {start:g}H{x:g}V{end:g}H{20 + WIDE + 9:g}", "way")
        tip = 20 + WIDE + 1
        drawing.path(f"M{tip:g} {end:g}l10 -5v10Z", "tip")
    drawing.text(
        20, y - 6, "Shares are of what the stake is worth at that moment.", "soft", size=13
    )
    return drawing.svg(y + 8)


StateLine = tuple[str, str, list[tuple[str, str]], str]
"""What happens, the name of a course that is chosen, what it does, and where it leads."""


def state_lines(house: House, state: str) -> Iterator[StateLine]:
    """Yield the lines of a state: one for each verdict, several where the player chooses."""
    table = house.machine
    answers = [*table.occurring(state), (Verdict.CLOSE, table.courses(state, Verdict.CLOSE))]
    for verdict, courses in answers:
        happens = HAPPENS.get(verdict.id, "closing" if verdict.kind == "close" else verdict.id)
        for place, course in enumerate(courses):
            name = f"{course.name}:" if len(courses) > 1 else ""
            parts = list(course_parts(state, verdict, course))
            leads = course.state if course.state != state else ""
            yield "" if place else happens, name, parts, leads


# --- all of them -----------------------------------------------------------------------------

MACHINES: Final = {
    "italy-half-loss": "a refait takes half",
    "monte-carlo-1911": "one prison, or half back",
    "italy-prison": "two prisons, or part back",
}
"""The houses whose machine is drawn, and what they have of their own."""


def pictures() -> Iterator[tuple[str, str]]:
    """Yield each picture with the name of its file."""
    france = load_house("france-2007")
    yield "tableau", tableau()
    yield "coup", coup(france, "4♥ 10♠ J♦ 9♣ / 8♠ 7♦ Q♣ 6♥", "A coup that rouge and couleur win")
    yield "refait", coup(france, "K♠ 10♥ 10♦ A♠ / Q♥ 8♠ 7♦ 6♣", "A refait: both rows end on 31")
    yield "taille", taille()
    yield "score-card", score_card()
    for name, title in MACHINES.items():
        yield f"machine-{name}", machine(load_house(name), title)


def files() -> Iterator[tuple[Path, str]]:
    """Yield each picture with its file."""
    yield from ((PLACE / f"{name}.svg", svg) for name, svg in pictures())


if __name__ == "__main__":
    sys.exit(write_or_check(__doc__, files))
