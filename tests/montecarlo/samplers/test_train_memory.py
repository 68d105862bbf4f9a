"""train_memory: what it returns, against maps derived by hand, other routes, naive loops and published numbers."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from scipy import stats

from asymp.montecarlo.samplers.memory_training.memory import train_memory
from asymp.montecarlo.samplers.memory_training.result import TrainingDiverged
from speed.training_baselines import autograd_batches, autograd_loop, handwritten_loop

SMALL: dict[str, Any] = {"alpha": 1.5, "N": 12, "M": 3, "d": 8, "T": 24, "lr": 1.0}


def z_score(a: np.ndarray, b: np.ndarray) -> float:
    return float((a.mean() - b.mean()) / math.sqrt(a.var(ddof=1) / len(a) + b.var(ddof=1) / len(b)))


def test_orthonormal_embeddings_follow_the_exact_map() -> None:
    """Population gradients from W = 0: inputs do not interact, and by hand, with s = f's score and s' each rival's,
    residuals 1 - P and -(1 - P)/(M - 1) where P = e^m/(e^m + M - 1), m = s - s': q += lr p (1 - P), m = q M/(M - 1)."""
    M, steps, lr = 5, 40, 3.0
    p = np.array([0.4, 0.3, 0.2, 0.1])
    targets = [3, 0, 3, 1]
    run = train_memory(
        N=4, M=M, d=9, T=steps, lr=lr, p=p, targets=targets, population=True, init="zero", inputs="orthonormal",
        outputs="orthonormal", record="all", measure=("error", "loss", "margins", "q"), replicas=3,
    )  # fmt: skip
    q = np.zeros(4)
    for t in range(steps + 1):
        m = q * M / (M - 1)
        # 40 steps of rounding, each 1e-16 relative
        assert run.q.values[:, t] == pytest.approx(np.tile(q, (3, 1)), abs=1e-13)
        assert run.margins.values[:, t] == pytest.approx(np.tile(m, (3, 1)), abs=1e-13)
        assert run.loss.mean[t] == pytest.approx(float((p * np.log1p((M - 1) * np.exp(-m))).sum()), abs=1e-13)
        q = q + lr * p * (M - 1) / (M - 1 + np.exp(m))
    assert run.error.values[:, 0] == pytest.approx(1 - 1 / M, abs=1e-15)  # all scores 0: a random choice
    assert run.error.values[:, 1:].max() == 0


@pytest.mark.parametrize("route", ["score", "weights"])
@pytest.mark.parametrize("schedule", [None, "linear", [1.0, 0.0, 2.0], lambda t: 1 / (1 + t)])
def test_given_embeddings_in_any_order_of_targets(route: str, schedule: Any) -> None:
    """Nothing is random here, so a loop written out for the two-input problem gives every number (3 steps: 1e-14)."""
    E = np.array([[1.0, 0.2], [0.3, 0.9], [-0.4, 0.5]])
    U = np.array([[0.6, 0.8], [1.0, 0.0]])
    f, p, lr = [1, 0, 1], np.array([0.5, 0.3, 0.2]), 2.0
    factors = {"None": [1, 1, 1], "linear": [1, 2 / 3, 1 / 3], "[1.0, 0.0, 2.0]": [1, 0, 2]}.get(
        str(schedule), [1, 1 / 2, 1 / 3]
    )
    run = train_memory(
        N=3, M=2, d=2, T=3, lr=lr, p=p, targets=f, population=True, init="zero", inputs=E, outputs=U, schedule=schedule,
        record=[0, 1, 3], measure=("scores", "margins"), replicas=1, route=route,
    )  # fmt: skip
    W = np.zeros((2, 2))
    seen = {}
    for t in range(4):
        S = E @ W.T @ U.T
        seen[t] = S
        if t < 3:
            P = np.exp(S) / np.exp(S).sum(1, keepdims=True)
            W = W + lr * factors[t] * sum(
                p[x] * np.outer(((y == f[x]) - P[x, y]) * U[y], E[x]) for x in range(3) for y in range(2)
            )
    assert run.route == route
    for t in (0, 1, 3):
        assert run.matrices.values[0, run.matrices.index(t)] == pytest.approx(seen[t], abs=1e-14)
        for x in range(3):
            assert run.margins.at(t, x=x + 1).mean == pytest.approx(seen[t][x, f[x]] - seen[t][x, 1 - f[x]], abs=1e-14)
            assert run.matrices.at(t, x=x + 1, y=1).mean == pytest.approx(seen[t][x, 1], abs=1e-14)
    assert run.scores[0] == pytest.approx(seen[3], abs=1e-14)
    expected = np.exp(seen[1]) / np.exp(seen[1]).sum(1, keepdims=True)
    assert run.memory_matrix(0, step=1) == pytest.approx(expected, abs=1e-14)
    assert run.memory_matrix().sum(1) == pytest.approx(1.0, abs=1e-15)
    assert run.targets.tolist() == f
    assert run.p.tolist() == p.tolist()


