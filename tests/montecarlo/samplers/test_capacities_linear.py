"""Experiments on capacities against slow independent oracles: loops in NumPy and linear programs.

Stochastic comparisons have a false-failure probability below 1e-7 each: 5.5 standard errors, seeds fixed.
"""

import math

import numpy as np
import pytest
import torch
from scipy.optimize import linprog

from asymp.montecarlo.draws import Draw
from asymp.montecarlo.samplers.capacity.best_linear import (
    best_linear_experiment,
    sample_best_linear,
)
from asymp.montecarlo.samplers.capacity.binary_capacity import (
    binary_gram_experiment,
    binary_recall_experiment,
    sample_binary_gram,
)
from asymp.montecarlo.samplers.capacity.bits_per_parameter import (
    held,
    quantise,
    sample_few_bits,
)
from asymp.montecarlo.samplers.capacity.injective_capacity import (
    injective_all_experiment,
    injective_item_experiment,
    injective_recall_experiment,
    sample_injective_all,
    sample_injective_item,
    sample_injective_recall,
    size_of_load,
)
from asymp.montecarlo.samplers.capacity.learned_inputs import (
    learned_all_experiment,
    learned_error_experiment,
)
from asymp.montecarlo.samplers.capacity.listwise import sample_listwise
from asymp.montecarlo.samplers.capacity.quasi_orthogonality import largest_product_experiment, sample_largest_product
from asymp.montecarlo.samplers.margin_fit import BestPairs, OneSided, list_means, separate
from asymp.theory.functions.recall.cone_distance import items_of_dimension, pooled

SIGMAS = 5.5


def unit(rng, shape):
    drawn = rng.standard_normal(shape)
    return drawn / np.linalg.norm(drawn, axis=-1, keepdims=True)


def close(mean, stderr, other, other_stderr):
    return abs(mean - other) <= SIGMAS * math.hypot(stderr, other_stderr)


def injective_shares(rng, *, d, N, runs, draw):
    """The share of items right in each of `runs` sums of outer products, and whether all are."""
    shares = []
    for _ in range(runs):
        E, U = draw(rng, (N, d)), draw(rng, (N, d))
        scores = U @ (U.T @ E) @ E.T  # column z: the scores of all outputs at input z
        shares.append(np.mean(scores.argmax(0) == np.arange(N)))
    shares = np.array(shares)
    return shares, (shares == 1.0).astype(float)


def gaussian(rng, shape):
    return rng.standard_normal(shape) / math.sqrt(shape[-1])


def error_of(values):
    return values.std(ddof=1) / math.sqrt(len(values))


def test_injective_memories_against_a_loop():
    rng = np.random.default_rng(1)
    shares, alls = injective_shares(rng, d=12, N=9, runs=1000, draw=unit)
    found = injective_recall_experiment.run(d=12, N=9, replicas=1000, items=1000)
    assert close(found.mean, found.stderr, shares.mean(), error_of(shares))
    sampled = injective_recall_experiment.run(d=12, N=9, replicas=1000, items=4)
    assert close(sampled.mean, sampled.stderr, shares.mean(), error_of(shares))
    lost = injective_recall_experiment.run(d=12, N=9, replicas=100, count="lost")
    right = injective_recall_experiment.run(d=12, N=9, replicas=100)
    assert 0 < lost.mean < 1 and 0 < right.mean < 1
    whole = injective_all_experiment.run(d=12, N=9, replicas=1000)
    assert close(whole.mean, whole.stderr, alls.mean(), error_of(alls))


@pytest.mark.parametrize(("inputs", "draw"), [("gaussian", gaussian), ("sphere", unit)])
@pytest.mark.parametrize("N", [3, 6])
def test_one_item_without_its_memory_has_the_law_of_one_in_it(inputs, draw, N):
    # d = 2, where every length and every projection matters: leaving one out moves the mean by 6 to 28 standard errors
    rng = np.random.default_rng(2)
    E, U = draw(rng, (200000, N, 2)), gaussian(rng, (200000, N, 2))
    overlaps = np.einsum("rxi,ri->rx", E, E[:, 0])
    scores = np.einsum("ryi,rxi,rx->ry", U, U, overlaps, optimize=True)
    right = (scores.argmax(1) == 0).astype(float)
    found = injective_item_experiment.run(d=2, N=N, inputs=inputs, replicas=100000)
    assert close(found.mean, found.stderr, right.mean(), error_of(right))


def test_sizes_of_loads():
    for N in (2, 3, 10, 1000, 10**6):
        assert size_of_load(N * math.log(N)) == N


