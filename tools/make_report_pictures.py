"""Make docs/images/report-*.png: reports as pages, on a phone and on a desktop.

    python tools/make_report_pictures.py

Needs Chromium. The reports are those of the shipped houses: the pictures change with them.
"""

# ruff: noqa: INP001, T201 - a script that says what it does

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Literal

from made_file import parser_of

ROOT: Final = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from PIL import Image  # noqa: E402 - matplotlib brings it
from playwright.sync_api import Browser, sync_playwright  # noqa: E402
from tests.cli.calling import trente  # noqa: E402
from tests.web.tools import chromium  # noqa: E402

PLACE: Final = ROOT / "docs" / "images"
PHONE: Final = (390, 844)
DESKTOP: Final = (1280, 800)
LARGEST: Final = 300_000
PAGES: Final[tuple[tuple[str, tuple[str, ...], tuple[int, int], Literal["light", "dark"]], ...]] = (
    ("compare-phone", ("compare",), PHONE, "dark"),
    ("compare-desktop", ("compare",), DESKTOP, "light"),
    ("par-phone", ("par", "france-2007"), PHONE, "light"),
    ("par-desktop", ("par", "france-2007"), DESKTOP, "dark"),
)


def page(
    browser: Browser, file: Path, name: str, size: tuple[int, int], scheme: Literal["light", "dark"]
) -> None:
    """Write a picture of a page."""
    width, height = size
    path = PLACE / f"report-{name}.png"
    shown = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    shown.goto(file.as_uri())
    shown.screenshot(path=path, animations="disabled", caret="hide")
    shown.close()
    with Image.open(path) as whole:  # 256 colours: the eye sees the same
        small = whole.convert("RGB").quantize(256, method=Image.Quantize.FASTOCTREE)
    small.save(path, optimize=True)
    size_now = path.stat().st_size
    print(f"{path.relative_to(ROOT)} {size_now:,} bytes")
    if size_now > LARGEST:
        sys.exit(f"{path} has {size_now:,} bytes, more than {LARGEST:,}")


def main() -> None:
    """Make all pictures."""
    parser_of(__doc__).parse_args()
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        for name, command, size, scheme in PAGES:
            file = Path(folder) / f"{name}.html"
            trente(*command, "--out", file)
            page(browser, file, name, size, scheme)
        browser.close()


if __name__ == "__main__":
    main()
