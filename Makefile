# Everything that is done with this project, each from nothing but Python 3.11+, make and a package index.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
BENCH := .venv-bench
CONFORMANCE := .venv-conformance
SCHEMAS := $(wildcard schemas/*.json)
CODE := sdk tests bench examples tools

.PHONY: setup demo test gen check lint types generated record record-agent live bench conformance drift clean

setup: $(READY)

$(READY): setup.cfg pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[replay,dev]"
	touch $@

## demo: the main job, offline: one recorded conversation
demo: $(READY)
	$(BIN)/python examples/demo.py

## test: all tests, those beside the providers' packages among them; ARGS="-k name" chooses some of the others
test: $(READY)
	$(BIN)/python -m pytest $(ARGS)
	$(if $(ARGS),,$(MAKE) conformance)

## gen: wire types from the schemas; a new format is a new file in schemas/
gen: $(READY)
	$(BIN)/python -m tools.generate
	$(BIN)/python -m tools.provider_table

## check: lint, format, types, that generated/ and README's table are what the schemas and the code give, and no drift
check: lint types generated drift

lint: $(READY)
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)

types: $(READY)
	$(BIN)/mypy $(CODE) generated

generated: $(READY)
	$(BIN)/python -m tools.generate --check
	$(BIN)/python -m tools.provider_table --check

## record: the scenes of tests/live into cassettes/, from servers on this machine, or from real providers where keys are
## set; FORMATS="…" and SCENES="…" choose some
record: $(READY)
	$(BIN)/python -m tests.live.record

## record-agent: the agent's cassettes, from a model that calls tools: MODEL=path.gguf
record-agent: $(READY)
	$(BIN)/python -m tests.live.record_agent

## live: the same scenes against the servers on this machine, without cassettes
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

## conformance: bodies and answers beside the providers' own packages; ARGS="-k name" chooses some
conformance: $(CONFORMANCE)/.ready
	$(CONFORMANCE)/bin/python -m pytest -p tests.conformance.witness tests/conformance tests/formats tests/threads tests/test_tool_loop.py -q $(ARGS)

## drift: what the providers' packages know and schemas/ does not, and the reverse; PACKAGES="openai cohere" tries the newest
drift: $(CONFORMANCE)/.ready
	$(if $(PACKAGES),$(CONFORMANCE)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade $(PACKAGES))
	$(CONFORMANCE)/bin/python -m tools.drift

$(CONFORMANCE)/.ready: setup.cfg tests/conformance/packages.txt
	$(PYTHON) -m venv $(CONFORMANCE)
	$(CONFORMANCE)/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[replay]" \
		--requirement tests/conformance/packages.txt pytest hypothesis
	touch $@

clean:
	rm -rf $(VENV) $(BENCH) $(CONFORMANCE) .engine build *.egg-info .mypy_cache .pytest_cache .ruff_cache
