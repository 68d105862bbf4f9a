"""Experiments on memories: faster routes against plain ones, and readings of capacities."""

import math

import numpy as np
import pytest
import torch
from support.draws import CPU, generator

from asymp.models.linear import Fitted
from asymp.models.low_rank import Factored
from asymp.models.patterns import Dense
from asymp.models.relu_mlp import ReluMLP
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.samplers import recalled_items as adam
from asymp.montecarlo.samplers import sign_patterns as patterns
from asymp.montecarlo.samplers.capacity import attention_retrieval as attention
from asymp.montecarlo.samplers.capacity import hopfield_energy as energy
from asymp.montecarlo.samplers.capacity import lookup_mlp as lookup
from asymp.montecarlo.samplers.capacity import low_rank_capacity as low_rank
from asymp.montecarlo.samplers.capacity import mlp_capacity as hermite
from asymp.montecarlo.samplers.capacity import multi_input_capacity as two_input
from asymp.montecarlo.samplers.growing_memory import Curve, beats_candidates, crossing, sizes_between


def test_sizes_and_crossing():
    sizes = sizes_between(10, 80, per_octave=2)
    assert sizes == [10, 14, 20, 28, 40, 57, 80]
    recalls = torch.tensor([[1.0, 0.9, 0.4], [0.75, 0.9, 0.3], [0.25, 0.9, 0.2]], dtype=torch.float64)
    found = crossing([10, 20, 40], recalls)
    # half way, in the logarithm, between 20 and 40; never below; below from the start
    assert found[0] == pytest.approx(math.sqrt(800), rel=1e-12)
    assert found[1:].isnan().all()
    # the first crossing counts, whatever comes later
    again = crossing([10, 20, 40, 80], torch.tensor([[0.8], [0.4], [0.9], [0.1]], dtype=torch.float64))
    assert float(again[0]) == pytest.approx(10 * 2**0.75, rel=1e-12)


@pytest.mark.parametrize(
    ("sample", "setting"),
    [
        (two_input.sample_facts_capacity, {"d": 48, "m": 32, "M": 64, "p": 1}),
        (hermite.sample_mlp_capacity, {"d": 32, "m": 96, "K": 60}),
        (patterns.sample_bit_capacity, {"d": 64, "low": 0.1}),
    ],
)
def test_sizes_beyond_the_capacity_change_nothing(sample, setting, monkeypatch):
    # several replicas, of which each draws after the one before
    few = sample(Draw(4, generator(7), CPU), **setting)
    monkeypatch.setattr(Curve, "settled", False)
    assert torch.equal(few, sample(Draw(4, generator(7), CPU), **setting))
    assert len(few.unique()) > 1 and few.isfinite().all()


def test_candidates_are_counted_one_by_one():
    answers, outputs = torch.randn(9, 5, generator=generator(1)), torch.randn(12, 5, generator=generator(2))
    targets = torch.tensor([0, 1, 2, 3, 8, 9, 10, 11, 2])
    scores = answers @ outputs.T
    right = [all(scores[q, t] > scores[q, y] for y in range(4) if y != t) for q, t in enumerate(targets.tolist())]
    assert float(beats_candidates(answers, outputs, targets, 4)) == pytest.approx(np.mean(right), abs=1e-12)


def z_score(a, b):
    """Two independent samples: the difference of their means over its standard error."""
    return (np.mean(a) - np.mean(b)) / math.sqrt(np.var(a) / len(a) + np.var(b) / len(b))


def test_low_rank_without_its_items_has_the_law_of_the_plain_memory():
    # False failure below 1e-7: two-sided normal at 5.5, 100 replicas of either kind.
    d, m, K = 64, 32, 48
    fast = low_rank.low_rank_capacity_experiment.run(d=d, m=m, K=K, replicas=100, seed=1).values
    sizes = [N for N in sizes_between(m * d / 24, m * d / 4, per_octave=3) if N > K]
    rng, slow = np.random.default_rng(5), []
    for _ in range(100):
        e, u = (rng.standard_normal((sizes[-1], d)) / math.sqrt(d) for _ in range(2))
        G = rng.standard_normal((d, m)) / math.sqrt(m)
        recalls = []
        for N in sizes:
            scores = (e[:K] @ (e[:N].T @ u[:N])) @ (G @ G.T) @ u[:K].T
            recalls.append(np.mean(scores.argmax(1) == np.arange(K)))
        slow.append(float(crossing(sizes, torch.tensor(recalls)[:, None])[0]))
    assert np.isfinite(slow).all()
    assert abs(z_score(fast, slow)) < 5.5
    assert abs(z_score(fast**2, np.square(slow))) < 5.5


def test_hermite_capacity_grows_as_the_plain_layer_and_in_float64():
    # Same draws in either precision would need one generator state: the means of 24 replicas, two-sided 5.5.
    runs = []
    for dtype in (torch.float32, torch.float64):
        drawn = hermite.sample_mlp_capacity(Draw(24, generator(3), CPU), d=32, m=96, K=60, dtype=dtype)
        runs.append(drawn.numpy())
    assert abs(z_score(*runs)) < 5.5
    d, m, K = 32, 96, 60
    sizes = [N for N in sizes_between(m * d / 48, m * d / 6, per_octave=3) if N > K]
    rng, slow = np.random.default_rng(6), []
    for _ in range(24):
        e, u = (rng.standard_normal((sizes[-1], d)) for _ in range(2))
        e, u = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (e, u))
        w, v = rng.standard_normal((m, d)), rng.standard_normal((m, d))
        h, a = e @ w.T, u @ v.T
        recalls, asked = [], sizes[0]
        for N in sizes:
            scores = (h[:asked] * (e[:asked] @ ((a[:N] * h[:N]).T @ e[:N]).T)) @ a[:asked].T
            own = np.diag(scores).copy()
            scores[np.arange(K), np.arange(K)] = -np.inf
            recalls.append(np.mean(own > scores[:, :K].max(1)))
        slow.append(float(crossing(sizes, torch.tensor(recalls)[:, None])[0]))
    assert abs(z_score(runs[1], slow)) < 5.5


