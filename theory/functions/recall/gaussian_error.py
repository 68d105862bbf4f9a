"""The M-way Gaussian error pi_M(a), its slope, and the same for scores of unequal spread: float64 and any number of digits.

    pi_M(a) = integral of phi(t) [1 - Phi(a+t)^(M-1)] dt,   -pi_M'(a) = (M-1) integral of phi(t) phi(a+t) Phi(a+t)^(M-2) dt.

pi_M(a) is the probability that the largest of M - 1 standard normal scores exceeds an independent one with mean a. It is the
limit of the recall error of one input as d -> inf with balanced classes, at a = q(z) sqrt(d/S_y).

Float64: the trapezoidal rule with some 180 points is exponentially accurate for such integrands. For thousands of margins
at one M a table is a hundred times faster: on panels of width 1/2 log pi_M is interpolated at 16 Chebyshev points. log pi_M
is singular only at the complex zeros of pi_M (the nearest of M = 2 are -2.7 +- 4.0 i), which are far beyond the panels:
interpolation adds no more than rounding, 2e-15 of the logarithm and at least 2e-13 in the tests, which go up to M = 10^6.

Digits: the integrands are entire and grow like exp(M y^2/2) in the imaginary direction at worst, so that the step h leaves a
relative error exp(-2 pi^2/(h^2 M)): some hundred values give fifty digits where halving the step until nothing changes
takes thousands (the second route in the tests). For large M they do not grow at all in a strip |y| < pi/(2 x),
x = sqrt(2 log M) being where Phi^M turns: the error is exp(-pi^2/(h x)) there, and the larger of the two steps is taken.
"""

import math
from collections.abc import Callable
from functools import lru_cache

import mpmath as mp
import numpy as np
from numpy.typing import ArrayLike

from asymp.theory.functions.arguments import FloatArray, Mpf, float_arrays, guarded, scalar_or_array
from asymp.theory.functions.numerics import PanelTable, make_table
from asymp.theory.lazy import special

REACH = 11.0
"""How far the trapezoidal rule goes on either side of the integrand's peak."""

RARE = -37.0
"""log(m (1 - Phi)) below which 1 - Phi^m is m (1 - Phi) in float64: exp(-37) is half an ulp of 1."""

LOW, HIGH, WIDTH = -8.0, 40.0, 0.5
"""The table: its ends and the width of its panels."""

MANY = 800
"""Margins at one M from which the table is made: it takes 1536 of them once, and is cached."""

NODES = 1 / 16
"""Step of the rule for scores of unequal spread."""


def pi_M(*, a: ArrayLike, M: ArrayLike) -> float | FloatArray:
    """pi_M(a), the M-way Gaussian error; arrays broadcast; relative error below 1e-11.

    Args:
        a: the margin, any real number: how far the mean of the right score is above that of the others.
        M: number of outputs, a whole number >= 1.
    """
    return scalar_or_array(np.exp(log_pi_M(a=a, M=M)))


def log_pi_M(*, a: ArrayLike, M: ArrayLike) -> float | FloatArray:
    """log pi_M(a), also where pi_M itself underflows; absolute error 1e-11, or 1e-15 of the logarithm if that is more."""
    margins, sizes = float_arrays(a, M)
    if not np.all(np.isfinite(margins)):
        raise ValueError("a must be a finite real number")
    if not np.all((sizes >= 1) & (sizes == np.floor(sizes)) & np.isfinite(sizes)):
        raise ValueError("M must be a whole number >= 1")
    return scalar_or_array(log_gaussian_error(margins, sizes))


def log_gaussian_error(margins: FloatArray, sizes: FloatArray) -> FloatArray:
    """log pi_M(a) for arrays of equal shape: margins a (any real number) and whole numbers M >= 1."""
    a, M = margins.ravel(), sizes.ravel()
    values = np.empty(a.size)
    direct = np.ones(a.size, dtype=bool)
    if a.size >= MANY:
        inside = (a >= LOW) & (a < HIGH)
        for size, count in zip(*np.unique(M[inside], return_counts=True), strict=True):
            if count >= MANY and size > 1:
                here = inside & (size == M)
                values[here] = error_table(float(size))(a[here])
                direct &= ~here
    values[direct] = _log_trapezoid(a[direct], M[direct] - 1)
    return np.minimum(values, 0.0).reshape(margins.shape)


def _log_trapezoid(a: FloatArray, others: FloatArray) -> FloatArray:
    """log pi_M(a) by the trapezoidal rule; others = M - 1; one-dimensional arrays."""
    # Phi^(M-1) steepens slowly with M: these steps leave errors below 1e-11 up to M = 10^3 and 10^6.
    step = 1 / 8 if np.max(others, initial=1) < 1000 else 1 / 16
    values = np.empty(a.size)
    for start in range(0, a.size, 4096):
        part = slice(start, start + 4096)
        t, m = a[part, None], others[part, None]
        # phi(t) Phi(-a-t)^1 peaks at -a/2 and phi(t) at 0; with many outputs the peak lies between them.
        centre = np.where(t > 0, np.maximum(-t / 2, np.minimum(0.0, np.sqrt(2 * np.log1p(m)) - t)), 0.0)
        grid = centre + np.arange(-REACH, REACH + step, step)
        x = t + grid
        # One tail of the two is small, and gives the other.
        small = special.log_ndtr(-np.abs(x))
        hit = m * np.where(x > 0, np.log1p(-np.exp(small)), small)
        with np.errstate(divide="ignore"):
            # log(1 - exp(hit)), by the form that keeps its digits; M = 1 never misses
            miss = np.where(hit > -0.5, np.log(-np.expm1(hit)), np.log1p(-np.exp(np.minimum(hit, -0.5))))
            # Far out Phi rounds to 1 (and hit to 0, from a + t = 38.6): 1 - Phi^m is m (1 - Phi) to a part m (1 - Phi)/2.
            rare = np.log(m) + small
            logs = np.where((x > 0) & (rare < RARE), rare, miss) - grid**2 / 2
            top = logs.max(axis=1, keepdims=True)
            top = np.where(np.isfinite(top), top, 0.0)
            values[part] = np.log(np.exp(logs - top).sum(axis=1)) + top[:, 0]
    return values + math.log(step / math.sqrt(2 * math.pi))


