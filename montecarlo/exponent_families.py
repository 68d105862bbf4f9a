"""Families of laws  mean = a x^b (1 + ...): their best fits and profile likelihoods in the exponent b.

power      a x^b
corrected  a x^b (1 + kappa (x/x_min)^-w), kappa and w in declared ranges
log        a x^b (log x)^p, p in a declared range, sizes > 1
floor      a x^b + F, F >= 0 (in exponent_floor)

Each family gives `best` (its smallest chi2), `profile(b)` and `ends(bound)`, the least and largest b with chi2 <= bound.
Nuisances are continuous: grids only start searches, so precise data are not ruined by a coarse grid (a grid of 16
values of w costs a tenth of coverage at a corner of the class) and no end is cut off by one.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Protocol

import numpy as np

from asymp.montecarlo.exponent_likelihood import Array, Likelihood

__all__ = ["Corrected", "Family", "Log", "Posterior", "Power", "minimise"]

ROWS, COLUMNS = 29, 41  # starting grid: exponents w of the correction, sizes log(1 + kappa) of it


@dataclass(frozen=True)
class Posterior:
    """A family's posterior of b as a mixture of normals; `weight` are exp(-chi2/2) times prior times spread."""

    weight: Array
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

    def profile(self, b: Array) -> Array:
        """Smallest chi2 over the family at each exponent b."""

    def ends(self, bound: float) -> tuple[float, float]:
        """Least and largest b with chi2 <= bound; (inf, -inf) if there is none."""

    def posterior(self) -> Posterior:
        """Mixture of normals for b, flat prior in the level and in b."""


def minimise(
    f: Callable[[Array], Array], start: Array, step: float, low: float, high: float, *, rounds: int = 6
) -> tuple[Array, Array, Array]:
    """Minimise each entry of f over [low, high] from a bracket start +- step, by parabolas on shrinking steps.

    f maps an array (m, j) of arguments to values; row by row all entries j are independent one-dimensional problems.
    Returns arguments, values and the curvature d2f/dx2 of the last wide parabola (at least a tiny positive number).
    """
    x = np.clip(start, low, high)
    fx = f(x[None])[0]
    curvature = np.full(x.shape, 1e-300)
    for _ in range(rounds):
        left, right = np.maximum(x - step, low), np.minimum(x + step, high)
        f_left, f_right = f(np.stack([left, right]))
        # Newton's divided differences: they also hold where the interval's end has moved a point inwards.
        with np.errstate(divide="ignore", invalid="ignore"):
            d_left = (fx - f_left) / (x - left)
            d_right = (f_right - fx) / (right - x)
            second = (d_right - d_left) / (right - left)
            slope = d_left + second * (x - left)
            vertex = x - slope / (2 * second)
        good = np.isfinite(vertex) & (second > 0)
        vertex = np.clip(np.where(good, vertex, x), left, right)
        f_vertex = f(vertex[None])[0]
        values = np.stack([fx, f_left, f_right, f_vertex])
        points = np.stack([x, left, right, vertex])
        curvature = np.where(good, 2 * np.where(good, second, 1.0), curvature)
        pick = values.argmin(0)[None]
        x, fx = np.take_along_axis(points, pick, 0)[0], np.take_along_axis(values, pick, 0)[0]
        step /= 4
    return x, fx, curvature


@dataclass(frozen=True)
class Power:
    """a x^b."""

    data: Likelihood
    parameters: int = 2

    @cached_property
    def _fit(self) -> tuple[float, float, float]:
        chi2, b, se = self.data.line(np.zeros((1, len(self.data.t))))
        return float(chi2[0]), float(b[0]), float(se[0])

    @property
    def best(self) -> float:
        return self._fit[0]

    @property
    def slope(self) -> float:
        return self._fit[1]

    def profile(self, b: Array) -> Array:
        return self.data.intercept(b[:, None] * self.data.t)

    def ends(self, bound: float) -> tuple[float, float]:
        delta = np.zeros((1, len(self.data.t)))
        low, high = self.data.ends(delta, bound, tuple(np.array([v]) for v in self._fit))  # type: ignore[arg-type]
        return float(low[0]), float(high[0])

    def posterior(self) -> Posterior:
        chi2, b, se = self._fit
        return Posterior(np.array([math.exp(-chi2 / 2) * se]), np.array([b]), np.array([se]))


