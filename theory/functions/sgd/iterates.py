"""The SGD map f(q) = q + gamma/(1 + e^q/(M-1)) and its iterates f^n(0): the weight of an input seen n times.

Facts, for every gamma > 0 and M >= 2 (u = q - log(M-1), v = e^u):
- f(q) > q for every finite q: there is no finite fixed point, the iterates rise, and since a bounded rising orbit of a
  continuous map ends in a fixed point, they rise beyond every bound.
- The flow is a lower bound: its solution is concave, so one step of the map is at least one unit of time of the flow.
- Increments fall, so q_n <= gamma n (M-1)/M, which is also the limit of small gamma n.
- q + (e^q - 1)/(M-1) rises by gamma + v (e^h - 1 - h) in a step of length h; v h <= gamma gives q_n <= log(1 + (M-1)
  gamma n (1 + gamma e^gamma/2)): growth is logarithmic for any step size.
- e^q = (M-1)[gamma n + (gamma/2 - 1) log n + c + o(1)]; c comes from the Abel function (see sgd_abel).
- Large gamma: q_1 = gamma (M-1)/M and q_1 <= q_n <= q_1 + (n-1) gamma (M-1) e^(-q_1): a plateau.
- With orthonormal embeddings SGD moves the wrong outputs' scores too, to -q/(M-1): 1 - softmax = 1/(1 + e^m/(M-1)) at
  the margin m = q M/(M-1). So the exact map has e^(q M/(M-1)) in place of e^q, and the margin follows the very map
  above with step gamma M/(M-1).

n steps cost a few: the map is iterated until gamma s <= 0.1, s = 1/(1 + v), and the Abel function covers the rest.
"""

import mpmath as mp
import numpy as np
from numpy.typing import ArrayLike

from asymp.theory.functions.arguments import FloatArray, Mpf, guarded, require, scalar_or_array
from asymp.theory.functions.sgd.abel import THETA, series_tail, series_tail_mp
from asymp.theory.functions.sgd.flow import check_map, flow_root, flow_root_mp
from asymp.theory.lazy import special

PLAIN_STEPS = 2000
"""Up to this n the digits come from plain iteration."""

LARGEST = 1e250
"""Largest gamma n in float64."""


def sgd_iterate(*, gamma: ArrayLike, M: ArrayLike, n: ArrayLike) -> float | FloatArray:
    """f^n(0), the weight of an input that SGD has seen n times, in float64; arrays broadcast.

    Args:
        gamma: step size, > 0.
        M: number of outputs, > 1.
        n: number of steps, a whole number >= 0; gamma n up to 1e250.

    Relative error below 1e-13 max(1, gamma/4): beyond gamma = 4 the map is not monotone, and a step across u = 0
    enlarges rounding errors by up to gamma/4.
    """
    step, outputs, steps = _check(gamma, M, n)
    return scalar_or_array(real_iterate(step, outputs, steps))


def growth_constant(*, gamma: ArrayLike, M: ArrayLike) -> float | FloatArray:
    """c in e^q = (M-1)[gamma n + (gamma/2 - 1) log n + c + o(1)], q = f^n(0); inf where e^(gamma (M-1)/M) overflows."""
    step, outputs, _ = _check(gamma, M, 0)
    shape = np.broadcast_shapes(step.shape, outputs.shape)
    step, outputs = (np.broadcast_to(a, shape).ravel() for a in (step, outputs))
    u, used = _approach(step, -np.log(outputs - 1), np.full(step.shape, np.inf))
    s = _miss(u)
    with np.errstate(over="ignore"):
        # Psi -> v - (gamma/2 - 1) log v as v grows, and Psi(u_n) = Psi(u_0) + gamma n.
        start = u + np.exp(u) - step / 2 * np.logaddexp(0.0, u) + step * series_tail(step * s, s) - step * used
    return scalar_or_array(np.asarray(start + (step / 2 - 1) * np.log(step)).reshape(shape))


@guarded(15)
def sgd_iterate_digits(*, gamma: Mpf, M: Mpf, n: Mpf, digits: int = 50) -> Mpf:
    """f^n(0) to `digits` significant digits, an mpmath number; any n for up to 300 digits."""
    # An error near u = 0 is enlarged by up to gamma/4, once; q itself is at least a share of gamma.
    mp.mp.dps += int(mp.log10(1 + gamma) + abs(mp.log10(gamma)) + mp.log10(M)) + 3
    return _iterate_mp(gamma, M, int(n), digits)


@guarded(15)
def growth_constant_digits(*, gamma: Mpf, M: Mpf, digits: int = 50) -> Mpf:
    """growth_constant to `digits` significant digits (absolute where c is near 0), an mpmath number."""
    step = gamma
    mp.mp.dps += int(mp.log10(1 + step) + abs(mp.log10(step)) + mp.log10(M)) + 3
    u, used, order = _approach_mp(step, -mp.log(M - 1), mp.inf, digits)
    s = 1 / (1 + mp.exp(u))
    start = u + mp.exp(u) + step / 2 * mp.log(s) + step * series_tail_mp(step * s, s, order)[0] - step * used
    return start + (step / 2 - 1) * mp.log(step)


# float64


