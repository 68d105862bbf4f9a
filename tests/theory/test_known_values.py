"""Numbers that are known: published, in closed form, or stated in an erratum; and limits that one law is of another."""

import math
from fractions import Fraction as F

import mpmath as mp
import numpy as np
import pytest
from mpmath import mpf
from second_routes.tools import number

from asymp.theory import law, laws

SPHERE = {"embeddings": "sphere"}

CLOSED = [
    ("near-orthogonality:product", {"d": 1, "t": F(2, 5), **SPHERE}, lambda: mpf(0)),
    ("near-orthogonality:product", {"d": 7, "t": F(3, 2), **SPHERE}, lambda: mpf(1)),
    ("near-orthogonality:norm", {"d": 1, "t": F(3, 4)}, lambda: mp.erf(mp.sqrt(mpf(3) / 8))),
    ("near-orthogonality:directions", {"d": 100, "P": 1, "epsilon": F(1, 2)}, lambda: mpf(1)),
    ("remapping:given-u", {"d": 1, "r": F(3, 2), "t": F(4, 5), "of": "norm"}, lambda: mp.erf(mp.sqrt(mpf(8) / 45))),
    # the margin of half of the answers is 0, and that of all of them too: Cover's 2
    ("listwise", {"d": 1, "r": F(1, 2), "criterion": "top-fraction"}, lambda: mpf(2)),
    ("listwise", {"d": 1, "r": 1}, lambda: mpf(2)),
    ("binary-capacity:cover", {"N": 2 * 777, "d": 777}, lambda: mpf(1) / 2),
    # at k = 2 the kernel's end is d^3/(8 3 log N): E (e.e')^4 = 3/(d (d + 2)), times E (u.u')^2 = 1/d
    ("mlp-capacity", {"d": 50, "m": 10**80}, lambda: mp.exp(mp.lambertw(mpf(50 * 52 * 50) / 24).real)),
    # at alpha = 2 the sums of powers leave no pi
    ("missing-mass", {"alpha": 2, "T": 1}, lambda: mpf(3) / 5),
    ("minimax", {"alpha": 2, "M": 5, "d": 100}, lambda: mp.ncdf(-1 / mp.sqrt(3)) * mp.zeta(2, 1511) / mp.zeta(2)),
    ("memory-matrix:scheme", {"q": 0, "M": 5}, lambda: mpf(1) / 5),
]
"""Closed forms, to fifty digits."""


@pytest.mark.parametrize(("id", "point", "closed"), CLOSED)
def test_closed_forms(id, point, closed):
    with mp.workdps(65):
        wanted = closed()
        assert abs(laws[id].evaluate(**point, digits=50) - wanted) <= abs(wanted) * mpf(10) ** -48
        floats = {k: v if isinstance(v, str) else float(number(v)) for k, v in point.items()}
        assert laws[id](**floats) == pytest.approx(float(wanted), rel=1e-12)


