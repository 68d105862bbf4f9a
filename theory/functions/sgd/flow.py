"""Flows: the small-step limit of the SGD map, and the margin of gradient flow; Lambert's W without its overflow.

The map q -> q + gamma/(1 + e^q/(M-1)) with small gamma follows dq/dn = gamma/(1 + e^q/(M-1)), q(0) = 0, that is

    q + (e^q - 1)/(M-1) = gamma n,     q = A - W0(e^A/(M-1)),   A = gamma n + 1/(M-1).

With orthonormal embeddings, cross-entropy and gradient flow the margin m of an input of probability p obeys dm/dt = p
M/(M - 1 + e^m), that is (M-1) m + e^m - 1 = p M t. Both are the root of delta + v (e^delta - 1) = t, whose left side is
convex and rising, so that Newton's method falls onto the root from the right: no e^A is ever formed, and small roots
keep their relative accuracy, which A - W0 loses by cancellation.
"""

import mpmath as mp
import numpy as np
from numpy.typing import ArrayLike

from asymp.theory.functions.arguments import (
    FloatArray,
    Mpf,
    float_arrays,
    real_array,
    require,
)

NEWTON_STEPS = 60
"""About log t + 6 are needed; more means a bug."""


def flow_root(v: ArrayLike, t: ArrayLike) -> FloatArray:
    """The root delta >= 0 of delta + v (e^delta - 1) = t for v > 0 and t >= 0, float64, arrays broadcast."""
    v, t = float_arrays(v, t)
    # Both are at least the root, since e^delta - 1 >= delta >= 0. log(1 + t/v) without the overflow of t/v.
    with np.errstate(over="ignore", divide="ignore"):
        ratio = np.where(t > 0, np.log(np.where(t > 0, t, 1.0)) - np.log(v), -np.inf)
        delta = np.minimum(t / (1 + v), np.logaddexp(0.0, ratio))
    log_v = np.log(v)
    for _ in range(NEWTON_STEPS):
        small = delta < 1
        growth = np.where(small, v * np.expm1(np.where(small, delta, 0.0)), np.exp(delta + log_v) - v)
        change = (delta + growth - t) / (1 + v + growth)
        delta = np.maximum(delta - change, 0.0)
        if np.all(np.abs(change) <= 4e-16 * delta):
            break
    return np.asarray(delta, dtype=np.float64)


def flow_root_mp(v: Mpf, t: Mpf) -> Mpf:
    """The same root at mpmath's present precision."""
    v, t = mp.mpf(v), mp.mpf(t)
    if t == 0:
        return mp.mpf(0)
    with mp.extradps(10):
        delta = min(t / (1 + v), mp.log1p(t / v))
        while True:
            growth = v * mp.expm1(delta)
            change = (delta + growth - t) / (1 + v + growth)
            delta -= change
            # Newton doubles the digits: when half of them stand, the next step is the last.
            if abs(change) <= mp.sqrt(mp.eps) * delta:
                growth = v * mp.expm1(delta)
                delta -= (delta + growth - t) / (1 + v + growth)
                break
    return +delta


def check_map(gamma: ArrayLike, M: ArrayLike, n: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
    """gamma > 0, M > 1 and n >= 0 as float64 arrays."""
    step, outputs, steps = real_array("gamma", gamma), real_array("M", M), real_array("n", n)
    require("gamma", step, step > 0, "gamma > 0")
    require("M", outputs, outputs > 1, "M > 1")
    require("n", steps, steps >= 0, "n >= 0")
    return step, outputs, steps
