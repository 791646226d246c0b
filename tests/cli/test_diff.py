"""``trente diff``: what each changed key costs the player, by play; keys that act together."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.cli.calling import Terminal, trente

from trente_rules import load_house
from trente_rules.core import default_manager
from trente_rules.core.house.loading import flat, house_table

STYLE = re.compile(r"\x1b\[[0-9;]*m")
PLAYS = ("least", "default", "greatest")
CHANGE_FIELDS = [
    *("key", "old", "new", "kind", "alone", "with"),
    *("before", "after", "wagers", "at_least_stake"),
]


def write(file: Path, text: str = "", parent: str = "france-2007") -> Path:
    """Write a house that extends another."""
    file.write_text(f'[house]\nname = "{file.stem}"\nextends = "{parent}"\n{text}', "utf-8")
    return file


def diff(old: str | Path, new: str | Path, *options: str) -> dict[str, Any]:
    """Return what ``diff --format json`` prints."""
    ran = trente("diff", old, new, "--format", "json", *options)
    assert (ran.status, ran.err) == (0, "")
    assert list(ran.json) == [
        *("old", "new", "major", "stake", "least_stake", "before", "after", "changes", "holds")
    ]
    return dict(ran.json)


def by_key(printed: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the changes by their keys."""
    return {change["key"]: change for change in printed["changes"]}


def points(change: dict[str, Any], *plays: str) -> list[str]:
    """Return how much edges move, in percentage points to five places; = where they are equal."""
    found = []
    for play in plays or PLAYS:
        old, new = (Fraction(change[side][f"{play}_exact"]) for side in ("before", "after"))
        found.append("=" if old == new else f"{float(new - old) * 100:+.5f}")
    return found


def row(out: str, name: str) -> list[str]:
    """Return the cells of the row that begins with a name, apart by two blanks."""
    (line,) = (line for line in out.splitlines() if line.startswith(f"{name}  "))
    return re.split(r" {2,}", line)


# --- which play


def test_a_rule_that_costs_only_the_silent_player(tmp_path: Path) -> None:
    """refait.last = "lose": best unchanged, default and worst +0.01297 points (U1)."""
    file = write(tmp_path / "harsh.toml", '[refait]\nlast = "lose"\n')
    printed = diff("france-2007", file)
    change = by_key(printed)["refait.last"]
    assert points(change) == ["=", "+0.01297", "+0.01297"]
    assert points(change, "least_insured", "greatest_insured") == ["=", "="]
    edges = [f"{printed[side]['default'] * 100:.5f}" for side in ("before", "after")]
    assert edges == ["1.10786", "1.12083"]
    out = trente("diff", "france-2007", file).out
    assert " ".join(out.split("\n\n")[0].split()) == (
        "harsh is worse for the player: at best play the same, by default 1.1208 % instead of "
        "1.1079 %."
    )
    assert row(out, "refait.last")[1:] == ["halve -> lose", "=", "+0.0130", "+0.0130", "="]
    assert row(out, "harsh")[1:] == ["1.0946", "1.1208", "1.1208", "1.0000"]
    assert row(out, "change")[1:] == ["=", "+0.0130", "+0.0130", "="]
    assert "unchanged" not in out


def test_diff_agrees_with_compare(tmp_path: Path) -> None:
    """The same edges as `compare --against`, for each play (U1: two commands of one tool)."""
    file = write(tmp_path / "harsh.toml", '[refait]\nlast = "lose"\n')
    printed = diff("france-2007", file)
    against = trente("compare", file, "--against", "france-2007", "--format", "json").json
    (rouge,) = (e for e in against["houses"][0]["advantage"] if e["chance"] == "rouge")
    for play in PLAYS:
        assert printed["before"][f"{play}_exact"] == rouge["old"][f"{play}_exact"]
        assert printed["after"][f"{play}_exact"] == rouge["new"][f"{play}_exact"]


