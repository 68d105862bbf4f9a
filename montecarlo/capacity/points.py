"""Measured recall at one size, and what a set of such points says about the largest size that holds.

All tests work with effective counts. At the threshold a replica's recall fraction has variance D theta (1 - theta),
with D the dispersion (1/N for N independent inputs, up to 1 if a whole replica stands or falls together), so the mean
over n replicas carries as much information as n/D independent inputs: the variance is the one under the hypothesis,
which does not collapse at sizes without errors, and D is pooled over the sizes near the crossing.

`monotone_limits` assumes only that recall falls with N. `logit_fit`, a regression of logit error on log N, is sharper.
Fieller's argument: a size c is kept if the fitted logit at c is within its own standard error of the threshold's. A
straight line is not enough: its bias, from the bend that every recall curve has, is a good part of its standard error
long before a test of fit can see it. Two families of three parameters are used, and the interval is the hull of both:
a parabola, and two half-lines that meet at c (a kink there, as at the edge of a plateau, fools the parabola). With many
replicas neither follows a curve that falls from nearly one to nearly zero over the grid, as that of "all items right"
does, exp(-m(N)); both then get a parameter more, a cubic term and a bend (`degree` 3).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy import special

WINDOW = 3  # sizes pooled in a test; one where the grid is of consecutive integers, between which recall may fall far
# Of a test's level; the rest is for the size alone, which says more where recall falls far to its neighbours.
POOLED = 0.9
LEAST_SIZES = {2: 6, 3: 7}  # by degree: at least three sizes more than parameters
CANDIDATES = 801  # for the crossing, over the grid


@dataclass(frozen=True, eq=False)
class CapacityPoint:
    """The replicas' recall fractions at size N; `stage` says what the point was for: search, grid or outer."""

    N: int
    values: np.ndarray = field(repr=False)
    stage: str

    @property
    def replicas(self) -> int:
        """The number of replicas."""
        return len(self.values)

    @property
    def recall(self) -> float:
        """The mean recall."""
        return float(np.mean(self.values))

    @property
    def variance(self) -> float:
        """The variance of a replica's recall fraction."""
        return float(np.var(self.values, ddof=1)) if self.replicas > 1 else 0.0


@dataclass(frozen=True)
class Dispersion:
    """The variance of a replica's recall R over R (1 - R): scale N^-power, power in [0, 1]."""

    scale: float
    power: float

    def __call__(self, N: float) -> float:
        return float(min(1.0, self.scale * N**-self.power))

    @classmethod
    def pooled(cls, points: Sequence[CapacityPoint]) -> "Dispersion":
        """From points that saw errors, by a ratio of sums, which few errors do not bias; without errors, binomial."""
        seen = [p for p in points if p.variance > 0]
        if not seen:
            return cls(1.0, 1.0)
        sizes = np.array([p.N for p in seen], dtype=np.float64)
        spread = np.array([p.variance for p in seen])
        binomial = np.array([p.recall * (1 - p.recall) for p in seen])
        weight = np.array([np.count_nonzero(p.values < 1) for p in seen], dtype=np.float64)
        power = 1.0
        at = np.log(sizes) - np.average(np.log(sizes), weights=weight)
        if len(seen) > 2 and weight @ at**2 > 0:
            # log D has variance of some 2 to 5 over the replicas with errors; the power is known beforehand to +- 0.5.
            ridge = 10.0
            power = float(-(weight * at) @ np.log(spread / binomial) + ridge) / float(weight @ at**2 + ridge)
            power = min(1.0, max(0.0, power))
        return cls(float(spread.sum() / (binomial * sizes**-power).sum()), power)


def _shared_correlation(points: Sequence[CapacityPoint], paired: bool) -> np.ndarray:
    """The correlation between the points' means: that of the replicas where they are shared, else none."""
    found = np.eye(len(points))
    if paired and len(points) > 1:
        errors = np.stack([1 - p.values for p in points])
        live = errors.std(axis=1) > 0
        if live.any():
            found[np.ix_(live, live)] = np.corrcoef(errors[live])
    return found