MAP_AS_POWER = {"N": 100, "M": 2, "gamma": 0.1}
KNOWN = [
    # the normal limit, with corrections of relative order 1/d
    ("near-orthogonality:product", {"d": 10**8, "t": 1e-4}, math.erf(1 / math.sqrt(2)), 1e-7),
    # the published storage ratio of a Hopfield network, 0.138 patterns a neuron
    ("hopfield-capacity:with-errors", {"d": 1000}, 138, 0.5),
    # errata of the schemes
    ("threshold-scheme:asymptotic", {"alpha": 2, "M": 2, "d": 10**9}, math.erfc(2) / 2, 1e-7),
    ("threshold-scheme:asymptotic", {"alpha": 2, "M": 5, "d": 10**9}, 1.5e-5, 1e-6),
    ("optimal-scheme:asymptotic", {"alpha": 2, "M": 5, "d": 1}, 1.2655, 1e-4),
    ("at-most-d", {"M": 100, "d": 1}, 3.9, 0.05),
    ("seen-s-times", {"alpha": 2, "T": 10**4, "s": 1, "d": 1000, "M": 5}, 0.0056, 1e-4),
    ("seen-s-times", {"alpha": 2, "T": 10**6, "s": 1, "d": 1000, "M": 5}, 0.24, 5e-3),
    ("seen-s-times", {"alpha": 2, "T": 10**9, "s": 1, "d": 1000, "M": 5}, 0.75, 0.05),
    ("fill-scheme:limit", {"N": 1000, "M": 2, "d": 1000}, 0.1587, 5e-5),
    ("fill-scheme:limit", {"N": 1000, "M": 5, "d": 1000}, 0.1612, 5e-5),
    ("fill-scheme:limit", {"N": 1000, "M": 20, "d": 1000}, 0.0112, 5e-5),
    ("fill-scheme:limit", {"N": 1000, "M": 50, "d": 1000}, 1.3e-5, 1e-6),
    ("fill-scheme:limit", {"N": 10_000, "M": 2, "d": 27_000}, 0.05, 2.5e-3),
    ("fill-scheme:limit", {"N": 10_000, "M": 5, "d": 18_600}, 0.05, 2.5e-3),
    ("fill-scheme:limit", {"N": 10_000, "M": 20, "d": 7_000}, 0.05, 2.5e-3),
    ("fill-is-best:crossover", {"alpha": 0.5, "N": 100, "M": 5}, 1.75, 0.01),
    ("fill-is-best:crossover", {"alpha": 1, "N": 100, "M": 5}, 2.27, 0.01),
    ("fill-is-best:crossover", {"alpha": 2, "N": 100, "M": 5}, 6.50, 0.01),
    # no weights separate two inputs that are equally frequent better: -log(1 - M/(2 N))/2
    ("fill-is-best", {"alpha": 1.5, "N": 12, "M": 2, "rho": 0}, -math.log1p(-1 / 12) / 2, 1e-13),
    # errata of the fitted power
    ("sgd-map-as-power", {**MAP_AS_POWER, "fit": "log-log"}, 0.788, 5e-4),
    ("sgd-map-as-power", {**MAP_AS_POWER, "fit": "linear"}, 0.532, 5e-4),
    ("sgd-map-as-power", {**MAP_AS_POWER, "fit": "anchored"}, 0.482, 5e-4),
    ("sgd-map-as-power", {"N": 450, "M": 5, "gamma": 0.1, "fit": "linear"}, 0.35, 0.01),
    ("step-size", {"gamma": 10, "M": 5, "n": 1000}, 1.33, 5e-3),
    ("step-size", {"gamma": 10, "M": 5, "n": 10_000}, 1.61, 5e-3),
    # published: 1024 facts, S = R = 32, on the line take 6827 parameters
    ("factual-recall-mlp:published", {"parameters": 6827}, 1024, 1),
]
"""Numbers with an absolute tolerance: half a unit of the last digit that is stated."""


@pytest.mark.parametrize(("id", "point", "wanted", "tolerance"), KNOWN)
def test_known_numbers(id, point, wanted, tolerance):
    assert laws[id](**point) == pytest.approx(wanted, abs=tolerance)


LARGE = {"alpha": 2, "rho": 1, "M": 5, "d": 10**6}
LIMITS = [
    # what the expansion leaves out is of relative order T^-2
    *(
        ("missing-mass:asymptotic", {"alpha": a, "T": T}, "missing-mass", {}, 10 / T**2)
        for a in (1.3, 2, 3) for T in (1000, 10_000)
    ),
    # 1e-3 of the exact law at 99 %, tripled
    ("power-scheme:asymptotic", LARGE, "power-scheme", {}, 3e-3),
    ("power-scheme:asymptotic", {**LARGE, "alpha": 1.5, "rho": 0.5, "M": 3}, "power-scheme", {}, 3e-3),
    # what is left out is below every power of d
    *(
        ("power-scheme:binary", {"alpha": a, "rho": r, "d": 10**5}, "exact-recall-error:binary", {"N": math.inf}, 1e-8)
        for a, r in ((2, 1), (1.5, 0.5), (3, 0.4))
    ),
    # two outputs: q^2/S = 1/P in place of the limit, a relative correction of the exponent of 2/d
    ("threshold-scheme:asymptotic", {"alpha": 2, "M": 2, "d": 8000}, "threshold-scheme", {"P": 1000, "outputs": "sphere"}, 1e-2),
    ("fill-scheme:asymptotic", {"N": 40, "M": 4, "d": 500}, "fill-scheme", {"alpha": 1, "outputs": "sphere"}, 1e-2),
    # relative order 1/T + 1/P^2, P = d/8
    *(
        ("joint-law:asymptotic", {"alpha": a, "T": T, "d": d, "M": 5}, "joint-law", {}, 4 / T + 20 / (d / 8) ** 2)
        for a, T, d in ((1.5, 1e6, 8000), (2, 1e6, 80_000), (4, 1e8, 8000))
    ),
    # N infinite: a polynomial in 1/N with coefficients of order 1
    ("attention-learnability:signal-many", {"N": 50, "T": 9}, "attention-learnability:signal", {"n": 10**12, "d": 50}, 1e-9),
    ("attention-learnability:noise-narrow", {"d": 9, "n": 50, "N": 10**12}, "attention-learnability:noise", {}, 1e-9),
]  # fmt: skip
"""A limit, a point, the law that it is the limit of, what that law takes besides, and the relative tolerance."""