def test_no_edge_moves_is_said_of_the_stakes_that_are_priced(tmp_path: Path) -> None:
    """A greatest premium acts above 1000 FRF alone: 0.912 % is 0.182 % at 5000 (U1, U2)."""
    file = write(tmp_path / "mc3.toml", "[insurance]\nmaximum_premium = 10\n", "monte-carlo-1911")
    out = " ".join(trente("diff", "monte-carlo-1911", file).out.split())
    same = "mc3 costs the player the same as monte-carlo-1911 at"
    assert f"{same} a nominal stake and at 20 FRF." in out
    assert "Keys that move no edge, nominal or at a stake of 20 FRF" in out
    assert trente("diff", "monte-carlo-1911", file, "--stake", "20").out.startswith(
        f"{same} 20 FRF."
    )
    change = by_key(diff("monte-carlo-1911", file, "--stake", "5000"))["insurance.maximum_premium"]
    edges = [f"{change[side]['least_insured'] * 100:.4f}" for side in ("before", "after")]
    assert edges == ["0.9123", "0.1825"]


def test_a_play_that_ends_is_the_largest_change() -> None:
    """At 100 the stakes of Campione are not insured: these keys come first (U3)."""
    keys = [
        change["key"] for change in diff("france-2007", "campione", "--stake", "100")["changes"]
    ]
    assert set(keys[:2]) == {"insurance.minimum_stake", "insurance.multiple"}
    alone = by_key(diff("france-2007", "campione"))
    assert alone["refait.release"]["with"] == ["refait.levels", "refait.close"]


def test_a_key_that_acts_only_behind_another_names_it(tmp_path: Path) -> None:
    """2 % of 100 is below the least premium of 5: the rate acts once that is gone (U3)."""
    text = '[insurance]\nrate = "1/50"\nminimum_premium = 0\n'
    file = write(tmp_path / "rate.toml", text, "monte-carlo-1911")
    changes = by_key(diff("monte-carlo-1911", file, "--stake", "100"))
    assert changes["insurance.rate"]["with"] == ["insurance.minimum_premium"]
    assert changes["insurance.minimum_premium"]["with"] == []


def test_figures_that_are_not_of_one_key_are_marked() -> None:
    """A key that acts with others has their effect in its row; keys need not add up (U3)."""
    together = "acts with: the figures are those of all these keys together."
    sums = "The figures do not add up: some keys act on others."
    out = " ".join(trente("diff", "foster-1897", "homburg-1860").out.split())
    assert together in out
    assert sums in out
    out = " ".join(trente("diff", "france-2007", "homburg-1860").out.split())
    assert together not in out


@pytest.mark.slow
def test_keys_that_act_together_are_priced_together(tmp_path: Path) -> None:
    """Levels 2 with close 1/2, 1/4: the default from 1.10786 % to 1.09489 % (U3)."""
    text = (
        '[refait]\nlevels = 2\nclose = ["1/2", "1/4"]\nlast = "lose"\nrelease = "one-out"\n'
        '[limits]\nminimum = 5\nmaximum = 2500\n[money]\ncurrency = "CHF"\nunit = "0.50"\n'
    )
    file = write(tmp_path / "palais.toml", text)
    changes = by_key(diff("france-2007", file))
    levels, close, release = (changes[f"refait.{key}"] for key in ("levels", "close", "release"))
    assert (levels["alone"], levels["with"]) == (False, ["refait.close"])
    assert (close["alone"], close["with"]) == (False, ["refait.levels"])
    assert points(levels) == points(close) == ["=", "-0.01297", "-0.00016"]
    assert f"{levels['after']['default'] * 100:.5f}" == "1.09489"
    assert release["with"] == ["refait.levels", "refait.close"]
    assert points(release) == ["=", "+0.00016", "+0.00016"]
    assert points(changes["refait.last"]) == ["=", "+0.01297", "+0.01297"]
    out = trente("diff", "france-2007", file).out
    assert row(out, "refait.levels")[1:] == ["1 -> 2", "=", "-0.0130", "-0.0002", "="]
    assert row(out, "  with refait.close")[1:] == ["with refait.close", "1/2 -> 1/2, 1/4"]
    assert row(out, "  acts with refait.levels")
    assert row(out, "refait.release")[1:] == ["frees -> one-out", "=", "+0.0002", "+0.0002", "="]


