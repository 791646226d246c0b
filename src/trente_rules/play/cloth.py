"""The cloth: a box for every chance, with stake, insurance and prisoners, and the bar of chips."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar, Final

from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.widget import Widget

from trente_rules.core.house.house import House
from trente_rules.core.rules.announcements import Language
from trente_rules.core.stakes import Stake
from trente_rules.play.chips import amount_text, chip_text, money_text, share_text
from trente_rules.play.views import ChanceView, Texts
from trente_rules.play.widgets import BAD, BOLD, DIM, GOOD, Zone, ZonesPart
from trente_rules.records.scorecard import DOT
from trente_rules.reports.sentences import in_digits

TAKE: Final = " [−]"
MOVE: Final = " [m]"
INSURED: Final = " ✓"
"""The mark of a prisoner that is insured, by a premium of this coup or of an earlier one."""
_LOW: Final = 2
"""The lines of a chance in a narrow table with side bets."""
_STACKED: Final = 5
"""The lines of a chance from which its chips are drawn."""
DEAR: Final = Fraction(2, 100)
"""The part of a stake above which its premium is shown as a warning."""
CHIPS: Final = tuple(
    Style(color=ink, bgcolor=colour, bold=True)
    for ink, colour in (
        ("#101010", "#f2f2f2"),
        ("#101010", "#f4a6b8"),
        ("#ffffff", "#b3261e"),
        ("#101010", "#7fb8e6"),
        ("#ffffff", "#1f7a44"),
        ("#101010", "#f0b64a"),
        ("#ffffff", "#303030"),
        ("#ffffff", "#6b3fa0"),
        ("#101010", "#9bd3c6"),
    )
)
"""The colours of chips, from the smallest to the largest; the value on each says the same."""


def chip_face(house: House, chips: Sequence[int], chip: int, language: Language) -> Text:
    """Return a chip as it lies on the cloth: its value on its colour."""
    return Text(f" {chip_text(house, chip, language)} ", CHIPS[chips.index(chip) % len(CHIPS)])


class ChipsBar(ZonesPart):
    """The chips of the table: the one in hand is in brackets; a click takes another.

    A second line, where there is one, has the keys of each.
    """

    def offer(self, texts: Texts, house: House, chips: Sequence[int], chosen: int) -> None:
        """Show the chips by their values, and how they are chosen."""
        label, hint, language = f"{texts('chips')} ", texts("chips_hint"), texts.language
        text, keys, zones = Text(label), Text(" " * len(label)), []
        for index, chip in enumerate(chips):
            start, name = text.cell_len, chip_text(house, chip, language)
            if index == chosen:
                text.append(f"[{name}]", Style(bold=True, reverse=True))
            else:
                face = chip_face(house, chips, chip, language)
                text.append_text(face if self.high else Text(f" {name} "))
            text.append(" " if self.high else "")
            keys.append(name.center(text.cell_len - start - 1) + " ")
            zones.append(Zone(start, text.cell_len, f"chip({index})"))
        self.zones = zones
        if self.high:
            text.append("\n").append(keys.plain, DIM)
        if text.cell_len + len(hint) + 2 <= self.content_size.width or self.high:
            text.append(f"  {hint}", DIM)
        self.show(text)

    @property
    def high(self) -> bool:
        """True where there is a line for the keys."""
        return self.content_size.height > 1


class ChanceBox(Widget, can_focus=True):
    """A chance with the stake, the insurance and the prisoners that are on it.

    A click adds the chip in hand, or does what the sign that was clicked says.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "act('enter')", show=False),
        Binding("space,plus", "act('add')", show=False),
        Binding("minus", "act('take')", show=False),
        Binding("backspace,delete", "act('take_all')", show=False),
    ]

    def __init__(
        self, view: ChanceView, house: House, chips: Sequence[int], texts: Texts, **more: Any
    ) -> None:
        """Show what is on a chance, in amounts of the house and in chips of the table."""
        super().__init__(**more)
        self.view, self.house, self.chips, self.texts = view, house, chips, texts
        self._zones: dict[str, tuple[int, int, int]] = {}
        self.add_class(f"-{view.id}" if view.simple else "-side")

    def put(self, view: ChanceView) -> None:
        """Show what is on the chance now."""
        if view != self.view:
            self.view = view
            self.refresh()

    @property
    def won(self) -> bool:
        """True if the chance won the coup that lies on the table."""
        return self.view.verdict is not None and self.view.verdict.kind == "win"

    def lines(self, width: int, height: int) -> list[Text]:
        """Return the lines of the box: name, chips, prisoners and stake, insurance, as they fit."""
        view = self.view
        name = Text(f"{view.key} {view.name}".strip(), BOLD)
        amount = Text("–", DIM)
        if view.stake:
            amount = Text(amount_text(self.house, view.stake, self.texts.language), BOLD).append(
                TAKE
            )
        low = height <= _LOW
        insure = self.insurance(width // 2 if low and view.prisoners else width)
        right = insure if low else amount
        prisoners = Text(self._prisoners(width - right.cell_len - 1), BOLD)
        start = width - prisoners.cell_len if low else 0
        last = 1 if low else height - 1
        # Where a click takes off, insures and moves: line, first column, end.
        self._zones = {
            "take": (0 if low else last - 1, width - len(TAKE) if view.stake else width, width),
            "insure": (last, 0, insure.cell_len),
            "move": (last if low else last - 1, start, start + prisoners.cell_len)
            if view.movable
            else (0, 0, 0),
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
            _spread(name, Text(verdict, GOOD if self.won else DIM), width),
            *self._stacks(width, height - 3),
            _spread(prisoners, amount, width),
            insure,
        ]

    def insurance(self, width: int) -> Text:
        """Return the box to tick for insurance, with its price in as many words as fit."""
        view, texts = self.view, self.texts
        if self.house.insurance_table is None or not view.simple:
            return Text()
        on = view.asked or view.insured
        sign, price = f"[{'x' if on else ' '}]", view.price
        word = texts("box.insured" if on else "box.insure")
        if price is None:
            return Text(f"{sign} {word}")
        share = share_text(price.share, texts.language)
        money, amount = (
            money_text(self.house, price.premium, texts.language),
            amount_text(self.house, price.premium, texts.language),
        )
        written = (
            f"{word}: {money}, {share}",
            f"{word} {amount}, {share}",
            f"{texts('keys.insure')} {amount}, {share}",
            f"{amount}, {share}",
        )
        fit = next((each for each in written if len(sign) + 1 + len(each) <= width), share)
        style = DIM if not on else BAD if price.share > DEAR else BOLD
        return Text(f"{sign} ").append(fit, style)

    def _stacks(self, width: int, height: int) -> list[Text]:
        """Return the chips of the stake in stacks, each of one value, the lowest line first."""
        if height <= 0:
            return []
        lines = [Text() for _line in range(height)]
        if height + 3 < _STACKED:
            return lines
        for chip, number in self.view.stack:
            face = chip_face(self.house, self.chips, chip, self.texts.language)
            for line, text in enumerate(reversed(lines)):
                if text.cell_len + face.cell_len > width:
                    break
                hidden = number - height + 1 if number > height and line == height - 1 else 0
                if hidden > 1:
                    text.append(f"+{hidden}".center(face.cell_len), DIM)
                else:
                    text.append_text(face if line < number else Text(" " * face.cell_len))
                text.append(" ")
        return lines

    def _name_and_verdict(self, name: Text, room: int) -> Text:
        """Return the name with its odds and the last verdict, of a side bet only if it won.

        A winner has a dot where the word does not fit; a mark is left out before the odds are.
        """
        verdict, odds = self.view.verdict, odds_text(self.view.odds)
        marks = [""]
        if verdict is not None and (verdict.kind == "win" or self.view.simple):
            marks = [self.texts.verdict(verdict), DOT if verdict.kind == "win" else "", ""]
        written = [" ".join(filter(None, ("", o, m))) for o in (odds, "") for m in marks]
        style = GOOD if self.won else DIM
        marked = (name.copy().append(f" {text}".rstrip(), style) for text in written)
        return next((text for text in marked if text.cell_len <= room), name)

    def _prisoners(self, room: int) -> str:
        """Return the prisoners in as many words as fit."""
        held, texts = self.view.prisoners, self.texts
        if not held:
            return ""
        long, short = [], []
        for stake in held:
            state = texts.state(stake.state)
            amount = amount_text(self.house, stake.standing, texts.language)
            worth = _worth_text(stake, self.house, texts.language)
            words = texts("box.prisoner", state=state, amount=amount)
            insured = INSURED if stake.insured or stake.covered else ""
            words = f"{words} {texts('box.worth', amount=worth)}" if worth else words
            long.append(f"{words}{insured}")
            short.append(f"{state} {amount}{worth and f'={worth}'}{insured}")
        last = f"P {short[0].removeprefix(f'{texts.state(held[0].state)} ')}"
        if len(held) > 1:
            whole = amount_text(self.house, sum(stake.standing for stake in held), texts.language)
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


def _worth_text(stake: Stake, house: House, language: Language) -> str:
    """Return what a prisoner is worth, empty where that is its whole amount."""
    worth = stake.worth * house.money.unit.value
    if worth == stake.standing * house.money.unit.value:
        return ""
    whole = worth.denominator == 1
    return in_digits(language, str(worth.numerator) if whole else f"{float(worth):.2f}")


def odds_text(odds: Sequence[Fraction]) -> str:
    """Return the least and the greatest odds of a win, empty where they are even: ``8:1-60:1``."""
    ends = dict.fromkeys((odds[0], odds[-1])) if odds else ()
    written = "-".join(f"{each.numerator}:{each.denominator}" for each in ends)
    return "" if written == "1:1" else written


def _spread(left: Text, right: Text, width: int) -> Text:
    gap = max(width - left.cell_len - right.cell_len, 1)
    return Text.assemble(left, " " * gap, right)
