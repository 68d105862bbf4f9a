"""What `fit_exponent` is given: sizes and replicas' values, checked before any work, and the likelihood of their means.

The model is  log mean(x_i) = a + h_i  at log-sizes t_i = log x_i, with h = b t + delta for an exponent b and a known
deviation delta from a straight line. A likelihood profiles out the level a, or a and b; families of laws (power,
corrected, log, floor) search over delta and know nothing of the data.

`LogMeans` treats the log of each size's mean as normal. Logs are never averaged: with m the mean of n values and
v = s^2/(n m^2), log m + v/2 is unbiased for the log of the true mean to second order. Estimated variances make
chi2 too large on average by (n-1)/(n-3) a size, or (n-2)(n-1)/((n-k)(n-k+1)) for a whole covariance of k sizes
(the mean of an inverse Wishart matrix, and the price of reading the residual's scale from the same matrix).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy import special

from asymp.montecarlo.exponent.counts import ENOUGH, Array, size_counts
from asymp.montecarlo.tails import largest_share

__all__ = [
    "Array",
    "Likelihood",
    "LogMeans",
    "Tails",
    "check_sizes",
    "descend",
    "pair_means",
    "reach",
    "read_data",
    "size_means",
    "zoom",
]

ROUGH = 0.3  # relative standard error of a mean from which a warning is given
FEW = 4  # fewest sizes, and fewest replicas of values that are not counts
CARRIED = 0.25  # the share of the spread from which one value among many is too much for a normal mean
HARDLY = 1e-3  # how often normal values have a larger share than is allowed, where they are few


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

    @property
    def rough(self) -> tuple[Array, Array]:
        """Logs of the means for the start of a search, and W with W^T W the inverse of their covariance."""

    def at(self, t: Array) -> "Likelihood":
        """The same data at other log-sizes."""

    def level(self, h: Array) -> Array:
        """The best a of log mean = a + h."""

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

    @property
    def rough(self) -> tuple[Array, Array]:
        return self.y, self._whiten

    def at(self, t: Array) -> "LogMeans":
        moved = replace(self, t=t)
        moved.__dict__["_whiten"] = self._whiten  # which does not depend on the sizes
        return moved

    def level(self, h: Array) -> Array:
        ones = self._whiten.sum(1)
        return np.asarray((self.y - h) @ (self._whiten.T @ ones) / (ones @ ones))

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


def descend(
    f: Callable[[Array], tuple[Array, Array, Array]],
    start: Array,
    step: Array | float,
    low: Array | float,
    high: Array | float,
    *,
    rounds: int = 6,
) -> tuple[Array, Array, Array, Array]:
    """Minimise each entry over [low, high] by Gauss-Newton steps no longer than `step`, kept only if they go down.

    f returns value, derivative and a curvature >= 0. Returns argument, value, derivative, curvature.
    """
    x = start
    value, slope, curve = f(x)
    longest = np.broadcast_to(np.asarray(step, dtype=float), x.shape)
    for i in range(rounds):
        move = np.clip(-slope / np.maximum(curve, 1e-300), -longest, longest)
        fresh = np.clip(x + move, low, high)
        new = f(fresh)
        down = new[0] <= value
        gain = float(np.max(np.where(down, value - new[0], 0.0), initial=0.0))
        x = np.where(down, fresh, x)
        value, slope, curve = (np.where(down, a, b) for a, b in zip(new, (value, slope, curve), strict=True))
        longest = np.where(down, longest, np.abs(fresh - x) / 4)
        if i > 1 and gain < 1e-4 and bool(down.all()):
            break
    return x, value, slope, curve


def reach(room: Array, slope: Array, curve: Array, limit: float) -> tuple[Array, Array]:
    """How far below and above its minimum a parabola (slope and curvature there) stays within `room`."""
    root = np.sqrt(slope**2 + 2 * curve * np.maximum(room, 0.0))
    safe = np.maximum(curve, 1e-300)
    return np.minimum((root + slope) / safe, limit), np.minimum((root - slope) / safe, limit)


def zoom(f: Callable[[Array], Array], nodes: Array, values: Array, *, rounds: int = 1) -> tuple[Array, Array]:
    """Minimise each row of f by zooming in between the neighbours of its best node.

    `nodes` (rows, m) increases along each row and `values` = f(nodes). Returns each row's best argument and value.
    """
    rows = np.arange(len(nodes))
    m = nodes.shape[1]
    i = values.argmin(1)
    x, best = nodes[rows, i], values[rows, i]
    left, right = nodes[rows, np.maximum(i - 1, 0)], nodes[rows, np.minimum(i + 1, m - 1)]
    share = np.linspace(0, 1, 9)
    for _ in range(rounds):
        nodes = left[:, None] + (right - left)[:, None] * share
        values = f(nodes)
        i = values.argmin(1)
        better = values[rows, i] < best
        x, best = np.where(better, nodes[rows, i], x), np.where(better, values[rows, i], best)
        gap = (right - left) / 8
        left, right = np.maximum(x - gap, left), np.minimum(x + gap, right)
    return x, best


def merged(rows: tuple[Array, ...], more: tuple[Array, ...]) -> tuple[Array, ...]:
    """Columns of a search with more rows, sorted by the first column."""
    joined = [np.concatenate(pair) for pair in zip(rows, more, strict=True)]
    order = np.argsort(joined[0])
    return tuple(column[order] for column in joined)


def check_sizes(sizes: Any, *, logs: bool) -> Array:
    """Sizes as an array: at least four, positive, increasing; above 1 if a logarithm is in the class."""
    try:
        x = np.asarray(sizes, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"sizes must be a sequence of numbers; got {sizes!r}") from None
    if x.ndim != 1 or len(x) < FEW:
        raise ValueError(
            f"sizes must be a sequence of at least {FEW} numbers; got {x.size if x.ndim == 1 else x.shape}"
        )
    if not np.isfinite(x).all() or (x <= 0).any():
        raise ValueError(f"sizes must be positive and finite; got {x.tolist()}")
    if (np.diff(x) <= 0).any():
        raise ValueError(f"sizes must be strictly increasing; got {x.tolist()}")
    if logs and x[0] <= 1:
        raise ValueError(
            f"sizes must exceed 1 for the family 'log', whose law is a x^b (log x)^p; got {x[0]:g}: "
            "leave 'log' out of families, or measure sizes in a smaller unit"
        )
    return x


@dataclass(frozen=True)
class Tails:
    """How far single values carry the spread at their size: the largest share, and what is wrong with it, in words.

    `heavy` is empty where means may be taken to be normal, as far as the values tell.
    """

    share: float = 0.0
    heavy: str = ""


def tails_of(x: Array, values: list[Array]) -> Tails:
    """The tails of the values: no value may carry a quarter of the spread, nor what normal values hardly show if that is more."""
    shares = [largest_share(row) for row in values]
    excess = [share - _allowed(len(row)) for share, row in zip(shares, values, strict=True)]
    worst = int(np.argmax(excess))
    if excess[worst] < 0:
        return Tails(max(shares))
    return Tails(
        max(shares),
        f"one of the {len(values[worst])} values at size {x[worst]:g} carries {100 * shares[worst]:.2g} % of their spread, so that "
        "their mean may be far from normal: the interval decides nothing until more values are there",
    )


def _allowed(n: int) -> float:
    """The share of the spread that one of n values may carry: the largest among normal values exceeds it once in a thousand."""
    return max(CARRIED, (n - 1) / n * (1 - float(special.betaincinv((n - 2) / 2, 0.5, HARDLY / n))))


def read_data(
    sizes: Any, samples: Any, *, paired: bool, counts: Any, logs: bool
) -> tuple[Array, Likelihood, str, tuple[str, ...], Tails]:
    """Sizes, their likelihood, its name for people, what they should know about it, and the tails of the values."""
    x = check_sizes(sizes, logs=logs)
    k = len(x)
    t = np.log(x)
    values = _values(samples, k, paired)
    for size, at_size in zip(x, values, strict=True):
        if len(at_size) == 0:
            raise ValueError(f"samples must hold at least one replica a size; got none at size {size:g}")
        if not np.isfinite(at_size).all():
            raise ValueError(f"samples must be finite; got NaN or infinity at size {size:g}")
        if at_size.mean() < 0:
            raise ValueError(
                f"samples must have a positive mean at every size; got {at_size.mean():g} at size {size:g}"
            )
    trials = _trials(counts, x, values)
    if trials is not None and not paired:
        return x, *_counted(x, t, values, trials), Tails()
    if trials is not None:
        values = _rates(x, values, trials)
    for size, at_size in zip(x, values, strict=True):
        if at_size.mean() == 0:
            raise ValueError(
                f"samples at size {size:g} have mean zero, which has no logarithm: take more replicas, or sizes at which "
                "more is seen; fit_exponent(counts=...) also fits rare events; no size is dropped and nothing is added"
            )
        if len(at_size) < FEW:
            raise ValueError(f"samples must hold at least {FEW} replicas a size; got {len(at_size)} at size {size:g}")
        if np.ptp(at_size) == 0:
            raise ValueError(
                f"samples at size {size:g} are all equal, so that their spread is unknown; numbers without noise are for "
                "assert_order"
            )
    if not paired:
        means = size_means(t, values)
        return x, means, f"{_replicas(values)} independent replicas a size", _rough(x, means), tails_of(x, values)
    n = len(values[0])
    if n < 4 * k:
        raise ValueError(f"paired samples need 4 replicas for each size, {4 * k} for {k} sizes; got {n}")
    data = pair_means(t, np.stack(values, axis=1))
    spread = np.sqrt(np.diag(data.cov))
    if np.linalg.eigvalsh(data.cov / np.outer(spread, spread))[0] < 1e-10:
        raise ValueError("paired samples of some sizes determine each other: their covariance cannot be inverted")
    return x, data, f"{n} replicas shared between sizes", _rough(x, data), tails_of(x, values)


def _values(samples: Any, k: int, paired: bool) -> list[Array]:
    try:
        rows = [np.atleast_1d(np.asarray(getattr(row, "values", row), dtype=float)) for row in samples]
    except (TypeError, ValueError):
        raise ValueError(f"samples must be one sequence of numbers a size; got {type(samples).__name__}") from None
    if len(rows) != k or any(row.ndim != 1 for row in rows):
        raise ValueError(f"samples must be one sequence of values a size, {k} of them; got {len(rows)}")
    if paired and len({len(row) for row in rows}) > 1:
        raise ValueError(f"paired samples must have the same replicas at every size; got {_replicas(rows)} of them")
    return rows


def _trials(counts: Any, x: Array, values: list[Array]) -> Array | None:
    """Trials a replica at each size; None if the values are no counts."""
    if counts is None:
        binary = all(((row == 0) | (row == 1)).all() for row in values)
        return np.ones(len(x)) if binary else None
    try:
        trials = np.broadcast_to(np.asarray(counts, dtype=float), x.shape).copy()
    except (TypeError, ValueError):
        raise ValueError(
            f"counts must be a number of trials, or one for each of {len(x)} sizes; got {counts!r}"
        ) from None
    finite = np.isfinite(trials)
    if np.isnan(trials).any() or (trials < 1).any() or (finite.any() and not finite.all()):
        raise ValueError(f"counts must be numbers of trials >= 1, or math.inf for Poisson counts; got {counts!r}")
    for size, n, row in zip(x, trials, values, strict=True):
        if (row < 0).any() or (row > n).any():
            raise ValueError(
                f"samples at size {size:g} must lie between 0 and counts = {n:g}; got {row.min():g}..{row.max():g}"
            )
    return trials


def _counted(x: Array, t: Array, values: list[Array], trials: Array) -> tuple[Likelihood, str, tuple[str, ...]]:
    zero = [f"{size:g}" for size, row in zip(x, values, strict=True) if row.sum() == 0]
    if len(x) - len(zero) < 2:
        raise ValueError("samples must have a positive mean at two sizes at least: errors at one size give no exponent")
    data = size_counts(t, values, trials)
    kind = "Poisson counts" if data.poisson else "binomial counts"
    notes = (f"no error seen at size {', '.join(zero)}, kept as a count of zero",) if zero else ()
    return data, f"{kind}, {_replicas(values)} independent replicas a size", notes


def _rates(x: Array, values: list[Array], trials: Array) -> list[Array]:
    """Paired counts as rates, normal enough where errors abound; rare dependent counts have no known likelihood."""
    for size, row in zip(x, values, strict=True):
        if row.sum() < ENOUGH:
            raise ValueError(
                f"paired counts need at least {ENOUGH:g} errors at every size; got {row.sum():g} at size {size:g}: "
                "draw the replicas independently, so that a count likelihood can be used"
            )
    return [row / (1.0 if math.isinf(n) else n) for row, n in zip(values, trials, strict=True)]


def _rough(x: Array, data: LogMeans) -> tuple[str, ...]:
    """A warning where a mean is so uncertain that its logarithm is hardly normal."""
    error = np.sqrt(np.diag(data.cov))
    worst = int(error.argmax())
    if error[worst] < ROUGH:
        return ()
    return (
        f"the mean at size {x[worst]:g} is known to {100 * error[worst]:.0f} % only: more replicas are needed there",
    )


def _replicas(values: list[Array]) -> str:
    least, most = min(map(len, values)), max(map(len, values))
    return f"{least}" if least == most else f"{least}-{most}"
