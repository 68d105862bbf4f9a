"""Intervals of means: exact coverage by enumeration, naive oracles, closed forms."""

import itertools
import math
import time

import numpy as np
import pytest
from scipy import integrate, stats

from asymp.montecarlo import intervals
from asymp.montecarlo.intervals import (
    anytime_interval,
    betting_interval,
    clopper_pearson,
    floor_width,
    mean_interval,
    student_interval,
)


@pytest.mark.parametrize("level", [0.5, 0.95, 1 - 1.5e-5, 1 - 1e-7])
@pytest.mark.parametrize(("k", "n"), [(0, 1), (0, 1000), (1, 1000), (7, 20), (20, 20), (499, 1000)])
def test_clopper_pearson_leaves_equal_binomial_tails(k, n, level):
    low, high = clopper_pearson(k, n, level=level)
    tail = (1 - level) / 2
    # The defining equations, by sums of binomial terms; the roots are good to 1e-9 relative in the tail.
    if k > 0:
        assert math.fsum(stats.binom.pmf(np.arange(k, n + 1), n, low)) == pytest.approx(tail, rel=1e-6)
    else:
        assert low == 0
    if k < n:
        assert math.fsum(stats.binom.pmf(np.arange(k + 1), n, high)) == pytest.approx(tail, rel=1e-6)
    else:
        assert high == 1


def test_zero_errors_give_an_upper_bound():
    low, high = mean_interval(np.zeros(1000), bounds=(0, 1), level=0.95)
    assert low == 0
    assert high == pytest.approx(1 - 0.025 ** (1 / 1000), rel=1e-9)  # (1 - p)^n = 0.025


SUPPORT = (0.0, 0.3, 1.0)
LAWS = [(0.6, 0.3, 0.1), (0.05, 0.9, 0.05), (0.9, 0.09, 0.01), (0.01, 0.04, 0.95), (1 / 3, 1 / 3, 1 / 3)]


@pytest.mark.parametrize("level", [0.6, 0.9])
@pytest.mark.parametrize(
    "function", [betting_interval, lambda x, *, level: anytime_interval(x, bounds=(0, 1), level=level)]
)
def test_coverage_is_exact_for_every_sample_of_five(function, level):
    """All 3^5 samples of a law on three points, each with its probability: coverage without Monte Carlo error."""
    samples = list(itertools.product(range(3), repeat=5))
    ends = [function(np.array([SUPPORT[i] for i in s]), level=level) for s in samples]
    for law in LAWS:
        mean = math.fsum(p * x for p, x in zip(law, SUPPORT, strict=True))
        covered = math.fsum(
            math.prod(law[i] for i in s) for s, (low, high) in zip(samples, ends, strict=True) if low <= mean <= high
        )
        assert covered >= level - 1e-12


def naive_capital(x, m, alpha, level_cap=intervals.CAP, prior=intervals.PRIOR):
    """The gambler value by value, in plain Python; stakes revised at every value. True if the goal is reached."""
    n, capital, seen = len(x), alpha, []
    for i, value in enumerate(x):
        spread = (sum((s - m) ** 2 for s in seen) + prior * m * (1 - m)) / (len(seen) + prior)
        z = stats.norm.ppf(capital)
        stake = min(stats.norm.pdf(z) / capital / math.sqrt(spread * (n - i)), level_cap / m)
        capital *= 1 + stake * (value - m)
        if capital >= 1:
            return True
        seen.append(value)
    return False


@pytest.mark.parametrize("alpha", [0.025, 7.5e-6])
def test_the_bets_are_those_of_the_naive_gambler(alpha, monkeypatch):
    monkeypatch.setattr(intervals, "BATCHES", 10_000)  # then every value is a batch of its own
    rng = np.random.default_rng(5)
    for x in (rng.random(25), rng.beta(0.5, 20, 25), (rng.random(25) < 0.3) * 0.9):
        means = x.mean() * np.linspace(0.02, 0.999, 40)
        fast = intervals._rejected(x[None], means[None], math.log(alpha))[0]
        assert list(fast) == [naive_capital(list(x), m, alpha) for m in means]


def test_nothing_below_the_lower_end_was_kept():
    """The hull is found by zooming; here every mean of a dense grid is tried."""
    rng = np.random.default_rng(6)
    for x in (rng.beta(0.5, 20, 200), rng.random(200), np.where(rng.random(200) < 0.02, 1, 0.01 * rng.random(200))):
        low, high = betting_interval(x)
        for row, end in ((x, low), (1 - x, 1 - high)):
            means = np.linspace(1e-6, end * (1 - 1e-9), 300)
            assert intervals._rejected(row[None], means[None], math.log(0.025)).all()


