"""Mean of the missing mass of a Zipf law after T samples, sum_x p(x) (1-p(x))^T, in float64 and to any number of digits.

The missing mass is the probability of the inputs not seen in T independent samples of p(x) = C x^-alpha, x = 1..N. N
may be infinite (alpha > 1), T any real number >= 0. The cost grows with neither T nor N.

Inputs x < q are added one by one; the sum over x = q..P comes from the Euler-Maclaurin formula on [q, end], where the last
inputs of a finite law are again added one by one and end is what is left, or infinity. With z = T p the summand is like
z exp(-z) and its derivatives scale like alpha z/x per order, so that the n-th correction is at most about
(alpha n/(2 pi e q))^n of the whole, whatever T. In float64 orders up to 16 are exact once q >= 10 alpha; with D working
digits of mpmath it takes D + 10 orders and q = 0.6 alpha (D + 10). At the far end of a finite law the derivatives may be
large against the summand (alpha z >> P), but then the last TOP inputs hold the whole sum: the rest is
exp(-alpha z TOP/P) of it.

The integral, an incomplete beta function, is taken in two parts: where z <= 1 the binomial series of (1-p)^T is
integrated term by term (this part may reach to infinity, and alpha = 1 is no special case of it); where z > 1 by
quadrature in log x, down to where exp(-z) has fallen to nothing.

Asymptotics, N infinite, a = 1 - 1/alpha. Poisson summation: the sum is the integral over x >= C^(1/alpha), where p = 1,
plus oscillating terms. With t = C x^-alpha the integral is a beta function, so that the missing mass is

    kappa Gamma(T+1)/Gamma(T+1+a),   kappa = Gamma(a) C^(1/alpha)/alpha,

up to terms below every power of T. Relative to the whole they are of the order of (saddle point of the first harmonic)

    exp(-2 pi (1 + 1/alpha) sin(pi/(2 alpha + 2)) (alpha C T/(2 pi))^(1/(alpha+1))),

which is slow for large alpha: 7 % at alpha = 6, T = 1000 and 7e-5 at T = 1e6, far above the terms in 1/T. Stirling's
formula gives kappa T^-a [1 - a(a+1)/(2T) + a(a+1)(a+2)(3a+1)/(24 T^2) - ...]. For finite N the integral ends at
z = T C N^-alpha; (1-t)^T = exp(-tT) (1 - t^2 T/2 + ...) gives kappa T^-a [Q(a, z) - a(a+1)/(2T) Q(a+2, z) + ...], Q the
regularised upper incomplete gamma function, and the end of the sum adds p(N) exp(-z)/2 (Euler-Maclaurin).
"""

import math
from functools import lru_cache
from typing import TypeVar

import mpmath as mp
import numpy as np
from numpy.typing import ArrayLike

from asymp.theory.functions.arguments import FloatArray, Mpf, rounded
from asymp.theory.functions.zipf.power_sums import (
    ORDERS,
    bernoulli_ratios,
    exp_integral,
    power_sum,
    power_sum_mp,
    scaled_expm1,
)

CHUNK = 4096
"""Points at a time, to bound the memory."""

TOP = 32
"""Inputs at the end of a finite law that are added one by one."""

SERIES_TERMS = 24
"""Terms of the binomial series where T p <= 1."""

DROP = 50.0
"""The quadrature ends where exp(-z) has fallen by exp(-DROP) from its largest value."""

Number = TypeVar("Number", FloatArray, Mpf)


def missing_mass_mean(*, alpha: ArrayLike, T: ArrayLike, N: ArrayLike = math.inf) -> FloatArray:
    """sum_{x<=N} p (1-p)^T in float64, relative error about 1e-13 (0 where it is below 1e-308); arrays broadcast."""
    return unseen_mass_up_to(alpha=alpha, T=T, P=N, N=N)


def unseen_mass_up_to(*, alpha: ArrayLike, T: ArrayLike, P: ArrayLike, N: ArrayLike = math.inf) -> FloatArray:
    """sum_{x<=P} p (1-p)^T, the mean mass of the inputs up to P that T samples have not shown; arrays broadcast.

    Together with zipf_tail, the mass beyond P, it is the loss of a memory of the P most frequent inputs (joint-law).
    """
    arrays = np.broadcast_arrays(alpha, T, np.minimum(np.floor(P), N), N)
    flat = [np.ascontiguousarray(v, dtype=np.float64).ravel() for v in arrays]
    out = np.empty_like(flat[0])
    # Infinitely many samples have shown every input.
    finite = np.isfinite(flat[1])
    flat[1] = np.where(finite, flat[1], 0.0)
    for i in range(0, out.size, CHUNK):
        out[i : i + CHUNK] = _unseen_mass(*(v[i : i + CHUNK] for v in flat))
    return np.where(finite, out, 0.0).reshape(arrays[0].shape)


