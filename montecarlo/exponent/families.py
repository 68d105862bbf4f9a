"""Families of laws  mean = a x^b (1 + ...): their best fits and profile likelihoods in the exponent b.

power      a x^b
log        a x^b (log x)^p, p in a declared range, sizes > 1
shifted    a (x + x0)^b, x0/x_min in a declared range
corrected  a x^b (1 + kappa (x/x_min)^-w), kappa and w in declared ranges
floor      a x^b + F, F >= 0

Each family gives `best` (its smallest chi2) and `ends(bound)`, the least and largest b with chi2 <= bound. Nuisances
are continuous: grids only start searches, so precise data are not ruined by a coarse grid (16 values of w cost a
tenth of the coverage at a corner of the class) and no end is cut off by one.

The family a x^b (1 + kappa (x/x_min)^-w), kappa and w in declared ranges.

Kappa is the correction at the smallest size, so that the class does not depend on the unit of x; kappa > -1. The
search runs in (w, s = log(1 + kappa)): for each w the best s by Gauss-Newton from a grid, rows of w added where chi2 varies
fast. Ends of the interval are extrema of b(w, s) -+ its half-width over the (w, s) that the bound allows.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np

from asymp.montecarlo.exponent.data import Array, Likelihood, descend, merged, reach, zoom

Posterior = tuple[Array, Array, Array]
"""A family's posterior of b as a mixture of normals: log weights (-chi2/2 + log(prior times spread)), means, spreads."""
BestLaw = tuple[dict[str, float], Callable[[Array], Array]]
"""The best law's parameters by name, and the logarithm of its shape (without the amplitude) at log-sizes."""


@dataclass(frozen=True)
class Family(ABC):
    """A family of laws fitted to a likelihood; `parameters` counts the free ones, level and exponent included."""

    data: Likelihood
    parameters: ClassVar[int]

    @property
    @abstractmethod
    def best(self) -> float:
        """Smallest chi2 over the family."""

    @abstractmethod
    def ends(self, bound: float) -> tuple[float, float]:
        """Least and largest b with chi2 <= bound; (inf, -inf) if there is none."""

    @abstractmethod
    def posterior(self) -> Posterior:
        """Mixture of normals for b, flat prior in the level and in b."""

    @abstractmethod
    def law(self) -> BestLaw:
        """The law of the family that fits best."""


@dataclass(frozen=True)
class Power(Family):
    """a x^b."""

    parameters = 2

    @cached_property
    def _fit(self) -> tuple[float, float, float]:
        chi2, b, se = self.data.line(np.zeros(len(self.data.t)))
        return float(chi2), float(b), float(se)

    @property
    def best(self) -> float:
        return self._fit[0]

    @property
    def slope(self) -> float:
        """The exponent of the best pure power law."""
        return self._fit[1]

    def ends(self, bound: float) -> tuple[float, float]:
        low, high = self.data.ends(np.zeros(len(self.data.t)), bound)
        return float(low), float(high)

    def posterior(self) -> Posterior:
        chi2, b, se = self._fit
        return np.array([-chi2 / 2 + math.log(se)]), np.array([b]), np.array([se])

    def law(self) -> BestLaw:
        b = self.slope
        return {"exponent": b}, lambda t: b * t


@dataclass(frozen=True)
class OneNuisance(Family):
    """A straight line in log x but for one number p in [low, high]."""

    low: float
    high: float
    parameters = 3

    @abstractmethod
    def _line(self, p: Array) -> tuple[Array, Array, Array]:
        """chi2, best b and its standard error at each p."""

    @abstractmethod
    def _ends(self, p: Array, bound: float) -> tuple[Array, Array]:
        """Least and largest b with chi2 <= bound at each p; (inf, -inf) where there is none."""

    @cached_property
    def _scan(self) -> tuple[Array, Array]:
        """Increasing p and their chi2, dense around the best."""
        p = np.linspace(self.low, self.high, 25)
        chi2 = self._line(p)[0]
        for _ in range(10):
            i = int(chi2.argmin())
            left, right = max(i - 1, 0), min(i + 1, len(p) - 1)
            if max(chi2[left], chi2[right]) - chi2[i] < 0.05:
                break
            fresh = np.linspace(p[left], p[right], 8)[1:-1]
            p, chi2 = merged((p, chi2), (fresh, self._line(fresh)[0]))
        return p, chi2

    @property
    def best(self) -> float:
        return float(self._scan[1].min())

    @property
    def nuisance(self) -> float:
        """The best p."""
        p, chi2 = self._scan
        return float(p[chi2.argmin()])

    def _around(self, bound: float) -> Array:
        """Values of p that span those whose chi2 is within the bound, the best among them."""
        p, chi2 = self._scan
        first, last = np.flatnonzero(chi2 <= bound)[[0, -1]]
        ends = p[max(first - 1, 0)], p[min(last + 1, len(p) - 1)]
        return np.unique(np.append(np.linspace(*ends, 17), self.nuisance))

    def ends(self, bound: float) -> tuple[float, float]:
        if self.best > bound:
            return math.inf, -math.inf
        nodes = self._around(bound)[None]

        def extreme(side: int, sign: int) -> float:
            def f(p: Array) -> Array:
                return sign * self._ends(p[0], bound)[side][None]

            return sign * float(zoom(f, nodes, f(nodes), rounds=3)[1][0])

        return extreme(0, 1), extreme(1, -1)

    def posterior(self) -> Posterior:
        around = self._around(self.best + 16.0)
        p = np.linspace(around[0], around[-1], 33)
        value, b, se = self._line(p)
        spread = se * (p[1] - p[0]) / (self.high - self.low)
        return -value / 2 + np.log(np.maximum(spread, 1e-300)), b, se


