"""Second routes of section 3, bounds: loops over inputs and classes."""

import math
from fractions import Fraction as F

import mpmath as mp
from mpmath import mpf

from second_routes.recall import miss, pair_miss
from second_routes.tools import Route, bisect, whole, zipf

HALF = F(1, 2)


def stored(alpha, N, M, rho, P):
    """p, q^2 and the class sums of q^2 under x mod M."""
    p, M = zipf(alpha, N), int(M)
    q2 = [v ** (2 * rho) if x <= P else mpf(0) for x, v in enumerate(p, 1)]
    return p, q2, [mp.fsum(w for x, w in enumerate(q2, 1) if x % M == c) for c in range(M)]


def pairs(*, alpha, N, M, d, rho, P):
    p, q2, S = stored(alpha, N, M, rho, P)
    M, total = int(M), mpf(0)
    for x, (share, w) in enumerate(zip(p, q2, strict=True), 1):
        bound = mpf(0)
        for y in range(M):
            if y == x % M:
                continue
            rest = [S[c] for c in range(M) if c not in (x % M, y)]
            V = S[x % M] + S[y] - w
            v = max(V, (mp.sqrt(w * w + 32 * w * max(rest, default=mpf(0))) - w) / 2)
            if w == 0:
                bound += mpf(1) / 2
            elif v > 0:
                kappa = w / (v * (v + w))
                rate = mp.log((v + w) / v) + kappa * (v - V)
                bound += mp.exp(-d * rate / 2) * 16 ** (kappa * mp.fsum(rest)) / 2
            bound += (mpf(3) / 4) ** ((d - 1) / 2) / 4
        total += share * min(mpf(1), mpf(M - 1) / 2, bound)
    return min(mpf(1), total)


def theorem(*, alpha, N, M, d, rho, P):
    """inf over g of 2 d^-g + p{x : d q^2 <= 16 c (Q + 8 c |q|^2/d)}, c = log M + g log d: between two weights it falls."""
    p, q2, S = stored(alpha, N, M, rho, P)
    Q, whole, best = max(S), mp.fsum(q2), mpf(1)
    for w in set(q2) - {0}:
        c = bisect(lambda c, w=w: 16 * c * (Q + 8 * c * whole / d) - d * w, mpf(0), mpf(d))
        if c > mp.log(M):
            best = min(best, 2 * M * mp.exp(-c) + mp.fsum(v for v, u in zip(p, q2, strict=True) if u < w))
    return best


def forgotten(*, alpha, N, M, d, rho, P):
    p, q2, S = stored(alpha, N, M, rho, P)
    return mp.fsum(v for v, w in zip(p, q2, strict=True) if 3 * (d + 1) * w <= max(S))


def rarest(*, alpha, N, M, rho):
    """-log(1 - q(N)^2/(S_N + S_1))/2, classes of the rarest input and of the most frequent."""
    _, q2, S = stored(alpha, N, M, rho, math.inf)
    return -mp.log(1 - q2[-1] / (S[int(N) % int(M)] + S[1 % int(M)])) / 2


def pair_sum(*, alpha, N, M, d, rho):
    p, q2, S = stored(alpha, N, M, rho, math.inf)
    M = int(M)
    return mp.fsum(
        v * pair_miss(w, S[x % M] + S[(x + 1) % M] - w, d) for x, (v, w) in enumerate(zip(p, q2, strict=True), 1)
    )


def injective(*, alpha, N, d, c):
    p = zipf(alpha, N)
    P = int(d**2 / (c * mp.log(N)))
    tail = mp.fsum(p[P:])
    return tail + (1 - tail) * miss(d / mp.sqrt(P), N)


def any_scheme(least_M=2, dimensions=(2, 2000)):
    """Draws a scheme: equal inputs, equal weights, all inputs stored or some."""

    def drawn(rng):
        alpha = 0.0 if rng.random() < 0.1 else rng.uniform(0, 3)
        rho = 0.0 if rng.random() < 0.2 else rng.uniform(0, 1.5)
        P = math.inf if rng.random() < 0.5 else math.exp(rng.uniform(0, 5))
        M, d = rng.randint(least_M, 9), whole(rng, *dimensions)
        return {"alpha": alpha, "N": whole(rng, 1, 100), "M": M, "d": d, "rho": rho, "P": P}

    return drawn


def shared_out(rng):
    """As many inputs for every output."""
    M = rng.randint(2, 8)
    return {"alpha": rng.uniform(0.5, 2), "N": M * rng.randint(2, 5), "M": M, "rho": rng.uniform(0, 1)}


SCHEME = {"alpha": F(3, 2), "N": 7, "M": 3, "d": 40, "rho": HALF, "P": 5}

ROUTES = {
    "finite-memory-upper": Route(
        pairs, SCHEME, {**SCHEME, "d": 300, "rho": F(1, 5)}, {**SCHEME, "M": 2, "P": 7}, {**SCHEME, "M": 5, "d": 4},
        {**SCHEME, "M": 2},  # what is not stored is a coin, where the bound of more outputs is 1
        # one input stored: its weight is all of its pair
        more=({"alpha": F(17, 16), "N": 3, "M": 3, "d": 2, "rho": HALF, "P": F(3, 2)},), drawn=any_scheme(), draws=60,
    ),
    "finite-memory-upper:source": Route(
        theorem, {**SCHEME, "M": 4, "d": 9000}, {**SCHEME, "N": 12, "M": 5, "P": 10, "d": 20000, "rho": F(2, 5)},
        {**SCHEME, "M": 4, "d": 1000},  # both terms count
        drawn=any_scheme(4, (30, 400_000)), draws=60,
    ),
    "finite-memory-lower": Route(
        lambda **v: forgotten(**v) * mp.ncdf(-1 / mp.sqrt(3)), {**SCHEME, "d": 4, "rho": F(3, 4)}
    ),
    "finite-memory-lower:source": Route(
        lambda **v: forgotten(**v) / 20, {**SCHEME, "d": 4, "rho": F(3, 4)}, drawn=any_scheme(dimensions=(2, 200)), draws=200,
        # 9 inputs a class and 3 (d + 1) = 9: equality counts as forgotten; one input a class less, and nothing is
        more=tuple({"alpha": 0, "N": N, "M": 2, "d": 2, "rho": 0, "P": math.inf} for N in (18, 16)),
    ),
    "minimax": Route(
        lambda alpha, M, d: mp.ncdf(-1 / mp.sqrt(3))
        * (1 - mp.fsum(mpf(x) ** -alpha for x in range(1, int(M * (3 * (d + 1) - 1)) + 1)) / mp.zeta(alpha)),
        {"alpha": F(7, 4), "M": 3, "d": 4},
    ),
    "minimax:source": Route(lambda alpha, d: d / d**alpha, {"alpha": F(7, 4), "d": 9}),
    "minimax:injective": Route(
        injective, {"alpha": F(3, 2), "N": 9, "d": 8, "c": 5}, more=({"alpha": F(3, 2), "N": 5000, "d": 200, "c": 15},)
    ),
    "fill-is-best": Route(
        rarest, {"alpha": F(3, 2), "N": 12, "M": 3, "rho": F(1, 5)}, {"alpha": 2, "N": 8, "M": 4, "rho": 1}, drawn=shared_out
    ),
    "fill-is-best:lower": Route(
        pair_sum, {"alpha": F(3, 2), "N": 6, "M": 3, "d": 7, "rho": F(2, 5)},
        drawn=lambda rng: {**shared_out(rng), "d": rng.randint(5, 200)}, draws=8,
    ),
}  # fmt: skip