def tails(points: Sequence[CapacityPoint], dispersion: Dispersion, e0: float, paired: bool) -> tuple[float, float]:
    """p-values that the pooled error is at most e0 (small: it fails) and at least e0 (small: it holds).

    Binomial tails at the effective numbers of inputs and errors, as in Clopper and Pearson's interval.
    """
    counts = np.array([p.replicas / dispersion(p.N) for p in points])
    share = counts / counts.sum()
    error = float(share @ [1 - p.recall for p in points])
    root = share / np.sqrt(counts)
    n = 1 / float(root @ _shared_correlation(points, paired) @ root)
    x = min(n * error, n)
    fails = float(special.betainc(x, n - x + 1, e0)) if x > 0 else 1.0
    holds = float(special.betainc(n - x, x + 1, 1 - e0)) if x < n else 1.0
    return fails, holds


def _p(
    pooled: Sequence[CapacityPoint], alone: CapacityPoint, dispersion: Dispersion, e0: float, paired: bool
) -> tuple[float, float]:
    """p-values as in `tails`, from sizes pooled and from one of them alone; without others there is one test."""
    found = tails([alone], dispersion, e0, paired)
    if len(pooled) == 1:
        return found
    fails, holds = (
        min(p / POOLED, q / (1 - POOLED)) for p, q in zip(tails(pooled, dispersion, e0, paired), found, strict=True)
    )
    return fails, holds


def monotone_limits(
    points: Sequence[CapacityPoint], *, e0: float, level: float, paired: bool
) -> tuple[int | None, int | None]:
    """The largest size shown to hold and the smallest shown to fail; only monotonicity is assumed.

    If size N fails, so do all larger ones; the hypothesis is therefore tested with N and its next neighbours above.
    The sizes of the grid, chosen before their replicas were drawn, are tested from the lowest up and the first that
    is not shown to hold ends the sequence: the hypotheses are nested, so no level is lost to their number. Where the
    whole grid fails the outer points are asked, the nearest first. Likewise from above.
    """
    tail = (1 - level) / 2
    grid = sorted((p for p in points if p.stage == "grid"), key=lambda p: p.N)
    if not grid:
        return None, None
    dispersion = Dispersion.pooled(grid)
    window = 1 if len(grid) > grid[-1].N - grid[0].N else WINDOW
    low: int | None = None
    high: int | None = None
    for j, point in enumerate(grid):
        if _p(grid[j : j + window], point, dispersion, e0, paired)[1] > tail:
            break
        low = point.N
    for j in range(len(grid), 0, -1):
        if _p(grid[max(0, j - window) : j], grid[j - 1], dispersion, e0, paired)[0] > tail:
            break
        high = grid[j - 1].N
    outer = sorted((p for p in points if p.stage == "outer"), key=lambda p: p.N)
    if low is None:
        below = [p for p in outer if p.N < grid[0].N]
        low = next((p.N for p in reversed(below) if tails([p], dispersion, e0, paired)[1] <= tail), None)
    if high is None:
        above = [p for p in outer if p.N > grid[-1].N]
        high = next((p.N for p in above if tails([p], dispersion, e0, paired)[0] <= tail), None)
    return low, high


def p_of_falling(points: Sequence[CapacityPoint]) -> float:
    """A p-value against recall that never rises with N: the largest fall of the error from a size to a larger one.

    Of the effective errors of two sizes the smaller one's share is binomial, at most that of its trials if the error does not
    fall. All pairs share the level (Bonferroni); what replicas have in common makes the test only safer.
    """
    chosen = sorted((p for p in points if p.stage != "search"), key=lambda p: p.N)
    dispersion = Dispersion.pooled(chosen)
    n = np.array([p.replicas / dispersion(p.N) for p in chosen])
    errors = n * np.array([1 - p.recall for p in chosen])
    small, large = np.triu_indices(len(chosen), 1)
    seen = errors[small] > 0
    tails = special.betainc(errors[small][seen], errors[large][seen] + 1, (n[small] / (n[small] + n[large]))[seen])
    return min(1.0, len(small) * float(tails.min(initial=1.0)))


@dataclass(frozen=True)
class LogitFit:
    """Ends and crossing in N, None if they do not end inside the grid, and the p-value of the worse family's fit."""

    limits: tuple[float, float, float] | None
    lack_of_fit: float


