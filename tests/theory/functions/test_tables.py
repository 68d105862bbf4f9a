"""What is computed for many points at once by tables and shared nodes, against sums, roots and closed forms."""

import math

import numpy as np
import pytest
from scipy.special import log_ndtr
from scipy.stats import binom
from second_routes import ROUTES
from support.naive_recall import pi_naive

from asymp.theory import laws
from asymp.theory.functions.numerics import SWEEP, along, make_table
from asymp.theory.functions.recall import pair_bounds
from asymp.theory.functions.recall.cone_distance import MANY_DIMENSIONS, items_of_dimension, pooled
from asymp.theory.functions.recall.gaussian_error import HIGH, LOW, MANY, log_gaussian_error
from asymp.theory.functions.schemes.least_errors import FINENESS, MOST_OUTPUTS, STEEPEST, least_errors
from asymp.theory.functions.schemes.margin_cost import log_slope
from asymp.theory.functions.schemes.often_seen import seen_often
from asymp.theory.functions.schemes.optimal_storage import optimal_weights
from asymp.theory.functions.zipf.smooth_sums import block_ends, sum_nodes


def test_a_table_reproduces_an_analytic_function():
    table = make_table(lambda x: np.exp(np.sin(x)), -1.0, 3.0, 0.5)
    x = np.linspace(-1, 3, 1001)
    value, slope = table.with_slope(x)
    # exp(sin) is entire: 16 nodes on panels of width 1/2 leave rounding, e^1 times a few ulp.
    np.testing.assert_allclose(table(x), np.exp(np.sin(x)), rtol=0, atol=1e-14)
    np.testing.assert_allclose(value, table(x), rtol=0, atol=0)
    np.testing.assert_allclose(slope, np.cos(x) * np.exp(np.sin(x)), rtol=0, atol=1e-12)


def log_error(a, M):
    """log pi_M(a) from a Riemann sum of logarithms, with small misses as (M - 1) Phi(-a-t)."""
    t = np.linspace(-24, 16, 641) - max(a, 0) / 2
    hit = (M - 1) * log_ndtr(a + t)
    rare = math.log(M - 1) + log_ndtr(-a - t)
    miss = np.where(hit > -1e-12, rare, np.log(-np.expm1(np.minimum(hit, -1e-13))))
    return np.logaddexp.reduce(miss - t**2 / 2) + math.log((t[1] - t[0]) / math.sqrt(2 * math.pi))


def test_many_margins_of_different_m_keep_their_places():
    rng = np.random.default_rng(0)
    M = rng.choice([2.0, 5.0, 9.0, 46.0, 1000.0], size=(4, 5000), p=[0.3, 0.3, 0.19, 0.2, 0.01])
    a = rng.uniform(LOW, HIGH + 5, M.shape)
    found = log_gaussian_error(a, M)
    assert found.shape == M.shape and np.sum(M == 1000) < MANY < np.sum(M == 46)
    for i, j in [*np.argwhere(M == 1000)[:20], *np.argwhere(M == 46)[:100], *np.argwhere(M == 5)[:100]]:
        wanted = log_error(a[i, j], M[i, j])
        assert abs(found[i, j] - wanted) <= 1e-11 + 3e-15 * abs(wanted), (a[i, j], M[i, j])
    # pi_2(a) = erfc(a/2)/2
    two = (M == 2) & (a < 40)
    np.testing.assert_allclose(np.exp(found[two]), [math.erfc(v / 2) / 2 for v in a[two]], rtol=1e-12)


def test_the_table_of_slopes_has_the_closed_form_of_two_outputs():
    # -pi_2'(a) = phi(a/sqrt 2)/sqrt 2.
    a = np.concatenate([np.linspace(0, 63.9, 997), [64.0, 80.0]])
    closed = -(a**2) / 4 - math.log(2 * math.sqrt(math.pi))
    np.testing.assert_allclose(log_slope(a, 2), closed, rtol=1e-15, atol=4e-13)


def test_a_long_sweep_is_its_points():
    calls = []

    def smooth(*, d, b):
        calls.append(d)
        return d**-b * (1 + 1 / d)

    d = np.geomspace(2, 1e4, 2 * SWEEP)
    found = along("d", smooth, d=d[:, None], b=np.array([1.0, 2.5]))
    np.testing.assert_allclose(found, [[v**-b * (1 + 1 / v) for b in (1.0, 2.5)] for v in d], rtol=1e-11)
    assert len(calls) < SWEEP + 100
    # A kink is noticed between the nodes, and every point computed.
    rough = along("d", lambda *, d: abs(math.log(d) - 3.3) + 1, d=d)
    np.testing.assert_allclose(rough, np.abs(np.log(d) - 3.3) + 1, rtol=1e-15)


