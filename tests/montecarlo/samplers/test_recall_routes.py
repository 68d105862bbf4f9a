"""The three routes of the recall error are equal in law, and equal to a plain loop with random ties."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
import torch
from scipy import stats
from support.naive_recall import simulate, zipf

from asymp.montecarlo.draws import Draw
from asymp.montecarlo.samplers.recall.error import recall_error, sample_recall_error
from asymp.montecarlo.samplers.recall.naive import draw_inputs
from asymp.montecarlo.samplers.recall.problem import RecallProblem
from asymp.montecarlo.samplers.recall.tables import TableMaker
from asymp.montecarlo.samplers.scaling.noisy_labels import noisy_labels_experiment

CASES: dict[str, dict[str, Any]] = {
    "plain": {"alpha": 1, "N": 20, "M": 5, "d": 8},
    "power": {"alpha": 1, "N": 20, "M": 4, "d": 12, "rho": 0.5},
    "d < M": {"alpha": 0.5, "N": 20, "M": 6, "d": 3, "rho": 0.5, "outputs": "sphere"},
    "d = 1": {"alpha": 1, "N": 15, "M": 4, "d": 1},
    "d = 1, sphere outputs: ties": {"alpha": 1, "N": 15, "M": 4, "d": 1, "outputs": "sphere"},
    "empty classes": {"alpha": 1, "N": 4, "M": 9, "d": 5},
    "zeros in q": {"alpha": 0.5, "N": 18, "M": 3, "d": 10, "P": 4.5},
    "a class of zeros": {"alpha": 0.5, "N": 12, "M": 3, "d": 6, "P": 1},
    "M = 2": {"alpha": 0.5, "N": 20, "M": 2, "d": 10, "outputs": "sphere"},
    "injective": {"alpha": 0.5, "N": 10, "M": 10, "d": 6, "targets": list(range(10))},
    "injective, M > 32": {"alpha": 0, "N": 33, "M": 33, "d": 20, "targets": list(range(33))},
    "negative weights": {"alpha": 1, "N": 6, "M": 2, "d": 5, "weights": [1.0, -1.0, 0.5, 0.0, 2.0, -0.1]},
    "own p and targets": {"p": [0.5, 0.0, 0.3, 0.2], "N": 4, "M": 3, "d": 4, "rho": 1, "targets": [2, 2, 0, 2]},
    "few samples": {"alpha": 1, "N": 15, "M": 4, "d": 6, "T": 8, "rho": 0.5},
    "many samples, P": {"alpha": 1, "N": 12, "M": 4, "d": 6, "T": 60, "P": 5, "rho": 1},
    "which are seen": {"alpha": 1, "N": 15, "M": 4, "d": 6, "T": 20},
    "d = 1, samples, ties": {"alpha": 1, "N": 8, "M": 3, "d": 1, "T": 6, "outputs": "sphere"},
    "empty classes, samples": {"alpha": 1, "N": 5, "M": 8, "d": 4, "T": 6, "rho": 0.5},
    "d < M, zeros in q": {"alpha": 0, "N": 9, "M": 5, "d": 2, "weights": [1.0, 0, 0, 2.0, 0, 1.0, 0, 0, 0]},
    "all of one class": {"alpha": 1, "N": 5, "M": 2, "d": 3, "targets": [1] * 5},
}
SPHERE: dict[str, dict[str, Any]] = {
    "sphere inputs": {"alpha": 1, "N": 16, "M": 4, "d": 6, "inputs": "sphere", "outputs": "sphere"},
    "sphere inputs, d < M": {"alpha": 1, "N": 16, "M": 5, "d": 2, "inputs": "sphere", "T": 9},
    "sphere inputs, d = 1": {"alpha": 0, "N": 6, "M": 3, "d": 1, "inputs": "sphere", "outputs": "sphere"},
}


def same_law(a: np.ndarray, b: np.ndarray) -> None:
    """Means within six joint standard errors (2e-9), spreads within six of theirs, Kolmogorov-Smirnov at 1e-8."""
    assert abs(a.mean() - b.mean()) <= 6 * math.sqrt(a.var() / len(a) + b.var() / len(b)) + 1e-12
    squares = [(v - v.mean()) ** 2 for v in (a, b)]
    gap = 6 * math.sqrt(sum(v.var() / len(v) for v in squares)) + 1e-12
    assert abs(squares[0].mean() - squares[1].mean()) <= gap
    assert stats.ks_2samp(np.round(a, 10), np.round(b, 10)).pvalue > 1e-8


@pytest.mark.parametrize("name", [*CASES, *SPHERE])
def test_routes_are_equal_in_law(name: str) -> None:
    case = {**CASES, **SPHERE}[name]
    slow = recall_error(**case, route="naive", replicas=4000).values
    for route in ("factored", "d-free") if name in CASES else ("factored",):
        same_law(recall_error(**case, route=route, replicas=4000).values, slow)


@pytest.mark.parametrize(
    "name",
    ["plain", "d < M", "empty classes", "zeros in q", "many samples, P", "few samples", "which are seen", "sphere inputs",
     "own p and targets"],
)  # fmt: skip
def test_naive_route_has_the_law_of_the_loop(name: str) -> None:
    case = dict({**CASES, **SPHERE}[name])
    N, alpha = case.pop("N"), case.pop("alpha", None)
    p = np.array(case.pop("p")) if "p" in case else zipf(alpha, N)
    f = np.array(case.pop("targets", None) or [(x + 1) % case["M"] for x in range(N)])
    wanted = simulate(p=p, f=f, kept="seen", replicas=1000, seed=5, **case)
    same_law(recall_error(**{**CASES, **SPHERE}[name], route="naive", replicas=4000).values, wanted)


@pytest.mark.parametrize("name", ["d = 1, sphere outputs: ties", "sphere inputs, d = 1"])
def test_random_ties_have_the_mean_of_the_loop(name: str) -> None:
    # the loop draws a winner among equal scores, the product takes the expectation: means agree, spreads need not
    case = dict({**CASES, **SPHERE}[name])
    found = recall_error(**case, replicas=8000)
    f = np.array([(x + 1) % case["M"] for x in range(case["N"])])
    p = zipf(case.pop("alpha"), case.pop("N"))
    wanted = simulate(p=p, f=f, replicas=2000, seed=5, **case)
    assert abs(found.mean - wanted.mean()) < 6 * math.hypot(found.stderr, wanted.std() / math.sqrt(len(wanted)))


@pytest.mark.parametrize("route", ["naive", "factored", "d-free"])
@pytest.mark.parametrize("nothing", [{"P": 0}, {"P": 0.9}, {"weights": [0.0] * 7}, {"T": 5, "P": 0}, {"T": 5, "s": 6}])
def test_a_memory_that_stores_nothing_guesses(route: str, nothing: dict[str, Any]) -> None:
    values = recall_error(alpha=1, N=7, M=4, d=3, route=route, replicas=10, **nothing).values
    assert np.allclose(values, 1 - 1 / 4, atol=1e-15)


def test_inputs_seen_fewer_than_s_times_are_not_stored() -> None:
    # T samples of one input: stored if T >= s; the other input never occurs and is an M-way guess or worse
    case: dict[str, Any] = {"p": [1.0, 0.0], "N": 2, "M": 3, "d": 400, "T": 4, "replicas": 64}
    assert recall_error(**case, s=4).mean < 0.01
    assert recall_error(**case, s=5).mean == pytest.approx(2 / 3, abs=1e-14)


def test_weights_count_for_the_inputs_seen() -> None:
    weights, M, T = (1.0, 1.0, 0.0, 1.0), 4, 3
    # Injective, d = 10^6. An input seen and weighted is recalled. Of k stored outputs each has a score of the order of
    # d^-1/2 and random sign at any other input, the rest scores of the order of 1/d: an input not stored is right if
    # all k are negative and it wins among the M - k others by chance, probability 2^-k/(M - k).
    wanted = 0.0
    for seen in itertools.product(range(M), repeat=T):
        stored = {x for x in seen if weights[x] != 0}
        k = len(stored)
        wanted += (M - k) / M * (1 - 0.5**k / (M - k)) / M**T
    found = recall_error(p=[1 / M] * M, N=M, M=M, d=10**6, targets=range(M), weights=weights, T=T, replicas=4000)
    assert abs(found.mean - wanted) < 6 * found.stderr + 1e-3  # 2e-9, and corrections of the order of d^-1/2


@pytest.mark.parametrize("route", ["naive", "factored", "d-free"])
def test_a_scale_of_q_changes_nothing(route: str) -> None:
    def run(scale: float) -> torch.Tensor:
        return sample_recall_error(
            Draw(32, torch.Generator().manual_seed(4), torch.device("cpu")),
            alpha=1,
            N=10,
            M=3,
            d=5,
            weights=[scale / x for x in range(1, 11)],
            route=route,
        )

    # squares of 2^-700 are zero in double precision; powers of two change no digit
    assert torch.equal(run(1.0), run(2.0**-700))
    assert torch.equal(run(1.0), run(2.0**700))


def test_ties_among_equal_counts_are_broken_at_random() -> None:
    # equal p: by symmetry every input is the one kept (P = 1) equally often; by index the first would be kept far more
    problem = RecallProblem(p=[1 / 6] * 6, N=6, M=2, d=3, T=3, P=1)
    table = TableMaker(problem, torch.device("cpu")).table(
        Draw(6000, torch.Generator().manual_seed(8), torch.device("cpu"))
    )
    assert torch.all(table.q.sum(1) == 1)
    kept = table.q.sum(0).numpy()
    assert stats.chisquare(kept).pvalue > 1e-8


def test_remainders_are_gaussian_whatever_the_inputs() -> None:
    problem = RecallProblem(alpha=2, N=math.inf, M=3, d=4, rho=1, inputs="sphere")
    draw = Draw(2, torch.Generator().manual_seed(9), torch.device("cpu"))
    table = TableMaker(problem, draw.device).table(draw)
    E = torch.cat([chunk for _, chunk in draw_inputs(draw, problem, table)], dim=1)
    lengths = E.norm(dim=2)
    assert table.remainders == 3
    assert torch.allclose(lengths[:, :-3], torch.ones((), dtype=torch.float64), atol=1e-14)
    assert torch.all((lengths[:, -3:] - 1).abs() > 1e-9)


def test_noisy_labels_are_those_of_a_loop_over_drawn_labels() -> None:
    """As many drawn labels that W is as good as known: counts of each label in the place of q(x) p(y|x)."""
    N, d, flip, labels, rng = 6, 3, 0.3, 10**7, np.random.default_rng(3)
    p = zipf(1.0, N)
    errors = []
    for _ in range(4000):
        f, E, U = rng.integers(0, 2, N), rng.normal(size=(N, d)), rng.normal(size=(2, d))
        U /= np.linalg.norm(U, axis=1, keepdims=True)
        W = np.zeros((d, d))
        for x in range(N):
            wrong = rng.binomial(labels, flip) / labels
            W += p[x] * np.outer((1 - wrong) * U[f[x]] + wrong * U[1 - f[x]], E[x])
        errors.append(sum(p[x] for x in range(N) if np.argmax(U @ W @ E[x]) != f[x]))
    found = noisy_labels_experiment.run(alpha=1.0, N=N, d=d, rho=1.0, flip=flip, replicas=20_000, seed=11)
    assert abs(found.mean - np.mean(errors)) < 5 * np.hypot(found.stderr, np.std(errors) / len(errors) ** 0.5)
    with pytest.raises(ValueError, match="flip must be below 0.5"):
        noisy_labels_experiment.run(alpha=1.0, N=N, d=d, flip=0.5)