@dataclass(frozen=True)
class Log(OneNuisance):
    """a x^b (log x)^p with p in [low, high]; chi2 is convex in (a, b, p)."""

    def _line(self, p: Array) -> tuple[Array, Array, Array]:
        return self.data.line(p[:, None] * np.log(self.data.t))

    def _ends(self, p: Array, bound: float) -> tuple[Array, Array]:
        return self.data.ends(p[:, None] * np.log(self.data.t), bound)

    def beyond(self, p: float) -> float:
        """Smallest chi2 with |power of the logarithm| >= p: how well a real logarithm does."""
        if abs(self.nuisance) >= p:
            return self.best
        return float(self._line(np.array([v for v in (-p, p) if self.low <= v <= self.high]))[0].min())

    def law(self) -> BestLaw:
        p = self.nuisance
        b = float(self._line(np.array([p]))[1][0])
        return {"exponent": b, "power of the logarithm": p}, lambda t: b * t + p * np.log(t)


@dataclass(frozen=True)
class Shifted(OneNuisance):
    """a (x + x0)^b; the nuisance is log(1 + x0/x_min): a straight line in log(x + x0)."""

    def _moved(self, s: float, t: Array) -> Array:
        """log(x + x0) at log-sizes t."""
        return np.asarray(t + np.log1p(np.expm1(s) * np.exp(self.data.t[0] - t)))

    def _each(self, s: Array, what: Callable[[Likelihood], Sequence[Array]]) -> list[Array]:
        found = [what(self.data.at(self._moved(value, self.data.t))) for value in s]
        return [np.array(column, dtype=float) for column in zip(*found, strict=True)]

    def _line(self, p: Array) -> tuple[Array, Array, Array]:
        straight = np.zeros(len(self.data.t))
        chi2, b, se = self._each(p, lambda data: data.line(straight))
        return chi2, b, se

    def _ends(self, p: Array, bound: float) -> tuple[Array, Array]:
        straight = np.zeros((1, len(self.data.t)))
        low, high = self._each(p, lambda data: data.ends(straight, bound))
        return low[:, 0], high[:, 0]

    def law(self) -> BestLaw:
        s = self.nuisance
        b = float(self._line(np.array([s]))[1][0])
        return {"exponent": b, "shift": math.expm1(s) * math.exp(self.data.t[0])}, lambda t: b * self._moved(s, t)


ROWS, COLUMNS = 29, 41  # starting grid in w and s
SPREAD = (1 - np.cos(np.linspace(0, math.pi, 21))) / 2  # denser at both ends, where the ends of the interval bend


@lru_cache(maxsize=64)
def _grid(t: tuple[float, ...], kappa: tuple[float, float], omega: tuple[float, float]) -> Array:
    """delta on the starting grid, (ROWS, COLUMNS, k): the same for every study of the same sizes."""
    s = np.linspace(math.log1p(kappa[0]), math.log1p(kappa[1]), COLUMNS)
    w = np.linspace(*omega, ROWS)
    return np.asarray(np.log1p(np.expm1(s)[:, None] * np.exp(-w[:, None, None] * (np.array(t) - t[0]))))


