"""The best weights, threshold and stopping time, against brute force on few inputs and plain sums over many."""

import math

import numpy as np
import pytest
from scipy.special import log_ndtr, ndtr, zeta
from support.naive_recall import zipf

from asymp.theory.functions.schemes.best_threshold import (
    optimal_threshold,
    threshold_error,
)
from asymp.theory.functions.schemes.margin_cost import log_slope, make_cost
from asymp.theory.functions.schemes.optimal_storage import optimal_constants, optimal_weights
from asymp.theory.functions.sgd.stopping_time import best_stopping, stopping_curve, stopping_limit
from asymp.theory.functions.zipf.smooth_sums import sum_nodes


def naive_pi(a, M):
    """The integral of phi(t) (1 - Phi(a+t)^(M-1)) dt on a plain grid: it is smooth, the sum is exact to 1e-13."""
    t = np.linspace(-16, 12, 281)
    phi = np.exp(-(t**2) / 2) / math.sqrt(2 * math.pi)
    return (phi * -np.expm1((M - 1) * log_ndtr(np.asarray(a)[..., None] + t))).sum(axis=-1) * (t[1] - t[0])


def naive_slope(a, M):
    """-d pi_M/da by the same grid."""
    t = np.linspace(-16, 12, 281)
    phi = np.exp(-(t**2) / 2) / math.sqrt(2 * math.pi)
    shifted = np.asarray(a)[..., None] + t
    terms = phi * np.exp(-(shifted**2) / 2) / math.sqrt(2 * math.pi) * ndtr(shifted) ** (M - 2)
    return (M - 1) * terms.sum(axis=-1) * (t[1] - t[0])


# The pieces


@pytest.mark.parametrize("s", [0.3, 1.0, 2.0, 7.0])
def test_gauss_rules_for_sums_are_plain_sums(s):
    for first, last in ((1, 20), (1, 100_000), (33, 48), (777, 50_000)):
        x, w = sum_nodes(first=first, last=last)
        wanted = math.fsum(np.arange(float(first), last + 1) ** -s)
        assert w @ x**-s == pytest.approx(wanted, rel=1e-13)
        assert w.sum() == pytest.approx(last - first + 1, rel=1e-13)
    x, w = sum_nodes(first=1, last=10**30)
    assert w @ x**-2.0 == pytest.approx(math.pi**2 / 6, rel=1e-13)
    # Steep beside x = 3000: an arctangent of width a hundredth of it.
    x, w = sum_nodes(first=1, last=10**5, steep=3000)
    plain = np.arange(1.0, 10**5 + 1)
    assert w @ np.arctan((x - 3000) / 30) == pytest.approx(math.fsum(np.arctan((plain - 3000) / 30)), rel=1e-9)


def test_the_slope_of_the_error_is_its_derivative():
    a = np.array([0.0, 0.3, 1.7, 4.0])
    for M in (2, 5, 60):
        assert np.exp(log_slope(a, M)) == pytest.approx(naive_slope(a, M), rel=1e-12)
        # Central differences: h^2/6 of the third derivative, which is below 1, and rounding 1e-16/h.
        h = 1e-5
        assert np.exp(log_slope(a, M)) == pytest.approx((naive_pi(a - h, M) - naive_pi(a + h, M)) / (2 * h), abs=1e-9)


def test_the_cost_is_convex_up_to_forty_five_outputs_and_no_further():
    a = np.linspace(0.05, 8, 800)
    for M in (2, 5, 20, 44, 45):
        assert np.all(np.diff(np.log(naive_slope(a, M) / a)) < 0)
        assert make_cost(M).jump is None
    for M in (46, 47, 100, 1000):
        assert np.any(np.diff(np.log(naive_slope(a, M) / a)) > 0)
        jump = make_cost(M).jump
        assert jump is not None
        # The line touches: equal slopes in b = a^2 at both ends, and they are the slope of the chord.
        ends = np.array([jump.low, jump.high])
        slopes = naive_slope(ends, M) / (2 * ends)
        chord = (naive_pi(ends[0], M) - naive_pi(ends[1], M)) / (ends[1] ** 2 - ends[0] ** 2)
        # The root finder's 1e-13, enlarged by the nearly equal ends at M = 46 (0.98 and 1.19).
        assert slopes == pytest.approx([chord, chord], rel=1e-9)