def test_fill_against_powers_at_many_points_crosses_where_the_errors_do():
    rng = np.random.default_rng(12)
    n = 12
    alpha, rho = rng.uniform(0.5, 2, n), rng.choice([1.0, 0.5, 0.2], n)
    M, N = rng.integers(2, 9, n), rng.integers(20, 100, n)
    found = laws["fill-is-best:crossover"](alpha=alpha, N=N, M=M, rho=rho)
    for i in range(n):
        x = np.arange(1, N[i] + 1)
        p, q = x ** -alpha[i] / np.sum(x ** -alpha[i]), x ** (-alpha[i] * rho[i])

        def gain(load, p=p, q=q, m=M[i], size=N[i]):
            """log of the error of fill over that of p^rho at d M/N = load, added input by input."""
            margins = q * np.sqrt(load * size / np.sum(q**2))
            return math.log(pi_naive(math.sqrt(load), m) / sum(p * [pi_naive(a, m) for a in margins]))

        # the nine digits that it says it has: the sign changes there
        assert gain(found[i] * (1 - 2e-9)) > 0 > gain(found[i] * (1 + 2e-9))


@pytest.mark.parametrize("M", [2, *(most for most, _, _ in FINENESS)])
def test_the_best_weights_at_many_points_are_those_of_each(M):
    """Tables in the level of the price, and a search for the price of each point: two ways to the least error."""
    rng = np.random.default_rng(M)
    alpha = rng.uniform(1.02, STEEPEST, 12)
    alpha[1:4] = STEEPEST
    # The tables end at alpha log(d M) of about 64.
    d = np.exp(rng.uniform(0, 1, 12) * np.minimum(14, 50 / alpha - np.log(M)))
    d[:2] = 1.0
    slow = [optimal_weights(M=M, d=d[i], alpha=alpha[i]).error for i in range(12)]
    np.testing.assert_allclose(least_errors(alpha=alpha, M=M, d=d), slow, rtol=2e-12)
    assert M <= MOST_OUTPUTS == FINENESS[-1][0]


def test_points_of_every_kind_keep_their_places():
    law = laws["optimal-scheme"]
    alpha, d = np.linspace(1.5, 6, 24), np.geomspace(5, 3000, 24)
    M, N = np.array([2.0, 7.0, 21.0, 46.0] * 6), np.where(np.arange(24) % 3, np.inf, 300.0)
    found = law(alpha=alpha, M=M, d=d, N=N)
    for i in range(24):
        assert found[i] == pytest.approx(optimal_weights(alpha=alpha[i], M=int(M[i]), d=d[i], N=N[i]).error, rel=2e-12)


def test_the_best_matrix_holds_as_many_items_as_their_cones_allow():
    # N items cost E m each, of d^2 in all; eight digits are what both have
    for d in (np.geomspace(2, 5000, MANY_DIMENSIONS).round(), np.array([7.0])):
        N = items_of_dimension(d)
        np.testing.assert_allclose(N * pooled(N), d**2, rtol=1e-8)


@pytest.mark.parametrize(("alpha", "rho", "M"), [(2.0, 1.0, 3), (0.8, 0.6, 4), (1.2, 0.1, 2), (3.0, 0.4, 4)])
def test_the_upper_bound_of_more_inputs_than_are_added_one_by_one(alpha, rho, M, monkeypatch):
    monkeypatch.setattr(pair_bounds, "MOST", 3)
    for d in (5, 60, 800):
        point = {"alpha": alpha, "N": 500, "M": M, "d": d, "rho": rho, "P": math.inf}
        wanted = float(ROUTES["finite-memory-upper"].value(point, 20))
        assert laws["finite-memory-upper"](**point) == pytest.approx(wanted, rel=1e-11)


@pytest.mark.parametrize("end", [1, 7, 32, *block_ends(10**6)[[32, 33, 35, 40, -1]]])
def test_a_sum_to_the_end_of_a_block_has_the_first_nodes_of_a_longer_one(end):
    x, w = sum_nodes(first=1, last=int(end))
    longer, more = sum_nodes(first=1, last=10**9)
    assert end in block_ends(10**6) and longer[x.size] > end
    np.testing.assert_array_equal(longer[: x.size], x)
    np.testing.assert_array_equal(more[: x.size], w)
    assert w.sum() == pytest.approx(end, rel=1e-14)


def test_inputs_often_seen_are_the_sums_over_all_inputs():
    rng = np.random.default_rng(31)
    n = 200
    alpha = np.where(rng.random(n) < 0.05, 0.0, rng.uniform(0.3, 3.5, n))
    T, s = np.floor(np.exp(rng.uniform(0, 12, n))), np.floor(np.exp(rng.uniform(0, 4, n)))
    N = np.floor(np.exp(rng.uniform(0, 11, n)))
    found = seen_often(alpha=alpha, T=T, s=s, N=N)
    for i in range(n):
        x = np.arange(1, N[i] + 1)
        p = x ** -alpha[i] / np.sum(x ** -alpha[i])
        # the binomial law from scipy.stats; both say about 1e-11
        assert found.number[i] == pytest.approx(binom.sf(s[i] - 1, T[i], p).sum(), rel=2e-11, abs=1e-300)
        assert found.lost[i] == pytest.approx(p @ binom.cdf(s[i] - 1, T[i], p), rel=2e-11, abs=1e-16)
