# Everything that is done with this project, each from nothing but Python 3.11+, make and a package index.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
BENCH := .venv-bench
SCHEMAS := $(wildcard schemas/*.json)
CODE := sdk tests bench examples tools

.PHONY: setup demo test gen check lint types generated record live bench clean

setup: $(READY)

$(READY): setup.cfg pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[replay,dev]"
	touch $@

## demo: the main job, offline: one recorded conversation
demo: $(READY)
	$(BIN)/python examples/demo.py

## test: all tests; ARGS="-k name" chooses some
test: $(READY)
	$(BIN)/python -m pytest $(ARGS)

## gen: wire types from the schemas; a new format is a new file in schemas/
gen: $(READY)
	$(BIN)/python -m tools.generate

## check: lint, format, types, and that generated/ is what the schemas give
check: lint types generated

lint: $(READY)
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)

types: $(READY)
	$(BIN)/mypy $(CODE) generated

generated: $(READY)
	$(BIN)/python -m tools.generate --check

## record: the scenes of tests/live into cassettes/, from the local engine, or from real providers where keys are set
record: $(READY)
	$(BIN)/python -m tests.live.record

## live: the same scenes against the local engine, without cassettes
live: $(READY)
	$(BIN)/python -m tests.live.live

## bench: the figures of README, beside requests and the official openai package in the same run
bench: $(BENCH)/.ready
	PYTHONPATH=sdk:generated $(BENCH)/bin/python -m bench $(ARGS)

$(BENCH)/.ready: setup.cfg
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check . openai==3.57.0
	rm -rf build
	touch $@

clean:
	rm -rf $(VENV) $(BENCH) .engine build *.egg-info .mypy_cache .pytest_cache .ruff_cache
