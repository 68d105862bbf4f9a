"""Sums, integrals and roots inside formulas, each with a float64 and an mpmath side: a law composed of them has no twin.

The law of |u.u'| for independent gaussian embeddings N(0, I/d): its distribution function, in floats and to any digits.

Given u, u.u' is N(0, |u|^2/d), so with z = d s P(|u.u'| <= s) = E erf(s sqrt(d/2)/|u|) = z [K_v(z) L_(v-1)(z) + K_(v-1)(z) L_v(z)],
v = (d-1)/2: the sum of d products of normals has the density |z|^v K_v(|z|)/(sqrt(pi) 2^v Gamma(d/2)), whose integral is known
(modified Struve function L).
"""

import mpmath as mp
import numpy as np
import sympy
from numpy.typing import ArrayLike

from asymp.theory.functions.arguments import FloatArray, Mpf, float_arrays
from asymp.theory.functions.numerics import each_point, rising
from asymp.theory.functions.recall.gaussian_error import unequal_error, unequal_error_digits
from asymp.theory.functions.recall.item_errors import binomial_cdf_digits, bit_margin_digits, bit_margins
from asymp.theory.functions.recall.symbols import ClassSum, normal_cdf, zipf
from asymp.theory.functions.recall.theorem_1 import forgotten_mass, forgotten_mass_digits
from asymp.theory.functions.schemes.often_seen import number_seen_digits, numbers_seen
from asymp.theory.functions.schemes.optimal_storage import optimal_constants
from asymp.theory.functions.schemes.power_constants import (
    optimal_constant_digits,
    power_constant,
    power_constant_digits,
)
from asymp.theory.functions.sgd.flow import flow_root, flow_root_mp
from asymp.theory.functions.special import computed
from asymp.theory.functions.zipf.law import zipf_tail, zipf_tail_digits
from asymp.theory.functions.zipf.unseen_mass import unseen_mass_up_to, unseen_mass_up_to_digits
from asymp.theory.lazy import Expr, special

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


HALF, LINE = sympy.Rational(1, 2), (-sympy.oo, sympy.oo)
x, j = sympy.symbols("x j")
a, r = sympy.symbols("a r", positive=True)
t = sympy.Symbol("t", real=True)
normal_density = sympy.exp(-(t**2) / 2) / sympy.sqrt(2 * sympy.pi)


# -- special functions of mathematics, in a form that neither cancels nor overflows ------------------------------------

GammaShare = computed(
    "GammaShare", "a x",
    lambda a, x: sympy.lowergamma(a, x) / sympy.gamma(a),
    lambda a, x: special.gammainc(a, x),
    lambda a, x, digits: mp.gammainc(a, 0, x, regularized=True),
)  # fmt: skip

Rising = computed(
    "Rising", "z b", sympy.RisingFactorial, lambda z, b: rising(z, b), lambda z, b, digits: mp.rf(z, b)
)  # fmt: skip

FloorLog = computed(
    "FloorLog", "K",  # frexp writes K = f 2^e with 1/2 <= f < 1, so that e is the number of binary digits; logarithms round
    lambda K: sympy.floor(sympy.log(K, 2)),
    lambda K: np.frexp(K)[1] - 1,
    lambda K, digits: int(K).bit_length() - 1,
)  # fmt: skip

CeilingLog = computed(
    "CeilingLog", "K",
    lambda K: sympy.ceiling(sympy.log(K, 2)),
    lambda K: np.frexp(K - 1)[1],
    lambda K, digits: (int(K) - 1).bit_length(),
)  # fmt: skip

# The root delta of delta + v (e^delta - 1) = t.
FlowRoot = computed(
    "FlowRoot", "v t",
    lambda v, t: t + v - sympy.LambertW(v * sympy.exp(t + v)),
    flow_root,
    lambda v, t, digits: flow_root_mp(v, t),
)  # fmt: skip


# -- probabilities -----------------------------------------------------------------------------------------------------


