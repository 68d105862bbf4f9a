"""Sums of p (1-p)^b over the rare inputs of a Zipf law, in float64: the machinery of the missing mass.

The sum is sum_{x=q}^{P} p (scale p)^k (1-p)^b with p = C x^-alpha: k = 0, b = T for the missing mass, other k and b for
its variance. It comes from the Euler-Maclaurin formula on [q, end], where end = P - TOP (the last TOP inputs are added
one by one) or infinity. With z = b p the summand is like z^(k+1) exp(-z) and its derivatives scale like alpha z/x per
order, so that the n-th correction is at most about (alpha n/(2 pi e q))^n of the whole, whatever b: orders up to 16 are
exact in float64 once q >= 10 alpha. At the far end of a finite law the derivatives may be large against the summand
(alpha z >> P), but then the last TOP inputs hold the whole sum: the rest is exp(-alpha z TOP/P) of it.

The integral, an incomplete beta function, is taken in two parts: where z <= 1 the binomial series of (1-p)^b is
integrated term by term (this part may reach to infinity, and alpha = 1 is no special case of it); where z > 1 by
Gauss-Legendre in log x, down to where exp(-z) has fallen by exp(-50) from its largest value.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from asymp.theory.zipf.power_sums import ORDERS, FloatArray, bernoulli_ratios, scaled_expm1

__all__ = ["first_smooth", "rare_sum", "taylor_coefficients"]

TOP = 32
SERIES_TERMS = 24
DROP = 50.0
HUGE = 1e12


def first_smooth(alpha: FloatArray) -> int:
    """The input q from which Euler-Maclaurin is exact in float64 for every alpha of the array."""
    return max(32, int(np.ceil(10 * np.max(alpha, initial=0.0))))


def rare_sum(
    *,
    alpha: FloatArray,
    C: FloatArray,
    b: FloatArray,
    q: int,
    P: FloatArray,
    k: int = 0,
    scale: FloatArray | float = 1.0,
) -> FloatArray:
    """sum_{x=q}^{P} p (scale p)^k (1-p)^b, p = C x^-alpha, for one-dimensional arrays of equal length; P may be inf.

    `scale` is of the order of b where k > 0, so that scale p is large only where (1-p)^b is 0. Needs
    q >= first_smooth(alpha) and, where P >= q (the sum is 0 elsewhere), C q^-alpha <= 2/q and b >= -q, so that
    the binomial series converges where b < 0.
    """
    some = q <= P
    if not np.all(some):
        total = np.zeros_like(alpha)
        if np.any(some):
            scale = np.broadcast_to(scale, alpha.shape)[some]
            total[some] = rare_sum(alpha=alpha[some], C=C[some], b=b[some], q=q, P=P[some], k=k, scale=scale)
        return total

    def summand(x: FloatArray, row: bool = False) -> FloatArray:
        a, c, power, s = ((v[:, None] if row and np.ndim(v) else v) for v in (alpha, C, b, np.asarray(scale)))
        p = c * x**-a
        return p * _power(s * p, k) * np.exp(power * np.log1p(-p))

    finite = np.isfinite(P)
    last = np.where(finite, P, q)
    x = last[:, None] - np.arange(TOP)
    top = np.where(finite[:, None] & (x >= q), summand(np.maximum(x, q), row=True), 0.0).sum(axis=1)
    # The inputs q..end are left to Euler-Maclaurin; without any, the end is set to q and the value dropped.
    end = np.where(finite, P - TOP, np.inf)
    smooth = end >= q
    end = np.where(smooth, end, q)
    e = np.where(np.isfinite(end), end, q)
    at_q, at_end = summand(np.full_like(alpha, q)), np.where(np.isfinite(end), summand(e), 0.0)
    total = _integral(alpha=alpha, C=C, b=b, q=q, end=end, k=k, scale=scale) + (at_q + at_end) / 2
    total -= _corrections(alpha, C, b, k, np.full_like(alpha, q), at_q)
    total += _corrections(alpha, C, b, k, e, at_end)
    return np.asarray(top + np.where(smooth, total, 0.0), dtype=np.float64)


def _power(z: FloatArray, k: int) -> FloatArray:
    """z^k with z held below HUGE, where exp(-z), the factor that goes with it, is 0 but the power might overflow."""
    return np.asarray(np.minimum(z, HUGE) ** k, dtype=np.float64)


def taylor_coefficients(alpha: Any, b: Any, k: int, odds: Any, value: Any, order: int) -> list[Any]:
    """Taylor coefficients 0..order of p^(k+1) (1-p)^b in y at x (1 + y); odds = p/(1-p) and value (order 0) at x.

    (1+y) R' = -alpha R (1+R) for the odds R, and (1+y) g' = -alpha g (k + 1 - b R): both turned into recurrences.
    Plain arithmetic, for float64 arrays and for mpmath numbers alike.
    """
    R, g = [odds], [value]
    for n in range(order):
        square = sum(R[i] * R[n - i] for i in range(n + 1))
        product = sum(g[i] * R[n - i] for i in range(n + 1))
        R.append(-(alpha * (R[n] + square) + n * R[n]) / (n + 1))
        g.append(-(alpha * ((k + 1) * g[n] - b * product) + n * g[n]) / (n + 1))
    return g


def _corrections(
    alpha: FloatArray, C: FloatArray, b: FloatArray, k: int, x: FloatArray, value: FloatArray
) -> FloatArray:
    """The derivative terms of the Euler-Maclaurin formula at x."""
    p = C * x**-alpha
    # Where the summand has underflowed its derivatives are 0 too: 0 times an overflowing power of b is kept out.
    alive = value != 0
    g = taylor_coefficients(alpha, np.where(alive, b, 0.0), k, p / (1 - p), value, 2 * ORDERS - 1)
    terms = [ratio * g[2 * m - 1] * x ** (1.0 - 2 * m) for m, ratio in enumerate(bernoulli_ratios(ORDERS), start=1)]
    return np.asarray(sum(reversed(terms)), dtype=np.float64)


def _integral(
    *, alpha: FloatArray, C: FloatArray, b: FloatArray, q: int, end: FloatArray, k: int, scale: FloatArray | float
) -> FloatArray:
    """Integral of p (scale p)^k (1-p)^b over q <= x <= end."""
    z_q = b * C * float(q) ** -alpha
    z_end = np.where(np.isfinite(end), b * C * end**-alpha, 0.0)
    # The split at z = 1: `x_one` is q where z <= 1 throughout, the end where z > 1 throughout.
    inner = (z_q > 1) & (z_end < 1)
    safe = np.where(inner, alpha, 1.0)
    x_one = np.where(inner, np.where(inner, b * C, 1.0) ** (1 / safe), np.where(z_end >= 1, end, q))
    x_one = np.clip(x_one, q, end)
    t_one = C * x_one**-alpha
    front = x_one * t_one * _power(scale * t_one, k)
    return front * (
        _series(alpha, b, k, t_one, np.log(end / x_one)) + _quadrature(alpha, b, k, t_one, np.log(x_one / q))
    )


def _series(alpha: FloatArray, b: FloatArray, k: int, t: FloatArray, L: FloatArray) -> FloatArray:
    """Integral of exp(u (1 - alpha (k+1))) (1 - t exp(-alpha u))^b over 0 <= u <= L, b t <= 1: the binomial series."""
    total, term = np.zeros_like(t), np.ones_like(t)
    # Where there is nothing to integrate b t may be large; the terms are not to overflow there.
    term = np.where(L > 0, term, 0.0)
    step = np.where(L > 0, t, 0.0)
    for i in range(SERIES_TERMS):
        total = total + term * scaled_expm1(1 - alpha * (k + i + 1), L)
        term = term * step * (i - b) / (i + 1)
    return total


def _quadrature(alpha: FloatArray, b: FloatArray, k: int, t: FloatArray, length: FloatArray) -> FloatArray:
    """Integral of exp(w (alpha (k+1) - 1)) (1 - t exp(alpha w))^b over 0 <= w <= length, w = log of how far below."""
    z = b * t
    active = length > 0
    # z^(k+1) exp(-z) peaks at k + 1, so that the range grows with k.
    drop = np.log1p((DROP + 4 * k) / np.where(active, z, 1.0))
    # The whole length if that is within the drop, also where alpha is so small that drop/alpha would overflow.
    whole = alpha * length <= drop
    W = np.where(active, np.where(whole, length, drop / np.where(whole, 1.0, alpha)), 0.0)
    nodes, weights = _gauss_legendre(48 if k <= 1 else 96)
    w = W[:, None] * nodes
    p = t[:, None] * np.exp(alpha[:, None] * w)
    logs = w * (alpha * (k + 1) - 1)[:, None] + b[:, None] * np.log1p(-p)
    return np.asarray(W * (np.exp(logs) @ weights), dtype=np.float64)


@lru_cache(maxsize=4)
def _gauss_legendre(n: int) -> tuple[FloatArray, FloatArray]:
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return (nodes + 1) / 2, weights / 2
