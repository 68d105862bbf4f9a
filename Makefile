# Two commands: `make report` and `make test`. Both set up .venv first and leave it alone when nothing changed.
PYTHON ?= python3
BIN    := .venv/bin
PKGS   := theory models montecarlo reports
PIP    := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt

.PHONY: setup report test fast lint unit doctests docs clean

report: .venv/ready
	$(BIN)/asymp report

test: lint unit doctests

# The tier for every save, under 90 seconds: everything but types, browser, and the laws and claims one by one.
fast: .venv/ready
	$(BIN)/ruff check --quiet .
	$(BIN)/lint-imports --no-logo >/dev/null
	$(BIN)/pytest -q -n auto --dist worksteal -m "not slow and not browser"

setup: .venv/ready

# torch comes first and alone: the version pinned in constraints.txt, whatever build this machine's index has.
.venv/ready: constraints.txt pyproject.toml theory/_version.py
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "asymp needs Python 3.11 or newer; run make PYTHON=python3.11 ...")'
	@echo "setting up .venv (once; a few minutes where packages have to be downloaded)"
	@$(PYTHON) -m venv .venv
	@$(PIP) torch 2>.venv/pip.log || { cat .venv/pip.log >&2; exit 1; }
	@$(PIP) --editable ".[dev]" 2>.venv/pip.log || { cat .venv/pip.log >&2; exit 1; }
	@mkdir -p build/links/asymp
	@for p in $(PKGS); do ln -sfn ../../../$$p build/links/asymp/$$p; done
	@touch $@

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

unit: .venv/ready
	$(BIN)/pytest -q -n auto --dist loadfile

doctests: .venv/ready
	$(BIN)/pytest -q --doctest-modules --pyargs $(addprefix asymp.,$(PKGS))
	$(BIN)/pytest -q -n auto --dist loadfile --doctest-glob='*.md' --ignore=docs/reference README.md docs

# The documentation, as pages in build/docs; the reference is written from the declarations first.
docs: .venv/ready
	$(BIN)/sphinx-build -q -W --keep-going -b html docs build/docs
	@echo "documentation: build/docs/index.html"

clean:
	rm -rf .venv build dist *.egg-info asymp-report
