"""Second routes of section 3, finite samples: plain sums, and the binomial theorem where N is infinite."""

import math
from fractions import Fraction as F

import mpmath as mp
from mpmath import mpf

from second_routes.recall import miss
from second_routes.tools import Route, zipf

__all__ = ["ROUTES"]

EIGHTH = F(1, 8)


def unseen(*, alpha, T, N=math.inf):
    """sum p (1 - p)^T; for infinite N by the binomial theorem, sum_k binom(T, k) (-1)^k C^(k+1) zeta(alpha (k + 1))."""
    if math.inf != N:
        return mp.fsum(p * (1 - p) ** T for p in zipf(alpha, N))
    with mp.workdps(110):
        C = 1 / mp.zeta(alpha)
        terms = (mp.binomial(T, k) * (-1) ** k * C ** (k + 1) * mp.zeta(alpha * (k + 1)) for k in range(int(T) + 1))
        return mp.fsum(terms)


def kappa(alpha):
    return mp.gamma(1 - 1 / alpha) * mp.zeta(alpha) ** (-1 / alpha) / alpha


def kept(alpha, T, P):
    """p(1..P) of the infinite law, and what is stored of it: the expected number of inputs and their mass."""
    p = [mpf(x) ** -alpha / mp.zeta(alpha) for x in range(1, int(P) + 1)]
    seen = [1 - (1 - v) ** T for v in p]
    return mp.fsum(seen), mp.fsum(v * s for v, s in zip(p, seen, strict=True))


def joint(*, alpha, T, d, M, k):
    return (1 - 1 / M) * (1 - kept(alpha, T, k * d)[1])


def joint_loss(*, alpha, T, d, M, k):
    number, mass = kept(alpha, T, k * d)
    return (1 - 1 / M) * (1 - mass) + mass * miss(mp.sqrt(d * M / number), M)


def joint_closed(*, alpha, T, d, M, k):
    """The tail summed with Euler-Maclaurin by mpmath, the incomplete gamma function as its integral."""
    C, a = 1 / mp.zeta(alpha), 1 - 1 / alpha
    low = T * C * (k * d + mpf(1) / 2) ** -alpha
    gamma = mp.quad(lambda t: t ** (a - 1) * mp.exp(-t), [low, low + 1, low + 5, low + 30, low + 170])
    P = int(k * d)
    tail = 1 - mp.fsum(mpf(x) ** -alpha for x in range(1, P + 1)) * C
    return (1 - 1 / M) * (tail + C ** (1 / alpha) / alpha * T ** (1 / alpha - 1) * gamma)


def often(*, alpha, T, s, d, M, N=math.inf):
    """Inputs seen at least s times: their expected number and mass from the binomial law."""
    T, s = int(T), int(s)
    if math.inf == N:
        assert s == 1
        C = 1 / mp.zeta(alpha)
        number = mp.fsum((-1) ** (k + 1) * mp.binomial(T, k) * C**k * mp.zeta(alpha * k) for k in range(1, T + 1))
        mass = 1 - unseen(alpha=alpha, T=T)
    else:
        p = zipf(alpha, N)
        seen = [1 - mp.fsum(mp.binomial(T, j) * v**j * (1 - v) ** (T - j) for j in range(s)) for v in p]
        number, mass = mp.fsum(seen), mp.fsum(v * w for v, w in zip(p, seen, strict=True))
    return (1 - 1 / M) * (1 - mass) + mass * miss(mp.sqrt(d * M / number), M)


def often_leading(alpha, T, s):
    """n and the mass lost to leading order: integrals over x of P(Poisson(lam) >= s) and p P(< s), lam = T C x^-alpha.

    By parts the density lam^(s-1) e^-lam/(s-1)! is left, with x = (C T/lam)^(1/alpha).
    """
    C = 1 / mp.zeta(alpha)
    ends = [0, mpf("0.8"), 1, mpf("1.3"), mpf("1.7"), 2]

    def against(power):
        # t = v^8 takes the root off at 0
        return mp.quad(lambda v: 8 * v**7 * v ** (8 * (s - 1 + power)) * mp.exp(-(v**8)), ends) / mp.gamma(s)

    number = (C * T) ** (1 / alpha) * against(-1 / alpha)
    return number, (C * T) ** (1 / alpha) / (T * (alpha - 1)) * against(1 - 1 / alpha)


