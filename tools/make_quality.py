"""Write docs/quality.md, and the summary that a certification holds, from the kept results.

Run ``python tools/make_quality.py`` after ``make nightly``; with ``--check`` nothing is written, and
the exit status is 1 where a stored file is not what is made.
"""

# ruff: noqa: INP001

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from made_file import write_or_check
from nightly import PARTS, Part
from results import ROOT, kept_results

PAGE: Final = ROOT / "docs" / "quality.md"
SUMMARY: Final = ROOT / "src" / "trente_rules" / "reports" / "quality.json"
# ruff: noqa: E501
HEAD: Final = """# Quality

How this library is tested beyond the tests of every change, and the last result of each part. `make nightly` runs the parts that
have not passed on the code of the checkout, each an hour at most; a run that was stopped continues where it was. A part that is
listed as *passed* names the commit it passed on; one whose commit has a "+" was run on a checkout with changes that were not yet committed.
Every figure below is kept by `make nightly PARTS=NAME`, which runs the command of the part in its whole size and writes a file in
`docs/quality`; this page is generated from those files by `python tools/make_quality.py`. The same command by hand prints the figures
and keeps nothing.

`.ci/run` is the run of every change: style, types, imports, documents, distributions, the tests, and short runs of the
proofs. [Testing](contributing.md) explains how tests are written, [security](security.md) what each promise is and how an auditor checks
it, [compatibility](compatibility.md) what is read for ever.
"""


def _value(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def _figures(kept: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {_value(value)}" for name, value in kept["figures"].items())


def _minutes(seconds: int) -> str:
    return f"{seconds} s" if seconds < 100 else f"{seconds / 60:.0f} min"  # noqa: PLR2004


def _row(part: Part, kept: Mapping[str, Any] | None) -> str:
    name = f"`{part.name}`" if part.tests or kept is None else f"[`{part.name}`](#{part.name})"
    if kept is None:
        return f"| {name} | {part.proves} | not yet run |" + " |" * (3 if part.tests else 2)
    word = "passed" if kept["passed"] else "**failed**"
    found = "; ".join(filter(None, (_figures(kept), *kept["notes"])))
    figures = f" {found} |" if part.tests else ""
    return (
        f"| {name} | {part.proves} | {word} |{figures} {kept['commit']}, {kept['date']} "
        f"| {_minutes(kept['seconds'])} |"
    )


def _table(
    title: str, columns: str, parts: list[Part], kept: Mapping[str, Mapping[str, Any]]
) -> Iterator[str]:
    yield f"\n## {title}\n"
    yield f"| {columns} |"
    yield "| --- " * len(columns.split(" | ")) + "|"
    yield from (_row(part, kept.get(part.name)) for part in parts)


def _details(part: Part, kept: Mapping[str, Any]) -> Iterator[str]:
    """Yield the section of a proof: its command, its notes, and a line for each figure."""
    yield f"\n### {part.name}\n"
    yield f"`make nightly PARTS={part.name}` runs `{kept['command']}`.\n"
    if kept["notes"]:
        yield from (f"- {note}" for note in kept["notes"])
        yield ""
    yield "| figure | value |"
    yield "| --- | --- |"
    yield from (f"| {name} | {_value(value)} |" for name, value in kept["figures"].items())


def page(kept: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the page of the kept results.

    Raises ``ValueError`` for a result that no part of the nightly run has written.
    """
    strange = kept.keys() - {part.name for part in PARTS}
    if strange:
        message = (
            f"docs/quality: {sorted(strange)}: names of parts in tools/nightly.py were expected"
        )
        raise ValueError(message)
    proofs = [part for part in PARTS if not part.tests]
    lines = [HEAD.rstrip("\n")]
    ends = "commit, date | time"
    lines += _table("Proofs", f"part | what it proves | result | {ends}", proofs, kept)
    lines += _table(
        "Tests, with the examples of a night",
        f"part | what it proves | result | figures | {ends}",
        [part for part in PARTS if part.tests],
        kept,
    )
    lines.append("\nThe command of a part of tests is `make nightly PARTS=NAME`.")
    lines.append("\n## Figures of the proofs")
    for part in proofs:
        if part.name in kept:
            lines += _details(part, kept[part.name])
    lines.append("")
    lines.append("## Machines\n")
    lines += sorted({f"- {each['machine']}" for each in kept.values()})
    return "\n".join(lines) + "\n"


def summary(kept: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the results as JSON: of every part, ``null`` where it has not been run."""
    shown = ("passed", "figures", "commit", "date", "seconds", "machine", "command")
    parts = {
        part.name: {"proves": part.proves, **{name: kept[part.name][name] for name in shown}}
        if part.name in kept
        else {"proves": part.proves, "passed": None}
        for part in PARTS
    }
    return json.dumps(parts, indent=1, ensure_ascii=False) + "\n"


def files() -> Iterator[tuple[Path, str]]:
    """Yield the page and the summary, each with its file."""
    kept = kept_results()
    yield PAGE, page(kept)
    yield SUMMARY, summary(kept)


if __name__ == "__main__":
    sys.exit(write_or_check(__doc__, files))
