# Everything happens in VENV; a stamp in it remembers which list of requirements it holds. Another Python has
# another: make test PYTHON=python3.13 VENV=.venv-3.13
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := python -m pip install --quiet --quiet --disable-pip-version-check
INSTALL := $(BIN)/$(PIP) --no-deps
PACKAGE := $(INSTALL) --no-build-isolation --editable .
RESOLVE := uv pip compile --quiet --no-header --no-annotate --no-strip-extras --no-emit-index-url \
	--no-emit-find-links pyproject.toml requirements/run.in
LOCK := $(RESOLVE) --universal --python-version 3.11 --generate-hashes
RUN_EXTRAS := --extra providers --extra embedded --extra report --extra gym --extra play --extra gptnt
DEV_EXTRAS := $(RUN_EXTRAS) --extra pettingzoo --extra voice --extra serve --extra embeddings \
	--extra docs --extra dev

PROVE := $(BIN)/python -m pytest -n 2 -rP

.PHONY: run e2e test fuzz test-slow test-browser test-omni proof proof-lowest proof-kills proof-histories \
	proof-operations proof-power lint docs bench lock clean

run: $(VENV)/run.stamp  ## the quick suite on a real small model, and its report
	$(BIN)/polyathlon run lmgame-quick --out runs/quick --resume

e2e: $(VENV)/run.stamp  ## the full end-to-end suite
	$(BIN)/polyathlon run lmgame-e2e --out runs/e2e --resume

test: $(VENV)/dev.stamp  ## fast tests
	$(BIN)/python -m pytest -n 2

fuzz: $(VENV)/dev.stamp  ## fast tests, every property on new random examples
	$(BIN)/python -m pytest -n 2 --hypothesis-profile fuzz

test-slow: $(VENV)/dev.stamp  ## the slow tests and those that start a model server
	$(BIN)/python -m pytest -n 2 -m "slow or server" --durations 15

test-browser: $(VENV)/dev.stamp  ## people's page in a headless Chromium, which must be installed
	$(BIN)/python -m pytest -m browser --durations 15

test-omni: $(VENV)/dev.stamp .venv-omni/stamp  ## whole episodes with a tiny served omni model
	$(BIN)/python -m pytest -m omni

# A proof takes longer than tests may and ends with figures; each is a target of its own.
proof: proof-lowest proof-kills proof-histories proof-operations proof-power  ## all proofs, one after another

proof-lowest: .venv-lowest/stamp  ## fast tests with the lowest allowed version of every direct dependency; needs uv
	.venv-lowest/bin/python -m pytest -n 2

proof-kills: $(VENV)/dev.stamp  ## SIGKILL 30 times on each of three workloads; requests and money
	POLYATHLON_KILLS=30 $(PROVE) -m slow tests/experiments/test_kill.py

proof-histories: $(VENV)/dev.stamp  ## 2,000 random histories of resumed runs, and 50 of runs killed by SIGKILL
	POLYATHLON_HISTORIES=2000 POLYATHLON_KILLED_HISTORIES=50 $(PROVE) -m "slow or not slow" \
		tests/experiments/test_resume_histories.py tests/experiments/test_killed_histories.py

proof-operations: $(VENV)/dev.stamp  ## 2,000 games of random programs, cuts at every event, wall-clock games
	POLYATHLON_PROGRAMS=2000 POLYATHLON_WALL_CLOCK_GAMES=100 POLYATHLON_WALL_CLOCK_BOMBS=60 $(PROVE) \
		tests/runtime/test_operations.py tests/runtime/test_wall_clock.py \
		tests/experiments/test_wall_clock_runs.py

proof-power: $(VENV)/dev.stamp  ## 500 imitated losses of power
	POLYATHLON_POWER_LOSSES=500 $(PROVE) -m slow tests/experiments/test_power_loss.py

lint: $(VENV)/dev.stamp  ## style, types, import rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(VENV)/dev.stamp  ## the documentation site, in site/
	$(BIN)/python scripts/env_pages.py
	$(BIN)/zensical build --clean

bench: $(VENV)/run.stamp  ## throughput on this machine
	$(BIN)/polyathlon bench

lock:  ## pin every dependency again; needs uv
	$(LOCK) $(DEV_EXTRAS) --output-file requirements/dev.txt
	$(LOCK) $(RUN_EXTRAS) --constraint requirements/dev.txt --output-file requirements/run.txt

clean:
	rm -rf .venv .venv-* site dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

.venv-omni/stamp: requirements/omni.txt
	$(PYTHON) -m venv .venv-omni
	.venv-omni/bin/$(PIP) --requirement $<
	.venv-omni/bin/$(PIP) --no-deps torchvision==0.28.0
	touch $@

.venv-lowest/stamp: pyproject.toml requirements/run.in
	$(PYTHON) -m venv --clear .venv-lowest
	$(RESOLVE) $(DEV_EXTRAS) --resolution lowest-direct --python .venv-lowest/bin/python \
		--output-file .venv-lowest/requirements.txt
	.venv-lowest/bin/$(PIP) --no-deps --requirement .venv-lowest/requirements.txt
	.venv-lowest/bin/$(PIP) --no-deps --no-build-isolation --editable .
	touch $@

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/%.stamp: requirements/%.txt pyproject.toml | $(BIN)/python
	$(INSTALL) --require-hashes --requirement $<
	$(PACKAGE)
	touch $@
