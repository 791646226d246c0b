"""The windows of the table: calls, rows, outcome, score card, counts, chances, lesson."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any, ClassVar, Final

from rich.console import Console
from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import Static

from trente_rules.core.cards import Card, Colour
from trente_rules.core.coup import LAST_OPEN_TOTAL
from trente_rules.core.house.house import House
from trente_rules.core.rules.announcements import Language
from trente_rules.core.stakes import Line, Stake
from trente_rules.play.lesson import Lesson
from trente_rules.play.session import amount_text
from trente_rules.play.views import ChanceView, CountsView, CoupView, Texts, said
from trente_rules.records.scorecard import DOT, ScoreCard, boxes, heads, points_text
from trente_rules.reports.nominal import Scope
from trente_rules.table.events import Announced

# Colours that the colour-blind can distinguish; a letter or a sign repeats what a colour says.
ROUGE: Final = Style(color="#c43e00", bgcolor="#f5f1e6", bold=True)
NOIR: Final = Style(color="#101010", bgcolor="#f5f1e6", bold=True)
FACES: Final = {Colour.ROUGE: ROUGE, Colour.NOIR: NOIR}
BOLD: Final = Style(bold=True)
DIM: Final = Style(color="#a8b0b8")
GOOD: Final = Style(color="#56b4e9", bold=True)
BAD: Final = Style(color="#e69f00", bold=True)


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


BETWEEN: Final = " · "
_ROW_HEAD: Final = len("ROUGE  33 ● ")
_POINTS_ROOM: Final = len("  40 40 refait")


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

    def deal(self, coup: CoupView | None, house: House) -> None:
        """Show the cards of a coup; two empty rows without one."""
        self.rows = (coup or CoupView(0)).rows(house)
        self.highest = house.deal.wins == "highest"
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
        for index, ((colour, cards), total) in enumerate(zip(self.rows, totals, strict=True)):
            point = f"{total}{'' if total > LAST_OPEN_TOTAL else '…'}" if cards else "–"
            text.append("\n" if index else "")
            text.append(f"{colour.id.upper():<6}{point:>3} ", BOLD)
            text.append("● " if done and total == winner else "  ", GOOD)
            text.append_text(cards_text(cards, room, _ROW_HEAD))
        return text


def outcome_text(coup: CoupView | None, house: House, texts: Texts) -> Text:
    """Return in one line the result of a coup, and what the player won or lost by it."""
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
        winners = [chance for chance, verdict in simple.items() if verdict.kind == "win"]
        chances = f" {texts('outcome.and')} ".join(winners)
        text.append(texts("outcome.win", number=len(winners), chances=chances))
    if coup.last:
        text.append(f", {texts('outcome.last')}")
    if coup.net is not None and coup.lines:
        amount = f"{'+' if coup.net > 0 else ''}{amount_text(house, coup.net)}"
        style = GOOD if coup.net > 0 else BAD if coup.net < 0 else BOLD
        text.append(f"   {texts('outcome.net', amount=amount)}", style)
    return text


def moves_text(line: Line, house: House, texts: Texts) -> str:
    """Return what moves by a settlement of one stake, in amounts."""
    parts = [
        texts(f"moves.{part}", amount=amount_text(house, getattr(line, part)), state=state)
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


def line_text(line: Line, house: House, texts: Texts) -> str:
    """Return in one line what happened to one stake."""
    stake = f"{line.stake.chance} {amount_text(house, line.stake.amount)}"
    moves = moves_text(line, house, texts)
    return f"{stake} {texts.verdict(line.verdict)}, {line.course}: {moves}"


class HistoryWindow(Fitted):
    """The coups before the last one, the latest first: for a wide table."""

    coups: Sequence[CoupView] = ()
    _words: tuple[Any, ...] = ()

    def list_coups(self, coups: Sequence[CoupView], house: House, texts: Texts) -> None:
        """Show as many coups as fit."""
        self.coups = [coup for coup in coups if coup.begun][-2::-1]
        self._words = house, texts
        self.redraw()

    def redraw(self) -> None:
        """Draw the coups that fit."""
        coups = self.coups[: self.content_size.height]
        self.show(Text("\n").join(outcome_text(coup, *self._words) for coup in coups))


class Chart(Fitted):
    """The score card of the taille: as many coups as there is room for, the latest last."""

    card: ScoreCard | None = None
    points: bool = False

    def draw(self, card: ScoreCard, *, points: bool) -> None:
        """Draw the card in as many columns as fit, with points where they are wanted."""
        self.card, self.points = card, points
        self.redraw()

    def redraw(self) -> None:
        """Draw the lines that fit."""
        card = self.card
        if card is None:
            return
        width, height = self.content_size.width, max(self.content_size.height - 1, 1)
        head = f"    {heads(card)}".rstrip()
        cell = max(len(head), *(4 + len(boxes(card, line)) for line in card.lines), 0)
        cell += _POINTS_ROOM if self.points else 0
        columns = max((width + 2) // (cell + 2), 1)
        skipped = max(-(-len(card.lines) // height) - columns, 0) * height
        shown = card.lines[skipped:]
        blocks = [shown[start : start + height] for start in range(0, len(shown), height)] or [()]
        text = Text().append("  ".join(head.ljust(cell) for _ in blocks).rstrip(), BOLD)
        for row in range(min(height, len(shown))):
            parts = []
            for block in blocks:
                if row < len(block):
                    line = block[row]
                    points = f"  {points_text(line)}" if self.points else ""
                    parts.append(f"{line.number:>3} {boxes(card, line)}{points}".ljust(cell))
            text.append("\n" + "  ".join(parts).rstrip())
        self.show(text)


class Counts(TextPart):
    """The notes of a player: cut, cards, points, low and high, won and lost, outcomes."""

    def count(self, view: CountsView, texts: Texts, *, wide: bool) -> None:
        """Show the counts: outcomes in a table if it is ``wide``, else in two lines."""

        def texts_of(*counts: tuple[str, object]) -> str:
            """Return the counts that have a number, in a line."""
            shown = [texts(f"counts.{key}", number=n) for key, n in counts if n is not None]
            return "   ".join(shown)

        shoe, player = view.shoe, view.player
        marker = texts(
            "counts.no_marker" if view.marker is None else "counts.marker", number=view.marker
        )
        left = texts_of(("left", shoe.cards_left))
        lines = [
            f"{texts_of(('cut', '–' if view.cut is None else view.cut))}   {marker}",
            f"{left} {texts_of(('to_marker', view.to_marker))}".rstrip(),
            texts_of(("out", shoe.points_out), ("burned", view.burned or None)),
            texts_of(("low", shoe.low_in), ("high", shoe.high_in)),
            texts_of(("won", player.won), ("lost", player.lost)),
        ]
        if wide:
            lines += ["", f"{'':<10}{texts('counts.taille'):>8}{texts('counts.session'):>9}"]
            for (name, here), (_name, whole) in zip(view.taille, view.session, strict=True):
                lines.append(f"{name:<10}{here:>8}{whole:>9}")
        else:
            chances, ties = view.taille[:-2], view.taille[-2:]
            lines.append(" ".join(f"{name[0].upper()} {count}" for name, count in chances))
            lines.append("   ".join(f"{name} {count}" for name, count in ties))
        self.show(Text("\n".join(lines)))


class ChipsBar(TextPart):
    """The chips of the table: the one in hand is in brackets; a click takes another."""

    grows = False
    _zones: Sequence[tuple[int, int]] = ()

    def offer(self, label: str, names: Sequence[str], chosen: int) -> None:
        """Show the chips by their values."""
        text, zones = Text(label), []
        for index, name in enumerate(names):
            start = text.cell_len
            if index == chosen:
                text.append(f"[{name}]", Style(bold=True, reverse=True))
            else:
                text.append(f" {name} ")
            zones.append((start, text.cell_len))
        self._zones = zones
        self.show(text)

    async def on_click(self, event: events.Click) -> None:
        """Take the chip that was clicked."""
        at = event.get_content_offset(self)
        for index, (start, end) in enumerate(self._zones):
            if at is not None and start <= at.x < end:
                await self.app.run_action(f"chip({index})")


class NextBar(TextPart):
    """The bar that says what the next key does; a click does it."""

    grows = False

    async def on_click(self) -> None:
        """Do what comes next."""
        await self.app.run_action("next")


# One chance on the cloth

TAKE: Final = " [−]"
MOVE: Final = " [m]"
INSURED: Final = " ✓"
"""The mark of a prisoner that is insured, by a premium of this coup or of an earlier one."""
_LOW: Final = 2
"""The lines of a chance in a narrow table with side bets."""


class ChanceBox(Widget, can_focus=True):
    """A chance with the stake, the insurance and the prisoners that are on it.

    A click adds the chip in hand, or does what the sign that was clicked says.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space,plus", "act('add')", show=False),
        Binding("minus", "act('take')", show=False),
        Binding("backspace,delete", "act('take_all')", show=False),
    ]

    def __init__(self, view: ChanceView, house: House, texts: Texts, **more: Any) -> None:
        """Show what is on a chance, in amounts of the house."""
        super().__init__(**more)
        self.view, self.house, self.texts = view, house, texts
        self._zones: dict[str, tuple[int, int, int]] = {}

    def put(self, view: ChanceView) -> None:
        """Show what is on the chance now."""
        if view != self.view:
            self.view = view
            self.refresh()

    def lines(self, width: int, height: int) -> list[Text]:
        """Return the lines of the box: name, prisoners and stake, insurance, as they fit."""
        view = self.view
        name = Text(f"{view.key} {view.id}".strip(), BOLD)
        stake = amount_text(self.house, view.stake) if view.stake else "–"
        amount = Text(stake, BOLD).append(TAKE)
        insure, sign = Text(), Text()
        if self.house.insurance_table is not None and view.simple:
            sign = Text(
                f"[{'x' if view.asked or view.insured else ' '}] {self.texts('box.insure')}"
            )
            premium = f" {amount_text(self.house, view.premium)}" if view.premium else ""
            insure = sign + Text(premium)
        low = height <= _LOW
        right = insure if low else amount
        prisoners = Text(self._prisoners(width - right.cell_len - 1), BOLD)
        start = width - prisoners.cell_len if low else 0
        # Where a click takes off, insures and moves: line, first column, end.
        self._zones = {
            "take": (0 if low else 1, width - len(TAKE), width),
            "insure": (1 if low else 2, 0, sign.cell_len),
            "move": (1, start, start + prisoners.cell_len if view.movable else 0),
        }
        if low:
            named = self._name_and_verdict(name, width - amount.cell_len - 1)
            lines = [_spread(named, amount, width), _spread(insure, prisoners, width)]
            return lines[:height]
        verdict = "" if view.verdict is None else self.texts.verdict(view.verdict)
        odds = f" {odds_text(view.odds)}".rstrip()
        if name.cell_len + len(odds) + len(verdict) < width:
            name.append(odds, DIM)
        return [
            _spread(name, Text(verdict, DIM), width),
            _spread(prisoners, amount, width),
            insure,
        ]

    def _name_and_verdict(self, name: Text, room: int) -> Text:
        """Return the name with its odds and the last verdict, of a side bet only if it won.

        A winner has a dot where the word does not fit; a mark is left out before the odds are.
        """
        verdict, odds = self.view.verdict, odds_text(self.view.odds)
        marks = [""]
        if verdict is not None and (verdict.kind == "win" or self.view.simple):
            marks = [self.texts.verdict(verdict), DOT if verdict.kind == "win" else "", ""]
        written = [" ".join(filter(None, ("", o, m))) for o in (odds, "") for m in marks]
        marked = (name.copy().append(f" {text}".rstrip(), DIM) for text in written)
        return next((text for text in marked if text.cell_len <= room), name)

    def _prisoners(self, room: int) -> str:
        """Return the prisoners in as many words as fit."""
        held, texts = self.view.prisoners, self.texts
        if not held:
            return ""
        long, short = [], []
        for stake in held:
            state, amount = texts.state(stake.state), amount_text(self.house, stake.standing)
            worth = _worth_text(stake, self.house)
            words = texts("box.prisoner", state=state, amount=amount)
            insured = INSURED if stake.insured or stake.covered else ""
            words = f"{words} {texts('box.worth', amount=worth)}" if worth else words
            long.append(f"{words}{insured}")
            short.append(f"{state} {amount}{worth and f'={worth}'}{insured}")
        last = f"P {short[0].removeprefix(f'{texts.state(held[0].state)} ')}"
        if len(held) > 1:
            whole = amount_text(self.house, sum(stake.standing for stake in held))
            last = texts("box.prisoners", number=len(held), amount=whole)
        move = MOVE if self.view.movable else ""
        written = [f"{text}{move}" for text in (" + ".join(long), " + ".join(short), last)]
        return next((text for text in written if len(text) <= room), written[-1])

    def render(self) -> Text:
        """Draw the box."""
        return Text("\n").join(self.lines(self.content_size.width, self.content_size.height))

    async def action_act(self, action: str) -> None:
        """Do an action of the table for this chance."""
        await self.app.run_action(f"{action}('{self.view.id}')")

    async def on_click(self, event: events.Click) -> None:
        """Add the chip in hand, or do the action of the sign that was clicked."""
        self.focus()
        at, action = event.get_content_offset(self), "add"
        for name, (line, start, end) in self._zones.items():
            if at is not None and at.y == line and start <= at.x < end:
                action = name
        await self.action_act(action)


