"""Second routes of section 3, storage schemes: two outputs have closed forms, the rest are sums and bisections."""

from fractions import Fraction as F

import mpmath as mp
from mpmath import mpf

from second_routes.recall import miss, pair_miss
from second_routes.tools import Route, bisect, whole, zipf

HALF = F(1, 2)


def coin(a):
    """pi_2(a)."""
    return mp.erfc(a / 2) / 2


def coin_margin(e):
    """The margin with pi_2 = e."""
    return bisect(lambda a: e - coin(a), mpf(0), mpf(30))


def power_source(*, alpha, rho, d, N):
    load = 2 * rho * alpha
    phi = mpf(1) if load > 1 else mp.log(N) if load == 1 else N ** (1 - load)
    return (d / phi) ** (-(alpha - 1) / load)


def power_constant(*, alpha, rho, M, d):
    """M = 2: Z is normal with the variance S_0 + S_1; its moment by quadrature."""
    assert M == 2
    beta, C = (alpha - 1) / (rho * alpha), 1 / mp.zeta(alpha)
    spread = mp.sqrt(C ** (2 * rho) * mp.zeta(2 * rho * alpha))
    moment = mp.quad(lambda z: z**beta * mp.npdf(z), [0, 1, 3, 8, 20]) * spread**beta
    return C ** (1 / alpha) / (alpha - 1) * moment * d ** (-beta / 2)


def power_beta(*, alpha, rho, d):
    """The input of weight q is missed where B > q^2/S, B ~ Beta(1/2, d/2) with a sign: C^(1/alpha) S^b E B^b/(2 (alpha - 1))."""
    b, C = (alpha - 1) / (2 * alpha * rho), 1 / mp.zeta(alpha)
    S = C ** (2 * rho) * mp.zeta(2 * rho * alpha)
    front = mp.gamma((d + 1) / 2) / mp.gamma(d / 2) / mp.sqrt(mp.pi)
    # B = sin^2 of an angle
    moment = 2 * front * mp.quad(lambda t: mp.sin(t) ** (2 * b) * mp.cos(t) ** (d - 1), [0, mp.pi / 4, mp.pi / 2])
    return C ** (1 / alpha) / (alpha - 1) * S**b * moment / 2


def floor_law(*, alpha, M, d, k):
    P = int(k * d)
    tail = 1 - mp.fsum(mpf(x) ** -alpha for x in range(1, P + 1)) / mp.zeta(alpha)
    return (1 - 1 / M) * tail + (1 - tail) * miss(mp.sqrt(M * d / P), M)


def best_threshold(*, alpha, M, d, N, rho=0):
    """Every number P of stored inputs tried; at rho = 0 they have one margin, and one integral does for all of them."""
    p, errors = zipf(alpha, N), []
    for P in range(1, int(N) + 1):
        if rho == 0:
            lost = mp.fsum(p[:P]) * miss(mp.sqrt(d * M / P), M)
        else:
            q = [v**rho for v in p[:P]]
            length = mp.sqrt(mp.fsum(w * w for w in q))
            lost = mp.fsum(v * miss(w / length * mp.sqrt(d * M), M) for v, w in zip(p[:P], q, strict=True))
        errors.append(lost + (1 - 1 / M) * mp.fsum(p[P:]))
    return min(errors)


def best_weights(*, alpha, M, d, N):
    """M = 2: p exp(-a^2/4)/a is the same for all inputs, and the squares of the margins a add up to d M."""
    assert M == 2
    p = zipf(alpha, N)

    def margins(price):
        return [bisect(lambda a, v=v: price - v * mp.exp(-(a**2) / 4) / a, mpf(10) ** -30, mpf(60), 120) for v in p]

    log_price = bisect(lambda y: d * M - mp.fsum(a * a for a in margins(mp.exp(y))), mpf(-60), mpf(40), 70)
    return mp.fsum(v * coin(a) for v, a in zip(p, margins(mp.exp(log_price)), strict=True))