# The best weights


@pytest.mark.parametrize(("M", "d", "N"), [(2, 1, 8), (5, 3, 6), (20, 2, 5), (100, 3, 6)])
def test_no_search_finds_better_weights(M, d, N):
    from scipy.optimize import minimize

    rng = np.random.default_rng(N * M)
    p = np.sort(rng.dirichlet(np.ones(N)))[::-1]

    def error(z):
        share = np.exp(z - z.max())
        return float(p @ naive_pi(np.sqrt(d * M * share / share.sum()), M))

    starts = [np.log(rng.dirichlet(np.full(N, 0.5)) + 1e-6) for _ in range(4)]
    best = min(minimize(error, z, method="BFGS", options={"gtol": 1e-10}).fun for z in starts)
    found = optimal_weights(p=p, M=M, d=d)
    a = found.margins(np.arange(1, N + 1))
    assert np.sum(a**2) == pytest.approx(d * M, rel=1e-10)
    assert float(p @ naive_pi(a, M)) == pytest.approx(found.error, rel=1e-9, abs=1e-15)
    # BFGS ends within about gtol^2 of its minimum; nothing may lie below the dual bound.
    assert found.lower * (1 - 1e-9) - 1e-15 <= best
    assert found.error <= best * (1 + 1e-7)


def test_a_budget_inside_the_jump_is_split():
    # 40 equal inputs, M = 100, a mean a^2 between the ends of the jump: some take the low end, some the high end, one
    # what is left. The dual bound is the chord; one input of 40 can be above it by the bulge, which is below 0.05.
    M, N, d = 100, 40, 0.8
    found = optimal_weights(alpha=0, N=N, M=M, d=d)
    a = found.margins(np.arange(1, N + 1))
    jump = make_cost(M).jump
    assert np.sum(a**2) == pytest.approx(d * M, rel=1e-12)
    assert {round(float(v), 6) for v in a} <= {round(jump.low, 6), round(jump.high, 6), round(found.split_margin, 6)}
    assert found.lower <= found.error <= found.lower + 0.05 / N
    assert found.error == pytest.approx(float(naive_pi(a, M).mean()), rel=1e-10)
    # Equal margins, the stationary point of a convex cost, are worse.
    assert found.error < float(naive_pi(math.sqrt(d * M / N), M)) - 0.01


@pytest.mark.parametrize(("alpha", "M", "N"), [(0.7, 5, 1000), (2.0, 5, 4000), (2.0, 60, 4000)])
def test_sums_over_many_inputs_are_plain_sums(alpha, M, N):
    d = 50
    found = optimal_weights(alpha=alpha, N=N, M=M, d=d)
    a, p = found.margins(np.arange(1, N + 1)), zipf(alpha, N)
    assert np.sum(a**2) == pytest.approx(d * M, rel=1e-10)
    assert float(p @ naive_pi(a, M)) == pytest.approx(found.error, rel=1e-9)
    # Lagrange: p psi(a) is the same for all (for the split input, if any, it is not).
    keep = np.arange(1, N + 1) != found.split
    price = p * naive_slope(a, M) / (2 * a)
    assert price[keep] == pytest.approx(np.full(keep.sum(), math.exp(found.log_price)), rel=1e-9)
    # Rare inputs: q* proportional to p, with the slope of pi_M at 0.
    rare, slope = N - 1, float(naive_slope(0.0, M))
    # The next term of pi_M' is relatively of order a times sqrt(2 log M), which is below 3.
    assert a[rare] / p[rare] == pytest.approx(slope / (2 * math.exp(found.log_price)), rel=3 * a[rare])


@pytest.mark.parametrize(("alpha", "M"), [(2.0, 5), (1.5, 45), (2.5, 100), (1.1, 5)])
def test_the_best_error_tends_to_its_constant(alpha, M):
    constant = optimal_constants(alpha=alpha, M=M)
    ratios = [optimal_weights(alpha=alpha, M=M, d=d).error * d ** (alpha - 1) / constant for d in (1e3, 1e8)]
    # The sum differs from its integral by the frequent inputs, where p pi_M is nearly 0: a fraction log(d)/d.
    assert abs(ratios[0] - 1) < 0.05
    assert ratios[1] == pytest.approx(1, abs=1e-5)
    # E = lambda d M/(alpha - 1), with the price lambda, in the same limit.
    found = optimal_weights(alpha=alpha, M=M, d=1e8)
    assert math.exp(found.log_price) * 1e8 * M / (alpha - 1) == pytest.approx(found.error, rel=1e-5)