def _fair_share(k: FloatArray, n: FloatArray) -> FloatArray:
    # P(B <= k) = I_{1/2}(n - k, k + 1)
    inside = special.betainc(np.maximum(n - k, 1), np.maximum(k, 0) + 1, 0.5)
    return np.where(k < 0, 0.0, np.where(k >= n, 1.0, inside))


# P(B <= k) for B binomial(n, 1/2).
FairShare = computed(
    "FairShare", "k n",
    lambda k, n: 2**-n * sympy.Sum(sympy.binomial(n, j), (j, 0, k)),
    _fair_share,
    lambda k, n, digits: binomial_cdf_digits(int(k), int(n), digits),
)  # fmt: skip


# The z with Phi(z)^d = 1/2; the quantile from the small tail, which 1 - 2^(-1/d) would lose.
HalfQuantile = computed(
    "HalfQuantile", "d",
    lambda d: sympy.sqrt(2) * sympy.erfinv(2 * 2 ** (-1 / d) - 1),
    lambda d: -special.ndtri(-np.expm1(-np.log(2) / d)),
    lambda d, digits: mp.sqrt(2) * mp.erfinv(2 * mp.mpf(2) ** (-1 / d) - 1),
)  # fmt: skip


def _bit_form(d: Expr, k: Expr) -> Expr:
    s = 2 * j - (d - 1)
    square = sympy.Sum(sympy.binomial(d - 1, j) * ((s + 1) ** k - (s - 1) ** k) ** 2, (j, 0, d - 1)) / 2 ** (d - 1)
    return (d**k - (d - 2) ** k) / sympy.sqrt(square)


# Signal over noise of a bit of a dense memory of degree k with one other pattern, from the exact mean and variance.
BitMargin = computed("BitMargin", "d k", _bit_form, bit_margins, bit_margin_digits)


def _sphere_weight(d: FloatArray, beta: FloatArray) -> FloatArray:
    # Gamma(d/2) (2/beta)^(d/2 - 1) I_(d/2 - 1)(beta) exp(-beta), in logarithms
    order = d / 2 - 1
    logs = special.gammaln(d / 2) + order * np.log(2 / beta) + np.log(special.ive(order, beta))
    return np.asarray(np.exp(logs))


# E exp(beta (u.u' - 1)) for two points of the unit sphere of R^d.
SphereWeight = computed(
    "SphereWeight", "d beta",
    lambda d, beta: sympy.exp(-beta) * sympy.hyper([], [d / 2], beta**2 / 4),
    _sphere_weight,
    lambda d, beta, digits: mp.exp(-beta) * mp.hyp0f1(d / 2, beta**2 / 4),
)  # fmt: skip


def _product_form(d: Expr, s: Expr) -> Expr:
    density = 2 * (d / 2) ** (d / 2) / sympy.gamma(d / 2) * r ** (d - 1) * sympy.exp(-d * r**2 / 2)
    return sympy.Integral(sympy.erf(s * sympy.sqrt(d / 2) / r) * density, (r, 0, sympy.oo))


# P(|u.u'| <= s) for gaussian embeddings: u.u' is N(0, |u|^2/d) given u.
ProductShare = computed("ProductShare", "d s", _product_form, product_share, product_share_digits)

# P(the largest of M - 1 normals of deviation `other` exceeds one of mean q and deviation `own`).
UnequalError = computed(
    "UnequalError", "q own other M",
    lambda q, own, other, M: (
        1 - sympy.Integral(normal_density * normal_cdf((q + own * t) / other) ** (M - 1), (t, *LINE))
    ),
    unequal_error,
    unequal_error_digits,
)  # fmt: skip


# -- sums over the inputs of a Zipf law --------------------------------------------------------------------------------


def _tail_form(alpha: Expr, P: Expr, N: Expr) -> Expr:
    if sympy.oo == N:
        return sympy.zeta(alpha, P + 1) / sympy.zeta(alpha)
    return sympy.Sum(zipf(x, alpha, N), (x, P + 1, N))


# p{x > P}
ZipfTail = computed("ZipfTail", "alpha P N", _tail_form, zipf_tail, zipf_tail_digits)

