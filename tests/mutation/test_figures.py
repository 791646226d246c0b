"""Figures of mutation: strata, the bounds of a rate, and the list of equivalent mutants."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve
from tests.mutation.figures import (
    Equivalent,
    Stratum,
    equivalents,
    lower_bound,
    rate_of,
    sampled,
    shares,
    unmatched,
)
from tests.mutation.sites import Site, path_of, sites_of

from trente_rules.odds.significance import at_least

# Rows of Clopper-Pearson tables: killed, tried, lower bound of 95 % (both sides).
# n of n: (0.025)^(1/n). The others are from the beta distribution, as tables print them.
KNOWN = [
    (10, 10, 0.025 ** (1 / 10)),
    (100, 100, 0.025 ** (1 / 100)),
    (9, 10, 0.5550),
    (8, 10, 0.4439),
    (95, 100, 0.8872),
    (1, 10, 0.0025),
]


@pytest.mark.parametrize(("killed", "tried", "bound"), KNOWN)
def test_lower_bounds_are_exact(killed: int, tried: int, bound: float) -> None:
    """A bound agrees with printed tables, and with its own definition."""
    found = lower_bound(killed, tried)
    assert found == pytest.approx(bound, abs=5e-5)
    assert at_least(killed, tried, found) == pytest.approx(0.025, rel=1e-6)


def test_nothing_killed_has_no_bound() -> None:
    """Of none killed the lower bound is 0."""
    assert lower_bound(0, 10) == 0.0


def test_strata_have_the_weight_of_their_sites() -> None:
    """A small stratum that was tried whole counts no more than its sites do."""
    found = rate_of([Stratum(900, 90, 90), Stratum(100, 100, 50)])
    assert found.rate == pytest.approx(0.95)
    assert (found.killed, found.tried) == (140, 190)
    assert found.killed / found.tried < 0.74


def test_one_stratum_is_a_plain_sample() -> None:
    """Of one stratum the bound is that of Clopper and Pearson, or one of a site less."""
    found = rate_of([Stratum(1000, 200, 190)])
    assert found.rate == pytest.approx(0.95)
    assert lower_bound(189, 200) <= found.lower <= lower_bound(190, 200)


def test_uneven_weights_cost_certainty() -> None:
    """A stratum that has many sites and few tries lowers the bound, at the same rate."""
    even = rate_of([Stratum(500, 100, 95), Stratum(500, 100, 95)])
    uneven = rate_of([Stratum(900, 20, 19), Stratum(100, 180, 171)])
    assert uneven.rate == pytest.approx(even.rate)
    assert uneven.lower < even.lower - 0.02


def test_untried_strata_are_left_out() -> None:
    """A module of which nothing was tried has no part of the rate; nothing tried is no rate."""
    assert rate_of([Stratum(10, 10, 10), Stratum(90, 0, 0)]).rate == 1.0
    assert rate_of([Stratum(90, 0, 0)]).tried == 0


def test_shares_are_in_proportion_and_three_at_least() -> None:
    """Each module has its part of a sample, and three sites where it has as many."""
    found = shares({"a": 9000, "b": 900, "c": 99, "d": 1, "e": 20}, 1000)
    assert found == {"a": 899, "b": 90, "c": 10, "d": 1, "e": 3}
    assert sum(found.values()) >= 1000
    assert shares({"a": 5, "b": 2}, 1000) == {"a": 5, "b": 2}


def test_a_sample_is_fixed_by_its_seed() -> None:
    """The same seed takes the same sites, whatever their order; another seed takes others."""
    sites = list(sites_of("core.money"))
    assert sampled(sites, 20, 17) == sampled(sites[::-1], 20, 17)
    assert sampled(sites, 20, 17) != sampled(sites, 20, 18)
    assert sampled(sites, 30, 17)[:20] == sampled(sites, 20, 17)


def test_a_sample_stays_when_other_sites_change() -> None:
    """A site that goes makes room for one; the others stay in the sample."""
    sites = list(sites_of("core.money"))
    first = sampled(sites, 20, 17)
    later = sampled([site for site in sites if site != first[3]], 20, 17)
    assert len(set(first) & set(later)) == 19


# --- equivalent mutants


def written(folder: Path, text: str) -> Path:
    """Return a file with a list of equivalent mutants."""
    file = folder / "equivalent.toml"
    file.write_text(text, "utf-8")
    return file


ENTRY = """
[[mutant]]
module = "core.money"
function = "f"
was = "a > 0"
now = "a >= 0"
reason = "{}"
"""


def test_an_entry_is_keyed_by_its_lines(tmp_path: Path) -> None:
    """Module, function and both texts name an entry: no number, no line."""
    found = equivalents(written(tmp_path, ENTRY.format("a is never 0")))
    assert list(found) == [("core.money", "f", "a > 0", "a >= 0")]


@pytest.mark.parametrize(
    ("text", "word"),
    [(ENTRY.format(" "), "a reason was expected"), (ENTRY.format("x") * 2, "listed twice")],
)
def test_a_list_is_refused(tmp_path: Path, text: str, word: str) -> None:
    """An entry without a reason is refused, and one that is listed twice."""
    with pytest.raises(ValueError, match=word):
        equivalents(written(tmp_path, text))


def test_an_entry_without_its_site_is_reported() -> None:
    """An entry whose lines are no longer in the source is found; other modules are not judged."""
    site = sites_of("core.money")[0]
    there = Equivalent(*site.key, "x")
    gone = evolve(there, was="what was here once")
    known = {"core.money": [site]}
    assert unmatched([there, gone], known) == [gone]
    assert unmatched([evolve(gone, module="core.coup")], known) == []


def test_the_list_of_the_project_has_reasons() -> None:
    """Every entry says why in a sentence, and names a module that exists."""
    for key, entry in equivalents().items():
        assert len(entry.reason.split()) >= 4, key
        assert entry.was != entry.now, key


def test_the_list_of_the_project_quotes_the_source() -> None:
    """The lines of every entry are in its module today; at night its sites are looked for."""
    for key, entry in equivalents().items():
        source = {line.strip() for line in path_of(entry.module).read_text("utf-8").splitlines()}
        assert {line.strip() for line in entry.was.splitlines()} <= source, key


@pytest.mark.nightly
def test_the_list_of_the_project_names_sites() -> None:
    """Every entry matches a change that the source of today has."""
    listed = equivalents()
    known: dict[str, list[Site]] = {
        module: list(sites_of(module)) for module in {entry.module for entry in listed.values()}
    }
    assert unmatched(listed.values(), known) == []
