"""The self-consistent equation of ridge regression and what follows from it, in float64 and to any number of digits.

Features x_i = i^(-a/2) z_i, i = 1..P, with z standard normal; targets y = sum of i^(-b/2) z_i, plus noise of variance v; n samples,
ridge delta (X^T X + delta). The effective ridge kappa solves

    sum over i of s_i/(s_i + kappa) + delta/kappa = n,    s_i = i^-a.
"""

import mpmath as mp
import numpy as np
import sympy
from scipy.special import bdtr

from asymp.theory.functions.special import computed

STEPS = 200
KAPPA = "kappa is the effective ridge: the sum of s_i/(s_i + kappa) over i <= P, plus delta/kappa, is n; s_i = i^-a."
OF_FEATURES = (
    "kappa is the effective ridge of k features: n kappa (1 - D_1/n) (1 - D_1/k) = delta; D_1 is the sum of s_i/(s_i + kappa), "
    "s_i = i^-a."
)
SUMS = (
    "D_2 is the sum of (s_i/(s_i + kappa))^2; B_1 and B_2 are those of i^-b kappa/(s_i + kappa) and of "
    "i^-b (kappa/(s_i + kappa))^2."
)
MISSED = (
    "e(i, t) is the mean square of what weight i misses after t steps: e(i, 0) = i^(a - b), and with s_i = i^-a, e(i, t + 1) = "
    "(1 - 2 eta s_i + 2 eta^2 s_i^2) e(i, t) + eta^2 s_i (v + the sum of s_j e(j, t))."
)
USE = "p(i) is i^-(1 + alpha) over the sum of j^-(1 + alpha), j <= P."


def _modes(P, a):
    return np.arange(1, int(P) + 1, dtype=np.float64) ** -float(a)


def _root(n, P, a, delta):
    """kappa by bisection in its logarithm; what the equation says falls in kappa."""
    s = _modes(P, a)
    if delta == 0 and n >= P:
        return 0.0
    low, high = np.log(max(delta / n, s[-1] * (P - n) / n, 1e-300)) - 1, np.log((s.sum() + delta) / n) + 1
    for _ in range(STEPS):
        middle = (low + high) / 2
        k = np.exp(middle)
        low, high = (middle, high) if (s / (s + k)).sum() + delta / k > n else (low, middle)
        if high - low < 1e-15 * max(abs(low), 1):
            break
    return float(np.exp((low + high) / 2))


def _root_digits(n, P, a, delta):
    """kappa by Newton's method in its logarithm, begun at the root in float64."""
    s = [mp.mpf(i) ** -a for i in range(1, int(P) + 1)]
    start = _root(float(n), float(P), float(a), float(delta))
    if start == 0:
        return mp.mpf(0)
    log = mp.log(start)
    for _ in range(8):
        k = mp.exp(log)
        gap = mp.fsum(v / (v + k) for v in s) + delta / k - n
        slope = -mp.fsum(v * k / (v + k) ** 2 for v in s) - delta / k
        log -= gap / slope
    return mp.exp(log)


def _parts(n, P, a, b, delta):
    k = _root(n, P, a, delta)
    s = _modes(P, a)
    bias = float((_modes(P, b) * (k / (s + k)) ** 2).sum())
    return k, bias, float(((s / (s + k)) ** 2).sum()) / n


def _parts_digits(n, P, a, b, delta):
    k = _root_digits(n, P, a, delta)
    s = [mp.mpf(i) ** -a for i in range(1, int(P) + 1)]
    bias = mp.fsum(mp.mpf(i) ** -b * (k / (v + k)) ** 2 for i, v in enumerate(s, 1))
    return k, bias, mp.fsum((v / (v + k)) ** 2 for v in s) / n


def each(function):
    """The same function of arrays, point by point."""
    return lambda **values: np.vectorize(lambda *row: function(**dict(zip(values, row, strict=True))), otypes=[float])(
        *values.values()
    )


def risk(n, P, a, b, delta, v):
    """The excess risk: (bias + v)/(1 - overlap) - v."""
    _, bias, overlap = _parts(n, P, a, b, delta)
    return (bias + v) / (1 - overlap) - v


