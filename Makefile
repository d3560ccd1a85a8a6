# `make demo` and `make test` set up everything they need in their own virtual environment.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
VERSIONS := 3.11 3.12 3.13 3.14

.PHONY: demo browser proxy screenshot docs test matrix wheel dist lint types check clean

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev,ja,zh,icu,irds,neural,plots,pyterrier,hub,ray,docs]'
	@for peer in kenlm systran-align; do \
	  $(BIN)/pip install --quiet --disable-pip-version-check $$peer \
	    || echo "$$peer was not installed (it has no wheel for this Python, or needs a compiler): NOT COMPARED WITH IT"; \
	done
	touch $@

demo: $(READY)
	$(BIN)/crossbow demo

# The tests of the page need a browser; without one they are skipped, loudly.
browser:
	@command -v chromium >/dev/null || (apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium \
	  fonts-inter) >/dev/null 2>&1 || echo "chromium was not installed (try it as root): the page will not be tested"

screenshot: $(READY) browser
	$(BIN)/python docs/screenshot.py

# And those of the example of a proxy need nginx.
proxy:
	@command -v nginx >/dev/null || test -x /usr/sbin/nginx || (apt-get update -qq && apt-get install -y -qq \
	  --no-install-recommends nginx-light) >/dev/null 2>&1 \
	  || echo "nginx was not installed (try it as root): the example of a proxy will not be tested"

# The documentation as a site, in build/site. Warnings, such as broken links, are errors.
docs: $(READY)
	$(BIN)/python tools/pictures.py
	$(BIN)/python tools/reference_pages.py
	$(BIN)/python tools/site_pages.py build/docs
	$(BIN)/zensical build --clean --strict

test: $(READY) browser proxy
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -n 2 --dist loadgroup

# The tests with every version of Python that this machine has, each in an environment of its own.
matrix:
	@for version in $(VERSIONS); do \
	  python=$$(ls -1 $${PYENV_ROOT:-$$HOME/.pyenv}/versions/$$version.*/bin/python 2>/dev/null | tail -n 1); \
	  python=$${python:-python$$version}; \
	  if $$python --version >/dev/null 2>&1; then $(MAKE) test PYTHON=$$python VENV=.venv-$$version || exit 1; \
	  else echo "python$$version is not on this machine: NOT TESTED"; fi; \
	done

# A wheel for this Python and this system, with compiled kernels, so that a fresh installation need not compile. It is
# the only wheel in dist: pip refuses to install two of the same version, as `pip install dist/*.whl` would ask it to.
wheel: $(READY)
	rm -rf build/lib build/bdist.* build/seeds build/wheel src/crossbow/compiled
	env -u NUMBA_BOUNDSCHECK CROSSBOW_CACHE=$(CURDIR)/build/seeds NUMBA_CPU_NAME=x86-64-v3 \
	  NUMBA_CPU_FEATURES=$$($(BIN)/python -c "from crossbow.seeds import FLAGS; print(FLAGS)") $(BIN)/crossbow warm
	env -u NUMBA_BOUNDSCHECK $(BIN)/python -m crossbow.seeds build/seeds src/crossbow/compiled
	$(BIN)/pip wheel --quiet --disable-pip-version-check --no-deps -w build/wheel .
	rm -rf src/crossbow/compiled
	$(BIN)/python -m wheel tags --remove $$($(BIN)/python tools/tags.py) build/wheel/*.whl
	mkdir -p dist && rm -f dist/*.whl && mv build/wheel/*.whl dist

# The sdist and the plain wheel. Times of files are those of the last commit, so that the same commit makes the same bytes.
dist: export SOURCE_DATE_EPOCH := $(shell git log -1 --format=%ct 2>/dev/null || echo 315532800)
dist: $(READY)
	rm -rf build/lib build/bdist.* dist src/*.egg-info
	$(BIN)/python -m build --no-isolation --outdir dist . >/dev/null
	$(BIN)/python tools/same_bytes.py dist/*.tar.gz
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	cd dist && sha256sum *

lint: $(READY)
	$(BIN)/ruff check .

types: $(READY)
	$(BIN)/mypy

check: test lint types

clean:
	rm -rf $(VENV) $(VERSIONS:%=.venv-%) build dist src/*.egg-info .cache
