# `make demo` and `make test` set up everything they need in their own virtual environment.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test lint types check clean

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev,ja,irds,plots]'
	$(BIN)/pip install --quiet --disable-pip-version-check kenlm \
	  || echo "kenlm needs a compiler and was not installed: the comparison with it will be skipped"
	touch $@

demo: $(READY)
	$(BIN)/crossbow demo

test: $(READY)
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -n 2

lint: $(READY)
	$(BIN)/ruff check .

types: $(READY)
	$(BIN)/mypy

check: test lint types

clean:
	rm -rf $(VENV) build dist src/*.egg-info
