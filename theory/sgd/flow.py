"""Flows: the small-step limit of the SGD map, and the margin of gradient flow; Lambert's W without its overflow.

The map q -> q + gamma/(1 + e^q/(M-1)) with small gamma follows dq/dn = gamma/(1 + e^q/(M-1)), q(0) = 0, that is

    q + (e^q - 1)/(M-1) = gamma n,     q = A - W0(e^A/(M-1)),   A = gamma n + 1/(M-1).

With orthonormal embeddings, cross-entropy and gradient flow the margin m of an input of probability p obeys dm/dt = p
M/(M - 1 + e^m), that is (M-1) m + e^m - 1 = p M t. Both are the root of delta + v (e^delta - 1) = t, whose left side is
convex and rising, so that Newton's method falls onto the root from the right: no e^A is ever formed, and small roots
keep their relative accuracy, which A - W0 loses by cancellation.
"""

from typing import Any

import mpmath as mp
import numpy as np

from asymp.theory.zipf.law import check_digits, real_array, real_mpf, require, scalar_or_array
from asymp.theory.zipf.power_sums import FloatArray

__all__ = ["flow_root", "flow_root_mp", "margin_flow", "margin_flow_digits", "sgd_flow", "sgd_flow_digits"]

NEWTON_STEPS = 60
"""About log t + 6 are needed; more means a bug."""


def sgd_flow(*, gamma: Any, M: Any, n: Any) -> float | FloatArray:
    """The root q of q + (e^q - 1)/(M-1) = gamma n, a lower bound of f^n(0) for every gamma > 0; arrays broadcast.

    n >= 0 may be any real number. Relative error about 1e-15, up to gamma n = 1e300.
    """
    step, outputs, steps = _check_map(gamma, M, n)
    return scalar_or_array(flow_root(1 / (outputs - 1), step * steps))


def margin_flow(*, p: Any, M: Any, t: Any) -> float | FloatArray:
    """The root m of (M-1) m + e^m - 1 = p M t, the margin at time t >= 0 of an input of mass p; arrays broadcast."""
    mass, outputs, time = real_array("p", p), real_array("M", M), real_array("t", t)
    require("p", mass, (mass >= 0) & (mass <= 1), "0 <= p <= 1")
    require("M", outputs, outputs > 1, "M > 1")
    require("t", time, time >= 0, "t >= 0")
    return scalar_or_array(flow_root(1 / (outputs - 1), mass * outputs / (outputs - 1) * time))


def sgd_flow_digits(*, gamma: Any, M: Any, n: Any, digits: int = 50) -> Any:
    """sgd_flow to `digits` significant digits, an mpmath number."""
    with mp.workdps(check_digits(digits) + 15):
        step, outputs, steps = real_mpf("gamma", gamma), real_mpf("M", M), real_mpf("n", n)
        if not (step > 0 and outputs > 1 and steps >= 0 and mp.isfinite(step * outputs * steps)):
            raise ValueError(f"gamma must be > 0, M > 1 and n >= 0, all finite; got {gamma}, {M}, {n}")
        q = flow_root_mp(1 / (outputs - 1), step * steps)
    with mp.workdps(digits):
        return +q


def margin_flow_digits(*, p: Any, M: Any, t: Any, digits: int = 50) -> Any:
    """margin_flow to `digits` significant digits, an mpmath number."""
    with mp.workdps(check_digits(digits) + 15):
        mass, outputs, time = real_mpf("p", p), real_mpf("M", M), real_mpf("t", t)
        if not (0 <= mass <= 1 and outputs > 1 and time >= 0 and mp.isfinite(outputs * time)):
            raise ValueError(f"p must lie in [0, 1], M be > 1 and t >= 0, all finite; got {p}, {M}, {t}")
        m = flow_root_mp(1 / (outputs - 1), mass * outputs * time / (outputs - 1))
    with mp.workdps(digits):
        return +m


def flow_root(v: Any, t: Any) -> FloatArray:
    """The root delta >= 0 of delta + v (e^delta - 1) = t for v > 0 and t >= 0, float64, arrays broadcast."""
    v, t = np.broadcast_arrays(np.asarray(v, dtype=np.float64), np.asarray(t, dtype=np.float64))
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


def flow_root_mp(v: Any, t: Any) -> Any:
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


def _check_map(gamma: Any, M: Any, n: Any) -> tuple[FloatArray, FloatArray, FloatArray]:
    step, outputs, steps = real_array("gamma", gamma), real_array("M", M), real_array("n", n)
    require("gamma", step, step > 0, "gamma > 0")
    require("M", outputs, outputs > 1, "M > 1")
    require("n", steps, steps >= 0, "n >= 0")
    return step, outputs, steps