def _worth_text(stake: Stake, house: House) -> str:
    """Return what a prisoner is worth, empty where that is its whole amount."""
    worth = stake.worth * house.money.unit.value
    if worth == stake.standing * house.money.unit.value:
        return ""
    return str(worth.numerator) if worth.denominator == 1 else f"{float(worth):.4g}"


def odds_text(odds: Sequence[Fraction]) -> str:
    """Return the least and the greatest odds of a win, empty where they are even: ``8:1-60:1``."""
    ends = dict.fromkeys((odds[0], odds[-1])) if odds else ()
    written = "-".join(f"{each.numerator}:{each.denominator}" for each in ends)
    return "" if written == "1:1" else written


def _spread(left: Text, right: Text, width: int) -> Text:
    gap = max(width - left.cell_len - right.cell_len, 1)
    return Text.assemble(left, " " * gap, right)


_LOOSE: Final = 4
"""The chances of a narrow table up to which the lesson has empty lines between its parts."""


class LessonPanel(TextPart):
    """The odds of the next coup for the cards that nobody has seen."""

    def teach(self, lesson: Lesson, texts: Texts, house: House, *, wide: bool) -> None:
        """Show a lesson; without empty lines where a narrow table has side bets."""
        close = not wide and len(lesson.chances) > _LOOSE
        name = 15 if wide else 9
        parts = (
            [*_odds(lesson, texts, name), *holds_lines(lesson.scopes[0], texts, house)],
            [*_insurance(lesson, texts, name), *holds_lines(lesson.scopes[1], texts, house)],
            [Text(texts("lesson.note"))],
        )
        between = Text("\n" if close else "\n\n")
        self.show(between.join(Text("\n").join(lines) for lines in parts))


