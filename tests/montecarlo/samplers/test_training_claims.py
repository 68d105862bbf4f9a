"""Experiments behind the claims on optimisation: sights, ratios, stopping; against plain loops."""

import math

import numpy as np
import pytest
import torch

from asymp.montecarlo.draws import Draw
from asymp.montecarlo.samplers.memory_training.comparisons import sample_training_ratio, training_ratio_experiment
from asymp.montecarlo.samplers.memory_training.map_weights import map_weights
from asymp.montecarlo.samplers.training.over_optimisation import stopped_error_experiment, stopping_ratio_experiment
from asymp.montecarlo.samplers.training.sgd_approximation import map_ratio_experiment
from asymp.montecarlo.samplers.training.sgd_map import sample_sgd_weight, sgd_weight_experiment
from asymp.montecarlo.samplers.training.sgd_map_as_power import fitted_power_experiment
from asymp.montecarlo.samplers.training.step_size import weight_ratio_experiment
from asymp.reports.kinds.on_draws import Ratio, on_draws
from asymp.theory import laws

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


def test_a_setting_against_itself_is_even():
    # Ratios of two independent means of the same law: log ratio symmetric about 0. 40 signs all alike: 2^-39.
    shared = {"alpha": 2.0, "N": 20, "M": 5, "d": 10, "T": 50, "lr": 1.0, "memories": 3}
    found = training_ratio_experiment.run(**shared, first={}, second={}, replicas=40).values
    assert 0 < (found > 1).sum() < 40
    # And a pass with no steps to speak of has a larger error than one with many.
    found = training_ratio_experiment.run(**shared, first={"lr": 1e-9}, second={"lr": 3.0}, replicas=8).values
    assert (found > 1).all()


def test_many_memories_are_trained_in_parts(monkeypatch):
    # each part has draws of its own: 5 = 2 + 2 + 1 memories, weighted by their numbers
    from asymp.montecarlo.samplers.memory_training import comparisons

    setting = {"alpha": 2.0, "N": 20, "M": 5, "d": 8, "T": 100, "lr": 1.0}
    how = {"device": torch.device("cpu")}
    monkeypatch.setattr(comparisons, "AT_ONCE", 2)
    found = comparisons.mean_training_error(
        Draw(3, generator=torch.Generator().manual_seed(1), **how), setting, memories=5
    )
    again = torch.Generator().manual_seed(1)
    parts = [comparisons.sample_training_error(Draw(3 * n, generator=again, **how), **setting) for n in (2, 2, 1)]
    wanted = torch.cat([p.view(3, -1) for p in parts], 1).mean(1)
    torch.testing.assert_close(found, wanted, rtol=1e-14, atol=0)


def test_smaller_steps_late_are_a_schedule():
    shared = {"alpha": 2.0, "N": 10, "M": 3, "d": 5, "T": 8, "lr": 1.0, "memories": 2}
    by_late = sample_training_ratio(
        Draw(3, torch.Generator().manual_seed(1), CPU), **shared, first={"late": 0.5}, second={}
    )
    schedule = [1.0] * 4 + [0.5] * 4
    by_hand = sample_training_ratio(
        Draw(3, torch.Generator().manual_seed(1), CPU), **shared, first={"schedule": schedule}, second={}
    )
    assert torch.equal(by_late, by_hand)


def test_few_samples_in_many_dimensions_follow_the_map():
    # Nearly orthonormal: SGD and its map both err on what was not seen, some 10 % of the inputs.
    compared = on_draws(map_ratio_experiment, laws["sgd-approximation:source"], Ratio)
    found = compared.run(alpha=2.0, N=20, M=4, d=4000, gamma=1.0, T=20, memories=40, replicas=4)
    assert found.mean == pytest.approx(1, abs=0.35)


def test_stopped_weights_by_scipy():
    from scipy.optimize import brentq

    from asymp.montecarlo.samplers.training.over_optimisation import _flow_weights

    tau = torch.tensor([1e-3, 0.5, 10.0, 1e4], dtype=torch.float64)
    for t, q in zip(tau.tolist(), _flow_weights(tau, 5).tolist(), strict=True):
        exact = brentq(lambda x, t=t: x + math.expm1(x) / 4 - t, 0, 60, xtol=1e-14)
        assert q == pytest.approx(exact, rel=1e-6)


def test_stopping_in_time_is_better_than_never_starting():
    late = stopped_error_experiment.run(alpha=2.0, N=50, M=5, d=20, time=1e-9, replicas=64)
    good = stopped_error_experiment.run(alpha=2.0, N=50, M=5, d=20, time=500.0, replicas=64)
    # Tiny times: weights proportional to p; the rare inputs drown in the frequent ones.
    assert good.mean < late.mean
    ratio = stopping_ratio_experiment.run(alpha=2.0, N=50, M=5, d=20, time=500.0, factor=1e-12, memories=64, replicas=4)
    assert (ratio.values < 1).all()


@pytest.mark.parametrize(
    ("options", "words"),
    [({"gamma": 0.0}, "gamma"), ({"M": 1}, "M must"), ({"written": "some"}, "written"), ({"n": -1}, "n must")],
)
def test_bad_input_is_told_in_one_sentence(options, words):
    given = {"gamma": 1.0, "M": 3, "n": 2, **options}
    with pytest.raises(ValueError, match=words):
        sample_sgd_weight(Draw(2, torch.Generator().manual_seed(0), CPU), **given)
