"""Second routes of section 2, sizes: a threshold is the root of its equation, bisected; a density is integrated."""

import math
from fractions import Fraction as F

import mpmath as mp
from mpmath import mpf

from second_routes.networks import neuron_noise, pair_noise, projection_noise
from second_routes.tools import Route, bisect, normal_mean, stored_size

HALF = F(1, 2)


def quantile(share):
    """The x beyond which a standard normal has this share."""
    return bisect(lambda x: share - mp.ncdf(-x), mpf(-4), mpf(9))


def margin_cost(k):
    """E[(k - g)_+^2]."""
    return normal_mean(lambda g: max(k - g, mpf(0)) ** 2, (k,))


def best_ratio(*, r, criterion="tail-average"):
    edge = quantile(r)
    mean = mp.quad(lambda g: g * mp.npdf(g), [edge, edge + 3, edge + 8, edge + 20]) / r
    return 1 / margin_cost(mean if criterion == "tail-average" else edge)


def odd_below(k):
    """(2k - 3)!!"""
    return math.prod(range(2 * int(k) - 3, 0, -2))


def cover(*, d, N):
    """Cover's recursion C(N + 1, d) = C(N, d) + C(N, d - 1), C(1, d) = 2."""
    d, N = int(d), int(N)
    count = [0] + [2] * d
    for _ in range(N - 1):
        count = [0] + [count[k] + count[k - 1] for k in range(1, d + 1)]
    return mpf(count[d]) / 2**N


def retrieval_limit(*, d):
    """The largest alpha with a retrieval state: the maximum of the bracket by golden sections (its square is flat there)."""
    golden, low, high = (mp.sqrt(5) - 1) / 2, mpf(1), mpf(2)

    def bracket(y):
        return (mp.erf(y) / y - 2 * mp.exp(-(y**2)) / mp.sqrt(mp.pi)) ** 2 / 2

    while high - low > mpf(10) ** -28:
        a, b = high - golden * (high - low), low + golden * (high - low)
        low, high = (a, high) if bracket(a) < bracket(b) else (low, b)
    return d * bracket(low)


def laplace_rate(*, d, lam):
    """-log of the largest exp(beta (c - 1)) (1 - c^2)^(d/2), beta = lam d, over c: lam = c/(1 - c^2) there."""
    c = bisect(lambda c: c / (1 - c**2) - lam, mpf(0), mpf(1))
    return -d * (lam * (c - 1) + mp.log(1 - c**2) / 2)


def fixed_points(*, d, items="one"):
    """The N at which (1 - Phi(-sqrt((d - 1)/(N - 1))))^bits is one half, bits = d or N d."""

    def broken(log_N):
        N = mp.exp(log_N)
        stays = mp.ncdf(mp.sqrt((d - 1) / (N - 1)))
        return mpf(1) / 2 - stays ** (d * N if items == "all" else d)

    return mp.exp(bisect(broken, mp.log(mpf("1.01")), mpf(60)))


def cone_size(*, d):
    """N with N E m = d^2, m the number of competitors that the projection on {x_1 >= x_y} pools with the first.

    A given set of k is pooled when all k are above the mean t of the k + 1, and the others below it: t and the deviations
    from it are independent, so P = psi_k E[Phi(t)^(N-1-k)], t ~ N(0, 1/(k+1)). The psi_k follow from the total being 1.
    Between whole N the logarithm of N E m is interpolated through twelve of them.
    """
    top = 2 * int(d) + 14
    with mp.workdps(40):
        step = mpf(1) / 16
        nodes = [(i * step, mp.npdf(i * step) * step) for i in range(-220, 221)]
        table = {}
        for k in range(top):
            phi = [(mp.ncdf(x / mp.sqrt(k + 1)), w) for x, w in nodes]
            power = [w for _, w in phi]
            for rest in range(top - k):
                table[k, rest] = mp.fsum(power)
                power = [v * f for v, (f, _) in zip(power, phi, strict=True)]
        psi, cost = [mpf(1)], {}
        for N in range(2, top + 1):
            share = [mp.binomial(N - 1, k) * psi[k] * table[k, N - 1 - k] for k in range(N - 1)]
            psi.append(1 - mp.fsum(share))
            share.append(psi[-1])
            cost[N] = mp.log(N * mp.fsum(k * p for k, p in enumerate(share)))
        middle = min(cost, key=lambda N: abs(cost[N] - 2 * mp.log(d)))
        assert middle + 6 <= top
        whole = range(middle - 6, middle + 7)

        def interpolated(x):
            return mp.fsum(cost[i] * mp.fprod((x - j) / mpf(i - j) for j in whole if j != i) for i in whole)

        return bisect(lambda x: interpolated(x) - 2 * mp.log(d), mpf(middle - 1), mpf(middle + 1), 100)


def bits_when_full(c, *, d):
    """N log2 N bits of d^2 parameters at the N with c N log N = d^2."""
    N = stored_size(mpf(c) / d**2)
    return N * mp.log(N, 2) / d**2


