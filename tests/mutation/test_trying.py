"""Trying a change: code put into live functions, tests chosen, verdicts and what they come to."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from tests.mutation import changes, run
from tests.mutation.changes import Base
from tests.mutation.figures import Equivalent
from tests.mutation.reach import Reach
from tests.mutation.run import Found, Group, Verdict, found_of, report, survivors_page, verdicts
from tests.mutation.sites import Site, sites_of
from tests.mutation.warm import changed_code, live_functions, results_of, swaps
from tests.proofs import Result, State

from trente_rules.core import money
from trente_rules.core.money import Money

SOURCE = (
    "LIMIT = 1\n\n\ndef outer(a):\n    def inner(b):\n        return b + 1\n\n    return inner(a)\n"
)
SITE = Site("core.money", "f", 3, "a > 0", "a >= 0", 0, 0, "", within="w")


def code(text: str) -> Any:
    """Return the code of a source."""
    return compile(text, "x.py", "exec", dont_inherit=True)


def test_only_functions_that_differ_are_changed() -> None:
    """A change inside a function is one of the functions around it, outermost first."""
    pairs = changed_code(code(SOURCE), code(SOURCE.replace("b + 1", "b - 1")))
    assert pairs is not None
    assert [old.co_qualname for old, _ in pairs] == ["outer", "outer.<locals>.inner"]


@pytest.mark.parametrize(
    ("was", "now"), [("LIMIT = 1", "LIMIT = 2"), ("outer(a):", "outer(a=None):")]
)
def test_a_change_outside_functions_is_left_to_another_way(was: str, now: str) -> None:
    """Constants and defaults are read when a module is imported: no function can be exchanged."""
    assert changed_code(code(SOURCE), code(SOURCE.replace(was, now))) is None


def test_moved_lines_are_no_change() -> None:
    """A function that is moved is the same."""
    assert changed_code(code(SOURCE), code("\n\n" + SOURCE)) == []


def test_a_live_function_gets_the_changed_code() -> None:
    """What was imported before behaves as the changed source does, and back again."""
    source = Path(money.__file__).read_text("utf-8")
    site = next(
        site
        for site in sites_of("core.money")
        if site.function.startswith("Money.") and site.now == "pass" and "raise" in site.was
    )
    put = swaps(site, source, live_functions())
    assert put
    assert put[0][0] in vars(Money).values()


# --- which tests


REACH = Reach(
    {"quick": 0.1, "middle": 1.0, "long": 9.0},
    {"core.money": {3: {"quick", "long"}, 4: {"middle"}, 9: {"long"}}},
)
KNOWN = {"quick", "middle", "long"}


def test_tests_that_reach_the_line_are_chosen_fastest_first() -> None:
    """Tests come from the line; the seconds bound them, and one is always taken."""
    assert REACH.chosen(SITE, 0.0, 20.0, KNOWN).tests == ("quick", "long")
    assert REACH.chosen(SITE, 0.0, 5.0, KNOWN).tests == ("quick",)
    assert REACH.chosen(evolve(SITE, line=9), 0.0, 5.0, KNOWN).tests == ("long",)
    assert REACH.chosen(evolve(SITE, last=4), 0.0, 5.0, KNOWN).tests == ("quick", "middle")
    assert REACH.chosen(SITE, 5.0, 20.0, KNOWN).tests == ("long",)


def test_a_line_that_is_not_recorded_has_the_tests_before_it() -> None:
    """A constant inside a call has no line of its own in the records."""
    assert REACH.chosen(evolve(SITE, line=6), 0.0, 5.0, KNOWN).tests == ("middle",)
    assert REACH.chosen(evolve(SITE, module="core.coup"), 0.0, 5.0, KNOWN).tests == ()


def test_a_cover_reaches_every_line() -> None:
    """The tests for changes outside functions together reach all that any test reaches."""
    tests, seconds = REACH.cover("core.money", 20.0, 10)
    assert set(tests) == KNOWN
    assert seconds == pytest.approx(10.1, abs=0.1)
    assert REACH.cover("core.money", 20.0, 2)[0] == ["middle", "quick"]


# --- verdicts


def result(how: str, by: str = "", way: str = "fast", **more: str) -> dict[str, Any]:
    """Return a line of results about ``SITE``."""
    return {"name": SITE.name, "within": "w", "how": how, "by": by, "way": way, "of": "x", **more}


def test_what_one_way_kills_is_killed() -> None:
    """A change survives only where every way has failed to kill it; what was forgotten is gone."""
    assert verdicts([SITE], [result("survived")])[SITE].how == "survived"
    killed = [result("survived"), result("killed", "signal 11", "slow")]
    assert verdicts([SITE], killed)[SITE].is_killed
    assert verdicts([SITE], [*killed, result("forgotten")]) == {}
    assert verdicts([SITE], [result("timeout")])[SITE].is_killed
    assert (
        verdicts([SITE], [result("cold"), result("survived", way="cold")])[SITE].how == "survived"
    )


def test_a_result_of_another_function_text_is_no_result() -> None:
    """A result holds for the text of the function and, where it was killed, for that test."""
    assert verdicts([evolve(SITE, within="v")], [result("survived")]) == {}
    by = "tests/mutation/test_trying.py::test_what_one_way_kills_is_killed"
    assert verdicts([SITE], [result("killed", by)]) == {}  # its hash is not "x"


def test_a_line_that_was_cut_is_passed_over(tmp_path: Path) -> None:
    """A run that was killed while it wrote leaves half a line."""
    file = tmp_path / "results.jsonl"
    file.write_text(json.dumps(result("killed")) + '\n{"name": "', "utf-8")
    assert len(list(results_of(file))) == 1
    assert list(results_of(tmp_path / "none")) == []


def found(killed: int, survived: int, listed: int) -> tuple[Found, dict[Site, Verdict]]:
    """Return what is found about a group of one module, some survivors being equivalent."""
    sites = [evolve(SITE, line=n, was=f"a{n}") for n in range(killed + survived)]
    ways = frozenset({"fast"})
    verdict = {
        site: Verdict("killed" if n < killed else "survived", "t", ways)
        for n, site in enumerate(sites)
    }
    same = {site.key: Equivalent(*site.key, "it is the same") for site in sites[-listed or 9999 :]}
    group = Group("every site", {"core.money": len(sites) + 1}, (*sites, evolve(SITE, was="new")))
    return found_of(group, verdict, same), verdict


def test_equivalent_mutants_are_left_out_and_counted_apart() -> None:
    """Both rates are printed, and every survivor is listed as a diff with its place."""
    what, verdict = found(killed=18, survived=2, listed=1)
    assert what.rate.rate == pytest.approx(18 / 19)
    assert what.bare.rate == pytest.approx(18 / 20)
    assert (len(what.survivors), len(what.equivalent), what.untried) == (1, 1, 1)
    told = report(what, verdict)
    assert "killed 94.7%" in told
    assert "90.0%" in told
    assert "src/trente_rules/core/money.py:18 f" in told
    assert "- a18\n+ a >= 0" in told
    assert "it is the same" in survivors_page([what], verdict)


@pytest.mark.parametrize(
    ("killed", "survived", "control", "passes"),
    [
        (95, 5, "survived", True),
        (94, 6, "survived", False),
        (95, 5, "killed", False),
        (0, 0, "survived", False),
    ],
)
def test_less_than_95_per_cent_fails(
    killed: int,
    survived: int,
    control: str,
    *,
    passes: bool,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """The exit status is 1 where less than 95 % is killed, a control is, or nothing was tried."""
    sites = [evolve(SITE, line=n, was=f"a{n}") for n in range(killed + survived)]
    file = tmp_path / "results.jsonl"
    lines = [
        json.dumps({**result("killed" if n < killed else "survived"), "name": site.name})
        for n, site in enumerate(sites)
    ]
    lines.append(json.dumps({**result(control), "name": "control"}))
    file.write_text("\n".join(lines), "utf-8")
    monkeypatch.setattr(run, "RESULTS", file)
    monkeypatch.setattr(run, "all_sites", lambda _: tuple(sites))
    assert run.main(["--modules", "core.money", "--report"]) == (0 if passes else 1)


# --- changes since a commit


DIFF = """\
--- a/src/trente_rules/core/money.py
+++ b/src/trente_rules/core/money.py
@@ -3 +3,2 @@ def f
-a
+b
+c
@@ -9,2 +10,0 @@ def g
-d
-e
--- a/src/trente_rules/core/keys.md
+++ b/src/trente_rules/core/keys.md
@@ -1 +1 @@
"""


def test_changed_lines_are_read_from_a_diff() -> None:
    """New lines count; where lines were only removed, the place counts."""
    assert changes.lines_of(DIFF) == {"core.money": {3, 4, 10}}


def test_an_unknown_commit_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a checkout without that commit, or without git, some sites are tried all the same."""
    monkeypatch.setattr(changes, "_git", lambda *_, **_options: None)
    group = run.changed_group("none", 5, 17)
    assert len(group.chosen) == 5
    assert {site.module for site in group.chosen} == {"core.settlement"}
    assert changes.changed_tests("none") == []