@dataclass(frozen=True)
class Log:
    """a x^b (log x)^p with p in [low, high]: linear in p for fixed b."""

    data: Likelihood
    low: float
    high: float
    parameters: int = 3

    def _delta(self, p: Array) -> Array:
        return p[..., None] * np.log(self.data.t)

    def _profile_line(self, p: Array) -> Array:
        return self.data.line(self._delta(p))[0]

    @cached_property
    def _nodes(self) -> tuple[Array, tuple[Array, Array, Array]]:
        p = np.linspace(self.low, self.high, 41) if self.high > self.low else np.array([self.low])
        return p, self.data.line(self._delta(p))

    @cached_property
    def _fit(self) -> tuple[float, float, float]:
        p, (chi2, _, _) = self._nodes
        start = p[chi2.argmin()][None]
        x, value, curvature = minimise(self._profile_line, start, (self.high - self.low) / 40, self.low, self.high)
        return float(x[0]), float(value[0]), float(curvature[0])

    @property
    def best(self) -> float:
        return self._fit[1]

    def beyond(self, p: float) -> float:
        """Smallest chi2 with |power of the logarithm| >= p: how well a real logarithm does; inf if not declared."""
        sides = []
        for low, high in ((self.low, min(self.high, -p)), (max(self.low, p), self.high)):
            if low <= high:
                sides.append(float(minimise(self._profile_line, np.array([(low + high) / 2]), high - low, low, high)[1][0]))
        return min(sides, default=math.inf)

    def profile(self, b: Array) -> Array:
        line = b[:, None] * self.data.t

        def f(p: Array) -> Array:
            return self.data.intercept(line + self._delta(p))

        middle = np.full(b.shape, (self.low + self.high) / 2)
        return minimise(f, middle, (self.high - self.low) / 2, self.low, self.high, rounds=8)[1]

    def ends(self, bound: float) -> tuple[float, float]:
        p_best, chi2, curvature = self._fit
        if chi2 > bound:
            return math.inf, -math.inf
        half = 1.1 * math.sqrt(2 * (bound - chi2) / curvature) if curvature > 1e-200 else self.high - self.low
        p = np.clip(p_best + half * np.linspace(-1, 1, 41), self.low, self.high)
        found = []
        for sign, pick in ((1, 0), (-1, 1)):

            def f(p: Array, sign: int = sign, pick: int = pick) -> Array:
                delta = self._delta(p)
                return sign * self.data.ends(delta, bound, self.data.line(delta))[pick]

            start = p[f(p).argmin()][None]
            found.append(sign * float(minimise(f, start, half / 20, self.low, self.high)[1][0]))
        return found[0], found[1]

    def posterior(self) -> Posterior:
        p_best, chi2, curvature = self._fit
        half = min(4 / math.sqrt(curvature / 2), self.high - self.low) if curvature > 1e-200 else self.high - self.low
        p = np.clip(np.linspace(p_best - half, p_best + half, 61), self.low, self.high)
        value, b, se = self.data.line(self._delta(p))
        weight = np.exp(-value / 2) * se * np.gradient(p) / max(self.high - self.low, 1e-12)
        return Posterior(weight, b, se)


@lru_cache(maxsize=64)
def _correction_grid(t: tuple[float, ...], kappa: tuple[float, float], omega: tuple[float, float]) -> Array:
    """delta on the starting grid, (ROWS, COLUMNS, k): the same for every study of the same sizes."""
    w = np.linspace(*omega, ROWS)[:, None, None]
    size = np.expm1(np.linspace(math.log1p(kappa[0]), math.log1p(kappa[1]), COLUMNS))[None, :, None]
    return np.log1p(size * np.exp(-w * (np.array(t) - t[0])))


