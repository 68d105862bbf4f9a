"""Variance of the missing mass of a Zipf law after T samples: float64 (vectorised) and any number of digits.

For the missing mass U = sum_x p(x) 1{x unseen} of T independent samples

    Var U = sum_x p^2 [(1-p)^T - (1-p)^(2T)] + sum_{x != x'} p p' [(1-p-p')^T - (1-p)^T (1-p')^T].

The double sum is made separable: with the odds r = p/(1-p), 1-p-p' = (1-p)(1-p')(1 - r r'), so that its summand is
g g' sum_{k>=1} binom(T,k) (-r r')^k with g = p (1-p)^T, and a double sum over all pairs of rare inputs (x > h) is
sum_{k>=1} (-1)^k binom(T,k) A_k^2 with A_k = sum_{x>h} g r^k, single sums that zipf_sums can do. For x < x' the inputs
up to x' other than x are each as likely as x' or more, so 1-p >= (x'-1) p', and 1-p' >= p: hence r r' <= 1/(x'-1),
and the series converges fast where x' > h. Pairs of frequent inputs (x, x' <= h) are added one by one. The pairs
x = x' > h that the square contains are taken out: with the first sum they leave sum_{x>h} p^2 [(1-p)^T - (1-2p)^T].

The double sum is negative (the indicators are negatively associated), so the first sum alone is a proven upper bound:
`missing_mass_variance_bound`. T is a number of samples; other real T >= 0 interpolate.

Close to the uniform law with T small against N the two sums cancel (for alpha = 0, T = 1 the variance is 0). Where
float64 has lost more than a few digits to that, the number is computed again in mpmath: a second each, but right.
"""

import math
from typing import Any

import mpmath as mp
import numpy as np

from asymp.theory.zipf.law import (
    check_digits,
    check_zipf,
    check_zipf_mp,
    real_array,
    real_mpf,
    require,
    scalar_or_array,
)
from asymp.theory.zipf.missing_mass import log_absent
from asymp.theory.zipf.power_sums import FloatArray, power_sum, power_sum_mp
from asymp.theory.zipf.sums import first_smooth, rare_sum
from asymp.theory.zipf.sums_digits import avoid, first_smooth_mp, guard_digits, rare_sum_mp

__all__ = [
    "missing_mass_variance",
    "missing_mass_variance_bound",
    "missing_mass_variance_digits",
]

# Frequent inputs, whose pairs are added one by one, and terms of the series in k.
PAIRED, TERMS = 16, 24
CHUNK = 2048
# Rounding errors are at most about this multiple of the sums that cancel.
ROUNDING, ACCEPTED = 1e-14, 1e-9


def missing_mass_variance(*, alpha: Any, T: Any, N: Any = math.inf) -> float | FloatArray:
    """Var of the missing mass, relative error below 1e-9 (usually 1e-13); arrays broadcast."""
    out, magnitude, flat, shape = _in_chunks(_variance, alpha, T, N)
    lost = ~(ROUNDING * magnitude <= ACCEPTED * out) & (magnitude > 0) & (flat[1] > 0) & (flat[2] > 1)
    for i in np.flatnonzero(lost):
        N_i = flat[2][i] if math.isinf(flat[2][i]) else int(flat[2][i])
        out[i] = float(missing_mass_variance_digits(alpha=flat[0][i], T=flat[1][i], N=N_i, digits=15))
    return scalar_or_array(out.reshape(shape))


def missing_mass_variance_bound(*, alpha: Any, T: Any, N: Any = math.inf) -> float | FloatArray:
    """sum_x p^2 [(1-p)^T - (1-p)^(2T)] >= Var U: the variance if the inputs were seen independently; arrays broadcast.

    Relative error about 1e-15/min(1, T p) where p is the size of the typical unseen input, 1e-13 for N = inf.
    """
    out, _, _, shape = _in_chunks(_first_sum, alpha, T, N)
    return scalar_or_array(out.reshape(shape))


