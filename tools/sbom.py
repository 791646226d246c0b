"""Write the bill of materials of a release, as CycloneDX: ``make sbom``.

The wheel is built and installed with all its extras in a clean environment, which knows nothing of
this checkout; what is there then is written to ``dist/trente-rules-VERSION.cdx.json``. Run
``python tools/sbom.py``, with the tools of development installed.
"""

# ruff: noqa: INP001, T201 - a script that says what it does

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from made_file import parser_of

ROOT: Final = Path(__file__).parent.parent
ASK: Final = (
    "import json; from trente_rules.reports.certification.sbom import bill_of_materials;"
    "print(json.dumps(bill_of_materials(), indent=1))"
)


def ran(*words: str, folder: Path = ROOT) -> str:
    """Run a command and return what it prints; ``CalledProcessError`` where it fails."""
    done = subprocess.run(  # noqa: S603 - fixed words
        words, cwd=folder, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout


def main(given: list[str] | None = None) -> int:
    """Build, install and write; return the exit status."""
    parser_of(__doc__).parse_args(given)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build = (sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", name)
        ran(*build, str(ROOT))
        wheel = next(folder.glob("*.whl"))
        clean = folder / "clean"
        uv = (sys.executable, "-m", "uv", "--quiet")
        ran(*uv, "venv", "--python", sys.executable, str(clean))
        program = str(clean / ("Scripts" if os.name == "nt" else "bin") / "python")
        wanted = f"trente-rules[all] @ {wheel.as_uri()}"
        ran(*uv, "pip", "install", "--python", program, wanted)
        document = json.loads(ran(program, "-I", "-c", ASK, folder=folder))
    package = document["metadata"]["component"]
    file = ROOT / "dist" / f"{package['name']}-{package['version']}.cdx.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{file.relative_to(ROOT)}: {len(document['components'])} components")
    return 0


if __name__ == "__main__":
    sys.exit(main())
