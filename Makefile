# Every target makes what it needs: a virtual environment in .venv, and in it the package, editable.
#
#   make compare   the shipped houses, side by side
#   make test      the tests
#   make test-fast those that take no time
#   make help      the rest

PYTHON ?= python3
# Processes that share the tests.
WORKERS ?= 2
# More options of pytest, as in: make test PYTEST_ARGS="-k refait"
PYTEST_ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# Stamps: what has been installed, for the metadata of today.
RUNTIME := $(VENV)/.installed-runtime
DEV := $(VENV)/.installed-dev
# What an installed package copies from the tree, even an editable one.
METADATA := pyproject.toml src/trente_rules/_version.py
# The parts of the nightly run, all by default, as in: make nightly PARTS="tests-odds tests-table"
PARTS ?=
# The commit, or the checkout, that `make bench-against` measures beside this one.
OTHER ?= 9adc570
# Options of `make fuzz`, as in: FUZZ_ARGS="house-files --seconds 600"
FUZZ_ARGS ?=
# Options of `make bench-service`, as in: BENCH_ARGS="--coups 20 --profile service.txt"
BENCH_ARGS ?=

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help compare test test-fast coverage lint format types imports mutants check docs wheel \
    ci nightly api bench bench-against bench-commits fuzz bench-rivals bench-service pictures \
    screenshots setup lock audit licences pythons sbom clean

help: ## say what there is to make
	@sed -n 's/^\([a-z-]*\):.*## /    \1 - /p' Makefile | sort

compare: $(RUNTIME) ## the shipped houses, side by side
	@$(BIN)/trente compare

test: $(DEV) ## the tests, but the long ones
	$(BIN)/python -m pytest -q -n $(WORKERS) $(PYTEST_ARGS)

test-fast: $(DEV) ## the tests that take no time: three minutes
	$(BIN)/python -m pytest -q -n $(WORKERS) -m "not slow and not nightly" $(PYTEST_ARGS)

coverage: $(DEV) ## branches that tests reach in core, table and records: COVERAGE="--part core"
	$(BIN)/python tools/branches.py --workers $(WORKERS) $(COVERAGE)

lint: $(DEV) ## style
	$(BIN)/ruff check
	$(BIN)/ruff format --check

format: $(DEV) ## put the style right where that is safe
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

types: $(DEV) ## types, strictly
	$(BIN)/mypy --strict

imports: $(DEV) ## floors: who may import whom
	$(BIN)/lint-imports --no-logo

# The seed picks the modules and sites that are tried where more have changed.
# Its tests are a subset, those that the last kept run found: it fails where they miss more than half.
MUTANTS ?= --changed-since last --at-most 50 --minutes 1 --least 45 --processes 2 --seed $(shell date +%j)
mutants: $(DEV) ## small changes of what has changed since the last kept result: tests must notice
	$(BIN)/python -m tools.mutants $(MUTANTS)

check: lint types imports test ## all that must hold before a commit

docs: $(DEV) ## the site of the documentation, in build/docs; a warning is an error
	$(BIN)/python -m sphinx -b html -j 2 -q -W --keep-going -d build/doctrees docs build/docs

wheel: $(DEV) ## build sdist and wheel, try them in an environment of their own
	.ci/try-distributions $(BIN)/python

ci: ## all of the continuous integration
	.ci/run

nightly: $(DEV) ## the long proofs and the tests with many more examples, part by part
	$(BIN)/python tools/nightly.py --workers $(WORKERS) $(PARTS)

api: $(DEV) ## what of the last releases is missing or different today
	$(BIN)/python tools/api_changes.py

bench: $(DEV) ## measure; nothing is asserted
	$(BIN)/python tests/bench/import_cost.py
	$(BIN)/python tests/bench/bench_odds.py
	$(BIN)/python tests/bench/bench_core.py
	$(BIN)/python tests/bench/bench_table.py
	$(BIN)/python tests/bench/bench_readers.py
	$(BIN)/python tests/bench/bench_play.py
	$(BIN)/python tests/bench/bench_simulation.py
ifneq ($(wildcard tests/bench/test_*.py),)
	$(BIN)/python -m pytest -q --benchmark-enable --benchmark-only $(PYTEST_ARGS) tests/bench
endif

bench-against: $(DEV) ## the table beside that of another commit: make bench-against OTHER=9adc570
	$(BIN)/python tests/bench/against.py --other $(OTHER)

# The one place that installs other engines.
bench-commits: $(DEV) ## twenty players at once beside another commit, on disks of several speeds
	$(BIN)/python tests/bench/bench_commits.py --other $(OTHER) --sync 0 2 5

fuzz: $(DEV) ## the readers of what strangers send, fuzzed for a minute (FUZZ_ARGS="--seconds 600")
	$(BIN)/python -m tests.fuzz.run $(FUZZ_ARGS)

bench-rivals: $(DEV) ## the table beside PokerKit, rlcard and OpenSpiel
	@$(PIP) install --group bench
	$(BIN)/python tests/bench/rivals.py

bench-service: $(DEV) ## the service under 50 tables and 1,000 players: a quarter of an hour
	$(BIN)/python tests/bench/bench_service.py $(BENCH_ARGS)

pictures: $(DEV) ## the drawings of the game in docs/images, from the library
	$(BIN)/python tools/make_pictures.py
	$(BIN)/python tools/make_screens.py

screenshots: $(DEV) ## pictures of the web table and of reports in docs/images; needs Chromium
	$(BIN)/python tools/make_screenshots.py
	$(BIN)/python tools/make_report_pictures.py

setup: $(DEV) ## the environment for development, as locked

lock: $(DEV) ## renew the locks in .ci/locks: the newest versions that pyproject.toml admits
	$(BIN)/python tools/locks.py

audit: $(DEV) ## known advisories: of floors and locked versions, and of pip-audit where its service answers
	$(BIN)/python tools/audit.py

licences: $(DEV) ## each dependency with its licence
	$(BIN)/python tools/licences.py

pythons: $(DEV) ## the fast tests on every Python of this machine, with oldest and newest libraries
	$(BIN)/python tools/pythons.py

sbom: $(DEV) ## the bill of materials of a release, in dist: what the wheel brings with all extras
	$(BIN)/python tools/sbom.py

clean: ## remove the environment and what tools leave behind
	rm -rf $(VENV) build dist htmlcov mutants .benchmarks .coverage .hypothesis \
	    .import_linter_cache .mypy_cache .pytest_cache .ruff_cache

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "Python 3.11 or newer is needed; name one: make PYTHON=python3.12 ..." >&2; exit 1; }
	@echo "making $(VENV)"
	@$(PYTHON) -m venv $(VENV)

# Both install what .ci/locks names, hashes checked; `make lock` renews it.
$(RUNTIME): $(METADATA) .ci/locks/runtime.txt tools/environment.py | $(BIN)/python
	@echo "installing trente-rules in $(VENV)"
	@$(BIN)/python tools/environment.py runtime
	@touch $@

$(DEV): $(METADATA) .ci/locks/development.txt tools/environment.py | $(BIN)/python
	@echo "installing trente-rules, its extras and the tools in $(VENV)"
	@$(BIN)/python tools/environment.py development
	@touch $@ $(RUNTIME)
