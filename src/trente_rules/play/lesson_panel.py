"""The panel of the lesson: the odds of the next coup, and what insurance is worth."""

from __future__ import annotations

from functools import partial
from typing import Final

from rich.text import Text

from trente_rules.core.house.house import House
from trente_rules.play.chips import amount_text
from trente_rules.play.lesson import Lesson
from trente_rules.play.views import Texts
from trente_rules.play.widgets import BOLD, TextPart
from trente_rules.reports.nominal import Scope
from trente_rules.reports.sentences import in_digits

_LOOSE: Final = 4
"""The chances of a narrow table up to which the lesson has empty lines between its parts."""


class LessonPanel(TextPart):
    """The odds of the next coup for the cards that nobody has seen."""

    def teach(
        self, lesson: Lesson, texts: Texts, house: House, *, wide: bool, close: bool = False
    ) -> None:
        """Show a lesson; ``close`` without empty lines, as where a narrow table has side bets."""
        close = close or (not wide and len(lesson.chances) > _LOOSE)
        name = 15 if wide else 9
        parts = (
            [*_odds(lesson, house, texts, name), *holds_lines(lesson.scopes[0], texts, house)],
            [*_insurance(lesson, house, texts, name), *holds_lines(lesson.scopes[1], texts, house)],
            [Text(texts("lesson.note"))],
        )
        between = Text("\n" if close else "\n\n")
        self.show(between.join(Text("\n").join(lines) for lines in parts))


def _odds(lesson: Lesson, house: House, texts: Texts, name: int) -> list[Text]:
    written = partial(in_digits, texts.language)
    win, apres, edge = (texts(f"lesson.{key}") for key in ("win", "apres", "edge"))
    lines = [
        Text(texts("lesson.cards", count=lesson.cards), BOLD),
        Text(texts("lesson.unit")),
        Text(f"{'':<{name}}{win:>6}{apres:>6}{edge:>7}", BOLD),
    ]
    for chance in lesson.chances:
        tie = written(f"{100 * chance.apres:.2f}") if chance.apres else "–"
        win, edge = written(f"{100 * chance.win:.2f}"), written(f"{100 * chance.edge:.3f}")
        figures = f"{win:>6}{tie:>6}{edge:>7}"
        called = _short(texts.chance(house, chance.id), name)
        lines.append(Text(f"{called:<{name}}{figures}"))
    refait = 100 * max(chance.refait for chance in lesson.chances)
    lines.append(Text(texts("lesson.refait", share=written(f"{refait:.3f}"))))
    return lines


def _insurance(lesson: Lesson, house: House, texts: Texts, name: int) -> list[Text]:
    insured = [chance for chance in lesson.chances if chance.insured is not None]
    if not insured:
        return [Text(texts("lesson.uninsured"))]
    written = partial(in_digits, texts.language)
    title, edge, gain = (texts(f"lesson.{key}") for key in ("insured", "edge", "gain"))
    lines = [Text(f"{title:<{name}}{edge:>6}{gain:>7}", BOLD)]
    for chance in insured:
        saved = 100 * (chance.gain or 0.0)
        edge = written(f"{100 * (chance.insured or 0.0):.3f}")
        figures = f"{edge:>6}{written(f'{saved:+.3f}'):>7}"
        lines.append(Text(f"{texts.chance(house, chance.id):<{name}}{figures}"))
    best = max(insured, key=lambda chance: chance.gain or 0.0)
    if best.of_premium is not None:
        lines.append(
            Text(texts("lesson.of_premium", share=written(f"{100 * best.of_premium:+.1f}")))
        )
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
        told.append(
            texts(
                "lesson.holds_multiples", amount=amount_text(house, scope.multiple, texts.language)
            )
        )
    if scope.exact and scope.least != scope.multiple:
        told.append(
            texts("lesson.holds_from", amount=amount_text(house, scope.least, texts.language))
        )
    if scope.most is not None:
        told.append(texts("lesson.holds_to", amount=amount_text(house, scope.most, texts.language)))
    if scope.edge is not None:
        edge = in_digits(texts.language, f"{100 * float(scope.edge):.3f}")
        at = amount_text(house, scope.smallest, texts.language)
        chance = next(chance.id for chance in house.chances if chance.simple)
        told.append(
            texts("lesson.holds_at", chance=texts.chance(house, chance), amount=at, edge=edge)
        )
    return list(map(Text, told))


def _short(name: str, width: int) -> str:
    """Return the name of a side bet in a narrow column: its beginning and its end."""
    return name if len(name) < width else f"{name[:4]}…{name[-3:]}"
