"""Intervals of unbounded means: each step of the argument by itself, exact coverage by enumeration, and what is refused."""

import itertools
import json
import math

import numpy as np
import pytest
from scipy import optimize, stats

from asymp.montecarlo import tails
from asymp.montecarlo.calibrate import unbounded
from asymp.montecarlo.calibrate.means import means_text
from asymp.montecarlo.estimate import Estimate, intervals_of
from asymp.montecarlo.intervals import lower_ends, mean_interval, student_interval
from asymp.montecarlo.p_values import one_sided_ps, ps_outside
from asymp.montecarlo.tails import (
    FOR_VARIANCE,
    FOURTH,
    grouped,
    largest_share,
    replicas_for,
    sample_kurtosis,
    tail_interval,
    variance_factor,
)


def moments(points, weights):
    """Mean, variance and kurtosis of a law on a few points."""
    points, weights = np.array(points), np.array(weights)
    mean = weights @ points
    variance = weights @ (points - mean) ** 2
    return mean, variance, weights @ (points - mean) ** 4 / variance**2


# The argument, step by step


def test_the_factor_is_never_below_its_least():
    found = optimize.minimize_scalar(lambda y: 1 + y + FOURTH * y**4, bracket=(-2, -1, 0))
    assert found.fun == pytest.approx(tails.LEAST, abs=1e-9)


def test_the_laplace_transform_is_largest_for_a_rare_large_value():
    # Nonnegative Y with mean 1 and second moment K: E exp(-t Y) <= 1 - 1/K + exp(-t K)/K, for random laws on four points.
    rng = np.random.default_rng(0)
    for _ in range(300):
        points, weights = rng.exponential(size=4) ** 2, rng.dirichlet(np.ones(4))
        points = points / (weights @ points)
        k = weights @ points**2
        for t in (0.01, 0.3, 1, 5):
            assert weights @ np.exp(-t * points) <= 1 - 1 / k + math.exp(-t * k) / k + 1e-12


@pytest.mark.parametrize("kurtosis", [1.5, 3.0, 100.0])
@pytest.mark.parametrize("alpha", [1e-2, 1e-7])
def test_the_variance_is_seldom_above_its_bound(kurtosis, alpha):
    # For the law K v with probability 1/K, else 0, the sum is binomial: a tail by itself, without Chernoff.
    for n in (20, 100, 1000, 10_000):
        factor = variance_factor(n, kurtosis, math.log(alpha))
        missing = (1 - 1 / kurtosis) ** n
        assert math.isinf(factor) == (missing >= alpha)
        if math.isfinite(factor):
            most = n / kurtosis / factor  # the count at which the mean of Y is v/r^2
            assert missing <= stats.binom.cdf(math.ceil(most) - 1, n, 1 / kurtosis) <= alpha


def test_means_of_groups_have_the_kurtosis_said():
    points, weights = (0.0, 1.0, 7.0), (0.7, 0.2, 0.1)
    kurtosis = moments(points, weights)[2]
    pairs = list(itertools.product(range(3), repeat=2))
    of_pairs = moments([(points[i] + points[j]) / 2 for i, j in pairs], [weights[i] * weights[j] for i, j in pairs])[2]
    assert of_pairs == pytest.approx(3 + (kurtosis - 3) / 2)
    values = np.arange(2.0 * tails.LONGEST)
    means, bound = grouped(values, kurtosis)
    assert list(means) == list(np.arange(0.5, len(values), 2))
    assert bound == pytest.approx(of_pairs)
    assert grouped(values[:100], kurtosis)[1] == kurtosis


@pytest.mark.parametrize("level", [0.5, 0.9])
@pytest.mark.parametrize("p", [0.5, 0.3, 0.2])
def test_coverage_is_exact_for_every_sample_of_twelve(level, p):
    """All 2^12 samples of a law on two points, each with its probability: coverage without Monte Carlo error."""
    mean, _, kurtosis = moments((0.0, 1.0), (1 - p, p))
    samples = np.array(list(itertools.product((0.0, 1.0), repeat=12)))[1:-1]  # equal values have no interval
    weights = p ** samples.sum(axis=1) * (1 - p) ** (12 - samples.sum(axis=1))
    centre, spread = samples.mean(axis=1), samples.std(axis=1)
    rows = (samples - centre[:, None]) / spread[:, None]
    goals, bounds = np.full(len(rows), math.log((1 - level) / 2)), np.full(len(rows), kurtosis)
    low = centre + spread * tails.tail_ends(rows, goals, bounds)
    high = centre - spread * tails.tail_ends(-rows, goals, bounds)
    missed = weights[(low > mean) | (high < mean)].sum()
    assert missed <= 1 - level + 1e-12
    # twelve values are enough for a kurtosis of 1, and too few for one of 3.25
    assert np.isfinite(low).any() or p != 0.5
    assert not np.isfinite(low).any() or p != 0.2


