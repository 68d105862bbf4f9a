"""The recall error with two outputs on the sphere, in closed form: M = 2 is the case where nothing is left to integrate.

With M = 2 and |u_0| = |u_1| = 1 the argmax depends on (u_f - u_y) . (a u_f + b u_y) = (1 - u_f.u_y)(a - b) only, so the
outputs' overlap cancels. What is left of the exact law is P(q r + d^-1/2 (S_f - q^2)^1/2 xi < d^-1/2 S_y^1/2 xi') with
r^2 ~ chi2_d/d: the tail of Student's t with d degrees of freedom at q sqrt(d/(S - q^2)), S = S_0 + S_1. Hence

    E = (1/2) sum_z p(z) I_{1 - q(z)^2/S}(d/2, 1/2),   I the regularised incomplete beta function,

for every d >= 2, every f (only S = sum q^2 enters) and every q. Here q = p^rho on x <= P under a Zipf law.
"""

import math

import mpmath as mp
import numpy as np
from numpy.typing import ArrayLike

from asymp.theory.functions.arguments import FloatArray, Mpf, check_number, check_whole, check_zipf, guarded, whole
from asymp.theory.functions.zipf.law import zipf_tail
from asymp.theory.functions.zipf.power_sums import power_sum, power_sum_mp
from asymp.theory.functions.zipf.smooth_sums import sum_nodes
from asymp.theory.lazy import special

FAINT = 1e-5
"""Beyond d q^2/S = FAINT the beta function is summed as a series in q^2/S: four terms are exact in float64."""

SERIES = 40
"""The same with mpmath, where d q^2/S <= SERIES; the terms' cancellation takes e^20 there."""


def binary_recall_error(*, alpha: float, N: float, d: float, rho: float = 0.0, P: float = math.inf) -> float:
    """(1/2) sum_z p(z) I_{1 - q(z)^2/S}(d/2, 1/2) in float64, relative error about 1e-12; N and P may be inf."""
    d = check_whole("d", d, 2)
    a, size = (float(v) for v in check_zipf(alpha, N))
    last, slope = min(size, float(np.floor(P))), 2 * check_number("rho", rho, 0.0) * a
    if last == math.inf and slope <= 1:
        raise ValueError(f"2 rho alpha must exceed 1 when infinitely many inputs are stored; got {slope:g}")
    if last < 1:
        return 0.5
    C, S = 1 / float(power_sum(a, 1.0, size)), float(power_sum(slope, 1.0, last))
    rest = C * float(power_sum(a, last + 1, size - last)) if last < size else 0.0

    def missed(x: FloatArray) -> FloatArray:
        return np.asarray(special.betaincc(0.5, d / 2, np.minimum(x**-slope / S, 1.0)))

    if slope == 0:
        return 0.5 * (rest + (1 - rest) * float(missed(np.ones(()))))
    # q^2 d/S falls to FAINT at x = cut.
    log_cut = math.log(d / (S * FAINT)) / slope
    cut = int(min(math.exp(min(log_cut, 600.0)), last)) if log_cut > 0 else 0
    x, w = sum_nodes(first=1, last=cut)
    total = C * float(w @ (x**-a * missed(x))) + rest
    if cut < last:
        # 1 - I_e(1/2, d/2) = 1 - e^(1/2)/B(1/2, d/2) sum_k (1 - d/2)_k e^k/(k! (k + 1/2))
        series, coefficient = 0.0, math.exp(-float(special.betaln(0.5, d / 2)))
        for k in range(4):
            series += (
                coefficient
                / (k + 0.5)
                * S ** -(k + 0.5)
                * float(power_sum(a + slope * (k + 0.5), cut + 1.0, last - cut))
            )
            coefficient *= (1 - d / 2 + k) / (k + 1)
        total += C * (float(power_sum(a, cut + 1.0, last - cut)) - series)
    return 0.5 * total


def equal_weights_error(*, alpha: ArrayLike, N: ArrayLike, d: ArrayLike, P: ArrayLike = math.inf) -> FloatArray:
    """The same for q = 1 on x <= P; arrays broadcast."""
    stored = np.minimum(np.floor(np.asarray(P, dtype=np.float64)), N)
    rest = np.asarray(zipf_tail(alpha=alpha, P=stored, N=N))
    return np.asarray((rest + (1 - rest) * special.betaincc(0.5, np.asarray(d) / 2, 1 / stored)) / 2)


