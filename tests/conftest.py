"""Shared pieces: the command line run in this process, one store for all workers, and the verdicts of the claims."""

import math
import os

# One thread a process, before anything loads BLAS: the suite runs on all cores already, and two threads on each would fight.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import sys
from functools import partial
from types import SimpleNamespace

import hypothesis
import pytest

LOOKS = 16
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


@pytest.fixture(scope="session", autouse=True)
def own_store(tmp_path_factory):
    """No test writes to the user's own store."""
    os.environ["ASYMP_STORE"] = str(tmp_path_factory.mktemp("store"))


@pytest.fixture
def asymp(capsys, monkeypatch, tmp_path):
    """Run `asymp ARGS` in this process, through the same entry point as the console script, with a store of its own.

    What comes back has the exit code and what was printed: `code`, `out`, `err`.
    """
    from asymp.reports.cli.main import main

    monkeypatch.setenv("ASYMP_STORE", str(tmp_path / "asymp-store"))

    def run(*args):
        capsys.readouterr()
        monkeypatch.setattr(sys, "argv", ["asymp", *map(str, args)])
        try:
            main()
            code = 0
        except SystemExit as stop:
            code = stop.code or 0
        captured = capsys.readouterr()
        return SimpleNamespace(code=code, out=captured.out, err=captured.err)

    return run


@pytest.fixture(autouse=True)
def no_claims_left_over():
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
    """A function: the settings of a part with their estimates after a round (all of them, or the first `most`)."""
    from asymp.reports.planning import measured_part

    return partial(measured_part, store=shared_store)


# Seconds of one processor that a statement may take on a commit, by what the reference run has noted of it, and for its first
# round: dearer ones are left out, and listed.
MOST_SECONDS, FIRST_SECONDS = 2.0, 5.0
UNKNOWN = 4
"""The rounds that a statement may have of which the reference run, made before it was declared, knows no cost."""


def rounds_on_a_commit(id):
    """The rounds that each statement of a claim may have on a commit: those that its decision took, two more, if it is cheap."""
    from asymp.reports import claims
    from asymp.reports.reference import reference_of

    found = {}
    for part in claims[id].parts:
        known = reference_of(id, part.name)
        rounds = UNKNOWN if known is None or known.round is None else known.round + 3
        # What the reference run knows and had no time to begin is too dear for a commit.
        cost = 0.0 if known is None else math.inf if known.first_round is None else known.first_round
        while rounds > 1 and cost * 2 ** (rounds - 1) > MOST_SECONDS:
            rounds -= 1
        found[part.name] = min(LOOKS, rounds) if cost <= FIRST_SECONDS else 0
    return found


class LazyVerdicts(dict):
    """The verdicts of the ledger's claims by id; a claim is checked when it is first asked for."""

    def __init__(self, store):
        super().__init__()
        self.store = store

    def __missing__(self, id):
        from asymp.reports import check

        return self.setdefault(id, check(id, rounds=rounds_on_a_commit(id), store=self.store))


@pytest.fixture(scope="session")
def quick_verdicts(shared_store):
    """The verdicts of all claims of the ledger, each measured when first wanted and once for all tests."""
    return LazyVerdicts(shared_store)


@pytest.fixture(scope="session")
def quick_report(quick_verdicts, shared_store, tmp_path_factory):
    """A report with every kind of panel (a bound, an identity, rates with and without an erratum, an order) and two of the
    sources' figures: its `folder` and its `verdicts`."""
    from asymp.reports import write_report
    from asymp.reports.figures import How, collect

    few = ("score-variance", "maximal-update", "missing-mass", "finite-memory-lower", "sgd-map", "step-size")
    verdicts, folder = [quick_verdicts[id] for id in few], tmp_path_factory.mktemp("report")
    gallery = collect(["figure-5", "memory-matrices"], how=How())
    write_report(verdicts, folder, keep=shared_store, gallery=gallery)
    return SimpleNamespace(folder=folder, verdicts=verdicts)


@pytest.fixture
def profile_name():
    """The profile of Hypothesis in use: commit or nightly."""
    return PROFILE