def test_errors_too_small_for_float64_have_a_logarithm():
    # 10 inputs, d M = 5e5: a^2 = 5e4 each, and log pi_M = -a^2/4 up to logarithms.
    found = optimal_weights(alpha=1, N=10, M=5, d=1e5)
    assert found.error == 0
    assert found.log_error == pytest.approx(-5e4 / 4, rel=2e-3)


# The best threshold


def test_the_best_threshold_is_the_best_of_all():
    for alpha, M, d, N in ((2.0, 5, 40, 400), (0.8, 3, 100, 300)):
        p, P = zipf(alpha, N), np.arange(1, N + 1)
        errors = np.cumsum(p) * naive_pi(np.sqrt(d * M / P), M) + (1 - 1 / M) * (1 - np.cumsum(p))
        assert threshold_error(alpha=alpha, M=M, d=d, P=P, N=N) == pytest.approx(errors, rel=1e-9)
        found = optimal_threshold(alpha=alpha, M=M, d=d, N=N)
        assert P[np.argmin(errors)] == found.P
        assert found.error == pytest.approx(errors.min(), rel=1e-9)


def test_the_leading_order_of_the_threshold_is_reached_slowly():
    for alpha in (1.5, 2.0, 3.0):
        off = [
            abs(optimal_threshold(alpha=alpha, M=5, d=d).P / (5 * d / (4 * (alpha - 1) * math.log(d))) - 1)
            for d in (1e3, 1e12)
        ]
        assert off[1] < 0.11
        assert off[1] < off[0] or off[0] < 0.02
    # The price of a threshold is a logarithm: E(P*) over the best error grows like (log d)^(alpha-1), 4 at alpha = 2.
    small, large = (optimal_threshold(alpha=2, M=5, d=d).error * d for d in (1e3, 1e12))
    assert large / small == pytest.approx(math.log(1e12) / math.log(1e3), rel=0.15)


# The best stopping time


def naive_stopping(gamma_T, p, M, d):
    """The flow by bisection for each input, then the plain sum."""
    low, high = np.zeros(len(p)), np.full(len(p), 100.0)
    for _ in range(60):
        q = (low + high) / 2
        above = q + np.expm1(q) / (M - 1) > gamma_T * p
        low, high = np.where(above, low, q), np.where(above, q, high)
    q = (low + high) / 2
    return float(p @ naive_pi(q * math.sqrt(d * M / np.sum(q**2)), M))


def test_the_best_stopping_time_of_a_finite_law():
    alpha, M, d, N = 2.0, 5, 20, 500
    p = zipf(alpha, N)
    times = np.geomspace(1, 1e8, 60)
    errors = [naive_stopping(t, p, M, d) for t in times]
    best = int(np.argmin(errors))
    found = best_stopping(alpha=alpha, M=M, d=d, N=N)
    assert times[best - 1] < found.gamma_T < times[best + 1]
    assert found.error <= min(errors) * (1 + 1e-9)
    # Over-optimisation: ten thousand times longer is worse by far more than the grid could hide.
    assert errors[-1] > 1.2 * min(errors)


def test_the_best_stopping_time_scales_with_d():
    for alpha, M in ((2.0, 5),):
        limit = stopping_limit(alpha=alpha, M=M)
        d = 1e7
        found = best_stopping(alpha=alpha, M=M, d=d)
        # The frequent inputs, counted one by one, change the error by log(d)^2/d, the place of the minimum by its root.
        assert found.error * d ** (alpha - 1) == pytest.approx(limit.constant, rel=1e-4)
        assert found.gamma_T / (zeta(alpha) * d**alpha) == pytest.approx(limit.tau, rel=1e-2)
        curve = stopping_curve(alpha=alpha, M=M)
        assert curve(limit.tau) == pytest.approx(limit.constant, rel=1e-12)
        assert min(curve(limit.tau / 2), curve(2 * limit.tau)) > limit.constant
        assert curve(1e4 * limit.tau) > 1.5 * limit.constant
        # No weights beat q*; the flow comes within 20 % of them.
        assert 1 < limit.constant / optimal_constants(alpha=alpha, M=M) < 1.2


