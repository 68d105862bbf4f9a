"""Intervals for a mean from independent bounded values, valid at every number of values.

Three roads, chosen by `mean_interval`:

- every value is one of the two bounds: the counts are binomial, the interval is Clopper and Pearson's;
- bounded values otherwise: a betting interval (Waudby-Smith and Ramdas, 2024). A gambler who bets on `x > m` with
  stakes fixed before each value has a capital that is a non-negative martingale if the mean is m, so it ever reaches
  1/alpha with probability at most alpha (Ville). The m at which the gambler did not reach 1/alpha are kept;
- one bound only: the end on its side by the same bets, which large values on the other side only help; the other end is
  infinite.

Unbounded values have an interval in `tails`, if something is declared about them. If nothing is, they have Student's t,
which trusts the central limit theorem.

The stakes of the betting interval are those of an investor who must reach 1/alpha by a deadline (Browne, 1999: the
hedge of a digital option). The capital then ends near 0 or 1/alpha, Markov's inequality is nearly tight, and the
interval is within some 5 % of the central limit theorem's once the law is well sampled; a fixed stake would end at
sqrt(2 log(2/alpha)), 1.39 times that at 95 %.

`anytime_interval` is for values whose number was decided while looking at them, at any moment.

Small spreads have a price. A sample misses an atom of mass e at 1 with probability (1 - e)^n, so an interval valid for
every law on [0, 1] must leave room for an atom of mass log(1/alpha)/n, however alike the values seen are: a spread of
0.01 is worth its full value only from some 30000 values on. `floor_width` is that price.
"""

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
from scipy import special

BATCHES = 128  # stakes are revised at most so often; more costs time and gains less than 3 % of the width
POINTS = 14  # means tried at a time
ZOOMS = 2  # after these the end is known to some 0.2 % of the width, and rounded outwards
CAP = 0.9  # the stake never risks more than this share of the capital on one value
PRIOR = 0.5  # values' worth of the largest possible variance, m (1 - m), before any is seen
TINY = 1e-300


def mean_interval(values: np.ndarray, *, bounds: tuple[float, float], level: float = 0.95) -> tuple[float, float]:
    """The two-sided interval of the mean at `level`, for independent values in `bounds`, of which one may be infinite.

    That the road is chosen by looking at the values is a weakness in principle: for a law that is binomial but for an
    exceptional value now and then, either road is valid, and the choice between them might not be. No law is known to
    us for which it matters.
    """
    check_level(level)
    low, high = bounds
    if math.isinf(low) or math.isinf(high):
        goal = math.log((1 - level) / 2)
        lower = low + float(_one_sided_end(values - low, goal)) if math.isfinite(low) else -math.inf
        upper = high - float(_one_sided_end(high - values, goal)) if math.isfinite(high) else math.inf
        return lower, upper
    top = values == high
    if np.all(top | (values == low)):
        lower, upper = clopper_pearson(int(top.sum()), len(values), level=level)
    else:
        lower, upper = betting_interval((values - low) / (high - low), level=level)
    return low + (high - low) * lower, low + (high - low) * upper


def _one_sided_end(nonnegative: np.ndarray, log_alpha: float) -> float:
    """The lower end of the mean of nonnegative values."""
    return float(lower_ends(nonnegative[None], log_alpha, unbounded=True)[0])


def check_level(level: float) -> None:
    """A level is a number between 0 and 1; beyond 1 - 1e-12 the subtraction from one has lost its digits."""
    if isinstance(level, bool | str) or not 0 < level <= 1 - 1e-12:
        raise ValueError(f"level must lie in (0, 1 - 1e-12]; got {level!r}")


def clopper_pearson(successes: int, trials: int, *, level: float = 0.95) -> tuple[float, float]:
    """Clopper and Pearson's exact interval for a binomial probability."""
    if not 0 <= successes <= trials or trials < 1:
        raise ValueError(f"successes must lie in 0..trials, trials >= 1; got {successes} of {trials}")
    check_level(level)
    tail = (1 - level) / 2
    lower = 0.0 if successes == 0 else float(special.betaincinv(successes, trials - successes + 1, tail))
    upper = 1.0 if successes == trials else float(special.betainccinv(successes + 1, trials - successes, tail))
    return lower, upper


