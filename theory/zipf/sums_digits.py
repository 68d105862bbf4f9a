"""The sum of p (1-p)^T over the inputs of a Zipf law at mpmath's working precision: the method of zipf_sums.

Inputs x < q are added one by one, the others by Euler-Maclaurin with D + 10 orders, D the working digits. The n-th
correction is at most about (alpha n/(2 pi e q))^n of the whole, whatever T; q = 0.6 alpha (D + 10) makes it 10^-n.
"""

from typing import Any

import mpmath as mp

from asymp.theory.zipf.law import check_zipf_mp, real_mpf
from asymp.theory.zipf.power_sums import exp_integral, power_sum_mp
from asymp.theory.zipf.sums import taylor_coefficients

__all__ = ["avoid", "first_smooth_mp", "guard_digits", "rare_sum_mp", "unseen_sum_mp"]


def unseen_sum_mp(*, alpha: Any, T: Any, P: Any, N: Any) -> Any:
    """sum_{x<=P} p (1-p)^T at mpmath's precision less its guard digits; P is an int or infinity."""
    a, n = check_zipf_mp(alpha, N)
    t = real_mpf("T", T)
    if mp.isinf(t) or t < 0:
        raise ValueError(f"T must satisfy: T >= 0 and finite; got {T}")
    last = min(P, n)
    C = 1 / power_sum_mp(a, 1, n)
    q = first_smooth_mp(a)
    total = mp.mpf(0)
    for x in range(1, int(min(q - 1, last)) + 1):
        p = C * mp.mpf(x) ** -a
        # 1 - p(1) is the mass of the others: no digit is lost for large alpha, and it is exactly 0 for N = 1.
        total += p * ((C * power_sum_mp(a, 2, n - 1)) ** t if x == 1 else avoid(p, t))
    return total + rare_sum_mp(alpha=a, C=C, b=t, q=q, P=last)


def guard_digits(*, T: Any, P: Any) -> int:
    """Digits lost to T z, the exponent of the rarest of the inputs up to P: p(P) <= 1/P, so z <= T/P or so."""
    with mp.workdps(15):
        t, last = abs(real_mpf("T", T)), real_mpf("P", P)
        return 15 + int(mp.log10(1 + t / max(last, 1)) if mp.isfinite(t) else 0)


def avoid(p: Any, b: Any) -> Any:
    """(1-p)^b with the full relative precision of p: 1 - p is not rounded first."""
    return mp.exp(b * mp.log1p(-p))


def first_smooth_mp(alpha: Any) -> int:
    """The input from which Euler-Maclaurin is exact at the working precision."""
    orders = mp.mp.dps + 10
    return int(mp.ceil(orders * max(mp.mpf(1), 0.6 * alpha)))


def rare_sum_mp(*, alpha: Any, C: Any, b: Any, q: int, P: Any, k: int = 0) -> Any:
    """sum_{x=q}^{P} p^(k+1) (1-p)^b at the working precision; P is an int or infinity."""

    def summand(x: Any) -> Any:
        p = C * mp.mpf(x) ** -alpha
        return p ** (k + 1) * avoid(p, b)

    # As many inputs at the end of a finite law are added one by one as there are orders: see zipf_sums.
    orders = mp.mp.dps + 10
    end = P if mp.isinf(P) else max(P - orders, q - 1)
    total = mp.mpf(0) if mp.isinf(P) else mp.fsum(summand(x) for x in range(end + 1, P + 1))
    if end < q:
        return total
    total += _integral(alpha, C, b, k, q, end) + summand(q) / 2 - _corrections(alpha, C, b, k, q, orders)
    if not mp.isinf(end):
        total += summand(end) / 2 + _corrections(alpha, C, b, k, end, orders)
    return total


def _corrections(alpha: Any, C: Any, b: Any, k: int, x: int, orders: int) -> Any:
    """The derivative terms of the Euler-Maclaurin formula at x."""
    p = C * mp.mpf(x) ** -alpha
    g = taylor_coefficients(alpha, b, k, p / (1 - p), p ** (k + 1) * avoid(p, b), orders)
    return mp.fsum(mp.bernoulli(j + 1) / (j + 1) * g[j] * mp.mpf(x) ** -j for j in range(1, orders + 1, 2))


def _integral(alpha: Any, C: Any, b: Any, k: int, q: int, end: Any) -> Any:
    """Integral of p^(k+1) (1-p)^b over q <= x <= end: binomial series where b p <= 1, quadrature in log x elsewhere."""
    z_q = b * C * mp.mpf(q) ** -alpha
    z_end = mp.mpf(0) if mp.isinf(end) else b * C * mp.mpf(end) ** -alpha
    if z_q <= 1:
        x_one = mp.mpf(q)
    elif z_end >= 1:
        x_one = mp.mpf(end)
    else:
        x_one = (b * C) ** (1 / alpha)
    t = C * x_one**-alpha
    total = mp.mpf(0)
    if x_one < end:
        L, term, i = mp.log(end / x_one), mp.mpf(1), 0
        while True:
            part = term * exp_integral(1 - alpha * (k + i + 1), L)
            total += part
            if abs(part) <= mp.eps * abs(total):
                break
            term *= t * (i - b) / (i + 1)
            i += 1
    if x_one > q:
        total += _quadrature(alpha, b, k, t, mp.log(x_one / q))
    return x_one * t ** (k + 1) * total


def _quadrature(alpha: Any, b: Any, k: int, t: Any, length: Any) -> Any:
    """Integral of exp(w (alpha (k+1) - 1)) (1 - t exp(alpha w))^b over 0 <= w <= length, w = log of how far below."""
    drop = mp.mp.dps * mp.log(10) + 20 + 4 * k
    W = length if alpha == 0 else min(length, mp.log1p(drop / (b * t)) / alpha)
    # b times the logarithm loses the digits of b t, which the guard digits of the caller cover.
    wanted = mp.eps * (1000 + b * t)
    with mp.extradps(5):
        least = mp.log1p(-t)

        def integrand(w: Any) -> Any:
            p = t * mp.exp(alpha * w)
            return mp.exp(w * (alpha * (k + 1) - 1) + b * (mp.log1p(-p) - least))

        degree = 6
        previous = mp.quad(integrand, [0, W], maxdegree=degree)
        while degree < 14:
            degree += 1
            value = mp.quad(integrand, [0, W], maxdegree=degree)
            if abs(value - previous) <= wanted * abs(value):
                return value * avoid(t, b)
            previous = value
    raise ArithmeticError(f"the quadrature of the missing mass did not reach {mp.mp.dps} digits")
