"""Families of laws  mean = a x^b (1 + ...): their best fits and profile likelihoods in the exponent b.

power      a x^b
log        a x^b (log x)^p, p in a declared range, sizes > 1
corrected  a x^b (1 + kappa (x/x_min)^-w), kappa and w in declared ranges
floor      a x^b + F, F >= 0

Each family gives `best` (its smallest chi2) and `ends(bound)`, the least and largest b with chi2 <= bound. Nuisances
are continuous: grids only start searches, so precise data are not ruined by a coarse grid (16 values of w cost a
tenth of the coverage at a corner of the class) and no end is cut off by one.

Corrected: kappa is the correction at the smallest size, so that the class does not depend on the unit of x; kappa > -1. The
search runs in (w, s = log(1 + kappa)): for each w the best s by Gauss-Newton from a grid, rows of w added where chi2 varies
fast. Ends of the interval are extrema of b(w, s) -+ its half-width over the (w, s) that the bound allows.

Floor: it sits where the power is smallest, at x_max for a decaying law, at x_min for a growing one. With u >= 0 the
log-distance from there, log mean = const + |b| u + log(1 + exp(z - |b| u)), where exp(z) is the floor over the power's
smallest value. For each b the best z is found by Gauss-Newton from a grid, the floor's absence (z = -inf) and a floor that
hides everything included; the chi2 so profiled is searched in b. As |b| grows only the size farthest from the floor still
sees the power, so chi2 has a limit; where the bound allows that limit the interval is unbounded, and says so.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import ClassVar

import numpy as np

from asymp.montecarlo.exponent.data import Array, Likelihood, descend, merged, reach, zoom

ROWS, COLUMNS = 29, 41  # starting grid in w and s
SPREAD = (1 - np.cos(np.linspace(0, math.pi, 21))) / 2  # denser at both ends, where the ends of the interval bend
NODES = 24  # starting values of z
FAINT = 14.0  # a floor or a power e^-14 times the rest is not seen by data of more than 1e-6 relative error
STEEP = 25.0  # |b| times a step in log x from which only one size still sees the power


Posterior = tuple[Array, Array, Array]
"""A family's posterior of b as a mixture of normals: log weights (-chi2/2 + log(prior times spread)), means, spreads."""


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


@dataclass(frozen=True)
class Log(Family):
    """a x^b (log x)^p with p in [low, high]; chi2 is convex in (a, b, p)."""

    low: float
    high: float
    parameters = 3

    @cached_property
    def _loglog(self) -> Array:
        return np.log(self.data.t)

    def _best(self, low: float, high: float) -> tuple[float, float, float, float]:
        """The best p in [low, high]: p, chi2, derivative, curvature."""

        def f(p: Array) -> tuple[Array, Array, Array]:
            h = p[:, None] * self._loglog
            return self.data.gradient(h, np.broadcast_to(self._loglog, h.shape), line=True)

        found = descend(f, np.array([(low + high) / 2]), high - low, low, high, rounds=12)
        p, chi2, slope, curve = (float(v[0]) for v in found)
        return p, chi2, slope, curve

    @cached_property
    def _fit(self) -> tuple[float, float, float, float]:
        return self._best(self.low, self.high)

    @property
    def best(self) -> float:
        return self._fit[1]

    def beyond(self, p: float) -> float:
        """Smallest chi2 with |power of the logarithm| >= p: how well a real logarithm does; inf if none is declared."""
        sides = ((self.low, min(self.high, -p)), (max(self.low, p), self.high))
        return min((self._best(low, high)[1] for low, high in sides if low <= high), default=math.inf)

    def _around(self, room: float) -> Array:
        """Powers p whose chi2 may lie within `room` of the best."""
        p, _, slope, curve = self._fit
        below, above = reach(np.array(room), np.array(slope), np.array(curve), self.high - self.low)
        return np.linspace(max(p - 1.1 * float(below), self.low), min(p + 1.1 * float(above), self.high), 33)

    def ends(self, bound: float) -> tuple[float, float]:
        p, chi2, _, _ = self._fit
        if chi2 > bound:
            return math.inf, -math.inf
        nodes = np.sort(np.append(self._around(bound - chi2), p))[None]

        def f(p: Array, sign: int) -> Array:
            return sign * self.data.ends(p[..., None] * self._loglog, bound)[0 if sign > 0 else 1]

        low, high = (zoom(partial(f, sign=sign), nodes, f(nodes, sign), rounds=3)[1] for sign in (1, -1))
        return float(low[0]), -float(high[0])

    def posterior(self) -> Posterior:
        p = self._around(16.0)
        value, b, se = self.data.line(p[:, None] * self._loglog)
        spread = se * (p[1] - p[0]) / (self.high - self.low)
        return -value / 2 + np.log(np.maximum(spread, 1e-300)), b, se


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