@dataclass(frozen=True)
class Corrected:
    """a x^b (1 + kappa (x/x_min)^-w), kappa > -1 and w in declared ranges, searched in (w, s = log(1 + kappa))."""

    data: Likelihood
    kappa: tuple[float, float]
    omega: tuple[float, float]
    parameters: int = 4

    @property
    def _box(self) -> tuple[float, float]:
        return math.log1p(self.kappa[0]), math.log1p(self.kappa[1])

    def _delta(self, w: Array, s: Array) -> Array:
        t = self.data.t
        return np.log1p(np.expm1(s)[..., None] * np.exp(-w[..., None] * (t - t[0])))

    @cached_property
    def _grid(self) -> tuple[Array, Array, tuple[Array, Array, Array]]:
        delta = _correction_grid(tuple(self.data.t.tolist()), self.kappa, self.omega)
        return np.linspace(*self.omega, ROWS), np.linspace(*self._box, COLUMNS), self.data.line(delta)

    def _over_s(self, w: Array, start: Array) -> tuple[Array, Array, Array]:
        """For each w the best s, its chi2 and the curvature there."""
        low, high = self._box
        step = (high - low) / (COLUMNS - 1)
        return minimise(lambda s: self.data.line(self._delta(w, s))[0], start, step, low, high)

    @cached_property
    def _rows(self) -> tuple[Array, Array, Array, Array]:
        """w, and for each the best s, chi2 and curvature in s: the starting rows and those around the best w."""
        w, s, (chi2, _, _) = self._grid
        rows = (w, *self._over_s(w, s[chi2.argmin(1)]))
        low, high = self.omega
        gap = (high - low) / (ROWS - 1)
        for _ in range(4):
            i = int(rows[2].argmin())
            near = np.abs(rows[0] - rows[0][i]) < 1.01 * gap
            # Rows near the best that differ little say everything; else look closer.
            if gap == 0.0 or np.ptp(rows[2][near]) < 0.05:
                break
            fresh = np.clip(rows[0][i] + gap * np.linspace(-1, 1, 10), low, high)
            rows = tuple(  # type: ignore[assignment]
                np.concatenate(pair) for pair in zip(rows, (fresh, *self._over_s(fresh, self._start(fresh))), strict=True)
            )
            gap /= 5
        return rows

    def _start(self, w: Array) -> Array:
        """The best s of the starting grid for any w."""
        _, s, _ = self._grid
        chi2 = self.data.line(self._delta(w[:, None], s[None, :]))[0]
        return np.asarray(s[chi2.argmin(1)])

    @property
    def best(self) -> float:
        return float(self._rows[2].min())

    def profile(self, b: Array) -> Array:
        low, high = self._box
        s = np.linspace(low, high, COLUMNS)
        found = []
        for value in b:
            h0 = value * self.data.t
            w = np.linspace(*self.omega, ROWS)

            def over(w: Array, h0: Array = h0) -> tuple[Array, Array]:
                coarse = self.data.intercept(h0 + self._delta(w[:, None], s[None, :]))
                result = minimise(
                    lambda s: self.data.intercept(h0 + self._delta(w, s)),
                    s[coarse.argmin(1)],
                    (high - low) / (COLUMNS - 1),
                    low,
                    high,
                )
                return result[0], result[1]

            chi2 = over(w)[1]
            gap = w[1] - w[0]
            for _ in range(4):
                centre = w[chi2.argmin()]
                w = np.concatenate([w, np.clip(centre + gap * np.linspace(-1, 1, 9), *self.omega)])
                chi2 = np.concatenate([chi2, over(w[-9:])[1]])
                gap /= 4
            found.append(chi2.min())
        return np.array(found)

    def ends(self, bound: float) -> tuple[float, float]:
        w0, s0, best0 = self._grid
        low, high = self._box
        if self.best > bound:
            return math.inf, -math.inf
        w, s, chi2, curvature = self._rows
        half = np.sqrt(2 * np.maximum(bound - chi2, 0) / np.maximum(curvature, 1e-12)) * 1.2
        keep = chi2 <= bound
        spread = s[keep, None] + np.minimum(half[keep, None], high - low) * np.linspace(-1, 1, 25)
        s1 = np.clip(spread, low, high)
        w1 = np.broadcast_to(w[keep, None], s1.shape)
        coarse = best0[0] <= bound
        w2 = np.concatenate([w1.ravel(), np.broadcast_to(w0[:, None], coarse.shape)[coarse]])
        s2 = np.concatenate([s1.ravel(), np.broadcast_to(s0[None, :], coarse.shape)[coarse]])
        delta = self._delta(w2, s2)
        sides = self.data.ends(delta, bound, self.data.line(delta))
        found = []
        for sign, pick in ((1, 0), (-1, 1)):
            i = int((sign * sides[pick]).argmin())
            found.append(sign * self._polish(w2[i], s2[i], float(sign * sides[pick][i]), bound, sign, pick))
        return found[0], found[1]

    def _polish(self, w: float, s: float, value: float, bound: float, sign: int, pick: int) -> float:
        """Push an end outwards by a shrinking 7 x 7 pattern around the best node."""
        low, high = self._box
        dw, ds = (self.omega[1] - self.omega[0]) / (ROWS - 1), (high - low) / (COLUMNS - 1)
        pattern = np.linspace(-1, 1, 7)
        for _ in range(6):
            ww = np.clip(w + dw * np.repeat(pattern, 7), *self.omega)
            ss = np.clip(s + ds * np.tile(pattern, 7), low, high)
            delta = self._delta(ww, ss)
            end = sign * self.data.ends(delta, bound, self.data.line(delta))[pick]
            i = int(end.argmin())
            if end[i] < value:
                w, s, value = float(ww[i]), float(ss[i]), float(end[i])
            dw, ds = dw / 2, ds / 2
        return value

    def posterior(self) -> Posterior:
        """Prior about 1/(0.3 + |kappa|) in kappa, flat in w; the best s of each w carries its own spread."""
        w, s, chi2, curvature = self._rows
        low, high = self._box
        half = np.minimum(4 / np.sqrt(np.maximum(curvature, 1e-12) / 2), high - low)[:, None]
        s1 = np.clip(s[:, None] + half * np.linspace(-1, 1, 31), low, high)
        value, b, se = self.data.line(self._delta(w[:, None], s1))
        size = np.expm1(s1)
        norm = np.trapezoid(np.exp(np.linspace(low, high, 201)) / (0.3 + np.abs(np.expm1(np.linspace(low, high, 201)))))
        norm *= (high - low) / 200
        density = np.exp(s1) / (0.3 + np.abs(size)) / max(norm, 1e-12)
        order = np.argsort(w)
        width = np.empty_like(w)
        width[order] = np.gradient(w[order]) if len(w) > 1 else 1.0
        weight = np.exp(-value / 2) * se * density * np.gradient(s1, axis=1) * width[:, None]
        return Posterior((weight / max(self.omega[1] - self.omega[0], 1e-12)).ravel(), b.ravel(), se.ravel())