def often_limit(*, alpha, T, s, d, M):
    number, lost = often_leading(alpha, T, s)
    return (1 - 1 / M) * lost + (1 - lost) * miss(mp.sqrt(d * M / (number - mpf(1) / 2)), M)


def often_matched(*, alpha, T, d, M, k):
    return often_limit(alpha=alpha, T=T, s=max(mpf(1), T / (mp.zeta(alpha) * (k * d) ** alpha)), d=d, M=M)


def overflow(*, alpha, T, s, d, M):
    return T ** (1 / alpha) / T + d / d**alpha + miss(mp.sqrt(d * M / often_leading(alpha, T, s)[0]), M)


RARE = {"alpha": F(7, 4), "T": 30, "d": 40, "M": 3, "k": EIGHTH}
OFTEN = {"alpha": F(7, 4), "T": 20000, "s": 3, "d": 300, "M": 3}

ROUTES = {
    "missing-mass": Route(unseen, {"alpha": F(3, 2), "T": 30}, {"alpha": F(2, 3), "T": 30, "N": 12}),
    "missing-mass:source": Route(lambda alpha, T: T ** (1 / alpha) / T, {"alpha": F(7, 4), "T": 30}),
    "missing-mass:asymptotic": Route(
        lambda alpha, T: kappa(alpha) * T ** (1 / alpha - 1) * (1 - (1 - 1 / alpha) * (2 - 1 / alpha) / (2 * T)),
        {"alpha": F(7, 4), "T": 30},
    ),
    "joint-law": Route(joint, RARE, {**RARE, "d": 100, "M": 5}),
    "joint-law:source": Route(lambda alpha, T, d: d / d**alpha + T ** (1 / alpha) / T, {"alpha": F(7, 4), "T": 30, "d": 11}),
    "joint-law:plain-sum": Route(
        lambda alpha, T, d, M, k: (1 - 1 / M)
        * ((k * d) ** (1 - alpha) / (alpha - 1) / mp.zeta(alpha) + kappa(alpha) * T ** (1 / alpha - 1)),
        RARE,
    ),
    "joint-law:asymptotic": Route(joint_closed, RARE),
    "joint-law:interference": Route(joint_loss, RARE),
    "joint-law:path": Route(
        lambda alpha, T, b: (T**b) ** (1 - alpha) + T ** (1 / alpha) / T, {"alpha": F(7, 4), "T": 30, "b": F(2, 3)}
    ),
    "fill-scheme:source": Route(
        lambda alpha, T, d, k: T ** (1 / alpha) / T + 1 / d**k, {"alpha": F(7, 4), "T": 30, "d": 11, "k": F(5, 3)}
    ),
    "seen-s-times": Route(
        often, {"alpha": F(3, 2), "T": 20, "s": 3, "d": 9, "M": 3, "N": 8}, {"alpha": F(3, 2), "T": 20, "s": 1, "d": 9, "M": 3}
    ),
    "seen-s-times:source": Route(
        lambda alpha, T, d: T ** (1 / alpha) / T + d / d**alpha, {"alpha": F(7, 4), "T": 30, "d": 11}
    ),
    "seen-s-times:overflow": Route(overflow, OFTEN),
    "seen-s-times:asymptotic": Route(often_limit, OFTEN),
    "seen-s-times:matched": Route(
        often_matched, {"alpha": F(7, 4), "T": 20000, "d": 300, "M": 3, "k": EIGHTH},
        {"alpha": F(7, 4), "T": 200, "d": 300, "M": 3, "k": EIGHTH},
    ),
}  # fmt: skip
