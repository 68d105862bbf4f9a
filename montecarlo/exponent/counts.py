"""The likelihood of counts: errors among trials, binomial or Poisson, for sizes where few or no errors were seen.

A size without a single error is information: it bounds the mean from above. It is neither dropped (that would select
on the outcome) nor given an added epsilon; its likelihood (1 - mean)^trials enters like every other.

With y errors in n trials at mean mu = exp(eta), chi2 is the deviance 2 [y log(y/(n mu)) + (n-y) log((n-y)/(n(1-mu)))],
convex in eta; with n = inf it is that of a Poisson count of mean replicas * mu. Replicas that share randomness among
their trials scatter more than a binomial: each size's deviance is divided by its dispersion, at least 1, measured
between the replicas at the size itself if it has seen 20 errors, else over all sizes together. Values need not be
whole: a variable in [0, n] has at most the spread of a binomial of the same mean, so the interval is conservative.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import special

Array = NDArray[np.float64]
ENOUGH = 20.0  # errors from which a size's own dispersion is used
TINY = 1e-300


@dataclass(frozen=True)
class Counts:
    """Errors `y` in `n` trials at each size (n: the exposure if `poisson`), deviances divided by `dispersion`."""

    t: Array
    y: Array
    n: Array
    dispersion: Array
    poisson: bool
    freedom: float

    @cached_property
    def _own(self) -> Array:
        """Twice the log-likelihood of each size at its own mean."""
        y, n = self.y, self.n
        if self.poisson:
            return np.asarray(2 * (special.xlogy(y, y / n) - y) / self.dispersion)
        return np.asarray(2 * (special.xlogy(y, y / n) + special.xlogy(n - y, (n - y) / n)) / self.dispersion)

    @cached_property
    def _cap(self) -> Array:
        return np.log1p(-1 / (8 * self.n))

    @property
    def rough(self) -> tuple[Array, Array]:
        # Half an error more, so that no size is without a logarithm; only starts of searches see it.
        return np.log((self.y + 0.5) / (self.n + 0.5)), np.diag(np.sqrt((self.y + 0.5) / self.dispersion))

    def at(self, t: Array) -> "Counts":
        return replace(self, t=t)

    def _parts(self, eta: Array) -> tuple[Array, Array, Array]:
        """chi2 of each size, its derivative and its curvature in eta = log mean."""
        y, n, scale = self.y, self.n, 2 / self.dispersion
        if self.poisson:
            mu = scale * n * np.exp(np.minimum(eta, 300.0))
            return self._own - scale * y * eta + mu, mu - scale * y, mu + TINY
        # Above a mean of 1 - 1/(8n) the deviance goes on as a steep parabola: finite and convex for every eta.
        low = np.minimum(eta, self._cap)
        mu = np.exp(low)
        odds = mu / (1 - mu)
        rest = scale * (n - y)
        slope = rest * odds
        curve = slope + slope * odds + (1e-9 * scale * n) * odds
        slope -= scale * y
        value = self._own - scale * y * low - rest * np.log1p(-mu)
        over = eta - low
        if over.any():
            steep = np.where(over > 0, np.maximum(curve, 8 * scale * n * n), 0.0)
            value = value + over * (slope + steep * over / 2)
            slope, curve = slope + steep * over, np.where(over > 0, steep, curve)
        return value, slope, curve

    def level(self, h: Array) -> Array:
        """The best a for each h: in closed form for a Poisson count, else by Newton from there."""
        weight = self.n / self.dispersion
        top = h.max(-1, keepdims=True)
        total = (self.y / self.dispersion).sum()
        a = math.log(total) - np.log(np.exp(h - top) @ weight) - top[..., 0]
        if self.poisson:
            return np.asarray(a)
        a = np.minimum(a, -top[..., 0])
        for _ in range(30):
            _, slope, curve = self._parts(a[..., None] + h)
            move = np.clip(slope.sum(-1) / curve.sum(-1), -2.0, 2.0)
            a = a - move
            # Newton is quadratic: a step of 1e-4 leaves an error of 1e-8.
            if np.max(np.abs(move), initial=0.0) < 1e-4:
                break
        return np.asarray(a)

    def intercept(self, h: Array) -> Array:
        return np.asarray(self._parts(self.level(h)[..., None] + h)[0].sum(-1))

    def _sums(self, a: Array, b: Array, delta: Array) -> tuple[Array, ...]:
        """chi2 of a + b t + delta (t centred), its two derivatives and three second derivatives."""
        t = self._centred
        value, slope, curve = self._parts(a[..., None] + b[..., None] * t + delta)
        return value.sum(-1), slope.sum(-1), slope @ t, curve.sum(-1), curve @ t, curve @ (t * t)

    @cached_property
    def _centred(self) -> Array:
        """Log-sizes about the middle of the errors, where level and slope are nearly independent."""
        weight = self.y / self.dispersion
        return np.asarray(self.t - (weight * self.t).sum() / weight.sum())

    def _fit(self, delta: Array) -> tuple[Array, Array, Array, Array]:
        """Newton in the level and the slope, chi2 being convex in both: chi2, a, b, standard error of b."""
        # Half an error more gives the start of the search; nothing else sees it.
        weight, t = self.y + 0.5, self._centred
        rough = np.log(weight / (self.n + 0.5)) - delta
        middle = (weight * t).sum() / weight.sum()
        b = rough @ (weight * (t - middle)) / (weight * (t - middle) ** 2).sum()
        a = rough @ weight / weight.sum() - b * middle
        now = self._sums(a, b, delta)
        damp = np.ones(a.shape)
        for i in range(100):
            _, da, db, aa, ab, bb = now
            det = np.maximum(aa * bb - ab * ab, TINY)
            move_a, move_b = (bb * da - ab * db) / det, (aa * db - ab * da) / det
            size = np.maximum(np.abs(move_a), np.abs(move_b) * np.ptp(t))
            keep = damp * np.minimum(1.0, 4 / np.maximum(size, TINY))
            fresh_a, fresh_b = a - keep * move_a, b - keep * move_b
            new = self._sums(fresh_a, fresh_b, delta)
            down = new[0] <= now[0] + 1e-9 * (1 + np.abs(now[0]))
            damp = np.where(down, np.minimum(1.0, 3 * damp), damp / 4)
            gain = np.max(np.where(down, np.abs(now[0] - new[0]), 1.0), initial=0.0)
            a, b = np.where(down, fresh_a, a), np.where(down, fresh_b, b)
            now = tuple(np.where(down, p, q) for p, q in zip(new, now, strict=True))
            if gain < 1e-5 or (i > 20 and np.max(damp) < 1e-6):
                break
        _, _, _, aa, ab, bb = now
        return now[0], a, b, np.sqrt(2 / np.maximum(bb - ab * ab / aa, TINY))

    def line(self, delta: Array) -> tuple[Array, Array, Array]:
        chi2, _, b, se = self._fit(delta)
        return chi2, b, se

    def gradient(self, h: Array, dh: Array, *, line: bool) -> tuple[Array, Array, Array]:
        if line:
            _, a, b, _ = self._fit(h)
            h = h + a[..., None] + b[..., None] * self._centred
        else:
            h = h + self.level(h)[..., None]
        value, slope, curve = self._parts(h)
        # Curvature left after the level (and the slope) have followed: residuals of dh about a level (a line).
        dh = np.broadcast_to(dh, h.shape)
        weight = curve / curve.sum(-1, keepdims=True)
        rest = dh - (weight * dh).sum(-1, keepdims=True)
        if line:
            t = self._centred - (weight * self._centred).sum(-1, keepdims=True)
            rest = rest - t * ((weight * t * rest).sum(-1) / (weight * t * t).sum(-1))[..., None]
        return value.sum(-1), (slope * dh).sum(-1), (curve * rest**2).sum(-1) + TINY

    def ends(self, delta: Array, bound: float) -> tuple[Array, Array]:
        chi2, a, b, se = self._fit(delta)
        low, high = np.full(chi2.shape, np.inf), np.full(chi2.shape, -np.inf)
        allowed = chi2 <= bound
        if allowed.any():
            rows = delta[allowed], a[allowed], b[allowed], se[allowed] * np.sqrt(bound - chi2[allowed])
            low[allowed], high[allowed] = self._crossing(*rows, bound, -1), self._crossing(*rows, bound, 1)
        return low, high

    def _crossing(self, delta: Array, a0: Array, b0: Array, half: Array, bound: float, side: int) -> Array:
        """The b on one side of the best where chi2, the level following, meets the bound.

        Newton in b on a convex function: from outside it is monotone. The level first follows by one Newton step of
        its own, what that step will still gain being taken off chi2; where this has not settled (few errors, extreme
        levels: far from a parabola) the level is made exact at every step.
        """
        a, b = a0, b0 + side * half
        for _ in range(12):
            value, da, db, aa, ab, _ = self._sums(a, b, delta)
            excess = value - da * da / (2 * aa) - bound
            move = np.clip(excess / np.maximum(side * (db - ab * da / aa), 1e-9), -half, half)
            fresh = b - side * move
            a = a - np.clip((da + ab * (fresh - b)) / aa, -2.0, 2.0)
            b = fresh
            if np.max(np.abs(excess), initial=0.0) < 1e-3:
                break
        t = self._centred
        left = np.flatnonzero(np.abs(self.intercept(b[:, None] * t + delta) - bound) > 1e-2)
        b[left] = (b0 + side * half)[left]
        for _ in range(100):
            if len(left) == 0:
                break
            value, slope, _ = self.gradient(b[left, None] * t + delta[left], t, line=False)
            excess = value - bound
            move = np.clip(excess / np.maximum(side * slope, 1e-9), -4 * half[left] - 1e-9, half[left])
            fresh = b[left] - side * move
            b[left] = np.maximum(fresh, b0[left]) if side > 0 else np.minimum(fresh, b0[left])
            left = left[np.abs(excess) > 1e-3]
        return b

    def scatter(self, freedom: int) -> float:
        return self.freedom * len(self.t)


def size_counts(t: Array, samples: list[Array], trials: Array) -> Counts:
    """Counts of `trials` a replica at each size (inf: Poisson)."""
    poisson = bool(np.isinf(trials).all())
    replicas = np.array([len(values) for values in samples], dtype=float)
    y = np.array([values.sum() for values in samples])
    n = replicas if poisson else replicas * trials
    mean = y / replicas
    spread = mean if poisson else mean * (1 - y / n)
    single = not poisson and bool((trials == 1).all())
    dispersion = np.ones(len(t))
    if not single:
        square = np.array([((values - values.mean()) ** 2).sum() for values in samples])
        seen = spread > 0
        pooled = (square[seen] / spread[seen]).sum() / max((replicas[seen] - 1).sum(), 1.0) if seen.any() else 1.0
        own = square / np.where(seen, spread * np.maximum(replicas - 1, 1), 1.0)
        dispersion = np.maximum(np.where((y >= ENOUGH) & seen & (replicas > 1), own, pooled), 1.0)
    # One replica a size tells nothing of dispersion: binomial scatter is then an assumption.
    freedom = math.inf if single or replicas.min() < 2 else float(replicas.min() - 1)
    return Counts(t=t, y=y, n=n, dispersion=dispersion, poisson=poisson, freedom=freedom)
