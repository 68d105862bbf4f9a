"""What is computed for thousands of points at once, against the same thing done slowly, one point after another."""

import math

import numpy as np
import pytest
import scipy.stats

from asymp.theory import laws
from asymp.theory.recall.log_error import HIGH, LOW, MANY, error_table, log_gaussian_error
from asymp.theory.recall.panels import make_table
from asymp.theory.storage.best_threshold import best_equal_weights
from asymp.theory.storage.margin_cost import log_slope
from asymp.theory.storage.schemes import SWEEP, along


def test_a_table_reproduces_an_analytic_function():
    table = make_table(lambda x: np.exp(np.sin(x)), -1.0, 3.0, 0.5)
    x = np.linspace(-1, 3, 1001)
    value, slope = table.with_slope(x)
    # exp(sin) is entire: 16 nodes on panels of width 1/2 leave rounding, e^1 times a few ulp.
    np.testing.assert_allclose(table(x), np.exp(np.sin(x)), rtol=0, atol=1e-14)
    np.testing.assert_allclose(value, table(x), rtol=0, atol=0)
    np.testing.assert_allclose(slope, np.cos(x) * np.exp(np.sin(x)), rtol=0, atol=1e-12)


@pytest.mark.parametrize("M", [2, 3, 7, 45, 46, 1000, 10**6])
def test_many_margins_are_few_margins(M):
    # The same call with too few margins for a table goes by the trapezoidal rule, which has tests of its own.
    a = np.random.default_rng(M).uniform(LOW, HIGH + 5, MANY + 500)
    many = log_gaussian_error(a, np.full(a.shape, float(M)))
    few = np.concatenate(
        [log_gaussian_error(part, np.full(part.shape, float(M))) for part in np.array_split(a[:600], 4)]
    )
    # Rounding: 3e-15 of the logarithm (400 at most), and 2e-13 where it is small.
    assert np.all(np.abs(many[:600] - few) <= 2e-13 + 3e-15 * np.abs(few))
    assert error_table(float(M)) is error_table(float(M))


def test_margins_of_different_m_keep_their_places():
    rng = np.random.default_rng(0)
    M = rng.choice([2.0, 5.0, 9.0], size=(4, 5000), p=[0.5, 0.49, 0.01])
    a = rng.uniform(0, 12, M.shape)
    found = log_gaussian_error(a, M)
    assert found.shape == M.shape
    assert np.any(M == 9) and np.sum(M == 9) < MANY < np.sum(M == 5)
    for i, j in [(0, 0), (1, 17), (3, 4999), *np.argwhere(M == 9)[:3]]:
        assert found[i, j] == pytest.approx(log_gaussian_error(a[i, j : j + 1], M[i, j : j + 1])[0], abs=1e-12)
    # pi_2(a) = erfc(a/2)/2.
    two = M == 2
    np.testing.assert_allclose(np.exp(found[two]), [math.erfc(v / 2) / 2 for v in a[two]], rtol=1e-12)


def test_the_table_of_slopes_has_the_closed_form_of_two_outputs():
    # -pi_2'(a) = phi(a/sqrt 2)/sqrt 2.
    a = np.concatenate([np.linspace(0, 63.9, 997), [64.0, 80.0]])
    closed = -(a**2) / 4 - math.log(2 * math.sqrt(math.pi))
    np.testing.assert_allclose(log_slope(a, 2), closed, rtol=1e-15, atol=4e-13)


def test_the_best_threshold_of_many_points_is_the_best_of_all():
    alpha, M, d = np.array([1.3, 2.0, 0.7, 3.0]), np.array([2.0, 5.0, 8.0, 40.0]), np.array([30.0, 90.0, 200.0, 15.0])
    N = np.array([math.inf, math.inf, 500.0, 60.0])
    found = best_equal_weights(alpha=alpha, M=M, d=d, N=N)
    for i in range(4):
        size = int(min(N[i], 10**6))
        p = np.arange(1, size + 1) ** -alpha[i]
        whole = p.sum() + (0.0 if math.isfinite(N[i]) else float(size ** (1 - alpha[i]) / (alpha[i] - 1) - p[-1] / 2))
        P = np.arange(1, min(size, 3000) + 1)
        stored = np.cumsum(p)[: len(P)] / whole
        missed = np.exp([float(log_gaussian_error(np.sqrt(d[i : i + 1] * M[i] / k), M[i : i + 1])[0]) for k in P])
        errors = stored * missed + (1 - 1 / M[i]) * (1 - stored)
        # The tail beyond 10^6 by the trapezoidal rule leaves alpha 10^-6/12 of p(10^6): far below 1e-9.
        assert errors.argmin() < len(P) - 1 or len(P) == size
        assert found[i] == pytest.approx(errors.min(), rel=1e-9)