def naive_gambler(x, m, log_alpha, kurtosis):
    """The test value by value, in plain Python; stakes revised at every value."""
    n = len(x)
    for_mean = log_alpha + math.log(1 - FOR_VARIANCE)
    fourth = kurtosis * variance_factor(n, kurtosis, log_alpha + math.log(FOR_VARIANCE)) ** 2
    limit = tails.LARGEST_STAKE * optimize.brentq(
        lambda s: s**2 / 2 + 3 * FOURTH * fourth * s**4 + for_mean / n, 1e-9, 100, xtol=1e-14
    )
    whole = fourth * (sum((v - m) ** 2 for v in x) / n) ** 2
    share, aim = for_mean, for_mean - tails.BEYOND
    for i in range(math.ceil(tails.LEARNT * n), n):
        spread = sum((v - m) ** 2 for v in x[:i]) / i * (1 + tails.UNSEEN * kurtosis / i)
        if aim >= 0:
            aim = -tails.FURTHER
        z = stats.norm.ppf(math.exp(aim))
        stake = min(stats.norm.pdf(z) / math.exp(aim) / math.sqrt(n - i), limit) / math.sqrt(spread)
        y = stake * (x[i] - m)
        gain = math.log(1 + y + FOURTH * y**4)
        aim += gain - math.log(1 + FOURTH * stake**4 * fourth * spread**2)
        share += gain - math.log(1 + FOURTH * stake**4 * whole)
        if share >= 0:
            return True
    return False


@pytest.mark.parametrize("alpha", [0.025, 7.5e-4])
def test_the_bets_are_those_of_the_naive_gambler(alpha, monkeypatch):
    monkeypatch.setattr(tails, "BATCHES", 10_000)  # then every value is a batch of its own
    rng = np.random.default_rng(5)
    seen = set()
    for x in (rng.standard_normal(80), rng.exponential(size=80), rng.standard_normal(80) ** 3):
        means = x.mean() - x.std() * np.geomspace(0.05, 20, 25)
        fast = tails.means_rejected(x[None], means[None], np.array([math.log(alpha)]), np.array([4.0]))[0]
        slow = [naive_gambler(list(x), m, math.log(alpha), 4.0) for m in means]
        assert list(fast) == slow
        seen |= set(slow)
    assert seen == {True, False}


def test_nothing_below_the_lower_end_was_kept():
    """The end is found by zooming; here every mean of a dense grid is tried, near the end and far from it."""
    rng = np.random.default_rng(6)
    for x, kurtosis in ((rng.standard_normal(300), 3.0), (rng.exponential(size=900), 9.0)):
        for level in (0.98, 1 - 1e-5):
            rows = (x - x.mean()) / x.std()
            goal, bound = np.array([math.log((1 - level) / 2)]), np.array([kurtosis])
            end = tails.tail_ends(rows[None], goal, bound)[0]
            means = end * np.concatenate([np.linspace(1 + 1e-9, 3, 200), np.geomspace(3, 1e5, 100)])
            assert tails.means_rejected(rows[None], means[None], goal, bound).all()


# What comes of it


def test_the_interval_moves_and_turns_with_the_values():
    x = np.random.default_rng(1).exponential(size=1000)
    low, high = tail_interval(x, kurtosis=9, level=0.99)
    assert low < x.mean() < high
    # the same bets on the same standardised values, up to rounding
    assert tail_interval(5 - 1e6 * x, kurtosis=9, level=0.99) == pytest.approx(
        (5 - 1e6 * high, 5 - 1e6 * low), rel=1e-6
    )