def git(folder: Path, *words: str) -> str:
    """Run git in a folder, and return what it prints."""
    who = ("-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(
        ("git", *who, *words),  # noqa: S607
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


def recorded(folder: Path, *results: tuple[str, str, str]) -> str:
    """Commit kept results, each a name, a date and a commit; return the commit."""
    for name, date, commit in results:
        kept = json.dumps({"date": date, "commit": commit})
        (folder / f"mutation-{name}.json").write_text(kept, "utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "--allow-empty", "-m", "x")
    return git(folder, "rev-parse", "--short", "HEAD")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a repository with one commit and no result."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    git(folder, "init", "-q")
    recorded(folder)
    return folder


def test_the_last_commit_is_that_of_the_newest_result(checkout: Path) -> None:
    """The commit of the newest kept result counts, without its mark of a changed checkout."""
    assert changes.last_base(checkout) == Base(None, "no result of mutation is kept")
    first = git(checkout, "rev-parse", "--short", "HEAD")
    recorded(checkout, ("core", "2026-01-02", f"{first}+"), ("sample", "2026-01-01", "aaa"))
    assert changes.last_base(checkout) == Base(first)


def test_a_commit_that_was_never_merged_gives_way_to_the_one_that_recorded_it(
    checkout: Path,
) -> None:
    """A result of a side branch: its commit is not there, that of its file is."""
    second = recorded(checkout, ("core", "2026-01-02", "cdd9676aeb"))
    recorded(checkout, ("sample", "2026-01-01", "aaa"))
    base = changes.last_base(checkout)
    assert base.commit == second
    assert "cdd9676aeb, of mutation-core.json, is not in the checkout" in base.told
    assert f"{second}, which recorded it" in base.told


@pytest.mark.slow
def test_a_shallow_checkout_is_named_as_the_reason(checkout: Path, tmp_path: Path) -> None:
    """Its oldest commit seems to record every file: nothing is counted from it."""
    recorded(checkout, ("core", "2026-01-02", "cdd9676aeb"))
    recorded(checkout)
    for depth, known in ((1, False), (2, False), (3, True)):
        clone = tmp_path / f"clone-{depth}"
        git(tmp_path, "clone", "-q", "--depth", f"{depth}", checkout.as_uri(), str(clone))
        base = changes.last_base(clone)
        assert (base.commit is not None) is known
        assert ("the checkout is shallow" in base.told) is not known


def test_a_result_that_no_commit_has_recorded_has_no_base(checkout: Path) -> None:
    """A file that is not in the history says nothing of where changes begin."""
    kept = json.dumps({"date": "2026-01-02", "commit": "cdd9676aeb"})
    (checkout / "mutation-core.json").write_text(kept, "utf-8")
    base = changes.last_base(checkout)
    assert base == Base(None, "cdd9676aeb, of mutation-core.json, is not in the checkout")


def test_last_is_replaced_by_its_commit(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The changes since it are looked for, and a commit in place of another is printed."""
    asked: list[str] = []

    def lines(since: str) -> dict[str, set[int]]:
        asked.append(since)
        return {}

    monkeypatch.setattr(run, "last_base", lambda: Base("abc", "abc is used"))
    monkeypatch.setattr(run, "changed_lines", lines)
    run.main(["--changed-since", "last", "--report"])
    assert asked == ["abc"]
    told = capsys.readouterr().out
    assert "abc is used" in told
    assert "no module that is mutated has changed" in told
    monkeypatch.setattr(run, "last_base", lambda: Base(None, "no result of mutation is kept"))
    run.main(["--changed-since", "last", "--report"])
    assert asked == ["abc"]
    told = capsys.readouterr().out
    assert "no result of mutation is kept" in told
    assert "sites of core.settlement are tried" in told


def test_changed_lines_are_tried_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a changed module, sites on changed lines come before the others, and there is a bound."""
    lines = {"core.money": {site.line for site in sites_of("core.money")[:3]}}
    monkeypatch.setattr(run, "changed_lines", lambda _: lines)
    group = run.changed_group("abc", 40, 17)
    on = [site.line in lines["core.money"] for site in group.chosen]
    assert len(on) == 40
    assert on == sorted(on, reverse=True)
    assert True in on


# --- what is kept


def test_a_partial_run_does_not_shorten_the_list_of_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Modules and files that it has not measured stay; what is gone is left out."""
    file = tmp_path / "mutation-files.txt"
    monkeypatch.setattr(run, "USUAL_FILES", file)
    here, other = "tests/mutation/test_trying.py", "tests/mutation/test_sites.py"
    file.write_text(
        f"core.coup: {here}\ncore.gone: {here}\ncore.money: {here} tests/gone.py\n", "utf-8"
    )
    run.write_usual_files({"core.money": [other], "core.cards": [other]}, whole=False)
    assert file.read_text("utf-8").splitlines() == [
        f"core.cards: {other}",
        f"core.coup: {here}",
        f"core.money: {here} {other}",
    ]
    run.write_usual_files({"core.money": [other]}, whole=True)
    assert f"core.money: {other}" in file.read_text("utf-8").splitlines()


def test_each_part_keeps_its_survivors_on_its_own_page(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A second part does not overwrite the survivors of the first; its result names its page."""
    kept: list[Result] = []
    results = tmp_path / "results.jsonl"
    results.write_text(json.dumps(result("survived")), "utf-8")
    for name, value in (
        ("FOLDER", tmp_path),
        ("USUAL_FILES", tmp_path / "mutation-files.txt"),
        ("RESULTS", results),
        ("keep", kept.append),
        ("state_of", lambda part: State(part, "code")),
        ("all_sites", lambda _: (SITE,)),
    ):
        monkeypatch.setattr(run, name, value)
    for part in ("mutation-one", "mutation-two"):
        run.main(["--modules", "core.money", "--report", "--keep", part])
        assert SITE.was in (tmp_path / f"{part}-survivors.txt").read_text("utf-8")
        assert f"{part}-survivors.txt" in kept[-1].notes[0]
    assert (tmp_path / "mutation-one-survivors.txt").is_file()