@lru_cache(maxsize=128)
def error_table(M: float) -> PanelTable:
    """The table of log pi_M for margins from LOW to HIGH."""
    return make_table(lambda a: _log_trapezoid(a, np.full(a.size, M - 1)), LOW, HIGH, WIDTH)


def power_complement(z: Mpf, c: Mpf) -> Mpf:
    """1 - Phi(z)^c at mpmath's present precision, without cancellation."""
    miss = mp.ncdf(-z)
    # Where miss is small 1 - (1 - miss)^c cancels; where it is close to 1 log1p would.
    return -mp.expm1(c * (mp.log1p(-miss) if miss < 0.5 else mp.log(mp.ncdf(z))))


@guarded(12)
def gaussian_error_digits(*, a: Mpf, M: Mpf, digits: int = 50) -> Mpf:
    """pi_M(a) for any real a to `digits` significant digits."""
    if M <= 2:
        return mp.erfc(a / 2) / 2 if M == 2 else mp.mpf(0)
    return _trapezoid(lambda t: mp.npdf(t) * power_complement(a + t, M - 1), a, M)


@guarded(12)
def gaussian_slope_digits(*, a: Mpf, M: Mpf, digits: int = 50) -> Mpf:
    """-pi_M'(a) for any real a to `digits` significant digits, an mpmath number."""
    return (M - 1) * _trapezoid(lambda t: mp.npdf(t) * mp.npdf(a + t) * mp.ncdf(a + t) ** (M - 2), a, M)


def _trapezoid(integrand: Callable[[Mpf], Mpf], a: Mpf, M: Mpf) -> Mpf:
    drop = (mp.mp.dps + 5) * mp.log(10)
    # The whole is of order exp(-a^2/4), the integrand's peak on the real axis; growth off the axis is not that small.
    whole = drop + a**2 / 4
    step = max(mp.pi * mp.sqrt(2 / (M * whole)), mp.mpf(9) / 10 * mp.pi**2 / (whole * mp.sqrt(2 * mp.log(M))))
    centre = -a / 2 if a > 0 else mp.mpf(0)
    reach = mp.sqrt(2 * drop) + mp.sqrt(2 * mp.log(M)) + 1
    count = int(reach / step) + 1
    return step * mp.fsum(integrand(centre + step * i) for i in range(-count, count + 1))


def unequal_error(*, q: ArrayLike, own: ArrayLike, other: ArrayLike, M: ArrayLike) -> FloatArray:
    """P(max of M - 1 normals of mean 0 and deviation `other` > a normal of mean q and deviation `own`); arrays broadcast.

    Trapezoidal rule around the peak of phi(t) Phi(-(q + own t)/other), in logarithms: relative error about 1e-10.
    """
    arrays = float_arrays(q, own, other, M)
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
        hit = (m - 1) * special.log_ndtr((mean + s * t) / spread)
        with np.errstate(divide="ignore"):
            miss = np.where(hit > -0.5, np.log(-np.expm1(hit)), np.log1p(-np.exp(np.minimum(hit, -0.5))))
        logs = special.logsumexp(miss - t**2 / 2, axis=1) + np.log(step[:, 0] / np.sqrt(2 * np.pi))
        out[start : start + 2048] = np.exp(logs)
    return out.reshape(arrays[0].shape)


@guarded(12)
def unequal_error_digits(*, q: Mpf, own: Mpf, other: Mpf, M: Mpf, digits: int = 50) -> Mpf:
    """The same to `digits` significant digits, an mpmath number."""
    mean, s, spread = q, own, other

    def integrand(t: Mpf) -> Mpf:
        return mp.npdf(t) * power_complement((mean + s * t) / spread, M - 1)

    drop = (mp.mp.dps + 5) * mp.log(10)
    centre = -mean * s / (s**2 + spread**2)
    # The least error is about exp(-margin); off the real axis the integrand grows like exp((1 + (M-1) r^2) y^2/2).
    margin = mean**2 / (2 * (s**2 + spread**2))
    ratio = 1 + (M - 1) * (s / spread) ** 2
    step = mp.pi * mp.sqrt(2 / (ratio * (drop + margin)))
    count = int((mp.sqrt(2 * drop) + mp.sqrt(2 * mp.log(M)) + 1) / step) + 1
    return step * mp.fsum(integrand(centre + step * i) for i in range(-count, count + 1))