@pytest.mark.parametrize(
    ("draw", "kurtosis", "n", "most"),
    [
        # The hedge with 128 revisions and a tenth of alpha for the variance cost some 5 to 10 %; fourth moments that could be
        # missing cost a K (r z)^4/n more in the logarithm of the capital, z per unit of z: 5 % for z^2 at 4096 (K = 15).
        (lambda rng, n: rng.standard_normal(n), 3.0, 4096, 1.15),
        (lambda rng, n: rng.standard_normal(n) ** 2, 15.0, 4096, 1.2),
        (lambda rng, n: rng.standard_normal(n) * rng.standard_normal(n), 9.0, 4096, 1.2),
        (lambda rng, n: (rng.standard_normal(n) * rng.standard_normal(n)) ** 2, 159.0, 65536, 1.2),
    ],
)
def test_the_width_is_near_students_where_values_are_many(draw, kurtosis, n, most):
    rng = np.random.default_rng(7)
    for level in (0.98, 1 - 1e-5):
        ratios = []
        for _ in range(8):
            x = draw(rng, n)
            low, high = tail_interval(x, kurtosis=kurtosis, level=level)
            inner = student_interval(x, level=level)
            ratios.append((high - low) / (inner[1] - inner[0]))
        assert 0.97 < np.mean(ratios) < most + 0.05 * (level < 0.99)


@pytest.mark.parametrize(
    ("draw", "mean", "kurtosis", "n"),
    [
        (lambda rng, n: rng.standard_normal(n) ** 2, 1.0, 15.0, 512),
        (lambda rng, n: (rng.random(n) < 0.05) / 0.05, 1.0, 18.1, 512),
        (lambda rng, n: rng.exponential(size=n), 1.0, 9.0, 256),
        (lambda rng, n: np.exp(0.5 * rng.standard_normal(n) - 0.125), 1.0, 8.9, 512),
    ],
)
def test_means_are_left_out_no_more_often_than_the_level_says(draw, mean, kurtosis, n):
    """400 studies at 10 %: P(Bin(400, 0.1) >= 74) = 1.6e-7. Student's is left out on one side more often than on the other."""
    rng = np.random.default_rng(8)
    studies = [Estimate(draw(rng, n), kurtosis=kurtosis) for _ in range(400)]
    ends = np.array(intervals_of(studies, 0.9)[0])
    assert np.sum((ends[:, 0] > mean) | (ends[:, 1] < mean)) < 74
    # one-sided at 5 %: P(Bin(400, 0.05) >= 45) = 3e-7
    assert max(np.sum(ends[:, 0] > mean), np.sum(ends[:, 1] < mean)) < 45


def test_together_is_the_same_bits_as_one_by_one():
    rng = np.random.default_rng(9)
    kinds = [(3.0, 300), (15.0, 300), (15.0, 500), (9.0, 20_000)]

    def made():
        return [Estimate(x, kurtosis=k) for (k, _), x in zip(kinds, drawn, strict=True)]

    drawn = [rng.standard_normal(n) for _, n in kinds]
    together = intervals_of(made(), 0.9, 0.999)
    for place, level in enumerate((0.9, 0.999)):
        assert together[place] == [e.interval(level) for e in made()]
        assert together[place] == [
            pytest.approx(tail_interval(x, kurtosis=k, level=level), rel=1e-12)
            for (k, _), x in zip(kinds, drawn, strict=True)
        ]


def test_p_values_invert_the_interval():
    x = np.random.default_rng(10).exponential(size=2000)
    for value in (0.9, 0.95, 1.1):
        p = ps_outside([(Estimate(x, kurtosis=9), value, value)])[0]
        low, high = Estimate(x, kurtosis=9).interval(1 - p)
        assert not low < value < high
        # the next of the levels on which p is searched, a tenth of a decade further
        low, high = Estimate(x, kurtosis=9).interval(1 - 0.78 * p)
        assert low < value < high
        # 10 % wider than Student's at most, on average; either end may be 10 % nearer: values are skewed
        usual = stats.ttest_1samp(x, value).pvalue
        assert usual ** (1.1**2) / 10 < p < 10 * usual ** (1 / 1.2**2)


def test_more_replicas_are_needed_for_rarer_spreads_and_higher_levels():
    assert replicas_for(3, 0.95) < replicas_for(15, 0.95) < replicas_for(15, 1 - 1e-6) < replicas_for(200, 1 - 1e-6)
    # the variance alone takes K log(1/alpha) values, alpha a tenth of the tail
    assert replicas_for(200, 1 - 1e-6) > 200 * math.log(10 / 5e-7)


# What is refused