def unseen_mass_up_to_digits(*, alpha: Mpf, T: Mpf, P: Mpf, N: Mpf = math.inf, digits: int = 50) -> Mpf:
    """sum_{x<=P} p (1-p)^T to `digits` significant digits, an mpmath number."""
    if mp.isinf(T):
        return mp.mpf(0)
    last, size = (math.inf if mp.isinf(v) else int(mp.floor(v)) for v in (min(P, N), N))
    # Digits are lost to T z, the exponent of the rarest of the inputs: p(P) <= 1/P, so z <= T/P or so.
    lost = int(mp.log10(1 + T / max(last, 1)))
    with mp.workdps(digits + 15 + lost):
        value = _unseen_mass_mp(mp.mpf(alpha), mp.mpf(T), last, size)
    return rounded(value, digits)


def _taylor_coefficients(alpha: Number, T: Number, odds: Number, value: Number, order: int) -> list[Number]:
    """Taylor coefficients 0..order of p (1-p)^T in y at x (1 + y); odds = p/(1-p) and value (order 0) at x.

    (1+y) R' = -alpha R (1+R) for the odds R, and (1+y) g' = -alpha g (1 - T R): both turned into recurrences.
    Plain arithmetic, for float64 arrays and for mpmath numbers alike.
    """
    R, g = [odds], [value]
    for n in range(order):
        square = sum(R[i] * R[n - i] for i in range(n + 1))
        product = sum(g[i] * R[n - i] for i in range(n + 1))
        R.append(-(alpha * (R[n] + square) + n * R[n]) / (n + 1))
        g.append(-(alpha * (g[n] - T * product) + n * g[n]) / (n + 1))
    return g


# float64


def _unseen_mass(alpha: FloatArray, T: FloatArray, P: FloatArray, N: FloatArray) -> FloatArray:
    q = _first_smooth(alpha)
    C = 1 / power_sum(alpha, 1.0, N)
    x = np.arange(1, q, dtype=np.float64)
    p = C[:, None] * x ** -alpha[:, None]
    logs = _log_absent(alpha, C, N, p)
    with np.errstate(invalid="ignore"):
        exponent = np.where(T[:, None] > 0, T[:, None] * logs, 0.0)
    head = np.where(x <= P[:, None], p * np.exp(exponent), 0.0)[:, ::-1].sum(axis=1)
    return np.asarray(head + _rare_sum(alpha=alpha, C=C, T=T, q=q, P=P), dtype=np.float64)


def _log_absent(alpha: FloatArray, C: FloatArray, N: FloatArray, p: FloatArray) -> FloatArray:
    """log(1 - p) for the first inputs, p[:, 0] being p(1) (-inf for N = 1).

    A large p(1) leaves 1 - p(1) without digits: the mass of the other inputs has them all.
    """
    with np.errstate(divide="ignore"):
        logs = np.log1p(-np.minimum(p, 1.0))
        others = np.log(C * power_sum(alpha, 2.0, N - 1))
    logs[:, 0] = np.where(p[:, 0] > 0.5, others, logs[:, 0])
    return np.asarray(logs, dtype=np.float64)


def _first_smooth(alpha: FloatArray) -> int:
    """The input q from which Euler-Maclaurin is exact in float64 for every alpha of the array."""
    return max(32, int(np.ceil(10 * np.max(alpha, initial=0.0))))