def feasible(rows):
    """Whether some w has rows @ w >= 1, by a linear program."""
    answer = linprog(np.zeros(rows.shape[1]), A_ub=-rows, b_ub=-np.ones(len(rows)), bounds=(None, None), method="highs")
    return answer.status == 0


def problems(d, N, count, seed):
    generator = torch.Generator().manual_seed(seed)
    keys = torch.randn(count, N, d, dtype=torch.float64, generator=generator)
    return keys, torch.randn(count, N, d, dtype=torch.float64, generator=generator)


@pytest.mark.slow
def test_the_convex_fit_agrees_with_linear_programs():
    # around the capacity of d = 4, where yes and no are about equally frequent
    agreed, sure, yes = 0, 0, 0
    for N in (8, 9, 10):
        keys, values = problems(4, N, 12, N)
        found = separate(BestPairs(keys, values), values.mT @ keys, steps=1500, tolerance=1e-3)
        for r in range(12):
            e, u = keys[r].numpy(), values[r].numpy()
            rows = np.array([np.outer(u[z] - u[y], e[z]).ravel() for z in range(N) for y in range(N) if y != z])
            sure += bool(found.decided[r])
            agreed += bool(found.decided[r]) and bool(found.found[r]) == feasible(rows)
            yes += bool(found.found[r])
            if found.found[r]:
                assert (rows @ found.weight[r].numpy().ravel()).min() > 0
    # what neither certificate has settled counts as no, and must be rare
    assert agreed == sure >= 30
    assert 3 < yes < 33


@pytest.mark.slow
def test_the_convex_fit_of_lists_agrees_with_linear_programs():
    # beating the mean of the top K is beating the mean of every K of the competitors
    from itertools import combinations

    agreed, sure, yes = 0, 0, 0
    for N in (6, 7):
        keys, values = problems(3, N, 8, N)
        for fraction, top in ((1.0, N - 1), (0.5, round(0.5 * (N - 1)))):
            found = separate(list_means(keys, values, fraction), values.mT @ keys, steps=1000, tolerance=1e-3)
            for r in range(8):
                e, u = keys[r].numpy(), values[r].numpy()
                rows = np.array(
                    [
                        np.outer(u[z] - u[list(listed)].mean(0), e[z]).ravel()
                        for z in range(N)
                        for listed in combinations([y for y in range(N) if y != z], top)
                    ]
                )
                sure += bool(found.decided[r])
                agreed += bool(found.decided[r]) and bool(found.found[r]) == feasible(rows)
                yes += bool(found.found[r])
    assert agreed == sure >= 24
    assert yes > 5


def test_labels_agree_with_linear_programs():
    generator = torch.Generator().manual_seed(5)
    points = torch.randn(40, 12, 6, dtype=torch.float64, generator=generator)
    labels = torch.randint(2, (40, 12, 1), generator=generator) * 2.0 - 1
    start = torch.zeros(40, 1, 6, dtype=torch.float64)
    found = separate(OneSided(points, labels.double()), start, steps=4000, tolerance=1e-4)
    wanted = [feasible((points[r] * labels[r]).numpy()) for r in range(40)]
    assert found.found.tolist() == wanted
    assert 5 < sum(wanted) < 35


def test_far_from_its_capacity_the_best_matrix_is_found_or_not():
    # N <= d inputs are linearly independent: some W has them all right, whatever the outputs
    assert best_linear_experiment.run(d=8, N=8, replicas=32).mean == 1
    assert best_linear_experiment.run(d=4, N=40, replicas=32).mean == 0


def test_binary_memories_against_a_loop():
    rng = np.random.default_rng(3)
    y = 1 - 2 * (np.arange(10) % 2)
    lost, alls = [], []
    for _ in range(6000):
        E, U = gaussian(rng, (10, 7)), unit(rng, (2, 7))
        W = sum(np.outer(U[x % 2], E[x]) for x in range(10))
        scores = E @ W.T @ U.T
        wrong = scores.argmax(1) != np.arange(10) % 2
        lost.append(wrong.mean())
        alls.append(not wrong.any())
    lost, alls = np.array(lost), np.array(alls, dtype=float)
    assert len(y) == 10
    matrix = binary_recall_experiment.run(d=7, N=10, replicas=6000)
    gram = binary_gram_experiment.run(d=7, N=10, replicas=6000)
    whole = binary_gram_experiment.run(d=7, N=10, of="all", replicas=6000)
    assert close(matrix.mean, matrix.stderr, lost.mean(), error_of(lost))
    assert close(1 - gram.mean, gram.stderr, lost.mean(), error_of(lost))
    assert close(whole.mean, whole.stderr, alls.mean(), error_of(alls))


