"""Each document as a whole script: played at a live table and compared, line by line."""

from __future__ import annotations

import pytest
from tests.sources.transcripts import FOLDER, SCRIPTS, Script


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_the_table_does_what_the_document_says(script: Script) -> None:
    """D13: calls, cards, money and refusals are those of the transcript, in its order."""
    assert script.played() == script.written


def test_every_transcript_is_played() -> None:
    """No file is left out; each of the five documents has a taille."""
    names = {path.stem for path in FOLDER.glob("*.txt")}
    assert names == {script.name for script in SCRIPTS}
    assert {f"s{number}-taille" for number in range(5)} <= names
