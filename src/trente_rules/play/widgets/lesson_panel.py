"""The lesson panel: odds of the next coup, and what the insurance is worth."""

from __future__ import annotations

from typing import Final

from rich.text import Text

from trente_rules.play.lesson import Lesson
from trente_rules.play.widgets.parts import Part
from trente_rules.play.widgets.style import BOLD

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
    """Answer the name of a side bet in a narrow column: its beginning and its end."""
    return name if len(name) < width else f"{name[:4]}…{name[-3:]}"