def logit_fit(
    points: Sequence[CapacityPoint], *, e0: float, level: float, paired: bool, degree: int = 2
) -> LogitFit | None:
    """The quasi-binomial fit to the grid; None if it has too few sizes or the iteration does not converge.

    Shared replicas: the weights are those of independent sizes, the covariance is the one they have.
    """
    grid = sorted((p for p in points if p.stage == "grid"), key=lambda p: p.N)
    if len(grid) < LEAST_SIZES[degree]:
        return None
    dispersion = Dispersion.pooled(grid)
    counts = np.array([p.replicas / dispersion(p.N) for p in grid])
    errors = np.array([1 - p.recall for p in grid])
    at = np.log([p.N for p in grid])
    middle = float(at.mean())
    at -= middle
    eta = _polynomial(at, counts, errors, degree)
    if eta is None:
        return None
    mu = special.expit(eta)
    weight = counts * mu * (1 - mu)
    work = eta + (errors - mu) / (mu * (1 - mu)) - special.logit(e0)
    V = _shared_correlation(grid, paired) / np.sqrt(np.outer(weight, weight))
    n = min(p.replicas for p in grid)
    freedom = n - 1 if paired else len(grid) * (n - 1)
    wide = -float(special.stdtrit(freedom, (1 - level) / 2))
    c = np.linspace(at[0], at[-1], CANDIDATES)[1:-1]
    u = at - c[:, None]
    lows, middles, highs, fits = [], [], [], []
    bend = (u**2,) if degree == 3 else ()
    kinked = (np.ones_like(u), np.minimum(u, 0), np.maximum(u, 0), *bend)
    for columns in (tuple(u**k for k in range(degree + 1)), kinked):
        X = np.stack(columns, axis=2)
        project = np.linalg.pinv(X.swapaxes(1, 2) * weight @ X, hermitian=True) @ X.swapaxes(1, 2) * weight
        beta = project @ work
        error = np.sqrt(np.einsum("ci,ij,cj->c", project[:, 0], V, project[:, 0]))
        inside = np.flatnonzero(np.abs(beta[:, 0]) <= wide * error)
        if inside.size == 0 or inside[0] == 0 or inside[-1] == len(c) - 1:
            return LogitFit(None, 0.0)
        best = int(inside[np.argmin(np.abs(beta[inside, 0]))])
        lows.append(c[inside[0] - 1])
        middles.append(c[best])
        highs.append(c[inside[-1] + 1])
        rest = np.eye(len(at)) - X[best] @ project[best]
        fits.append(_lack_of_fit(rest @ work, rest @ V @ rest.T, len(at) - degree - 1, n if paired else None))
    ends = (min(lows), middles[0], max(highs))
    low, crossing, high = (math.exp(middle + float(end)) for end in ends)
    # The hull holds the interval of either family: with a parameter more it is enough that one of them is not contradicted.
    return LogitFit((low, crossing, high), min(fits) if degree == 2 else max(fits))


def _polynomial(at: np.ndarray, counts: np.ndarray, errors: np.ndarray, degree: int) -> np.ndarray | None:
    """The logits of the quasi-binomial fit of a polynomial, by iterated weighted least squares."""
    X = np.stack([at**k for k in range(degree + 1)], axis=1)
    eta = special.logit((counts * errors + 0.5) / (counts + 1))
    work = eta
    for _ in range(50):
        mu = special.expit(eta)
        root = np.sqrt(counts * mu * (1 - mu))
        before = eta
        eta = X @ np.linalg.lstsq(X * root[:, None], work * root, rcond=None)[0]
        if not np.isfinite(eta).all() or np.abs(eta).max() > 30:
            return None
        if float(np.abs(eta - before).max()) < 1e-9:
            return np.asarray(eta)
        mu = special.expit(eta)
        work = eta + (errors - mu) / (mu * (1 - mu))
    return None


def _lack_of_fit(residual: np.ndarray, V: np.ndarray, freedom: int, replicas: int | None) -> float:
    """The p-value of the residuals; Hotelling's where their covariance was estimated from so many replicas."""
    chi2 = float(residual @ np.linalg.pinv(V, rcond=1e-10, hermitian=True) @ residual)
    if replicas is None:
        return float(special.chdtrc(freedom, chi2))
    if replicas <= freedom:
        return 0.0
    return float(special.fdtrc(freedom, replicas - freedom, chi2 * (replicas - freedom) / (freedom * (replicas - 1))))