# The mean mass of the inputs up to P that T samples have not shown.
UnseenMass = computed(
    "UnseenMass", "alpha T P N",
    lambda alpha, T, P, N: sympy.Sum(zipf(x, alpha, N) * (1 - zipf(x, alpha, N)) ** T, (x, 1, P)),
    unseen_mass_up_to,
    unseen_mass_up_to_digits,
)  # fmt: skip

# The mean number of the inputs up to P that T samples show.
NumberSeen = computed(
    "NumberSeen", "alpha T P",
    lambda alpha, T, P: sympy.Sum(1 - (1 - zipf(x, alpha)) ** T, (x, 1, P)),
    lambda **values: np.maximum(numbers_seen(**values), 1e-300),
    number_seen_digits,
)  # fmt: skip


def _forgotten_form(alpha: Expr, N: Expr, M: Expr, d: Expr, rho: Expr, P: Expr) -> Expr:
    # q decreases, so the class of x = 1 (1, M + 1, 2 M + 1, ...) has the largest sum of squares: that is Q.
    p = zipf(x, alpha, N)
    square = sympy.Piecewise((p ** (2 * rho), x <= P), (0, True))
    Q = sympy.Sum(zipf(j * M + 1, alpha, N) ** (2 * rho), (j, 0, sympy.floor((sympy.Min(N, P) - 1) / M)))
    return sympy.Sum(sympy.Piecewise((p, 3 * (d + 1) * square <= Q), (0, True)), (x, 1, N))


# p{x : 3 (d+1) q(x)^2 <= Q} for q = p^rho on x <= P and targets x mod M.
ForgottenMass = computed("ForgottenMass", "alpha N M d rho P", _forgotten_form, forgotten_mass, forgotten_mass_digits)


# -- constants of the laws of many dimensions --------------------------------------------------------------------------


def _optimal_form(alpha: Expr, M: Expr) -> Expr:
    g = sympy.Symbol("g", real=True)
    density = sympy.exp(-(g**2) / 2) / sympy.sqrt(2 * sympy.pi)
    others = sympy.Integral(density * normal_cdf(a / 2 + g / sympy.sqrt(2)) ** (M - 2), (g, *LINE))
    slope = (M - 1) * sympy.exp(-(a**2) / 4) / sympy.sqrt(4 * sympy.pi) * others
    integral = sympy.Integral((2 * a) ** (1 - 1 / alpha) * slope ** (1 / alpha), (a, 0, sympy.oo))
    return M ** (1 - alpha) * integral**alpha / ((alpha - 1) * sympy.zeta(alpha))


# C M^(1-alpha) I^alpha/(alpha-1), I the integral of (2a)^(1-1/alpha) (-pi_M'(a))^(1/alpha).
OptimalConstant = computed("OptimalConstant", "alpha M", _optimal_form, optimal_constants, optimal_constant_digits)


def _power_form(alpha: Expr, rho: Expr, M: Expr) -> Expr:
    c, y = sympy.symbols("c y", integer=True, positive=True)
    beta = (alpha - 1) / (rho * alpha)
    own, other = (sympy.sqrt(ClassSum(k, alpha, sympy.oo, M, rho, sympy.oo)) for k in (c, y))
    hit = sympy.Product(normal_cdf((a + own * t) / other), (y, c + 1, c + M - 1))
    lost = 1 - sympy.Integral(normal_density * hit, (t, *LINE))
    moment = sympy.Integral(beta * a ** (beta - 1) * lost, (a, 0, sympy.oo))
    return sympy.zeta(alpha) ** (-1 / alpha) / (M * (alpha - 1)) * sympy.Sum(moment, (c, 1, M))


# C^(1/alpha)/(M (alpha-1)) sum_c E[(Z_c)_+^beta], as the integral of beta a^(beta-1) P(Z_c > a).
PowerConstant = computed(
    "PowerConstant", "alpha rho M", _power_form, lambda **values: each_point(power_constant, **values), power_constant_digits
)  # fmt: skip
