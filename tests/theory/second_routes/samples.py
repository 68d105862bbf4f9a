"""Second routes of section 3, finite samples: plain sums, and the binomial theorem where N is infinite."""

import math
from fractions import Fraction as F

import mpmath as mp
from mpmath import mpf

from second_routes.recall import miss
from second_routes.tools import Route, whole, zipf

EIGHTH, HALF = F(1, 8), F(1, 2)


def unseen(*, alpha, T, N=math.inf):
    """sum p (1 - p)^T; for infinite N inputs with T p > 12 one by one, the others by the binomial series and zeta functions."""
    if math.inf != N:
        return mp.fsum(p * (1 - p) ** T for p in zipf(alpha, N))
    with mp.extradps(15):  # e^24 of the digits cancel in the series
        C = 1 / mp.zeta(alpha)
        first = int((T * C / 12) ** (1 / alpha)) + 2
        total = mp.fsum(C * mpf(x) ** -alpha * (1 - C * mpf(x) ** -alpha) ** T for x in range(1, first))
        k, term, part = 0, C, mpf(1)
        while term and (k < 12 or abs(part) > mp.eps * total):
            power = alpha * (k + 1)
            with mp.extradps(int(power * mp.log10(first))):  # mpmath's zeta has digits after its point, not of itself
                part = term * mp.zeta(power, first)
            total, term, k = total + part, -term * C * (T - k) / (k + 1), k + 1
        return total


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
        # P(Bin >= s) = sum_k (-1)^(k-s) binom(k-1, s-1) binom(T, k) p^k, k from s to T
        with mp.extradps(int(T * 0.7) + 5):  # (1 + 2 p)^T at most cancels
            C = 1 / mp.zeta(alpha)
            weights = [(-1) ** (k - s) * mp.binomial(k - 1, s - 1) * mp.binomial(T, k) for k in range(s, T + 1)]
            number, mass = (
                mp.fsum(w * C ** (k + more) * mp.zeta(alpha * (k + more)) for k, w in enumerate(weights, s))
                for more in (0, 1)
            )
    else:
        p = zipf(alpha, N)
        seen = [1 - mp.fsum(mp.binomial(T, j) * v**j * (1 - v) ** (T - j) for j in range(s)) for v in p]
        number, mass = mp.fsum(seen), mp.fsum(v * w for v, w in zip(p, seen, strict=True))
    guessed = (1 - 1 / M) * (1 - mass)
    if number < mpf(10) ** (5 - mp.mp.dps):  # nothing is stored, up to rounding
        return guessed
    return guessed + mass * miss(mp.sqrt(d * M / number), M)


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


def rare(rng):
    """T may be infinite: everything is seen then."""
    T = math.inf if rng.random() < 0.1 else whole(rng, 1, 10**6)
    return {"alpha": rng.uniform(1.1, 3), "T": T, "d": whole(rng, 8, 3000), "k": 0.125}


def counted(rng):
    """Few and many counts, so that sums over x are flat and steep."""
    alpha = 0.0 if rng.random() < 0.05 else rng.uniform(0.3, 3.5)
    T, s = whole(rng, 1, 10**5), whole(rng, 1, 40)
    return {"alpha": alpha, "T": T, "s": s, "d": whole(rng, 1, 500), "M": rng.randint(2, 6), "N": whole(rng, 1, 300)}


OFTEN = {"alpha": F(7, 4), "T": 20000, "s": 3, "d": 300, "M": 3}