def _odds(lesson: Lesson, texts: Texts, name: int) -> list[Text]:
    win, apres, edge = (texts(f"lesson.{key}") for key in ("win", "apres", "edge"))
    lines = [
        Text(texts("lesson.cards", count=lesson.cards), BOLD),
        Text(texts("lesson.unit")),
        Text(f"{'':<{name}}{win:>6}{apres:>6}{edge:>7}", BOLD),
    ]
    for chance in lesson.chances:
        tie = f"{100 * chance.apres:.2f}" if chance.apres else "–"
        figures = f"{100 * chance.win:>6.2f}{tie:>6}{100 * chance.edge:>7.3f}"
        lines.append(Text(f"{_short(chance.id, name):<{name}}{figures}"))
    refait = 100 * max(chance.refait for chance in lesson.chances)
    error = f"{max(lesson.error, 1e-15):.0e}"
    lines.append(Text(texts("lesson.refait", share=f"{refait:.3f}", error=error)))
    return lines


def _insurance(lesson: Lesson, texts: Texts, name: int) -> list[Text]:
    insured = [chance for chance in lesson.chances if chance.insured is not None]
    if not insured:
        return [Text(texts("lesson.uninsured"))]
    title, edge, gain = (texts(f"lesson.{key}") for key in ("insured", "edge", "gain"))
    lines = [Text(f"{title:<{name}}{edge:>6}{gain:>7}", BOLD)]
    for chance in insured:
        saved = 100 * (chance.gain or 0.0)
        figures = f"{100 * (chance.insured or 0.0):>6.3f}{saved:>+7.3f}"
        lines.append(Text(f"{chance.id:<{name}}{figures}"))
    best = max(insured, key=lambda chance: chance.gain or 0.0)
    if best.of_premium is not None:
        lines.append(Text(texts("lesson.of_premium", share=f"{100 * best.of_premium:+.1f}")))
    worth = "worth" if (best.gain or 0.0) > 0 else "not_worth"
    return [*lines, Text(texts(f"lesson.{worth}"), BOLD)]