def real_iterate(step: FloatArray, outputs: FloatArray, steps: FloatArray) -> FloatArray:
    """f^n(0) on float64 arrays already checked; a fractional n, where iteration has ended, goes by Psi."""
    shape = np.broadcast_shapes(step.shape, outputs.shape, steps.shape)
    step, outputs, steps = (np.broadcast_to(a, shape).ravel() for a in (step, outputs, steps))
    start = -np.log(outputs - 1)
    q, used = np.zeros(step.shape), np.zeros(step.shape)
    u, used = _approach(step, start, np.floor(steps), q)
    left = steps - used
    far = left > 0
    if far.any():
        q[far] += _leap(step[far], u[far], left[far])
    return q.reshape(shape)


def _miss(u: FloatArray) -> FloatArray:
    """s = 1/(1 + e^u), the probability of the wrong outputs."""
    return np.asarray(special.expit(-u), dtype=np.float64)


def _approach(
    step: FloatArray, start: FloatArray, most: FloatArray, q: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Iterate until gamma s <= THETA or `most` steps are done; u and the steps used. q, if given, grows in place."""
    q = np.zeros(step.shape) if q is None else q
    used = np.zeros(step.shape)
    at = np.flatnonzero(most > 0)
    while at.size:
        miss = _miss(start[at] + q[at])
        at, miss = at[step[at] * miss > THETA], miss[step[at] * miss > THETA]
        q[at] += step[at] * miss
        used[at] += 1
        at = at[used[at] < most[at]]
    return start + q, used


def _leap(step: FloatArray, u: FloatArray, left: FloatArray) -> FloatArray:
    """delta with Psi(u + delta) = Psi(u) + gamma left, by Newton's method from the flow; all is scaled by s = s(u)."""
    # rest = 1 - s = s e^u. Beyond u = 700 a step moves nothing that float64 could show.
    s, rest, v = _miss(u), _miss(-u), np.exp(np.minimum(u, 700.0))
    theta = step * s
    base = series_tail(theta, s)
    delta = flow_root(v, np.where(s > 0, step * left, 0.0))
    for _ in range(12):
        growth = rest * np.expm1(delta)
        ahead = _miss(u + delta)
        value = s * delta + growth - theta / 2 * np.log1p(growth) + theta * (series_tail(step * ahead, ahead) - base)
        # Without the series' own slope, of order theta^2/6: every step gains nearly three digits.
        slope = s + rest + growth - theta / 2 * (rest + growth) / (1 + growth)
        change = (value - theta * left) / slope
        delta = np.maximum(delta - change, 0.0)
        if np.all(np.abs(change) <= 4e-16 * delta):
            break
    return np.asarray(delta, dtype=np.float64)


def _check(gamma: ArrayLike, M: ArrayLike, n: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
    step, outputs, steps = check_map(gamma, M, n)
    require("n", steps, steps == np.floor(steps), "a whole number n >= 0")
    require("n", steps, step * steps <= LARGEST, f"gamma n <= {LARGEST:g} in float64 (use digits beyond)")
    return step, outputs, steps


# mpmath


def _iterate_mp(step: Mpf, outputs: Mpf, steps: int, digits: int) -> Mpf:
    start = -mp.log(outputs - 1)
    if steps <= PLAIN_STEPS:
        q = mp.mpf(0)
        for _ in range(steps):
            q += step / (1 + mp.exp(q) / (outputs - 1))
        return q
    u, used, order = _approach_mp(step, start, steps, digits)
    if used == steps:
        return u - start
    target = step * (steps - used)
    s, v = 1 / (1 + mp.exp(u)), mp.exp(u)
    base = step / 2 * mp.log(s) + step * series_tail_mp(step * s, s, order)[0]
    delta = flow_root_mp(v, target)
    while True:
        growth = v * mp.expm1(delta)
        ahead = 1 / (1 + v + growth)
        psi = step / 2 * mp.log(ahead) + step * series_tail_mp(step * ahead, ahead, order)[0] - base
        change = (delta + growth + psi - target) / (1 / ahead - step / 2 * (1 - ahead))
        delta -= change
        if abs(change) <= mp.eps * 100 * abs(delta):
            return u - start + delta


def _approach_mp(step: Mpf, start: Mpf, most: Mpf, digits: int) -> tuple[Mpf, int, int]:
    """Iterate until the series, cut after `order`, is good to the digits; u, the steps used and the order."""
    # Terms are about k! (theta/7)^k: with 0.4 orders a digit, theta = 0.05/order leaves 10^-digits.
    order = min(8 + int(0.4 * mp.mp.dps), 100)
    theta = 18 * mp.mpf(10) ** (-mp.mpf(mp.mp.dps) / order) / order
    u, used = +start, 0
    while True:
        s = 1 / (1 + mp.exp(u))
        while step * s > theta and used < most:
            u += step * s
            used += 1
            s = 1 / (1 + mp.exp(u))
        # An error of Psi/gamma by `cut` moves u by gamma s cut.
        cut = series_tail_mp(step * s, s, order)[1]
        if used == most or step * s * cut <= mp.mpf(10) ** (-digits - 5) * min(step, 1):
            return u, used, order
        theta /= 2