def test_lookups_against_a_loop():
    rng = np.random.default_rng(4)
    lost, alls = [], []
    for _ in range(6000):
        U = gaussian(rng, (9, 5))
        right = (U @ U.T).argmax(1) == np.arange(9)
        lost.append(1 - right.mean())
        alls.append(right.all())
    lost, alls = np.array(lost), np.array(alls, dtype=float)
    found = learned_error_experiment.run(d=5, M=9, replicas=6000)
    # 20 inputs for 9 outputs: two outputs have three inputs, the mean is the same by exchangeability
    more = learned_error_experiment.run(d=5, M=9, N=20, replicas=6000)
    whole = learned_all_experiment.run(d=5, M=9, replicas=6000)
    assert close(found.mean, found.stderr, lost.mean(), error_of(lost))
    assert close(more.mean, more.stderr, lost.mean(), error_of(lost))
    assert close(whole.mean, whole.stderr, alls.mean(), error_of(alls))


def test_largest_products_against_a_loop():
    rng = np.random.default_rng(5)
    largest = []
    for _ in range(3000):
        u = unit(rng, (6, 5))
        largest.append(max(abs(u[i] @ u[j]) for i in range(6) for j in range(i)))
    largest = np.array(largest)
    found = largest_product_experiment.run(d=5, P=6, replicas=3000)
    assert close(found.mean, found.stderr, largest.mean(), error_of(largest))


def test_quantised_weights_have_so_many_levels_and_keep_their_order():
    generator = torch.Generator().manual_seed(0)
    weights = torch.randn(2, 30, 30, dtype=torch.float64, generator=generator)
    for b in (1, 2, 3):
        few = quantise(weights, b)
        assert [len(torch.unique(few[r])) for r in range(2)] == [2**b, 2**b]
        order = weights[0].flatten().argsort()
        assert bool((few[0].flatten()[order].diff() >= 0).all())


def test_information_in_answers():
    p = torch.tensor([0.0, 0.11, 0.5], dtype=torch.float64)
    wanted = [1.0, 1 + 0.11 * math.log2(0.11) + 0.89 * math.log2(0.89), 1e-6]
    assert np.allclose(held(p, 2), wanted, rtol=0, atol=1e-6)
    # guessing among M: no information
    assert float(held(torch.tensor([1 - 1 / 8], dtype=torch.float64), 8)) < 1e-5


def test_the_mean_distance_to_the_cone_of_the_largest_coordinate():
    # three coordinates: the polar cone is a plane wedge of 60 degrees, v_2 = 1/6 and v_1 = 1/2 of its kinematic volumes
    assert math.isclose(pooled(3), 2 / 6 + 1 / 2, rel_tol=1e-9)
    # N = 40 by projecting: pool the first coordinate with the largest others until the mean is above the rest
    rng = np.random.default_rng(6)
    squares = []
    for _ in range(20000):
        a, g = rng.standard_normal(), np.sort(rng.standard_normal(39))[::-1]
        level, count = a, 0
        while count < 39 and g[count] > level:
            level, count = (level * (count + 1) + g[count]) / (count + 2), count + 1
        squares.append((level - a) ** 2 + ((g[:count] - level) ** 2).sum())
    squares = np.array(squares)
    assert abs(squares.mean() - pooled(40)) <= SIGMAS * error_of(squares)
    N = float(items_of_dimension(20.0))
    assert math.isclose(N * pooled(N), 400, rel_tol=1e-9)


@pytest.mark.parametrize(
    ("sample", "params", "said"),
    [
        (sample_injective_recall, {"d": 0, "N": 4}, "d must be"),
        (sample_injective_all, {"d": 4, "N": 4, "memory": "other"}, "memory must be"),
        (sample_injective_item, {"d": 4, "N": 1}, "N must be"),
        (sample_listwise, {"d": 4, "N": 4, "r": 1.5}, "r must be"),
        (sample_best_linear, {"d": 4, "N": 1}, "N must be"),
        (sample_binary_gram, {"d": 4, "N": 4, "of": "some"}, "of must be"),
        (sample_few_bits, {"d": 4, "N": 4, "b": 0, "answers": "pairs"}, "b must be"),
        (sample_largest_product, {"d": 4, "P": 1}, "P must be"),
    ],
)
def test_bad_parameters_are_named(sample, params, said):
    with pytest.raises(ValueError, match=said):
        sample(Draw(2, torch.Generator(), torch.device("cpu")), **params)
