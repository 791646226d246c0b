"""The windows of the table: words, rows, outcome, score card, counts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, ClassVar, Final, Literal

from rich.console import Console
from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from trente_rules.core.cards import Card, Colour
from trente_rules.core.coup import LAST_OPEN_TOTAL
from trente_rules.core.house.house import House
from trente_rules.core.rules.announcements import Language
from trente_rules.core.stakes import Line
from trente_rules.play.lesson import Lesson
from trente_rules.play.session import amount_text
from trente_rules.play.texts import VERDICTS
from trente_rules.play.views import ChanceView, CountsView, CoupView, RowView
from trente_rules.records.scorecard import DOT, ScoreCard, boxes, heads, points_text
from trente_rules.table.events import Announced

# --- Colours that the colour-blind tell apart; whatever a colour says, a letter or a sign says too

ROUGE: Final = Style(color="#c43e00", bgcolor="#f5f1e6", bold=True)
NOIR: Final = Style(color="#101010", bgcolor="#f5f1e6", bold=True)
FACES: Final = {Colour.ROUGE: ROUGE, Colour.NOIR: NOIR}
BOLD: Final = Style(bold=True)
DIM: Final = Style(color="#a8b0b8")
GOOD: Final = Style(color="#56b4e9", bold=True)
BAD: Final = Style(color="#e69f00", bold=True)


def cards_text(cards: Sequence[Card], width: int, indent: int) -> Text:
    """Return cards side by side, close together where that saves a line, and lines indented."""
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


class Part(Static):
    """A window whose content is a text; ``plain`` is what can be read on it.

    ``grows`` tells that its height follows its text: others are drawn without a new layout.
    """

    grows = True
    shown: Text | None = None

    @property
    def plain(self) -> str:
        """What can be read."""
        return self.shown.plain if self.shown else ""

    def show(self, text: Text) -> None:
        """Show a text."""
        if text != self.shown:
            self.shown = text
            self.update(text, layout=self.grows)


class Fitted(Part):
    """A window that shows what there is room for, and follows its own size."""

    grows = False

    def on_resize(self) -> None:
        """Draw again for the room there is now."""
        self.redraw()

    def redraw(self) -> None:
        """Draw what was handed in last."""
        raise NotImplementedError  # pragma: no cover - each window has its own


class CallsWindow(Fitted):
    """What the croupier said, and the same in another language below it."""

    said: tuple[str, ...] = ()
    other: tuple[str, ...] = ()

    def say(self, calls: Sequence[Announced], words: Language, other: Language | None) -> None:
        """Show calls as they were made, the latest last; the oldest go where room is short."""
        self.said = tuple(map(words.say, calls))
        self.other = tuple(filter(None, map(other.say, calls))) if other else ()
        self.redraw()

    def redraw(self) -> None:
        """Draw the words that fit."""
        width, height = max(self.content_size.width, 20), max(self.content_size.height, 2)
        lines = height // 2 if self.other else height
        shown = Text().append(_tail(self.said, lines, width), BOLD)
        if self.other:
            shown.append(f"\n{_tail(self.other, height - lines, width)}", DIM)
        self.show(shown)


def _tail(words: Sequence[str], lines: int, width: int) -> str:
    """Return the last words that fit on so many lines; a word is broken by none of them."""
    for start in range(len(words)):
        text = ("… " if start else "") + BETWEEN.join(words[start:])
        wrapped = Text(text).wrap(_console(), width)
        if len(wrapped) <= lines or start == len(words) - 1:
            return text
    return ""


@cache
def _console() -> Console:
    return Console()


class RowsWindow(Fitted):
    """Both rows with their cards and points; its height follows the longest row."""

    grows = True
    rows: tuple[RowView, ...] = ()

    def deal(self, coup: CoupView | None, house: House) -> None:
        """Show the cards of a coup; two empty rows without one."""
        self.rows = (coup or CoupView(0)).rows(house)
        self.redraw()

    def redraw(self) -> None:
        """Draw both rows, in as few lines as there is room for."""
        text = Text()
        room = max(self.content_size.width - _ROW_HEAD, 20)
        for place, row in enumerate(self.rows):
            whole = row.total > LAST_OPEN_TOTAL
            told = f"{row.total}" if whole else f"{row.total}…" if row.cards else "–"
            other = self.rows[1 - place].total
            both = whole and other > LAST_OPEN_TOTAL
            text.append("\n" if place else "")
            text.append(f"{row.colour.id.upper():<6}{told:>3} ", BOLD)
            text.append("● " if both and row.total < other else "  ", GOOD)
            text.append_text(cards_text(row.cards, room, _ROW_HEAD))
        self.show(text)


def outcome_text(coup: CoupView | None, house: House) -> Text:
    """Return in one line what a coup was, and what the player won or lost by it."""
    if coup is None:
        return Text("")
    text = Text().append(f"Coup {coup.number}: ", BOLD)
    if coup.void:
        return text.append(f"void, {coup.void}", BAD)
    simple = {chance: verdict for chance, verdict in coup.verdicts if chance in house.deal.chances}
    ids = {verdict.id for verdict in simple.values()}
    if not coup.coup:
        text.append("the cards are being turned")
    elif "refait" in ids:
        text.append("refait", BAD)
    elif "apres" in ids:
        text.append("après" if coup.net else "après, nothing moves")
    else:
        winners = [chance for chance, verdict in simple.items() if verdict.id == "win"]
        text.append(f"{' and '.join(winners)} win{'s' if len(winners) == 1 else ''}")
    if coup.last:
        text.append(", the last of the taille")
    if coup.net is not None and coup.lines:
        sign = "+" if coup.net > 0 else ""
        style = GOOD if coup.net > 0 else BAD if coup.net < 0 else BOLD
        text.append(f"   you: {sign}{amount_text(house, coup.net)}", style)
    return text


def moves_text(line: Line, house: House) -> str:
    """Return what moves by a settlement of one stake, in amounts."""
    parts = [
        f"{amount_text(house, units)} {word}"
        for units, word in (
            (line.won, "won"),
            (line.returned, "back"),
            (line.forfeited, "lost"),
            (line.staying, f"in {line.after.state}" if line.after else ""),
            (line.premium_kept, "premium"),
            (line.premium_returned, "premium back"),
        )
        if units
    ]
    return ", ".join(parts) or "nothing moves"


def line_text(line: Line, house: House) -> str:
    """Return what became of one stake, in words."""
    stake = f"{line.stake.chance} {amount_text(house, line.stake.amount)}"
    return f"{stake} {VERDICTS[line.verdict.id]}, {line.course}: {moves_text(line, house)}"


class HistoryWindow(Fitted):
    """The coups before the last one, the latest first: for a wide table."""

    lines: tuple[Text, ...] = ()

    def tell(self, coups: Sequence[CoupView], house: House) -> None:
        """Show as many coups as there is room for."""
        begun = [coup for coup in coups if coup.begun][:-1]
        self.lines = tuple(outcome_text(coup, house) for coup in reversed(begun))
        self.redraw()

    def redraw(self) -> None:
        """Draw the coups that fit."""
        self.show(Text("\n").join(self.lines[: self.content_size.height]))


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
                    told = f"  {points_text(line)}" if self.points else ""
                    parts.append(f"{line.number:>3} {boxes(card, line)}{told}".ljust(cell))
            text.append("\n" + "  ".join(parts).rstrip())
        self.show(text)


class Counts(Part):
    """What players note: cut, cards, points, low and high, won and lost, outcomes."""

    def count(self, view: CountsView, *, wide: bool) -> None:
        """Show the counts: outcomes in a table where there is room, else in a line."""
        cut = "–" if view.cut is None else str(view.cut)
        marker = "none"
        if view.marker is not None:
            marker = f"{view.marker} from end"
        to_marker = "" if view.to_marker is None else f" ({view.to_marker} to it)"
        lines = [
            f"cut {cut}   marker {marker}",
            f"cards left {view.shoe.cards_left}{to_marker}",
            f"points out {view.shoe.points_out}"
            + (f"   burned {view.burned}" if view.burned else ""),
            f"low A-6 {view.shoe.low_in}   high 8-K {view.shoe.high_in}",
            f"stakes won {view.player.won}   lost {view.player.lost}",
        ]
        if wide:
            lines.append("")
            lines.append(f"{'':<10}{'taille':>8}{'session':>9}")
            for (name, here), (_name, whole) in zip(view.taille, view.session, strict=True):
                lines.append(f"{name:<10}{here:>8}{whole:>9}")
        else:
            told = [f"{name} {count}" for name, count in view.taille]
            chances, ties = told[:-2], told[-2:]
            short = " ".join(f"{word[0].upper()} {word.split()[-1]}" for word in chances)
            lines += [short, "   ".join(ties)]
        self.show(Text("\n".join(lines)))


# --- The chips, and the bar that says what comes next


class ChipsBar(Static):
    """The chips there are: the one in hand is in brackets."""

    plain: str = ""

    class ChipChosen(Message):
        """The player takes another chip in hand."""

        def __init__(self, place: int) -> None:
            """Take its place, from 0."""
            super().__init__()
            self.place = place

    def __init__(self, *content: Any, **more: Any) -> None:
        """Begin without chips."""
        super().__init__(*content, **more)
        self._zones: list[tuple[int, int]] = []

    def show(self, names: list[str], chosen: int) -> None:
        """Show the chips by their values."""
        text = Text("chips ")
        self._zones = []
        for place, name in enumerate(names):
            start = text.cell_len
            if place == chosen:
                text.append(f"[{name}]", Style(bold=True, reverse=True))
            else:
                text.append(f" {name} ")
            self._zones.append((start, text.cell_len))
        self.plain = text.plain
        self.update(text, layout=False)

    def on_click(self, event: events.Click) -> None:
        """Take the chip that was clicked."""
        at = event.get_content_offset(self)
        for place, (start, end) in enumerate(self._zones):
            if at is not None and start <= at.x < end:
                self.post_message(self.ChipChosen(place))


class NextBar(Static):
    """What the next key does; a click does it."""

    plain: str = ""

    class Pressed(Message):
        """The player wants to go on."""

    def show(self, text: str) -> None:
        """Show what comes next."""
        self.plain = text
        self.update(Text(f" d ▶ {text} "), layout=False)

    def on_click(self) -> None:
        """Go on."""
        self.post_message(self.Pressed())


# --- One chance on the cloth: a click or a key adds the chip in hand, another takes it off

TAKE: Final = " [−]"
INSURE: Final = "[{}] insure"
MOVE: Final = " [m]"
_LOW: Final = 2
"""The lines of a chance in a narrow table with side bets."""
Act = Literal["add", "take", "take-all", "insure", "move"]


class ChanceBox(Widget, can_focus=True):
    """A chance with the stake, the insurance and the prisoners that are on it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space,plus", "act('add')", "add", show=False),
        Binding("minus", "act('take')", "take", show=False),
        Binding("backspace,delete", "act('take-all')", "take all", show=False),
    ]

    class Acted(Message):
        """The player did something to the chance."""

        def __init__(self, chance: str, act: Act) -> None:
            """Take the chance and what is done to it."""
            super().__init__()
            self.chance = chance
            self.act = act

    def __init__(self, view: ChanceView, house: House, **more: Any) -> None:
        """Take what stands on the chance, and the house for its amounts."""
        super().__init__(**more)
        self.view = view
        self.house = house
        self._stake_line, self._insure_line, self._move_zone = 0, -1, (-1, 0, 0)

    def put(self, view: ChanceView) -> None:
        """Show what stands on the chance now."""
        if view != self.view:
            self.view = view
            self.refresh()

    def lines(self, width: int, height: int) -> list[Text]:
        """Return the lines of the box: name, prisoners and stake, insurance, as there is room."""
        view = self.view
        name = Text(f"{view.key} {view.id}".strip(), BOLD)
        stake = amount_text(self.house, view.stake) if view.stake else "–"
        amount = Text(stake, BOLD).append(TAKE)
        insure = Text()
        if self.house.insurance_table is not None and view.simple:
            sign = "x" if view.asked or view.insured else " "
            premium = f" {amount_text(self.house, view.premium)}" if view.premium else ""
            insure = Text(f"{INSURE.format(sign)}{premium}")
        self._stake_line, self._insure_line, self._move_zone = 0, -1, (-1, 0, 0)
        if height <= _LOW:
            first = _spread(
                self._name_and_verdict(name, width - amount.cell_len - 1), amount, width
            )
            if height < _LOW:
                return [first]
            prisoners = Text(self._prisoners(width - insure.cell_len - 1), BOLD)
            self._insure_line = 1 if insure else -1
            self._move_zone = (1, width - prisoners.cell_len, width)
            return [first, _spread(insure, prisoners, width)]
        self._stake_line, self._insure_line = 1, 2 if insure else -1
        verdict = "" if view.verdict is None else VERDICTS[view.verdict.id]
        prisoners = Text(self._prisoners(width - amount.cell_len - 1), BOLD)
        self._move_zone = (1, 0, prisoners.cell_len)
        return [
            _spread(name, Text(verdict, DIM), width),
            _spread(prisoners, amount, width),
            insure,
        ]

    def _name_and_verdict(self, name: Text, room: int) -> Text:
        """Return the name, and behind it what the last coup meant; of a side bet only that it won.

        Where the word has no room a winner has its dot.
        """
        verdict = self.view.verdict
        if verdict is None or (verdict.kind != "win" and not self.view.simple):
            return name
        marks = (VERDICTS[verdict.id], DOT if verdict.kind == "win" else "")
        told = (name.copy().append(f" {mark}", DIM) for mark in marks if mark)
        return next((text for text in told if text.cell_len <= room), name)

    def _prisoners(self, room: int) -> str:
        """Return the prisoners in as many words as there is room for."""
        held = self.view.prisoners
        if not held:
            return ""
        long, short = [], []
        for each in held:
            amount = amount_text(self.house, each.standing)
            worth = "" if each.worth == amount.replace(",", "") else each.worth
            long.append(f"in {each.state} {amount}{worth and f' worth {worth}'}")
            short.append(f"{each.state} {amount}{worth and f'={worth}'}")
        whole = amount_text(self.house, sum(each.standing for each in held))
        last = f"{len(held)} in prison {whole}" if len(held) > 1 else f"P {short[0].split()[-1]}"
        move = MOVE if self.view.movable else ""
        texts = [f"{text}{move}" for text in (" + ".join(long), " + ".join(short), last)]
        return next((text for text in texts if len(text) <= room), texts[-1])

    def render(self) -> Text:
        """Draw the box."""
        return Text("\n").join(self.lines(self.content_size.width, self.content_size.height))

    def action_act(self, act: Act) -> None:
        """Tell the table what the player does."""
        self.post_message(self.Acted(self.view.id, act))

    def on_click(self, event: events.Click) -> None:
        """Add a chip, or what the place that was clicked says."""
        at = event.get_content_offset(self)
        act: Act = "add"
        line, start, end = self._move_zone
        if at is not None:
            if at.y == self._stake_line and at.x >= self.content_size.width - len(TAKE):
                act = "take"
            elif at.y == self._insure_line and at.x < len(INSURE):
                act = "insure"
            elif self.view.movable and at.y == line and start <= at.x < end:
                act = "move"
        self.focus()
        self.post_message(self.Acted(self.view.id, act))


