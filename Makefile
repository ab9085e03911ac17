# Everything works from a path with spaces, as root and as an ordinary user; PY=python3.12 chooses another Python.
PY ?= python3
BIN := .venv/bin
export VIRTUAL_ENV := .venv
# The processes of the tests, hundreds of them, read what the first of them has compiled.
unexport PYTHONDONTWRITEBYTECODE

TYPES := $(BIN)/mypy && $(BIN)/mypy tests/typing && $(BIN)/mypy examples
STYLE := $(BIN)/ruff format --check . && $(BIN)/ruff check . && $(TYPES)
# In a fresh tree: mypy has one core for half a minute, and the tests are compiled on another meanwhile.
COMPILE := test -d tests/__pycache__ || $(BIN)/python -m pytest --collect-only -qq -n 0 >/dev/null 2>&1

.DEFAULT_GOAL := help
.PHONY: help setup demo test check prove model simulate postgres crash cuts bench compare

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' Makefile

setup: .venv/installed ## Install everything into .venv (nothing outside this folder is touched)

demo: setup ## Use the invoicing assistant in a browser, on this machine only; Ctrl-C ends it
	@$(BIN)/semel demo

test: setup ## Everything: style, types, every test, the kill matrix at smoke counts
	@{ $(COMPILE); } & $(STYLE); style=$$?; wait; exit $$style
	@$(BIN)/python -m pytest -n $$(($$(getconf _NPROCESSORS_ONLN) * 2)) --dist worksteal

check: setup ## Style and types, and the tests that need no other process
	@$(STYLE)
	@$(BIN)/python -m pytest -n auto tests/test_tidy.py tests/domain tests/words tests/contract tests/typing

prove: setup ## For those who doubt: every promise at quick counts; FULL=1 makes the full ones and writes docs/proof.json
	@$(BIN)/python tests/prove.py $(if $(FULL),--full)

model: setup ## Check the protocol's models with spin: the right ones hold, and each wrong one fails
	@$(BIN)/python spec/model.py

simulate: setup ## Run the engine through schedules of faults: SEED= N= MUTANT=
	@$(BIN)/python tests/simulation/simulate.py $(if $(SEED),--seed $(SEED)) $(if $(N),--n $(N)) $(if $(MUTANT),--mutant $(MUTANT))

postgres: setup ## Every test that opens a database, on PostgreSQL as well as on SQLite
	@SEMEL_TEST_STORES=every $(BIN)/python -m pytest -n $$(($$(getconf _NPROCESSORS_ONLN) + 1)) tests

crash: setup ## Kill with SIGKILL at every point of a run and of its recovery, then look at the world
	@$(BIN)/python tests/crash/matrix.py

cuts: setup ## Cut the line at 100 COMMITs of each kind, and kill the database server at every moment
	@SEMEL_PROVE=full $(BIN)/python -m pytest -s -n 2 tests/postgres/test_cut_commits.py tests/postgres/test_killed_server.py

bench: setup ## Measure semel beside the same work without it, on both databases
	@$(BIN)/python -m bench --all
	@$(BIN)/python -m bench --pages

compare: setup ## Repeat, race, kill and stop other small libraries for the same job, and write docs/compare.md: ONLY=
	@$(BIN)/python -m compare $(if $(ONLY),--only "$(ONLY)")

.venv/installed: pyproject.toml requirements.lock
	@$(PY) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo 'semel needs Python 3.11 or newer: make $(MAKECMDGOALS) PY=python3.11' >&2; exit 1; }
	@test -x $(BIN)/python || $(PY) -m venv .venv || { echo 'The venv module is missing. On Debian and Ubuntu: apt install python3-venv' >&2; exit 1; }
	@test -x $(BIN)/uv || $(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@$(BIN)/uv pip install --quiet --require-hashes -r requirements.lock
	@$(BIN)/uv pip install --quiet --no-deps -e .
	@touch .venv/installed