def risk_digits(n, P, a, b, delta, v, digits):
    """The same at the precision that mpmath has."""
    _, bias, overlap = _parts_digits(n, P, a, b, delta)
    return (bias + v) / (1 - overlap) - v


i, N, S, A, B, L, V, K = (sympy.Symbol(name) for name in ("i", "n", "P", "a", "b", "delta", "v", "kappa"))
SHRINK = K / (i**-A + K)
RISK = (sympy.Sum(i**-B * SHRINK**2, (i, 1, S)) + V) / (1 - sympy.Sum((1 - SHRINK) ** 2, (i, 1, S)) / N) - V
"""The excess risk, with kappa the effective ridge."""


def _shown(formula):
    letters = (N, S, A, B, L, V)
    return lambda *values: formula.xreplace(dict(zip(letters, values, strict=False)))


EffectiveRidge = computed(
    "EffectiveRidge", "n P a delta",
    lambda n, P, a, delta: sympy.Function("kappa")(n, P, a, delta),
    each(_root),
    lambda n, P, a, delta, digits: _root_digits(n, P, a, delta),
)  # fmt: skip

RidgeRisk = computed("RidgeRisk", "n P a b delta v", _shown(RISK), each(risk), risk_digits)

TrainError = computed(
    "TrainError", "n P a b delta v", _shown((L / (N * K)) ** 2 * (RISK + V)),
    each(lambda n, P, a, b, delta, v: (delta / n / _root(n, P, a, delta)) ** 2 * (risk(n, P, a, b, delta, v) + v)),
    lambda n, P, a, b, delta, v, digits: (delta / n / _root_digits(n, P, a, delta)) ** 2
    * (risk_digits(n, P, a, b, delta, v, digits) + v),
)  # fmt: skip


def _random_features(n, k, P, a, delta):
    """The effective ridge of k random features: the equation with delta/(1 - df/k) in the place of delta."""
    s = _modes(P, a)
    low, high = np.log(1e-300), np.log(s.sum() + delta + 1)
    for _ in range(STEPS):
        middle = (low + high) / 2
        kappa = np.exp(middle)
        df = (s / (s + kappa)).sum()
        ahead = df >= min(n, k) or kappa * (1 - df / n) * (1 - df / k) * n < delta
        low, high = (middle, high) if ahead else (low, middle)
    return float(np.exp((low + high) / 2))


def _random_features_digits(n, k, P, a, delta):
    s = [mp.mpf(j) ** -a for j in range(1, int(P) + 1)]

    def gap(log):
        df = mp.fsum(v / (v + mp.exp(log)) for v in s)
        return mp.exp(log) * (1 - df / n) * (1 - df / k) * n - delta

    return mp.exp(mp.findroot(gap, mp.log(_random_features(float(n), float(k), float(P), float(a), float(delta)))))


def _feature_degrees_digits(n, k, P, a, delta, digits):
    kappa = _random_features_digits(n, k, P, a, delta)
    return mp.fsum(1 / (1 + kappa * mp.mpf(j) ** a) for j in range(1, int(P) + 1))


def _feature_degrees(n, k, P, a, delta):
    s = _modes(P, a)
    return float((s / (s + _random_features(n, k, P, a, delta))).sum())


RandomFeatureDegrees = computed(
    "RandomFeatureDegrees", "n k P a delta",
    lambda n, k, P, a, delta: sympy.Sum(i**-a / (i**-a + K), (i, 1, P)),
    each(_feature_degrees),
    _feature_degrees_digits,
)  # fmt: skip


def _of_features(n, k, v, df, squares, far, near):
    """The excess risk from the sums df, D_2, and those of i^-b kappa/(i^-a + kappa) and of i^-b (kappa/(i^-a + kappa))^2."""
    share = (k - df) / (k - squares)
    return (share * far + (1 - share) * near + v) / (1 - (df - share * (df - squares)) / n) - v


