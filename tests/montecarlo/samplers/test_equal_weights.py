"""Memories with equal weights, and their ratio to other weights: against memories that are formed one by one."""

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom
from support.naive_recall import simulate, zipf

from asymp.montecarlo.samplers.recall.equal_weights import (
    equal_weights_experiment,
    equal_weights_recall_experiment,
    last_seen_often,
)
from asymp.montecarlo.samplers.scaling.fill_is_best import fill_ratio_experiment
from asymp.montecarlo.samplers.scaling.seen_s_times import matched_experiment, whole_count

# Two independent means differ by more than 5.6 standard errors with probability 2e-8 (normal), below 1e-7 at these sizes.
FAR = 5.6


def agree(a: np.ndarray, b: np.ndarray) -> bool:
    spread = math.sqrt(a.var(ddof=1) / len(a) + b.var(ddof=1) / len(b))
    return abs(a.mean() - b.mean()) <= FAR * spread


@cache
def small_oracle(case: tuple[tuple[str, Any], ...]) -> np.ndarray:
    return simulate(p=zipf(1.2, 20), M=3, d=6, replicas=3000, seed=4, **dict(case))


@pytest.mark.parametrize("route", ["d-free", "factored", "naive"])
@pytest.mark.parametrize(
    "case",
    [
        {},
        {"P": 7},
        {"T": 20},
        {"T": 60, "s": 3},
        {"P": 7, "T": 20},
        {"P": 12, "T": 60, "s": 2},
        {"P": 2, "T": 1},  # in one replica of two nothing is stored
        {"outputs": "sphere", "T": 30},
    ],
    ids=str,
)
def test_the_error_is_that_of_memories_formed_one_by_one(case: dict[str, Any], route: str) -> None:
    found = equal_weights_experiment.run(alpha=1.2, N=20, M=3, d=6, route=route, replicas=6000, seed=1, **case)
    assert agree(found.values, small_oracle(tuple(case.items())))


@pytest.mark.parametrize("s", [1, 2, 3])
@pytest.mark.parametrize("P", [None, 6])
def test_what_is_seen_s_times_is_stored(s: int, P: int | None) -> None:
    # at d = 10^6 all that is stored is recalled, and one other input in two by chance: P(Bin(12, 1/6) < s)/2, up to the
    # classes' unequal numbers of stored inputs (below 0.02). 5.6 standard errors of 0.003 are 0.017; s + 1 is 0.1 away.
    found = equal_weights_experiment.run(alpha=0, N=6, M=2, d=10**6, P=P, T=12, s=s, replicas=4096)
    assert abs(found.mean - binom.cdf(s - 1, 12, 1 / 6) / 2) < 0.037


def test_sphere_inputs_are_drawn() -> None:
    # in two dimensions the lengths of gaussian inputs matter: they raise the error by 0.03, nine standard errors
    found = equal_weights_experiment.run(alpha=0, N=4, M=2, d=2, inputs="sphere", replicas=8000)
    assert agree(found.values, simulate(p=zipf(0, 4), M=2, d=2, inputs="sphere", replicas=8000, seed=3))


@pytest.mark.parametrize(
    "case", [{"P": 8}, {"P": 8, "T": 50}, {"T": 50}, {"T": 400, "s": 9}, {"P": 30, "T": 400, "s": 3}], ids=str
)
def test_infinitely_many_inputs(case: dict[str, Any]) -> None:
    # x > 400 has a mass of 2.6e-6 at alpha = 3, far below the standard errors of 1e-3
    found = equal_weights_experiment.run(alpha=3, N=math.inf, M=3, d=5, replicas=4000, seed=2, **case)
    assert agree(found.values, simulate(p=zipf(3, 400), M=3, d=5, replicas=2000, seed=5, **case))


@pytest.mark.parametrize("M", [None, 4])
def test_recall_of_all_inputs_alike(M: int | None) -> None:
    found = equal_weights_recall_experiment.run(N=24, M=M, d=8, replicas=3000)
    assert agree(1 - found.values, simulate(p=zipf(0, 24), M=M or 24, d=8, replicas=2000, seed=6))


@pytest.mark.parametrize(("alpha", "T", "s"), [(2, 10**6, 8), (1.5, 10**5, 20), (3, 10**9, 1000), (2, 10**12, 10**5)])
def test_no_input_beyond_the_last_rank_is_seen_often(alpha: float, T: int, s: int) -> None:
    H = last_seen_often(alpha=alpha, T=T, s=s)
    x = np.arange(H + 1, 40 * H + 1, dtype=float)
    total = np.sum(np.arange(1, 10**6, dtype=float) ** -alpha) + (10**6) ** (1 - alpha) / (alpha - 1)
    # beyond 40 H each term is below (e/40^alpha)^s times the one at H: nothing
    assert binom.sf(s - 1, T, x**-alpha / total).sum() < 1e-12
    expected = (T / (s * total)) ** (1 / alpha)
    assert expected < H < 20 * expected


def test_the_count_that_is_matched() -> None:
    # T p(k d) = 10^6 (6/pi^2)/30^2 = 675.47
    assert whole_count(alpha=2, T=10**6, d=240, k=0.125) == 675
    assert whole_count(alpha=2, T=10, d=240, k=0.125) == 1
    found = matched_experiment.run(alpha=3, T=2000, d=30, M=3, k=0.1, replicas=2000)
    # T p(3) = 2000/(1.2021 * 27) = 61.6
    assert agree(found.values, simulate(p=zipf(3, 400), M=3, d=30, T=2000, s=62, replicas=2000, seed=7))


def test_the_ratio_of_two_schemes() -> None:
    law: dict[str, Any] = {"alpha": 1.5, "N": 12, "M": 3, "d": 20}
    for T in (None, 6):
        found = fill_ratio_experiment.run(**law, rho=1, T=T, memories=2000, replicas=8)
        equal, other = (
            simulate(p=zipf(1.5, 12), M=3, d=20, T=T, rho=rho, replicas=4000, seed=8 + rho) for rho in (0, 1)
        )
        wanted = equal.mean() / other.mean()
        parts = ((equal, equal.mean()), (other, other.mean()))
        relative = sum(v.var(ddof=1) / len(v) / m**2 for v, m in parts)
        # 8 runs of 2000 memories have at most as much noise as the 4000 of the oracle
        assert abs(found.mean / wanted - 1) <= FAR * math.sqrt(2 * relative)


def test_a_run_without_errors_counts_half_of_the_smallest_one() -> None:
    # at d = 10^9 neither scheme errs: both count alike
    found = fill_ratio_experiment.run(alpha=0.5, N=6, M=3, d=10**9, rho=1, memories=4, replicas=8)
    assert np.all(found.values == 1)


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ({"P": 3, "k": 0.1}, "one of P and k must be left out"),
        ({"k": 0}, "k must be"),
        ({"route": "d-free", "inputs": "sphere"}, "route must be 'factored' or 'naive' for sphere inputs"),
        ({"route": "fast"}, "route must be one of"),
        ({"s": 2}, "s must be 1 without samples"),
        ({"N": math.inf}, "rho must exceed"),
        ({"d": 0}, "d must be"),
    ],
)
def test_what_cannot_be_measured_is_an_error(case: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        equal_weights_experiment.run(**{"alpha": 2, "N": 9, "M": 3, "d": 5, "replicas": 4} | case)