def _spread(left: Text, right: Text, width: int) -> Text:
    gap = max(width - left.cell_len - right.cell_len, 1)
    return Text.assemble(left, " " * gap, right)


# --- The lesson panel: odds of the next coup, and what the insurance is worth

_LOOSE: Final = 4
"""As many chances as a narrow table has room for with lines between."""
_EDGE: Final = "edge: the bank's, played best"


class LessonPanel(Part):
    """The odds of the next coup for the cards that nobody has seen."""

    def teach(self, lesson: Lesson, *, wide: bool) -> None:
        """Show a lesson; close together where a narrow table has side bets."""
        close = not wide and len(lesson.chances) > _LOOSE
        name = 15 if wide else 9
        parts = (_odds(lesson, name, wide=wide), _insurance(lesson, name), [Text(_EDGE)])
        between = Text("\n" if close else "\n\n")
        self.show(between.join(Text("\n").join(lines) for lines in parts))


def _odds(lesson: Lesson, name: int, *, wide: bool) -> list[Text]:
    lines = [
        Text(f"Next coup, {lesson.cards} cards unseen", BOLD),
        Text("in per cent, edge of stake"),
        Text(f"{'':<{name}}{'win':>6}{'après':>6}{'edge':>7}", BOLD),
    ]
    for each in lesson.chances:
        apres = f"{100 * each.apres:.2f}" if each.apres else "–"
        told = each.id if wide else _short(each.id, name)
        lines.append(Text(f"{told:<{name}}{100 * each.win:>6.2f}{apres:>6}{100 * each.edge:>7.3f}"))
    refait = 100 * max(each.refait for each in lesson.chances)
    lines.append(Text(f"refait {refait:.3f}   off by {max(lesson.error, 1e-15):.0e}"))
    return lines


