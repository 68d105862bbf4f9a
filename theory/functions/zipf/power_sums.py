"""Sums of powers sum_{j=0}^{n-1} (a + j)^-s, n finite or infinite: in float64 (vectorised) and to any number of digits.

These are partial sums of the Hurwitz zeta function, zeta(s, a) - zeta(s, a + n), computed without that difference,
which cancels: the first terms are added one by one, the rest comes from Euler-Maclaurin. The integral in it,
(q^(1-s) - e^(1-s))/(s - 1), is written with expm1, so that s = 1 (digamma differences), s < 1 and s = 0 are no special
cases. x^-s is completely monotone, so that the error of the Euler-Maclaurin series is below its first omitted term.

Assumptions: a > 0, s >= 0, n a non-negative integer or infinity, s > 1 where n is infinite.
"""

from functools import lru_cache

import mpmath as mp
import numpy as np
from numpy.typing import ArrayLike

from asymp.theory.functions.arguments import FloatArray, Mpf

# Terms added one by one, and derivatives used by Euler-Maclaurin (orders 1, 3, ..., 2 * ORDERS - 1), in float64.
HEAD, ORDERS = 32, 8


@lru_cache(maxsize=8)
def bernoulli_ratios(orders: int) -> tuple[float, ...]:
    """B_2m/(2m) for m = 1..orders: the factor of the Taylor coefficient of order 2m - 1 in Euler-Maclaurin."""
    return tuple(float(mp.bernoulli(2 * m)) / (2 * m) for m in range(1, orders + 1))


def scaled_expm1(c: FloatArray, L: FloatArray) -> FloatArray:
    """(exp(c L) - 1)/c, the integral of exp(c u) over 0 <= u <= L; L may be infinite where c < 0, and c may be 0."""
    product = np.where(c == 0, 0.0, c * np.where(c == 0, 1.0, L))
    return np.where(c == 0, L, np.expm1(product) / np.where(c == 0, 1.0, c))


def exp_integral(c: Mpf, L: Mpf) -> Mpf:
    """The mpmath counterpart of scaled_expm1."""
    if c == 0:
        return L
    return -1 / c if mp.isinf(L) else mp.expm1(c * L) / c


def power_sum(s: ArrayLike, a: ArrayLike, n: ArrayLike) -> FloatArray:
    """sum_{j=0}^{n-1} (a + j)^-s in float64, relative error about 1e-15; arrays broadcast."""
    s, a, n = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (s, a, n)))
    # From a = HEAD on Euler-Maclaurin is good at once, unless s is large: its terms fall like ((s + 2m)/(2 pi a))^2m.
    far = (a >= HEAD) & (a >= 4 * s) & (n > HEAD)
    if not np.any(far):
        return _headed(s, a, n)
    if np.all(far):
        return _remainder(s, a, n)
    total = np.empty(a.shape)
    total[far], total[~far] = _remainder(s[far], a[far], n[far]), _headed(s[~far], a[~far], n[~far])
    return total


def _headed(s: FloatArray, a: FloatArray, n: FloatArray) -> FloatArray:
    """The sum with its first HEAD terms added one by one."""
    j = np.arange(HEAD, dtype=np.float64)
    terms = np.where(j < n[..., None], (a[..., None] + j) ** -s[..., None], 0.0)
    # Smallest first: the sum of 32 terms then loses no digit.
    total = np.asarray(terms[..., ::-1].sum(axis=-1), dtype=np.float64)
    rest = n > HEAD
    if not np.any(rest):
        return total
    # Where nothing is left one term is, and dropped.
    return np.asarray(total + np.where(rest, _remainder(s, a + HEAD, np.where(rest, n - HEAD, 1.0)), 0.0))


def _remainder(s: FloatArray, q: FloatArray, n: FloatArray) -> FloatArray:
    """sum_{j=0}^{n-1} (q + j)^-s by Euler and Maclaurin, q >= HEAD and n >= 1."""
    length = n - 1  # exact, where end - q is not
    end = q + length
    at_q, at_end = q**-s, end**-s
    total = at_q * q * scaled_expm1(1 - s, np.log1p(length / q)) + (at_q + at_end) / 2
    rising = s / q  # (s)_k / (k! q^k) for k = 1, 3, 5, ..., and the same at the end
    rising_end = s / end
    for m, ratio in enumerate(bernoulli_ratios(ORDERS), start=1):
        k = 2 * m - 1
        total = total + ratio * (at_q * rising - at_end * rising_end)
        step = (s + k) * (s + k + 1) / ((k + 1) * (k + 2))
        rising, rising_end = rising * step / q**2, rising_end * step / end**2
    return np.asarray(total, dtype=np.float64)


def power_sum_mp(s: Mpf, a: Mpf, n: Mpf) -> Mpf:
    """sum_{j=0}^{n-1} (a + j)^-s at mpmath's present precision, a few units in the last place; n an int or infinity."""
    s, a = mp.mpf(s), mp.mpf(a)
    if n == 0:
        return mp.mpf(0)
    with mp.extradps(10):
        head = mp.mp.dps + int(min(s, mp.mp.dps))
        while True:
            value, missed = _euler_maclaurin(s, a, n, head)
            if missed <= mp.eps * value:
                break
            head *= 2
    return +value


def _euler_maclaurin(s: Mpf, a: Mpf, n: Mpf, head: int) -> tuple[Mpf, Mpf]:
    """The sum with `head` terms added one by one, and a bound on what the Euler-Maclaurin series misses."""
    total = mp.fsum((a + j) ** -s for j in range(min(n, head)))
    if n <= head:
        return total, mp.mpf(0)
    q = a + head
    end = mp.inf if mp.isinf(n) else a + n - 1
    at_q = q**-s
    at_end = mp.mpf(0) if mp.isinf(end) else end**-s
    total += at_q * q * exp_integral(1 - s, mp.log(end / q)) + (at_q + at_end) / 2
    rising, rising_end = s / q, s / end
    missed = mp.inf
    for m in range(1, 2 * mp.mp.dps):
        k = 2 * m - 1
        term = mp.bernoulli(2 * m) / (2 * m) * (at_q * rising - at_end * rising_end)
        if abs(term) >= missed:  # the series has begun to diverge: its best is `missed`
            break
        missed = abs(term)
        total += term
        if missed <= mp.eps * total:
            break
        step = (s + k) * (s + k + 1) / ((k + 1) * (k + 2))
        rising, rising_end = rising * step / q**2, rising_end * step / end**2
    return total, missed
