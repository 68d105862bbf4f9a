"""Second routes of section 3, the recall error: sums over inputs, the chi variable integrated, samples enumerated."""

import math
from fractions import Fraction as F
from itertools import product

import mpmath as mp
from mpmath import mpf

from second_routes.tools import Route, chi_mean, normal_mean, whole, zipf

RANDOM = "an integral in some hundred dimensions, randomised: three to four digits"
HALF = F(1, 2)


def miss(a, M):
    """pi_M(a) = 1 - E Phi(a + t)^(M-1)."""
    return normal_mean(lambda t: 1 - mp.ncdf(a + t) ** (M - 1))


def pair_miss(q2, rest, d):
    """P(q r + sqrt(rest/d) xi < 0), r^2 chi-square_d/d; a memory of nothing is a coin."""
    if q2 == 0:
        return mpf(1) / 2
    if rest == 0:
        return mpf(0)
    return chi_mean(lambda r: mp.ncdf(-r * mp.sqrt(q2 / rest)), d)


def two_outputs(p, q, d):
    """The error of two outputs on the sphere: their overlap cancels, and f does not enter."""
    S = mp.fsum(v * v for v in q)
    return mp.fsum(share * pair_miss(v * v, S - v * v, d) for share, v in zip(p, q, strict=True))


def scheme(*, alpha, N, d, rho=0, P=math.inf, **_):
    p = zipf(alpha, N)
    return two_outputs(p, [v**rho if x <= P else mpf(0) for x, v in enumerate(p, 1)], d)


def sampled(*, alpha, N, d, T, rho=0, **_):
    """Every sequence of T samples in turn; q is the frequency to the power rho, 0 for what was not seen."""
    p, total = zipf(alpha, N), mpf(0)
    counted = {}
    for drawn in product(range(int(N)), repeat=int(T)):
        counts = tuple(sorted((x, drawn.count(x)) for x in set(drawn)))
        counted[counts] = counted.get(counts, mpf(0)) + mp.fprod(p[x] for x in drawn)
    for counts, chance in counted.items():
        q = [mpf(0)] * int(N)
        for x, n in counts:
            q[x] = (n / T) ** rho
        total += chance * two_outputs(p, q, d)
    return total


def shortcut(*, q, d, S, M, outputs="gaussian"):
    """Independent normals with the ledger's variances, classes of S/M each."""
    e4, u4 = 1 + 2 / d, 1 + 2 / d if outputs == "gaussian" else mpf(1)
    own = q**2 * (u4 * e4 - 1) + (u4 * (S / M - q**2) + (S - S / M) / d) / d
    other = q**2 * e4 / d + (u4 * S / M + (S - S / M - q**2) / d) / d
    return normal_mean(lambda t: 1 - mp.ncdf((q + mp.sqrt(own) * t) / mp.sqrt(other)) ** (M - 1))


TWO = {"M": 2, "outputs": "sphere"}
SMALL = {"alpha": F(3, 2), "N": 5, "d": 4}

ROUTES = {
    "exact-recall-error": Route(scheme, {**SMALL, **TWO, "rho": HALF}, {**SMALL, **TWO, "rho": HALF, "P": 3}),
    "exact-recall-error:asymptotic": Route(
        lambda q, d, S, M: miss(q * mp.sqrt(d / S), M), {"q": F(3, 4), "d": 7, "S": 5, "M": 3},
        drawn=lambda rng: {"q": rng.uniform(0, 1), "d": whole(rng, 1, 300), "S": rng.uniform(3, 9), "M": whole(rng, 2, 10**4)},
        draws=12,
    ),
    "exact-recall-error:binary": Route(
        scheme, {**SMALL, "rho": HALF}, {**SMALL, "rho": F(3, 4), "P": 4},
        drawn=lambda rng: {
            "alpha": rng.uniform(0, 3), "N": whole(rng, 3, 30), "d": whole(rng, 2, 2000), "rho": rng.uniform(0, 1.2),
            "P": rng.uniform(1, 30),
        },
        draws=8,
    ),
    "exact-recall-error:shortcut": Route(
        shortcut, {"q": F(4, 5), "d": 20, "S": 12, "M": 4}, {"q": F(4, 5), "d": 20, "S": 12, "M": 3, "outputs": "sphere"}
    ),
    "exact-recall-error:item": Route(
        lambda q, d, S, M, outputs: pair_miss(q * q, S - q * q, d), {"q": F(4, 5), "d": 6, "S": 5, **TWO},
        digits=3, why=RANDOM,
    ),
    "power-scheme": Route(scheme, {**SMALL, **TWO, "rho": F(3, 4)}),
    "threshold-scheme": Route(scheme, {**SMALL, **TWO, "rho": HALF, "P": 3}),
    "fill-scheme": Route(scheme, {**SMALL, **TWO}),
    "error-map": Route(
        sampled, {"alpha": HALF, "N": 3, "d": 5, "T": 2, "rho": 0, **TWO}, {"alpha": HALF, "N": 3, "d": 5, "T": 3, "rho": 1, **TWO},
        digits=2, why=RANDOM,
    ),
}  # fmt: skip