def test_without_a_declaration_the_interval_is_students_and_says_so():
    x = np.random.default_rng(11).standard_normal(1000)
    half = float(stats.t.ppf(0.975, 999)) * float(np.std(x, ddof=1)) / math.sqrt(1000)
    assert Estimate(x).interval(0.95) == pytest.approx((x.mean() - half, x.mean() + half))
    assert "trusts the central limit theorem" in Estimate(x).assumption and Estimate(x).unknown() == ""


def test_equal_values_are_exact_only_if_they_are_declared_deterministic():
    zeros = np.zeros(512)
    for found in (Estimate(zeros, kurtosis=3), Estimate(zeros + 1 / 3, kurtosis=3)):
        assert found.interval(0.5) == (-math.inf, math.inf)
        assert "all 512 values are equal" in found.unknown()
        assert ps_outside([(found, 0.5, 0.5)]) == [1.0]
    exact = Estimate(np.array([1.0, 1 + 2.0**-52, 1.0]), deterministic=True)
    assert exact.interval(1 - 1e-6) == (1.0, 1 + 2.0**-52)
    assert "declared to give the same number" in exact.assumption and exact.unknown() == ""
    assert ps_outside([(exact, 1.0, 1.0), (exact, 2.0, 2.0), (exact, 0.5, 0.9)]) == pytest.approx([1.0, 2e-12, 2e-12])
    assert one_sided_ps([(exact, 0.9, "above"), (exact, 0.9, "below")]) == pytest.approx([1e-12, 1.0])


def test_values_that_contradict_the_declared_kurtosis_have_no_interval():
    x = np.ones(4096) * 0.5 + 0.01 * np.random.default_rng(12).standard_normal(4096)
    x[7] = 5000
    found = Estimate(x, kurtosis=100)
    assert found.interval() == (-math.inf, math.inf)
    # one value that carries all has the kurtosis n
    assert sample_kurtosis(x) == pytest.approx(4096, rel=1e-3)
    assert largest_share(x) == pytest.approx(1, rel=1e-3)
    assert "declared to be at most 100" in found.unknown() and "carries 1e+02 %" in found.unknown()


def test_few_values_have_no_interval_and_say_how_many_it_takes():
    x = np.random.default_rng(13).exponential(size=64)
    found = Estimate(x, kurtosis=9)
    assert found.interval(1 - 1e-6) == (-math.inf, math.inf)
    assert "64 replicas are too few for a kurtosis of 9" in found.unknown(1 - 1e-6)
    assert Estimate(x[:1], kurtosis=9).unknown() == "one replica says nothing of the spread"
    enough = Estimate(np.random.default_rng(13).exponential(size=replicas_for(9, 0.99)), kurtosis=9)
    assert all(map(math.isfinite, enough.interval(0.99))) and enough.unknown(0.99) == ""
    assert "a kurtosis declared to be at most 9; nothing else is assumed" in enough.assumption


@pytest.mark.parametrize("kurtosis", [0.5, 0, -1, math.inf, math.nan])
def test_a_bad_kurtosis_is_refused(kurtosis):
    with pytest.raises(ValueError, match="kurtosis must be a number >= 1"):
        Estimate(np.array([1.0, 2.0]), kurtosis=kurtosis)


# One bound


def test_the_lower_end_of_nonnegative_values_needs_nothing_else():
    """Pareto 1.2 has no variance. 400 studies, either end at 2.5 %: P(Bin(400, 0.025) >= 28) = 2e-6."""
    rows = np.random.default_rng(14).random((400, 256)) ** (-1 / 1.2)
    ends = lower_ends(rows, math.log(0.025), unbounded=True)
    assert np.all((ends > 0) & (ends < rows.mean(axis=1)))
    assert np.sum(ends > 6) < 28
    x = rows[0]
    assert Estimate(x, (0, math.inf)).interval(0.95) == (pytest.approx(ends[0]), math.inf)
    low, high = mean_interval(-x, bounds=(-math.inf, 0), level=0.95)
    assert low == -math.inf and high == pytest.approx(-Estimate(x, (0, math.inf)).interval(0.95)[0])


def test_a_kurtosis_gives_the_end_that_a_bound_leaves_open():
    x = np.random.default_rng(15).exponential(size=2000)
    both = Estimate(x, (0, math.inf), kurtosis=9).interval(0.99)
    assert both[0] == Estimate(x, (0, math.inf)).interval(0.99)[0]
    assert both[1] == pytest.approx(Estimate(x, kurtosis=9).interval(0.99)[1])
    assert "bounds 0 to inf" in Estimate(x, (0, math.inf), kurtosis=9).assumption
    assert one_sided_ps([(Estimate(x, (0, math.inf)), 0.8, "above")])[0] < 1e-6
    assert one_sided_ps([(Estimate(x, (0, math.inf)), 9.0, "below")])[0] == 1
    assert json.loads(json.dumps(Estimate(x, (0, math.inf)).to_json(), allow_nan=False))["bounds"] == [0, None]