ROUTES = {
    "missing-mass": Route(
        unseen, {"alpha": F(3, 2), "T": 30}, {"alpha": F(2, 3), "T": 30, "N": 12},
        # the last one is the end of an exponential decay: T p(N) is about 80
        {"alpha": F(3, 2), "T": 10**4}, {"alpha": F(6, 5), "T": 10**4, "N": 2000}, {"alpha": F(21, 20), "T": 8 * 10**6, "N": 8000},
        more=(
            {"alpha": 2, "T": 10}, {"alpha": 3, "T": 60}, {"alpha": 0, "T": 5000, "N": 200}, {"alpha": 4, "T": 0, "N": 1},
            *({"alpha": a, "T": T} for a in (F(21, 20), F(3, 2), 6) for T in (0, F(75, 2), 10**3, 10**6)),
            {"alpha": 10, "T": 10**12}, {"alpha": F(3, 2), "T": 10**3, "N": 10**4},
        ),
        drawn=lambda rng: {"alpha": rng.uniform(0, 6), "T": 10 ** rng.uniform(-1, 5), "N": whole(rng, 1, 600)},
    ),
    "missing-mass:source": Route(lambda alpha, T: T ** (1 / alpha) / T, {"alpha": F(7, 4), "T": 30}),
    "missing-mass:asymptotic": Route(
        lambda alpha, T: kappa(alpha) * T ** (1 / alpha - 1) * (1 - (1 - 1 / alpha) * (2 - 1 / alpha) / (2 * T)),
        {"alpha": F(7, 4), "T": 30},
    ),
    "joint-law": Route(
        joint, RARE, {**RARE, "d": 100, "M": 5}, drawn=lambda rng: {**rare(rng), "M": 5},
        more=({**RARE, "alpha": 3, "T": 1000, "d": 400}, {**RARE, "alpha": F(11, 10), "T": 7, "d": 16, "M": 2}),
    ),
    "joint-law:source": Route(lambda alpha, T, d: d / d**alpha + T ** (1 / alpha) / T, {"alpha": F(7, 4), "T": 30, "d": 11}),
    "joint-law:plain-sum": Route(
        lambda alpha, T, d, M, k: (1 - 1 / M)
        * ((k * d) ** (1 - alpha) / (alpha - 1) / mp.zeta(alpha) + kappa(alpha) * T ** (1 / alpha - 1)),
        RARE,
    ),
    "joint-law:asymptotic": Route(joint_closed, RARE),
    "joint-law:interference": Route(
        joint_loss, RARE, drawn=lambda rng: {**rare(rng), "M": rng.choice([2, 5, 9])},
        more=({**RARE, "alpha": 3, "T": 1000, "d": 400}, {**RARE, "alpha": F(11, 10), "T": 7, "d": 16, "M": 2}),
    ),
    "fill-scheme:source": Route(
        lambda alpha, T, d, k: T ** (1 / alpha) / T + 1 / d**k, {"alpha": F(7, 4), "T": 30, "d": 11, "k": F(5, 3)}
    ),
    "seen-s-times": Route(
        often, {"alpha": F(3, 2), "T": 20, "s": 3, "d": 9, "M": 3, "N": 8}, {"alpha": F(3, 2), "T": 20, "s": 1, "d": 9, "M": 3},
        more=(
            {"alpha": F(3, 2), "T": 300, "s": 1, "d": 60, "M": 4, "N": 200}, {"alpha": 2, "T": 3, "s": 5, "d": 60, "M": 4, "N": 20},
            {"alpha": HALF, "T": 90, "s": 2, "d": 60, "M": 4, "N": 50},
            {"alpha": F(6, 5), "T": 1000, "s": 4, "d": 60, "M": 4, "N": 90},
            {"alpha": F(11, 10), "T": 60, "s": 7, "d": 9, "M": 3}, {"alpha": 3, "T": 60, "s": 40, "d": 2, "M": 3},
        ),
        drawn=counted,
    ),
    "seen-s-times:source": Route(
        lambda alpha, T, d: T ** (1 / alpha) / T + d / d**alpha, {"alpha": F(7, 4), "T": 30, "d": 11}
    ),
    "seen-s-times:overflow": Route(overflow, OFTEN),
    "seen-s-times:matched": Route(
        often_matched, {"alpha": F(7, 4), "T": 20000, "d": 300, "M": 3, "k": EIGHTH},
        {"alpha": F(7, 4), "T": 200, "d": 300, "M": 3, "k": EIGHTH},
    ),
}  # fmt: skip