ROUTES = {
    "injective-capacity": Route(lambda d: stored_size(8 / d**2), {"d": 100}, {"d": 10**40}),
    "injective-capacity:source": Route(lambda d: d * d, {"d": 7}),
    "best-linear": Route(lambda d: stored_size(2 / d**2), {"d": 1000}),
    "best-linear:from-above": Route(lambda d: stored_size(2 / d**2), {"d": 1000}),
    "best-linear:cone": Route(
        cone_size, {"d": 7}, digits=7, why="the root of a Fourier inversion in float64, good to eight digits"
    ),
    "best-linear:trained": Route(lambda d: stored_size(mpf(13) / 10 / d**2), {"d": 64}),
    "listwise": Route(
        lambda d, **v: d**2 * best_ratio(**v),
        {"d": 30, "r": F(1, 8)}, {"d": 7, "r": F(3, 10), "criterion": "top-fraction"},
    ),
    "binary-capacity": Route(lambda d: stored_size(2 / d), {"d": 300}),
    "binary-capacity:source": Route(lambda d: d, {"d": 7}),
    "binary-capacity:recall": Route(lambda d, delta: d / quantile(delta) ** 2, {"d": 40, "delta": F(3, 100)}),
    "binary-capacity:cover": Route(
        cover, {"d": 10, "N": 23}, {"d": 30, "N": 41},
        more=({"d": 1, "N": 1}, {"d": 3, "N": 7}, {"d": 5, "N": 60}, {"d": 39, "N": 12}),
    ),
    "binary-capacity:best-linear": Route(lambda d: d + d, {"d": 777}),
    "low-rank-capacity": Route(lambda d, m: stored_size(8 * projection_noise(d, m)), {"d": 64, "m": 16}),
    "low-rank-capacity:source": Route(lambda d, m: d * m, {"d": 9, "m": 4}),
    "mlp-capacity": Route(
        lambda d, m, k: stored_size(8 * neuron_noise(d, m, k)),
        *({"d": 20, "m": 100, "k": k} for k in "123"),
    ),
    "mlp-capacity:source": Route(lambda d, m, k: d * m, {"d": 9, "m": 4, "k": "2"}),
    "multi-input-capacity": Route(
        lambda d, m, M, p: stored_size(4 * pair_noise(d, m, M, p), M),
        *({"d": 12, "m": 40, "M": 30, "p": p} for p in "12"), {"d": 3, "m": 5, "M": 4, "p": "2"},  # low powers count
    ),
    "multi-input-capacity:source": Route(lambda d, m, M, p: m * d, {"d": 12, "m": 40, "M": 30, "p": "2"}),
    "bits-per-parameter": Route(lambda c: bits_when_full(c, d=30), {"c": 8}, {"c": 2}),
    "bits-per-parameter:source": Route(lambda N, M, b: N * mp.log(M, 2) / b, {"N": 40, "M": 11, "b": 16}),
    "hopfield-energy": Route(lambda A, B: -(A * 4 + B), {"A": F(7, 2), "B": 5}),
    "hopfield-energy:asynchronous": Route(lambda h: -(h + h + h + h), {"h": F(7, 2)}),
    "hopfield-energy:zero-diagonal-corrected": Route(
        lambda N, A, **v: 4 * (N * v["F"] - A), {"N": 3, "F": 2, "A": F(7, 2)}
    ),
    "hopfield-capacity": Route(lambda d: d / mp.log(d**4), {"d": 90}),
    "hopfield-capacity:source": Route(lambda d: d, {"d": 90}),
    "hopfield-capacity:with-errors": Route(retrieval_limit, {"d": 90}),
    "hopfield-capacity:half": Route(fixed_points, {"d": 64}, {"d": 200, "items": "all"}),
    "dense-capacity": Route(
        lambda d, k: d ** (k - 1) / (2 * k * odd_below(k) * mp.log(d)), {"d": 50, "k": 4}, {"d": 20, "k": 2}
    ),
    "dense-capacity:source": Route(lambda d, k: d**k / d, {"d": 7, "k": 3}),
    "attention-retrieval": Route(lambda eta, delta: abs(delta - eta * delta), {"eta": F(7, 3), "delta": F(5, 4)}),
    "attention-retrieval:descent": Route(lambda delta: -delta * delta / 2, {"delta": F(5, 4)}),
    "attention-retrieval:rate": Route(laplace_rate, {"d": 24, "lam": F(7, 5)}),
    "quasi-orthogonality": Route(
        # P^2 pairs, each beyond t with the share (1 - t^2)^((d-1)/2): one is expected at the quantity
        lambda P, d: bisect(lambda t: 1 - P**2 * (1 - t**2) ** ((d - 1) / 2), mpf(0), mpf(1)), {"P": 50, "d": 13}
    ),
    "quasi-orthogonality:source": Route(lambda P, d: mp.sqrt(4 * mp.log(P) / d), {"P": 50, "d": 13}),
    "quasi-orthogonality:probability": Route(lambda P, d: 1 - P * (P - 1) / P**2, {"P": 50, "d": 13}),
    "learned-inputs:source": Route(lambda d: d, {"d": 7}),
    "lookup-mlp": Route(lambda d, b: 1 / mp.sqrt(mp.exp(-d * b**2 / 2)), {"d": 20, "b": F(2, 5)}),
    "lookup-mlp:source": Route(lambda d: d, {"d": 7}),
    # N d products to the hidden layer and N d from it, against d d of a matrix
    "lookup-mlp:cost": Route(lambda d, N: (N * d + N * d) / (d * d), {"d": 7, "N": 11}),
}  # fmt: skip

# Roots without a closed form, whose formula is their leading order 2 N log N = d^2: the noise sqrt(N)/d of an item reaches 1
# in the best of N competitors, at sqrt(2 log N) deviations; E dist^2 of the cone tends to 2 log N, and N times it is d^2.
LEADING = {
    "injective-capacity:half": Route(lambda d: stored_size(2 / d**2), {"d": 40}),
    "best-linear:cone": Route(lambda d: stored_size(2 / d**2), {"d": 7}),
}
