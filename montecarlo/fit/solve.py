"""Nonlinear least squares in the logarithm of the loss: several starts, linear parameters projected out, exact gradients.

Residuals are log y - log f. From every start the linear parameters are solved for in relative residuals (y - f)/y, which
are the same to first order; the best starts go on by Levenberg's and Marquardt's method in all parameters, the positive ones
by their logarithms, inside the form's box. With `huber` residuals beyond that many units count by their absolute value.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from asymp.lazy import Lazy
from asymp.montecarlo.fit.forms import Array, Form

if TYPE_CHECKING:
    from scipy import optimize
else:
    optimize = Lazy("scipy.optimize")

__all__ = ["Solution", "Whitener", "huber_loss", "robust_spread", "solve", "whiten"]

Whitener: TypeAlias = Any
"""A sparse matrix W with W^T W the inverse of the noise's correlation; a vector of weights; None if all points are alike."""

STARTS = 3
ROUNDS = 200
FAR = 1e6


@dataclass(frozen=True, eq=False)
class Solution:
    """A form with its best parameters. `cost`: the sum of squared (whitened) residuals. `status`: converged, or why not."""

    form: Form
    values: Array
    cost: float
    status: str
    x: Array
    y: Array
    white: Whitener

    @property
    def parameters(self) -> dict[str, float]:
        """The parameters by name."""
        return dict(zip(self.form.parameters, self.values.tolist(), strict=True))

    def at(self, x: Array) -> Array:
        """The loss that the form says."""
        with np.errstate(all="ignore"):
            return self.form.value(self.values, x)[0]

    def slopes(self, x: Array) -> Array:
        """The derivatives of log f in the coordinates of the search."""
        with np.errstate(all="ignore"):
            f, jac = self.form.value(self.values, x)
            found = jac * _units(self.form, self.values) / f[:, None]
        return np.where(np.isfinite(found), found, 0.0)

    @cached_property
    def residuals(self) -> Array:
        """log y - log f at the data."""
        return np.asarray(np.log(self.y) - np.log(self.at(self.x)))

    @cached_property
    def spread(self) -> Array:
        """The covariance of the coordinates over the noise's variance; what nothing bounds is bounded by the box."""
        slopes = whiten(self.white, self.slopes(self.x))
        normal = slopes.T @ slopes
        # A coordinate that the data say nothing of varies by a few units in its logarithm, not without limit.
        scale = max(self.cost / max(len(self.y) - len(self.values), 1), 1e-14)
        normal += scale / 25.0 * np.eye(len(normal))
        unit = 1 / np.sqrt(np.diag(normal))
        inverse = np.linalg.pinv(normal * np.outer(unit, unit), rcond=1e-14, hermitian=True)
        return np.asarray(inverse * np.outer(unit, unit))

    def error(self, x: Array) -> Array:
        """The standard error of log f at x over the noise's standard deviation."""
        g = self.slopes(x)
        return np.asarray(np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", g, self.spread, g), 0.0)))


def huber_loss(residuals: Array, delta: float) -> float:
    """The sum of Huber's losses: half the square up to delta, straight lines beyond."""
    size = np.abs(residuals)
    return float(np.where(size <= delta, residuals**2 / 2, delta * (size - delta / 2)).sum())


def robust_spread(found: Solution, huber: float) -> tuple[Array, float]:
    """The covariance of a fit's coordinates by Huber's losses, and by how much it exceeds what equal noise would make of it.

    A sandwich: the scores of the rows, each made larger by its leverage (HC3), between the losses' mean curvatures, which are
    counted where each row stands (Powell's estimate), for the noise need not be the same at all sizes.
    """
    slopes, r = whiten(found.white, found.slopes(found.x)), whiten(found.white, found.residuals)
    normal = np.linalg.pinv(slopes.T @ slopes, hermitian=True)
    leverage = np.einsum("ij,jk,ik->i", slopes, normal, slopes)
    score = np.clip(r / huber, -1, 1) / (1 - np.minimum(leverage, 0.99))
    window = max(huber, float(np.subtract(*np.percentile(r, [75, 25]))) / 1.34)
    curvature = (slopes.T * (np.abs(r) < window)) @ slopes / window
    bread = np.linalg.pinv(curvature, hermitian=True)
    spread = bread @ (slopes.T * score**2) @ slopes @ bread
    return spread, float(np.trace(curvature @ spread)) / len(found.values)


def whiten(white: Whitener, values: Array) -> Array:
    """Residuals, or columns of derivatives, made uncorrelated and alike."""
    if white is None:
        return values
    if white.ndim == 2:
        return np.asarray(white @ values)
    return np.asarray(values * (white if values.ndim == 1 else white[:, None]))


def solve(
    form: Form,
    x: Array,
    y: Array,
    *,
    white: Whitener = None,
    huber: float | None = None,
    start: Array | None = None,
    fixed: tuple[int, float] | None = None,
) -> Solution:
    """The form's least squares solution.

    Args:
        form: what is fitted.
        x: the sizes, a row a point.
        y: the losses.
        white: what makes the residuals alike.
        huber: from which residual on absolute values count instead of squares; None for squares everywhere.
        start: where the search begins, in place of the form's own starts.
        fixed: a parameter, by its place, and the value that it keeps.
    """
    search = _Search(form, x, y, white, fixed)
    if start is not None:
        begins = [search.coordinates(start)]
    else:
        ranked = sorted(search.starts(), key=lambda found: found[0])
        begins = [q for _, q in ranked[: 1 if len(form.parameters) < 3 else STARTS]]
    best = min((search.descend(q) for q in begins), key=lambda found: found[1], default=(None, np.inf, "no start"))
    q, cost, status = best
    if q is None or not np.isfinite(cost):
        middle = np.array([1.0 if name in form.positive else 0.0 for name in form.parameters])
        return Solution(form, middle, np.inf, "no start gives positive losses", x, y, white)
    if huber is not None:
        q, status = search.robust(q, huber)
        cost = float((search.residuals(q) ** 2).sum())
    return Solution(form, search.natural(q), cost, status, x, y, white)


def _units(form: Form, values: Array) -> Array:
    """The derivatives of the parameters in the coordinates of the search."""
    return np.array([v if p in form.positive else 1.0 for p, v in zip(form.parameters, values, strict=True)])


class _Search:
    """Least squares in coordinates q: parameters, or logarithms of positive ones, inside a box."""

    def __init__(self, form: Form, x: Array, y: Array, white: Whitener, fixed: tuple[int, float] | None) -> None:
        self.form, self.x, self.y, self.white = form, x, y, white
        self.target = np.log(y)
        names = form.parameters
        self.logs = np.array([name in form.positive for name in names])
        with np.errstate(all="ignore"):
            low, high = (np.array([box[name] for name in names]) for box in (form.low, form.high))
            self.low = np.where(self.logs, np.log(np.where(self.logs, low, 1.0)), low)
            self.high = np.where(self.logs, np.log(np.where(self.logs, high, 1.0)), high)
        # A coefficient that may have either sign has the data's units, so that no step is too long for it.
        self.longest = np.array([np.inf if n in form.linear and n not in form.positive else 5.0 for n in names])
        if fixed is not None:
            place, value = fixed
            self.low[place] = self.high[place] = np.log(value) if self.logs[place] else value
        self.lin = [i for i, name in enumerate(names) if name in form.linear and (fixed is None or fixed[0] != i)]

    def natural(self, q: Array) -> Array:
        return np.asarray(np.where(self.logs, np.exp(np.where(self.logs, q, 0.0)), q))

    def coordinates(self, p: Array) -> Array:
        with np.errstate(all="ignore"):
            q = np.where(self.logs, np.log(np.maximum(p, 1e-300)), p)
        return np.asarray(np.clip(q, self.low, self.high))

    def starts(self) -> list[tuple[float, Array]]:
        found = []
        for begin in self.form.starts(self.x, self.y):
            p = np.array(begin, dtype=float)
            p = np.where(np.isnan(p), 1.0, p)
            p = self.natural(self.coordinates(p))
            if self.lin:
                with np.errstate(all="ignore"):
                    f, jac = self.form.value(p, self.x)
                    columns = jac[:, self.lin] / self.y[:, None]
                    rest = 1 - (f - jac[:, self.lin] @ p[self.lin]) / self.y
                    if not (np.isfinite(columns).all() and np.isfinite(rest).all()):
                        continue
                    p[self.lin] = _positive_least_squares(columns, rest, self.logs[self.lin])
            q = self.coordinates(p)
            cost = float((self.residuals(q) ** 2).sum())
            if np.isfinite(cost):
                found.append((cost, q))
        return found

    def residuals(self, q: Array) -> Array:
        with np.errstate(all="ignore"):
            f = self.form.value(self.natural(q), self.x)[0]
            r = self.target - np.log(f)
        return whiten(self.white, np.where(np.isfinite(r), r, FAR))

    def both(self, q: Array) -> tuple[Array, Array]:
        p = self.natural(q)
        with np.errstate(all="ignore"):
            f, jac = self.form.value(p, self.x)
            r = self.target - np.log(f)
            slopes = -jac * np.where(self.logs, p, 1.0) / f[:, None]
        bad = ~np.isfinite(r)
        r, slopes = np.where(bad, FAR, r), np.where(np.isfinite(slopes), slopes, 0.0)
        return whiten(self.white, r), whiten(self.white, slopes)

    def descend(self, q: Array) -> tuple[Array, float, str]:
        """Levenberg's and Marquardt's method from q: coordinates, cost, status."""
        r, slopes = self.both(q)
        cost, damp = float(r @ r), 1e-3
        for _ in range(ROUNDS):
            # Steps in units of each coordinate's own slope, so that parameters of any size are searched for alike.
            size = np.maximum(np.abs(slopes).max(0), 1e-150)
            size *= np.maximum(np.linalg.norm(slopes / size, axis=0), 1e-150)
            columns = slopes / size
            pull = columns.T @ r
            # A coordinate at the edge of its box stays there while the descent pushes it outward.
            free = ~(((q <= self.low) & (pull > 0)) | ((q >= self.high) & (pull < 0)))
            normal = (columns * free).T @ (columns * free)
            longest = self.longest * np.where(self.logs, 1, np.maximum(np.abs(q), 1))
            while damp < 1e12:
                move = -np.linalg.lstsq(normal + damp * np.eye(len(q)), free * pull, rcond=None)[0] / size
                fresh = np.clip(q + np.clip(move, -longest, longest), self.low, self.high)
                new = self.residuals(fresh)
                if float(new @ new) <= cost:
                    break
                damp *= 8
            else:
                return q, cost, "converged"
            gain, step = cost - float(new @ new), float(np.abs(fresh - q).max())
            q = fresh
            r, slopes = self.both(q)
            cost, damp = float(r @ r), max(damp / 5, 1e-9)
            if gain <= 1e-10 * cost + 1e-26 or step < 1e-11:
                return q, cost, "converged"
        return q, cost, f"not converged after {ROUNDS} steps"

    def robust(self, q: Array, delta: float) -> tuple[Array, str]:
        """The smallest sum of Huber's losses, from q, by a quasi-Newton method with exact gradients."""

        def objective(v: Array, q: Array) -> tuple[float, Array]:
            r, slopes = self.both(q + v * unit)
            return huber_loss(r, delta) / delta, slopes.T @ np.clip(r, -delta, delta) / delta * unit

        unit = 1 / np.sqrt(np.maximum((self.both(q)[1] ** 2).sum(0), 1e-12))
        bounds = list(zip((self.low - q) / unit, (self.high - q) / unit, strict=True))
        exactly = {"maxiter": 500, "ftol": 1e-15, "gtol": 1e-9}
        status = "not converged"
        for _ in range(4):
            found = optimize.minimize(
                objective, np.zeros_like(q), (q,), jac=True, method="L-BFGS-B", bounds=bounds, options=exactly
            )
            fresh = np.clip(q + found.x * unit, self.low, self.high)
            moved = float(np.abs(fresh - q).max())
            q = fresh
            bounds = list(zip((self.low - q) / unit, (self.high - q) / unit, strict=True))
            if moved < 1e-7:
                status = "converged"
                break
        return q, status


def _positive_least_squares(columns: Array, target: Array, positive: NDArray[np.bool_]) -> Array:
    """Least squares in which some coefficients must be positive: those that come out negative are set near 0 in turn."""
    scale = np.maximum(np.abs(columns).max(0), 1e-300)
    matrix = columns / scale
    kept = np.ones(len(scale), dtype=bool)
    found = np.full(len(scale), 1e-3)
    for _ in range(len(scale)):
        found = np.full(len(scale), 1e-3)
        found[kept] = np.linalg.lstsq(matrix[:, kept], target - matrix[:, ~kept] @ found[~kept], rcond=1e-12)[0]
        wrong = positive & kept & (found <= 0)
        if not wrong.any() or not (kept & ~wrong).any():
            break
        kept &= ~wrong
    return np.asarray(np.where(positive & (found <= 0), 1e-3, found) / scale)
