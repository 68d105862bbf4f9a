"""Second routes of section 2, shares of lost items: quadrature of the densities, sums over binomials."""

import math
from fractions import Fraction as F
from itertools import product

import mpmath as mp
import numpy as np
from mpmath import mpf
from scipy.special import ndtr

from second_routes.networks import (
    neuron_variance,
    overlap,
    pair_mean,
    pair_variance,
    projection_variance,
)
from second_routes.tools import Route, bisect, chi_mean, sphere_mean


def lost_share(*, mean, bias, own, other, noise, d, competitors):
    """The share of lost items from mean and variances of the scores, as the laws' text has it.

    The answer scores T = mean + sqrt(own) x. Given T a competitor has the variance A = other + (T^2 - mean^2 - own)/d, more
    by the factor exp(2 T n/(c A)) for what it shares with the noise n in T, c competitors; z = (T - bias)/deviation, and
    z + (z^3 - 3 z)/(4 d) for the varying length of a vector of R^d.
    """

    def lost(x):
        T = mean + mp.sqrt(own) * x
        A = other + (T**2 - mean**2 - own) / d
        shared = noise * x / mp.sqrt(own)
        z = (T - bias) / mp.sqrt(A * mp.exp(2 * T * shared / (competitors * A)))
        z += (z**3 - 3 * z) / (4 * d)
        return mp.npdf(x) * (1 - mp.ncdf(z) ** competitors)

    ends = [-18, -8, -5, -4, -3, -2, -1, 0, 1, 2, 3, 8, 18]
    return mp.quad(lost, ends)


def root_mean(own):
    """E sqrt s for a gamma variable of mean 1 and variance `own`."""
    shape = 1 / own
    return mp.gamma(shape + mpf(1) / 2) / mp.gamma(shape) * mp.sqrt(own)


def scaled(*, mean, bias, target, other, own, d, competitors):
    """All scores divided by the root of s, the answer's own part: mean 1, variance `own`, a gamma variable."""
    root, noise = root_mean(own), target - own
    return lost_share(
        mean=root + mean - 1, bias=bias, own=1 + noise - root**2, other=other - own / d, noise=noise, d=d,
        competitors=competitors,
    )  # fmt: skip


def injective(*, d, N, inputs="sphere", outputs="sphere"):
    if inputs == "sphere":
        own, other, mean = (N - 1) / d**2, 2 / d + (N - 2) / d**2, mpf(1)
    else:
        # scores over |e_z|: the answer has |e_z|, mean E chi_d/sqrt d and mean square 1
        mean = mp.sqrt(2 / d) * mp.gamma((d + 1) / 2) / mp.gamma(d / 2)
        own, other = 1 - mean**2 + (N - 1) / d**2, 2 / d + (N - 2) / d**2
    return lost_share(mean=mean, bias=mpf(0), own=own, other=other, noise=(N - 1) / d**2, d=d, competitors=N - 1)


def gaussian_outputs(*, d, N):
    """u ~ N(0, 1/d): the trapezoidal rule in x, in log t^2 of the answer's length and log h of the other coordinates."""
    d, N = float(d), float(N)
    x, v = np.linspace(-14, 9, 400), np.linspace(-1.6, 1.2, 60)

    def chi(n):
        weight = np.exp(n / 2 * (v - np.exp(v) + 1))
        return np.exp(v), weight / weight.sum()

    (t2, wt), (h, wh) = chi(d), chi(d - 1)
    t, h = np.sqrt(t2)[:, None, None], h[None, :, None]
    a = t + np.sqrt(N - 1) / d * x
    V = (a**2 + (N - 1) * (d - 1) / d**2 * h) * (N - 2) / (N - 1) + (h * (1 - 1 / d) + a * x / np.sqrt(N - 1)) ** 2
    lost = 1 - ndtr(t * a / np.sqrt(V / d)) ** (N - 1)
    return np.einsum("i,j,k,ijk->", wt, wh, np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi) * (x[1] - x[0]), lost)


def low_rank(*, d, m, N):
    target, other = (projection_variance(d=d, m=m, N=N, output=o) for o in ("target", "other"))
    return scaled(mean=mpf(1), bias=mpf(0), target=target, other=other, own=2 / m, d=d, competitors=N - 1)


def neurons(*, d, m, N, k="2"):
    target, other = (neuron_variance(d=d, m=m, N=N, k=k, output=o) for o in ("target", "other"))
    own = neuron_variance(d=d, m=m, N=1, k=k, output="target")
    bias = overlap(d, int(k))
    return scaled(mean=mpf(1), bias=bias, target=target, other=other, own=own, d=d, competitors=N - 1)


