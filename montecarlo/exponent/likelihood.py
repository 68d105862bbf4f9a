"""The likelihood of a law's means, as far as the exponent fit needs it: log-normal means of replicas.

The model is  log mean(x_i) = a + h_i  at log-sizes t_i = log x_i, with h = b t + delta for an exponent b and a known
deviation delta from a straight line. A likelihood profiles out the level a, or a and b; families of laws (power,
corrected, log, floor) search over delta and know nothing of the data.

`LogMeans` treats the log of each size's mean as normal. Logs are never averaged: with m the mean of n values and
v = s^2/(n m^2), log m + v/2 is unbiased for the log of the true mean to second order. Estimated variances make
chi2 too large on average by (n-1)/(n-3) a size, or (n-2)(n-1)/((n-k)(n-k+1)) for a whole covariance of k sizes
(the mean of an inverse Wishart matrix, and the price of reading the residual's scale from the same matrix).
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import special

__all__ = ["Array", "Likelihood", "LogMeans", "pair_means", "size_means"]

Array = NDArray[np.float64]


class Likelihood(Protocol):
    """What a family of laws asks of the data; chi2 is twice the log-likelihood's distance from a perfect fit.

    Deviations come as arrays (..., k); every answer has the shape (...).
    """

    @property
    def t(self) -> Array:
        """Log-sizes, increasing."""

    @property
    def freedom(self) -> float:
        """Degrees of freedom behind the noise's scale: quantiles are those of Student's t with so many."""

    def intercept(self, h: Array) -> Array:
        """The smallest chi2 over a of log mean = a + h."""

    def line(self, delta: Array) -> tuple[Array, Array, Array]:
        """The smallest chi2 over a and b of log mean = a + b t + delta; the best b; its standard error."""

    def gradient(self, h: Array, dh: Array, *, line: bool) -> tuple[Array, Array, Array]:
        """The smallest chi2 over a (over a and b if `line`), its derivative along dh and its curvature along dh."""

    def ends(self, delta: Array, bound: float) -> tuple[Array, Array]:
        """The least and largest b with chi2 <= bound; (inf, -inf) where there is none."""

    def scatter(self, freedom: int) -> float:
        """Second degrees of freedom of the F law that chi2/freedom follows under a true law."""

    def without_last(self) -> "Likelihood":
        """The same data without the largest size."""

    def nudged(self) -> "Likelihood":
        """The same data with a slightly larger mean at the largest size."""

    def steps(self, level: float) -> list[tuple[float | None, float, float]]:
        """Slopes between neighbouring sizes with their intervals; None where neither has seen an error."""


@dataclass(frozen=True)
class LogMeans:
    """Normal logs of means: y with covariance `cov`, whose scale has `freedom` degrees of freedom at each size."""

    t: Array
    y: Array
    cov: Array
    freedom: float

    @cached_property
    def _whiten(self) -> Array:
        """W with W^T W = cov^-1."""
        return np.linalg.solve(np.linalg.cholesky(self.cov), np.eye(len(self.t)))

    @cached_property
    def _level(self) -> tuple[Array, Array]:
        """Residuals about a level: those of y, and the matrix that takes h to its residuals."""
        white = self._whiten
        q = np.linalg.qr(white.sum(1)[:, None], mode="complete")[0]
        project = white.T @ q[:, 1:]
        return self.y @ project, project

    @cached_property
    def _line(self) -> tuple[Array, Array, float]:
        """Residuals and slope about a line: those of y, the matrix that takes delta to both, the slope's error."""
        white = self._whiten
        q, r = np.linalg.qr(white @ np.stack([np.ones_like(self.t), self.t], axis=1), mode="complete")
        project = white.T @ np.concatenate([q[:, 2:], q[:, 1:2] / r[1, 1]], axis=1)
        return self.y @ project, project, float(1 / abs(r[1, 1]))

    def intercept(self, h: Array) -> Array:
        y, project = self._level
        return _square(y - h @ project)

    def line(self, delta: Array) -> tuple[Array, Array, Array]:
        y, project, se = self._line
        rest = y - delta @ project
        chi2 = _square(rest[..., :-1])
        return chi2, rest[..., -1], np.full(chi2.shape, se)

    def gradient(self, h: Array, dh: Array, *, line: bool) -> tuple[Array, Array, Array]:
        y, project = (self._line[0][:-1], self._line[1][:, :-1]) if line else self._level
        rest, along = y - h @ project, dh @ project
        return _square(rest), -2 * np.einsum("...i,...i->...", rest, along), 2 * _square(along)

    def ends(self, delta: Array, bound: float) -> tuple[Array, Array]:
        chi2, slope, se = self.line(delta)
        room = bound - chi2
        half = se * np.sqrt(np.maximum(room, 0.0))
        return np.where(room >= 0, slope - half, np.inf), np.where(room >= 0, slope + half, -np.inf)

    def scatter(self, freedom: int) -> float:
        """Welch's approximation: each size brings the kurtosis of its own estimated variance."""
        return float(len(self.t) * (freedom + 2) * self.freedom / (3 * freedom))

    def nudged(self) -> "LogMeans":
        return replace(self, y=np.append(self.y[:-1], self.y[-1] + 0.1 * np.sqrt(self.cov[-1, -1])))

    def steps(self, level: float) -> list[tuple[float | None, float, float]]:
        dt, slope = np.diff(self.t), np.diff(self.y) / np.diff(self.t)
        variance = np.diag(self.cov)[1:] + np.diag(self.cov)[:-1] - 2 * np.diag(self.cov, 1)
        half = float(special.stdtrit(self.freedom, (1 + level) / 2)) * np.sqrt(variance) / dt
        return [(float(s), float(s - h), float(s + h)) for s, h in zip(slope, half, strict=True)]

    def without_last(self) -> "LogMeans":
        return LogMeans(t=self.t[:-1], y=self.y[:-1], cov=self.cov[:-1, :-1], freedom=self.freedom)


def _square(rest: Array) -> Array:
    return np.asarray(np.einsum("...i,...i->...", rest, rest))


def size_means(t: Array, samples: list[Array]) -> LogMeans:
    """Independent replicas at each size."""
    n = np.array([len(values) for values in samples], dtype=float)
    mean = np.array([values.mean() for values in samples])
    v = np.array([values.var(ddof=1) for values in samples]) / (n * mean**2)
    return LogMeans(t=t, y=np.log(mean) + v / 2, cov=np.diag(v * (n - 1) / (n - 3)), freedom=float(n.min() - 1))


def pair_means(t: Array, samples: Array) -> LogMeans:
    """Replicas shared between the sizes: the rows of `samples`."""
    n, k = samples.shape
    mean = samples.mean(0)
    relative = samples / mean - 1
    cov = relative.T @ relative / ((n - 1) * n)
    y = np.log(mean) + np.diag(cov) / 2
    return LogMeans(t=t, y=y, cov=cov * (n - 2) * (n - 1) / ((n - k) * (n - k + 1)), freedom=float(n - k))