@pytest.mark.slow
def test_what_moves_an_edge_is_first_the_largest_first() -> None:
    """One rule that matters is not lost among twenty that do not (U3)."""
    out = trente("diff", "france-2007", "campione").out
    moving, still = out.split("Keys that move no edge")
    assert "refait.last  " in moving
    assert "shoe.burn" not in moving
    assert "shoe.burn" in still
    changes = diff("france-2007", "campione")["changes"]
    fair = [change for change in changes if change["kind"] == "fairness"]
    sizes = [max(abs(float(p)) if p != "=" else 0 for p in points(change)) for change in fair]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > 0


@pytest.mark.slow
def test_presentation_is_one_line(tmp_path: Path) -> None:
    """Names and sources on request (U3)."""
    out = trente("diff", "france-2007", "campione").out
    assert "house.sources" not in out
    assert "5 keys of presentation differ: --all" in out.splitlines()
    whole = trente("diff", "france-2007", "campione", "--all").out
    assert "house.sources" in whole
    assert "--all" not in whole
    file = write(tmp_path / "named.toml")
    lines = trente("diff", "france-2007", file).out.splitlines()
    assert lines[0] == "named costs the player the same as france-2007."


# --- what depends on the amount


def test_a_premium_that_acts_on_small_stakes_alone(tmp_path: Path) -> None:
    """minimum_premium 5 to 20: 4.56146 % becomes 18.24585 % at a stake of 100 (U2)."""
    file = write(tmp_path / "mc2.toml", "[insurance]\nminimum_premium = 20\n", "monte-carlo-1911")
    printed = diff("monte-carlo-1911", file, "--stake", "100")
    assert printed["stake"] == 100
    change = by_key(printed)["insurance.minimum_premium"]
    edges = [f"{change[side]['least_insured'] * 100:.5f}" for side in ("before", "after")]
    assert edges == ["4.56146", "18.24585"]
    out = trente("diff", "monte-carlo-1911", file, "--stake", "100").out
    assert row(out, "insurance.minimum_premium")[-1] == "+13.6844"
    assert "insured 18.2458 % instead of 4.5615 %" in " ".join(out.split())


def test_without_a_stake_the_least_of_the_house_shows_it(tmp_path: Path) -> None:
    """No nominal edge moves: named so, and priced at 20 FRF, the least stake (U2)."""
    file = write(tmp_path / "mc2.toml", "[insurance]\nminimum_premium = 20\n", "monte-carlo-1911")
    printed = diff("monte-carlo-1911", file)
    assert (printed["stake"], printed["least_stake"]) == (None, 20)
    change = by_key(printed)["insurance.minimum_premium"]
    assert points(change, *PLAYS, "least_insured") == ["=", "=", "=", "="]
    small = change["at_least_stake"]
    edges = [f"{small[side]['least_insured'] * 100:.5f}" for side in ("before", "after")]
    assert edges == ["22.80731", "91.22925"]
    out = trente("diff", "monte-carlo-1911", file).out
    assert "Not in the edge of a nominal stake; at a stake of 20 FRF" in out
    assert row(out, "insurance.minimum_premium")[-1] == "+68.4219"
    assert "the same as monte-carlo-1911 at a nominal stake, but not at 20 FRF." in out


@pytest.mark.slow
def test_stakes_that_can_no_longer_be_insured() -> None:
    """france-2007 against campione: from 10 to 499 not insured any more (U2)."""
    changes = by_key(diff("france-2007", "campione"))
    for key in ("insurance.minimum_stake", "insurance.multiple"):
        small = changes[key]["at_least_stake"]
        assert small["before"]["least_insured"] == 0.01
        assert small["after"]["least_insured"] is None
    assert changes["money.unit"]["at_least_stake"]["after"]["least_insured"] == 0.1
    assert "not insured" in trente("diff", "france-2007", "campione", "--stake", "20").out


def test_a_stake_that_a_house_cannot_pay_is_misuse() -> None:
    """A thousandth of a euro: exit status 2."""
    ran = trente("diff", "france-2007", "campione", "--stake", "0.001")
    assert (ran.status, ran.out) == (2, "")
    assert "is not a multiple of" in ran.err


