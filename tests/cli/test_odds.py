"""``trente odds``: the cards that are left, its JSON, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.calling import Terminal, longest_line, trente

from trente_rules.core.cards import PACK, parse_cards
from trente_rules.core.errors import TrenteError
from trente_rules.core.house.loading import load_house
from trente_rules.odds.advantage import advantage
from trente_rules.odds.coup_odds import fresh_shoe
from trente_rules.odds.remaining import CompletedOdds, Composition, deal_odds
from trente_rules.reports.document import mark_of
from trente_rules.reports.odds_layout import NextCoup, odds_report


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
    for more in ((), ("--full",)):
        out = " ".join(trente("odds", "--remaining", left, *more).out.split())
        assert "not completed" in out
        assert "of a coup that is completed" in out
        assert "of a coup that is completed" not in trente("odds", *more).out


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
    for written, status, told in (
        (b"10h 9s 10h", 1, "card 3"),
        (b"10h 11x", 1, "'11x' is not a card"),
        (b"\xff\xfe", 1, "not UTF-8"),
        (b" " * 1_000_001, 2, "more than 1000000"),
    ):
        file.write_bytes(written)
        ran = trente("odds", "--packs", "1", "--dealt", str(file))
        assert ran.status == status
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
        (("--packs", "0"), "'0' is not a whole number from 1 to"),
        (("--packs", "x"), "'x' is not a whole number from 1 to"),
        (("--digits", "16"), "'16' is not a whole number from 0 to 15"),
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
    assert trente(*cards).json == fast
    assert "fast engine, off by at most about" in trente(*cards[:3]).out
    assert "exact engine" in trente(*cards[:3], "--engine", "exact").out


def test_edges_hold_for_a_coup_that_is_completed() -> None:
    """A coup that the cards cannot complete is void: it neither wins nor loses a stake."""
    odds = CompletedOdds(deal_odds(Composition.parse("A:2,5:2,8:1r+0b,9:2,X:1r+2b")))
    assert 0 < odds.completed < 1
    assert sum(odds.verdicts(bytes(400))) == 1


def test_the_screen_has_the_chances_the_edges_by_play_and_a_sentence_on_insurance() -> None:
    """Sketch 4: a line for each chance in per cent, the play named, the points, the cards."""
    lines = trente("odds").out.splitlines()
    assert lines[0] == "The next coup at france-2007; 312 cards unseen, a full shoe of 6 packs"
    table = [line.split() for line in lines]
    heads = "chance win lose après refait partage default insured*"
    assert heads.split() in table
    assert ["couleur", "44.520", "44.520", "8.771", "2.189", "1.0946", "1.1079", "1.0000"] in table
    assert ["point", "31", "32", "33", "34", "35", "36", "37", "38", "39", "40"] in table
    text = " ".join(" ".join(lines).split())
    assert (
        "Insurance pays on every chance: its edge is 0.0946 % below the best play without it "
        "(partage)." in text
    )
    assert "Unseen: A:24, 2:24," in text
    assert "More: --digits 9, --full (every policy)" in text


@pytest.mark.parametrize("width", [60, 80, 120, 200])
@pytest.mark.parametrize("house", ["france-2007", "venezia-online", "eight-packs-machine"])
def test_the_screen_fits_a_terminal(
    house: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U8: no line is longer than the terminal, and no cell has a line of its own."""
    monkeypatch.setenv("COLUMNS", str(width))
    out = trente("odds", "--house", house, out=Terminal()).out
    assert longest_line(out) <= width
    assert len(out.splitlines()) < 42
    assert "44.520" in out or "44.518" in out


def test_digits_full_and_cards_show_more() -> None:
    """Sketch 4: more decimals; every policy and verdict; the cards by colour."""
    win = float(sum(fresh_shoe(6).joint()[i][j] for i in range(10) for j in range(i)))
    assert f"{100 * win:.9f}" in trente("odds", "--digits", "9").out
    full = trente("odds", "--full").out
    assert "free/refait: prison, prison/refait: partage" in full
    assert "of the premium" in full
    assert "X       48     48     96" in trente("odds", "--cards").out


def test_a_chance_that_the_cards_favour_is_named_and_marked() -> None:
    """Sketch 4: a sentence and a mark where the bank's edge is below zero."""
    left = "A:2,5:2,8:1r+0b,9:1r+1b,X:1r+2b"
    out = trente("odds", "--remaining", left).out
    assert "The cards favour inverse: the bank's edge is below zero." in out
    report = odds_report(coup_of(left))
    (table,) = [grid for grid in report.tables() if grid.names[0] == "chance"]
    assert [mark_of(row[0]) for row in table.rows] == [None, None, None, "good"]


def coup_of(cards: str) -> NextCoup:
    """Return the next coup in France from cards."""
    house = load_house("france-2007")
    left = Composition.parse(cards)
    odds = deal_odds(left)
    return NextCoup(house, left, odds, advantage(house, CompletedOdds(odds)))


def test_insurance_that_does_not_pay_says_so() -> None:
    """Where few points are likely to be 31 the premium is more than it saves."""
    out = " ".join(trente("odds", "--remaining", "9:40,X:40").out.split())
    assert "Insurance pays on no chance: its edge is" in out
    assert "above the best play without it" in out


