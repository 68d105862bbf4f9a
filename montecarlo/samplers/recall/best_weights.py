"""Weights that leave as little error as possible, found numerically: inputs of an experiment, not a statement.

Given the margins a_x = q(x) sqrt(d/S_y) of many inputs in many dimensions, an input is missed about as often as a normal
variable a + t is beaten by M - 1 others. The weights here minimise the sum of p(x) times that chance under the budget
sum of a^2 = d M: at the price lam every input takes the margin where p |slope(a)| = 2 lam a. Whether they are any good
is for the simulation to say: it stores them and counts errors. M up to 45, where the chance is convex in a^2.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from scipy.special import log_ndtr

from asymp.montecarlo.checks import check_whole
from asymp.montecarlo.samplers.recall.representatives import head_length
from asymp.montecarlo.samplers.zipf import zipf_total

MOST_OUTPUTS = 45
NODES = 64
"""Gauss-Hermite nodes of the average over one normal."""
SMALLEST, LARGEST, POINTS = 1e-18, 60.0, 6000
"""The table of margins."""
PER_FOLD = 400
"""Points of an integral over x for each factor e of x."""


@dataclass(frozen=True, eq=False)
class BestWeights:
    """q(x) = a(p(x)/lam) on x = 1, 2, ..., by interpolation in a table of log a against log(p/lam)."""

    alpha: float
    M: int
    log_ratio: float
    """log of p(1)/lam."""
    levels: np.ndarray
    logs: np.ndarray

    def at(self, x: torch.Tensor) -> torch.Tensor:
        """The weights of inputs x."""
        q = self.margin(x.detach().cpu().numpy()) if x.device.type == "cpu" else None
        if q is not None:
            return torch.as_tensor(q, dtype=torch.float64, device=x.device)
        return self._on_device(x)

    def margin(self, x: np.ndarray) -> np.ndarray:
        """a of inputs x."""
        found: np.ndarray = np.exp(np.interp(self.log_ratio - self.alpha * np.log(x), self.levels, self.logs))
        return found

    def input_at(self, margin: float) -> float:
        """The input (a real number) that has a given margin."""
        return math.exp((self.log_ratio - float(np.interp(math.log(margin), self.logs, self.levels))) / self.alpha)

    def squares(self, H: int, stored: float) -> np.ndarray:
        """The sum of a^2 over x > H in every class; each is an integral from half a step before its first input."""
        del stored
        first = np.array([H + 1 + (c - H - 1) % self.M for c in range(self.M)], dtype=np.float64)
        return np.array([self._integral(start - self.M / 2) / self.M for start in first])

    def _integral(self, start: float) -> float:
        # a falls like x^-alpha, alpha > 1, once p < lam: 40 further factors e leave nothing
        end = max(0.0, self.log_ratio / self.alpha - math.log(start)) + 40.0
        t = np.linspace(math.log(start), math.log(start) + end, math.ceil(PER_FOLD * end))
        return float(np.trapezoid(self.margin(np.exp(t)) ** 2 * np.exp(t), t))

    def _on_device(self, x: torch.Tensor) -> torch.Tensor:
        levels = torch.as_tensor(self.levels, device=x.device)
        logs = torch.as_tensor(self.logs, device=x.device)
        level = (self.log_ratio - self.alpha * torch.log(x)).clamp(self.levels[0], self.levels[-1])
        right = torch.searchsorted(levels, level.contiguous()).clamp(1, len(self.levels) - 1)
        low, high = levels.take(right - 1), levels.take(right)
        share = (level - low) / (high - low)
        return torch.exp(logs.take(right - 1) * (1 - share) + logs.take(right) * share)


@lru_cache(maxsize=64)
def best_weights(*, alpha: float, M: int, d: int) -> BestWeights:
    """The weights for dimension d and M outputs, infinitely many inputs with p ~ x^-alpha, alpha > 1."""
    M = check_whole("M", M, low=2, high=MOST_OUTPUTS)
    levels, logs = _table(M)
    H = 8 * head_length(M)
    head = np.arange(1, H + 1, dtype=np.float64)
    top = -math.log(zipf_total(alpha, math.inf))

    def spent(log_price: float) -> float:
        made = BestWeights(alpha, M, top - log_price, levels, logs)
        return float((made.margin(head) ** 2).sum()) + made._integral(H + 0.5)

    low, high = top, top
    while spent(low) < d * M:
        low -= 4.0
    while spent(high) > d * M:
        high += 4.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if spent(middle) > d * M else (low, middle)
    return BestWeights(alpha, M, top - (low + high) / 2, levels, logs)


@lru_cache(maxsize=16)
def _table(M: int) -> tuple[np.ndarray, np.ndarray]:
    """log(p/lam) = log(2 a/|slope(a)|) and log a, both increasing.

    The chance of being beaten falls with a at the rate (M-1) exp(-a^2/4)/sqrt(4 pi) E[Phi(a/2 + g/sqrt 2)^(M-2)].
    """
    a = np.geomspace(SMALLEST, LARGEST, POINTS)
    nodes, weight = np.polynomial.hermite_e.hermegauss(NODES)
    powers = np.exp((M - 2) * log_ndtr(a[:, None] / 2 + nodes / math.sqrt(2)))
    others = np.log(powers @ (weight / weight.sum()))
    slope = math.log(M - 1) - a**2 / 4 - math.log(4 * math.pi) / 2 + others
    levels = np.log(2 * a) - slope
    if not np.all(np.diff(levels) > 0):
        raise ValueError(f"M must be at most {MOST_OUTPUTS}: the chance of a miss is not convex beyond; got {M}")
    return levels, np.log(a)