# Looking before the end


def test_looks_pay_for_each_other():
    rng = np.random.default_rng(16)
    found = Estimate.until(
        (rng.exponential(size=64) for _ in itertools.count()), rel_error=0.1, replicas=20_000, kurtosis=9.0
    )
    low, high = found.interval()
    assert (high - low) / 2 <= 0.1 * found.mean and found.replicas < 20_000
    plain = tail_interval(found.values, kurtosis=9, level=0.95)
    assert low < plain[0] < plain[1] < high
    anytime = Estimate(found.values, sequential=True, kurtosis=9).interval()
    assert anytime[0] < low < high < anytime[1]
    assert "give a budget" in Estimate(found.values, sequential=True, kurtosis=9).unknown(1 - 1e-9)


# The calibration


def test_the_laws_of_the_calibration_have_the_moments_they_declare():
    """Means within 6.5 standard errors where the kurtosis is below 1000; kurtoses by a sample or by the exact moments."""
    rng = np.random.default_rng(17)
    laws = {cell.law.name: cell.law for cell in unbounded.tail_cells()}
    for law in laws.values():
        if law.kurtosis > 1000:
            continue
        x = law.draw(rng, (1, 400_000))[0]
        assert abs(x.mean() - law.mean) < 6.5 * x.std() / math.sqrt(x.size), law.name
        if law.kurtosis < 20:
            assert sample_kurtosis(x) == pytest.approx(law.kurtosis, rel=0.35), law.name
    # a spike of 1/p: Bernoulli's kurtosis, (1 - 3 p (1 - p))/(p (1 - p))
    p = 0.01
    assert laws["spikes, 0.01"].kurtosis == pytest.approx((1 - 3 * p * (1 - p)) / (p * (1 - p)))
    assert laws["lognormal 1"].kurtosis == pytest.approx(float(stats.lognorm(1).stats("k")) + 3)
    # moments of normal values are 1, 3, 15, 105, 945, 10395, 135135, 2027025
    assert laws["z^3"].kurtosis == pytest.approx(10395 / 15**2)
    assert laws["z^4"].kurtosis == pytest.approx((2027025 - 12 * 10395 + 54 * 105 - 243) / 96**2)
    assert laws["(z z')^2"].kurtosis == pytest.approx((105**2 - 4 * 15**2 + 6 * 9 - 3) / 8**2)


def test_tilted_samples_have_the_weights_of_the_law():
    """The weights' mean is 1, for a tilt of one standard error.

    A weight's variance is about e - 1; 4000 rows: standard error 0.02, six of them 0.13.
    """
    rng = np.random.default_rng(18)
    laws = {cell.law.name: cell.law for cell in unbounded.tail_cells() if cell.law.kurtosis < 1000}
    for law in laws.values():
        if law.tilted is not None:
            _, logs = law.tilted(rng, (4000, 200), 1.0)
            assert np.exp(logs).mean() == pytest.approx(1, abs=0.13), law.name


def test_a_sample_of_the_calibration(monkeypatch):
    """Three cells: two are seldom left out; 512 replicas are too few for the kurtosis of spikes of probability 1e-4."""
    names = ("z^2", "exponential", "bulk and spikes, 0.0001")
    chosen = [next(c for c in unbounded.tail_cells() if (c.law.name, c.replicas) == (name, 512)) for name in names]
    monkeypatch.setattr(unbounded, "tail_cells", lambda: tuple(chosen))
    rows = unbounded.tails_table(studies=10, seed=1)
    # 200 studies: P(Bin(200, 1e-3) >= 6) = 7e-8, P(Bin(200, 0.01) >= 14) = 8e-8 on either side
    assert [row.studies for row in rows] == [200] * 3
    assert all(row.at_1e3 < 6 / 200 and row.wrong < 14 / 200 for row in rows)
    assert (rows[2].refused, rows[2].missed) == (1.0, "")
    assert all(row.width < 3 for row in rows[:2])
    assert "worst cell" in means_text(rows)
