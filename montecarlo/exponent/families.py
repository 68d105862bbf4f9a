"""Families of laws  mean = a x^b (1 + ...): their best fits and profile likelihoods in the exponent b.

power      a x^b
log        a x^b (log x)^p, p in a declared range, sizes > 1
shifted    a (x + x0)^b, x0/x_min in a declared range
corrected  a x^b (1 + kappa (x/x_min)^-w), kappa and w in declared ranges
floor      a x^b + F, F >= 0

Each family gives `best` (its smallest chi2) and `ends(bound)`, the least and largest b with chi2 <= bound. Nuisances
are continuous: grids only start searches, so precise data are not ruined by a coarse grid (16 values of w cost a
tenth of the coverage at a corner of the class) and no end is cut off by one.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from asymp.montecarlo.exponent.data import Array, Likelihood, merged, zoom

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
