"""Experiments on gradients: they follow slow oracles. Their identities are in tests/reports/kinds/test_entrywise.py."""

import math

import numpy as np
import pytest
import torch

from asymp.montecarlo.draws import Draw
from asymp.montecarlo.samplers.gradients import cross_entropy_gradient
from asymp.montecarlo.samplers.one_step import (
    sample_one_step_score,
)
from asymp.montecarlo.samplers.training.backward_vector import sample_backward_vector
from asymp.montecarlo.samplers.training.gradient_as_memory import sample_gradient_memory
from asymp.montecarlo.samplers.training.gradient_noisy_inputs import (
    gradient_row_experiment,
    sample_gradient_row,
    sample_noisy_inputs,
)
from asymp.montecarlo.samplers.training.margin_growth import (
    margin_flow_experiment,
    margin_slope_experiment,
    margin_steps_experiment,
)
from asymp.montecarlo.samplers.training.memory_matrix import memory_matrix, target_mass_experiment
from asymp.montecarlo.samplers.training.one_step_population import one_step_weight_experiment
from asymp.montecarlo.samplers.training.oscillation import (
    first_step_experiment,
    loss_rise_experiment,
    random_time_ratio_experiment,
    time_ratio_experiment,
)

CPU = torch.device("cpu")


def test_the_gradient_is_that_of_finite_differences():
    # A second witness of the automatic gradient: central differences, error of order h^2 plus rounding 1e-16/h.
    generator = torch.Generator().manual_seed(3)
    W, U, x = (torch.randn(1, n, 3, generator=generator, dtype=torch.float64) for n in (3, 4, 5))
    labels = torch.rand(1, 5, 4, generator=generator, dtype=torch.float64)

    def loss(V):
        scores = torch.einsum("md,de,ne->nm", U[0], V, x[0])
        return -(labels[0] * (scores - scores.logsumexp(1, keepdim=True))).sum().item()

    found, h = cross_entropy_gradient(W, U, x, labels)[0], 1e-5
    for i in range(3):
        for j in range(3):
            step = torch.zeros(3, 3, dtype=torch.float64)
            step[i, j] = h
            assert found[i, j].item() == pytest.approx((loss(W[0] + step) - loss(W[0] - step)) / (2 * h), abs=1e-8)


def test_the_row_of_an_output_that_never_occurs_pushes_it_down():
    # At W = 0 every prediction is 1/M, and every input has the coordinate m.
    assert gradient_row_experiment.run(d=6, M=4, m=2.0, replicas=4).values == pytest.approx(np.full(4, 0.5))
    # One that occurs always: 1/M - 1.
    assert gradient_row_experiment.run(d=6, M=4, m=2.0, p=1.0, replicas=4).values == pytest.approx(np.full(4, -1.5))


def test_one_step_scores_by_a_loop():
    # The memory after one step, formed as a sum over inputs and outputs in plain loops, same draws.
    replicas, d, N, M, eta = 3, 5, 6, 3, 2.0
    found = sample_one_step_score(Draw(replicas, torch.Generator().manual_seed(5), CPU), d=d, N=N, M=M, eta=eta)
    generator = torch.Generator().manual_seed(5)
    U = Draw(replicas, generator, CPU).gaussian((M, d)).numpy()
    E = Draw(replicas, generator, CPU).gaussian((N, d)).numpy()
    for r in range(replicas):
        W = np.zeros((d, d))
        for z in range(N):
            for k in range(M):
                W += eta / N * ((k == z % M) - 1 / M) * np.outer(U[r, k], E[r, z])
        assert found[r].item() == pytest.approx(np.mean([U[r, z % M] @ W @ E[r, z] for z in range(N)]), rel=1e-10)


def test_one_step_weights():
    # p(2) = (1/2)/(1 + 1/2 + 1/3) = 3/11; coefficients p (1 - 1/2) and -p/2 at M = 2, eta = 1.
    target = one_step_weight_experiment.run(N=3, M=2, x=2, alpha=1.0, replicas=2).values
    other = one_step_weight_experiment.run(N=3, M=2, x=2, alpha=1.0, output="other", replicas=2).values
    assert target == pytest.approx(np.full(2, 1.5 / 11))
    assert other == pytest.approx(np.full(2, -1.5 / 11))