@guarded(15)
def student_tail_digits(*, d: Mpf, e: Mpf, digits: int = 50) -> Mpf:
    """I_{1-e}(d/2, 1/2) for 0 <= e <= 1, twice the tail of Student's t with d degrees of freedom, to `digits` digits."""
    a = d / 2
    if e <= 0 or e >= 1:
        return mp.mpf(1 if e <= 0 else 0)
    if 2 * a * e < SERIES:
        with mp.extradps(12):
            value = 1 - mp.betainc(mp.mpf(1) / 2, a, 0, e, regularized=True)
    else:
        front = mp.exp(a * mp.log1p(-e) + mp.log(e) / 2) / (a * mp.beta(a, mp.mpf(1) / 2))
        value = front * _continued_fraction(a, mp.mpf(1) / 2, 1 - e)
    return value


@guarded(30)
def binary_recall_digits(*, alpha: Mpf, N: Mpf, d: Mpf, rho: Mpf = 0, P: Mpf = math.inf, digits: int = 50) -> Mpf:
    """The same to `digits` significant digits, an mpmath number; at most 200000 inputs have d q^2/S > 40."""
    a, size, last = alpha, whole(N), min(whole(P), whole(N))
    slope = 2 * rho * a
    C = 1 / power_sum_mp(a, 1, size)
    S = power_sum_mp(slope, 1, last)  # of x^-slope: C^(2 rho) cancels in q^2/S
    rest = mp.mpf(0) if last == size else C * power_sum_mp(a, last + 1, size - last)
    if slope == 0:
        value = (rest + (1 - rest) * student_tail_digits(d=d, e=1 / S, digits=digits + 25)) / 2
    else:
        head = int(min(mp.floor((d / (S * SERIES)) ** (1 / slope)), last))
        if head > 200_000:
            raise ValueError(
                f"{head} inputs would have to be added one by one: about 12 digits can be had, from "
                "asymp.theory.functions.recall.binary.binary_recall_error"
            )
        total = rest + mp.fsum(
            C * mp.mpf(x) ** -a * student_tail_digits(d=d, e=mp.mpf(x) ** -slope / S, digits=digits + 25)
            for x in range(1, head + 1)
        )
        total += _faint_inputs(a, slope, C, S, d, head, last)
        value = total / 2
    return value


def _faint_inputs(a: Mpf, slope: Mpf, C: Mpf, S: Mpf, d: Mpf, head: int, last: Mpf) -> Mpf:
    """sum over head < x <= last of p I_{1-e}(d/2, 1/2), e = x^-slope/S, as a series of power sums."""
    if head >= last:
        return mp.mpf(0)
    half, total, k = mp.mpf(1) / 2, mp.mpf(0), 0
    coefficient = 1 / mp.beta(half, d / 2)
    while True:
        term = coefficient / (k + half) * power_sum_mp(a + slope * (k + half), head + 1, last - head) / S ** (k + half)
        total += term
        if coefficient == 0 or (k > SERIES and abs(term) <= mp.eps * abs(total)):
            break
        coefficient *= (1 - d / 2 + k) / (k + 1)
        k += 1
    return C * (power_sum_mp(a, head + 1, last - head) - total)


def _continued_fraction(a: Mpf, b: Mpf, x: Mpf) -> Mpf:
    """The continued fraction of I_x(a, b) a B(a, b)/(x^a (1-x)^b), by Lentz's method; x below (a+1)/(a+b+2)."""
    tiny = mp.mpf(10) ** (-10 * mp.mp.dps)
    c, d = mp.mpf(1), 1 / (1 - (a + b) * x / (a + 1))
    value, m = d, 1
    while True:
        step = mp.mpf(1)
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / ((1 + numerator * d) or tiny)
            c = (1 + numerator / c) or tiny
            step = c * d
            value *= step
        if abs(step - 1) < mp.eps:
            return value
        m += 1