# --- "=" only where nothing moves


def test_a_key_that_moves_one_chance_names_it(tmp_path: Path) -> None:
    """The least of all chances is not enough: rouge with a commission, and the side bets."""
    text = '[[chances]]\nid = "rouge"\ncommission = "1/20"\n'
    file = write(tmp_path / "one.toml", text)
    out = trente("diff", "france-2007", file).out
    assert row(out, "  rouge")[2] == "1.0946 % to 1.1079 % -> 3.3206 % to 3.3339 %"
    assert row(out, "  rouge, insured")[2] == "1.0000 % -> 3.2260 %"
    change = by_key(diff("france-2007", file))["chances"]
    assert [wager["chance"] for wager in change["wagers"]] == ["rouge", "rouge"]


def test_a_key_between_best_and_worst_is_no_equal_sign(tmp_path: Path) -> None:
    """Another partage in prison moves neither best nor default nor worst, but a choice (U1)."""
    file = write(tmp_path / "third.toml", '[refait]\npartage = ["1/2", "1/3"]\n')
    out = trente("diff", "france-2007", file).out
    change = by_key(diff("france-2007", file))["refait.partage"]
    moved = set(points(change)) != {"="} or change["wagers"]
    assert moved or "other choices" in out
    assert "refait.partage" not in out.partition("Keys that move no edge")[2]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("france-2007", "campione"),
        ("italian-program", "venezia-online"),
        ("hoyle-19c", "spain-1979"),
    ],
)
def test_each_key_that_differs_is_listed(old: str, new: str) -> None:
    """Every key, with its old and new value and its kind; no other key."""
    printed = diff(old, new)
    was, now = (flat(house_table(load_house(name))) for name in (old, new))
    assert {change["key"]: (change["old"], change["new"]) for change in printed["changes"]} == {
        key: (was.get(key), now.get(key)) for key in {*was, *now} if was.get(key) != now.get(key)
    }
    for change in printed["changes"]:
        assert list(change) == CHANGE_FIELDS
        assert change["kind"] in ("fairness", "presentation")
        assert change["alone"] == (not change["with"])
    assert printed["major"]
    assert printed["old"] == {"name": old, "fingerprint": load_house(old).fingerprint}
    assert printed["new"] == {"name": new, "fingerprint": load_house(new).fingerprint}


OTHERS = [name for name in default_manager().names("house") if name != "france-2007"]


@pytest.mark.slow
@pytest.mark.parametrize("new", OTHERS[::4])
def test_no_key_is_lost_and_both_houses_are_those_of_compare(new: str) -> None:
    """Whatever differs: each key is listed once, and the edges are those of compare."""
    printed = diff("france-2007", new)
    (_old, house) = trente(
        "compare", "france-2007", new, "--chance", "rouge", "--format", "json"
    ).json["houses"]
    plain = [wager["edge_exact"] for wager in house["wagers"] if not wager["insured"]]
    assert printed["after"]["default_exact"] == plain[0]
    assert printed["after"]["least_exact"] == house["best_uninsured"]["edge_exact"]
    was, now = (flat(house_table(load_house(name))) for name in ("france-2007", new))
    keys = [change["key"] for change in printed["changes"]]
    assert sorted(keys) == sorted(key for key in {*was, *now} if was.get(key) != now.get(key))


def test_words_alone_are_minor(tmp_path: Path) -> None:
    """Title and announcements are presentation: the fingerprint is the same."""
    text = '[announcements]\nlanguage = "it"\n'
    printed = diff("campione", write(tmp_path / "words.toml", text, "campione"))
    assert not printed["major"]
    kinds = {change["key"]: change["kind"] for change in printed["changes"]}
    assert {"house.name", "announcements.language"} <= set(kinds)
    assert set(kinds.values()) == {"presentation"}
    assert printed["old"]["fingerprint"] == printed["new"]["fingerprint"]