def in_subjects(function, S):
    """A quadratic in S through S = 1, 2, 3, for an S that is no whole number."""
    one, two, three = (function(mpf(k)) for k in (1, 2, 3))
    return one * (S - 2) * (S - 3) / 2 - two * (S - 1) * (S - 3) + three * (S - 1) * (S - 2) / 2


def two_inputs(*, d, m, S, R, M, p="2"):
    at = {"d": d, "R": R, "M": M, "p": p}
    target, other = (
        in_subjects(lambda s, o=o: pair_variance(m=m, S=s, output=o, **at), S) for o in ("target", "other")
    )
    own = pair_variance(d=d, m=m, S=1, R=1, M=M, p=p, output="target")
    bias = in_subjects(lambda s: pair_mean(S=s, output="other", **at), S)
    return scaled(mean=1 + bias, bias=bias, target=target, other=other, own=own, d=d, competitors=M - 1)


def lookup(*, d, N, b):
    square = sphere_mean(lambda c: (c - b) ** 2, d, low=b)
    own = (N - 1) * square / d
    other = ((1 - b) ** 2 + (N - 2) * square) / d + square
    return lost_share(mean=1 - b, bias=mpf(0), own=own, other=other, noise=own, d=d, competitors=N - 1)


def halfway(share, start):
    """The size at which a share of lost items is one half, to fifteen digits, by secants in its logarithm."""

    def route(**values):
        with mp.workdps(22):
            ends = (mp.log(start), mp.log(start) + mpf(1) / 4)
            return mp.exp(mp.findroot(lambda y: share(mp.exp(y), **values) - mpf(1) / 2, ends, tol=1e-36))

    return route


def sphere_tail(d, t):
    return sphere_mean(lambda c: 1, d, low=t)


def all_hopfield_bits(d, N, diagonal):
    """The share of wrong bits over all d N signs."""
    wrong = 0
    for signs in product((-1, 1), repeat=d * N):
        xi = [signs[i * d : (i + 1) * d] for i in range(N)]
        for bit in range(d):
            others = [j for j in range(d) if j != bit or diagonal == "kept"]
            wrong += xi[0][bit] * sum(pattern[bit] * pattern[j] * xi[0][j] for pattern in xi for j in others) < 0
    return mpf(wrong) / (d * 2 ** (d * N))


def hopfield_bits(*, d, N, diagonal="zero"):
    """The share of sums of (N - 1)(d - 1) fair signs below -(d - 1), or -(d - 1) - N with the diagonal."""
    if d * N <= 12:
        return all_hopfield_bits(int(d), int(N), diagonal)
    n, signal = int((N - 1) * (d - 1)), int(d - 1 + (N if diagonal == "kept" else 0))
    return mpf(sum(math.comb(n, k) for k in range(n + 1) if 2 * k - n + signal < 0)) / 2**n


def normal_tail(x):
    return mp.quad(mp.npdf, [x, x + 2, x + 6, x + 20])


def dense_bits(*, d, k, N):
    d, k, N = int(d), int(k), int(N)
    square = mpf(sum(math.comb(d - 1, j) * ((2 * j - d + 2) ** k - (2 * j - d) ** k) ** 2 for j in range(d))) / 2 ** (
        d - 1
    )
    return normal_tail((d**k - (d - 2) ** k) / mp.sqrt((N - 1) * square))


def dense_half(*, d, k):
    """(1 - bit error)^d = 1/2."""
    square = mpf(sum(math.comb(int(d) - 1, j) * ((2 * j - int(d) + 2) ** int(k) - (2 * j - int(d)) ** int(k)) ** 2
                     for j in range(int(d)))) / 2 ** (d - 1)  # fmt: skip
    signal = d**k - (d - 2) ** k
    share = 1 - mp.exp(-mp.log(2) / d)
    x = bisect(lambda x: share - mp.erfc(x / mp.sqrt(2)) / 2, mpf(0), mpf(12))
    return 1 + signal**2 / (square * x**2)


def noisy_leak(d, N, beta, s):
    """Both integrals, over xi_i . xi_1 = c and over the noise: (xi_i - xi_1) . noise is N(0, s^2 |xi_i - xi_1|^2/d)."""

    def given(c):
        spread = beta * s * mp.sqrt(2 * (1 - c) / d)
        # the trapezoidal rule: for a normal density times an exponential it errs by exp(-2 pi^2/step^2), 1e-34
        nodes = [mpf(i) / 2 for i in range(-24, 33)]
        return mp.fsum(mp.npdf(g) * mp.exp(beta * (c - 1) + spread * g) for g in nodes) / 2

    return (N - 1) * sphere_mean(given, d)


