"""Experiments on gradients: identities hold to rounding and wrong forms do not; training follows slow oracles."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from asymp.montecarlo.gradients.deep import backward_vector_experiment, sample_backward_vector
from asymp.montecarlo.gradients.identities import (
    gradient_memory_experiment,
    gradient_row_experiment,
    noisy_inputs_experiment,
    sample_gradient_memory,
    sample_gradient_row,
    sample_noisy_inputs,
)
from asymp.montecarlo.gradients.margins import margin_flow_experiment, margin_slope_experiment, margin_steps_experiment
from asymp.montecarlo.gradients.memory_matrix import memory_matrix, target_mass_experiment
from asymp.montecarlo.gradients.one_step import (
    one_step_accuracy_experiment,
    one_step_score_experiment,
    one_step_spread_experiment,
    one_step_weight_experiment,
    sample_one_step_score,
)
from asymp.montecarlo.gradients.two_tokens import (
    first_step_experiment,
    loss_rise_experiment,
    random_time_ratio_experiment,
    time_ratio_experiment,
)

CPU = torch.device("cpu")


# The identities hold in exact arithmetic. Sums of at most some hundred products of numbers of order one have rounding errors
# of order 1e-15, and a gradient whose largest entry is a thousandth of that order still leaves 1e-12.
ROUNDING = 1e-12
SIZES, SEEDS = st.integers(1, 12), st.integers(0, 2**31 - 1)


@given(d=SIZES, N=SIZES, M=st.integers(2, 12), seed=SEEDS)
def test_the_gradient_is_a_memory_whatever_the_shape(d, N, M, seed):
    assert gradient_memory_experiment.run(d=d, N=N, M=M, replicas=2, seed=seed).values.max() < ROUNDING


@given(d=SIZES, M=st.integers(2, 8), more=SIZES, bag=st.integers(1, 6), samples=st.integers(8, 40), seed=SEEDS)
def test_the_gradient_with_bags_of_tokens_whatever_the_shape(d, M, more, bag, samples, seed):
    # all tokens of a bag but the first are irrelevant
    setting = {"d": d, "M": M, "tokens": M + more, "bag": bag, "samples": samples}
    assert noisy_inputs_experiment.run(**setting, replicas=2, seed=seed).values.max() < ROUNDING


# From d = 3 on: the layer norm of two numbers is +-1 whatever they are, so that its gradient is nothing but rounding.
@given(d=st.integers(3, 10), depth=st.integers(1, 3), positions=st.integers(1, 5), samples=SIZES, seed=SEEDS)
def test_the_gradient_inside_a_deep_network_whatever_the_shape(d, depth, positions, samples, seed):
    setting = {"d": d, "depth": depth, "positions": positions, "samples": samples}
    assert backward_vector_experiment.run(**setting, replicas=1, seed=seed).values.max() < ROUNDING


@pytest.mark.parametrize("form", ["without-predictions", "without-frequencies"])
def test_a_gradient_with_something_left_out_is_far_off(form):
    assert gradient_memory_experiment.run(d=8, N=6, M=4, replicas=16).values.max() < 1e-13
    assert gradient_memory_experiment.run(d=8, N=6, M=4, form=form, replicas=16).values.mean() > 1e-2
    assert noisy_inputs_experiment.run(d=8, M=4, replicas=16).values.max() < 1e-13
    assert noisy_inputs_experiment.run(d=8, M=4, form=form, replicas=16).values.mean() > 1e-2


def test_the_gradient_is_that_of_finite_differences():
    # A second witness of the automatic gradient: central differences, error of order h^2 plus rounding 1e-16/h.
    from asymp.montecarlo.gradients.identities import _gradient

    generator = torch.Generator().manual_seed(3)
    W, U, x = (torch.randn(1, n, 3, generator=generator, dtype=torch.float64) for n in (3, 4, 5))
    labels = torch.rand(1, 5, 4, generator=generator, dtype=torch.float64)

    def loss(V):
        scores = torch.einsum("md,de,ne->nm", U[0], V, x[0])
        return -(labels[0] * (scores - scores.logsumexp(1, keepdim=True))).sum().item()

    found, h = _gradient(W, U, x, labels)[0], 1e-5
    for i in range(3):
        for j in range(3):
            step = torch.zeros(3, 3, dtype=torch.float64)
            step[i, j] = h
            assert found[i, j].item() == pytest.approx((loss(W[0] + step) - loss(W[0] - step)) / (2 * h), abs=1e-8)


def test_a_network_whose_units_are_all_off_has_no_gradient_and_no_deviation():
    # the first of these networks of two dimensions gives W the gradient 0: a share of nothing is not a number
    values = next(backward_vector_experiment.blocks(seed=20261116, first_block=7, d=2, depth=4, positions=1))
    assert values[0] == 0
    assert values.max() < 1e-12


def test_a_deep_network_needs_every_use_of_the_matrix():
    assert backward_vector_experiment.run(d=8, depth=2, positions=5, replicas=8).values.max() < 1e-12
    assert backward_vector_experiment.run(d=8, depth=2, positions=5, uses="last", replicas=8).values.min() > 1e-3


def test_the_row_of_an_output_that_never_occurs_pushes_it_down():
    # At W = 0 every prediction is 1/M, and every input has the coordinate m.
    assert gradient_row_experiment.run(d=6, M=4, m=2.0, replicas=4).values == pytest.approx(np.full(4, 0.5))
    # One that occurs always: 1/M - 1.
    assert gradient_row_experiment.run(d=6, M=4, m=2.0, p=1.0, replicas=4).values == pytest.approx(np.full(4, -1.5))


def test_one_step_scores_by_a_loop():
    # The memory after one step, formed as a sum over inputs and outputs in plain loops, same draws.
    replicas, d, N, M, eta = 3, 5, 6, 3, 2.0
    found = sample_one_step_score(
        d=d, N=N, M=M, eta=eta, replicas=replicas, generator=torch.Generator().manual_seed(5), device=CPU
    )
    from asymp.montecarlo.scores.embeddings import draw_embeddings

    generator = torch.Generator().manual_seed(5)
    U = draw_embeddings("gaussian", (replicas, M, d), generator=generator, device=CPU).numpy()
    E = draw_embeddings("gaussian", (replicas, N, d), generator=generator, device=CPU).numpy()
    for r in range(replicas):
        W = np.zeros((d, d))
        for z in range(N):
            for k in range(M):
                W += eta / N * ((k == z % M) - 1 / M) * np.outer(U[r, k], E[r, z])
        assert found[r].item() == pytest.approx(np.mean([U[r, z % M] @ W @ E[r, z] for z in range(N)]), rel=1e-10)


def test_one_step_weights_and_accuracy():
    # p(2) = (1/2)/(1 + 1/2 + 1/3) = 3/11; coefficients p (1 - 1/2) and -p/2 at M = 2, eta = 1.
    target = one_step_weight_experiment.run(N=3, M=2, x=2, alpha=1.0, replicas=2).values
    other = one_step_weight_experiment.run(N=3, M=2, x=2, alpha=1.0, output="other", replicas=2).values
    assert target == pytest.approx(np.full(2, 1.5 / 11))
    assert other == pytest.approx(np.full(2, -1.5 / 11))
    # Many dimensions, few inputs: every one is right. One dimension, many outputs: at most two outputs can ever win.
    assert one_step_accuracy_experiment.run(d=400, N=8, replicas=16).mean == 1
    assert one_step_accuracy_experiment.run(d=1, N=40, replicas=16).values.max() <= 0.25


def test_noise_vectors_cancel_in_the_step():
    # The mean score does not depend on the number of noise vectors: 6 standard errors, probability 2e-9.
    bare = one_step_score_experiment.run(d=24, N=6, T=0, replicas=2048)
    noisy = one_step_score_experiment.run(d=24, N=6, T=3, replicas=2048, seed=1)
    assert abs(bare.mean - noisy.mean) < 6 * math.hypot(bare.stderr, noisy.stderr)
    spread = one_step_spread_experiment.run(d=24, N=6, T=3, replicas=2048)
    # The spread's mean is the variance of one input's score; that of the average over inputs is smaller.
    assert spread.mean > np.var(noisy.values)


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
    assert margin_slope_experiment.run(p=p, M=M, t=1e8, replicas=1).mean == pytest.approx(1, abs=1e-5)


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
        N=7,
        M=3,
        d=5,
        rho=1.0,
        embeddings="gaussian",
        replicas=4,
        generator=torch.Generator().manual_seed(0),
        device=CPU,
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
        (lambda **k: sample_gradient_memory(d=0, N=2, M=2, **k), "d must be a whole number"),
        (lambda **k: sample_gradient_memory(d=2, N=2, M=2, form="wrong", **k), "form"),
        (lambda **k: sample_noisy_inputs(d=2, M=20, tokens=5, **k), "every output occurs"),
        (lambda **k: sample_gradient_row(d=2, M=5, m=1.0, **k), "M must be from 2 to d"),
        (lambda **k: sample_backward_vector(d=1, **k), "d must be at least 2"),
        (lambda **k: sample_one_step_score(d=4, N=3, M=5, **k), "M must be from 2 to N"),
        (lambda **k: sample_one_step_score(d=4, N=3, M=3, eta=math.nan, **k), "eta must be"),
        (lambda **k: memory_matrix(N=8, M=2, d=4, **k), "orthonormal"),
    ],
)
def test_bad_input_is_told_in_one_sentence(call, words):
    with pytest.raises(ValueError, match=words):
        call(replicas=2, generator=torch.Generator().manual_seed(0), device=CPU)
