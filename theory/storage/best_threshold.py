"""The threshold scheme at large d: q(x) = p(x)^rho for x <= P, else 0, and the best P.

At large d with balanced classes the stored inputs have the margins a_x = q(x) sqrt(d M/S), S = sum_{x<=P} q(x)^2, and

    E(P) = sum_{x<=P} p(x) pi_M(a_x) + (1 - 1/M) p{x > P}.

For rho = 0 all margins are sqrt(d M/P). With P = k d the error of the stored inputs tends to the floor pi_M(sqrt(M/k)),
so P* must fall behind d: pi_M(a) ~ exp(-a^2/4) meets the tail P^(1-alpha) at P* ~ M d/(4 (alpha-1) log d). The next
terms are of order log log d/log d: for M = 5 and d = 1e3 to 1e12 that leading order is off by 2 % at alpha = 2, by 10
to 30 % at alpha = 1.5 and 3. E(P*) is larger than the best error, c* d^(1-alpha), by a factor that grows like (log
d)^(alpha-1).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from asymp.theory.recall.limits import pi_M
from asymp.theory.storage.optimal_storage import check_outputs
from asymp.theory.storage.smooth_sums import sum_nodes
from asymp.theory.zipf.law import check_zipf, normaliser, real_array, require, scalar_or_array, zipf_tail
from asymp.theory.zipf.power_sums import FloatArray, power_sum

__all__ = [
    "BestThreshold",
    "best_equal_weights",
    "leading_threshold",
    "optimal_threshold",
    "stored_floor",
    "threshold_error",
]

FIRST, NEXT = 64, 16
"""Numbers of stored inputs tried at first, and in each refinement about the best of them, where all points go together."""


@dataclass(frozen=True)
class BestThreshold:
    """The number of inputs to store, and the error that it gives."""

    P: int
    error: float


def threshold_error(*, alpha: Any, M: int, d: float, P: Any, N: Any = math.inf, rho: float = 0.0) -> float | FloatArray:
    """E(P) of the large-d law with balanced classes; P >= 1 may be an array; relative error about 1e-12.

    Classes are balanced only for P well above M: below, this is a definition and not a limit.
    """
    outputs, stored, law = check_outputs(M), np.floor(real_array("P", P)), check_zipf(alpha, N)
    require("P", stored, stored >= 1, "P >= 1")
    a, n, power = float(law[0]), float(law[1]), float(real_array("rho", rho))
    if not float(d) > 0 or power < 0:
        raise ValueError(f"d must satisfy: d > 0, and rho >= 0; got {d} and {rho}")
    stored = np.minimum(stored, n)
    tail = np.asarray(zipf_tail(alpha=a, P=stored, N=n))
    if power == 0:
        recalled = (1 - tail) * np.asarray(pi_M(a=np.sqrt(d * outputs / stored), M=outputs))
    else:
        C = float(normaliser(alpha=a, N=n))
        recalled = np.array([_recalled(a, C, power, d, outputs, int(k)) for k in stored.ravel()]).reshape(stored.shape)
    return scalar_or_array(np.asarray(recalled + (1 - 1 / outputs) * tail))


def optimal_threshold(*, alpha: Any, M: int, d: float, N: Any = math.inf, rho: float = 0.0) -> BestThreshold:
    """P* = the whole number of stored inputs with the least E(P), and that error; N finite or inf."""
    a, n = (float(v) for v in check_zipf(alpha, N))
    outputs = check_outputs(M)
    if not float(d) > 0:
        raise ValueError(f"d must satisfy: d > 0; got {d}")
    # Beyond this every margin is below 0.1 at rho = 0, and more inputs only dilute; larger rho stores more.
    most = int(min(n, 1e2 * d * outputs * (1 + 1e2 * rho) + 100))

    def error(P: FloatArray) -> FloatArray:
        return np.asarray(threshold_error(alpha=a, M=outputs, d=d, P=P, N=n, rho=rho))

    P, least = _least(error, most, 400 if rho == 0 else 60)
    return BestThreshold(P=P, error=least)


def best_equal_weights(*, alpha: Any, M: Any, d: Any, N: Any) -> FloatArray:
    """The least E(P) over whole numbers P at rho = 0, for arrays: all points are refined together."""
    arrays = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (alpha, M, d, N)))
    a, outputs, dimension, n = (np.ravel(v)[:, None] for v in arrays)
    total = power_sum(a, 1.0, n)

    def error(P: FloatArray) -> FloatArray:
        tail = power_sum(np.broadcast_to(a, P.shape), P + 1, n - P) / total
        missed = np.asarray(pi_M(a=np.sqrt(dimension * outputs / P), M=np.broadcast_to(outputs, P.shape)))
        return np.asarray((1 - tail) * missed + (1 - 1 / outputs) * tail)

    low, high = np.ones(a.shape), np.minimum(n, np.floor(1e2 * dimension * outputs + 100))
    points, best = FIRST, np.empty(a.shape)
    while True:
        share = np.linspace(0, 1, points)
        # Rounded and sorted; where a bracket has few integers some are there twice.
        grid = np.rint(np.exp(np.log(low) + share * np.log(high / low))).clip(low, high)
        values = error(grid)
        at = values.argmin(axis=1)[:, None]
        best = np.take_along_axis(values, at, axis=1)
        step = np.maximum(np.argmax(grid > np.take_along_axis(grid, at, axis=1), axis=1)[:, None], at)
        after = np.take_along_axis(grid, step, axis=1)
        before = np.take_along_axis(grid, np.maximum(at - 1, 0), axis=1)
        if np.all((after - before <= 2) | ((before == low) & (after == high))):
            return np.asarray(best.reshape(arrays[0].shape))
        low, high, points = before, after, NEXT


def leading_threshold(*, alpha: float, M: int, d: float) -> float:
    """M d/(4 (alpha-1) log d), the leading order of P* at rho = 0; alpha > 1, d > 1."""
    if not (float(alpha) > 1 and float(d) > 1):
        raise ValueError(f"alpha must exceed 1 and d exceed 1, got {alpha} and {d}")
    return check_outputs(M) * float(d) / (4 * (float(alpha) - 1) * math.log(d))


def stored_floor(*, M: int, k: Any) -> float | FloatArray:
    """pi_M(sqrt(M/k)): with P = k d at rho = 0, the error of the stored inputs as d -> inf; k > 0."""
    share = real_array("k", k)
    require("k", share, share > 0, "k > 0")
    return pi_M(a=np.sqrt(check_outputs(M) / share), M=M)


def _recalled(alpha: float, C: float, rho: float, d: float, M: int, P: int) -> float:
    x, w = sum_nodes(first=1, last=P)
    p = C * x**-alpha
    q = (x / x[0]) ** (-alpha * rho)
    margins = q * math.sqrt(d * M / float(w @ q**2))
    return float((w * p) @ np.asarray(pi_M(a=margins, M=M)))


def _least(error: Callable[[FloatArray], FloatArray], most: int, points: int) -> tuple[int, float]:
    """The whole number in 1..most with the least error: a geometric grid, refined about its least value."""
    low, high = 1, most
    while True:
        grid = np.unique(np.rint(np.geomspace(low, high, points))).clip(low, high)
        values = error(grid)
        best = int(np.argmin(values))
        before, after = int(grid[max(best - 1, 0)]), int(grid[min(best + 1, len(grid) - 1)])
        if after - before <= 2 or (before, after) == (low, high):
            return int(grid[best]), float(values[best])
        low, high = before, after