def _rare_sum(*, alpha: FloatArray, C: FloatArray, T: FloatArray, q: int, P: FloatArray) -> FloatArray:
    """sum_{x=q}^{P} p (1-p)^T, p = C x^-alpha, for one-dimensional arrays of equal length; P may be inf.

    Needs q >= _first_smooth(alpha) and, where P >= q (the sum is 0 elsewhere), C q^-alpha <= 2/q.
    """
    some = q <= P
    if not np.all(some):
        total = np.zeros_like(alpha)
        if np.any(some):
            total[some] = _rare_sum(alpha=alpha[some], C=C[some], T=T[some], q=q, P=P[some])
        return total

    def summand(x: FloatArray, row: bool = False) -> FloatArray:
        a, c, power = ((v[:, None] if row else v) for v in (alpha, C, T))
        p = c * x**-a
        return np.asarray(p * np.exp(power * np.log1p(-p)))

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
    total = _integral(alpha=alpha, C=C, T=T, q=q, end=end) + (at_q + at_end) / 2
    total -= _corrections(alpha, C, T, np.full_like(alpha, q), at_q)
    total += _corrections(alpha, C, T, e, at_end)
    return np.asarray(top + np.where(smooth, total, 0.0), dtype=np.float64)


def _corrections(alpha: FloatArray, C: FloatArray, T: FloatArray, x: FloatArray, value: FloatArray) -> FloatArray:
    """The derivative terms of the Euler-Maclaurin formula at x."""
    p = C * x**-alpha
    # Where the summand has underflowed its derivatives are 0 too: 0 times an overflowing power of T is kept out.
    alive = value != 0
    g = _taylor_coefficients(alpha, np.where(alive, T, 0.0), p / (1 - p), value, 2 * ORDERS - 1)
    terms = [ratio * g[2 * m - 1] * x ** (1.0 - 2 * m) for m, ratio in enumerate(bernoulli_ratios(ORDERS), start=1)]
    return np.asarray(sum(reversed(terms)), dtype=np.float64)


def _integral(*, alpha: FloatArray, C: FloatArray, T: FloatArray, q: int, end: FloatArray) -> FloatArray:
    """Integral of p (1-p)^T over q <= x <= end."""
    z_q = T * C * float(q) ** -alpha
    z_end = np.where(np.isfinite(end), T * C * end**-alpha, 0.0)
    # The split at z = 1: `x_one` is q where z <= 1 throughout, the end where z > 1 throughout.
    inner = (z_q > 1) & (z_end < 1)
    safe = np.where(inner, alpha, 1.0)
    x_one = np.where(inner, np.where(inner, T * C, 1.0) ** (1 / safe), np.where(z_end >= 1, end, q))
    x_one = np.clip(x_one, q, end)
    p = C * x_one**-alpha
    parts = _series(alpha, T, p, np.log(end / x_one)) + _quadrature(alpha, T, p, np.log(x_one / q))
    return np.asarray(x_one * p * parts)


def _series(alpha: FloatArray, T: FloatArray, p: FloatArray, L: FloatArray) -> FloatArray:
    """Integral of exp(u (1 - alpha)) (1 - p exp(-alpha u))^T over 0 <= u <= L, T p <= 1: the binomial series."""
    total, term = np.zeros_like(p), np.ones_like(p)
    # Where there is nothing to integrate T p may be large; the terms are not to overflow there.
    term = np.where(L > 0, term, 0.0)
    step = np.where(L > 0, p, 0.0)
    for i in range(SERIES_TERMS):
        total = total + term * scaled_expm1(1 - alpha * (i + 1), L)
        term = term * step * (i - T) / (i + 1)
    return total


def _quadrature(alpha: FloatArray, T: FloatArray, p: FloatArray, length: FloatArray) -> FloatArray:
    """Integral of exp(w (alpha - 1)) (1 - p exp(alpha w))^T over 0 <= w <= length, w = log of how far below."""
    active = length > 0
    drop = np.log1p(DROP / np.where(active, T * p, 1.0))
    # The whole length if that is within the drop, also where alpha is so small that drop/alpha would overflow.
    whole = alpha * length <= drop
    W = np.where(active, np.where(whole, length, drop / np.where(whole, 1.0, alpha)), 0.0)
    nodes, weights = _gauss_legendre()
    w = W[:, None] * nodes
    above = p[:, None] * np.exp(alpha[:, None] * w)
    logs = w * (alpha - 1)[:, None] + T[:, None] * np.log1p(-above)
    return np.asarray(W * (np.exp(logs) @ weights), dtype=np.float64)