@pytest.mark.parametrize(("limit", "point", "law", "more", "tolerance"), LIMITS)
def test_limits(limit, point, law, more, tolerance):
    assert laws[limit](**point) == pytest.approx(laws[law](**point, **more), rel=tolerance)


EQUAL = [
    ("best-linear", 2),
    ("injective-capacity", 8),
]


@pytest.mark.parametrize(("capacity", "c"), EQUAL)
def test_bits_are_those_of_the_capacities(capacity, c):
    N = laws[capacity].evaluate(d=10**9, digits=40)
    with mp.workdps(40):
        stored = N * mp.log(N, 2) / mpf(10) ** 18
        assert abs(laws["bits-per-parameter"].evaluate(c=c, digits=30) / stored - 1) < 1e-14


def test_the_rate_of_attention_is_the_logarithm_of_its_capacity():
    # Laplace: linear in beta = lam d, up to log d
    # the mean leak of N patterns is N - 1 times that of two, and is one at the capacity
    exact = mp.log(1 + 1 / laws["attention-retrieval:leak"].evaluate(d=4000, N=2, beta=8000, digits=20))
    assert abs(laws["attention-retrieval:rate"](d=4000, lam=2) - exact) < math.log(4000)


FAR = [
    ("exact-recall-error:binary", {"alpha": 1.2, "rho": 0.5, "d": 1000, "N": math.inf}),
    ("exact-recall-error:binary", {"alpha": 1.05, "rho": 0.6, "d": 30, "N": math.inf}),
    ("exact-recall-error:binary", {"alpha": 3.0, "rho": 1.0, "d": 10**6, "N": math.inf}),
    ("finite-memory-upper", {"alpha": 1.5, "N": 40, "M": 4, "d": 200, "rho": 0.5}),
    ("finite-memory-upper:source", {"alpha": 1.5, "N": 200, "M": 4, "d": 9000, "rho": 0.4, "P": 120}),
    ("power-scheme:asymptotic", {"alpha": 2, "rho": 1, "M": 3, "d": 1}),
    ("seen-s-times:matched", {"alpha": 2, "T": 1e7, "d": 5000, "M": 4}),
]
"""Where no naive route reaches: float64 and mpmath, which sum in different ways, agree."""


@pytest.mark.parametrize(("id", "point"), FAR)
def test_float64_and_digits_agree_far_out(id, point):
    assert laws[id](**point) == pytest.approx(float(laws[id].evaluate(**point, digits=14)), rel=1e-10)


def test_hops_at_the_powers_where_logarithms_round():
    K = 2.0 ** np.arange(1, 52)
    for id, shift, wanted in (("k-hop", 0, 2), ("k-hop", -1, 1), ("k-hop:doubling", 0, 2), ("k-hop:doubling", 1, 3)):
        np.testing.assert_array_equal(laws[id](K=K + shift), np.arange(wanted, wanted + 51))
    assert laws["k-hop"].expr.subs(laws["k-hop"].symbols["K"], 2**29) == 30


def test_a_size_of_more_digits_than_are_asked_for_is_held_exactly():
    # sqrt(d + 1) - sqrt(d) = 1/(2 sqrt d) (1 + O(1/d)). With fewer digits than d has, d + 1 would be d.
    gap = law("gap", "sqrt(d + 1) - sqrt(d)", relation="=", params={"d": (1, "oo")})
    with mp.workdps(40):
        assert abs(gap.evaluate(d=10**140, digits=30) * 2 * mpf(10) ** 70 - 1) < mpf(10) ** -29