def test_the_forgotten_mass_of_many_points_is_the_sum():
    rng = np.random.default_rng(8)
    n = 400
    alpha, rho = rng.uniform(0, 3, n), np.where(rng.random(n) < 0.2, 0, rng.uniform(0, 1.5, n))
    N, M = rng.integers(1, 400, n), rng.integers(2, 9, n)
    d, P = rng.integers(2, 200, n), rng.uniform(1, 500, n)
    found = laws["finite-memory-lower:source"](alpha=alpha, N=N, M=M, d=d, rho=rho, P=P)
    for i in range(n):
        x = np.arange(1, N[i] + 1)
        p = x ** -alpha[i] / np.sum(x ** -alpha[i])
        q = np.where(x <= P[i], p ** rho[i], 0.0)
        Q = max(np.sum(q[x % M[i] == c] ** 2) for c in range(M[i]))
        # An input within rounding of the edge may go either way.
        edge = np.abs(3 * (d[i] + 1) * q**2 / Q - 1) < 1e-12
        low = p[(3 * (d[i] + 1) * q**2 <= Q) & ~edge].sum() / 20
        assert low * (1 - 1e-12) <= found[i] <= (low + p[edge].sum() / 20) * (1 + 1e-12) + 1e-300
    assert 0.2 < np.mean(found > 0) < 1


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


def test_the_best_weights_along_d_are_those_of_each_d():
    law = laws["optimal-scheme"]
    d = np.geomspace(20, 400, SWEEP)
    found = law(alpha=2.2, M=4, d=d)
    for i in (0, 100, 171, SWEEP - 1):
        assert found[i] == pytest.approx(law(alpha=2.2, M=4, d=d[i]), rel=1e-11)


def test_fitted_powers_of_many_points_are_regressions():
    gamma, N, M = np.array([0.01, 0.3, 5.0]), np.array([20.0, 57.0, 9.0]), np.array([3.0, 10.0, 2.0])
    found = laws["sgd-map-as-power"](gamma=gamma, N=N, M=M)
    for i in range(3):
        q, weights = [0.0], []
        for _ in range(700):
            q.append(q[-1] + gamma[i] / (1 + math.exp(q[-1]) / (M[i] - 1)))
        counts = [((N[i] + 3) / (x + 3)) ** 2 for x in range(1, int(N[i]) + 1)]
        for n in counts:
            weights.append(q[int(n)] + (n - int(n)) * (q[int(n) + 1] - q[int(n)]))
        assert found[i] == pytest.approx(np.polyfit(np.log(counts), np.log(weights), 1)[0], rel=1e-10)


def test_fill_against_powers_at_many_points_is_one_point_after_another():
    from asymp.theory.storage.fill_order import fill_crossover, power_rate
    from asymp.theory.zipf.law import class_sums

    rng = np.random.default_rng(12)
    n = 40
    alpha, rho = rng.uniform(0.5, 2, n), rng.choice([1.0, 0.5, 0.2], n)
    M, N = rng.integers(2, 9, n), rng.integers(20, 500, n)
    found = laws["fill-is-best:crossover"](alpha=alpha, N=N, M=M, rho=rho)
    slow = [fill_crossover(alpha=alpha[i], N=int(N[i]), M=int(M[i]), rho=rho[i]) for i in range(n)]
    np.testing.assert_allclose(found, slow, rtol=1e-9)  # both say that they have nine digits
    N, d = M * rng.integers(2, 9, n), rng.integers(5, 200, n)
    rates = [power_rate(alpha=alpha[i], N=int(N[i]), M=int(M[i]), rho=rho[i]) for i in range(n)]
    np.testing.assert_allclose(laws["fill-is-best"](alpha=alpha, N=N, M=M, rho=rho), rates, rtol=1e-13)
    lower = laws["fill-is-best:lower"](alpha=alpha, N=N, M=M, d=d, rho=rho)
    for i in range(n):
        x, m = np.arange(1, N[i] + 1), int(M[i])
        p = x ** -alpha[i] / np.sum(x ** -alpha[i])
        S = class_sums(alpha=alpha[i], rho=rho[i], M=m, N=float(N[i])).squares
        e = p ** (2 * rho[i]) / (S[x % m] + S[(x + 1) % m])
        # P(t_d^2 > d e/(1 - e))/2
        tails = scipy.stats.t.sf(np.sqrt(d[i] * e / (1 - e)), d[i])
        assert lower[i] == pytest.approx(float(p @ tails), rel=1e-11)


@pytest.mark.parametrize("fit", ["linear", "anchored"])
def test_fits_on_linear_axes_at_many_points_are_one_after_another(fit):
    from asymp.theory.sgd.fit import fitted_rho

    rng = np.random.default_rng(13)
    n = 40
    gamma, N, M = np.exp(rng.uniform(-7, 3.4, n)), rng.integers(3, 200, n), rng.integers(2, 100, n)
    found = laws["sgd-map-as-power"](gamma=gamma, N=N, M=M, fit=fit)
    slow = [fitted_rho(gamma=gamma[i], N=int(N[i]), M=int(M[i]), fit=fit).rho for i in range(n)]
    np.testing.assert_allclose(found, slow, rtol=0, atol=1e-12)