def test_a_rule_is_major(tmp_path: Path) -> None:
    """One fairness key makes another game: the fingerprint is another."""
    printed = diff("campione", write(tmp_path / "rule.toml", "[shoe]\nburn = 4\n", "campione"))
    assert printed["major"]
    (change,) = [c for c in printed["changes"] if c["kind"] == "fairness"]
    assert (change["key"], change["old"], change["new"]) == ("shoe.burn", 5, 4)
    assert change["before"] == change["after"]
    assert printed["old"]["fingerprint"] != printed["new"]["fingerprint"]


def test_a_house_with_itself() -> None:
    """Nothing differs, nothing is major."""
    printed = diff("campione", "campione")
    assert (printed["changes"], printed["major"]) == ([], False)
    out = trente("diff", "campione", "campione").out
    assert out.startswith("campione costs the player the same as campione.\n")


def test_another_refait_rule_moves_with_its_table() -> None:
    """From all lost to half lost: the keys of the table change at once."""
    rule = by_key(diff("italian-program", "italy-half-loss"))["refait.rule"]
    assert f"{rule['before']['least']:.7f} {rule['after']['least']:.7f}" == "0.0218914 0.0109457"


def test_amounts_that_are_the_same_number_of_another_currency(tmp_path: Path) -> None:
    """C21: 50 FRF and 50 JPY are not the same amount."""
    file = write(tmp_path / "yen.toml", '[money]\ncurrency = "JPY"\n', "france-1959")
    said = "the same number, but of JPY: insurance.minimum_stake 50"
    assert said in trente("diff", "france-1959", file).out
    assert said[:-2] not in trente("diff", "france-1959", "france-1959").out


def test_misuse_and_unknown_houses() -> None:
    """One house is misuse, and so is an unknown one."""
    assert trente("diff", "campione").status == 2
    ran = trente("diff", "campione", "spain-1978")
    assert (ran.status, ran.out) == (2, "")
    assert "did you mean 'spain-1979'?" in ran.err


@pytest.mark.slow
@pytest.mark.parametrize("columns", [60, 80, 120, 200])
def test_diff_fits_the_terminal(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, columns: int
) -> None:
    """At 60, 80, 120, 200 columns; at 80 with best, default, worst and insured (U8, sketch 3)."""
    monkeypatch.setenv("COLUMNS", str(columns))
    file = write(tmp_path / "harsh.toml", '[refait]\nlast = "lose"\nrelease = "frees"\n')
    lines = STYLE.sub("", trente("diff", "france-2007", file, out=Terminal()).out).splitlines()
    assert max(map(len, lines)) <= columns
    head = next(line for line in lines if line.startswith("key "))
    assert columns < 80 or head.split()[-4:] == ["best", "default", "worst", "insured*"]
    lines = trente("diff", "france-2007", "campione", out=Terminal()).out.splitlines()
    assert max(map(len, (STYLE.sub("", line) for line in lines))) <= columns


@pytest.mark.slow
def test_csv_has_a_line_for_each_key() -> None:
    """Each key once, with what every play costs before and after."""
    lines = trente("diff", "france-2007", "campione", "--format", "csv").out.splitlines()
    assert lines[0].startswith("key,kind,old,new,with,least_before,default_before")
    assert len(lines) == 1 + len(diff("france-2007", "campione")["changes"])


def test_the_star_says_which_stakes_the_figures_hold_for() -> None:
    """A list of houses and amounts has a sentence before it; without one there is no list (U4)."""
    out = " ".join(trente("diff", "france-2007", "france-1959").out.split())
    held = "* Figures are nominal. These do not hold for every stake that the house takes: - france"
    assert "insured*" in out
    assert held in out
    assert "*" not in trente("diff", "poisson-1820", "hoyle-1820").out


def test_rows_of_a_page_stay_with_the_row_they_explain() -> None:
    """A page sorts the keys that move nothing, and no table with a row such as "change" (U53)."""
    page = trente("diff", "france-2007", "campione", "--format", "html").out
    tables = [part.split("</table>")[0] for part in page.split("<table")[1:]]
    fixed = [table.startswith(' class="fixed"') for table in tables]
    assert fixed == [">best<" in table for table in tables]
    assert any(fixed)
    assert not all(fixed)
