"""The constant of the power scheme: q = p^rho on all inputs, N = inf, 2 rho alpha > 1, d -> inf.

The memory's noise on the score of y is d^(-1/2) sqrt(S_y) xi_y, S_y the sum of q^2 over the class of y: these sums are
dominated by the most frequent inputs and differ from class to class. An input of class c and weight q is lost when q
sqrt(d) < Z_c = max_{y != c} sqrt(S_y) xi_y - sqrt(S_c) xi_c (corrections from norms and overlaps of the embeddings are
smaller by d^(-1/2)). q = C^rho x^(-rho alpha), so the lost inputs are those beyond x = (C^rho sqrt(d)/Z_c)^(1/(rho
alpha)); a share 1/M of them is of class c, and the tail of the law beyond x is C x^(1-alpha)/(alpha-1). Hence

    E d^((alpha-1)/(2 rho alpha)) -> C^(1/alpha)/(M (alpha-1)) sum_c E[(Z_c)_+^beta],   beta = (alpha-1)/(rho alpha).

With sigma_y = sqrt(S_y), H_c(t) = prod_{y != c} Phi(t/sigma_y) the law of the maximum, and xi_c integrated out,
E[(Z_c)_+^beta] = integral of H_c'(t) sigma_c^beta g(t/sigma_c) dt, g(x) = E[(x + xi)_+^beta]: a parabolic cylinder
function, computed here from its integral. The sigma_y may differ by many orders of magnitude, so t runs over panels
that double in width away from 0, down to well below the smallest sigma.

The constants of the large-d laws to any number of digits (mpmath): of the power scheme, and of the best weights.

Both are integrals of analytic functions that fall like Gaussians. The trapezoidal rule, after a change of variables that
stretches the axis, is exponentially accurate; its step is set from the wanted precision, so that asking for more digits
refines everything at once.

Power scheme (power_constants): C^(1/alpha)/(M (alpha-1)) sum_c E[(Z_c)_+^beta], beta = (alpha-1)/(rho alpha), where
E[(Z_c)_+^beta] = integral of H_c'(t) sigma_c^beta g(t/sigma_c) dt and g(x) = E[(x + xi)_+^beta] is the parabolic cylinder
function Gamma(beta+1) exp(-x^2/4) D_{-beta-1}(-x)/sqrt(2 pi). With two outputs it is closed: Z is normal.

Best weights (optimal_storage): C M^(1-alpha) I^alpha/(alpha-1), I = integral over a > 0 of (2a)^(1-1/alpha) (-pi_M'(a))^(1/alpha),
where -pi_M'(a) = (M-1) phi(a/sqrt 2)/sqrt 2 E[Phi(a/2 + g/sqrt 2)^(M-2)]; for M <= 45 only, where pi_M is convex in a^2.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import mpmath as mp
import numpy as np

from asymp.theory.functions.arguments import FloatArray, Mpf, check_whole, guarded, real_array
from asymp.theory.functions.zipf.law import class_sums, normaliser
from asymp.theory.functions.zipf.power_sums import power_sum_mp
from asymp.theory.lazy import special

NODES = 24
"""Gauss nodes a panel."""


@dataclass(frozen=True)
class PowerLimit:
    """E ~ constant d^exponent; `moments` are the E[(Z_c)_+^beta] of the classes c = 0..M-1."""

    constant: float
    exponent: float
    moments: FloatArray


def power_limit(*, alpha: float, rho: float, M: int) -> PowerLimit:
    """The limit for targets x mod M, N = inf; alpha > 1, 2 rho alpha > 1, M >= 2; relative error about 1e-11."""
    outputs = check_whole("M", M, 2)
    a, power = float(real_array("alpha", alpha)), float(real_array("rho", rho))
    if not a > 1:
        raise ValueError(f"alpha must satisfy: alpha > 1 (N is infinite here); got {a}")
    if not 2 * power * a > 1:
        raise ValueError(f"rho must satisfy: 2 rho alpha > 1 (the class sums diverge otherwise); got {power}")
    beta = (a - 1) / (power * a)
    # class_sums checks the rest; sigma is normalised, as S may underflow for large rho.
    sigma = np.sqrt(class_sums(alpha=a, rho=power, M=outputs).squares)
    scale = float(sigma.max())
    moments = scale**beta * lost_moment(sigma=sigma / scale, beta=beta)
    C = float(normaliser(alpha=a))
    constant = C ** (1 / a) / (outputs * (a - 1)) * float(moments.sum())
    return PowerLimit(constant=constant, exponent=-beta / 2, moments=moments)


@lru_cache(maxsize=10_000)
def power_constant(*, alpha: float, rho: float, M: float) -> float:
    """The constant of `power_limit`, kept once computed."""
    return power_limit(alpha=alpha, rho=rho, M=int(M)).constant


def lost_moment(*, sigma: FloatArray, beta: float) -> FloatArray:
    """E[(max_{y != c} sigma_y xi_y - sigma_c xi_c)_+^beta] for each class c; sigma > 0 (at least two), beta > 0."""
    s = real_array("sigma", sigma)
    if s.ndim != 1 or s.size < 2 or not np.all(s > 0):
        raise ValueError(f"sigma must be a list of at least two numbers > 0, got {sigma!r}")
    if not (math.isfinite(beta) and beta > 0):
        raise ValueError(f"beta must satisfy: beta > 0; got {beta}")
    t, w = _panels(float(s.min()), float(s.max()) * (10 + math.sqrt(2 * beta) + math.sqrt(2 * math.log(s.size))))
    x = t[:, None] / s
    log_cdf = special.log_ndtr(x)
    # The density of max_{y != c} over its law, sum of phi/(sigma Phi); both by leaving one class out of a sum.
    ratio = math.sqrt(2 / math.pi) / (s * special.erfcx(-x / math.sqrt(2)))
    moments = np.empty(s.size)
    for c in range(s.size):
        others = np.arange(s.size) != c
        density = np.exp(log_cdf[:, others].sum(axis=1)) * ratio[:, others].sum(axis=1)
        kept = density * w > 0
        moments[c] = s[c] ** beta * float((w * density)[kept] @ _positive_moment(t[kept] / s[c], beta))
    return moments


def _panels(least: float, end: float) -> tuple[FloatArray, FloatArray]:
    """Gauss nodes and weights on (-end, end): panels double in width from least/8 on, at most the width of `least` wide
    where Phi(t/least) still changes; every Phi(t/sigma) is smooth on each."""
    z, weight = np.polynomial.legendre.leggauss(NODES)
    edges = [0.0]
    while edges[-1] < end:
        edges.append(min(end, edges[-1] + max(least, edges[-1] / 2)))
    right = np.array(edges)
    low, high = right[:-1], right[1:]
    t = ((high + low)[:, None] + (high - low)[:, None] * z).ravel() / 2
    w = ((high - low)[:, None] * weight).ravel() / 2
    return np.concatenate([-t[::-1], t]), np.concatenate([w[::-1], w])


def _positive_moment(x: FloatArray, beta: float) -> FloatArray:
    """g(x) = E[(x + xi)_+^beta] = integral over y > 0 of y^beta phi(x - y) dy."""
    result = np.zeros(x.shape)
    far = x > 25 + 4 * beta
    # x^beta sum_k (2k-1)!! binom(beta, 2k) x^-2k
    term, total = np.ones(far.sum()), np.zeros(far.sum())
    for k in range(12):
        total += term
        term = term * (beta - 2 * k) * (beta - 2 * k - 1) / (2 * (k + 1)) / x[far] ** 2
    result[far] = x[far] ** beta * total
    near = ~far & (x > -38)
    # y = exp(u - exp(-u)) meets y = 0 double exponentially fast, whatever beta; the trapezoidal rule does the rest.
    u = np.arange(-4.5, math.log(25 + 4 * beta + 12 + math.sqrt(2 * beta)) + 0.1, 1 / 128)
    log_y = u - np.exp(-u)
    y = np.exp(log_y)
    front = np.exp((beta + 1) * log_y) * (1 + np.exp(-u)) / (128 * math.sqrt(2 * math.pi))
    index = np.flatnonzero(near)
    index = index[np.argsort(x[index])]
    for start in range(0, index.size, 128):
        part = index[start : start + 128]
        # y^beta phi(x - y) falls at least like phi on either side of its peak, x/2 + sqrt(x^2/4 + beta), which is above x.
        peak = x[part[-1]] / 2 + math.sqrt(x[part[-1]] ** 2 / 4 + beta + 1)
        some = slice(*np.searchsorted(y, [x[part[0]] - 9.5, peak + 9.5]))
        result[part] = np.exp(-((x[part, None] - y[some]) ** 2) / 2) @ front[some]
    return result


CONVEX = 45
"""The largest M for which the cost of storage is convex."""


@guarded(15)
def power_constant_digits(*, alpha: Mpf, rho: Mpf, M: Mpf, digits: int = 50) -> Mpf:
    """lim E d^((alpha-1)/(2 rho alpha)) for q = p^rho, N = inf, targets x mod M; alpha > 1, 2 rho alpha > 1."""
    a, power, M = alpha, rho, int(M)
    beta, slope = (a - 1) / (power * a), 2 * power * a
    C = 1 / mp.zeta(a)
    # Classes c = 1..M (M is class 0); the factor C^(2 rho) M^-slope common to all is put back at the end.
    squares = [power_sum_mp(slope, mp.mpf(c) / M, mp.inf) for c in range(1, M + 1)]
    scale = (C**power * mp.mpf(M) ** (-slope / 2)) ** beta
    if M == 2:
        moment = (
            mp.fsum(squares) ** (beta / 2) * mp.mpf(2) ** (beta / 2 - 1) * mp.gamma((beta + 1) / 2) / mp.sqrt(mp.pi)
        )
        total = 2 * moment
    else:
        sigma = [mp.sqrt(s) for s in squares]
        total = mp.fsum(_lost_moment(sigma, c, beta) for c in range(M))
    return C ** (1 / a) / (M * (a - 1)) * scale * total


@guarded(15)
def optimal_constant_digits(*, alpha: Mpf, M: Mpf, digits: int = 50) -> Mpf:
    """c*(alpha, M) in E ~ c* d^(1-alpha) for the best weights, N = inf, alpha > 1, 2 <= M <= 45."""
    a, M = alpha, int(M)
    if M > CONVEX:
        raise ValueError(
            f"M must be at most {CONVEX} here, where the cost of storage is convex; got {M}: about 10 digits can be had, "
            "from asymp.theory.functions.schemes.optimal_storage.optimal_constants"
        )
    drop = (mp.mp.dps + 5) * mp.log(10)
    # a = exp(v - exp(-v)): double exponential at 0, like exp(-a^2/(4 alpha)) at infinity.
    high = mp.log(2 * mp.sqrt(a * drop) + 4 * mp.sqrt(mp.log(M)) + 4) + mp.mpf(1) / 4
    low = -mp.log(drop / (2 - 1 / a)) - mp.mpf(1) / 2
    step = mp.mpf(5) / drop
    count = int((high - low) / step) + 1
    others = _OtherOutputs(M)
    total = mp.mpf(0)
    for i in range(count + 1):
        v = low + step * i
        shrink = mp.exp(-v)
        margin = mp.exp(v - shrink)
        log_slope = mp.log((M - 1) / mp.sqrt(4 * mp.pi)) - margin**2 / 4 + mp.log(others(margin))
        total += mp.exp((1 - 1 / a) * mp.log(2 * margin) + log_slope / a) * margin * (1 + shrink)
    return mp.mpf(M) ** (1 - a) * (step * total) ** a / ((a - 1) * mp.zeta(a))


class _OtherOutputs:
    """E[Phi(margin/2 + g/sqrt 2)^(M-2)] at the present precision."""

    def __init__(self, M: int) -> None:
        self.M = M
        drop = (mp.mp.dps + 5) * mp.log(10)
        # In the direction of imaginary g the integrand grows like exp(M y^2/4): a step of 2 pi/sqrt(M drop) leaves
        # exp(-drop) of it in theory; a tenth more changes nothing yet.
        step = 11 * mp.pi / (5 * mp.sqrt(M * drop))
        count = int(mp.sqrt(2 * drop) / step) + 1
        places = [step * i for i in range(-count, count + 1)]
        self.shifts = [g / mp.sqrt(2) for g in places]
        self.weights = [step * mp.npdf(g) for g in places]

    def __call__(self, margin: Mpf) -> Mpf:
        if self.M == 2:
            return mp.mpf(1)
        if self.M == 3:
            return mp.ncdf(margin / mp.sqrt(6))
        half, power = margin / 2, self.M - 2
        return mp.fsum(w * mp.ncdf(half + g) ** power for w, g in zip(self.weights, self.shifts, strict=True))


def _lost_moment(sigma: list[Mpf], c: int, beta: Mpf) -> Mpf:
    """E[(max_{y != c} sigma_y xi_y - sigma_c xi_c)_+^beta]."""
    others = [s for y, s in enumerate(sigma) if y != c]
    drop = (mp.mp.dps + 5) * mp.log(10)
    least, end = min(sigma), max(sigma) * (mp.sqrt(2 * drop) + mp.sqrt(2 * beta) + 2)
    # t = least sinh u: a Gaussian is analytic for |Im u| < pi/4.
    step = mp.pi**2 / (2 * drop)
    count = int(mp.asinh(end / least) / step) + 1
    front = mp.gamma(beta + 1) / mp.sqrt(2 * mp.pi) * sigma[c] ** beta
    total = mp.mpf(0)
    for i in range(-count, count + 1):
        u = step * i
        t = least * mp.sinh(u)
        laws = [mp.ncdf(t / s) for s in others]
        whole = mp.fprod(laws)
        density = mp.fsum(mp.npdf(t / s) / s * whole / law for s, law in zip(others, laws, strict=True))
        # Far out on the left, or in the density's right tail, nothing is left at this precision.
        x = t / sigma[c]
        if mp.log(density + mp.mpf(10) ** (-10 * mp.mp.dps)) - (x**2 / 2 if x < 0 else 0) < -drop - 10:
            continue
        total += density * mp.cosh(u) * mp.exp(-(x**2) / 4) * mp.pcfd(-beta - 1, -x)
    return front * least * step * total
