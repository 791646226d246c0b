"""The windows of the table: calls, rows, outcome, earlier coups, and the bars to click."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from attrs import frozen
from rich.console import Console
from rich.style import Style
from rich.text import Text
from textual import events
from textual.widgets import Static

from trente_rules.core.cards import Card, Colour
from trente_rules.core.coup import LAST_OPEN_TOTAL
from trente_rules.core.house.house import House
from trente_rules.core.rules.announcements import Language
from trente_rules.core.stakes import Line
from trente_rules.play.chips import amount_text
from trente_rules.play.views import CoupView, Texts, said
from trente_rules.reports.names import chance_names
from trente_rules.table.events import Announced

# Colours that the colour-blind can distinguish; a letter or a sign repeats what a colour says.
ROUGE: Final = Style(color="#c43e00", bgcolor="#f5f1e6", bold=True)
NOIR: Final = Style(color="#101010", bgcolor="#f5f1e6", bold=True)
FACES: Final = {Colour.ROUGE: ROUGE, Colour.NOIR: NOIR}
BOLD: Final = Style(bold=True)
DIM: Final = Style(color="#a8b0b8")
GOOD: Final = Style(color="#56b4e9", bold=True)
BAD: Final = Style(color="#e69f00", bold=True)
KEY: Final = Style(color="#ffa62b", bold=True)
_EDGE: Final = Style(color="#8d8778", bgcolor="#f5f1e6")
PICTURE: Final = 5
"""The columns, and the lines, of a card that is drawn as a picture."""
_LEAST_STEP: Final = 3
"""The columns that are seen of a card with another one on it."""


def cards_text(cards: Sequence[Card], width: int, indent: int) -> Text:
    """Return cards in a row, close together where that saves a line; further lines indented."""
    close = sum(len(str(card)) + 3 for card in cards) > width
    text, used = Text(), 0
    for card in cards:
        face = str(card) if close else f" {card} "
        if used and used + len(face) > width:
            text.append("\n" + " " * indent)
            used = 0
        text.append(face, FACES[card.colour])
        text.append(" ")
        used += len(face) + 1
    return text


def pictures_text(cards: Sequence[Card], width: int) -> list[Text] | None:
    """Return cards as pictures in a row, one text a line; None where they do not fit.

    They overlap where that is needed: the corner of each is seen.
    """
    steps = range(PICTURE + 1, _LEAST_STEP - 1, -1)
    span = max(len(cards) - 1, 0)
    step = next((step for step in steps if span * step + PICTURE <= width), None)
    if step is None:
        return None
    lines = [Text() for _line in range(PICTURE)]
    for place, card in enumerate(cards):
        rank, suit = str(card)[:-1], str(card)[-1]
        inner = f"{rank:<3}", f" {suit} ", f"{rank:>3}"
        drawn = ("╭───╮", *(f"│{part}│" for part in inner), "╰───╯")
        last = place == len(cards) - 1
        for number, (line, text) in enumerate(zip(lines, drawn, strict=True)):
            shown = text if last or step > PICTURE else text[:step]
            edge = number in (0, PICTURE - 1)
            for sign in shown:
                line.append(sign, _EDGE if edge or sign == "│" else FACES[card.colour])
            if step > PICTURE and not last:
                line.append(" ")
    return lines


BETWEEN: Final = " · "
_ROW_HEAD: Final = len("ROUGE  33 ● ")


class TextPart(Static):
    """A window that shows a text; without ``grows`` its height does not depend on the text."""

    grows = True
    shown: Text | None = None

    @property
    def plain(self) -> str:
        """The text that is shown, without its style."""
        return self.shown.plain if self.shown else ""

    def show(self, text: Text) -> None:
        """Show a text."""
        if text != self.shown:
            self.shown = text
            # A new layout costs more than the drawing: only where the height may change.
            self.update(text, layout=self.grows)


class Fitted(TextPart):
    """A window that shows as much as it has room for, and is drawn again when its size changes."""

    grows = False

    def on_resize(self) -> None:
        """Draw again for the new size."""
        self.redraw()

    def redraw(self) -> None:
        """Draw what was shown last."""
        raise NotImplementedError  # pragma: no cover - each window has its own


@frozen
class Zone:
    """A part of a line that can be clicked: from a column to another, and what a click does."""

    start: int
    end: int
    action: str


class ZonesPart(TextPart):
    """A line of words that can be clicked, each with its own action of the app."""

    grows = False
    zones: Sequence[Zone] = ()

    async def on_click(self, event: events.Click) -> None:
        """Do the action of the word that was clicked."""
        at = event.get_content_offset(self)
        for zone in self.zones:
            if at is not None and zone.start <= at.x < zone.end:
                await self.app.run_action(zone.action)


class CallsWindow(Fitted):
    """The calls of the croupier, and the same in another language below them."""

    calls: tuple[str, ...] = ()
    other: tuple[str, ...] = ()

    def say(self, calls: Sequence[Announced], words: Language, other: Language | None) -> None:
        """Show calls in their order; the oldest are left out where room is short."""
        self.calls = tuple(said(words, call) for call in calls)
        self.other = tuple(filter(None, (said(other, call) for call in calls))) if other else ()
        self.redraw()

    def redraw(self) -> None:
        """Draw the calls that fit."""
        width, height = max(self.content_size.width, 20), max(self.content_size.height, 2)
        lines = height // 2 if self.other else height
        shown = Text().append(_tail(self.calls, lines, width), BOLD)
        if self.other:
            shown.append(f"\n{_tail(self.other, height - lines, width)}", DIM)
        self.show(shown)


def _tail(calls: Sequence[str], lines: int, width: int) -> str:
    """Return the last calls that fit into ``lines`` lines; words are never split."""
    for start in range(len(calls)):
        text = ("… " if start else "") + BETWEEN.join(calls[start:])
        wrapped = Text(text).wrap(_console(), width)
        if len(wrapped) <= lines or start == len(calls) - 1:
            return text
    return ""


@cache
def _console() -> Console:
    return Console()


class RowsWindow(Fitted):
    """Both rows with their cards and points; its height follows the longest row."""

    grows = True
    rows: tuple[tuple[Colour, Sequence[Card]], ...] = ()
    highest = False
    pictures = False

    def deal(self, coup: CoupView | None, house: House, *, pictures: bool = False) -> None:
        """Show the cards of a coup, as pictures where there is room; two empty rows without one."""
        self.rows = (coup or CoupView(0)).rows(house)
        self.highest = house.deal.wins == "highest"
        self.pictures = pictures
        self.redraw()

    def redraw(self) -> None:
        """Draw both rows."""
        self.show(self.text(self.content_size.width))

    def text(self, width: int) -> Text:
        """Return both rows, in as few lines as fit into a width."""
        text = Text()
        room = max(width - _ROW_HEAD, 20)
        totals = [sum(card.points for card in cards) for _colour, cards in self.rows]
        done = min(totals, default=0) > LAST_OPEN_TOTAL and len(set(totals)) > 1
        winner = max(totals) if done and self.highest else min(totals, default=0)
        between = "\n\n" if self.pictures else "\n"
        for index, ((colour, cards), total) in enumerate(zip(self.rows, totals, strict=True)):
            point = f"{total}{'' if total > LAST_OPEN_TOTAL else '…'}" if cards else "–"
            head = Text(f"{colour.id.upper():<6}{point:>3} ", BOLD)
            head.append("● " if done and total == winner else "  ", GOOD)
            drawn = pictures_text(cards, room) if self.pictures else None
            text.append(between if index else "")
            if drawn is None:
                text.append_text(head).append_text(cards_text(cards, room, _ROW_HEAD))
                text.append("\n" * (PICTURE - 1) if self.pictures else "")
                continue
            for number, line in enumerate(drawn):
                start = head if number == PICTURE // 2 else Text(" " * head.cell_len)
                text.append("\n" if number else "").append_text(start).append_text(line)
        return text


def outcome_text(coup: CoupView | None, house: House, texts: Texts, width: int = 0) -> Text:
    """Return in one line the result of a coup, and what the player won or lost by it.

    The latter begins at a column where ``width`` is given and the former is shorter.
    """
    if coup is None:
        return Text("")
    text = Text().append(f"{texts('outcome.coup', number=coup.number)} ", BOLD)
    if coup.void:
        return text.append(texts("outcome.void", reason=coup.void), BAD)
    simple = {chance: verdict for chance, verdict in coup.verdicts if chance in house.deal.chances}
    kinds = {verdict.kind for verdict in simple.values()}
    if not coup.coup:
        text.append(texts("outcome.turning"))
    elif "tie" in kinds:
        ties = {texts.verdict(verdict) for verdict in simple.values() if verdict.kind == "tie"}
        text.append(" / ".join(sorted(ties)), BAD)
    elif "push" in kinds:
        text.append(texts("outcome.apres" if coup.net else "outcome.apres_alone"))
    else:
        names = chance_names(house, texts.language)
        winners = [names[chance] for chance, verdict in simple.items() if verdict.kind == "win"]
        chances = f" {texts('outcome.and')} ".join(winners)
        text.append(texts("outcome.win", number=len(winners), chances=chances))
    if coup.last:
        text.append(f", {texts('outcome.last')}")
    if coup.net is not None and coup.lines:
        amount = f"{'+' if coup.net > 0 else ''}{amount_text(house, coup.net, texts.language)}"
        style = GOOD if coup.net > 0 else BAD if coup.net < 0 else BOLD
        text.append(" " * max(width - text.cell_len, 3))
        text.append(texts("outcome.net", amount=amount), style)
    return text


def moves_text(line: Line, house: House, texts: Texts) -> str:
    """Return what moves by a settlement of one stake, in amounts."""
    parts = [
        texts(
            f"moves.{part}",
            amount=amount_text(house, getattr(line, part), texts.language),
            state=state,
        )
        for state in (texts.state(line.after.state) if line.after else "",)
        for part in _MOVES
        if getattr(line, part)
    ]
    return ", ".join(parts) or texts("moves.none")


_MOVES: Final = (
    *("won", "returned", "forfeited", "staying"),
    *("premium_kept", "premium_returned"),
)
"""The parts of a settled stake that a player reads, in their order."""


def course_text(line: Line, texts: Texts) -> str:
    """Return what a course is called in a choice: ``half back`` where it is just that."""
    halved = 2 * line.returned == line.stake.standing and line.after is None and not line.won
    return texts("choice.half") if halved else texts.course(line.course)


def line_text(line: Line, house: House, texts: Texts) -> str:
    """Return in one line what happened to one stake."""
    amount = amount_text(house, line.stake.amount, texts.language)
    stake = f"{texts.chance(house, line.stake.chance)} {amount}"
    moves = moves_text(line, house, texts)
    return f"{stake} {texts.verdict(line.verdict)}, {texts.course(line.course)}: {moves}"


_OUTCOME: Final = 40
"""The columns of a result in a list, before what the player won or lost."""


class HistoryWindow(Fitted):
    """The coups before the last one, the latest first: for a wide table."""

    coups: Sequence[CoupView] = ()
    _words: tuple[House, Texts] | None = None

    def list_coups(self, coups: Sequence[CoupView], house: House, texts: Texts) -> None:
        """Show as many coups as fit."""
        self.coups = [coup for coup in coups if coup.begun][-2::-1]
        self._words = house, texts
        self.redraw()

    def redraw(self) -> None:
        """Draw the coups that fit."""
        if self._words is None:
            return
        house, texts = self._words
        coups = self.coups[: self.content_size.height]
        lines = (outcome_text(coup, house, texts, _OUTCOME) for coup in coups)
        self.show(Text("\n").join(lines))


class NextBar(TextPart):
    """The bar that says what the next key does; a click does it."""

    grows = False

    async def on_click(self) -> None:
        """Do what comes next."""
        await self.app.run_action("next")


@frozen
class FootKey:
    """A key at the foot of the screen: how it is written, what it does, and in one word."""

    key: str
    action: str
    word: str


class FootBar(ZonesPart):
    """The keys that matter now, as many as fit; the last two, help and leave, always."""

    keys: Sequence[FootKey] = ()

    def offer(self, keys: Sequence[FootKey]) -> None:
        """Show keys in the order of their weight."""
        self.keys = keys
        self.redraw()

    def on_resize(self) -> None:
        """Draw again for the new size."""
        self.redraw()

    def redraw(self) -> None:
        """Draw the keys that fit."""
        *first, help_, leave = self.keys or (FootKey("", "", ""),) * 2
        room = self.content_size.width - _width(help_) - _width(leave)
        shown: list[FootKey] = []
        for key in first:
            if _width(key) <= room:
                shown.append(key)
                room -= _width(key)
        text, zones = Text(), []
        for key in (*shown, help_, leave):
            start = text.cell_len
            text.append(f" {key.key}", KEY).append(f" {key.word} ")
            zones.append(Zone(start, text.cell_len, key.action))
        text.right_crop(1)
        self.zones = zones
        self.show(text)


def _width(key: FootKey) -> int:
    return len(key.key) + len(key.word) + 3


class Press(Static):
    """A word that does an action of its screen when it is clicked."""

    def __init__(self, text: str, action: str) -> None:
        """Show a word that does an action."""
        super().__init__(f" {text} ", markup=False)
        self._action = action

    async def on_click(self) -> None:
        """Do the action."""
        await self.screen.run_action(self._action)
