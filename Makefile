# Everything that is done with this project, each from nothing but Python 3.11+, make and a package index.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
BENCH := .venv-bench
CONFORMANCE := .venv-conformance
LOWEST := .venv-lowest
FUZZ := .venv-fuzz
LOCK := .venv-lock
SECONDS ?= 60
SEED ?= 1
SCHEMAS := $(wildcard schemas/*.json)
CODE := sdk tests bench examples tools
# What of the tests `make test` repeats with the lowest versions: what meets another package's code, in about a minute.
MEETS := tests/test_client.py tests/test_client_settings.py tests/test_errors.py tests/test_function_tool.py \
	tests/test_limits.py tests/test_mismatch.py tests/test_network.py tests/test_output_types.py tests/test_retry.py \
	tests/test_tool_schema.py tests/test_transport.py tests/test_transport_tls.py tests/access \
	tests/faults/test_connections.py tests/faults/test_cuts.py tests/formats/bedrock_converse tests/persist tests/replay
# The tools of development are not there in their lowest versions, and some not at all.
NOT_LOWEST := --ignore tests/test_generate.py --ignore tests/test_packaging.py --ignore tests/tools

# As many tests at once as there are processors; collecting them in each costs more than it brings where few are chosen.
AT_ONCE := -n auto
PIP := -m pip install --quiet --disable-pip-version-check
# $(call environment,FOLDER,LOCK): what the lock names, by its hashes, and then this project from where it stands.
define environment
	$(PYTHON) -m venv $(1)
	$(1)/bin/python $(PIP) --require-hashes --requirement requirements/$(2).txt
	$(1)/bin/python $(PIP) --no-deps --no-build-isolation --editable .
	touch $(1)/.ready
endef

.PHONY: setup demo test gen check lint types generated cassettes locks licences lock lowest record record-agent live \
	mocks fuzz soak bench conformance drift clean

setup: $(READY)

$(READY): setup.cfg pyproject.toml requirements/dev.txt
	$(call environment,$(VENV),dev)

## demo: the main job, offline: one recorded conversation
demo: $(READY)
	$(BIN)/python examples/demo.py

## test: all tests, those beside the providers' packages and with the lowest versions among them; ARGS="-k name"
## chooses some of the others
test: $(READY)
	$(BIN)/python -m pytest $(or $(ARGS),$(AT_ONCE) -q)
	$(if $(ARGS),,$(MAKE) conformance)
	$(if $(ARGS),,$(MAKE) lowest ARGS="$(AT_ONCE) $(MEETS)")
	$(if $(ARGS),,$(MAKE) fuzz)

## gen: wire types from the schemas; a new format is a new file in schemas/
gen: $(READY)
	$(BIN)/python -m tools.generate
	$(BIN)/python -m tools.provider_table

## check: lint, format, types, that generated/ and README's table are what the schemas and the code give, that no cassette
## holds what is somebody's, that the locks fit setup.cfg, that every licence is one that we can live with, and no drift
check: lint types generated cassettes locks licences drift

lint: $(READY)
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)

types: $(READY)
	$(BIN)/mypy $(CODE) generated

generated: $(READY)
	$(BIN)/python -m tools.generate --check
	$(BIN)/python -m tools.provider_table --check

cassettes: $(READY)
	$(BIN)/python -m triptych.replay.check cassettes

locks: $(READY)
	$(BIN)/python -m tools.lock --check

licences: $(READY) $(CONFORMANCE)/.ready $(LOWEST)/.ready
	$(BIN)/python -m tools.licences $(VENV) $(CONFORMANCE) $(LOWEST)

## lock: requirements/ anew, when setup.cfg or a packages.txt asks for something else;
## ARGS=--upgrade takes the newest of all
lock: $(LOCK)/.ready
	$(LOCK)/bin/python -m tools.lock $(ARGS)

$(LOCK)/.ready: requirements/lock.txt
	$(PYTHON) -m venv $(LOCK)
	$(LOCK)/bin/python $(PIP) --require-hashes --requirement $<
	touch $@

## lowest: all tests with the lowest versions that setup.cfg allows; ARGS="tests/replay" chooses some
lowest: $(LOWEST)/.ready
	$(LOWEST)/bin/python -m pytest -q $(NOT_LOWEST) $(ARGS)

$(LOWEST)/.ready: setup.cfg pyproject.toml requirements/lowest.txt
	$(call environment,$(LOWEST),lowest)

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

## mocks: what the faults of llmock and aimock come to, from environments of their own; ARGS="-k name" chooses some
mocks: $(READY)
	TRIPTYCH_MOCKS=1 $(BIN)/python -m pytest tests/mocks -q $(ARGS)

## soak: 60,000 calls and 6,000 streams through one client, some going wrong, sync and async; ARGS="--seed 8" for others
soak: $(READY)
	$(BIN)/python -m tests.soak $(ARGS)

## fuzz: a minute of arbitrary input to all that reads what others wrote, the same each time; SECONDS=600 SEED=0 by hand,
## TARGET=name for one
fuzz: $(FUZZ)/.ready
	$(FUZZ)/bin/python -m tests.fuzz.guided --seconds $(SECONDS) --seed $(SEED) $(if $(TARGET),--target $(TARGET))

## bench: the figures of README, beside requests and the official openai package in the same run
bench: $(BENCH)/.ready
	PYTHONPATH=sdk:generated $(BENCH)/bin/python -m bench $(ARGS)

# The project is not editable here: what finds an editable one's modules would be in the import times.
$(BENCH)/.ready: setup.cfg pyproject.toml requirements/bench.txt
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python $(PIP) --require-hashes --requirement requirements/bench.txt
	$(BENCH)/bin/python $(PIP) --no-deps --no-build-isolation .
	rm -rf build
	touch $@

## conformance: bodies and answers beside the providers' own packages; ARGS="-k name" chooses some
conformance: $(CONFORMANCE)/.ready
	$(CONFORMANCE)/bin/python -m pytest -q -p tests.conformance.witness tests/conformance tests/formats tests/threads \
		tests/test_tool_loop.py $(or $(ARGS),$(AT_ONCE))

## drift: what the providers' packages know and schemas/ does not, and the reverse; PACKAGES="openai cohere" tries the newest
drift: $(CONFORMANCE)/.ready
	$(if $(PACKAGES),$(CONFORMANCE)/bin/python $(PIP) --upgrade $(PACKAGES))
	$(CONFORMANCE)/bin/python -m tools.drift

$(CONFORMANCE)/.ready: setup.cfg pyproject.toml requirements/conformance.txt
	$(call environment,$(CONFORMANCE),conformance)

$(FUZZ)/.ready: setup.cfg pyproject.toml requirements/fuzz.txt
	$(call environment,$(FUZZ),fuzz)

clean:
	rm -rf $(VENV) $(BENCH) $(CONFORMANCE) $(LOWEST) $(FUZZ) $(LOCK) .engine build *.egg-info .mypy_cache .pytest_cache .ruff_cache
