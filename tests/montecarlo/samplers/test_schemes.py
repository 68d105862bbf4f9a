"""Weight schemes at any number of inputs, and one output for each input: against memories that are formed one by one."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import norm
from support.naive_recall import simulate, zipf

from asymp.montecarlo.samplers.recall.best_weights import best_weights
from asymp.montecarlo.samplers.recall.representatives import tail_mass
from asymp.montecarlo.samplers.recall.scheme_error import (
    scheme_error_experiment,
    stored_inputs,
)
from asymp.montecarlo.samplers.scaling.minimax import injective_error_experiment
from asymp.montecarlo.samplers.scaling.minimax import stored_inputs as held_inputs
from asymp.montecarlo.samplers.zipf import zipf_total

# Two independent means differ by more than 5.5 standard errors with probability below 4e-8.
FAR = 5.5


def agree(values: np.ndarray, mean: float, stderr: float) -> None:
    spread = math.hypot(values.std(ddof=1) / math.sqrt(len(values)), stderr)
    assert abs(values.mean() - mean) < FAR * spread


@pytest.mark.parametrize(
    ("alpha", "N", "M", "d", "rho", "P"),
    [
        (1.0, 600, 3, 12, 0.4, math.inf),  # rows of their own, ranges, a remainder
        (0.8, 2000, 2, 12, 0.3, 400),  # and inputs that are not stored
        (0.7, 2000, 2, 24, 0.0, 1500),  # equal weights, more than are asked about
        (1.5, 40, 4, 12, 0.5, 10),  # few inputs: every one a row
    ],
)
def test_few_representatives_stand_for_all_inputs(alpha: float, N: int, M: int, d: int, rho: float, P: float) -> None:
    p = zipf(alpha, N)
    q = np.where(np.arange(1, N + 1) <= P, p**rho, 0.0)
    direct = simulate(p=p, weights=q, M=M, d=d, replicas=1000, seed=1)
    found = scheme_error_experiment.run(alpha=alpha, N=N, M=M, d=d, rho=rho, P=P, replicas=3000, seed=1)
    agree(direct, found.mean, found.stderr)


def test_the_best_weights_stand_for_infinitely_many_inputs() -> None:
    # Cut at N = 1500: what is beyond has p = 4e-4 at alpha = 2, so that the means differ by at most that.
    N, M, d = 1500, 3, 30
    q = best_weights(alpha=2, M=M, d=d).margin(np.arange(1.0, N + 1))
    p = np.arange(1, N + 1) ** -2.0 / zipf_total(2, math.inf)
    direct = simulate(p=p, weights=q, M=M, d=d, replicas=300, seed=2)
    found = scheme_error_experiment.run(alpha=2, M=M, d=d, weights="best", replicas=6000, seed=2)
    spread = math.hypot(direct.std(ddof=1) / math.sqrt(300), found.stderr)
    assert -4.1e-4 - FAR * spread < direct.mean() - found.mean < FAR * spread


def test_the_best_weights_are_the_best() -> None:
    # Against a general-purpose optimiser on the first inputs: the margins of a budget shared out among 6 inputs, with the
    # chance of a miss as an integral. The optimiser stops at a relative error of about 1e-4 of the cost.
    M, best = 3, best_weights(alpha=1.5, M=3, d=50)
    x = np.arange(1.0, 7)
    a = best.margin(x)
    p = x**-1.5
    t = np.linspace(-9, 9, 1801)
    weight = norm.pdf(t) * (t[1] - t[0])

    def cost(share: np.ndarray) -> float:
        margins = np.sqrt(np.exp(share) / np.exp(share).sum() * (a**2).sum())
        return float(p @ (1 - norm.cdf(margins[:, None] + t) ** (M - 1) @ weight))

    start = np.log(np.full(6, 1 / 6))
    found = minimize(cost, start, method="Nelder-Mead", options={"maxiter": 8000, "maxfev": 8000, "fatol": 1e-12})
    ours = cost(2 * np.log(a))
    assert ours <= found.fun * (1 + 1e-4)
    assert cost(2 * np.log(a) + 0.1 * np.array([1, -1, 0, 0, 0, 0])) > ours
    # and all of the budget is spent: sum of a^2 = d M, the tail by its own sums
    H = 4000
    spent = (best.margin(np.arange(1.0, H + 1)) ** 2).sum() + best.squares(H, math.inf).sum()
    assert spent == pytest.approx(50 * M, rel=1e-4)
    assert best.margin(np.array([best.input_at(0.3)]))[0] == pytest.approx(0.3, rel=1e-6)


def test_class_sums_of_the_tail() -> None:
    for alpha, P, N, M in ((1.5, 10, 5000, 3), (0.8, 700, 5000, 4), (2.0, 0, 50, 3), (1.2, 130, 131, 2)):
        x = np.arange(P + 1, N + 1)
        wanted = np.bincount(x % M, weights=x ** -float(alpha), minlength=M)
        assert tail_mass(alpha, P, N, M) == pytest.approx(wanted, rel=1e-10)
    assert tail_mass(2.0, 100, 100, 3).tolist() == [0, 0, 0]


def test_thresholds_that_grow() -> None:
    def stored(d: int, rho: float = 1.0, k: float = 1.0, growth: str = "prescribed") -> float:
        return stored_inputs(alpha=2, rho=rho, d=d, P=math.inf, k=k, growth=growth)

    assert [stored(n**5) for n in (2, 3, 10, 80)] == [2, 3, 10, 80]
    assert [stored(n**3, rho=0.5) for n in (5, 7, 100)] == [5, 7, 100]
    assert stored(8000, rho=0, k=0.125) == stored(8000, rho=1, k=0.125, growth="linear") == 1000
    assert stored(1000, k=0.5, growth="log") == math.floor(500 / math.log(1000))
    assert stored_inputs(alpha=2, rho=0, d=5, P=7.5, k=1, growth="none") == 7


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"growth": "fast"}, "growth must be one of"),
        ({"growth": "linear", "P": 5}, "P must be left out"),
        ({"growth": "linear", "k": 0.001}, "k must be large enough"),
        ({"weights": "best", "rho": 1}, "leave N, P and rho out"),
        ({"weights": "good"}, "weights must be one of"),
        ({"weights": "best", "M": 46}, "M must be a whole number in 2..45"),
        ({}, "P or N must be finite for equal weights"),
        ({"rho": 0.2}, "rho must exceed 1/\\(2 alpha\\)"),
        ({"alpha": 1, "P": 5}, "alpha must be a finite number > 1"),
        ({"P": 0.5}, "P must be a number >= 1"),
    ],
)
def test_wrong_schemes_are_refused(params: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        scheme_error_experiment.run(**{"alpha": 2, "M": 3, "d": 10, **params}, replicas=1)


@pytest.mark.parametrize(("N", "d", "c"), [(40, 16, 2), (30, 12, 8), (12, 12, 3)])
def test_an_output_for_each_input(N: int, d: int, c: float) -> None:
    P = held_inputs(N=N, d=d, c=c)
    assert min(N, math.floor(d**2 / (c * math.log(N)))) == P
    q = (np.arange(1, N + 1) <= P).astype(float)
    direct = simulate(p=zipf(1.5, N), weights=q, f=np.arange(N), M=N, d=d, replicas=1500, seed=3)
    found = injective_error_experiment.run(alpha=1.5, N=N, d=d, c=c, replicas=6000, seed=3)
    agree(direct, found.mean, found.stderr)


def test_an_output_for_each_input_needs_room() -> None:
    with pytest.raises(ValueError, match="d must be at least sqrt"):
        injective_error_experiment.run(alpha=2, N=10**6, d=5, replicas=1)


def test_replicas_do_not_depend_on_how_many_there_are() -> None:
    for experiment, params in (
        (scheme_error_experiment, {"alpha": 2, "M": 5, "d": 10**6, "weights": "best"}),
        (scheme_error_experiment, {"alpha": 1.5, "M": 2, "d": 10**9, "k": 0.125, "growth": "linear"}),
        (injective_error_experiment, {"alpha": 1.5, "N": 100, "d": 20, "c": 4}),
    ):
        few, more = (experiment.run(**params, replicas=n, seed=5).values for n in (30, 230))
        assert np.array_equal(few, more[:30])
