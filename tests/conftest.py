"""Shared pieces: the command line run in this process, one store for all workers, and the verdicts of the claims."""

import os

# One thread a process, before anything loads BLAS: the suite runs on all cores already, and two threads on each would fight.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import hypothesis
import pytest

pytest_plugins = ["support.claims_covered"]

# Hypothesis: `commit` draws the same settings every time; `nightly` draws new ones, many, and keeps those that failed.
hypothesis.settings.register_profile("commit", derandomize=True, deadline=None, database=None, max_examples=50)
hypothesis.settings.register_profile("nightly", deadline=None, max_examples=1000, print_blob=True)
PROFILE = os.environ.get("ASYMP_HYPOTHESIS_PROFILE", "commit")
hypothesis.settings.load_profile(PROFILE)


@pytest.hookimpl(tryfirst=True)  # before xdist looks at the groups
def pytest_collection_modifyitems(items):
    """All tests of a claim go to one worker, and else all tests of a file: what they share is made once."""
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(f"{item.path.parent.name}/{item.path.stem}"))


@dataclass(frozen=True)
class Ran:
    """What a command did: its exit code and what it printed."""

    code: int
    out: str
    err: str


@pytest.fixture(scope="session", autouse=True)
def own_store(tmp_path_factory):
    """No test writes to the user's own store."""
    os.environ["ASYMP_STORE"] = str(tmp_path_factory.mktemp("store"))


@pytest.fixture
def asymp(capsys, monkeypatch, tmp_path):
    """Run `asymp ARGS` in this process, through the same entry point as the console script, with a store of its own."""
    from asymp.reports.cli.main import main

    monkeypatch.setenv("ASYMP_STORE", str(tmp_path / "asymp-store"))

    def run(*args: str) -> Ran:
        capsys.readouterr()
        monkeypatch.setattr(sys, "argv", ["asymp", *map(str, args)])
        try:
            main()
            code = 0
        except SystemExit as stop:
            code = stop.code or 0
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run


@pytest.fixture(autouse=True)
def no_claims_left_over() -> Iterator[None]:
    """A test's own claims do not reach the next test."""
    yield
    declare = sys.modules.get("asymp.reports.claims")
    if declare is not None:
        declare.registered.clear()


@pytest.fixture(scope="session")
def shared_store(tmp_path_factory, worker_id):
    """One store for all tests and all workers: what one has measured, judged or typeset, the others find."""
    from asymp.montecarlo.running.store import Store

    root = tmp_path_factory.getbasetemp()
    return Store((root if worker_id == "master" else root.parent) / "shared-store")


@pytest.fixture(scope="session")
def measured(shared_store):
    """A function: the settings of a part at a preset (all of them, or the first `most`) with their estimates."""
    from asymp.reports.planning import measured_part

    def of(part, *, preset="quick", most=None):
        return measured_part(part, preset=preset, most=most, store=shared_store)

    return of


class LazyVerdicts(Mapping):
    """The verdicts of the ledger's claims by id; a claim is checked when it is first asked for."""

    def __init__(self, store):
        self._store = store
        self._known = {}

    def __getitem__(self, id):
        from asymp.reports import check

        if id not in self._known:
            self._known[id] = check(id, store=self._store)
        return self._known[id]

    def __iter__(self):
        from asymp.reports.claims import index

        return iter(index())

    def __len__(self):
        return sum(1 for _ in self)


@pytest.fixture(scope="session")
def quick_verdicts(shared_store):
    """The verdicts of all claims of the ledger, each measured when first wanted and once for all tests."""
    return LazyVerdicts(shared_store)


@pytest.fixture
def profile_name():
    """The profile of Hypothesis in use: commit or nightly."""
    return PROFILE
