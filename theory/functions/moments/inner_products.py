"""The law of |u.u'| for independent gaussian embeddings N(0, I/d): its distribution function, in floats and to any digits.

Given u, u.u' is N(0, |u|^2/d), so with z = d s P(|u.u'| <= s) = E erf(s sqrt(d/2)/|u|) = z [K_v(z) L_(v-1)(z) + K_(v-1)(z) L_v(z)],
v = (d-1)/2: the sum of d products of normals has the density |z|^v K_v(|z|)/(sqrt(pi) 2^v Gamma(d/2)), whose integral is known
(modified Struve function L).
"""

import mpmath as mp
import numpy as np
from numpy.typing import ArrayLike

from asymp.theory.functions.arguments import FloatArray, Mpf, float_arrays
from asymp.theory.lazy import special

DEPTH = 42.0  # the density is followed down to e^-42 = 6e-19 of its peak
NODES = 512


def product_share(*, d: ArrayLike, s: ArrayLike) -> FloatArray:
    """P(|u.u'| <= s) for gaussian embeddings, by the trapezoid rule in log |u|, which converges exponentially here."""
    d, s = float_arrays(d, s)
    flat_d, flat_s = d.reshape(-1, 1), s.reshape(-1, 1)
    total = np.empty(flat_d.shape[0])
    for start in range(0, len(total), 4096):
        n, at = flat_d[start : start + 4096], flat_s[start : start + 4096]
        # |u| = e^v has the log-density d (v - e^2v/2) + constant: below its peak at 0 by at least d v^2/4 or d (|v| - 1/2)
        left, right = -(DEPTH / n + np.sqrt(2 * DEPTH / n)), np.sqrt(DEPTH / n)
        step = (right - left) / NODES
        v = left + step * np.arange(NODES + 1)
        log_density = n * (v - np.exp(2 * v) / 2) + (n / 2) * np.log(n / 2) - special.gammaln(n / 2) + np.log(2.0)
        total[start : start + 4096] = (np.exp(log_density) * special.erf(at * np.sqrt(n / 2) * np.exp(-v)) * step).sum(
            1
        )
    return np.minimum(total, 1.0).reshape(d.shape)


def product_share_digits(*, d: Mpf, s: Mpf, digits: int) -> Mpf:
    """The same as an mpmath number."""
    if s == 0:
        return mp.mpf(0)
    z, v = d * s, (d - 1) / 2
    return z * (mp.besselk(v, z) * mp.struvel(v - 1, z) + mp.besselk(v - 1, z) * mp.struvel(v, z))