def holds_lines(scope: Scope | None, texts: Texts, house: House) -> list[Text]:
    """Return the stakes that the edges above hold for; nothing where they hold for all."""
    if scope is None:
        return []
    told = []
    if not scope.exact:
        told.append(texts("lesson.holds_never"))
    if scope.multiple:
        told.append(texts("lesson.holds_multiples", amount=amount_text(house, scope.multiple)))
    if scope.exact and scope.least != scope.multiple:
        told.append(texts("lesson.holds_from", amount=amount_text(house, scope.least)))
    if scope.most is not None:
        told.append(texts("lesson.holds_to", amount=amount_text(house, scope.most)))
    if scope.edge is not None:
        edge = f"{100 * float(scope.edge):.3f}"
        at = amount_text(house, scope.smallest)
        chance = next(chance.id for chance in house.chances if chance.simple)
        told.append(texts("lesson.holds_at", chance=chance, amount=at, edge=edge))
    return list(map(Text, told))


def _short(name: str, width: int) -> str:
    """Return the name of a side bet in a narrow column: its beginning and its end."""
    return name if len(name) < width else f"{name[:4]}…{name[-3:]}"


class Press(Static):
    """A word that does an action of its screen when it is clicked."""

    def __init__(self, text: str, action: str) -> None:
        """Show a word that does an action."""
        super().__init__(f" {text} ", markup=False)
        self._action = action

    async def on_click(self) -> None:
        """Do the action."""
        await self.screen.run_action(self._action)
