"""Metrics: what happened is counted once, by labels of which there are few."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import prometheus_client
import pytest
from prometheus_client.parser import text_string_to_metric_families
from tests.whole_units import whole_house

from trente_rules import Table, TrenteError
from trente_rules.fair import SeededShuffler
from trente_rules.service.gate import Passage
from trente_rules.service.metrics import MOST_CODES, Metrics
from trente_rules.table import (
    CloseBets,
    Cut,
    Deal,
    OpenBets,
    OpenShoe,
    Place,
    Settle,
    VoidCoup,
)
from trente_rules.table.table import Observer


def figures(metrics: Metrics) -> dict[str, float]:
    """Return every figure by its name and its labels, as Prometheus reads them."""
    return {
        f"{sample.name}{sorted(sample.labels.items())}" if sample.labels else sample.name: (
            sample.value
        )
        for family in text_string_to_metric_families(metrics.text())
        for sample in family.samples
    }


def of(metrics: Metrics, name: str) -> dict[str, float]:
    """Return the figures of one name by the values of their labels."""
    return {
        " ".join(sample.labels.values()): sample.value
        for family in text_string_to_metric_families(metrics.text())
        for sample in family.samples
        if sample.name == name
    }


def passage(**changes: Any) -> Passage:
    """Return a request that was served, with some fields of it changed."""
    given = {
        "request_id": "r",
        "kind": "request",
        "method": "GET",
        "path": "/api/tables",
        "status": 200,
        "code": "",
        "seconds": 0.02,
        "client": "192.0.2.1",
        "visitor": None,
        "received": 0,
        "sent": 10,
        **changes,
    }
    return Passage(**given)


def place(name: str, amount: int = 20, player: str = "ann") -> Place:
    """Return a stake on rouge."""
    return Place(id=name, stake=name, player=player, chance="rouge", amount=amount)


def test_commands_and_coups_of_a_table() -> None:
    """Kinds and outcomes of commands, coups by their end; a repeated command ends nothing twice."""
    metrics = Metrics()
    table = Table(whole_house("monte-carlo-1911"), name="t7", session="s", observers=[metrics])
    table.do(OpenShoe.shuffled("1", 6, SeededShuffler("00" * 16)))
    table.do(Cut(id="2", place=100))
    table.do(OpenBets(id="3"))
    table.do_many((place("ann-1"), place("bob-1", player="bob")))
    table.do(place("ann-1"))
    for refused in (place("ann-2", 1), Deal(id="4"), None):
        with pytest.raises(TrenteError):
            table.do(refused)  # type: ignore[arg-type]
    table.do(CloseBets(id="5"))
    table.do(Deal(id="6"))
    table.do(Settle(id="7"))
    table.do(Settle(id="7"))
    table.do(OpenBets(id="8"))
    table.do(VoidCoup(id="9", reason="a card fell"))
    commands = of(metrics, "trente_commands_total")
    assert commands == {
        "open-shoe done": 1,
        "cut done": 1,
        "open-bets done": 2,
        "place done": 2,
        "place repeated": 1,
        "place refused": 1,
        "deal refused": 1,
        "other refused": 1,
        "close-bets done": 1,
        "deal done": 1,
        "settle done": 1,
        "settle repeated": 1,
        "void-coup done": 1,
    }
    assert of(metrics, "trente_coups_total") == {"settled": 1, "void": 1}
    assert of(metrics, "trente_shoes_total") == {"": 1}
    assert of(metrics, "trente_command_seconds_count") == {"done": 11, "refused": 3}
    assert of(metrics, "trente_refusals_total") == {}, "codes are counted where they are sent"
    text = metrics.text()
    for secret in ("ann", "bob", "t7", "monte"):
        assert secret not in text


def test_it_is_an_observer() -> None:
    """A table takes it as it takes any observer."""
    assert isinstance(Metrics(), Observer)


def test_sockets_and_messages() -> None:
    """The service calls these as they happen."""
    metrics = Metrics()
    for _ in range(3):
        metrics.socket_opened()
    metrics.socket_closed()
    metrics.message_sent()
    metrics.delivered(0.004)
    metrics.slow_reader_cut()
    metrics.message_refused("below-minimum")
    metrics.watch_tables(lambda: 50)
    found = figures(metrics)
    assert found["trente_sockets"] == 2
    assert found["trente_messages_sent_total"] == 1
    assert found["trente_delivery_seconds_count"] == 1
    assert found["trente_delivery_seconds_bucket[('le', '0.005')]"] == 1
    assert found["trente_delivery_seconds_bucket[('le', '0.0025')]"] == 0
    assert found["trente_slow_readers_total"] == 1
    assert found["trente_tables"] == 50
    assert of(metrics, "trente_refusals_total") == {"below-minimum": 1}
    assert found["trente_rate_limited_total"] == 0


def test_the_wallets_of_all_tables() -> None:
    """Issue 14: what the wallet was not told yet, over all tables, and how long that waits."""
    metrics = Metrics()
    tables: list[Any] = []
    metrics.watch_cashiers(lambda: tables)
    assert figures(metrics)["trente_wallet_oldest_seconds"] == 0
    tables += (
        SimpleNamespace(pending=2, reversing=1, stuck=0, oldest=1.5),
        SimpleNamespace(pending=3, reversing=0, stuck=4, oldest=0.5),
    )
    found = figures(metrics)
    assert [found[f"trente_wallet_{name}"] for name in ("pending", "reversing", "stuck")] == [
        5,
        1,
        4,
    ]
    assert found["trente_wallet_oldest_seconds"] == 1.5


def test_requests_and_refusals() -> None:
    """Requests by method and status, refusals by code, those that were too many besides."""
    metrics = Metrics()
    for each in (
        passage(),
        passage(method="POST", status=429, code="too-many"),
        passage(method="POST", status=422, code="below-minimum"),
        passage(method="BREW", status=405, code="wrong-method", path="/" + "x" * 99),
        passage(kind="socket", status=1000),
        passage(kind="socket", status=4999),
        passage(kind="socket", status=403, code="bad-origin"),
    ):
        metrics.ended(each)
    assert of(metrics, "trente_requests_total") == {
        "GET 200": 1,
        "POST 429": 1,
        "POST 422": 1,
        "other 405": 1,
    }
    assert of(metrics, "trente_sockets_closed_total") == {"1000": 1, "other": 1, "403": 1}
    assert of(metrics, "trente_refusals_total") == {
        "too-many": 1,
        "below-minimum": 1,
        "wrong-method": 1,
        "bad-origin": 1,
    }
    found = figures(metrics)
    assert found["trente_rate_limited_total"] == 1
    assert found["trente_request_seconds_count"] == 4


def test_labels_are_bounded() -> None:
    """However many codes, methods, statuses and names there are, the figures are so many."""
    metrics = Metrics()
    for number in range(2_000):
        metrics.message_refused(f"code-{number}")
        metrics.ended(
            passage(method=f"M{number}", path=f"/{number}", client=f"c{number}", status=number * 10)
        )
        metrics.ended(passage(kind="socket", status=3000 + number))
    assert len(of(metrics, "trente_refusals_total")) == MOST_CODES + 1
    assert len(of(metrics, "trente_requests_total")) <= 52
    assert len(metrics.text()) < 60_000


def global_names() -> Iterator[str]:
    """Return the names of figures in the registry of the library itself."""
    for family in prometheus_client.REGISTRY.collect():
        yield family.name


def test_each_application_has_its_own() -> None:
    """Two applications in a process do not count each other's, nor into the global registry."""
    first, second = Metrics(), Metrics()
    first.message_sent()
    assert figures(first)["trente_messages_sent_total"] == 1
    assert figures(second)["trente_messages_sent_total"] == 0
    assert not [name for name in global_names() if name.startswith("trente")]


def test_the_process_is_in_it() -> None:
    """Memory, processor and open files of the process are among the figures."""
    assert figures(Metrics())["process_resident_memory_bytes"] > 1e6