@dataclass(frozen=True)
class Floor(Family):
    """a x^b + F with F >= 0, b of either sign; `slope` (that of a pure power) says where to look first."""

    slope: float
    parameters = 3

    def _profile(self, b: Array) -> Array:
        """chi2 at each b, the best floor taken."""
        t = self.data.t
        rise = np.abs(b)[:, None] * np.where(b[:, None] < 0, t[-1] - t, t - t[0])
        low, high = -FAINT, rise.max(1) + FAINT
        step = (high - low) / (NODES - 1)

        def h(z: Array) -> tuple[Array, Array]:
            ratio = np.exp(np.minimum(z[..., None] - rise, 700.0))
            return rise + np.log1p(ratio), ratio / (1 + ratio)

        z = low + step * np.arange(NODES)[:, None]
        coarse = self.data.intercept(h(z)[0])
        start = np.take_along_axis(z, coarse.argmin(0)[None], 0)[0]
        found = descend(lambda z: self.data.gradient(*h(z), line=False), start, step, low, high)[1]
        flat = float(self.data.intercept(np.zeros(len(t))))  # a floor that hides the power at every size
        return np.minimum(np.minimum(found, self.data.intercept(rise)), flat)

    @cached_property
    def _limits(self) -> tuple[float, float]:
        """chi2 as b -> -inf and +inf: all but the first (last) size at one level, that one at or above it."""
        only = np.eye(len(self.data.t))[[0, -1]]

        def f(rise: Array) -> tuple[Array, Array, Array]:
            return self.data.gradient(rise[:, None] * only, only, line=False)

        chi2 = descend(f, np.zeros(2), 3.0, 0.0, 700.0, rounds=40)[1]
        return float(chi2[0]), float(chi2[1])

    @cached_property
    def _scan(self) -> tuple[Array, Array]:
        """Exponents and their chi2, increasing in b, dense around the best."""
        t = self.data.t
        size = max(abs(self.slope), 1e-3)
        steep = (STEEP / (t[1] - t[0]), STEEP / (t[-1] - t[-2]))
        own, other = steep if self.slope < 0 else steep[::-1]
        near = np.geomspace(size / 8, max(own, 8 * size), 28)
        far = np.geomspace(size / 8, max(other, 8 * size), 8)
        sign = -1 if self.slope < 0 else 1
        b = np.unique(np.concatenate([sign * near, -sign * far, [sign * size]]))
        chi2 = self._profile(b)
        for _ in range(6):
            i = int(np.clip(chi2.argmin(), 1, len(b) - 2))
            if max(chi2[i - 1], chi2[i + 1]) - chi2[i] < 0.05:
                break
            fresh = np.concatenate([np.linspace(b[i - 1], b[i], 6)[1:-1], np.linspace(b[i], b[i + 1], 6)[1:-1]])
            b, chi2 = merged((b, chi2), (fresh, self._profile(fresh)))
        return b, chi2

    @property
    def best(self) -> float:
        return float(min(self._scan[1].min(), *self._limits))

    def ends(self, bound: float) -> tuple[float, float]:
        b, chi2 = self._scan
        inside = np.flatnonzero(chi2 <= bound)
        free = (self._limits[0] <= bound, self._limits[1] <= bound)
        if len(inside) == 0:  # only the limits are allowed
            return -math.inf if free[0] else math.inf, math.inf if free[1] else -math.inf
        first, last = inside[0], inside[-1]
        below = b[first - 1] if first > 0 else 4 * b[0]
        above = b[last + 1] if last + 1 < len(b) else 4 * b[-1]
        low, high = self._crossings(np.array([b[first], b[last]]), np.array([below, above]), bound)
        return -math.inf if free[0] else low, math.inf if free[1] else high

    def _crossings(self, inner: Array, outer: Array, bound: float) -> tuple[float, float]:
        """Where chi2 leaves the bound between two exponents inside and two outside."""
        share = np.linspace(0, 1, 9)
        rows = np.arange(2)
        for _ in range(3):
            edges = inner[:, None] + (outer - inner)[:, None] * share
            chi2 = self._profile(edges.ravel()).reshape(edges.shape)
            last = 8 - (chi2 <= bound)[:, ::-1].argmax(1)
            last = np.where((chi2 <= bound).any(1), np.minimum(last, 7), 0)
            inner, outer = edges[rows, last], edges[rows, last + 1]
        inside, outside = chi2[rows, last], chi2[rows, last + 1]
        share_of = np.clip((bound - inside) / np.maximum(outside - inside, 1e-300), 0.0, 1.0)
        found = inner + (outer - inner) * share_of
        return float(found[0]), float(found[1])

    def posterior(self) -> Posterior:
        """Profile likelihood on the scan, each exponent a narrow normal; prior Cauchy about the pure power's slope.

        The prior must be proper: under a floor that hides everything every exponent fits alike.
        """
        b, chi2 = self._scan
        width = np.gradient(b)
        prior = -np.log1p((b - self.slope) ** 2) - math.log(math.sqrt(2 * math.pi) * math.pi)
        return -chi2 / 2 + np.log(width) + prior, b, width / 2
