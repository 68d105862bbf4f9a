"""fit_exponent on counts: sizes without errors, binomial and Poisson likelihoods, dispersion, bad input."""

import math

import numpy as np
import pytest
from scipy import optimize, stats

from asymp.montecarlo.exponent.counts import size_counts
from asymp.montecarlo.exponent.fit import fit_exponent

SIZES = np.geomspace(10, 2000, 10)
T = np.log(SIZES)


def trials(errors, n):
    """Samples of single trials: so many ones, the rest zeros."""
    return [np.repeat([1.0, 0.0], [y, n - y]) for y in errors]


def naive_deviance(errors, n, eta):
    """-2 log of the binomial likelihood over its largest value."""
    errors, n = np.asarray(errors, float), np.asarray(n, float)
    return -2 * (stats.binom.logpmf(errors, n, np.exp(eta)) - stats.binom.logpmf(errors, n, errors / n)).sum()


def naive_best(errors, n, delta, b=None):
    """Least deviance over a (and b) of log mean = a + b t + delta, means kept below one, by Nelder-Mead."""

    def f(p):
        eta = p[0] + (p[1] if b is None else b) * (T - T[0]) + delta
        return naive_deviance(errors, n, np.minimum(eta, -1e-9)) + 1e4 * np.maximum(eta, 0).sum()

    start = math.log(errors[0] / n + 0.01) - 0.1
    starts = [[start], [start - 2]] if b is not None else [[start, -1.0], [start, -0.3], [start - 1, 0.2]]
    options = {"xatol": 1e-9, "fatol": 1e-9, "maxiter": 4000, "maxfev": 4000}
    return min(optimize.minimize(f, s, method="Nelder-Mead", options=options).fun for s in starts)


COUNTS = [
    ([427, 225, 122, 64, 31, 26, 10, 4, 3, 0], 2000),
    ([38, 17, 14, 3, 2, 4, 1, 2, 1, 1], 200),
    ([3, 4, 2, 0, 0, 0, 0, 0, 0, 0], 100),
    ([96, 80, 60, 40, 30, 20, 12, 5, 5, 1], 100),
    ([0, 0, 0, 0, 0, 0, 1, 2, 5, 9], 100),
]


@pytest.mark.parametrize(("errors", "n"), COUNTS)
@pytest.mark.parametrize("kappa", [0.0, 2.0])
def test_line_and_ends_against_a_direct_search(errors, n, kappa):
    data = size_counts(T, trials(errors, n), np.ones(10))
    delta = np.log1p(kappa * np.exp(-0.5 * (T - T[0])))
    chi2, b, _ = data.line(delta)
    assert chi2 == pytest.approx(naive_best(errors, n, delta), abs=1e-3)
    assert data.intercept(b * T + delta) == pytest.approx(chi2, abs=1e-3)
    for bound in (float(chi2) + 3.84, float(chi2) + 27.0):
        for end in data.ends(delta[None], bound):
            assert naive_best(errors, n, delta, float(end[0])) == pytest.approx(bound, abs=0.02)


@pytest.mark.parametrize(("errors", "n"), COUNTS[:3])
def test_gradients_against_differences(errors, n):
    data = size_counts(T, trials(errors, n), np.ones(10))
    h, dh, step = -0.7 * T + np.log1p(np.exp(-0.4 * T)), np.sin(T), 1e-5
    for line in (False, True):
        value, slope, curve = data.gradient(h, dh, line=line)
        up, down = (data.gradient(h + s * dh, dh, line=line) for s in (step, -step))
        # Central differences: error of order step^2 in the slope; the curvature is the profiled one, exactly.
        assert slope == pytest.approx((up[0] - down[0]) / (2 * step), rel=1e-3, abs=1e-4)
        assert curve == pytest.approx((up[1] - down[1]) / (2 * step), rel=1e-2)
        assert value == pytest.approx((up[0] + down[0]) / 2, abs=1e-4)


def test_sizes_without_errors_are_kept_and_count():
    errors, n = [427, 225, 122, 64, 31, 26, 10, 0, 0, 0], 2000
    fit = fit_exponent(SIZES, trials(errors, n))
    assert len(fit.sizes) == 10
    assert "no error seen at size 616.155, 1110.09, 2000" in str(fit)
    # More trials without an error at the largest size push the exponent down; a dropped size could not.
    more = trials(errors, n)
    more[-1] = np.zeros(200_000)
    low, high = fit.interval()
    lower = fit_exponent(SIZES, more).interval()
    assert lower[0] < low
    assert lower[1] < high
    dropped = fit_exponent(SIZES[:7], trials(errors[:7], n)).interval()
    assert dropped[1] > high


def test_zero_errors_enter_as_the_probability_of_seeing_none():
    """With mean mu at a size, n trials without an error have probability (1 - mu)^n: chi2 -2 n log(1 - mu)."""
    errors, n = [80, 40, 20, 10, 0], 400
    t = np.log(np.array([1.0, 2.0, 4.0, 8.0, 64.0]))
    data = size_counts(t, trials(errors, n), np.ones(5))
    short = size_counts(t[:4], trials(errors[:4], n), np.ones(4))
    h = -t
    a = optimize.minimize_scalar(
        lambda a: -2 * (stats.binom.logpmf(errors, n, np.exp(a + h))).sum(), bounds=(-6, -0.01), method="bounded"
    ).x
    eta = a + h
    own = -2 * stats.binom.logpmf(errors[:4], n, np.exp(eta[:4])) + 2 * stats.binom.logpmf(
        errors[:4], n, np.array(errors[:4]) / n
    )
    assert data.intercept(h) == pytest.approx(own.sum() - 2 * n * math.log1p(-math.exp(eta[-1])), abs=1e-3)
    assert data.intercept(h) > short.intercept(h[:4])