def _insurance(lesson: Lesson, name: int) -> list[Text]:
    insured = [each for each in lesson.chances if each.insured is not None]
    if not insured:
        return [Text("no insurance in this house")]
    lines = [Text(f"{'insured':<{name}}{'edge':>6}{'gain':>7}", BOLD)]
    for each in insured:
        gain = 100 * (each.gain or 0.0)
        lines.append(Text(f"{each.id:<{name}}{100 * (each.insured or 0.0):>6.3f}{gain:>+7.3f}"))
    best = max(insured, key=lambda each: each.gain or 0.0)
    if best.of_premium is not None:
        lines.append(Text(f"gain of premium {100 * best.of_premium:+.1f} %"))
    verdict = "worth" if (best.gain or 0.0) > 0 else "not worth"
    return [*lines, Text(f"{verdict} its premium now", BOLD)]


def _short(name: str, width: int) -> str:
    """Return the name of a side bet in a narrow column: its beginning and its end."""
    return name if len(name) < width else f"{name[:4]}…{name[-3:]}"


# --- A word that is clicked, for those who play by the mouse


class Press(Static):
    """A word that does an action of its screen when it is clicked."""

    def __init__(self, text: str, action: str) -> None:
        """Take the text and the action."""
        super().__init__(f" {text} ", markup=False)
        self._action = action

    async def on_click(self) -> None:
        """Do it."""
        await self.screen.run_action(self._action)
