"""A capacity by regression of logit error on log N: sharper than tests that assume only monotonicity.

Fieller's argument: a size c is kept if the fitted logit at c is within its own standard error of the threshold's. A
straight line is not enough: its bias, from the bend that every recall curve has, is a good part of its standard error
long before a test of fit can see it. Two families of three parameters are used, and the interval is the hull of both:
a parabola, and two half-lines that meet at c (a kink there, as at the edge of a plateau, fools the parabola). With many
replicas neither follows a curve that falls from nearly one to nearly zero over the grid, as that of "all items right"
does, exp(-m(N)); both then get a parameter more, a cubic term and a bend (`degree` 3).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from asymp.montecarlo.capacity.points import CapacityPoint, Dispersion, shared_correlation

__all__ = ["LogitFit", "logit_fit"]

LEAST_SIZES = {2: 6, 3: 7}
"""By degree: at least three sizes more than parameters."""
CANDIDATES = 801


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
    V = shared_correlation(grid, paired) / np.sqrt(np.outer(weight, weight))
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