def missing_mass_variance_digits(*, alpha: Any, T: Any, N: Any = math.inf, digits: int = 50) -> Any:
    """Var of the missing mass to `digits` significant digits, an mpmath number; seconds where digits = 50."""
    wanted, guard = check_digits(digits), guard_digits(T=T, P=N)
    while True:
        with mp.workdps(wanted + guard):
            a, n = check_zipf_mp(alpha, N)
            t = real_mpf("T", T)
            if mp.isinf(t) or t < 0:
                raise ValueError(f"T must satisfy: T >= 0 and finite; got {T}")
            if t == 0 or n == 1 or (a == 0 and t == 1):  # U is certain
                return mp.mpf(0)
            value, magnitude = _variance_mp(a, t, n)
            lost = math.inf if value == 0 else float(mp.log10(magnitude / abs(value)))
        if lost <= guard - 12:
            with mp.workdps(wanted):
                return +value
        guard = int(min(lost, 2 * guard)) + 15


def _in_chunks(kernel: Any, alpha: Any, T: Any, N: Any) -> tuple[FloatArray, FloatArray, list[FloatArray], Any]:
    a, n = check_zipf(alpha, N)
    t = real_array("T", T)
    require("T", t, t >= 0, "T >= 0")
    arrays = np.broadcast_arrays(a, t, n)
    flat = [np.ascontiguousarray(v, dtype=np.float64).ravel() for v in arrays]
    out, magnitude = np.empty_like(flat[0]), np.empty_like(flat[0])
    for i in range(0, out.size, CHUNK):
        part = slice(i, i + CHUNK)
        out[part], magnitude[part] = kernel(*(v[part] for v in flat))
    return out, magnitude, flat, arrays[0].shape


def _head(alpha: FloatArray, C: FloatArray, N: FloatArray, q: int) -> tuple[FloatArray, FloatArray]:
    """p(x) for x < q, 0 beyond N, and log(1-p)."""
    x = np.arange(1, q, dtype=np.float64)
    p = np.where(x <= N[:, None], C[:, None] * x ** -alpha[:, None], 0.0)
    return p, log_absent(alpha, C, N, p)


def _times(T: FloatArray, logs: FloatArray) -> FloatArray:
    """T logs, held above -800, where exp is 0 in float64: -inf may be among the logs, and T may be 0 or enormous."""
    return np.asarray(T * np.maximum(logs, -800 / np.maximum(T, 1e-300)), dtype=np.float64)