def fall(a, M):
    """-pi_M'(a) = exp(-a^2/4)/(2 sqrt pi) at M = 2, times 2 Phi(a/sqrt 6) at M = 3.

    1 - pi_M(a) is the probability that M - 1 normals of variance 2 and covariance 1 are all below a. Its slope is M - 1
    times the density of one at a, times the probability that the other, N(a/2, 3/2) given that, is below a as well.
    """
    assert M in (2, 3)
    third = 1 if M == 2 else 2 * mp.ncdf(a / mp.sqrt(6))
    return third * mp.exp(-(a**2) / 4) / (2 * mp.sqrt(mp.pi))


def best_constant(*, alpha, M, d):
    """The integral over the margin by quadrature.

    Inputs x with p(x) g(a) = price, g(a) = -pi_M'(a)/(2 a): x = (C g(a)/price)^(1/alpha). The budget and the error are
    integrals over x; with the price eliminated the error is d^(1 - alpha) times a constant.
    """
    C = 1 / mp.zeta(alpha)

    def g(a):
        return fall(a, M) / (2 * a)

    # dx = (C/price)^(1/alpha) |d g^(1/alpha)|, by parts: budget = int 2 a x da, error = int C x^(1-alpha)/(alpha-1) (-pi') da
    ends = [0, 1, 2, 4, 8, 16, 60]
    budget = mp.quad(lambda a: 2 * a * g(a) ** (1 / alpha) if a else mpf(0), ends)
    lost = mp.quad(lambda a: g(a) ** (1 / alpha - 1) * 2 * a * g(a) if a else mpf(0), ends)
    scale = d * M / budget  # (C/price)^(1/alpha)
    return C / (alpha - 1) * scale ** (1 - alpha) * lost


def crossover(*, alpha, N, M, rho):
    """M = 2: the least load X = d M/N with pi_2(sqrt X) <= sum p pi_2(q sqrt(X N/sum q^2))."""
    assert M == 2
    p = zipf(alpha, N)
    q = [v**rho for v in p]
    ratio = [v * mp.sqrt(N / mp.fsum(w * w for w in q)) for v in q]

    def gain(X):
        return mp.fsum(v * coin(r * mp.sqrt(X)) for v, r in zip(p, ratio, strict=True)) - coin(mp.sqrt(X))

    steps = [mpf(i) / 20 for i in range(1, 2000)]
    high = next(X for X in steps if gain(X) > 0)
    return bisect(gain, high - mpf(1) / 20, high, 120)


def slope(*, alpha, N, M, d):
    """The derivative of the error of q = p^rho at rho = 0, by differences at 140 digits; at M = 3 by those of the margins."""
    with mp.workdps(140):
        p = zipf(alpha, N)

        def mean(function, rho):
            q = [v**rho for v in p]
            S = mp.fsum(w * w for w in q)
            return mp.fsum(v * function(w * mp.sqrt(d * M / S)) for v, w in zip(p, q, strict=True))

        if M == 2:
            return mp.diff(lambda rho: mean(coin, rho), 0)
        # at rho = 0 all inputs have the same margin, so that the error falls with the mean margin
        return -fall(mp.sqrt(d * M / N), M) * mp.diff(lambda rho: mean(lambda a: a, rho), 0)


def equal_weights(*, N, M, d):
    """The union over the M - 1 others of a pair's miss at q^2/S_pair = M/(2N), and what the other outputs add."""
    e = M / (2 * N)
    return (M - 1) * ((1 - e) / (1 - 2 * e)) ** ((M - 2) / 2) * pair_miss(e, 1 - e, d)


