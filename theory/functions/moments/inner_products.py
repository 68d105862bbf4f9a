"""The laws of |u|^2 and of |u.u'| for independent embeddings: distribution functions, in floats and to any digits.

gaussian, N(0, I/d): d |u|^2 is chi-square with d degrees of freedom. Given u, u.u' is N(0, |u|^2/d), so with s = d t
P(|u.u'| <= t) = E erf(t sqrt(d/2)/|u|) = s [K_v(s) L_(v-1)(s) + K_(v-1)(s) L_v(s)], v = (d-1)/2: the sum of d products
of normals has the density |s|^v K_v(|s|)/(sqrt(pi) 2^v Gamma(d/2)), whose integral is known (modified Struve function L).
sphere: |u| = 1 and (u.u')^2 is Beta(1/2, (d-1)/2).
"""

import mpmath as mp
import numpy as np
from numpy.typing import ArrayLike

from asymp.theory.functions.arguments import FloatArray, Mpf, float_arrays
from asymp.theory.lazy import special

DEPTH = 42.0  # the density is followed down to e^-42 = 6e-19 of its peak
NODES = 512


def norm_cdf(*, d: ArrayLike, t: ArrayLike, embeddings: str) -> FloatArray:
    """P(|u|^2 <= t), vectorised."""
    d, t = float_arrays(d, t)
    return np.where(t >= 1, 1.0, 0.0) if embeddings == "sphere" else np.asarray(special.gammainc(d / 2, d * t / 2))


def product_cdf(*, d: ArrayLike, t: ArrayLike, embeddings: str) -> FloatArray:
    """P(|u.u'| <= t), vectorised; gaussian: the trapezoid rule in log |u|, which converges exponentially here."""
    d, t = float_arrays(d, t)
    if embeddings == "sphere":
        # at d = 1 the product is 1 or -1
        inside = np.where(d > 1, special.betainc(0.5, np.maximum(d - 1, 1) / 2, np.minimum(t, 1.0) ** 2), 0.0)
        return np.where(t >= 1, 1.0, inside)
    flat_d, flat_t = d.reshape(-1, 1), t.reshape(-1, 1)
    total = np.empty(flat_d.shape[0])
    for start in range(0, len(total), 4096):
        n, at = flat_d[start : start + 4096], flat_t[start : start + 4096]
        # |u| = e^v has the log-density d (v - e^2v/2) + constant: below its peak at 0 by at least d v^2/4 or d (|v| - 1/2)
        left, right = -(DEPTH / n + np.sqrt(2 * DEPTH / n)), np.sqrt(DEPTH / n)
        step = (right - left) / NODES
        v = left + step * np.arange(NODES + 1)
        log_density = n * (v - np.exp(2 * v) / 2) + (n / 2) * np.log(n / 2) - special.gammaln(n / 2) + np.log(2.0)
        total[start : start + 4096] = (np.exp(log_density) * special.erf(at * np.sqrt(n / 2) * np.exp(-v)) * step).sum(
            1
        )
    return np.minimum(total, 1.0).reshape(d.shape)


def product_cdf_digits(*, d: Mpf, t: Mpf, embeddings: str, digits: int) -> Mpf:
    """P(|u.u'| <= t) as an mpmath number."""
    if t == 0:
        return mp.mpf(0)
    if embeddings == "sphere":
        if t >= 1 or d == 1:
            return mp.mpf(t >= 1)
        return mp.betainc(mp.mpf(1) / 2, (d - 1) / 2, 0, t**2, regularized=True)
    s, v = d * t, (d - 1) / 2
    return s * (mp.besselk(v, s) * mp.struvel(v - 1, s) + mp.besselk(v - 1, s) * mp.struvel(v, s))
