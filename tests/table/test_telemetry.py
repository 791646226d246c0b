"""Metrics and traces of a table, by OpenTelemetry's SDK with exporters in memory."""

from __future__ import annotations

from typing import Any

import pytest
from tests.whole_units import whole_house

from trente_rules import Table, TrenteError
from trente_rules.fair import SeededShuffler
from trente_rules.table import Cut, Deal, OpenBets, OpenShoe, Place, Telemetry

pytest.importorskip("opentelemetry.sdk")

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter


def place(name: str, amount: int = 20, player: str = "ann") -> Place:
    """Return a stake on rouge."""
    return Place(id=name, stake=name, player=player, chance="rouge", amount=amount)


def played() -> tuple[Table, InMemoryMetricReader, tuple[ReadableSpan, ...]]:
    """Drive a table that is watched; return it, its metrics, and its spans."""
    reader, spans, traces = InMemoryMetricReader(), InMemorySpanExporter(), TracerProvider()
    traces.add_span_processor(SimpleSpanProcessor(spans))
    telemetry = Telemetry(tracer_provider=traces, meter_provider=MeterProvider([reader]))
    house = whole_house("monte-carlo-1911")
    table = Table(house, name="t7", session="s", observers=[telemetry])
    with traces.get_tracer("host").start_as_current_span("request"):
        table.do(OpenShoe.shuffled("1", 6, SeededShuffler("00" * 16)))
        table.do(Cut(id="2", place=100))
        table.do(OpenBets(id="3"))
    table.do_many((place("ann-1"), place("bob-1", player="bob"), place("bob-2", player="bob")))
    table.do(place("ann-1"))
    for refused in (place("ann-2", 1), place("ann-2", 2), Deal(id="4"), None):
        with pytest.raises(TrenteError):
            table.do(refused)  # type: ignore[arg-type]
    return table, reader, spans.get_finished_spans()


def points(reader: InMemoryMetricReader) -> dict[str, dict[tuple[object, ...], Any]]:
    """Return the points of each metric by the values of their attributes, in order of the keys."""
    metrics = reader.get_metrics_data()
    assert metrics is not None
    return {
        metric.name: {
            tuple(value for _key, value in sorted((point.attributes or {}).items())): point
            for point in metric.data.data_points
        }
        for scope in metrics.resource_metrics[0].scope_metrics
        for metric in scope.metrics
    }


def test_metrics_of_a_table() -> None:
    """T10: counters by kind and code, times, and gauges of each table."""
    _table, reader, _spans = played()
    found = points(reader)
    done = {key: point.value for key, point in found["trente.table.commands"].items()}
    assert done == {
        ("open-shoe", False): 1,
        ("cut", False): 1,
        ("open-bets", False): 1,
        ("place", False): 3,
        ("place", True): 1,
    }
    refused = {key: point.value for key, point in found["trente.table.refusals"].items()}
    assert refused == {
        ("below-minimum", "place"): 2,
        ("not-now", "deal"): 1,
        ("no-such-command", "other"): 1,
    }
    times = found["trente.table.command.duration"]
    assert {key: point.count for key, point in times.items()} == {
        ("open-shoe",): 1,
        ("cut",): 1,
        ("open-bets",): 1,
        ("place",): 2,
        **refused,
    }
    assert all(0 < point.sum < 10 for point in times.values())
    assert found["trente.table.stakes"]["t7",].value == 3
    assert found["trente.table.players"]["t7",].value == 2


def test_the_stakes_of_a_table_that_refused_nothing_are_shown() -> None:
    """T10: the gauges have a table from its first command, not from its first refusal."""
    reader = InMemoryMetricReader()
    telemetry = Telemetry(meter_provider=MeterProvider([reader]))
    house = whole_house("monte-carlo-1911")
    table = Table(house, name="t8", session="s", observers=[telemetry])
    table.do(OpenShoe.shuffled("1", 6, SeededShuffler("00" * 16)))
    table.do(Cut(id="2", place=100))
    table.do(OpenBets(id="3"))
    table.do(place("ann-1"))
    found = points(reader)
    assert found["trente.table.stakes"]["t8",].value == 1
    assert found["trente.table.players"]["t8",].value == 1


def test_traces_of_a_table() -> None:
    """T10: a span for each command, under the host's own, with the attributes that are named."""
    _table, _reader, done = played()
    assert [span.name for span in done] == [
        *("trente.open-shoe", "trente.cut", "trente.open-bets", "request"),
        *["trente.place"] * 6,
        *("trente.deal", "trente.other"),
    ]
    assert [span.parent for span in done[:3]] == [done[3].context] * 3
    assert dict(done[4].attributes or {}) == {
        "trente.table.name": "t7",
        "trente.round": "s/1/1",
        "trente.command.kind": "place",
        "trente.command.repeated": False,
        "trente.command.events": 1,
        "trente.command.movements": 1,
    }
    codes = [(span.attributes or {}).get("error.type") for span in done]
    assert codes[8:] == ["below-minimum", "below-minimum", "not-now", "no-such-command"]
    assert [span.status.is_ok for span in done] == [True] * 8 + [False] * 4


def test_telemetry_names_no_player_and_no_card_to_come() -> None:
    """T10: neither ids of players, stakes and commands nor cards leave by metrics or spans."""
    table, reader, spans = played()
    metrics = reader.get_metrics_data()
    assert metrics is not None
    text = "".join((metrics.to_json(), *(span.to_json() for span in spans)))
    assert "t7" in text
    assert not [name for name in ("ann", "bob") if name in text]
    cards = getattr(table.state.shoe, "cards", ())
    assert len(cards) == 312
    assert not [card for card in cards if str(card) in text or repr(str(card))[1:-1] in text]