def test_width_is_near_the_normal_one_when_the_law_is_well_sampled():
    # Width over 2 z sd/sqrt(n), fixed seeds. The hedge with 128 revisions loses 1-5 %; the log(1/alpha)/n price of
    # boundedness is 3.7/3000 against a width of 0.0207 (uniform): nothing. 1.1 leaves the samples' own spread (1 %).
    rng = np.random.default_rng(7)
    for level in (0.95, 1 - 1.5e-5):
        z = stats.norm.isf((1 - level) / 2)
        for draw in (rng.random, lambda n: rng.beta(2, 5, n)):
            widths = []
            for _ in range(8):
                x = draw(3000)
                low, high = betting_interval(x, level=level)
                widths.append((high - low) / (2 * z * x.std() / math.sqrt(3000)))
            assert 0.95 < np.mean(widths) < 1.1


@pytest.mark.parametrize("n", [1, 2, 50, 3000])
@pytest.mark.parametrize("level", [0.95, 1 - 1e-5])
def test_floor_is_the_integral_it_claims_to_be(n, level):
    alpha = 1 - level
    end = 1 - alpha ** (1 / n)
    value, _ = integrate.quad(lambda e: 1 - alpha * (1 - e) ** -n, 0, end, epsabs=0, epsrel=1e-10)
    assert floor_width(n, level=level) == pytest.approx(value, rel=1e-6)  # alpha^(1/n) near 1 costs four digits


def test_no_valid_interval_is_narrower_than_the_floor():
    """Values without spread: the betting interval pays the floor, and not much more than log(2/alpha)/n over it."""
    for n in (30, 300):
        for level in (0.95, 1 - 1.5e-5):
            low, high = betting_interval(np.full(n, 0.3), level=level)
            assert low < 0.3 < high
            # Each end at alpha/2 with all but a tenth of the capital at stake: (1 - 0.9 d/m)^... ~ log(2/alpha)/(0.9 n),
            # and some more while the stakes are small at the start.
            assert floor_width(n, level=level) < high - low < 1.6 * math.log(2 / (1 - level)) / n


def test_intervals_are_nested_in_the_level_and_shift_with_the_bounds():
    x = np.random.default_rng(8).beta(0.5, 3, 150)
    inner = mean_interval(x, bounds=(0, 1), level=0.8)
    outer = mean_interval(x, bounds=(0, 1), level=1 - 1e-7)
    assert outer[0] < inner[0] < x.mean() < inner[1] < outer[1]
    shifted = mean_interval(10 * x - 4, bounds=(-4, 6), level=0.8)
    # Same stakes on the same values up to rounding: 1e-15 relative, times a few hundred operations.
    assert shifted == pytest.approx(tuple(10 * e - 4 for e in inner), abs=1e-9)


def test_student_agrees_with_scipy():
    x = np.random.default_rng(9).standard_normal(12)
    expected = stats.t.interval(0.99, 11, loc=x.mean(), scale=stats.sem(x))
    assert student_interval(x, level=0.99) == pytest.approx(expected, rel=1e-9)
    assert student_interval(x[:1]) == (-math.inf, math.inf)


def test_anytime_interval_survives_a_hostile_stop():
    """The interval is asked at many moments and stopped at the first miss: at most 5 % of the runs may have one.

    80 runs: P(Bin(80, 0.05) >= 18) = 7e-8.
    """
    rng = np.random.default_rng(10)
    missed = 0
    for study in range(80):
        binary = study % 2 == 0
        x = (rng.random(400) < 0.1).astype(float) if binary else rng.beta(0.5, 20, 400)
        mean = 0.1 if binary else 0.5 / 20.5
        ends = (anytime_interval(x[:n], bounds=(0, 1)) for n in (10, 20, 40, 80, 150, 250, 400))
        missed += any(not low <= mean <= high for low, high in ends)
    assert missed < 18


def test_anytime_interval_of_zeros_starts_at_zero():
    assert anytime_interval(np.zeros(100), bounds=(0, 1))[0] == 0


def test_ten_thousand_values_take_milliseconds():
    x = np.random.default_rng(12).beta(0.5, 20, 10_000)
    taken = []
    for _ in range(5):
        start = time.process_time()
        betting_interval(x)
        taken.append(time.process_time() - start)
    assert min(taken) < 0.1  # 15-20 ms measured; five times that for a slow machine


@pytest.mark.parametrize("level", [0, 1, -1, 2, math.nan])
def test_a_bad_level_is_refused(level):
    with pytest.raises(ValueError, match="level must lie"):
        mean_interval(np.array([0.5]), bounds=(0, 1), level=level)


def test_bad_counts_are_refused():
    with pytest.raises(ValueError, match="successes must lie"):
        clopper_pearson(3, 2)
