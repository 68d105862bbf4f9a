"""A sampler of a user's own that breaks a promise costs its own claim, with a sentence; the others are judged."""

from pathlib import Path

import pytest

import asymp
from asymp.reports.check import RunLog, check_many, share_of
from asymp.reports.claims import claims, registered
from asymp.reports.claims_file import load_claims

FILE = """
import itertools, sys
import numpy as np, torch
from asymp.montecarlo import experiment
from asymp.reports import claim
from asymp.theory import Param, integer, law

LAW = law("w", "1/2 + 0*n", relation="=", params={"n": Param(integer(1), (2, 64))}, source="mine")

def good(draw, *, n):
    return draw.uniform()

def numpys_own(draw, *, n):
    return np.random.rand(draw.replicas)

def torchs_own(draw, *, n):
    return torch.rand(draw.replicas)

def constant_seed(draw, *, n):
    return np.random.default_rng(0).random(draw.replicas)

def constant_in_every_replica(draw, *, n):
    return [float(np.random.default_rng(0).random()) for _ in range(draw.replicas)]

def raises(draw, *, n):
    if n == 8:
        raise OSError("lost")
    return good(draw, n=n)

def outside(draw, *, n):
    return good(draw, n=n) + (5 if n == 8 else 0)

def exits(draw, *, n):
    sys.exit(0)

def complex_values(draw, *, n):
    return good(draw, n=n) * 1j

def rounds(draw, *, n, calls=itertools.count()):
    return good(draw, n=n) + next(calls) * 1e-16

def not_finite(draw, *, n):
    return good(draw, n=n) / (n - 8)

SAMPLERS = (numpys_own, torchs_own, constant_seed, constant_in_every_replica, raises, outside, exits, complex_values, not_finite)
for f in (good, rounds, *SAMPLERS):
    bounded = f in (good, rounds, outside, constant_in_every_replica)
    one = experiment(f.__name__, f, block=64, bounds=(0, 1) if bounded else None)
    claim(f.__name__, law=LAW, experiment=one, kind="identity", grid=[{"n": n} for n in (4, 8)])
"""
SENTENCES = {
    "numpys_own": "gave other values when the same block was drawn again",
    "torchs_own": "gave other values when the same block was drawn again",
    "constant_seed": "took no random number from `draw`, but its values differ",
    "constant_in_every_replica": "took no random number from `draw`, so that all its values are the same",
    "raises": "failed at n=8 in line",
    "exits": "SystemExit: 0",
    "complex_values": "returned complex values",
    "outside": "values must lie in the bounds",
    "not_finite": "not finite at n=8",
}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "c.py"
    path.write_text(FILE)
    yield str(path)
    registered.clear()


def test_one_bad_claim_loses_only_itself(file):
    ids = load_claims(file)
    found = {v.claim: v for v in check_many(ids, rounds=9)}
    for id in ("good", "rounds"):
        assert found[id].outcome == "supported" and not found[id].missing
    for id, words in SENTENCES.items():
        assert found[id].outcome == "inconclusive"
        assert any(words in sentence for sentence in found[id].missing), id


def test_other_seeds_and_presets_of_the_same_code_are_said(file, tmp_path):
    load_claims(file)
    for seed, said in ((0, ""), (1, "seed 0 (quick)"), (0, "seed 1 (quick)")):
        log = RunLog()
        check_many(["good"], rounds=1, seed=seed, store=tmp_path / "store", log=log)
        notes = [n for n in log.notices if "was also run with" in n]
        assert len(notes) == bool(said) and all(said in n for n in notes)


def test_a_claims_share_of_the_budget_does_not_depend_on_later_cells(file):
    ids = load_claims(file)
    assert sum(share_of(claims[id]) for id in ids) == pytest.approx(1e-3)
    registered.clear()
    exec(compile(Path(file).read_text(), file, "exec"), {"__name__": "notebook"})
    shares = [share_of(claims[id]) for id in registered]
    first = shares[0]
    exec(
        compile(Path(file).read_text().replace("f.__name__, law", "f.__name__ + '-2', law"), file, "exec"),
        {"__name__": "n"},
    )
    assert share_of(claims["good"]) == first
    assert sum(share_of(claims[id]) for id in registered) < 1e-3


@pytest.mark.parametrize("block", [8, 64, 1024, 4096])
def test_replicas_that_share_randomness_never_refute_a_right_law(block):
    """One realisation for all replicas of a block: however large blocks are, a few of them are a few replicas."""

    def shared(draw, *, n):
        return draw.uniform() * draw.alone.uniform(0.5, 1.5)

    made = asymp.claim.identity("1/2 + 0*n", n=[4, 16], bounds=(0, 2), block=block)(shared)
    try:
        found = [asymp.check(made, rounds=8, seed=seed).parts["source"] for seed in range(6)]
    finally:
        registered.clear()
    assert {part.outcome for part in found} == {"inconclusive"}
    assert any("share randomness" in part.evidence.words for part in found) and all(part.why_open for part in found)


def test_large_blocks_of_independent_values_are_decided_after_some_blocks():
    def independent(draw, *, n):
        return draw.uniform()

    made = asymp.claim.identity("1/3 + 0*n", n=[4, 16], bounds=(0, 1), block=4096)(independent)
    try:
        early, late = (asymp.check(made, rounds=rounds).parts["source"] for rounds in (2, 5))
    finally:
        registered.clear()
    assert early.outcome == "inconclusive" and early.why_open.startswith("Too few blocks to tell")
    assert (late.outcome, late.round) == ("refuted", 3)
