"""Families of laws  mean = a x^b (1 + ...): their best fits and profile likelihoods in the exponent b.

power      a x^b
corrected  a x^b (1 + kappa (x/x_min)^-w), kappa and w in declared ranges (in exponent_corrected)
log        a x^b (log x)^p, p in a declared range, sizes > 1
floor      a x^b + F, F >= 0 (in exponent_floor)

Each family gives `best` (its smallest chi2) and `ends(bound)`, the least and largest b with chi2 <= bound. Nuisances
are continuous: grids only start searches, so precise data are not ruined by a coarse grid (16 values of w cost a
tenth of the coverage at a corner of the class) and no end is cut off by one.
"""

import math
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Protocol

import numpy as np

from asymp.montecarlo.exponent.likelihood import Array, Likelihood
from asymp.montecarlo.exponent.search import descend, reach, zoom

__all__ = ["Family", "Log", "Posterior", "Power"]


@dataclass(frozen=True)
class Posterior:
    """A family's posterior of b as a mixture of normals; `log_weight` is -chi2/2 + log(prior times spread)."""

    log_weight: Array
    mean: Array
    sd: Array


class Family(Protocol):
    """A family of laws fitted to a likelihood."""

    @property
    def parameters(self) -> int:
        """Number of free parameters, level and exponent included."""

    @property
    def best(self) -> float:
        """Smallest chi2 over the family."""

    def profile(self, b: float) -> float:
        """Smallest chi2 over the family at the exponent b."""

    def ends(self, bound: float) -> tuple[float, float]:
        """Least and largest b with chi2 <= bound; (inf, -inf) if there is none."""

    def posterior(self) -> Posterior:
        """Mixture of normals for b, flat prior in the level and in b."""


@dataclass(frozen=True)
class Power:
    """a x^b."""

    data: Likelihood
    parameters: int = 2

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

    def profile(self, b: float) -> float:
        return float(self.data.intercept(b * self.data.t))

    def ends(self, bound: float) -> tuple[float, float]:
        low, high = self.data.ends(np.zeros(len(self.data.t)), bound)
        return float(low), float(high)

    def posterior(self) -> Posterior:
        chi2, b, se = self._fit
        return Posterior(np.array([-chi2 / 2 + math.log(se)]), np.array([b]), np.array([se]))


@dataclass(frozen=True)
class Log:
    """a x^b (log x)^p with p in [low, high]; chi2 is convex in (a, b, p)."""

    data: Likelihood
    low: float
    high: float
    parameters: int = 3

    @cached_property
    def _loglog(self) -> Array:
        return np.log(self.data.t)

    def _best(self, low: float, high: float, b: float | None = None) -> tuple[float, float, float, float]:
        """The best p in [low, high] (at a given b, or at the best one): p, chi2, derivative, curvature."""
        line = b is None
        base = 0.0 if b is None else b * self.data.t

        def f(p: Array) -> tuple[Array, Array, Array]:
            h = base + p[:, None] * self._loglog
            return self.data.gradient(h, np.broadcast_to(self._loglog, h.shape), line=line)

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

    def profile(self, b: float) -> float:
        return self._best(self.low, self.high, b)[1]

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
        return Posterior(-value / 2 + np.log(np.maximum(spread, 1e-300)), b, se)
