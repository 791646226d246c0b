"""Events as values: what a field is where nothing is given."""

from __future__ import annotations

from trente_rules.table.events import CutMade, OtherEvent


def test_a_cut_that_shows_no_card_decides_no_colour() -> None:
    """Most houses look at no card: then neither it nor a first row is in the event."""
    made = CutMade(100, "player")
    assert (made.card, made.first_row) == (None, "")


def test_an_event_of_a_newer_release_may_have_no_fields() -> None:
    """Its name alone is an event, equal to another of the same name and fields."""
    event = OtherEvent("fanfare")
    assert event.fields == {}
    assert event == OtherEvent("fanfare", {})
    assert event != OtherEvent("fanfare", {"loud": True})