def test_a_poisson_count_is_a_binomial_of_many_trials():
    rng = np.random.default_rng(1)
    counts = [rng.poisson(4000 / x, size=1) for x in SIZES]
    poisson = fit_exponent(SIZES, counts, counts=math.inf)
    binomial = fit_exponent(SIZES, counts, counts=10_000_000)
    assert poisson.interval() == pytest.approx(binomial.interval(), abs=1e-3)
    assert poisson.exponent == pytest.approx(binomial.exponent, abs=1e-3)


def test_poisson_level_against_a_direct_search():
    counts = [np.array([y]) for y in (3.0, 5.0, 0.0, 2.0, 9.0, 1.0, 0.0, 4.0, 2.0, 30.0)]
    y = np.concatenate(counts)
    h = 0.3 * T
    best = optimize.minimize_scalar(
        lambda a: -2 * stats.poisson.logpmf(y, np.exp(a + h)).sum(), bounds=(-5, 5), method="bounded"
    )
    own = -2 * stats.poisson.logpmf(y, y).sum()
    assert size_counts(T, counts, np.full(10, math.inf)).intercept(h) == pytest.approx(best.fun - own, abs=1e-5)


def test_abundant_counts_agree_with_log_normal_means():
    """At 4e5 trials and means above 0.01 both likelihoods are one normal to second order (1/sqrt(4000) = 1.6 %)."""
    rng = np.random.default_rng(2)
    samples = [rng.binomial(1000, 2 / x**0.7, size=400).astype(float) for x in SIZES]
    counted, means = fit_exponent(SIZES, samples, counts=1000), fit_exponent(SIZES, [v / 1000 for v in samples])
    width = means.interval()[1] - means.interval()[0]
    # Estimated against known variances: 400 replicas know theirs to 7 %, widths and centres to that share of a width.
    assert counted.interval() == pytest.approx(means.interval(), abs=0.15 * width)


def test_overdispersed_replicas_widen_the_interval():
    rng = np.random.default_rng(3)
    rates = [rng.beta(2, 2 * x - 2, size=200) for x in SIZES]  # mean 1/x, one rate a replica
    samples = [rng.binomial(500, rate) for rate in rates]
    apart = fit_exponent(SIZES, samples, counts=500)
    data = size_counts(T, [np.asarray(v, float) for v in samples], np.full(10, 500.0))
    # Beta(2, 2x-2) rates: dispersion 1 + 499/(2x + 1), 24.8 at x = 10, 1.12 at 2000; replicas give it to 10-20 %.
    expected = 1 + 499 / (2 * SIZES + 1)
    assert data.dispersion[:6] == pytest.approx(expected[:6], rel=0.6)
    naive = fit_exponent(SIZES, trials([int(v.sum()) for v in samples], 100_000))
    assert np.ptp(apart.interval()) > 1.3 * np.ptp(naive.interval())
    assert (data.dispersion >= 1).all()


def test_fractions_of_errors_are_allowed():
    """Weighted errors in [0, 1], some sizes without any: conservative, never an error, never a dropped size."""
    rng = np.random.default_rng(4)
    samples = [0.5 * (rng.random(2000) < 3 / x) for x in SIZES]
    samples[-1][:] = 0.0
    fit = fit_exponent(SIZES, samples, counts=1)
    assert fit.interval()[0] < -1 < fit.interval()[1]
    assert fit.notes


@pytest.mark.parametrize("side", [1, -1])
def test_hardly_any_errors_leave_an_exponent_open(side):
    errors = [4, 1, 0, 0, 0, 0, 0, 0, 0, 0][::side]
    fit = fit_exponent(SIZES, trials(errors, 50))
    low, high = fit.interval(1 - 1e-6)
    # A floor that hides everything but one size: nothing bounds the exponent on its steep side.
    assert (low if side > 0 else high) == -side * math.inf
    assert math.isfinite(fit.exponent)
    assert not math.isnan(low) and not math.isnan(high)


@pytest.mark.parametrize(
    ("samples", "kwargs", "words"),
    [
        (trials([0] * 10, 50), {}, "two sizes"),
        (trials([9] + [0] * 9, 50), {}, "two sizes"),
        ([[3.0, 4.0]] * 10, {"counts": 2}, "between 0 and counts"),
        ([[-1.0, 4.0]] * 10, {"counts": 5}, "between 0 and counts"),
        ([[1.0, 4.0]] * 10, {"counts": [5, 6]}, "10 sizes"),
        ([[1.0, 4.0]] * 10, {"counts": 0.5}, ">= 1"),
        ([[1.0, 4.0]] * 10, {"counts": [math.inf] * 9 + [5]}, "math.inf"),
        ([[1.0, 4.0]] * 10, {"counts": math.nan}, ">= 1"),
        ([[1.0, 4.0]] * 10, {"counts": "many"}, "counts"),
        (np.stack(trials([30] * 9 + [3], 50)), {"paired": True}, "at least 20 errors"),
        (np.stack(trials([30] * 9 + [0], 50)), {"paired": True}, "at least 20 errors"),
    ],
)
def test_bad_counts(samples, kwargs, words):
    with pytest.raises(ValueError, match=words):
        fit_exponent(SIZES, samples, **kwargs)
