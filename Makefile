# Everything happens in .venv; a stamp in it remembers which list of requirements it holds.
PYTHON ?= python3
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps
PACKAGE := $(INSTALL) --no-build-isolation --editable .
LOCK := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	--no-annotate --no-strip-extras --no-emit-index-url --no-emit-find-links pyproject.toml requirements/run.in
RUN_EXTRAS := --extra models --extra embedded --extra report --extra gym --extra play --extra gptnt
DEV_EXTRAS := $(RUN_EXTRAS) --extra providers --extra pettingzoo --extra voice --extra serve --extra embeddings \
	--extra docs --extra dev

.PHONY: run e2e test fuzz test-slow test-browser test-omni lint docs bench lock clean

run: .venv/run.stamp  ## the quick suite on a real small model, and its report
	$(BIN)/polyathlon run lmgame-quick --out runs/quick --resume

e2e: .venv/run.stamp  ## the full end-to-end suite
	$(BIN)/polyathlon run lmgame-e2e --out runs/e2e --resume

test: .venv/dev.stamp  ## fast tests
	$(BIN)/python -m pytest -n 2

fuzz: .venv/dev.stamp  ## fast tests, every property on new random examples
	$(BIN)/python -m pytest -n 2 --hypothesis-profile fuzz

test-slow: .venv/dev.stamp  ## the slow tests and those that start a model server
	$(BIN)/python -m pytest -n 2 -m "slow or server" --durations 15

test-browser: .venv/dev.stamp  ## people's page in a headless Chromium, which must be installed
	$(BIN)/python -m pytest -m browser --durations 15

test-omni: .venv/dev.stamp .venv-omni/stamp  ## whole episodes with a tiny served omni model
	$(BIN)/python -m pytest -m omni

lint: .venv/dev.stamp  ## style, types, import rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: .venv/dev.stamp  ## the documentation site, in site/
	$(BIN)/python scripts/env_pages.py
	$(BIN)/zensical build --clean

bench: .venv/run.stamp  ## throughput on this machine
	$(BIN)/polyathlon bench

lock:  ## pin every dependency again; needs uv
	$(LOCK) $(DEV_EXTRAS) --output-file requirements/dev.txt
	$(LOCK) $(RUN_EXTRAS) --constraint requirements/dev.txt --output-file requirements/run.txt

clean:
	rm -rf .venv .venv-omni site dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

.venv-omni/stamp: requirements/omni.txt
	$(PYTHON) -m venv .venv-omni
	.venv-omni/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	.venv-omni/bin/python -m pip install --quiet --disable-pip-version-check --no-deps torchvision==0.28.0
	touch $@

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/%.stamp: requirements/%.txt pyproject.toml | .venv/bin/python
	$(INSTALL) --require-hashes --requirement $<
	$(PACKAGE)
	touch $@