def _first_sum(alpha: FloatArray, T: FloatArray, N: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The sum over single inputs, and the size of what cancels in it."""
    q, C = first_smooth(alpha), 1 / power_sum(alpha, 1.0, N)
    p, logs = _head(alpha, C, N, q)
    unseen = _times(T[:, None], logs)
    head = (p**2 * np.exp(unseen) * -np.expm1(unseen)).sum(axis=1)
    once = rare_sum(alpha=alpha, C=C, b=T, q=q, P=N, k=1)
    twice = rare_sum(alpha=alpha, C=C, b=2 * T, q=q, P=N, k=1)
    return np.maximum(head + (once - twice), 0.0), head + once


def _variance(alpha: FloatArray, T: FloatArray, N: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The variance, and the size of what cancels in it."""
    q, C = first_smooth(alpha), 1 / power_sum(alpha, 1.0, N)
    p, logs = _head(alpha, C, N, q)
    t = T[:, None]
    unseen = _times(t, logs)
    g = p * np.exp(unseen)
    r = np.where(logs > -600, p * np.exp(-np.maximum(logs, -600.0)), 0.0)  # N = 1 has no pairs
    first, rest = slice(0, PAIRED), slice(PAIRED, None)
    # Single inputs: p^2 [(1-p)^T - (1-p)^(2T)] for x <= h, p^2 [(1-p)^T - (1-2p)^T] beyond.
    single = (p * g * -np.expm1(unseen))[:, first].sum(axis=1)
    single += (p[:, rest] * g[:, rest] * -np.expm1(_times(t, np.log1p(-r[:, rest])))).sum(axis=1)
    once = rare_sum(alpha=alpha, C=C, b=T, q=q, P=N, k=1)
    single += once - rare_sum(alpha=alpha, C=2 * C, b=T, q=q, P=N, k=1) / 4
    # Pairs of frequent inputs; r r' <= 1, with equality for N = 2, where both cannot be unseen.
    i, j = np.triu_indices(PAIRED, 1)
    with np.errstate(divide="ignore"):
        product = np.where(N[:, None] == 2, 1.0, np.minimum(r[:, i] * r[:, j], 1.0))
        logs_pair = np.log1p(-product)
    pairs = 2 * (g[:, i] * g[:, j] * np.expm1(_times(t, logs_pair))).sum(axis=1)
    # Pairs with a rare input, term by term; A_k and binom(T,k) are scaled by s^k, s = max(T, 1), against overflow.
    s = np.maximum(T, 1.0)
    coefficient = np.ones_like(T)
    g_first, r_first = g[:, first].copy(), r[:, first]
    powers = g[:, rest].copy()
    for k in range(1, TERMS + 1):
        coefficient = coefficient * (k - 1 - T) / (k * s)
        g_first = g_first * r_first
        powers = powers * r[:, rest] * s[:, None]
        A = powers.sum(axis=1) + rare_sum(alpha=alpha, C=C, b=T - k, q=q, P=N, k=k, scale=s)
        term = coefficient * A * (2 * g_first.sum(axis=1) + A * (1 / s) ** k)
        pairs += term
        if k > 2 and np.all(np.abs(term) <= 1e-18 * single):
            break
    return np.where((T == 0) | (N == 1), 0.0, single + pairs), single + once + np.abs(pairs)


def _variance_mp(alpha: Any, T: Any, N: Any) -> tuple[Any, Any]:
    """The variance and the size of what cancels in it, at mpmath's precision less its guard digits."""
    C = 1 / power_sum_mp(alpha, 1, N)
    q = first_smooth_mp(alpha)
    h = min(q - 1, mp.mp.dps)
    p = [C * mp.mpf(x) ** -alpha for x in range(1, int(min(q - 1, N)) + 1)]
    left = C * power_sum_mp(alpha, 2, N - 1)  # 1 - p(1)
    g = [p[0] * left**T, *(v * avoid(v, T) for v in p[1:])]
    r = [p[0] / left, *(v / (1 - v) for v in p[1:])]
    positive = mp.fsum(p[i] * g[i] for i in range(len(p)))
    single = positive - mp.fsum(g[i] ** 2 for i in range(min(h, len(p))))
    single -= mp.fsum(p[i] ** 2 * avoid(2 * p[i], T) for i in range(h, len(p)))
    once = rare_sum_mp(alpha=alpha, C=C, b=T, q=q, P=N, k=1)
    single += once - rare_sum_mp(alpha=alpha, C=2 * C, b=T, q=q, P=N, k=1) / 4
    pairs = mp.mpf(0)
    for i in range(min(h, len(p))):
        for j in range(i):
            # For N = 2 both cannot be unseen; elsewhere p + p' < 1, up to rounding for very large alpha.
            both = avoid(p[i] + p[j], T) if N > 2 and p[i] + p[j] < 1 else mp.mpf(0)
            pairs += 2 * (p[i] * p[j] * both - g[i] * g[j])
    coefficient, small = mp.mpf(1), 0
    g_first, powers = g[:h], g[h:]
    k = 0
    while small < 2 and h < N:  # two small terms in a row: one may vanish by itself
        k += 1
        coefficient *= (k - 1 - T) / k
        if coefficient == 0:  # T is an integer below k: the series has ended
            break
        g_first = [v * w for v, w in zip(g_first, r[:h], strict=True)]
        powers = [v * w for v, w in zip(powers, r[h:], strict=True)]
        A = mp.fsum(powers) + rare_sum_mp(alpha=alpha, C=C, b=T - k, q=q, P=N, k=k)
        term = coefficient * A * (2 * mp.fsum(g_first) + A)
        pairs += term
        small = small + 1 if abs(term) <= mp.eps * (single + abs(pairs)) else 0
    return single + pairs, positive + once + abs(pairs)
