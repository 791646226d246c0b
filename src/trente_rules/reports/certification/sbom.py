"""The software bill of materials: what is installed, as CycloneDX JSON.

Written without a time and without random ids, so that one environment always has the same bytes.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any, Final

from trente_rules.reports.certification.installation import NAME, Installed, installation

SPECIFICATION: Final = "1.6"
_PYTHON: Final = "python"
_PREFIX: Final = f"{NAME}:"


def bill_of_materials(plugins: tuple[str, ...] = (), *, timestamp: str = "") -> dict[str, Any]:
    """Return what is installed as a CycloneDX document.

    It has the package, all that it and its ``plugins`` (names of distributions) can use in this
    environment, and Python. ``timestamp``, such as ``2026-01-31T00:00:00Z``, is left out if empty.
    """
    found = installation(plugins)
    python = found.python
    interpreter = {
        "type": "platform",
        "bom-ref": _PYTHON,
        "name": python["implementation"],
        "version": python["version"],
        **_properties({"sha256-of-program": python["sha256_of_program"]}),
    }
    refs = {one.key: _ref(one) for one in found.components}
    document: dict[str, Any] = {
        "$schema": f"http://cyclonedx.org/schema/bom-{SPECIFICATION}.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": SPECIFICATION,
        "version": 1,
        "metadata": {
            **({"timestamp": timestamp} if timestamp else {}),
            "tools": {
                "components": [
                    {"type": "application", "name": NAME, "version": found.package.version}
                ]
            },
            "component": _component(found.package),
        },
        "components": [*map(_component, found.components[1:]), interpreter],
        "dependencies": [
            {
                "ref": _ref(one),
                "dependsOn": sorted(
                    [refs[key] for key in one.requires] + [_PYTHON] * (one is found.package)
                ),
            }
            for one in found.components
        ]
        + [{"ref": _PYTHON}],
    }
    digest = sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
    return {**document, "serialNumber": _serial(digest)}


def _serial(digest: str) -> str:
    """Return the UUID (version 8) that a digest gives: the same document has the same one."""
    variant = "89ab"[int(digest[16], 16) % 4]
    digits = f"{digest[:12]}8{digest[13:16]}{variant}{digest[17:32]}"
    parts = (digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])
    return f"urn:uuid:{'-'.join(parts)}"


def _ref(one: Installed) -> str:
    return f"pkg:pypi/{one.key}@{one.version.replace('+', '%2B')}"


def _component(one: Installed) -> dict[str, Any]:
    return {
        "type": "library",
        "bom-ref": _ref(one),
        "name": one.name,
        "version": one.version,
        **({"licenses": [_licence(one)]} if one.licence else {}),
        "purl": _ref(one),
        **_properties({"sha256-of-installed-files": "" if one.editable else one.digest}),
    }


def _licence(one: Installed) -> dict[str, Any]:
    if one.licence_is_expression:
        return {"expression": one.licence}
    return {"license": {"name": one.licence}}


def _properties(given: dict[str, str]) -> dict[str, Any]:
    known = [{"name": f"{_PREFIX}{name}", "value": text} for name, text in given.items() if text]
    return {"properties": known} if known else {}