@dataclass(frozen=True)
class Corrected(Family):
    """a x^b (1 + kappa (x/x_min)^-w) with kappa and w in declared ranges."""

    kappa: tuple[float, float]
    omega: tuple[float, float]
    parameters = 4

    @property
    def _box(self) -> tuple[float, float]:
        """The range of s."""
        return math.log1p(self.kappa[0]), math.log1p(self.kappa[1])

    def _delta(self, w: Array, s: Array) -> Array:
        t = self.data.t
        return np.asarray(np.log1p(np.expm1(s)[..., None] * np.exp(-w[..., None] * (t - t[0]))))

    def _over_s(self, w: Array, coarse: Array | None = None) -> tuple[Array, ...]:
        """For each w the best s, its chi2, derivative and curvature."""
        low, high = self._box
        s = np.linspace(low, high, COLUMNS)
        t = self.data.t
        fade = np.exp(-w[:, None] * (t - t[0]))
        if coarse is None:
            coarse = self.data.line(np.log1p(np.expm1(s)[:, None] * fade[:, None, :]))[0]

        def f(s: Array) -> tuple[Array, Array, Array]:
            rise = 1 + np.expm1(s)[:, None] * fade
            return self.data.gradient(np.log(rise), np.exp(s)[:, None] * fade / rise, line=True)

        return descend(f, s[coarse.argmin(1)], (high - low) / (COLUMNS - 1), low, high)

    @cached_property
    def _rows(self) -> tuple[Array, ...]:
        """Rows of w, increasing: w, best s, chi2, derivative and curvature in s; dense around the best w."""
        w = np.linspace(*self.omega, ROWS)
        coarse = self.data.line(_grid(tuple(self.data.t.tolist()), self.kappa, self.omega))[0]
        rows = (w, *self._over_s(w, coarse))
        for _ in range(6):
            i = int(rows[2].argmin())
            left, right = max(i - 1, 0), min(i + 1, len(rows[0]) - 1)
            # Neighbours that fit as well as the best say everything; else look closer.
            if max(rows[2][left], rows[2][right]) - rows[2][i] < 0.05:
                break
            fresh = np.linspace(rows[0][left], rows[0][right], 12)[1:-1]
            rows = merged(rows, (fresh, *self._over_s(fresh)))
        return rows

    @property
    def best(self) -> float:
        return float(self._rows[2].min())

    def _around(self, rows: tuple[Array, ...], room: Array) -> Array:
        """For each row of w the values of s whose chi2 may lie within `room` of the row's best."""
        low, high = self._box
        below, above = reach(room, rows[3], rows[4], high - low)
        left = np.maximum(rows[1] - 1.15 * below, low)[:, None]
        right = np.minimum(rows[1] + 1.15 * above, high)[:, None]
        return np.asarray(left + (right - left) * SPREAD)

    def _row_ends(self, rows: tuple[Array, ...], bound: float) -> tuple[Array, Array]:
        """Least and largest b for each row of w: over the whole range of s, and closer around the row's best."""
        whole = np.broadcast_to(np.linspace(*self._box, 15), (len(rows[0]), 15))
        nodes = np.concatenate([self._around(rows, bound - rows[2]), rows[1][:, None], whole], axis=1)
        nodes.sort(axis=1)
        w = rows[0][:, None]
        low, high = self.data.ends(self._delta(w, nodes), bound)

        def f(s: Array, sign: int) -> Array:
            return sign * self.data.ends(self._delta(w, s), bound)[0 if sign > 0 else 1]

        return zoom(lambda s: f(s, 1), nodes, low)[1], -zoom(lambda s: f(s, -1), nodes, -high)[1]

    def ends(self, bound: float) -> tuple[float, float]:
        keep = self._rows[2] <= bound
        if not keep.any():
            return math.inf, -math.inf
        # One more row on either side: the allowed range of w may end between two rows.
        first, last = np.flatnonzero(keep)[[0, -1]]
        rows = tuple(column[max(first - 1, 0) : last + 2] for column in self._rows)
        low, high = self._row_ends(rows, bound)
        for _ in range(4):
            size = np.max(high) - np.min(low)
            fresh = [self._gap(rows[0], low, 0.01 * size), self._gap(rows[0], -high, 0.01 * size)]
            w = np.unique(np.concatenate(fresh))
            if len(w) == 0:
                break
            more = (w, *self._over_s(w))
            *columns, low, high = merged((*rows, low, high), (*more, *self._row_ends(more, bound)))
            rows = tuple(columns)
        return float(low.min()), float(high.max())

    def law(self) -> BestLaw:
        w, s = (float(column[self._rows[2].argmin()]) for column in self._rows[:2])
        b, kappa, t0 = float(self.data.line(self._delta(np.array(w), np.array(s)))[1]), math.expm1(s), self.data.t[0]
        shape = lambda t: b * t + np.log1p(kappa * np.exp(-w * (t - t0)))  # noqa: E731
        return {"exponent": b, "kappa": kappa, "omega": w}, shape

    @staticmethod
    def _gap(w: Array, value: Array, tolerance: float) -> Array:
        """Values of w to look at between the best row's neighbours, where these differ from it visibly."""
        i = int(value.argmin())
        left, right = max(i - 1, 0), min(i + 1, len(w) - 1)
        if max(value[left], value[right]) - value[i] < tolerance or w[right] - w[left] < 1e-9:
            return np.empty(0)
        return np.linspace(w[left], w[right], 8)[1:-1]

    def posterior(self) -> Posterior:
        """Prior about 1/(0.3 + |kappa|) in kappa, flat in w."""
        rows = self._rows
        low, high = self._box
        s = self._around(rows, np.full(len(rows[0]), 16.0))
        value, b, se = self.data.line(self._delta(rows[0][:, None], s))
        whole = np.linspace(low, high, 201)
        total = float(np.trapezoid(np.exp(whole) / (0.3 + np.abs(np.expm1(whole))), whole))
        density = np.exp(s) / (0.3 + np.abs(np.expm1(s))) / total
        width = np.gradient(rows[0]) / (self.omega[1] - self.omega[0])
        spread = se * density * np.gradient(s, axis=1) * width[:, None]
        return (-value / 2 + np.log(np.maximum(spread, 1e-300))).ravel(), b.ravel(), se.ravel()
