"""Forms fitted to a table, which of them the data allow, and how well each would have predicted its own largest sizes.

A backtest cuts the table at sizes in the upper half of its (logarithmic) range: forms are fitted below the cut and
predict what lies above. Errors over the standard errors that the fit itself claims say by how much its intervals must be
widened so far beyond what was fitted, errors at up to twice that distance included: Student's quantile times the root mean
square over cuts, windows that overlap counting half. A backtest that went well by luck is no proof: the fall that a form
predicts beyond the table counts as uncertain by a fifth in any case.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from asymp.lazy import Lazy
from asymp.montecarlo.fit.forms import Array, Form
from asymp.montecarlo.fit.noise import Noise, noise_of, run_whitener
from asymp.montecarlo.fit.solve import Solution, Whitener, huber_loss, robust_spread, solve, whiten
from asymp.montecarlo.fit.table import Table

if TYPE_CHECKING:
    from scipy import special
else:
    special = Lazy("scipy.special")

__all__ = ["Backtest", "Fitted", "excess", "fit_forms", "rms", "student"]

CUTS, STEP = 8, 1 / 16
FEWEST = 5
ALLOWED_LEVEL = 0.99
PLACES, NEAR = 17, 1e-6
GENEROUS = 2.0
"""Errors up to so many times the distance of a prediction count: what comes need not be as gentle as what was."""
SHARE = 0.2
"""The least standard error of a predicted fall in log loss, as a share of it. Backtests missed by more on three of four curves."""


def student(level: float, freedom: float) -> float:
    """The two-sided quantile of Student's distribution."""
    return float(special.stdtrit(freedom, (1 + level) / 2))


@dataclass(frozen=True)
class Backtest:
    """How a form predicted beyond cuts of its own data.

    `cut`: the share of the logarithmic range that was fitted, a number a cut. `distance`: how far the predicted points lie beyond
    the cut, in logarithms of the size, an array a cut in rising order. `miss`: their errors in log loss. `scaled`: the same over
    the standard errors that the fit claimed.
    """

    cut: tuple[float, ...]
    distance: tuple[Array, ...]
    miss: tuple[Array, ...]
    scaled: tuple[Array, ...]

    @property
    def error(self) -> list[float]:
        """The root mean square error in log loss, a number a cut."""
        return [rms(miss) for miss in self.miss]

    @property
    def rms(self) -> float:
        """The root mean square error over all cuts; infinite where fewer than two were possible."""
        return rms(np.array(self.error)) if len(self.cut) >= 2 else float("inf")

    @property
    def reach(self) -> float:
        """The farthest that was predicted, in logarithms of the size."""
        return max((float(far[-1]) for far in self.distance), default=0.0)

    def factors(self, level: float, freedom: float, ahead: Array, *, simultaneous: bool) -> Array:
        """What standard errors are multiplied by so far ahead: Student's quantile, or more where the backtest demands it.

        Errors up to twice that distance (in logarithms) count, and it never falls with the distance; at 0, inside the table,
        there is nothing to be widened. `simultaneous`: for an
        interval that holds at all points of `ahead` at once, which takes each cut's largest error where others take its root
        mean square.
        """
        least = student(level, freedom)
        if not self.cut:
            return np.full(len(ahead), 2 * least)
        places = np.unique(np.concatenate(self.distance))
        places = np.unique(np.quantile(places, np.linspace(0, 1, PLACES), method="nearest"))
        counted = [np.maximum(np.searchsorted(far, places + NEAR, side="right"), 1) for far in self.distance]
        every = np.array([running(z, simultaneous)[k - 1] for z, k in zip(self.scaled, counted, strict=True)])
        quantile = student(level, max(len(every) / 2, 2.0))
        found = np.maximum(np.maximum.accumulate(quantile * np.sqrt(np.mean(every**2, axis=0))), least)
        if not simultaneous:
            return np.asarray(np.interp(GENEROUS * ahead, [0.0, *places], [least, *found]))
        at = np.interp(GENEROUS * ahead, places, found)
        alone = self.factors(level, freedom, ahead, simultaneous=False)
        return np.full(len(ahead), max(float(at.max()), float(alone.max())))