def test_margins_by_scipy_and_by_a_loop():
    # The gradient of the loss at equal other scores: dm/dt = p M/(M - 1 + e^m), integrated by scipy.
    from scipy.integrate import solve_ivp

    p, M, t = 0.3, 5, 200.0
    solved = solve_ivp(lambda _, m: p * M / (M - 1 + np.exp(m)), (0, t), [0.0], rtol=1e-10, atol=1e-12)
    assert margin_flow_experiment.run(p=p, M=M, t=t, replicas=1).mean == pytest.approx(solved.y[0, -1], rel=1e-7)
    m = 0.0
    for _ in range(7):
        m += 2.0 * p * M / (M - 1 + math.exp(m))
    assert margin_steps_experiment.run(p=p, M=M, eta=2.0, n=7, replicas=1).mean == pytest.approx(m, rel=1e-12)
    assert margin_slope_experiment.run(p=p, M=M, t=1e8, replicas=1).mean == pytest.approx(math.log(4), abs=1e-5)


def two_token_times(a, p, eta, steps=600):
    """The two-token recursion of margins in plain numbers: the last wrong step, plus one."""
    m, last = [0.0, 0.0], 0
    for n in range(1, steps + 1):
        g = [p / (1 + math.exp(m[0])), (1 - p) / (1 + math.exp(m[1]))]
        m = [m[0] + 2 * eta * (g[0] + a * -g[1]), m[1] + 2 * eta * (g[1] - a * g[0])]
        if min(m) <= 0:
            last = n
    return last + 1


@pytest.mark.parametrize(("a", "p", "ratio"), [(0.5, 0.75, 2 / 4), (0.9, 0.75, 6 / 26)])
def test_two_token_times(a, p, ratio):
    assert two_token_times(a, p, 10.0) / two_token_times(a, p, 1.0) == pytest.approx(ratio)
    found = time_ratio_experiment.run(p=p, low=a, high=a, replicas=8).values
    assert found == pytest.approx(np.full(8, ratio))


def test_losses_rise_above_the_safe_step_only():
    assert loss_rise_experiment.run(p=0.75, a=0.9, eta=1.0, replicas=32).values.max() <= 0
    assert loss_rise_experiment.run(p=0.75, a=0.9, eta=40.0, replicas=32).values.max() > 0
    # eta (p - a (1-p)) and eta ((1-p) - a p).
    for token, margin in (("frequent", 10 * (0.75 - 0.9 * 0.25)), ("rare", 10 * (0.25 - 0.9 * 0.75))):
        found = first_step_experiment.run(p=0.75, a=0.9, eta=10.0, token=token, replicas=4).mean
        assert found == pytest.approx(margin, rel=1e-12)
    # Orthogonal inputs in many dimensions: both steps are right at once.
    assert random_time_ratio_experiment.run(d=300, N=2, M=2, steps=5, replicas=8).values == pytest.approx(np.ones(8))


def test_memory_matrices_have_rows_that_sum_to_one():
    scores, matrix = memory_matrix(
        Draw(4, torch.Generator().manual_seed(0), CPU), N=7, M=3, d=5, rho=1.0, embeddings="gaussian"
    )
    assert torch.allclose(matrix.sum(2), torch.ones(4, 7, dtype=torch.float64))
    assert torch.equal(matrix.argmax(2), scores.argmax(2))
    # e^2/(e^2 + 2) at q = 2, M = 3; an input beyond the threshold has 1/3.
    stored = target_mass_experiment.run(N=4, M=3, x=1, P=2, scale=2.0, replicas=1).mean
    assert stored == pytest.approx(math.e**2 / (math.e**2 + 2))
    assert target_mass_experiment.run(N=4, M=3, x=3, P=2, scale=2.0, replicas=1).mean == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda draw: sample_gradient_memory(draw, d=0, N=2, M=2), "d must be a whole number"),
        (lambda draw: sample_noisy_inputs(draw, d=2, M=20, tokens=5), "every output occurs"),
        (lambda draw: sample_gradient_row(draw, d=2, M=5, m=1.0), "M must be from 2 to d"),
        (lambda draw: sample_backward_vector(draw, d=1), "d must be at least 2"),
        (lambda draw: sample_one_step_score(draw, d=4, N=3, M=5), "M must be from 2 to N"),
        (lambda draw: sample_one_step_score(draw, d=4, N=3, M=3, eta=math.nan), "eta must be"),
        (lambda draw: memory_matrix(draw, N=8, M=2, d=4), "orthonormal"),
    ],
)
def test_bad_input_is_told_in_one_sentence(call, words):
    with pytest.raises(ValueError, match=words):
        call(Draw(2, torch.Generator().manual_seed(0), CPU))
