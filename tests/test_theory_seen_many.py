"""Numbers of inputs seen, at many points at once, against the one-point versions."""

import math

import numpy as np
import pytest

from asymp.theory.storage.often_seen import seen_often
from asymp.theory.storage.often_seen_many import seen_often_many
from asymp.theory.storage.seen_numbers import number_seen, numbers_seen
from asymp.theory.storage.smooth_sums import block_ends, sum_nodes


@pytest.mark.parametrize("end", [1, 7, 32, *block_ends(10**6)[[32, 33, 35, 40, -1]]])
def test_a_sum_to_the_end_of_a_block_has_the_first_nodes_of_a_longer_one(end):
    x, w = sum_nodes(first=1, last=int(end))
    longer, more = sum_nodes(first=1, last=10**9)
    assert end in block_ends(10**6)
    np.testing.assert_array_equal(longer[: x.size], x)
    np.testing.assert_array_equal(more[: x.size], w)
    assert longer[x.size] > end
    assert w.sum() == pytest.approx(end, rel=1e-14)


def test_inputs_often_seen_at_many_points_are_one_after_another():
    rng = np.random.default_rng(31)
    n = 400
    alpha = np.where(rng.random(n) < 0.05, 0.0, rng.uniform(0.3, 3.5, n))
    T, s = np.floor(np.exp(rng.uniform(0, 12, n))), np.floor(np.exp(rng.uniform(0, 4, n)))
    N = np.where((alpha > 1.01) & (rng.random(n) < 0.6), math.inf, np.floor(np.exp(rng.uniform(0, 14, n))))
    number, lost = seen_often_many(alpha=alpha, T=T, s=s, N=N)
    slow = [seen_often(alpha=alpha[i], T=T[i], s=s[i], N=N[i]) for i in range(n)]
    # both say about 1e-11
    np.testing.assert_allclose(number, [v.number for v in slow], rtol=2e-11, atol=1e-300)
    np.testing.assert_allclose(lost, [v.lost for v in slow], rtol=2e-11)


def test_numbers_seen_at_many_points_are_one_after_another():
    rng = np.random.default_rng(32)
    alpha, T = rng.uniform(1.1, 3, (20, 3)), np.exp(rng.uniform(0, 14, (20, 1)))
    T[4] = math.inf
    P = np.floor(np.exp(rng.uniform(0, 9, 3)))
    slow = [[number_seen(alpha=alpha[i, j], T=T[i, 0], P=P[j]) for j in range(3)] for i in range(20)]
    np.testing.assert_allclose(numbers_seen(alpha=alpha, T=T, P=P), slow, rtol=1e-12)