def _feature_risk(n, k, P, a, b, delta, v):
    shrink = _random_features(n, k, P, a, delta)
    shrink, held = shrink / (_modes(P, a) + shrink), _modes(P, b)
    return float(
        _of_features(
            n, k, v, (1 - shrink).sum(), ((1 - shrink) ** 2).sum(), (held * shrink**2).sum(), (held * shrink).sum()
        )
    )


def _feature_risk_digits(n, k, P, a, b, delta, v, digits):
    kappa = _random_features_digits(n, k, P, a, delta)
    modes = [(kappa / (mp.mpf(j) ** -a + kappa), mp.mpf(j) ** -b) for j in range(1, int(P) + 1)]
    return _of_features(
        n, k, v, mp.fsum(1 - g for g, _ in modes), mp.fsum((1 - g) ** 2 for g, _ in modes),
        mp.fsum(c * g**2 for g, c in modes), mp.fsum(c * g for g, c in modes),
    )  # fmt: skip


RandomFeatureRisk = computed(
    "RandomFeatureRisk", "n k P a b delta v",
    lambda n, k, P, a, b, delta, v: _of_features(n, k, v, *sympy.symbols("D_1 D_2 B_2 B_1")),
    each(_feature_risk),
    _feature_risk_digits,
)  # fmt: skip


def _descent(t, P, a, b, eta, v):
    s, e = _modes(P, a), _modes(P, b) / _modes(P, a)
    for _ in range(int(t)):
        e = e * (1 - 2 * eta * s + 2 * (eta * s) ** 2) + eta**2 * s * ((s * e).sum() + v)
    return float((s * e).sum())


def _descent_digits(t, P, a, b, eta, v, digits):
    s = [mp.mpf(j) ** -a for j in range(1, int(P) + 1)]
    e = [mp.mpf(j) ** (a - b) for j in range(1, int(P) + 1)]
    for _ in range(int(t)):
        total = mp.fsum(x * y for x, y in zip(s, e, strict=True)) + v
        e = [y * (1 - 2 * eta * x + 2 * (eta * x) ** 2) + eta**2 * x * total for x, y in zip(s, e, strict=True)]
    return mp.fsum(x * y for x, y in zip(s, e, strict=True))


DescentRisk = computed(
    "DescentRisk", "t P a b eta v",
    lambda t, P, a, b, eta, v: sympy.Sum(i**-a * sympy.Function("e")(i, t), (i, 1, P)),
    each(_descent),
    _descent_digits,
)  # fmt: skip


def _unlearnt(D, P, alpha, tau):
    p = _modes(P, 1 + alpha)
    p = p / p.sum()
    return float((p * bdtr(int(tau) - 1, int(D), p)).sum())


def _unlearnt_digits(D, P, alpha, tau, digits):
    p = [mp.mpf(j) ** -(1 + alpha) for j in range(1, int(P) + 1)]
    total = mp.fsum(p)
    D, tau = int(D), int(tau)
    return mp.fsum(
        q / total * mp.fsum(mp.binomial(D, j) * (q / total) ** j * (1 - q / total) ** (D - j) for j in range(tau))
        for q in p
    )


UnlearntQuanta = computed(
    "UnlearntQuanta", "D P alpha tau",
    lambda D, P, alpha, tau: sympy.Sum(sympy.Function("p")(i) * sympy.Function("Pr")(sympy.Symbol("n_i") < tau), (i, 1, P)),
    each(_unlearnt),
    _unlearnt_digits,
)  # fmt: skip


def _distinct(D, P, alpha):
    p = _modes(P, 1 + alpha)
    return float(-np.expm1(D * np.log1p(-np.minimum(p / p.sum(), 1 - 1e-16))).sum())


def _distinct_digits(D, P, alpha, digits):
    p = [mp.mpf(j) ** -(1 + alpha) for j in range(1, int(P) + 1)]
    total = mp.fsum(p)
    return mp.fsum(1 - (1 - q / total) ** D for q in p)


DistinctQuanta = computed(
    "DistinctQuanta", "D P alpha",
    lambda D, P, alpha: sympy.Sum(1 - (1 - sympy.Function("p")(i)) ** D, (i, 1, P)),
    each(_distinct),
    _distinct_digits,
)  # fmt: skip
