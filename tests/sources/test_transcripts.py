"""Each document as a whole script: played at a live table and compared, line by line."""

from __future__ import annotations

import pytest
from tests.sources.transcripts import SCRIPTS, Script, played, written


def waiting(script: Script) -> pytest.MarkDecorator | tuple[()]:
    """Return the mark of a transcript that the product does not keep yet."""
    return pytest.mark.xfail(reason=script.waits, strict=True) if script.waits else ()


@pytest.mark.parametrize(
    "script", [pytest.param(one, id=one.name, marks=waiting(one)) for one in SCRIPTS]
)
def test_the_table_does_what_the_document_says(script: Script) -> None:
    """D13: calls, cards, money and refusals are those of the transcript, in its order."""
    assert played(script.house, script.text, dict(script.posted)) == written(script.text)
