# `make demo` and `make test` set up everything they need in their own virtual environment.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo browser screenshot test lint types check clean

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev,ja,irds,neural,plots]'
	$(BIN)/pip install --quiet --disable-pip-version-check kenlm \
	  || echo "kenlm needs a compiler and was not installed: the comparison with it will be skipped"
	touch $@

demo: $(READY)
	$(BIN)/crossbow demo

# The tests of the page need a browser; without one they are skipped, loudly.
browser:
	@command -v chromium >/dev/null || (apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium \
	  fonts-inter) >/dev/null 2>&1 || echo "chromium was not installed (try it as root): the page will not be tested"

screenshot: $(READY) browser
	$(BIN)/python docs/screenshot.py

test: $(READY) browser
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -n 2

lint: $(READY)
	$(BIN)/ruff check .

types: $(READY)
	$(BIN)/mypy

check: test lint types

clean:
	rm -rf $(VENV) build dist src/*.egg-info