def student_interval(values: np.ndarray, *, level: float = 0.95) -> tuple[float, float]:
    """Student's interval: exact for normal values, asymptotic otherwise; one value alone says nothing."""
    check_level(level)
    n = len(values)
    mean = float(np.mean(values))
    if n < 2:
        return -math.inf, math.inf
    half = -float(special.stdtrit(n - 1, (1 - level) / 2)) * float(np.std(values, ddof=1)) / math.sqrt(n)
    return mean - half, mean + half


def floor_width(n: int, *, level: float = 0.95) -> float:
    """The least mean width, beyond a true mean m, of an interval valid at `level` for all laws on [0, 1].

    Let (low, high) cover every mean with probability 1 - alpha, and add to a law F an atom of mass e at 1. A sample
    escapes the atom with probability (1 - e)^n and then is one of F, so under F
    P(high < m + e (1 - m)) <= alpha (1 - e)^-n; likewise for low and an atom at 0. Integrated over e,
    E[(high - m)+ + (m - low)+] >= (1 - a) - (a - alpha)/(n - 1), a = alpha^(1/n): about (log(1/alpha) - 1)/n.
    """
    check_level(level)
    alpha = 1 - level
    if n == 1:
        return 1 - alpha + alpha * math.log(alpha)
    drop = -math.expm1(math.log(alpha) / n)
    return drop - (1 - drop - alpha) / (n - 1)


def betting_interval(values: np.ndarray, *, level: float = 0.95) -> tuple[float, float]:
    """The betting interval for the mean of independent values in [0, 1], in the order in which they were drawn.

    Either end has level 1 - (1 - level)/2. Values sorted by size would be no such order.
    """
    x = np.asarray(values, dtype=np.float64)
    check_level(level)
    lower, upper = lower_ends(np.stack([x, 1 - x]), math.log((1 - level) / 2))
    return float(lower), float(1 - upper)


Settled = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def lower_ends(
    rows: np.ndarray, log_alpha: float | np.ndarray, settled: Settled | None = None, *, unbounded: bool = False
) -> np.ndarray:
    """For each row of values the lower end: the largest mean found below which the means tried are all rejected.

    The test of m is that of the next mean tried above it (its stakes suit m as well, and its capital is lower), so
    nothing is assumed but that the test rejects between two rejected means tried. A row's end is the same bits whatever
    the other rows are. `settled(which, low, high)` says which rows need no closer look than an end between low and high.
    `unbounded`: the values are nonnegative and may be large. The lower end needs nothing else: large values only help it.
    """
    n = rows.shape[1]
    goals = np.broadcast_to(np.asarray(log_alpha, dtype=np.float64), len(rows))
    mean = rows.mean(axis=1, keepdims=True)
    scale = -special.ndtri_exp(goals)[:, None] * rows.std(axis=1, keepdims=True) / math.sqrt(n)
    scale = scale - mean * np.array([math.expm1(goal / n) for goal in goals])[:, None]
    steps = np.concatenate([np.geomspace(10, 0.4, POINTS + 2), [0.0]])
    # Near the expected end, but never out of (0, mean): the other grid fills what the first one leaves below zero.
    tried = np.maximum(mean - scale * steps, mean * np.linspace(0, 0.999, len(steps)) ** 4)

    def rejected(which: np.ndarray, tried: np.ndarray) -> np.ndarray:
        return _rejected(rows[which], np.maximum(tried, TINY), goals[which], unbounded)

    ends = search_ends(np.maximum(tried, TINY), np.zeros(len(rows)), mean[:, 0], rejected, settled)
    return np.asarray(np.where(mean[:, 0] > 0, ends, 0.0))


