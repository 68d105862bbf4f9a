"""The recall error with infinitely many inputs, against estimators that need no table of rows.

The mean error is the probability that an input z drawn from p is recalled wrongly. The oracle draws one z from the
infinite Zipf law with numpy, and one memory, a replica.
"""

import math
from typing import Any

import numpy as np
import pytest
import torch
from scipy import special, stats

from asymp.montecarlo.draws import Draw
from asymp.montecarlo.samplers.recall.error import recall_error
from asymp.montecarlo.samplers.recall.problem import RecallProblem
from asymp.montecarlo.samplers.recall.tables import TableMaker


def oracle(
    *, alpha: float, M: int, d: int, rho: float = 0, P: float = math.inf, T: int | None = None, replicas: int = 3000,
    stored: int = 500, inputs: str = "gaussian", outputs: str = "gaussian",
) -> np.ndarray:  # fmt: skip
    """1 where a drawn input is recalled wrongly. Without T and P the inputs beyond `stored` are left out of W."""
    rng = np.random.default_rng(17)
    C = 1 / special.zeta(alpha)
    wrong = []
    for _ in range(replicas):
        z = int(rng.zipf(alpha))
        if T is None:
            xs = np.arange(1, int(min(P, stored)) + 1)
            q = (C * xs**-alpha) ** rho
            if z > len(xs) and z > P:
                xs, q = np.append(xs, z), np.append(q, 0.0)
            elif z > len(xs):
                xs, q = np.append(xs, z), np.append(q, (C * float(z) ** -alpha) ** rho)
        else:
            xs, counts = np.unique(rng.zipf(alpha, T), return_counts=True)
            order = np.lexsort((rng.random(len(xs)), -counts))
            q = np.zeros(len(xs))
            kept = order[: int(min(P, len(xs)))]
            q[kept] = (counts[kept] / T) ** rho
            if z not in xs:
                xs, q = np.append(xs, z), np.append(q, 0.0)
        # only the direction of e_z matters for the products e_x.e_z; sums over a class are gaussian given e_z
        e = rng.standard_normal((len(xs), d))
        if inputs == "sphere":
            e /= np.linalg.norm(e, axis=1, keepdims=True)
        u = rng.standard_normal((M, d))
        if outputs == "sphere":
            u /= np.linalg.norm(u, axis=1, keepdims=True)
        at = int(np.flatnonzero(xs == z)[0])
        scores = u @ (u[xs % M].T @ (q * (e @ e[at])))
        wrong.append(int(scores.argmax() != z % M))
    return np.array(wrong)


CASES: dict[str, dict[str, Any]] = {
    "power": {"alpha": 1.5, "M": 3, "d": 5, "rho": 1},
    "heavy tail": {"alpha": 1.2, "M": 2, "d": 4, "rho": 1, "outputs": "sphere"},
    "threshold": {"alpha": 1.3, "M": 3, "d": 6, "P": 8.7, "rho": 0.3},
    "samples": {"alpha": 1.5, "M": 3, "d": 6, "T": 40, "rho": 0.5},
    "samples, P": {"alpha": 1.4, "M": 4, "d": 8, "T": 60, "P": 7},
    "sphere": {"alpha": 1.5, "M": 3, "d": 4, "rho": 1, "inputs": "sphere", "outputs": "sphere"},
}


@pytest.mark.parametrize("name", CASES)
def test_mean_is_that_of_a_drawn_input(name: str) -> None:
    # Inputs beyond 500 left out of W by the oracle hold less than 500^(1 - 2 rho alpha) < 2e-4 of the sum of q^2.
    wanted = oracle(**CASES[name])
    for route in ("d-free", "factored") if CASES[name].get("inputs") != "sphere" else ("factored",):
        found = recall_error(N=math.inf, **CASES[name], route=route, replicas=1500 if route == "d-free" else 256)
        # six joint standard errors: 2e-9
        assert abs(found.mean - wanted.mean()) < 6 * math.hypot(found.stderr, wanted.std() / math.sqrt(len(wanted)))


def test_infinite_is_the_limit_of_finite() -> None:
    # alpha = 3: the inputs beyond 1000 have probability 4e-7, and the two spreads are the same
    case: dict[str, Any] = {"alpha": 3, "M": 3, "d": 10, "rho": 0.5, "replicas": 2000}
    finite, infinite = recall_error(N=1000, **case), recall_error(N=math.inf, **case)
    assert abs(finite.mean - infinite.mean) < 6 * math.hypot(finite.stderr, infinite.stderr)
    assert stats.ks_2samp(np.round(finite.values, 5), np.round(infinite.values, 5)).pvalue > 1e-8


def test_rows_carry_all_the_probability_and_all_the_weight() -> None:
    device = torch.device("cpu")
    for case in ({"rho": 1.0}, {"P": 10}, {"T": 500}, {"T": 10**6, "P": 100}):
        problem = RecallProblem(alpha=1.2, N=math.inf, M=7, d=3, **case)
        table = TableMaker(problem, device).table(Draw(4, torch.Generator().manual_seed(0), torch.device("cpu")))
        # a sum of some 10^4 terms of size one at most, each rounded to 53 bits: 1e-12
        assert table.p.sum(1).numpy() == pytest.approx(1, abs=1e-11)
        assert table.q.shape[1] == table.f.shape[0] == table.p.shape[1]
    problem = RecallProblem(alpha=1.2, N=math.inf, M=7, d=3, rho=1)
    table = TableMaker(problem, device).table(Draw(4, torch.Generator().manual_seed(1), torch.device("cpu")))
    for c in range(7):
        # q relative to q(1): the sum over a class of x^(-2 alpha rho) is a Hurwitz zeta
        sums = (table.q[:, table.f == c] ** 2).sum(1)
        assert sums.numpy() == pytest.approx(7**-2.4 * special.zeta(2.4, (c or 7) / 7), rel=1e-11)


def test_counts_among_infinitely_many_inputs_add_up() -> None:
    T = 3000
    problem = RecallProblem(alpha=1.1, N=math.inf, M=3, d=3, T=T, rho=1)
    maker = TableMaker(problem, torch.device("cpu"))
    seen: list[torch.Tensor] = []
    maker._weights = lambda draw, counts: seen.append(counts) or counts  # type: ignore[method-assign]
    maker.table(Draw(32, torch.Generator().manual_seed(2), torch.device("cpu")))
    assert torch.all(seen[0].sum(1) == T)
