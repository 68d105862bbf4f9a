"""The family a x^b + F, F >= 0.

The floor sits where the power is smallest, at x_max for a decaying law, at x_min for a growing one. With u >= 0 the
log-distance from there, log mean = const + |b| u + log(1 + exp(z - |b| u)), where exp(z) is the floor over the power's
smallest value. For each b the best z is found by Gauss-Newton from a grid, the floor's absence (z = -inf) and a floor that
hides everything included; the chi2 so profiled is searched in b. As |b| grows only the size farthest from the floor still
sees the power, so chi2 has a limit; where the bound allows that limit the interval is unbounded, and says so.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from asymp.montecarlo.exponent.data import Array, descend, merged
from asymp.montecarlo.exponent.families import BestLaw, Family, Posterior

NODES = 24  # starting values of z
FAINT = 14.0  # a floor or a power e^-14 times the rest is not seen by data of more than 1e-6 relative error
STEEP = 25.0  # |b| times a step in log x from which only one size still sees the power


@dataclass(frozen=True)
class Floor(Family):
    """a x^b + F with F >= 0, b of either sign; `slope` (that of a pure power) says where to look first."""

    slope: float
    parameters = 3

    def _profile(self, b: Array) -> Array:
        """chi2 at each b, the best floor taken."""
        return self._floors(b)[0]

    def _floors(self, b: Array) -> tuple[Array, Array]:
        """chi2 at each b and the best floor: its logarithm over the power's smallest value."""
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
        z, found, _, _ = descend(lambda z: self.data.gradient(*h(z), line=False), start, step, low, high)
        flat = float(self.data.intercept(np.zeros(len(t))))  # a floor that hides the power at every size
        pure = self.data.intercept(rise)
        return np.minimum(np.minimum(found, pure), flat), np.where(pure <= found, -np.inf, z)

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

    def law(self) -> BestLaw:
        t, (b, chi2) = self.data.t, self._scan
        at = b[chi2.argmin()]
        lowest = at * (t[-1] if at < 0 else t[0])
        height = float(self._floors(np.array([at]))[1][0]) + lowest
        return {"exponent": float(at), "floor": math.exp(height)}, lambda t: np.logaddexp(at * t, height)