def test_finite_steps_with_random_counts():
    """e(tau) at gamma = 1.5 against drawn Poisson counts, plain iteration and plain sums at d = 3000.

    sum q^2 and the error average over thousands of inputs; the spread over 12 draws gives the standard error.
    """
    alpha, M, gamma, d, tau = 2.0, 5, 1.5, 3000, 1.0
    rng = np.random.default_rng(2)
    x = np.arange(1.0, 400_001)
    p = x**-alpha / zeta(alpha)
    T = tau * d**alpha * zeta(alpha) / gamma
    levels = [0.0]
    for _ in range(4000):
        levels.append(levels[-1] + gamma / (1 + math.exp(levels[-1]) / (M - 1)))
    levels = np.array(levels)
    scaled = []
    for _ in range(12):
        n = rng.poisson(T * p)
        # Beyond the table, where 1 input in 50 is, the growth is logarithmic: e^q/(M-1) rises by gamma a step.
        q = levels[np.minimum(n, 4000)] + np.log1p(np.maximum(n - 4000, 0) * gamma / (math.exp(levels[-1]) / (M - 1)))
        values, where = np.unique(q, return_inverse=True)
        errors = naive_pi(values * math.sqrt(d * M / np.sum(q**2)), M)[where]
        scaled.append((float(p @ errors) + (1 - 1 / M) * float(zeta(alpha, 400_001) / zeta(alpha))) * d ** (alpha - 1))
    wanted = stopping_curve(alpha=alpha, M=M, gamma=gamma)(tau)
    # Inputs beyond 400 000 are taken as unseen: T p is below 4e-5 for them. The finite d leaves the frequent inputs'
    # share, log(d)^2/d = 2 % of what they contribute, which is little: 1 % is allowed for it. Student's t with 11
    # degrees of freedom exceeds 14 with probability 2.4e-8.
    spread = np.std(scaled, ddof=1) / math.sqrt(len(scaled))
    assert abs(np.mean(scaled) - wanted) < 14 * spread + 0.01 * wanted
    assert 14 * spread < 0.01 * wanted
    # Small steps tend to the flow: gamma/2 is the size of the next term of the Abel function.
    assert stopping_curve(alpha=alpha, M=M, gamma=1e-3)(tau) == pytest.approx(
        stopping_curve(alpha=alpha, M=M)(tau), rel=1e-3
    )
    # And the step matters: the check would see the flow in place of the map.
    assert abs(stopping_curve(alpha=alpha, M=M)(tau) / wanted - 1) > 0.04


def test_the_best_weights_beat_the_schemes():
    for d in (100,):
        best = optimal_weights(alpha=2, M=5, d=d).error
        assert best < best_stopping(alpha=2, M=5, d=d).error < optimal_threshold(alpha=2, M=5, d=d).error


def test_values_outside_the_domain_are_named():
    with pytest.raises(ValueError, match="M must be a whole number >= 2"):
        optimal_weights(alpha=2, M=1, d=10)
    with pytest.raises(ValueError, match="d must satisfy: d > 0"):
        optimal_weights(alpha=2, M=5, d=0)
    with pytest.raises(ValueError, match="alpha must satisfy: alpha > 1 when N is infinite"):
        optimal_weights(alpha=1, M=5, d=10)
    with pytest.raises(ValueError, match="give either alpha"):
        optimal_weights(M=5, d=10)
    with pytest.raises(ValueError, match="p must sum to 1"):
        optimal_weights(p=[0.5, 0.4], M=5, d=10)
    with pytest.raises(ValueError, match="P must satisfy: P >= 1"):
        threshold_error(alpha=2, M=5, d=10, P=0)
    with pytest.raises(ValueError, match="gamma must satisfy: gamma > 0"):
        stopping_curve(alpha=2, M=5, gamma=-1)
    with pytest.raises(ValueError, match="x must satisfy"):
        optimal_weights(alpha=2, M=5, d=10, N=20).margins(21)