def test_a_stake_has_its_rounding_and_its_least_premium() -> None:
    """U4: with --stake the insured edge is that of the amount, and needs no footnote."""
    out = trente("odds", "--house", "monte-carlo-1911", "--stake", "20").out
    assert "22.8073" in out
    assert "insured*" not in out
    edges = trente("odds", "--house", "monte-carlo-1911", "--stake", "20", "--format", "json").json
    assert {edge["stake"] for edge in edges["edges"]} == {20}


def test_side_bets_have_what_can_happen_to_them_alone() -> None:
    """Special chances: no refait where none can come, and an edge by default."""
    table = [line.split() for line in trente("odds", "--house", "venezia-online").out.splitlines()]
    assert ["any-apres", "10.960", "89.040", "-", "-", "1.3610"] in table


def test_csv_has_every_figure_as_a_number() -> None:
    """Programs get the tables of --full, and shares as they are."""
    out = trente("odds", "--format", "csv").out
    assert "free/refait: partage" in out
    assert "0.0218913" in out


def test_the_chances_of_full_are_a_table_at_60_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """U8: no cell a line where a table fits."""
    monkeypatch.setenv("COLUMNS", "60")
    lines = trente("odds", "--full", out=Terminal()).out.splitlines()
    rouge = "rouge    44.5200543  44.5200543  8.7707543  2.1891370"
    assert rouge in lines
    assert lines[lines.index(rouge) + 4] == "All in %."


def test_the_first_row_is_known() -> None:
    """C27: `--first 36` prints the law of every chance given that point, as JSON too."""
    ran = trente("odds", "--first", "36")
    assert "the first row, noir, ended on 36" in " ".join(ran.out.split())
    assert "63.664" in ran.out
    found = trente("odds", "--first", "36", "--format", "json").json
    assert abs(found["chances"]["rouge"]["win"] - 0.636639) < 1e-6
    assert abs(sum(found["second"]) - 1) < 1e-12
    assert found["probability"] == pytest.approx(1 / 10.53, rel=1e-3)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--stake", "10"), "--first has no use for --stake"),
        (("--sequential",), "--first has no use for --sequential"),
        (("--remaining", "X:8"), "a first row of 36, then a second, cannot be dealt"),
    ],
)
def test_the_first_row_and_what_it_refuses(more: tuple[str, ...], said: str) -> None:
    """C27: options without use, and cards that cannot make the row, are a wrong call."""
    ran = trente("odds", "--first", "36", *more)
    assert ran.status == 2
    assert said in ran.err


def test_a_row_of_cards_that_may_not_suffice() -> None:
    """M18: its law is named as that of a completed coup; an edge of nothing is 0 without a sign."""
    left = "5:1r+0b,7:1r+0b,9:1r+0b,X:2r+2b,3:0r+1b"
    for more in ((), ("--full",), ("--digits", "9")):
        out = trente("odds", "--remaining", left, *more).out
        assert "a row of a completed coup" in out
        assert "-0.0000 " not in out
    assert "favour noir" not in trente("odds", "--remaining", left, "--engine", "fast").out


def test_near_the_end_a_prisoner_may_wait_for_a_fresh_shoe() -> None:
    """M3: the headline says it; the true edges, and the best choice, are printed."""
    out = " ".join(trente("odds", "--remaining", "A:3r+1b,9:4,X:6", "--digits", "5").out.split())
    assert "Near the end of the shoe: a stake that this coup imprisons meets another coup" in out
    assert "in 0.00000 % of the cases; otherwise it waits for a fresh shoe." in out
    assert "-0.95286 -0.91438" in out
    assert "Later coups count as independent" not in out
    edges = trente("odds", "--remaining", "A:0r+2b,X:7r+0b", "--format", "json").json["edges"]
    first = next(each for each in edges if (each["chance"], each["insured"]) == ("rouge", False))
    assert first["edge"] == pytest.approx(0.2249208, abs=1e-7)


def test_the_choice_at_a_refait_is_said_for_the_cards_left() -> None:
    """M31: not of a full shoe, where no refait was dealt."""
    cards = "5:0r+2b,6:6r+0b,8:6r+0b,9:0r+6b,X:12r+12b"
    out = " ".join(trente("odds", "--remaining", cards).out.split())
    assert "For a stake that has just met a refait: partage is best on rouge, noir, by" in out
    assert "prison is best on inverse, by" in out
    assert "just met" not in trente("odds").out
    told = trente("odds", "--remaining", cards, "--format", "json").json["choices"]
    best = {each["chance"]: each["best"] for each in told}
    assert best == {
        "rouge": "partage",
        "noir": "partage",
        "couleur": "partage",
        "inverse": "prison",
    }


def test_full_odds_have_the_effects_of_removal() -> None:
    """M30: as a table, and as JSON with their sum over the cards."""
    assert "Effects of removal" in trente("odds", "--full").out
    assert "Effects of removal" not in trente("odds").out
    told = trente("odds", "--full", "--format", "json").json["removal"]
    refait = next(each for each in told if each["figure"] == "refait")
    assert refait["black"]["A"] == pytest.approx(-18.93e-5, abs=6e-8)
    assert abs(refait["sum_over_cards"]) < 1e-11
    assert refait["tags"]["red"]["A"] == -2