ROUTES = {
    "injective-capacity:item-error": Route(
        lambda outputs="sphere", **v: gaussian_outputs(**v) if outputs == "gaussian" else injective(**v),
        {"d": 64, "N": 150}, {"d": 32, "N": 40, "inputs": "gaussian"},
        rough=({"d": 48, "N": 120, "outputs": "gaussian"},), rough_digits=5,
    ),
    "injective-capacity:half": Route(
        lambda d: halfway(lambda N, d: injective(d=d, N=N), 150)(d=d), {"d": 40}, digits=15
    ),
    "binary-capacity:item-error": Route(
        lambda d, N: chi_mean(lambda r: mp.ncdf(-r / mp.sqrt(N - 1)), d), {"d": 8, "N": 3}, {"d": 20, "N": 30}
    ),
    "low-rank-capacity:item-error": Route(low_rank, {"d": 64, "m": 40, "N": 90}),
    # at small sizes the low powers of d and M count as well
    "mlp-capacity:item-error": Route(
        neurons, *({"d": 24, "m": 900, "N": 120, "k": k} for k in "12"), {"d": 3, "m": 4, "N": 4, "k": "2"}
    ),
    "multi-input-capacity:item-error": Route(
        two_inputs, *({"d": 24, "m": 1100, "S": 5, "R": 4, "M": 90, "p": p} for p in "12"),
        {"d": 3, "m": 5, "S": 3, "R": 2, "M": 4, "p": "2"},
    ),
    "low-rank-capacity:half": Route(
        halfway(lambda N, d, m: low_rank(d=d, m=m, N=N), 120), {"d": 64, "m": 40}, digits=15
    ),
    "mlp-capacity:half": Route(
        halfway(lambda N, d, m, k: neurons(d=d, m=m, N=N, k=k), 500), {"d": 24, "m": 900, "k": "2"}, digits=15
    ),
    "multi-input-capacity:half": Route(
        lambda R, **v: R * halfway(lambda S, **u: two_inputs(S=S, R=R, **u), 35)(**v),
        {"d": 24, "m": 300, "R": 3, "M": 90, "p": "1"}, digits=15,
    ),
    "hopfield-capacity:item-error": Route(
        hopfield_bits, {"d": 7, "N": 5}, {"d": 6, "N": 9, "diagonal": "kept"},
        more=tuple({"d": d, "N": N, "diagonal": w} for d, N in ((3, 3), (4, 3), (3, 4), (2, 5)) for w in ("zero", "kept")),
    ),
    "dense-capacity:item-error": Route(
        dense_bits, {"d": 12, "k": 3, "N": 40}, {"d": 9, "k": 4, "N": 100},
        more=(
            {"d": 3, "k": 2, "N": 5}, {"d": 90, "k": 4, "N": 10**4}, {"d": 200, "k": 7, "N": 10**9}, {"d": 5, "k": 20, "N": 10**6},
        ),
    ),
    "dense-capacity:half": Route(dense_half, {"d": 20, "k": 3}, {"d": 16, "k": 2}),
    "attention-retrieval:leak": Route(
        lambda d, N, beta: (N - 1) * sphere_mean(lambda c: mp.exp(beta * (c - 1)), d),
        {"d": 3, "N": 9, "beta": 6}, {"d": 12, "N": 20, "beta": F(7, 2)},
    ),
    "attention-retrieval:noise": Route(noisy_leak, {"d": 5, "N": 9, "beta": 3, "s": F(1, 2)}, digits=15),
    "quasi-orthogonality:random": Route(
        lambda P, d, t: 1 - mp.binomial(P, 2) * 2 * sphere_tail(d, t), {"P": 4, "d": 7, "t": F(3, 5)}
    ),
    "quasi-orthogonality:maximum": Route(
        lambda P, d, t: mp.exp(-mp.binomial(P, 2) * 2 * sphere_tail(d, t)), {"P": 4, "d": 7, "t": F(3, 5)}
    ),
    "learned-inputs:item-error": Route(
        lambda d, M: chi_mean(lambda r: -mp.expm1((M - 1) * mp.log1p(-mp.ncdf(-r))), d), {"d": 4, "M": 3}, {"d": 11, "M": 50},
        more=({"d": 4, "M": 10**5}, {"d": 20, "M": 10**6}),
    ),
    "learned-inputs:all-items": Route(lambda d: 1 / mp.sqrt(chi_mean(lambda r: mp.ncdf(-r), d)), {"d": 9}),
    "lookup-mlp:silent": Route(
        lambda d, N, b: (1 - sphere_tail(d, b)) ** (N - 1), {"d": 12, "N": 30, "b": F(1, 2)}
    ),
    "lookup-mlp:noise": Route(
        lambda d, b, s: normal_tail((1 - b) * mp.sqrt(d) / s), {"d": 12, "b": F(2, 5), "s": F(3, 2)}
    ),
}  # fmt: skip
