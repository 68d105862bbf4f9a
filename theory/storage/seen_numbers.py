"""The mean number of distinct inputs among the P most frequent that T samples show: sum_{x<=P} 1 - (1-p(x))^T."""

import math
from typing import Any

import mpmath as mp
import numpy as np

from asymp.theory.storage.smooth_sums import sum_nodes
from asymp.theory.zipf.law import check_cut_mp, check_digits, normaliser, real_mpf
from asymp.theory.zipf.power_sums import FloatArray, power_sum_mp

__all__ = ["number_seen", "number_seen_digits", "numbers_seen"]


def number_seen(*, alpha: float, T: float, P: float) -> float:
    """sum_{x<=P} 1 - (1-p)^T for a Zipf law with N = inf, P finite; T may be inf; relative error about 1e-12."""
    last = math.floor(P)
    if math.isinf(T):
        return float(last)
    x, w = sum_nodes(first=1, last=last)
    p = float(normaliser(alpha=alpha)) * x**-alpha
    return float(w @ -np.expm1(T * np.log1p(-np.minimum(p, 1 - 1e-16))))


def numbers_seen(*, alpha: Any, T: Any, P: Any) -> FloatArray:
    """number_seen at every point of the broadcast arrays; points of one P share their nodes."""
    a, t, cut = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (alpha, T, np.floor(P))))
    C = np.asarray(normaliser(alpha=a))
    found = np.array(cut)  # which is the number seen where T is infinite
    finite = np.isfinite(t)
    for last in np.unique(cut[finite]):
        here = finite & (cut == last)
        x, w = sum_nodes(first=1, last=int(last))
        p = C[here][:, None] * x ** -a[here][:, None]
        found[here] = -np.expm1(t[here][:, None] * np.log1p(-np.minimum(p, 1 - 1e-16))) @ w
    return found


def number_seen_digits(*, alpha: Any, T: Any, P: Any, digits: int = 50) -> Any:
    """The same to `digits` significant digits (mpmath); P at most 20000."""
    last = check_cut_mp(P)
    if last > 20_000:
        raise ValueError(f"P must be at most 20000 here; got {last}: about 12 digits can be had, from number_seen")
    with mp.workdps(check_digits(digits) + 15):
        a, t = real_mpf("alpha", alpha), real_mpf("T", T)
        C = 1 / power_sum_mp(a, 1, mp.inf)
        value = (
            mp.mpf(last)
            if mp.isinf(t)
            else mp.fsum(-mp.expm1(t * mp.log1p(-C * mp.mpf(x) ** -a)) for x in range(1, last + 1))
        )
    with mp.workdps(digits):
        return +value
