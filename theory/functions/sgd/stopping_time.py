"""When to stop the SGD map in a memory that is too small: the error falls, then rises again.

An input of probability p seen n times has the weight f^n(0) (see sgd_iterates), n about T p after T samples. Only gamma
T p matters for small steps, where q = q(gamma T p) is the flow. At large d and balanced classes the margins are a = q
sqrt(d M/sum q^2). For a Zipf law with N = inf, alpha > 1, everything scales: with gamma T = tau d^alpha/C,

    E d^(alpha-1) -> e(tau) = C/(alpha-1) tau^(1/alpha-1) integral of s(q)^(1-1/alpha) kappa |pi_M'(kappa q)| dq,
    kappa^2 = M/(tau^(1/alpha) I),   I = integral of 2 q s(q)^(-1/alpha) dq,   s(q) = q + (e^q - 1)/(M-1),

the integrals running over q > 0. e(tau) has its least value at tau*: train longer and the frequent inputs, whose
weights grow like logarithms, no longer make room for the rare ones that fill the memory.

At a finite step gamma the counts of the inputs that matter are Poisson of mean s/gamma, and the integrals over the
inputs are Gamma functions: a sum over n of f^n(0)^2 Gamma(n - 1/alpha)/n!, and one of pi_M(kappa f^n(0)) Gamma(n + 1 -
1/alpha)/n!.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from asymp.theory.functions.arguments import FloatArray, check_whole, check_zipf
from asymp.theory.functions.recall.gaussian_error import pi_M
from asymp.theory.functions.schemes.margin_cost import log_error, log_slope
from asymp.theory.functions.sgd.flow import flow_root
from asymp.theory.functions.sgd.iterates import real_iterate
from asymp.theory.functions.zipf.law import normaliser, zipf_tail
from asymp.theory.functions.zipf.smooth_sums import sum_nodes
from asymp.theory.lazy import optimize, special

FAINT = -30.0
"""Infinite laws are cut where gamma T p falls below e^-30: q^2 is nothing there, and pi_M = 1 - 1/M."""


@dataclass(frozen=True)
class StoppingLimit:
    """d -> inf: the best gamma T is tau d^alpha/C, and the error there is constant d^(1-alpha)."""

    tau: float
    constant: float


@dataclass(frozen=True)
class BestStopping:
    """The best gamma T at a given d (inf: the error still falls at the end), and the error there."""

    gamma_T: float
    error: float


def stopping_limit(*, alpha: float, M: int, gamma: float | None = None) -> StoppingLimit:
    """tau* and e(tau*), the best time and the error there in the limit d -> inf, N = inf.

    Args:
        alpha: exponent of the Zipf law, > 1.
        M: number of outputs, >= 2.
        gamma: step of the map, with Poisson counts; None: the limit of small steps.
    """
    curve = stopping_curve(alpha=alpha, M=M, gamma=gamma)

    def height(y: float) -> float:
        return math.log(curve(math.exp(y)))

    # Downhill from tau = 1 in steps of half a decade or so of d, until it rises.
    middle, width = 0.0, 0.5 * float(alpha)
    if height(width) > height(0.0):
        width = -width
    while height(middle + width) < height(middle):
        middle += width
        if abs(middle) > 40 * float(alpha):
            raise ValueError(f"no best stopping time for alpha = {alpha}, M = {M}, gamma = {gamma}")
    found = optimize.minimize_scalar(height, bracket=(middle - width, middle, middle + width), tol=1e-9)
    return StoppingLimit(tau=math.exp(found.x), constant=math.exp(found.fun))


def stopping_curve(*, alpha: float, M: int, gamma: float | None = None) -> Callable[[float], float]:
    """The function e(tau) = lim E d^(alpha-1) at gamma T = tau d^alpha/C; N = inf, alpha > 1."""
    M, alpha = check_whole("M", M, 2), float(check_zipf(alpha, math.inf)[0])
    if gamma is None:
        return _flow_curve(alpha, M)
    if not (math.isfinite(gamma) and gamma > 0):
        raise ValueError(f"gamma must satisfy: gamma > 0; got {gamma}")
    return _step_curve(alpha, M, float(gamma))


def best_stopping(*, alpha: float, M: int, d: float, N: float = math.inf) -> BestStopping:
    """The gamma T of the least error with small steps, from the large-d law with balanced classes.

    Args:
        alpha: exponent of the Zipf law, >= 0; above 1 where N is infinite.
        M: number of outputs, >= 2.
        d: dimension of the memory, > 0.
        N: number of inputs, a whole number or math.inf.

    With a finite N and a memory large enough the error may fall for ever, towards that of equal weights: gamma_T is inf
    then. Looks up to gamma T = e^600.
    """
    outputs, (a, n) = check_whole("M", M, 2), (float(v) for v in check_zipf(alpha, N))
    if not float(d) > 0:
        raise ValueError(f"d must satisfy: d > 0; got {d}")
    log_C = math.log(float(normaliser(alpha=a, N=n)))
    start = -log_C - 3
    end = 600.0 if math.isfinite(n) else -log_C + a * (math.log(float(d) * outputs) + 8)
    # The error varies on the scale of alpha in y, and more slowly beyond gamma T p = 1 for all inputs.
    near = np.arange(0, min(end - start, 40 * max(a, 1)), 0.75 * max(a, 1))
    y = start + np.unique(np.concatenate([near, np.geomspace(max(near[-1], 1), end - start, 20)]))
    values = [_log_error(a, n, outputs, float(d), float(v)) for v in y]
    best = int(np.argmin(values))
    if best == len(y) - 1:
        return BestStopping(gamma_T=math.inf, error=float(pi_M(a=math.sqrt(d * outputs / n), M=outputs)))
    found = optimize.minimize_scalar(
        lambda v: _log_error(a, n, outputs, float(d), float(v)),
        bounds=(y[max(best - 1, 0)], y[best + 1]),
        method="bounded",
        options={"xatol": 1e-9},
    )
    return BestStopping(gamma_T=math.exp(found.x), error=math.exp(found.fun))


def _log_error(alpha: float, N: float, M: int, d: float, log_time: float) -> float:
    log_C = math.log(float(normaliser(alpha=alpha, N=N)))
    last = N
    if math.isinf(N):
        last = math.ceil(math.exp((log_C + log_time - FAINT) / alpha))
    x, w = sum_nodes(first=1, last=int(last))
    log_p = log_C - alpha * np.log(x)
    q = flow_root(1 / (M - 1), np.exp(log_p + log_time))
    logs = np.log(w) + log_p + log_error(q * math.sqrt(d * M / float(w @ q**2)), M)
    rest = (1 - 1 / M) * float(zipf_tail(alpha=alpha, P=last)) if math.isinf(N) else 0.0
    top = float(logs.max())
    return top + math.log(float(np.exp(logs - top).sum()) + rest * math.exp(-top))


def _flow_curve(alpha: float, M: int) -> Callable[[float], float]:
    """e(tau) in the limit of small steps."""
    C = float(normaliser(alpha=alpha))

    def log_time(q: FloatArray) -> FloatArray:
        """log s(q)"""
        small = np.minimum(q, 600.0)
        return np.where(q < 600, np.log(small + np.expm1(small) / (M - 1)), q - math.log(M - 1))

    # Beyond log M the integrand falls like exp(-q/alpha).
    q, w = _half_line(2 + math.log(M) + 45 * alpha, 1.0)
    total = float(w @ (2 * q * np.exp(-log_time(q) / alpha)))

    def curve(tau: float) -> float:
        kappa = math.sqrt(M / (tau ** (1 / alpha) * total))
        # |pi_M'| is exp(-t^2/4) beyond 2 sqrt(log M); exp((1-1/alpha) t/kappa) moves its peak to 2 (1-1/alpha)/kappa.
        end = 2 * math.sqrt(math.log(M)) + 2 * (1 - 1 / alpha) / kappa + 14
        t, w = _half_line(end, min(1.0, 2 * kappa))
        logs = np.log(w) + (1 - 1 / alpha) * log_time(t / kappa) + log_slope(t, M)
        top = float(logs.max())
        log_J = top + math.log(float(np.exp(logs - top).sum()))
        return math.exp(math.log(C / (alpha - 1)) + (1 / alpha - 1) * math.log(tau) + log_J)

    return curve


def _half_line(end: float, width: float) -> tuple[FloatArray, FloatArray]:
    """Gauss nodes and weights on panels of a width from 0 to `end`, for functions with a fractional power at 0."""
    z, weight = np.polynomial.legendre.leggauss(24)
    z, weight = (z + 1) / 2, weight / 2
    panels = np.arange(1, math.ceil(end / width))[:, None]
    t = np.concatenate([z**6, (panels + z).ravel()])
    # t = z^6 in the first panel turns t^b into z^(6 b + 5), which is smooth enough.
    return width * t, width * np.concatenate([6 * z**5 * weight, np.tile(weight, len(panels))])


def _step_curve(alpha: float, M: int, gamma: float) -> Callable[[float], float]:
    """e(tau) at a finite step, with Poisson counts."""
    C = float(normaliser(alpha=alpha))
    n, w = _count_nodes(alpha, M, gamma)
    q = real_iterate(np.asarray(gamma), np.asarray(float(M)), n)
    total = float(gamma ** (-1 / alpha) / alpha) * float(w @ (q**2 * _gamma_ratio(n, 1 + 1 / alpha)))
    unseen = math.gamma(1 - 1 / alpha)
    weight = gamma ** (1 - 1 / alpha) / alpha * np.concatenate([[unseen], w * _gamma_ratio(n, 1 / alpha)])
    level = np.concatenate([[0.0], q])

    def curve(tau: float) -> float:
        kappa = math.sqrt(M / (tau ** (1 / alpha) * total))
        # Terms whose error is below e^-120 are nothing: the weights grow more slowly than n.
        seen = level < 60 / kappa
        return float(C * tau ** (1 / alpha - 1) * (weight[seen] @ np.asarray(pi_M(a=kappa * level[seen], M=M))))

    return curve


def _count_nodes(alpha: float, M: int, gamma: float) -> tuple[FloatArray, FloatArray]:
    """Nodes to sum over the counts n >= 1: one by one while the map is iterated, then Gauss rules, to e^(40 alpha)."""
    head = int(64 + 2 * math.log(M) / gamma) if gamma > 0.05 else 64
    last = min(math.exp(min(40 * alpha, 560.0)), 1e240 / gamma)
    x, w = sum_nodes(first=head + 1, last=int(last))
    return np.concatenate([np.arange(1.0, head + 1), x]), np.concatenate([np.ones(head), w])


def _gamma_ratio(n: FloatArray, c: float) -> FloatArray:
    """Gamma(n + 1 - c)/Gamma(n + 1); for large n the expansion in 1/m^2, m = n + (1 - c)/2, which does not cancel."""
    m = n + (1 - c) / 2
    expansion = m**-c * (1 - c * (1 - c**2) / (24 * m**2))
    small = np.minimum(n, 1000.0)
    return np.where(n < 1000, np.exp(special.gammaln(small + 1 - c) - special.gammaln(small + 1)), expansion)
