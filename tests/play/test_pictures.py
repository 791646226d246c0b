"""What the table looks like: SVG snapshots at both sizes, and the pictures of the page."""

from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.image import SVGImageSnapshotExtension
from tests.play.scenes import PICTURES, SCENES, draw

IMAGES = Path(__file__).parents[2] / "docs" / "images"


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENES)
def test_the_table_looks_as_it_did(name: str, snapshot: SnapshotAssertion) -> None:
    """Every scene is drawn as its snapshot; docs/play.md shows some of them as they are now.

    After a change that was looked at: ``pytest --snapshot-update tests/play/test_pictures.py`` and
    ``python -m tests.play.scenes docs/images``.
    """
    drawn = draw(SCENES[name])
    assert drawn == snapshot(extension_class=SVGImageSnapshotExtension)
    if name in PICTURES:
        assert (IMAGES / f"play-{name}.svg").read_text("utf-8") == drawn