ROUTES = {
    "power-scheme:source": Route(
        power_source,
        {"alpha": 2, "rho": 1, "d": 17, "N": 90}, {"alpha": 2, "rho": F(1, 4), "d": 100, "N": 50},
        {"alpha": 2, "rho": F(1, 8), "d": 100, "N": 47},
    ),
    "power-scheme:samples": Route(
        lambda alpha, T, d: T ** (1 / alpha) / T + d ** (1 / (2 * alpha)) / mp.sqrt(d), {"alpha": F(7, 4), "T": 30, "d": 11}
    ),
    "power-scheme:asymptotic": Route(power_constant, {"alpha": F(7, 4), "rho": F(3, 4), "M": 2, "d": 1000}),
    "power-scheme:binary": Route(power_beta, {"alpha": F(7, 4), "rho": F(3, 4), "d": 17}),
    "threshold-scheme:source": Route(
        lambda alpha, rho, d: d ** (-(alpha - 1) / (1 + 2 * alpha * rho)), {"alpha": F(7, 4), "rho": F(2, 3), "d": 11}
    ),
    "threshold-scheme:asymptotic": Route(floor_law, {"alpha": F(7, 4), "M": 3, "d": 40, "k": F(1, 8)}),
    # stored are two inputs of three, all of four, and at rho > 0, where the law has eleven digits, three of four
    "threshold-scheme:best": Route(
        best_threshold, {"alpha": F(3, 2), "M": 3, "d": 2, "N": 3}, {"alpha": F(3, 2), "M": 3, "d": 8, "N": 4},
        rough=({"alpha": F(3, 2), "M": 3, "d": 2, "N": 4, "rho": F(1, 4)},), rough_digits=11,
        drawn=lambda rng: {
            "alpha": rng.uniform(0.3, 3), "M": rng.randint(2, 40), "d": whole(rng, 1, 60), "N": whole(rng, 2, 20),
        },
        draws=10,
    ),
    "optimal-scheme": Route(
        best_weights, {"alpha": F(3, 2), "M": 2, "d": 6, "N": 5}, digits=10, why="prices and margins are roots in float64"
    ),
    "optimal-scheme:least": Route(
        best_weights, {"alpha": F(3, 2), "M": 2, "d": 6, "N": 5}, digits=10, why="prices and margins are roots in float64"
    ),
    "optimal-scheme:source": Route(
        # equal weights on P = M d/(4 (alpha - 1) log d) inputs: what is not stored, C P^(1-alpha)/(alpha - 1), is guessed
        lambda alpha, M, d: (1 - 1 / M)
        * (M * d / (4 * (alpha - 1) * mp.log(d))) ** (1 - alpha) / (alpha - 1) / mp.zeta(alpha),
        {"alpha": F(7, 4), "M": 3, "d": 11},
    ),
    "optimal-scheme:asymptotic": Route(
        best_constant, {"alpha": F(7, 4), "M": 2, "d": 1000}, {"alpha": F(7, 4), "M": 3, "d": 1000},
        drawn=lambda rng: {"alpha": rng.uniform(1.02, 8), "M": rng.choice([2, 3]), "d": 10.0},
        draws=10,
    ),
    "at-most-d": Route(lambda M, d, e: M * d / coin_margin(e) ** 2, {"M": 2, "d": 10, "e": F(1, 8)}),
    "at-most-d:source": Route(lambda d: d, {"d": 7}),
    "fill-scheme:tipping": Route(lambda M, d, e: M * d / coin_margin(e) ** 2, {"M": 2, "d": 10, "e": F(1, 7)}),
    "fill-scheme:tipping-source": Route(lambda d: d, {"d": 7}),
    "fill-scheme:asymptotic": Route(
        equal_weights, {"N": 12, "M": 4, "d": 20}, {"N": 12, "M": 3, "d": 9}, {"N": 30, "M": 2, "d": 70}
    ),
    "fill-scheme:limit": Route(
        lambda N, M, d: miss(mp.sqrt(d / (N / M)), M), {"N": 12, "M": 3, "d": 9}, more=({"N": 500, "M": 6, "d": 900},)
    ),
    "fill-is-best:crossover": Route(
        crossover, {"alpha": 2, "N": 12, "M": 2, "rho": 1}, digits=9, why="the root of a sum of integrals in float64"
    ),
}  # fmt: skip
