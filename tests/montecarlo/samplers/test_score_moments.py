"""Scores of random memories: the routes against a plain loop, and against moments that can be derived by hand."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from scipy import stats

from asymp.montecarlo.draws import Draw
from asymp.montecarlo.samplers.score_moments import score_moments
from asymp.montecarlo.samplers.scores.score_mean import sample_score

CPU = torch.device("cpu")


def draw(rng: np.random.Generator, kind: str, count: int, d: int) -> np.ndarray:
    rows = rng.standard_normal((count, d))
    return rows / math.sqrt(d) if kind == "gaussian" else rows / np.linalg.norm(rows, axis=1, keepdims=True)


def loop(q: np.ndarray, f: np.ndarray, M: int, d: int, z: int, y: int, inputs: str, outputs: str, n: int) -> np.ndarray:
    """Scores by the definition, one memory after the other."""
    rng = np.random.default_rng(11)
    scores = []
    for _ in range(n):
        E, U = draw(rng, inputs, len(q), d), draw(rng, outputs, M, d)
        W = sum(q[x] * np.outer(U[f[x]], E[x]) for x in range(len(q)))
        scores.append(U[y] @ W @ E[z - 1])
    return np.array(scores)


@pytest.mark.parametrize("route", ["projected", "naive"])
@pytest.mark.parametrize(
    ("inputs", "outputs"), [("gaussian", "gaussian"), ("gaussian", "sphere"), ("sphere", "sphere")]
)
@pytest.mark.parametrize(("d", "y"), [(1, 1), (3, 1), (3, 2)])
def test_scores_have_the_law_of_the_loop(route: str, inputs: str, outputs: str, d: int, y: int) -> None:
    q, f = np.array([1.0, -0.5, 0.25, 0.0, 2.0]), np.array([1, 2, 0, 1, 1])
    case: dict[str, Any] = {"N": 5, "M": 3, "d": d, "weights": q, "targets": f, "inputs": inputs, "outputs": outputs}
    found = sample_score(Draw(4000, torch.Generator().manual_seed(3), CPU), **case, z=1, y=y, route=route)
    wanted = loop(q, f, 3, d, 1, y, inputs, outputs, 2000)
    # Kolmogorov-Smirnov at 1e-8; values equal but for rounding (d = 1, sphere) must be ties
    assert stats.ks_2samp(np.round(found.numpy(), 10), np.round(wanted, 10)).pvalue > 1e-8


@pytest.mark.parametrize("route", ["projected", "naive"])
def test_one_association_by_hand(route: str) -> None:
    # N = 1: g(1, f(1)) = |u|^2 |e|^2, |u|^2 ~ chi2_d/d: mean 1, second moment (1 + 2/d)^2
    d = 4
    found = score_moments(N=1, M=2, d=d, replicas=8192, route=route)
    assert abs(found.mean.mean - 1) < 6 * found.mean.stderr  # 2e-9
    assert abs(found.variance.mean - ((1 + 2 / d) ** 2 - 1)) < 6 * found.variance.stderr
    # on the sphere the score is exactly one
    fixed = score_moments(N=1, M=2, d=d, inputs="sphere", outputs="sphere", replicas=64, route=route)
    assert np.allclose(fixed.mean.values, 1, atol=1e-14)
    assert np.all(fixed.variance.values < 1e-28)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("N", {"N": math.inf}), ("N", {"N": 0}), ("M", {"M": 0}), ("d", {"d": 0}), ("d", {"d": 1.5}), ("z", {"z": 0}),
        ("z", {"z": 11}), ("y", {"y": 3}), ("y", {"y": -1}), ("draws", {"draws": 1}), ("replicas", {"replicas": 0}),
        ("route", {"route": "d-free"}), ("inputs", {"inputs": "cube"}), ("weights", {"weights": [1.0] * 9}),
        ("targets", {"targets": [3] * 10}), ("p", {"p": [0.2] * 10}), ("alpha", {"rho": 1.0}),
        ("weights", {"weights": [math.nan] * 10}),
    ],
)  # fmt: skip
def test_bad_input(name: str, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=name):
        score_moments(**{"N": 10, "M": 3, "d": 4, **wrong})
