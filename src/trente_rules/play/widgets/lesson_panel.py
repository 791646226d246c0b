"""The lesson panel: odds of the next coup, and what the insurance is worth."""

from __future__ import annotations

from rich.text import Text

from trente_rules.play.lesson import Lesson
from trente_rules.play.widgets.parts import Part
from trente_rules.play.widgets.style import BOLD


class LessonPanel(Part):
    """The odds of the next coup for the cards that nobody has seen."""

    def teach(self, lesson: Lesson, *, wide: bool) -> None:
        """Show a lesson."""
        text = Text().append(f"Next coup, {lesson.cards} cards unseen\n", BOLD)
        text.append("in per cent; edge of the stake\n")
        name = 15 if wide else 9
        text.append(f"{'':<{name}}{'win':>6}{'après':>6}{'edge':>7}\n", BOLD)
        for each in lesson.chances:
            apres = f"{100 * each.apres:.2f}" if each.apres else "–"
            told = each.id if wide else _short(each.id, name)
            text.append(f"{told:<{name}}{100 * each.win:>6.2f}{apres:>6}{100 * each.edge:>7.3f}\n")
        text.append(f"\nrefait {100 * max(e.refait for e in lesson.chances):.3f}\n")
        self._insurance(lesson, text, name)
        text.append(f"\nedge: the bank's, played best\noff by about {max(lesson.error, 1e-15):.0e}")
        self.show(text)

    @staticmethod
    def _insurance(lesson: Lesson, text: Text, name: int) -> None:
        insured = [each for each in lesson.chances if each.insured is not None]
        if not insured:
            text.append("\nno insurance in this house\n")
            return
        text.append(f"\n{'insured':<{name}}{'edge':>6}{'gain':>7}\n", BOLD)
        for each in insured:
            gain = 100 * (each.gain or 0.0)
            text.append(f"{each.id:<{name}}{100 * (each.insured or 0.0):>6.3f}{gain:>+7.3f}\n")
        best = max(insured, key=lambda each: each.gain or 0.0)
        if best.of_premium is not None:
            text.append(f"gain of premium {100 * best.of_premium:+.1f} %\n")
        verdict = "worth" if (best.gain or 0.0) > 0 else "not worth"
        text.append(f"{verdict} its premium now\n", BOLD)


def _short(name: str, width: int) -> str:
    """Answer the name of a side bet in a narrow column: its beginning and its end."""
    return name if len(name) < width else f"{name[:4]}…{name[-3:]}"