def running(scaled: Array, simultaneous: bool) -> Array:
    """The largest, or the root mean square, of the errors up to each place."""
    if simultaneous:
        return np.maximum.accumulate(np.abs(scaled))
    return np.asarray(np.sqrt(np.cumsum(scaled**2) / np.arange(1, len(scaled) + 1)))


def rms(values: Array) -> float:
    """The root mean square."""
    return float(np.sqrt(np.mean(np.square(values))))


@dataclass(frozen=True, eq=False)
class Fitted:
    """All forms on a table: `solutions` by name, `noise`, `allowed`, and the `backtests` of those that are allowed."""

    table: Table
    solutions: dict[str, Solution]
    noise: Noise
    allowed: tuple[str, ...]
    best: str
    huber: float | None = None

    @cached_property
    def backtests(self) -> dict[str, Backtest]:
        """The backtest of each allowed form."""
        return {name: _backtest(self.solutions[name].form, self.table) for name in self.allowed}

    def error(self, name: str, x: Array) -> Array:
        """The standard error of a prediction in log loss by one form, as its fit claims it."""
        return _claimed(self.solutions[name], self.noise.inflation, x, self.table.error)

    def edge(self, x: Array) -> Array:
        """The sizes next to x inside the table: within the range of each size, their product not above the largest."""
        known = np.log(self.table.x)
        near = np.clip(np.log(x), known.min(0), known.max(0))
        over = np.maximum(near.sum(1) - known.sum(1).max(), 0)
        return np.asarray(np.exp(near - over[:, None] / x.shape[1]))

    def predict(self, x: Array, level: float, *, simultaneous: bool) -> tuple[Array, Array, Array]:
        """The log loss at x and the ends of its interval: the union over the allowed forms.

        The point is their mean, each weighted by its squared backtest error.
        """
        low, high = np.full(len(x), np.inf), np.full(len(x), -np.inf)
        point, total = np.zeros(len(x)), 0.0
        edge = self.edge(x)
        ahead = np.abs(np.log(x) - np.log(edge)).sum(1)
        tested = any(np.isfinite(test.rms) for test in self.backtests.values())
        for name, test in self.backtests.items():
            found = self.solutions[name]
            freedom = max(len(found.y) / self.noise.inflation - len(found.values), 1.0)
            backtested = test.factors(level, freedom, ahead, simultaneous=simultaneous) * self.error(name, x)
            says = np.log(found.at(x))
            half = np.hypot(backtested, student(level, 1e6) * SHARE * (says - np.log(found.at(edge))))
            low, high = np.minimum(low, says - half), np.maximum(high, says + half)
            weight = 1 / max(test.rms, 1e-9) ** 2 if tested else 1.0
            point, total = point + weight * says, total + weight
        return point / total, low, high


def fit_forms(table: Table, forms: Sequence[Form], huber: float | None = None) -> Fitted:
    """Fit all forms to a table; those with more parameters than distinct sizes less one are left out."""
    enough = [form for form in forms if len(np.unique(table.x, axis=0)) > len(form.parameters)]
    if not enough:
        fewest = min(len(form.parameters) for form in forms)
        raise ValueError(
            f"the table has {len(np.unique(table.x, axis=0))} different sizes; the form with the fewest parameters needs "
            f"at least {fewest + 1}"
        )
    white: Whitener = None if table.error is None else 1 / table.error
    found = _solved(table, enough, white, huber)
    best, rho, upper = _best(found, huber), 0.0, 0.0
    if table.run is not None:
        weights = np.ones(len(table)) if white is None else white
        white, rho, upper = run_whitener(found[best].residuals, table.x, table.run, len(found[best].values), weights)
        found = _solved(table, enough, white, huber)
        best = _best(found, huber)
    noise = noise_of(found[best], table)
    if rho and table.run is not None:
        # The correlation is known no better than from so many independent rows, at least one a run.
        runs = max(len(set(table.run)) - 1.0, 1.0)
        alone = max(len(table) * (1 - rho) / (1 + rho), runs)
        words = f"{noise.words}; checkpoints of a run correlate by {rho:.2f}, which is taken out"
        most = (1 + upper) / (1 - upper) * (1 - rho) / (1 + rho)
        noise = replace(noise, words=words, freedom=min(noise.freedom, alone), most=most, fewest=runs)
    return Fitted(table, found, noise, _allowed(found, best, noise, huber), best, huber)


