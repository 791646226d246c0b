"""A house of strange words at the table: nothing of it acts on the terminal."""

from __future__ import annotations

import pytest
from tests.play.seated import play_on_screen, ready, seen
from textual.pilot import Pilot

from trente_rules import loads_house
from trente_rules.core.text import hides
from trente_rules.play.app import TableApp

pytestmark = pytest.mark.slow

STRANGE = r"e\r\nfake\u001b]52;c;cm0=\u0007\u009b31m\u2067\u200b\u2028"
HOUSE = (
    f'[house]\nname = "x"\nextends = "france-2007"\ntitle = "{STRANGE}"\n'
    f'[money]\ncurrency = "{STRANGE}"\n[announcements.phrases]\nfaites_vos_jeux = "a\\u200bb"\n'
)


def test_nothing_of_a_house_acts_on_the_screen() -> None:
    """S4: title, currency and calls at the table, in its dialogs and in its notices."""
    shots: list[str] = []

    async def play(app: TableApp, pilot: Pilot[None]) -> None:
        shots.append(seen(app))
        for key in ("r", "d", "d", "h", "escape", "v", "escape", "s", "escape", "question_mark"):
            await pilot.press(key)
            await pilot.pause()
            shots.append(seen(app))

    play_on_screen(ready(loads_house(HOUSE)), play, size=(120, 40))
    assert r"fake\x1b]52" in shots[0]
    assert r"A\u200bb" in "".join(shots)
    for shot in shots:
        assert not hides(shot)
