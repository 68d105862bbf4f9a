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

import numpy as np
from numpy.typing import ArrayLike

from asymp.theory.functions.arguments import (
    FloatArray,
    check_whole,
    check_zipf,
    float_arrays,
    real_array,
    require,
    scalar_or_array,
)
from asymp.theory.functions.recall.gaussian_error import pi_M
from asymp.theory.functions.zipf.law import normaliser, zipf_tail
from asymp.theory.functions.zipf.power_sums import power_sum
from asymp.theory.functions.zipf.smooth_sums import sum_nodes

FIRST, NEXT = 64, 16
"""Numbers of stored inputs tried at first, and in each refinement about the best of them, where all points go together."""


@dataclass(frozen=True)
class BestThreshold:
    """The number of inputs to store, and the error that it gives."""

    P: int
    error: float


def threshold_error(
    *, alpha: float, M: int, d: float, P: ArrayLike, N: float = math.inf, rho: float = 0.0
) -> float | FloatArray:
    """E(P) of the large-d law with balanced classes; P >= 1 may be an array; relative error about 1e-12.

    Classes are balanced only for P well above M: below, this is a definition and not a limit.
    """
    outputs, stored, law = check_whole("M", M, 2), np.floor(real_array("P", P)), check_zipf(alpha, N)
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


def optimal_threshold(*, alpha: float, M: int, d: float, N: float = math.inf, rho: float = 0.0) -> BestThreshold:
    """P* = the whole number of stored inputs with the least E(P), and that error.

    Args:
        alpha: exponent of the Zipf law, >= 0; above 1 where N is infinite.
        M: number of outputs, >= 2.
        d: dimension of the memory, > 0.
        N: number of inputs, a whole number or math.inf.
        rho: the weights are p^rho on the stored inputs, rho >= 0.
    """
    a, n = (float(v) for v in check_zipf(alpha, N))
    outputs = check_whole("M", M, 2)
    if not float(d) > 0:
        raise ValueError(f"d must satisfy: d > 0; got {d}")

    def error(P: FloatArray) -> FloatArray:
        return np.asarray(threshold_error(alpha=a, M=outputs, d=d, P=P, N=n, rho=rho))

    # Beyond this every margin is below 0.1 at rho = 0, and more inputs only dilute; larger rho stores more.
    most = math.floor(min(n, 1e2 * d * outputs * (1 + 1e2 * rho) + 100))
    P, least = _least(error, np.array([[float(most)]]))
    return BestThreshold(P=int(P[0]), error=float(least[0]))


def best_equal_weights(*, alpha: ArrayLike, M: ArrayLike, d: ArrayLike, N: ArrayLike) -> FloatArray:
    """The least E(P) over whole numbers P at rho = 0, for arrays: all points are refined together."""
    arrays = float_arrays(alpha, M, d, N)
    a, outputs, dimension, n = (np.ravel(v)[:, None] for v in arrays)
    total = power_sum(a, 1.0, n)

    def error(P: FloatArray) -> FloatArray:
        tail = power_sum(np.broadcast_to(a, P.shape), P + 1, n - P) / total
        missed = np.asarray(pi_M(a=np.sqrt(dimension * outputs / P), M=np.broadcast_to(outputs, P.shape)))
        return np.asarray((1 - tail) * missed + (1 - 1 / outputs) * tail)

    least = _least(error, np.minimum(n, np.floor(1e2 * dimension * outputs + 100)))[1]
    return least.reshape(arrays[0].shape)


def _recalled(alpha: float, C: float, rho: float, d: float, M: int, P: int) -> float:
    x, w = sum_nodes(first=1, last=P)
    p = C * x**-alpha
    q = (x / x[0]) ** (-alpha * rho)
    margins = q * math.sqrt(d * M / float(w @ q**2))
    return float((w * p) @ np.asarray(pi_M(a=margins, M=M)))


def _least(error: Callable[[FloatArray], FloatArray], most: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The whole numbers in 1..most with the least errors, and these: a row for each point, its grid refined about the least.

    `error` takes as many rows of whole numbers as there are points; `most` is a column.
    """
    low, high, points = np.ones(most.shape), most, FIRST
    while True:
        share = np.linspace(0, 1, points)
        # Rounded and sorted; where a bracket has few integers some are there twice.
        grid = np.rint(np.exp(np.log(low) + share * np.log(high / low))).clip(low, high)
        values = error(grid)
        at = values.argmin(axis=1)[:, None]
        best = np.take_along_axis(grid, at, axis=1)
        step = np.maximum(np.argmax(grid > best, axis=1)[:, None], at)
        after = np.take_along_axis(grid, step, axis=1)
        before = np.take_along_axis(grid, np.maximum(at - 1, 0), axis=1)
        if np.all((after - before <= 2) | ((before == low) & (after == high))):
            return best[:, 0], np.take_along_axis(values, at, axis=1)[:, 0]
        low, high, points = before, after, NEXT