def _solved(table: Table, forms: Sequence[Form], white: Whitener, huber: float | None) -> dict[str, Solution]:
    found = {form.name: solve(form, table.x, table.y, white=white, huber=huber) for form in forms}
    solved = {name: one for name, one in found.items() if np.isfinite(one.cost)}
    if not solved:
        reasons = next(iter(found.values())).status
        raise ValueError(f"no form could be fitted: {reasons}; are the losses positive and do they vary?")
    return solved


def _best(found: dict[str, Solution], huber: float | None) -> str:
    def left(one: Solution) -> float:
        whole = one.cost if huber is None else huber_loss(whiten(one.white, one.residuals), huber)
        return whole / max(len(one.y) - len(one.values), 1)

    return min(found, key=lambda name: left(found[name]))


def excess(rest: Array, best: Solution, noise: Noise, huber: float | None) -> float:
    """By how much (whitened) residuals exceed those of the best form, in units in which chance makes chi2 of it."""
    if huber is None:
        return (float(rest @ rest) - best.cost) / (noise.variance * noise.inflation)
    more = huber_loss(rest, huber) - huber_loss(whiten(best.white, best.residuals), huber)
    return 2 * more / huber / robust_spread(best, huber)[1]


def _allowed(found: dict[str, Solution], best: str, noise: Noise, huber: float | None) -> tuple[str, ...]:
    """The forms whose residuals are not significantly larger than those of the best, at 1 %."""
    wider = max(1.0, (student(0.95, noise.freedom) / student(0.95, 1e6)) ** 2)
    names = []
    for name, one in found.items():
        more = max(len(found[best].values) - len(one.values), 1) + 1
        limit = float(special.chdtri(more, 1 - ALLOWED_LEVEL)) * wider
        if excess(whiten(one.white, one.residuals), found[best], noise, huber) <= limit:
            names.append(name)
    return tuple(names)


def _claimed(found: Solution, inflation: float, x: Array, declared: Array | None) -> Array:
    """The standard error of a new measurement at x: its own noise, typical where rows declare theirs, and the curve's."""
    variance = found.cost / max(len(found.y) - len(found.values), 1)
    own = 1.0
    if declared is not None:
        variance, own = max(variance, 1.0), float(np.median(declared)) ** 2
    return np.asarray(np.sqrt(np.maximum(variance, 1e-24) * (own + inflation * found.error(x) ** 2)))


def _cuts(size: Array) -> list[float]:
    """Sizes at which the table is cut: steps of a sixteenth of the range down to its middle, at sizes that exist."""
    sizes = np.unique(size)
    reach = sizes[-1] - sizes[0]
    found: list[float] = []
    for j in range(1, CUTS + 1):
        place = int(np.searchsorted(sizes, sizes[-1] - j * STEP * reach + 1e-12, side="right")) - 1
        if place + 1 >= FEWEST and sizes[place] < sizes[-1] and (not found or sizes[place] < found[-1]):
            found.append(float(sizes[place]))
    return found


def _backtest(form: Form, table: Table) -> Backtest:
    size = np.log(table.x).sum(1)
    rows = []
    for cut in _cuts(size):
        below = size <= cut + 1e-12
        x, y = table.x[below], table.y[below]
        if len(np.unique(x, axis=0)) <= len(form.parameters):
            continue
        white = None if table.error is None else 1 / table.error[below]
        found = solve(form, x, y, white=white)
        if not np.isfinite(found.cost):
            continue
        part = replace(table, x=x, y=y, error=None if table.error is None else table.error[below], run=None)
        distance = size[~below] - cut
        order = np.argsort(distance, kind="stable")
        miss = np.log(table.y[~below]) - np.log(found.at(table.x[~below]))
        scaled = miss / _claimed(found, noise_of(found, part).inflation, table.x[~below], part.error)
        share = float((cut - size.min()) / (size.max() - size.min()))
        rows.append((share, distance[order], miss[order], scaled[order]))
    return Backtest(*zip(*rows, strict=True)) if rows else Backtest((), (), (), ())