def search_ends(
    tried: np.ndarray,
    lowest: np.ndarray,
    mean: np.ndarray,
    rejected: Callable[[np.ndarray, np.ndarray], np.ndarray],
    settled: Settled | None = None,
) -> np.ndarray:
    """For each row the largest of the means below which those tried are all rejected; `lowest` if the first is not.

    `tried` has each row's first means in ascending order; more are tried between the last one rejected and the first one
    kept. `rejected(which, tried)` tests means of the rows `which`.
    """
    low = lowest.astype(np.float64)
    which = np.arange(len(low))
    for zoom in range(ZOOMS + 1):
        kept = ~rejected(which, tried)
        first = np.where(kept.any(axis=1), kept.argmax(axis=1), tried.shape[1])[:, None]
        padded = np.concatenate([low[which, None], tried, mean[which, None]], axis=1)
        low[which] = np.take_along_axis(padded, first, axis=1)[:, 0]
        high = np.take_along_axis(padded, first + 1, axis=1)[:, 0]
        open_still = np.isfinite(low[which])
        if settled is not None:
            open_still &= ~settled(which, low[which], high)
        which, high = which[open_still], high[open_still]
        if zoom == ZOOMS or not len(which):
            break
        tried = low[which, None] + (high - low[which])[:, None] * np.arange(1, POINTS + 1) / (POINTS + 1)
    return low


def _rejected(
    rows: np.ndarray, means: np.ndarray, log_alpha: float | np.ndarray, unbounded: bool = False
) -> np.ndarray:
    """Whether the capital of the bet `more than this mean` reached 1/alpha, for each row's own means.

    An investor in a market without drift who has the share p of a goal reaches it by the deadline with probability p
    at most, and does so by staking phi(z)/(p s sqrt(r)): z = Phi^-1(p), r values to come, s their spread about the
    mean, here estimated from the values already seen. Stakes stay fixed over batches, which are short at both ends:
    at the start the spread is being learnt, near the deadline the stakes change fast.
    """
    n = rows.shape[1]
    edges = np.unique(np.rint(n * (1 - np.cos(np.pi * np.arange(BATCHES + 1) / BATCHES)) / 2).astype(int))
    sums, squares = (np.cumsum(x, axis=1)[:, edges[1:] - 1] for x in (rows, rows**2))
    share = np.broadcast_to(np.reshape(log_alpha, (-1, 1)), means.shape).astype(np.float64)  # log of capital over goal
    reached = np.zeros(means.shape, dtype=bool)
    variance = means**2 if unbounded else means * (1 - means)  # before any value is seen
    largest = CAP / means
    spread = variance
    for j, (start, stop) in enumerate(pairwise(edges)):
        if j > 0:
            about = squares[:, j - 1, None] - 2 * means * sums[:, j - 1, None] + start * means**2
            spread = (np.maximum(about, 0) + PRIOR * variance) / (start + PRIOR)
        z = special.ndtri_exp(np.minimum(share, -1e-12))
        hazard = np.exp(-(z**2) / 2 - share) / math.sqrt(2 * math.pi)
        stake = np.minimum(hazard / np.sqrt(np.maximum(spread, TINY) * (n - start)), largest)
        stake[reached] = 0
        share += np.log1p(stake[..., None] * (rows[:, None, start:stop] - means[..., None])).sum(axis=2)
        reached |= share >= 0
    return reached


def anytime_interval(values: np.ndarray, *, bounds: tuple[float, float], level: float = 0.95) -> tuple[float, float]:
    """A confidence sequence: valid whenever one stops, for whatever reason; some 1.6 to 2 times as wide.

    The capital of a gambler who spreads it over sixteen constant stakes c/m, c from 0.9 down to 1e-4; it falls with m, so
    the ends are roots. Both bounds must be finite.
    """
    check_level(level)
    low, high = bounds
    seen, counts = np.unique((values - low) / (high - low), return_counts=True)
    log_alpha = math.log((1 - level) / 2)
    lower = _mixture_end(seen, counts, log_alpha)
    upper = 1 - _mixture_end(1 - seen, counts, log_alpha)
    return low + (high - low) * lower, low + (high - low) * upper


def _mixture_end(seen: np.ndarray, counts: np.ndarray, log_alpha: float) -> float:
    """The mean at which the mixture's capital is 1/alpha; zero if no value is positive."""
    from scipy.optimize import brentq

    mean = float(seen @ counts / counts.sum())
    stakes = np.geomspace(1e-4, 0.9, 16)[:, None]

    def excess(m: float) -> float:
        capital = np.log1p(stakes * (seen / m - 1)) @ counts
        return float(special.logsumexp(capital)) - math.log(len(stakes)) + log_alpha

    low = mean  # where no constant stake gains
    while low > TINY and excess(low) < 0:
        low /= 2
    if low <= TINY:
        return 0.0
    return (1 - 1e-6) * float(brentq(excess, low, 2 * low, xtol=1e-7 * low))