@pytest.mark.parametrize("k", [2, 3])
def test_grown_fields_are_those_of_the_dense_memory(k):
    xi, probes = (Draw(n, generator(n), CPU).signs((10,)) for n in (7, 3))
    whole = Dense(k).store(xi[None]).field(probes[None])[0]
    assert torch.equal(patterns._fields(xi, probes, 10, k), whole)
    assert torch.equal(patterns._fields(xi, probes, 4, k), whole[:, :4])


def test_energy_example_rises_without_the_diagonal():
    # By hand: W of the three patterns without diagonal has x^T W x = 0 at (-,-,-,-) and -12 at (+,+,-,+).
    example = {"patterns": [[-1, 1, -1, -1], [1, 1, 1, -1], [1, -1, -1, -1]], "state": [-1, -1, -1, -1]}
    rise = energy.energy_change_experiment.run(**example, diagonal="zero", replicas=2).values
    assert (rise == 12).all()
    assert (energy.energy_change_experiment.run(**example, diagonal="kept", replicas=2).values <= 0).all()
    worst = energy.largest_rise_experiment.run(d=5, N=3, diagonal="kept", replicas=32)
    assert (worst.values <= 0).all()


def test_attention_capacity_is_the_first_passage():
    # One query at a time with its own patterns, in plain numpy; two-sided 5.5, means of 16 queries against single ones.
    fast = attention.attention_capacity_experiment.run(d=4, lam=1.0, replicas=60, seed=2).values
    rng, slow = np.random.default_rng(7), []
    for _ in range(600):
        x, leak, N = rng.standard_normal(4), 0.0, 1
        while leak <= 1:
            xi = rng.standard_normal(4)
            leak += math.exp(4 * (xi @ x / np.linalg.norm(x) / np.linalg.norm(xi) - 1))
            N += 1
        slow.append(math.log(N))
    assert abs(z_score(fast, slow)) < 5.5


@pytest.mark.parametrize("kind", ["layer", "layer with biases", "matrix", "two factors"])
def test_descent_is_torch_s_adam_on_the_differentiated_loss(kind):
    R, N, M, d, m = 3, 11, 7, 5, 4
    e, u, first, second, bias = (
        torch.randn(*shape, dtype=torch.float64, generator=generator(k))
        for k, shape in enumerate([(R, N, d), (R, M, d), (R, m, d), (R, d, m), (R, m)])
    )
    targets = torch.randint(M, (R, N), generator=generator(9))

    def made():
        if kind == "matrix":
            return Fitted().store(e, u, targets)
        if kind == "two factors":
            return Factored(second.clone(), first.clone()).store(e, u, targets)
        return ReluMLP(first.clone(), second.clone(), bias.clone() if "biases" in kind else None).store(e, u, targets)

    slow, fast = made(), made()
    optimiser = torch.optim.Adam(slow.parameters(), lr=0.03)
    for _ in range(20):
        optimiser.zero_grad()
        slow.cross_entropy(2.0).sum().backward()
        optimiser.step()
    adam.descend(fast, steps=20, rate=0.03, scale=2.0)
    for (name, wanted), (_, found) in zip(slow.named_parameters(), fast.named_parameters(), strict=True):
        assert not torch.allclose(wanted, dict(made().named_parameters())[name], atol=0.01), "training moved nothing"
        # rounding, which Adam's division by the root of a small mean square may raise, and far below a step of 0.03
        torch.testing.assert_close(found, wanted, atol=1e-9, rtol=0)


def test_noise_and_cost_of_a_lookup_layer():
    assert (lookup.lookup_cost_experiment.run(d=16, N=40, replicas=1).values == 5.0).all()  # 2 N/d
    # without noise neither loses any of 4 items in 64 dimensions: (0 + 1)/(0 + 1)
    assert (lookup.lookup_noise_experiment.run(d=64, N=4, s=0.0, replicas=4).values == 1).all()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: low_rank.low_rank_recall_experiment.run(d=8, m=0, N=4), "m must be a whole number"),
        (lambda: low_rank.low_rank_capacity_experiment.run(d=8, m=9, K=4), "m must be a whole number in 1..8"),
        (lambda: two_input.facts_recall_experiment.run(d=8, m=4, N=10, R=4, M=5), "N must be a multiple of R"),
        (lambda: patterns.bit_error_experiment.run(d=8, N=4, kind="other"), "kind must be one of"),
        (lambda: patterns.bit_capacity_experiment.run(d=8, k=1), "k must be a whole number >= 2"),
        (lambda: hermite.mlp_recall_experiment.run(d=8, m=4, N=1), "N must be a whole number >= 2"),
        (lambda: energy.largest_rise_experiment.run(d=13, N=2), "d must be a whole number in 1..12"),
        (lambda: attention.attention_leak_experiment.run(d=8, N=4, beta=-1.0), "beta must be"),
    ],
)
def test_bad_input_is_named(call, said):
    with pytest.raises(ValueError, match=said):
        call()
