"""Experiments behind the claims on optimisation: sights, ratios, stopping; against plain loops."""

import math

import numpy as np
import pytest
import torch

from asymp.montecarlo.draws import Draw
from asymp.montecarlo.samplers.memory_training.map_weights import map_weights
from asymp.montecarlo.samplers.training.sgd_map import sample_sgd_weight, sgd_weight_experiment
from asymp.montecarlo.samplers.training.sgd_map_as_power import fitted_power_experiment
from asymp.montecarlo.samplers.training.step_size import weight_ratio_experiment

CPU = torch.device("cpu")


def loop(gamma, M, n, *, every):
    """Scores of one input, in plain numbers: softmax, one step, the target only or all outputs."""
    scores = [0.0] * M
    for _ in range(n):
        total = sum(math.exp(s) for s in scores)
        soft = [math.exp(s) / total for s in scores]
        scores[0] += gamma * (1 - soft[0])
        if every:
            for k in range(1, M):
                scores[k] -= gamma * soft[k]
    return scores[0]


@pytest.mark.parametrize("written", ["all", "target"])
@pytest.mark.parametrize(("gamma", "M", "n"), [(0.5, 2, 1), (1.0, 5, 7), (10.0, 3, 40)])
def test_weights_by_a_plain_loop(written, gamma, M, n):
    found = sgd_weight_experiment.run(gamma=gamma, M=M, n=n, written=written, replicas=2).values
    assert found == pytest.approx(np.full(2, loop(gamma, M, n, every=written == "all")), rel=1e-10)


def test_ratios_and_tables_of_weights():
    assert map_weights(gamma=2.0, M=4, most=9)[9].item() == pytest.approx(loop(2.0, 4, 9, every=False), rel=1e-12)
    found = weight_ratio_experiment.run(gamma=2.0, M=4, n=9, replicas=1).mean
    assert found == pytest.approx(loop(2.0, 4, 9, every=False) / loop(2.0, 4, 1, every=False), rel=1e-10)


def test_fitted_powers_of_pure_powers():
    # Tiny steps: weights are proportional to the counts, so rho = 1 in every way of fitting, to first order in gamma n.
    for fit in ("log-log", "linear", "anchored"):
        assert fitted_power_experiment.run(gamma=1e-7, N=10, M=5, fit=fit, replicas=1).mean == pytest.approx(
            1, abs=1e-5
        )
    # Huge steps: all weights alike.
    assert fitted_power_experiment.run(gamma=60.0, N=10, M=5, replicas=1).mean == pytest.approx(0, abs=1e-9)


def test_stopped_weights_by_scipy():
    from scipy.optimize import brentq

    from asymp.montecarlo.samplers.training.over_optimisation import _flow_weights

    tau = torch.tensor([1e-3, 0.5, 10.0, 1e4], dtype=torch.float64)
    for t, q in zip(tau.tolist(), _flow_weights(tau, 5).tolist(), strict=True):
        exact = brentq(lambda x, t=t: x + math.expm1(x) / 4 - t, 0, 60, xtol=1e-14)
        assert q == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize(
    ("options", "words"),
    [({"gamma": 0.0}, "gamma"), ({"M": 1}, "M must"), ({"written": "some"}, "written"), ({"n": -1}, "n must")],
)
def test_bad_input_is_told_in_one_sentence(options, words):
    given = {"gamma": 1.0, "M": 3, "n": 2, **options}
    with pytest.raises(ValueError, match=words):
        sample_sgd_weight(Draw(2, torch.Generator().manual_seed(0), CPU), **given)
