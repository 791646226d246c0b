"""``trente odds``: the cards that are left, its JSON, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.calling import trente

from trente_rules.core.cards import PACK, parse_cards
from trente_rules.core.errors import TrenteError
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.odds.remaining import CompletedOdds, Composition, deal_odds


def test_a_full_shoe_has_the_figures_of_the_stored_table() -> None:
    """Six packs: points, refait, edges and what insurance is worth, 9.457 % of its premium."""
    ran = trente("odds", "--format", "json", "--house", "france-2007")
    assert ran.status == 0
    found = ran.json
    odds = fresh_shoe(6)
    assert found["deal"] == "6-packs"
    assert found["cards"] == 312
    assert found["remaining"]["X"] == {"red": 48, "black": 48}
    assert found["joint"] == [[float(p) for p in line] for line in odds.joint()]
    assert found["row"] == [float(p) for p in odds.row()]
    assert found["unfinished"] == 0
    rouge = found["chances"]["rouge"]
    assert list(rouge) == ["win", "lose", "apres", "refait"]
    assert rouge["refait"] == float(odds.tie(31))
    assert abs(found["insurance"]["rouge"]["of_premium"] - 0.09457) < 1e-5
    least = min(wager["edge"] for wager in found["edges"])
    assert abs(least - 0.01) < 1e-12


@pytest.mark.slow
def test_few_cards_name_the_coup_that_is_not_completed() -> None:
    """The chances sum to one with the coup for which the cards do not suffice."""
    left = "A:2,5:2,8:1r+0b,9:1r+1b,X:1r+2b"
    found = trente("odds", "--remaining", left, "--format", "json").json
    assert 0 < found["unfinished"] < 1
    for chance in found["chances"].values():
        assert abs(sum(chance.values()) + found["unfinished"] - 1) < 1e-12
    out = trente("odds", "--remaining", left).out
    assert "not completed" in out
    assert "; of a coup that is completed\n" in out
    assert "of a coup that is completed" not in trente("odds").out


def test_cards_that_never_suffice_have_no_edges() -> None:
    """Three tens make no two rows; nothing is divided by nought."""
    ran = trente("odds", "--remaining", "X:2r+1b", "--format", "json")
    assert ran.status == 0
    assert ran.json["unfinished"] == 1
    assert ran.json["edges"] is None
    told = trente("odds", "--remaining", "X:2r+1b")
    assert told.status == 0
    assert "No coup can be completed from these cards" in told.out
    with pytest.raises(TrenteError) as caught:
        CompletedOdds(deal_odds(Composition.parse("X:2r+1b")))
    assert caught.value.code == "no-coup-left"


def test_dealt_cards_are_taken_out_of_the_packs(tmp_path: Path) -> None:
    """A list of cards leaves what --remaining says; rows and lines may be parted."""
    kept = parse_cards("10h Jd Qs Kc 10d 9h 8s Kh Qd")
    out = [card for card in PACK if card not in kept]
    file = tmp_path / "dealt.txt"
    file.write_text(" / ".join(map(str, out[:20])) + "\n" + ",".join(map(str, out[20:])), "utf-8")
    dealt = trente("odds", "--packs", "1", "--dealt", str(file), "--format", "json").json
    given = trente("odds", "--remaining", "8:0r+1b,9:1r+0b,X:5r+2b", "--format", "json").json
    assert dealt == given
    assert dealt["cards"] == 9


def test_a_card_dealt_too_often_is_named(tmp_path: Path) -> None:
    """One pack has one ten of hearts; what is no card, or no text, is told as well."""
    file = tmp_path / "dealt.txt"
    for written, told in (
        (b"10h 9s 10h", "card 3"),
        (b"10h 11x", "'11x' is not a card"),
        (b"\xff\xfe", "not UTF-8"),
        (b" " * 1_000_001, "more than 1000000"),
    ):
        file.write_bytes(written)
        ran = trente("odds", "--packs", "1", "--dealt", str(file))
        assert ran.status == 1
        assert told in ran.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--remaining", "Z:3"), "unknown card value 'Z:3'"),
        (("--remaining", "A:3"), "odd count"),
        (("--remaining", "A:-2"), "'-2' is invalid (counts are whole, from 0"),
        (("--remaining", "A:2.0"), "'2.0' is invalid (counts are whole, from 0"),
        (("--remaining", "A:2,A:4"), "named twice"),
        (("--remaining", ""), "unknown card value"),
        (("--remaining", "A:0"), "no card is left"),
        (("--remaining", "A:6", "--packs", "1"), "1 pack holds 2"),
        (("--remaining", "A:6", "--dealt", "-"), "not both"),
        (("--packs", "0"), "x>=1"),
        (("--dealt", "no-such-file"), "no-such-file"),
    ],
)
def test_bad_cards_are_misuse(arguments: tuple[str, ...], told: str) -> None:
    """Exit status 2, the bad value and what to write."""
    ran = trente("odds", *arguments)
    assert ran.status == 2
    assert told in ran.err


@pytest.mark.slow
def test_the_fast_engine_answers_the_same() -> None:
    """Both engines print the same figures; the fast one tells its error."""
    pytest.importorskip("numba")
    cards = ("odds", "--remaining", "2:8,9:20,X:31r+30b", "--format", "json")
    exact, fast = (trente(*cards, "--engine", engine).json for engine in ("exact", "fast"))
    assert exact["error"] == 0 < fast["error"] < 1e-13
    for chance, verdicts in exact["chances"].items():
        for verdict, p in verdicts.items():
            assert abs(fast["chances"][chance][verdict] - p) < 1e-12
    assert "fast, off by about" in trente(*cards[:3], "--engine", "fast").out


def test_edges_hold_for_a_coup_that_is_completed() -> None:
    """A coup that the cards cannot complete is void: it neither wins nor loses a stake."""
    odds = CompletedOdds(deal_odds(Composition.parse("A:2,5:2,8:1r+0b,9:2,X:1r+2b")))
    assert 0 < odds.completed < 1
    assert sum(odds.verdicts(bytes(400))) == 1
