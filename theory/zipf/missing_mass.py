"""Mean of the missing mass of a Zipf law after T samples, sum_x p(x) (1-p(x))^T: float64, any digits, asymptotics.

The missing mass is the probability of the inputs not seen in T independent samples of p(x) = C x^-alpha, x = 1..N. N
may be infinite (alpha > 1), T any real number >= 0. Inputs x < q are added one by one, the others by Euler-Maclaurin,
as in zipf_sums (float64) and zipf_sums_digits (mpmath): the cost grows with neither T nor N.

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
from typing import Any

import mpmath as mp
import numpy as np

from asymp.theory.zipf.law import check_cut_mp, check_digits, check_zipf, real_array, real_mpf, require, scalar_or_array
from asymp.theory.zipf.power_sums import FloatArray, bernoulli_ratios, power_sum
from asymp.theory.zipf.sums import first_smooth, rare_sum
from asymp.theory.zipf.sums_digits import guard_digits, unseen_sum_mp

__all__ = [
    "log_absent",
    "missing_mass_asymptotic",
    "missing_mass_digits",
    "missing_mass_gamma_ratio",
    "missing_mass_kappa",
    "missing_mass_mean",
    "unseen_mass_up_to",
    "unseen_mass_up_to_digits",
]

CHUNK = 4096


def missing_mass_mean(*, alpha: Any, T: Any, N: Any = math.inf) -> float | FloatArray:
    """sum_{x<=N} p (1-p)^T in float64, relative error about 1e-13 (0 where it is below 1e-308); arrays broadcast."""
    return unseen_mass_up_to(alpha=alpha, T=T, P=N, N=N)


def unseen_mass_up_to(*, alpha: Any, T: Any, P: Any, N: Any = math.inf) -> float | FloatArray:
    """sum_{x<=P} p (1-p)^T, the mean mass of the inputs up to P that T samples have not shown; arrays broadcast.

    Together with zipf_tail, the mass beyond P, it is the loss of a memory of the P most frequent inputs (joint-law).
    """
    a, n = check_zipf(alpha, N)
    t, cut = real_array("T", T), np.floor(real_array("P", P, infinite=True))
    require("T", t, t >= 0, "T >= 0")
    require("P", cut, cut >= 0, "P >= 0")
    arrays = np.broadcast_arrays(a, t, np.minimum(cut, n), n)
    flat = [np.ascontiguousarray(v, dtype=np.float64).ravel() for v in arrays]
    out = np.empty_like(flat[0])
    for i in range(0, out.size, CHUNK):  # to bound the memory
        out[i : i + CHUNK] = _unseen_mass(*(v[i : i + CHUNK] for v in flat))
    return scalar_or_array(out.reshape(arrays[0].shape))


def missing_mass_digits(*, alpha: Any, T: Any, N: Any = math.inf, digits: int = 50) -> Any:
    """sum_{x<=N} p (1-p)^T to `digits` significant digits, an mpmath number."""
    return unseen_mass_up_to_digits(alpha=alpha, T=T, P=N, N=N, digits=digits)


def unseen_mass_up_to_digits(*, alpha: Any, T: Any, P: Any, N: Any = math.inf, digits: int = 50) -> Any:
    """sum_{x<=P} p (1-p)^T to `digits` significant digits, an mpmath number."""
    last = min(check_cut_mp(P), real_mpf("N", N))
    with mp.workdps(check_digits(digits) + guard_digits(T=T, P=last)):
        value = unseen_sum_mp(alpha=alpha, T=T, P=check_cut_mp(P), N=N)
    with mp.workdps(digits):
        return +value


def missing_mass_kappa(*, alpha: Any, N: Any = math.inf) -> float | FloatArray:
    """kappa = Gamma(1 - 1/alpha) C^(1/alpha)/alpha, the constant of the law kappa T^(-1+1/alpha); alpha > 1."""
    from scipy.special import gamma

    a, n = check_zipf(alpha, N)
    require("alpha", a, a > 1, "alpha > 1, where the missing mass has its power law")
    return scalar_or_array(gamma(1 - 1 / a) * power_sum(a, 1.0, n) ** (-1 / a) / a)


def missing_mass_asymptotic(*, alpha: Any, T: Any, N: Any = math.inf) -> float | FloatArray:
    """kappa T^-a [Q(a, z) - a(a+1)/(2T) Q(a+2, z)], a = 1 - 1/alpha, z = T C N^-alpha; Q = 1 for N = inf.

    Needs T > 0 and alpha > 1. The next orders: a(a+1)(a+2)(3a+1)/(24 T^2) relative to the whole for N = inf, the
    oscillating terms above, and p(N) exp(-z)/2 for finite N.
    """
    from scipy.special import gammaincc

    kappa = np.asarray(missing_mass_kappa(alpha=alpha, N=N))
    slope, n = check_zipf(alpha, N)
    t = real_array("T", T)
    require("T", t, t > 0, "T > 0")
    a = 1 - 1 / slope
    with np.errstate(invalid="ignore"):
        z = np.where(np.isfinite(n), t * n**-slope / power_sum(slope, 1.0, n), 0.0)
    return scalar_or_array(kappa * t**-a * (gammaincc(a, z) - a * (a + 1) / (2 * t) * gammaincc(a + 2, z)))


def missing_mass_gamma_ratio(*, alpha: Any, T: Any) -> float | FloatArray:
    """kappa Gamma(T+1)/Gamma(T+2-1/alpha): the missing mass for N = inf up to terms below every power of T."""
    from scipy.special import gamma

    kappa = np.asarray(missing_mass_kappa(alpha=alpha))
    a = 1 - 1 / real_array("alpha", alpha)
    t = real_array("T", T)
    require("T", t, t >= 0, "T >= 0")
    z = np.maximum(t, 16.0) + 1
    # log of Gamma(z+a)/Gamma(z) by Stirling, its large terms cancelled by hand: two log-gammas would lose log(T) T eps.
    stirling = (z - 0.5) * np.log1p(a / z) + a * np.log(z + a) - a + _binet(z + a) - _binet(z)
    small = np.minimum(t, 16.0) + 1
    ratio = np.where(t > 16, np.exp(-stirling), gamma(small) / gamma(small + a))
    return scalar_or_array(kappa * ratio)


def _binet(z: FloatArray) -> FloatArray:
    """log Gamma(z) - [(z-1/2) log z - z + log(2 pi)/2] for z > 16, absolute error below 1e-17."""
    coefficients = [B / (2 * m - 1) for m, B in enumerate(bernoulli_ratios(7), start=1)]
    return np.asarray(sum(c * z ** (1.0 - 2 * m) for m, c in enumerate(coefficients, start=1)), dtype=np.float64)


def _unseen_mass(alpha: FloatArray, T: FloatArray, P: FloatArray, N: FloatArray) -> FloatArray:
    q = first_smooth(alpha)
    C = 1 / power_sum(alpha, 1.0, N)
    x = np.arange(1, q, dtype=np.float64)
    p = C[:, None] * x ** -alpha[:, None]
    logs = log_absent(alpha, C, N, p)
    with np.errstate(invalid="ignore"):
        exponent = np.where(T[:, None] > 0, T[:, None] * logs, 0.0)
    head = np.where(x <= P[:, None], p * np.exp(exponent), 0.0)[:, ::-1].sum(axis=1)
    return np.asarray(head + rare_sum(alpha=alpha, C=C, b=T, q=q, P=P), dtype=np.float64)


def log_absent(alpha: FloatArray, C: FloatArray, N: FloatArray, p: FloatArray) -> FloatArray:
    """log(1 - p) for the first inputs, p[:, 0] being p(1) (-inf for N = 1).

    A large p(1) leaves 1 - p(1) without digits: the mass of the other inputs has them all.
    """
    with np.errstate(divide="ignore"):
        logs = np.log1p(-np.minimum(p, 1.0))
        others = np.log(C * power_sum(alpha, 2.0, N - 1))
    logs[:, 0] = np.where(p[:, 0] > 0.5, others, logs[:, 0])
    return np.asarray(logs, dtype=np.float64)