@lru_cache(maxsize=1)
def _gauss_legendre() -> tuple[FloatArray, FloatArray]:
    """Nodes and weights on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(48)
    return (nodes + 1) / 2, weights / 2


# mpmath


def _unseen_mass_mp(a: Mpf, t: Mpf, last: Mpf, n: Mpf) -> Mpf:
    """sum_{x<=last} p (1-p)^t at mpmath's precision less its guard digits; last and n are ints or infinity."""
    C = 1 / power_sum_mp(a, 1, n)
    orders = mp.mp.dps + 10
    q = int(mp.ceil(orders * max(mp.mpf(1), 0.6 * a)))
    total = mp.mpf(0)
    for x in range(1, int(min(q - 1, last)) + 1):
        p = C * mp.mpf(x) ** -a
        # 1 - p(1) is the mass of the others: no digit is lost for large alpha, and it is exactly 0 for N = 1.
        total += p * ((C * power_sum_mp(a, 2, n - 1)) ** t if x == 1 else _avoid(p, t))
    return total + _rare_sum_mp(a, C, t, q, last, orders)


def _avoid(p: Mpf, T: Mpf) -> Mpf:
    """(1-p)^T with the full relative precision of p: 1 - p is not rounded first."""
    return mp.exp(T * mp.log1p(-p))


def _rare_sum_mp(alpha: Mpf, C: Mpf, T: Mpf, q: int, P: Mpf, orders: int) -> Mpf:
    """sum_{x=q}^{P} p (1-p)^T at the working precision; P is an int or infinity."""

    def summand(x: int) -> Mpf:
        p = C * mp.mpf(x) ** -alpha
        return p * _avoid(p, T)

    def corrections(x: int) -> Mpf:
        p = C * mp.mpf(x) ** -alpha
        g = _taylor_coefficients(alpha, T, p / (1 - p), p * _avoid(p, T), orders)
        return mp.fsum(mp.bernoulli(j + 1) / (j + 1) * g[j] * mp.mpf(x) ** -j for j in range(1, orders + 1, 2))

    # As many inputs at the end of a finite law are added one by one as there are orders.
    end = P if mp.isinf(P) else max(P - orders, q - 1)
    total = mp.mpf(0) if mp.isinf(P) else mp.fsum(summand(x) for x in range(end + 1, P + 1))
    if end < q:
        return total
    total += _integral_mp(alpha, C, T, q, end) + summand(q) / 2 - corrections(q)
    if not mp.isinf(end):
        total += summand(end) / 2 + corrections(end)
    return total


def _integral_mp(alpha: Mpf, C: Mpf, T: Mpf, q: int, end: Mpf) -> Mpf:
    """Integral of p (1-p)^T over q <= x <= end: binomial series where T p <= 1, quadrature in log x elsewhere."""
    z_q = T * C * mp.mpf(q) ** -alpha
    z_end = mp.mpf(0) if mp.isinf(end) else T * C * mp.mpf(end) ** -alpha
    if z_q <= 1:
        x_one = mp.mpf(q)
    elif z_end >= 1:
        x_one = mp.mpf(end)
    else:
        x_one = (T * C) ** (1 / alpha)
    p = C * x_one**-alpha
    total = mp.mpf(0)
    if x_one < end:
        L, term, i = mp.log(end / x_one), mp.mpf(1), 0
        while True:
            part = term * exp_integral(1 - alpha * (i + 1), L)
            total += part
            if abs(part) <= mp.eps * abs(total):
                break
            term *= p * (i - T) / (i + 1)
            i += 1
    if x_one > q:
        total += _quadrature_mp(alpha, T, p, mp.log(x_one / q))
    return x_one * p * total


def _quadrature_mp(alpha: Mpf, T: Mpf, p: Mpf, length: Mpf) -> Mpf:
    """Integral of exp(w (alpha - 1)) (1 - p exp(alpha w))^T over 0 <= w <= length, w = log of how far below."""
    drop = mp.mp.dps * mp.log(10) + 20
    W = length if alpha == 0 else min(length, mp.log1p(drop / (T * p)) / alpha)
    # T times the logarithm loses the digits of T p, which the guard digits of the caller cover.
    wanted = mp.eps * (1000 + T * p)
    with mp.extradps(5):
        least = mp.log1p(-p)

        def integrand(w: Mpf) -> Mpf:
            return mp.exp(w * (alpha - 1) + T * (mp.log1p(-p * mp.exp(alpha * w)) - least))

        degree = 6
        previous = mp.quad(integrand, [0, W], maxdegree=degree)
        while degree < 14:
            degree += 1
            value = mp.quad(integrand, [0, W], maxdegree=degree)
            if abs(value - previous) <= wanted * abs(value):
                return value * _avoid(p, T)
            previous = value
    raise ArithmeticError(f"the quadrature of the missing mass did not reach {mp.mp.dps} digits")
