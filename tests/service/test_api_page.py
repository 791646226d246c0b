"""The contract as a page: everything is on it, and nothing on it can act."""

from __future__ import annotations

import re
from html import unescape
from itertools import chain
from typing import get_args

import pytest

from trente_rules.service.api_page import ROLES, api_page, api_report, api_style
from trente_rules.service.asyncapi import CLOSE_CODES
from trente_rules.service.endpoint_table import ENDPOINTS, endpoint
from trente_rules.service.messages import ClientMessage, ServerMessage
from trente_rules.table.commands import COMMANDS
from trente_rules.table.events import EVENTS


@pytest.fixture(scope="module")
def page() -> str:
    """Return the page."""
    return api_page()


def test_every_endpoint_message_and_code_is_on_the_page(page: str) -> None:
    """Endpoints with their paths, messages, commands, events, close codes, refusals, roles."""
    text = unescape(page)
    cells = {*re.findall(r"<td[^>]*>([^<]*)</td>", text)}
    for each in ENDPOINTS:
        assert f">{each.method} {each.path}</h" in text, each.name
        assert cells.issuperset(chain.from_iterable(each.all_refusals.values())), each.name
    for cls in (*get_args(ServerMessage), *get_args(ClientMessage)):
        assert f">{cls.kind}</h4>" in text
    for kind in (*COMMANDS, *EVENTS):
        assert f">{kind.kind}</t" in text
    assert all(f">{code}</t" in text for code in (*CLOSE_CODES, *ROLES))
    assert "\\n" not in text
    assert "`" not in text  # what is Markdown in the documents is plain here


def test_each_table_of_the_page_has_rows() -> None:
    """No table is without a row, and none has a cell of another table."""
    tables = list(api_report().tables())
    assert len(tables) > 100
    for each in tables:
        assert each.rows, each.names
        assert all(len(row) == len(each.columns) for row in each.rows)


def test_nothing_in_the_page_needs_another_policy(page: str) -> None:
    """S: no script, no style in it; its one stylesheet is an endpoint."""
    assert "<script" not in page
    assert "<style" not in page
    assert "style=" not in page
    assert page.count("<link") == 1
    assert f'<link rel="stylesheet" href="{endpoint("docs_style").path}">' in page
    assert "table{" in api_style()
