"""Intervals for the mean of unbounded values, from a declared bound on their kurtosis and on nothing else.

No interval holds for every law of unbounded values: a value of 1/p that comes with probability p adds 1 to the mean and is
missing from n values with probability (1 - p)^n. Something must be declared, and here it is the kurtosis: with the mean mu
and the variance sigma^2, E(x - mu)^4 <= K sigma^4. Normal values have 3, exponential ones 9, squares of normal ones 15, a
spike of probability p about 1/p, a polynomial of degree q in normal values at most 9^q. Whoever declares K says that what
carries the spread is no rarer than about 1/K. The interval then holds at every number of values, for every such law.

Its test of a mean m, at level alpha, has two steps.

- The variance. (x - m)^2 is a nonnegative variable with mean v and second moment at most K v^2. Among these the Laplace
  transform is largest for the one that is K v with probability 1/K and else 0, so (Chernoff) the mean of (x - m)^2 over n
  values is below q K v with probability at most exp(-n D), D the relative entropy of q against 1/K. A tenth of alpha is
  spent on this: sigma^2 <= r^2 times the mean of (x - m)^2. With fewer than K log(10/alpha) values r is infinite.
- The mean. A gambler bets on x > m, and a value multiplies the capital by (1 + y + a y^4)/(1 + a s^4 E(x - m)^4), where
  y = s (x - m) and s is a stake fixed beforehand. The numerator is positive for every y, and the expectation is 1 if the
  mean is m; so the capital ever reaches 1/alpha with probability at most alpha (Ville). E(x - m)^4 is replaced by
  K (r sigma)^4. That can only lower the capital: stakes depend on values seen before, never on r sigma.

Stakes are those of the betting interval in `intervals` (an investor with a deadline), so that the width is near Student's
where n is some hundred times K; where it is some ten times K the fourth moments that could be missing cost their price, and
below that there is no interval. More than 8191 values are averaged in groups of equal size first: independent again, with
the kurtosis 3 + (K - 3)/g.
"""

import math
from functools import lru_cache
from itertools import pairwise

import numpy as np
from scipy import special

from asymp.montecarlo.intervals import BATCHES, POINTS, TINY, Settled, search_ends

LONGEST = 4096  # from twice as many on, values are averaged in groups; the width loses less than 1 %
FOR_VARIANCE = 0.1  # the share of alpha that is spent on the variance
LEAST = 0.1  # the least factor 1 + y + a y^4
FOURTH = 27 / 256 / (1 - LEAST) ** 3  # a: the minimum of 1 + y + a y^4 over y is then LEAST
LARGEST_STAKE = 1.5  # times the one that is best for a fixed stake: towards the deadline stakes grow
UNSEEN = 6.0  # stakes allow for the spread that the first values do not show: 1 + UNSEEN K/(values seen)
LEARNT = 1 / 32  # the share of the values that only teach the spread: a stake from too small a spread would cost all
# What E(x - m)^4 costs is known at the end only, so the gambler aims beyond the goal, and further when that is reached.
BEYOND, FURTHER = 0.1, 0.5  # in logarithms of the capital
FAR = (1e4, 100.0, 20.0, 5.0, 2.0)  # means tried at first, so many standard deviations away
CONTRADICTED = 2.0  # a sample with so many times the declared kurtosis speaks against the declaration
MOST_REPLICAS = 10**12  # nobody has more, and at low levels twice the width of Student's is never reached


def sample_kurtosis(values: np.ndarray) -> float:
    """The kurtosis of the values themselves; NaN for values without a spread."""
    away = values - np.mean(values)
    largest = float(np.max(np.abs(away), initial=0.0))
    if largest == 0:
        return math.nan
    squares = (away / largest) ** 2
    return float(np.mean(squares**2) / np.mean(squares) ** 2)


def largest_share(values: np.ndarray) -> float:
    """The share of the sum of squared deviations that one value carries; NaN for values without a spread."""
    away = np.abs(values - np.mean(values))
    largest = float(np.max(away, initial=0.0))
    return math.nan if largest == 0 else float(1 / np.sum((away / largest) ** 2))


@lru_cache(maxsize=4096)
def variance_factor(n: int, kurtosis: float, log_alpha: float) -> float:
    """r^2: the variance is at most r^2 times the mean of n values of (x - mu)^2, but for a probability alpha."""
    if kurtosis <= 1:
        return 1.0  # (x - mu)^2 is a constant
    p, per_value = 1 / kurtosis, -log_alpha / n
    if per_value >= -math.log1p(-p):
        return math.inf
    low, high = 0.0, 1.0  # of q K
    while high - low > 1e-9 * high and high > 1e-12:
        share = (low + high) / 2
        q = p * share
        entropy = q * math.log(share) + (1 - q) * (math.log1p(-q) - math.log1p(-p))
        low, high = (share, high) if entropy > per_value else (low, share)
    return 1 / low if low > 0 else math.inf


@lru_cache(maxsize=4096)
def _fixed_stake(n: int, fourth: float, log_alpha: float) -> float:
    """The stake, over one standard deviation, at which a fixed one rejects the nearest mean: see `_distance`."""
    # s^2/2 + 3 a M s^4 = L/n, a quadratic equation in s^2
    rest = -log_alpha / n
    return math.sqrt(2 * rest / (0.5 + math.sqrt(0.25 + 12 * FOURTH * fourth * rest)))


