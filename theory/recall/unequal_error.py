"""The error of independent Gaussian scores of unequal spread: 1 - integral of phi(t) Phi((q + s t)/s')^(M-1) dt."""

from typing import Any

import mpmath as mp
import numpy as np

from asymp.theory.recall.storage import check_whole
from asymp.theory.zipf.law import check_digits, real_mpf
from asymp.theory.zipf.power_sums import FloatArray

__all__ = ["unequal_error", "unequal_error_digits"]

NODES = 1 / 16


def unequal_error(*, q: Any, own: Any, other: Any, M: Any) -> FloatArray:
    """P(max of M - 1 normals of mean 0 and deviation `other` > a normal of mean q and deviation `own`); arrays broadcast.

    Trapezoidal rule around the peak of phi(t) Phi(-(q + own t)/other), in logarithms: relative error about 1e-10.
    """
    from scipy.special import log_ndtr, logsumexp

    arrays = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (q, own, other, M)))
    flat = [a.ravel()[:, None] for a in arrays]
    out = np.empty(flat[0].shape[0])
    for start in range(0, out.size, 2048):
        mean, s, spread, m = (a[start : start + 2048] for a in flat)
        # The grid is in t where own is the wider, in the other score where it is the narrower: here steps shrink with it.
        step = NODES * np.minimum(1.0, spread / s)
        centre = -mean * s / (s**2 + spread**2)
        reach = 11.0
        count = int(np.ceil(reach / step.min()))
        t = centre + step * np.arange(-count, count + 1)
        hit = (m - 1) * log_ndtr((mean + s * t) / spread)
        with np.errstate(divide="ignore"):
            miss = np.where(hit > -0.5, np.log(-np.expm1(hit)), np.log1p(-np.exp(np.minimum(hit, -0.5))))
        logs = logsumexp(miss - t**2 / 2, axis=1) + np.log(step[:, 0] / np.sqrt(2 * np.pi))
        out[start : start + 2048] = np.exp(logs)
    return out.reshape(arrays[0].shape)


def unequal_error_digits(*, q: Any, own: Any, other: Any, M: Any, digits: int = 50) -> Any:
    """The same to `digits` significant digits, an mpmath number."""
    M = check_whole("M", M, 2)
    with mp.workdps(check_digits(digits) + 12):
        mean, s, spread = (real_mpf(n, v) for n, v in (("q", q), ("own", own), ("other", other)))

        def integrand(t: Any) -> Any:
            z = (mean + s * t) / spread
            miss = mp.ncdf(-z)
            hit = (M - 1) * mp.log1p(-miss) if miss < 0.5 else (M - 1) * mp.log(mp.ncdf(z))
            return -mp.npdf(t) * mp.expm1(hit)

        drop = (mp.mp.dps + 5) * mp.log(10)
        centre = -mean * s / (s**2 + spread**2)
        # The least error is about exp(-margin); off the real axis the integrand grows like exp((1 + (M-1) r^2) y^2/2).
        margin = mean**2 / (2 * (s**2 + spread**2))
        ratio = 1 + (M - 1) * (s / spread) ** 2
        step = mp.pi * mp.sqrt(2 / (ratio * (drop + margin)))
        count = int((mp.sqrt(2 * drop) + mp.sqrt(2 * mp.log(M)) + 1) / step) + 1
        value = step * mp.fsum(integrand(centre + step * i) for i in range(-count, count + 1))
    with mp.workdps(digits):
        return +value
