"""Capacities: the parts against naive oracles, the whole on curves whose capacity is known."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import special, stats

from asymp.montecarlo.calibrate import capacity as calibrate_capacity
from asymp.montecarlo.calibrate.capacity import capacity_cases, capacity_table, capacity_text
from asymp.montecarlo.capacity.find import capacity_of, find_capacity
from asymp.montecarlo.capacity.points import CapacityPoint, Dispersion, monotone_limits, tails


def curve_recall(curve):
    def recall(N, replicas, seed):
        return 1 - np.random.default_rng(seed).binomial(N, 1 - curve(N), replicas) / N

    return recall


def probit(N0):
    return lambda N: float(special.ndtr(special.ndtri(0.99) * math.sqrt(N0 / N)))


def test_dispersion_of_binomial_and_of_correlated_inputs():
    rng = np.random.default_rng(0)
    sizes = (100, 150, 220, 330)
    binomial = [CapacityPoint(N, 1 - rng.binomial(N, 0.01, 4000) / N, "grid") for N in sizes]
    found = Dispersion.pooled(binomial)
    # N D = 1 for independent inputs. s^2 has relative error ~ sqrt((2 + 1/(N e))/4000) = 0.03 at most; six of these.
    for N in sizes:
        assert found(N) * N == pytest.approx(1, rel=0.18)
    rho = 0.05
    p = rng.beta(0.01 * (1 / rho - 1), 0.99 * (1 / rho - 1), (4, 20_000))
    together = [CapacityPoint(N, 1 - rng.binomial(N, q) / N, "grid") for N, q in zip(sizes, p, strict=True)]
    found = Dispersion.pooled(together)
    # D = rho + (1 - rho)/N. Kurtosis of such recall is some 60: s^2 good to sqrt(60/20000) = 0.055 at one size, and the
    # four are pooled; a power of N stands in for rho + 1/N within 1 %. Six times 0.055/2 is 0.17.
    for N in sizes:
        assert found(N) == pytest.approx(rho + (1 - rho) / N, rel=0.17)
    assert Dispersion.pooled([CapacityPoint(50, np.ones(10), "grid")])(50) == pytest.approx(1 / 50)


def test_tails_are_binomial_ones_at_the_effective_counts():
    # 40 replicas of 50 independent inputs, 26 errors in all: D = 1/50 makes it 2000 inputs.
    values = np.ones(40)
    values[:26] -= 1 / 50
    point = CapacityPoint(50, values, "grid")
    fails, holds = tails([point], Dispersion(1.0, 1.0), 0.01, False)
    assert fails == pytest.approx(stats.binom.sf(25, 2000, 0.01), rel=1e-6)
    assert holds == pytest.approx(stats.binom.cdf(26, 2000, 0.01), rel=1e-6)
    # The same point thrice is 6000 inputs if independent, and still 2000 if the replicas are shared.
    fails, _ = tails([point] * 3, Dispersion(1.0, 1.0), 0.01, False)
    assert fails == pytest.approx(stats.binom.sf(77, 6000, 0.01), rel=1e-6)
    fails, holds = tails([point] * 3, Dispersion(1.0, 1.0), 0.01, True)
    assert fails == pytest.approx(stats.binom.sf(25, 2000, 0.01), rel=1e-6)
    assert tails([CapacityPoint(5, np.ones(9), "grid")], Dispersion(1.0, 1.0), 0.01, False)[0] == 1
    assert tails([CapacityPoint(5, np.zeros(9), "grid")], Dispersion(1.0, 1.0), 0.01, False)[1] == 1


def test_monotone_limits_go_by_single_sizes_on_consecutive_integers():
    rng = np.random.default_rng(1)
    points = [CapacityPoint(N, 1 - rng.binomial(N, 0.0 if N <= 12 else 0.4, 400) / N, "grid") for N in range(8, 18)]
    assert monotone_limits(points, e0=0.01, level=0.95, paired=False) == (12, 13)
    assert monotone_limits(points[:5], e0=0.01, level=0.95, paired=False) == (12, None)
    assert monotone_limits(points[5:], e0=0.01, level=0.95, paired=False) == (None, 13)
    outer = replace(points[2], stage="outer")
    assert monotone_limits([outer, *points[5:]], e0=0.01, level=0.95, paired=False) == (10, 13)


def test_a_size_at_which_everything_fails_does_not_need_its_neighbours_to():
    # recall falls from 1 over 1/2 to 0: the three sizes that are pooled have a mean error of just 1/2, and are not shown to fail
    half = np.tile([0.0, 1.0], 32)
    values = {144: np.ones(64), 216: np.ones(64), 324: np.ones(64), 486: half, 729: np.zeros(64)}
    points = [CapacityPoint(N, found, "grid") for N, found in values.items()]
    assert monotone_limits(points, e0=0.5, level=0.999, paired=False) == (324, 729)


def test_monotone_limits_claim_no_more_than_their_level():
    """Recall just at the threshold everywhere: a claim that the lowest size holds, or the highest fails, is an error.

    At level 0.5 either has probability 0.25 at most: P(Bin(1000, 0.25) >= 323) = 1e-7. Fewer than 150 of 1000 would mean
    tests far weaker than they should be (binomial tails at 640 expected errors lose 1 % to discreteness).
    """
    rng = np.random.default_rng(2)
    sizes = (90, 95, 100, 105, 110)
    claims = np.zeros(2)
    for _ in range(1000):
        points = [CapacityPoint(N, 1 - rng.binomial(N, 0.01, 640) / N, "grid") for N in sizes]
        claims += [limit is not None for limit in monotone_limits(points, e0=0.01, level=0.5, paired=False)]
    assert claims.max() < 323
    assert claims.min() > 150


def test_a_step_is_found_exactly():
    # 64 replicas of 237 inputs or more: 150 errors expected at 0.99, none or 7500 seen. No chance of being wrong.
    fit = find_capacity(curve_recall(lambda N: 1.0 if N <= 237 else 0.5), stop=10_000)
    assert fit.capacity == 237
    assert fit.interval() == (237, 237)
    assert fit.status == "ok"
    fit = find_capacity(curve_recall(lambda N: 1.0 if N <= 1 else 0.5), start=1, stop=50)
    assert fit.interval() == (1, 1)


def test_recall_without_noise_is_bracketed():
    fit = find_capacity(lambda N, replicas, seed: np.full(replicas, 1 - 0.01 * N / 1000))
    low, high = fit.interval()
    assert low <= 1000 <= high
    # 64 replicas of 1000 inputs would have 640 errors: standard error 4 %, so some +- 12 % without assumptions.
    assert high / low < 1.3


def test_plateaus_are_unbounded_and_small_capacities_are_below():
    fit = find_capacity(curve_recall(lambda N: 0.995), stop=5000)
    # 64 replicas of 5000 inputs: 3200 errors allowed, 1600 expected: a misjudgement has probability below 1e-100.
    assert fit.status == "unbounded"
    assert fit.capacity == math.inf
    assert fit.interval() == (5000, math.inf)
    fit = find_capacity(curve_recall(lambda N: 0.9), start=20)
    assert fit.status == "below"
    assert fit.capacity == 0
    assert fit.interval()[0] == 0
    assert fit.interval()[1] < 20
    assert "status below" in str(fit)


def test_the_answer_depends_on_the_seed_alone_and_intervals_are_nested():
    recall = curve_recall(probit(300.5))
    fit, again = find_capacity(recall, seed=4), find_capacity(recall, seed=4)
    assert fit.interval() == again.interval()
    assert fit.capacity == again.capacity
    other = find_capacity(recall, seed=5)
    assert [p.recall for p in other.evaluated] != [p.recall for p in fit.evaluated]
    wide, narrow = fit.interval(0.999), fit.interval(0.5)
    assert wide[0] <= narrow[0] <= narrow[1] <= wide[1]
    assert fit.range == (8, 1_000_000)
    assert fit.effective_errors >= 30
    assert {p.stage for p in fit.evaluated} >= {"search", "grid"}


def test_overdispersed_recall_gets_more_replicas():
    def recall(N, replicas, seed):
        return np.where(np.random.default_rng(seed).random(replicas) < min(1, 0.02 * (N / 200) ** 3), 0.5, 1.0)

    fit = find_capacity(recall, replicas=16)
    grid = [p for p in fit.evaluated if p.stage == "grid"]
    # A replica that fails loses half: D ~ 1/2, so 30 effective errors take 30 * 0.5/0.01 = 1500 replicas; D is estimated
    # from hundreds of failures, so within 20 %.
    assert min(p.replicas for p in grid) > 1200
    assert find_capacity(recall, replicas=16, max_replicas=100).effective_errors < 30


def test_shared_replicas_get_one_seed_and_others_do_not():
    for paired in (True, False):
        seeds = {}

        def recall(N, replicas, seed, seeds=seeds):
            seeds.setdefault(N, []).append(seed)
            return curve_recall(probit(100.5))(N, replicas, seed)

        find_capacity(recall, paired=paired)
        first = {calls[0] for calls in seeds.values()}
        assert len(first) == (1 if paired else len(seeds))


def test_counts_are_accepted_in_place_of_fractions():
    def counts(N, replicas, seed):
        errors = np.random.default_rng(seed).binomial(N, 1 - probit(300.5)(N), replicas)
        return N - errors, np.full(replicas, N)

    assert find_capacity(counts).interval() == find_capacity(curve_recall(probit(300.5))).interval()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"start": 0}, "start and stop"),
        ({"start": 10, "stop": 10}, "start and stop"),
        ({"start": 8.5}, "start must be an integer"),
        ({"threshold": 1.0}, "threshold"),
        ({"threshold": math.nan}, "threshold"),
        ({"replicas": 1}, "replicas"),
        ({"method": "probit"}, "method"),
        ({"level": 1.0}, "level"),
    ],
)
def test_bad_arguments_are_refused_before_any_work(options, message):
    def never(N, replicas, seed):
        raise AssertionError

    with pytest.raises(ValueError, match=message):
        find_capacity(never, **options)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda n: np.full(n, 1.2), "fractions in"),
        (lambda n: np.full(n, math.nan), "fractions in"),
        (lambda n: np.ones(n + 1), "one fraction a replica"),
        (lambda n: (np.ones(n), np.zeros(n)), "at least one trial"),
    ],
)
def test_bad_answers_of_recall_are_refused(answer, message):
    with pytest.raises(ValueError, match=message):
        find_capacity(lambda N, replicas, seed: answer(replicas))


def test_the_samplers_of_the_calibration_have_the_curves_they_declare():
    for case in capacity_cases():
        N = 300
        values = case.recall(N, 4000, 1)
        # 6.5 standard errors; the least benign sampler has 80 collapsed replicas of 4000: still beyond 1e-7. Errors
        # too rare to be seen among 1.2e6 inputs stay below 17/1.2e6 (Poisson, e^-17 = 4e-8).
        slack = 6.5 * values.std() / math.sqrt(4000) + 1.5e-5
        assert abs(values.mean() - case.curve(N)) <= slack, case.name


@pytest.mark.slow
def test_calibration_sample():
    """Ten studies a case by both routes, each covering .93 at least: P(Bin(420, 0.07) >= 62) < 1e-7, for either method.

    Full table: `capacity_table(600)`.
    """
    rows = capacity_table(studies=10, seed=1)
    assert len(rows) == 42
    assert sum(round((1 - row.coverage) * 10) for row in rows) < 62
    assert sum(round((1 - row.monotone_coverage) * 10) for row in rows) < 62
    known = {(row.name, row.route): row for row in rows}
    for route in ("search", "fixed sizes"):
        # Plateaus at 0.995 and 0.992 over 1e5 inputs: recall there is known to 1e-5, so no chance of another answer.
        assert known["plateau at 0.995", route].right == known["plateau at 0.992", route].right == 1
        assert known["below the range", route].right == 1
    assert "worst case" in capacity_text(rows)


def test_shared_replicas_taken_for_independent_ones_lose_coverage():
    """The negative control: recall that ignores its seed, undeclared, misses the truth; declared, it does not."""
    case = next(c for c in capacity_cases() if c.paired)
    strong = calibrate_capacity._shared_replicas(3.0, 300.5, 1.5, True)
    curve = calibrate_capacity._random_effect(3.0, 300.5, 1.5)
    truth = replace(case, curve=curve).truth
    missed = {True: 0, False: 0}
    for study in range(24):
        for paired in missed:
            fit = find_capacity(lambda N, n, seed, study=study: strong(N, n, study), paired=paired)
            low, high = fit.interval()
            missed[paired] += not low <= truth <= high
    # Declared: P(Bin(24, 0.07) >= 12) = 4e-8.
    assert missed[True] < 12
    assert missed[False] > missed[True]


def test_a_curve_that_falls_from_one_to_zero_over_the_grid_is_followed_and_covered():
    # "all items right", exp(-m(N)): with 512 replicas no parabola follows its logit, nor do two lines. The crossing is known.
    rng, crossing, runs = np.random.default_rng(11), 1060.0, 120
    sizes = [720, 810, 910, 1030, 1160, 1300, 1470, 1660]
    right = np.exp(-np.log(2) * (np.array(sizes) / crossing) ** 5)
    found = [
        capacity_of(sizes, [(rng.random(512) < q).astype(float) for q in right], threshold=0.5, level=0.9)
        for _ in range(runs)
    ]
    assert sum(fit.degree == 3 for fit in found) > runs / 2, "the parabola was not contradicted, so this shows nothing"
    assert sum(fit.method == "logit" for fit in found) >= 0.8 * runs
    missed = sum(not fit.interval()[0] <= crossing <= fit.interval()[1] + 1 for fit in found)
    assert missed <= stats.binom.ppf(1 - 1e-6, runs, 0.1)
    # wider levels keep the form that was chosen, so that their intervals hold the narrower ones
    for fit in found[:20]:
        ends = [fit.interval(level) for level in (0.5, 0.9, 0.99)]
        assert all(a[0] >= b[0] and a[1] <= b[1] for a, b in itertools.pairwise(ends))
