"""The contract as a page: everything is on it, and nothing on it can act."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from html import unescape
from typing import get_args

import pytest

from trente_rules.service.api_page import ROLES, api_page, api_report, page_policy
from trente_rules.service.asyncapi import CLOSE_CODES
from trente_rules.service.endpoint_table import ENDPOINTS
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
    for each in ENDPOINTS:
        assert f">{each.method} {each.path}</h" in text, each.name
        assert all(f">{code}<" in text for found in each.all_refusals.values() for code in found)
    for cls in (*get_args(ServerMessage), *get_args(ClientMessage)):
        assert f">{cls.kind}</h4>" in text
    for kind in (*COMMANDS, *EVENTS):
        assert f"<td>{kind.kind}</td>" in text
    assert all(f"<td>{code}</td>" in text for code in (*CLOSE_CODES, *ROLES))
    assert "`" not in text  # what is Markdown in the documents is plain here


def test_each_table_of_the_page_has_rows() -> None:
    """No table is without a row, and none has a cell of another table."""
    tables = list(api_report().tables())
    assert len(tables) > 100
    for each in tables:
        assert each.rows, each.names
        assert all(len(row) == len(each.columns) for row in each.rows)


def test_the_policy_allows_the_style_of_the_page_and_nothing_else(page: str) -> None:
    """S: no script, and the one style that is in it has the hash of its policy."""
    assert "<script" not in page
    assert "style=" not in page
    style = page.partition("<style>")[2].partition("</style>")[0]
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policy = dict(part.strip().split(" ", 1) for part in page_policy().split(";"))
    assert policy["style-src"] == f"'sha256-{digest}'"
    assert policy["default-src"] == "'none'"