def _distance(n: int, kurtosis: float, log_alpha: float) -> float:
    """About how many standard deviations off a mean must be to be rejected by a fixed stake: the best of them.

    The logarithm of the capital after n values is n (s d - s^2/2 - a s^4 M) for a mean that is d off; it must reach L.
    """
    factor = variance_factor(n, kurtosis, log_alpha + math.log(FOR_VARIANCE))
    if not math.isfinite(factor):
        return math.inf
    fourth = kurtosis * factor**2
    log_alpha += math.log1p(-FOR_VARIANCE)
    s = _fixed_stake(n, fourth, log_alpha)
    return -log_alpha / (n * s) + s / 2 + FOURTH * s**3 * fourth


def replicas_for(kurtosis: float, level: float) -> int:
    """About how many values an interval at `level` needs to be less than twice as wide as Student's, to two digits."""
    log_alpha = math.log((1 - level) / 2)
    usual = -float(special.ndtri_exp(log_alpha))
    n = 16
    while n < MOST_REPLICAS and _distance(n, kurtosis, log_alpha) * math.sqrt(n) > 2 * usual:
        n = math.ceil(1.05 * n)
    return int(float(f"{n:.2g}"))


def grouped(values: np.ndarray, kurtosis: float) -> tuple[np.ndarray, float]:
    """The values, or where they are many their means in groups of equal size, with the kurtosis that these can have.

    At most one value in four thousand is left over.
    """
    size = max(1, len(values) // LONGEST)
    groups = len(values) // size
    means = values[: groups * size].reshape(groups, size).mean(axis=1)
    return means, 3 + (kurtosis - 3) / size


def tail_interval(values: np.ndarray, *, kurtosis: float, level: float) -> tuple[float, float]:
    """The two-sided interval at `level` for values with this kurtosis at most; infinite where they are too few for it."""
    means, bound = grouped(values, kurtosis)
    centre, spread = float(np.mean(means)), float(np.std(means))
    if len(means) < 2 or spread == 0:
        return -math.inf, math.inf
    rows = (means - centre) / spread
    goal = math.log((1 - level) / 2)
    lower, upper = tail_ends(np.stack([rows, -rows]), np.array([goal, goal]), np.array([bound, bound]))
    return centre + spread * float(lower), centre - spread * float(upper)


def tail_ends(
    rows: np.ndarray, log_alpha: np.ndarray, kurtosis: np.ndarray, settled: Settled | None = None
) -> np.ndarray:
    """For each row of standardised values the lower end of the mean: below it all the means tried are rejected.

    `log_alpha` and `kurtosis` have an entry for each row. A row's end is the same bits whatever the other rows are.
    `settled`: as for `intervals.lower_ends`.
    """
    n = rows.shape[1]
    near = special.ndtri_exp(log_alpha)[:, None] / math.sqrt(n) * np.geomspace(8, 0.7, POINTS + 2)
    far = np.broadcast_to(-np.array(FAR), (len(rows), len(FAR)))

    def rejected(which: np.ndarray, tried: np.ndarray) -> np.ndarray:
        return means_rejected(rows[which], tried, log_alpha[which], kurtosis[which])

    tried = np.sort(np.concatenate([far, near], axis=1), axis=1)
    return search_ends(tried, np.full(len(rows), -math.inf), rows.mean(axis=1), rejected, settled)


def means_rejected(rows: np.ndarray, means: np.ndarray, log_alpha: np.ndarray, kurtosis: np.ndarray) -> np.ndarray:
    """Whether the capital of the bet `more than this mean` reached 1/alpha, for each row's own means."""
    n = rows.shape[1]
    for_mean = log_alpha + math.log1p(-FOR_VARIANCE)
    factors = np.array(
        [
            variance_factor(n, float(k), float(log) + math.log(FOR_VARIANCE))
            for k, log in zip(kurtosis, log_alpha, strict=True)
        ]
    )
    known = np.isfinite(factors)
    factors = np.where(known, factors, 1.0)
    fourth = kurtosis * factors**2  # what the fourth moment can be, as a multiple of the squared spread seen
    limits = [_fixed_stake(n, float(m), float(log)) for m, log in zip(fourth, for_mean, strict=True)]
    limit, fourth, kurtosis = LARGEST_STAKE * np.array(limits)[:, None], fourth[:, None], kurtosis[:, None]

    edges = np.unique(np.rint(n * (1 - np.cos(np.pi * np.arange(BATCHES + 1) / BATCHES)) / 2).astype(int))
    sums, squares = (np.cumsum(x, axis=1)[:, edges[1:] - 1] for x in (rows, rows**2))
    about = squares[:, :, None] - 2 * sums[:, :, None] * means[:, None] + edges[1:, None] * means[:, None] ** 2
    whole = fourth * (about[:, -1] / n) ** 2
    share = np.broadcast_to(for_mean[:, None], means.shape).copy()  # log of capital over goal
    aim = share - BEYOND  # the same as the gambler reckons, to whom the cost of the fourth moment is not known yet
    reached = np.zeros(means.shape, dtype=bool)
    for j, (start, stop) in enumerate(pairwise(edges[1:])):
        if start < LEARNT * n:
            continue
        spread = np.maximum(about[:, j] / start, TINY) * (1 + UNSEEN * kurtosis / start)
        aim = np.where(aim >= -TINY, -FURTHER, aim)
        z = special.ndtri_exp(aim)
        hazard = np.exp(-(z**2) / 2 - aim) / math.sqrt(2 * math.pi)
        stake = np.minimum(hazard / math.sqrt(n - start), limit) / np.sqrt(spread)
        y = stake[..., None] * (rows[:, None, start:stop] - means[..., None])
        gain = np.log1p(y + FOURTH * (y * y) ** 2).sum(axis=2)
        aim += gain - (stop - start) * np.log1p(FOURTH * stake**4 * fourth * spread**2)
        share += gain - (stop - start) * np.log1p(FOURTH * stake**4 * whole)
        reached |= share >= 0
    return np.asarray(reached & known[:, None])
