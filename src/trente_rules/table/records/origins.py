"""Where a shoe and the stakes that came in with it are from, as a record tells it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from trente_rules.deal.provenance import Provenance
from trente_rules.errors import TrenteError
from trente_rules.stakes import Stake
from trente_rules.table.records.values import Prisoner, Record


def source_of(text: str) -> tuple[Provenance | None, str]:
    """Answer where the order is from, as a provenance where the text is the JSON of one."""
    if text.startswith("{"):
        try:
            told: Any = json.loads(text)
            provenance = Provenance.of_json(told)
        except (TrenteError, ValueError, RecursionError, TypeError):
            return None, text
        if json.dumps(provenance.to_json()) == text:
            return provenance, ""
    return None, text


def source_text(record: Record) -> str:
    """Answer the source of a shoe as the command that opened it had it."""
    if record.provenance is None:
        return record.shoe.source
    return json.dumps(record.provenance.to_json())


def prisoners_of(stakes: Iterable[Stake]) -> tuple[Prisoner, ...]:
    """Answer stakes as a record tells of those that came in."""
    return tuple(
        Prisoner(
            **Prisoner.fields_of(stake),
        )
        for stake in stakes
    )
