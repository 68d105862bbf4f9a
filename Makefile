# Two commands: `make report` and `make test`. Each sets up what it needs in .venv and leaves it alone when nothing changed.
PYTHON ?= python3
BIN    := .venv/bin
PKGS   := theory models montecarlo reports
PIP    := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt
NEEDS  := constraints.txt pyproject.toml setup.py asymp/_version.py

.PHONY: setup report test fast lint contracts links unit doctests docs bench bench-fit fuzz soak census clean

report: .venv/sim
	$(BIN)/asymp report

test: lint unit doctests

# The tier for every save, under 90 seconds: the folders that test the machinery; the others test laws, samplers and claims.
fast: .venv/dev
	$(BIN)/ruff check --quiet .
	$(MAKE) -s contracts >/dev/null
	$(BIN)/pytest -q -n auto --dist worksteal -m "not slow" tests/models tests/montecarlo/statistics tests/reports tests/theory/test_law.py

setup: .venv/dev

# What simulations and reports need. torch comes first and alone: the version pinned in constraints.txt, whatever build
# this machine's index has.
.venv/sim: $(NEEDS)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "asymp needs Python 3.11 or newer; run make PYTHON=python3.11 ...")'
	@echo "setting up .venv (once; a few minutes where packages have to be downloaded)"
	@$(PYTHON) -m venv .venv
	@$(PIP) torch 2>.venv/pip.log || { cat .venv/pip.log >&2; exit 1; }
	@$(PIP) --editable ".[sim]" 2>.venv/pip.log || { cat .venv/pip.log >&2; exit 1; }
	@touch $@

# What developers need too: tests, browser, documentation, linters.
.venv/dev: .venv/sim
	@$(PIP) --editable ".[dev]" 2>.venv/pip.log || { cat .venv/pip.log >&2; exit 1; }
	@touch $@

# The folders under the names that they have when installed, for mypy and the census.
links:
	@mkdir -p build/links/asymp
	@for p in $(PKGS); do ln -sfn ../../../$$p build/links/asymp/$$p; done
	@for f in asymp/*.py asymp/py.typed; do ln -sfn ../../../$$f build/links/$$f; done

lint: .venv/dev links
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(MAKE) -s contracts

# The import graph is read from a copy in which the folders stand as they do when installed.
contracts: .venv/dev
	@rm -rf build/contracts && mkdir -p build/contracts && cp -r asymp build/contracts/ && cp -r $(PKGS) build/contracts/asymp/
	@cd build/contracts && ../../$(BIN)/lint-imports --no-logo --config ../../pyproject.toml

unit: .venv/dev
	$(BIN)/pytest -q -n auto --dist loadgroup

doctests: .venv/dev
	$(BIN)/pytest -q --doctest-modules --pyargs asymp
	$(BIN)/pytest -q -n auto --dist loadfile --doctest-glob='*.md' --ignore=docs/reference README.md docs

# The documentation, as pages in build/docs; the reference is written from the declarations first.
docs: .venv/dev
	$(BIN)/sphinx-build -q -W --keep-going -b html docs build/docs
	@echo "documentation: build/docs/index.html"

# Speed as ratios against baselines, on an idle machine: all figures, or `make bench FIGURES="sweep map"`.
# 10,000 inputs to laws, formulas and verbs: an answer or one sentence, and the right exit code.
fuzz: .venv/dev
	ASYMP_FUZZ=10000 .venv/bin/pytest -q -n0 tests/fuzz

# 200 runs with kills, a full disk, a read-only store, two writers, a lost worker: the same result, or what is missing is said.
soak: .venv/dev
	.venv/bin/python tests/support/soak.py --runs 200

bench: .venv/sim
	PYTHONPATH=benchmarks $(BIN)/python -m speed $(FIGURES)

# Whether the intervals of `asymp fit FILE` hold: on the learning curves of a folder (make bench-fit DATA=folder), or on made-up studies.
bench-fit: .venv/sim
	$(BIN)/python benchmarks/fit_coverage.py $(if $(DATA),curves $(DATA),made-up)

# How large the house is, each figure with what version 0.1 had.
census: .venv/sim links
	@$(BIN)/python benchmarks/census.py

clean:
	rm -rf .venv build dist *.egg-info asymp-report