@pytest.mark.parametrize(
    "case",
    [
        {}, {"batch": 4}, {"batch": 12}, {"population": True}, {"d": 3}, {"d": 1, "M": 2}, {"inputs": "sphere"},
        {"outputs": "sphere"}, {"d": 14, "inputs": "orthonormal", "outputs": "orthonormal"}, {"init": "zero"},
    ],
)  # fmt: skip
def test_the_routes_agree_in_law(case: dict[str, Any]) -> None:
    """Means of error and loss at three steps, and the spread of the last loss: 70 z-scores over the ten cases, each beyond 6.2 with
    probability 6e-10 (the spread by its own z, roughly normal at 2000 replicas): below 1e-7 in all."""
    params = {**SMALL, **case, "record": [0, 1, 24 // case.get("batch", 1)], "replicas": 2000}
    score, weights = (train_memory(**params, route=route, seed=7) for route in ("score", "weights"))
    assert (score.route, weights.route) == ("score", "weights")
    for a, b in ((score.error, weights.error), (score.loss, weights.loss)):
        for i in range(3):
            x, y = a.values[:, i], b.values[:, i]
            if x.std() + y.std() < 1e-12:  # W = 0 before training: nothing is random
                assert x.mean() == pytest.approx(y.mean(), abs=1e-12)
            else:
                assert abs(z_score(x, y)) < 6.2
    x, y = score.loss.values[:, -1], weights.loss.values[:, -1]
    assert abs(z_score((x - x.mean()) ** 2, (y - y.mean()) ** 2)) < 6.2


def test_the_same_bits_again_and_whatever_else_is_going_on() -> None:
    for case in ({}, {"optimiser": "sign", "batch": 8, "learn": "all"}):
        first = train_memory(**SMALL, **case, replicas=25)
        torch.manual_seed(123)
        threads = torch.get_num_threads()
        torch.set_num_threads(2)
        try:
            again = train_memory(**SMALL, **case, replicas=25)
        finally:
            torch.set_num_threads(threads)
        assert np.array_equal(first.scores, again.scores)
        # fewer replicas are the first of them: the draws are the same bits, the sums may round differently in a smaller group
        fewer = train_memory(**SMALL, **case, replicas=13)
        assert fewer.scores == pytest.approx(first.scores[:13], abs=1e-9)
        other = train_memory(**SMALL, **case, replicas=25, seed=1)
        assert not (first.scores == other.scores).any()
        assert len(np.unique(first.scores[:, 0, 0])) == 25


def test_what_is_recorded_does_not_change_the_draws() -> None:
    short = train_memory(**SMALL, replicas=4, measure="error")
    full = train_memory(**SMALL, replicas=4, record="all", measure=("error", "loss", "margins", "q", "scores"))
    assert np.array_equal(short.scores, full.scores)
    assert full.steps.tolist() == list(range(25))
    assert short.steps.tolist() == [24]
    assert np.array_equal(full.matrices.values[:, -1], full.scores)
    estimate = short.error.at(24)
    assert estimate.bounds == (0, 1)
    assert estimate.replicas == 4
    low, high = full.error.interval(0.9)
    assert (low <= full.error.mean).all()
    assert (full.error.mean <= high).all()
    assert short.error.final.mean == estimate.mean
    assert len(full.to_json()["error"]["interval"]) == 25


def test_ties_that_stay() -> None:
    """No step at all from W = 0; and outputs +1, -1, +1 in one dimension, where 0 and 2 always tie."""
    run = train_memory(**{**SMALL, "lr": 0.0}, init="zero", record="all", measure="error", replicas=2)
    assert run.error.values == pytest.approx(1 - 1 / 3, abs=1e-14)
    tied = train_memory(
        N=3, M=3, d=1, T=50, lr=1.0, p=[0.2, 0.3, 0.5], targets=[0, 1, 2], inputs=[[1.0], [-1.0], [1.0]],
        outputs=[[1.0], [-1.0], [1.0]], init="zero", measure="error", replicas=2,
    )  # fmt: skip
    # after some steps W > 0: inputs 1 and 3 choose between outputs 0 and 2 at random, input 2 is right
    assert tied.error.values == pytest.approx(0.7 / 2, abs=1e-14)


def test_the_exponential_model_stores_what_it_has_seen() -> None:
    """Each input moves its own embedding, so in many dimensions the only errors are on unseen inputs: the error is at most
    the missing mass, whose mean is the sum of p (1 - p)^T; here every input is seen (p = 1/12, T = 600: 12 e^-52)."""
    run = train_memory(alpha=0, N=12, M=3, d=64, T=600, lr=1.0, learn="exponential", replicas=5)
    assert run.error.values.max() == 0


@pytest.mark.parametrize(
    ("baseline", "case"),
    [
        (autograd_loop, {}),
        (handwritten_loop, {}),
        (autograd_batches, {"batch": 8, "optimiser": "sgd", "layer_norm": False}),
        (autograd_batches, {"batch": 8, "optimiser": "sgd", "layer_norm": True}),
        (autograd_batches, {"batch": 8, "optimiser": "sign", "layer_norm": False}),
        (autograd_batches, {"batch": 8, "optimiser": "sign", "layer_norm": True}),
        (autograd_batches, {"batch": 8, "optimiser": "sign", "layer_norm": False, "learn": "all"}),
    ],
)
def test_the_baselines_of_the_bench_agree_in_law(baseline: Any, case: dict[str, Any]) -> None:
    """Final errors and means over the steps: each z-score beyond 6.2 with probability 6e-10, each Kolmogorov-Smirnov
    p-value below 1e-9 with less than that."""
    params = {"alpha": 1.5, "N": 10, "M": 3, "d": 6, "T": 16, "lr": 1.0, **case}
    theirs = baseline(**params, replicas=150)
    ours = train_memory(**params, replicas=2000, record="last" if "batch" in case else "all", measure="error").error
    if theirs.ndim == 2:
        assert theirs.shape[1] == ours.values.shape[1]
        assert abs(z_score(theirs.mean(1), ours.values.mean(1))) < 6.2
        theirs = theirs[:, -1]
    assert abs(z_score(theirs, ours.values[:, -1])) < 6.2
    assert stats.ks_2samp(theirs, ours.values[:, -1]).pvalue > 1e-9


PUBLISHED = [
    ({"batch": 64}, 10, 0.0638), ({"batch": 64}, 100, 0.0307), ({"batch": 64}, 1000, 0.0183),
    ({"batch": 1024, "optimiser": "sign"}, 10, 0.0984), ({"batch": 1024, "optimiser": "sign"}, 100, 0.0458),
    ({"batch": 1024, "optimiser": "sign", "layer_norm": True}, 10, 0.0815),
    ({"batch": 1024, "optimiser": "sign", "layer_norm": True}, 100, 0.0255),
    ({"batch": 16, "learn": "all"}, 10, 0.0020),
]  # fmt: skip


@pytest.mark.parametrize(("case", "d", "published"), PUBLISHED)
def test_the_published_grid(case: dict[str, Any], d: int, published: float) -> None:
    """The cheap eight of the twelve numbers: means over ten seeds, so within the joint 99.9 % interval of ours (40 replicas here):
    3.94 = the normal quantile at 0.0005/12, times the measured spread, times sqrt(1/10 + 1/40). The seed is fixed."""
    run = train_memory(alpha=2, N=100, M=5, d=d, T=10240, lr=1.0, **case, replicas=40, measure="error", seed=2)
    values = run.error.values[:, 0]
    assert abs(values.mean() - published) < 3.94 * values.std(ddof=1) * math.sqrt(1 / 10 + 1 / 40)


def test_divergence_is_an_error_not_a_number() -> None:
    with pytest.raises(TrainingDiverged, match="lr = 1e\\+30 is too large"):
        train_memory(**{**SMALL, "lr": 1e30}, learn="all", batch=4)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"N": 0}, "N must be a whole number"), ({"N": math.inf}, "N must be"), ({"M": 1}, "M must be a whole number >= 2"),
        ({"d": 0}, "d must be"), ({"T": 0}, "T must be"), ({"batch": 0}, "batch must be"),
        ({"batch": 7}, "T must be a multiple of batch"), ({"lr": -1}, "lr must be"), ({"lr": math.nan}, "lr must be"),
        ({"alpha": None}, "exactly one of alpha and p"), ({"alpha": -1}, "alpha must be"),
        ({"alpha": None, "p": [0.5] * 12}, "p must sum to one"), ({"targets": [3] * 12}, "targets must be whole numbers in 0..2"),
        ({"targets": [0]}, "targets must be a list of 12"), ({"optimiser": "lion"}, "optimiser must be one of"),
        ({"betas": (0.9, 1.0)}, "betas must be two numbers"), ({"betas": 3}, "betas must be"), ({"eps": -1}, "eps must be"),
        ({"layer_norm": 1}, "layer_norm must be True or False"), ({"learn": "U"}, "learn must be one of"),
        ({"population": True, "batch": 2}, "batch must be 1 with population"), ({"schedule": "step"}, "schedule must be one of"),
        ({"schedule": [1.0]}, "schedule must give 24"), ({"schedule": [-1.0] * 24}, "schedule must give 24"),
        ({"schedule": lambda t: math.nan}, "schedule must give 24"), ({"inputs": "cube"}, "inputs must be one of"),
        ({"inputs": "orthonormal"}, "inputs can be orthonormal only"), ({"outputs": np.ones((3, 7))}, "outputs must be"),
        ({"inputs": np.full((12, 8), math.nan)}, "inputs must be finite"), ({"init": "ones"}, "init must be one of"),
        ({"learn": "exponential", "init": "zero"}, "init must be 'gaussian'"), ({"record": "some"}, "record must be"),
        ({"record": [25]}, "record must be"), ({"record": [0.5]}, "record must be"), ({"record": []}, "record must be"),
        ({"measure": "accuracy"}, "measure must be one of"), ({"measure": []}, "measure must list"),
        ({"measure": "q", "learn": "all"}, "measure can list 'q' only"), ({"replicas": 0}, "replicas must be"),
        ({"device": "abacus"}, "device must be"), ({"route": "naive"}, "route must be one of"),
        ({"route": "score", "optimiser": "sign"}, "route must be 'weights' or 'auto'"),
        ({"route": "score", "layer_norm": True}, "route must be 'weights' or 'auto'"),
        ({"route": "score", "N": 10000}, "N must be at most 8192 with route='score'"),
        ({"d": 10**6, "optimiser": "sign"}, "must fit into memory"), ({"replicas": 10**12}, "must fit into memory"),
    ],
)  # fmt: skip
def test_bad_input(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        train_memory(**{**SMALL, **wrong})
    assert "\n" not in str(caught.value)


def test_bad_questions_to_a_result() -> None:
    run = train_memory(**SMALL, replicas=2, measure=("error", "margins"))
    for ask, message in (
        (lambda: run.error.at(3), "step must be one of the recorded steps"),
        (lambda: run.error.at(24, x=1), "x must be left out"),
        (lambda: run.margins.at(24), "x must be a whole number in 1..12"),
        (lambda: run.margins.at(24, x=13), "x must be a whole number in 1..12"),
        (lambda: run.memory_matrix(2), "replica must be a whole number in 0..1"),
        (lambda: run.memory_matrix(0, step=3), "step must be left out"),
    ):
        with pytest.raises(ValueError, match=message):
            ask()
