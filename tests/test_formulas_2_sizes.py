"""The capacity laws of section 2: thresholds solve their equations, exponents are the slopes at huge sizes."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy
from mpmath import mpf

from asymp.theory import laws
from asymp.theory.rates.calculus import growth_exponent

TENTH = Fraction(1, 10)


def close(found, wanted, digits=49):
    assert abs(found / wanted - 1) < mpf(10) ** -digits


# -- thresholds: the equation itself, solved by bisection at 60 digits ----------------------------------------------------


def solve(times, scale=1):
    """N with times N log(N scale) = 1 by bisection in log N."""
    low, high = -mpmath.log(scale), mpf(4000)
    for _ in range(260):
        middle = (low + high) / 2
        low, high = (middle, high) if times * mpmath.exp(middle) * (middle + mpmath.log(scale)) < 1 else (low, middle)
    return mpmath.exp(low)


def odd(k):
    """(2k - 3)!!"""
    return math.prod(range(2 * k - 3, 0, -2))


def lookup_square(d, b):
    """E relu(u.u' - b)^2 by quadrature over the density of a component."""
    front = mpmath.gamma(mpf(d) / 2) / mpmath.sqrt(mpmath.pi) / mpmath.gamma(mpf(d - 1) / 2)
    return mpmath.quad(lambda c: front * (1 - c**2) ** (mpf(d - 3) / 2) * (c - b) ** 2, [b, (1 + b) / 2, 1])


THRESHOLDS = [
    ("injective-capacity", {"d": 100}, lambda: solve(mpf(8) / 100**2)),
    ("injective-capacity", {"d": 10**40}, lambda: solve(mpf(8) / 10**80)),
    ("injective-capacity:one-item", {"d": 7}, lambda: solve(mpf(2) / 49)),
    ("best-linear", {"d": 1000}, lambda: solve(mpf(2) / 10**6)),
    ("best-linear:trained", {"d": 64}, lambda: solve(mpf(13) / 10 / 64**2)),
    ("binary-capacity", {"d": 300}, lambda: solve(mpf(2) / 300)),
    # what one item adds: E[(u.GG^Tu')^2] (e.e')^2 summed by hand, (d + m + 1)/(d m) times 1/d
    ("low-rank-capacity", {"d": 64, "m": 16}, lambda: solve(8 * mpf(64 + 16 + 1) / (64**2 * 16))),
    ("low-rank-capacity:one-item", {"d": 64, "m": 300}, lambda: solve(2 * mpf(64 + 300 + 1) / (64**2 * 300))),
    ("low-rank-capacity:scaling", {"d": 64, "mu": Fraction(1, 2)}, lambda: solve(8 * mpf(64 + 8 + 1) / (64**2 * 8))),
    ("mlp-capacity", {"d": 64, "m": 16, "k": "1"}, lambda: solve(8 * mpf(64 + 16 + 1) / (64**2 * 16))),
    ("mlp-capacity:scaling", {"d": 16, "mu": 2, "k": 2}, lambda: solve(8 * (mpf(16) ** -3 + 3 * mpf(16) ** -3))),
    ("mlp-capacity:trained", {"d": 16, "m": 64}, lambda: solve(mpf(35) / 100 / 1024)),
    ("hopfield-capacity:all-items", {"d": 500}, lambda: solve(mpf(2) / 500, 500)),
    ("dense-capacity:all-items", {"d": 50, "k": 4}, lambda: solve(mpf(2 * odd(4)) / 50**3, 50)),
    ("lookup-mlp:all-items", {"d": 20, "b": 0.5}, lambda: solve(8 * lookup_square(20, mpf(1) / 2) / 20 * 4)),
    ("lookup-mlp:one-item", {"d": 9, "b": 0.25}, lambda: solve(2 * lookup_square(9, mpf(1) / 4) / 9 / mpf("0.5625"))),
    (
        "multi-input-capacity:scaling",
        {"d": 16, "mu": 2, "nu": Fraction(3, 2)},
        lambda: solve(4 * (mpf(1) / 16 + mpf(1) / 64) * (mpf(1) / 256 + mpf(9) / 16**4), 64),
    ),
]


@pytest.mark.parametrize(("id", "values", "solution"), THRESHOLDS)
def test_thresholds_solve_their_equation(id, values, solution):
    with mpmath.workdps(60):
        wanted = solution()
        close(laws[id].evaluate(**values, digits=50), wanted)
        floats = {k: v if isinstance(v, str) else float(v) for k, v in values.items()}
        assert laws[id](**floats) == pytest.approx(float(wanted), rel=1e-12)


@pytest.mark.parametrize("p", ["1", "2"])
def test_facts_solve_their_equation(p):
    # The noise of one fact is the coefficient of S R in the variance: read off by divided differences at S, R = 1, 2, 3.
    law, at = laws["multi-input-capacity:variance"], {"d": 12, "m": 40, "M": 30, "p": p}
    with mpmath.workdps(60):
        grid = [[law.evaluate(**at, S=S, R=R, digits=60) for R in (1, 2, 3)] for S in (1, 2, 3)]
        linear = mpmath.matrix([[1, 1, 1], [1, 2, 4], [1, 3, 9]]) ** -1  # values to coefficients of 1, S, S^2
        noise = mpmath.fsum(linear[1, i] * linear[1, j] * grid[i][j] for i in range(3) for j in range(3))
        found = laws["multi-input-capacity"].evaluate(d=12, m=40, M=30, p=p, digits=50)
        close(found, solve(4 * noise, 30), 48)
        close(
            laws["multi-input-capacity:one-item"].evaluate(d=12, m=40, M=30, p=p), 1 / (2 * noise * mpmath.log(30)), 13
        )
        # and it is what the recipe says: (1/d + 1/M)/m, the kernel's share small at large d
        at = {"d": 1000, "m": 5000, "M": 3000, "p": p, "digits": 20}
        leading = mpf(5000) / (mpf(1) / 1000 + mpf(1) / 3000) / (2 * mpmath.log(3000))
        assert abs(laws["multi-input-capacity:one-item"].evaluate(**at) / leading - 1) < 0.05


def test_the_dimension_interpolates_between_the_thresholds():
    law = laws["injective-capacity:dimension"]
    assert law(N=1000, delta=0.5) == pytest.approx(math.sqrt(2 * 1000 * math.log(1000)), rel=1e-12)
    z = float(mpmath.findroot(lambda x: mpmath.ncdf(-x) - 0.01, 2.3))
    assert law(N=1000) == pytest.approx(math.sqrt(1000) * (math.sqrt(2 * math.log(1000)) + z), rel=1e-12)
    # delta = 1/N: Phi^-1(1 - 1/N) is sqrt(2 log N) up to log log N/log N
    N = 10**300
    assert abs(law.evaluate(N=N, delta=mpf(10) ** -300, digits=30) / mpmath.sqrt(8 * N * mpmath.log(N)) - 1) < 2e-3


# -- exponents -----------------------------------------------------------------------------------------------------------

NEAR, FAR = 10**140, 10**280
"""A law N = x/log N with x ~ d^e has log N twice as large at FAR: its mean slope is e - log 2/log(10^140), up to log log
terms of relative order log(log N)/log N = .01 of that, 2e-5."""

SLOPES = [
    ("injective-capacity", {}, 2, 1),
    ("injective-capacity:source", {}, 2, 0),
    ("injective-capacity:one-item", {}, 2, 1),
    ("best-linear", {}, 2, 1),
    ("listwise", {"r": TENTH}, 2, 0),
    ("binary-capacity", {}, 1, 1),
    ("binary-capacity:source", {}, 1, 0),
    ("binary-capacity:recall", {}, 1, 0),
    ("low-rank-capacity", {"m": 100}, 1, 1),
    ("low-rank-capacity:source", {"m": 100}, 1, 0),
    ("mlp-capacity", {"m": 100, "k": "2"}, 1, 1),
    ("mlp-capacity", {"m": 100, "k": "3"}, 1, 1),
    ("multi-input-capacity", {"m": 100, "M": 1000}, 0, 0),
    ("hopfield-capacity", {}, 1, 1),
    ("hopfield-capacity:one-item", {}, 1, 1),
    ("hopfield-capacity:all-items", {}, 1, 1),
    ("hopfield-capacity:with-errors", {}, 1, 0),
    ("dense-capacity", {"k": 2}, 1, 1),
    ("dense-capacity", {"k": 5}, 4, 1),
    ("dense-capacity:all-items", {"k": 3}, 2, 1),
    ("quasi-orthogonality", {"P": 1000}, Fraction(-1, 2), 0),
    ("quasi-orthogonality:source", {"P": 1000}, Fraction(-1, 2), 0),
    ("attention-retrieval:rate", {"lam": 2}, 1, 0),
    *(
        ("low-rank-capacity:scaling", {"mu": Fraction(mu)}, min(1 + Fraction(mu), 2), 1)
        for mu in ("0", "1/3", "1", "5/2")
    ),
    *(
        ("mlp-capacity:scaling", {"mu": Fraction(mu), "k": 2}, min(1 + Fraction(mu), 3), 1)
        for mu in ("1/2", "2", "7/3")
    ),
    *(
        (
            "multi-input-capacity:scaling",
            {"mu": Fraction(mu), "nu": Fraction(nu)},
            min(1, Fraction(nu)) + min(Fraction(mu), 4),
            1,
        )
        for mu, nu in (("1/2", "1/3"), ("3/2", "2"), ("9/2", "1"), ("5", "1/2"))
    ),
]


@pytest.mark.parametrize(("id", "values", "wanted", "logs"), SLOPES)
def test_exponents_are_exact_and_are_the_slope_at_huge_sizes(id, values, wanted, logs):
    law = laws[id]
    numbers = {k: sympy.Rational(v) for k, v in values.items() if k in law.symbols}
    assert sympy.nsimplify(law.exponent("d", **numbers)) == sympy.Rational(wanted)
    with mpmath.workdps(30):
        a, b = (law.evaluate(**values, d=size, digits=20) for size in (NEAR, FAR))
        decades = 140 * mpmath.log(10)
        slope = (mpmath.log(b) - mpmath.log(a)) / decades
        exponent = mpf(wanted.numerator) / wanted.denominator
        assert abs(slope - (exponent - logs * mpmath.log(2) / decades)) < 1e-4


def test_declared_exponents_are_those_of_the_argument():
    # exp(W0(x)) grows like x up to a logarithm: the calculus of exponents on x gives the declared regimes.
    d, mu, k, nu = sympy.Symbol("d", positive=True), *(sympy.Symbol(s, positive=True) for s in ("mu", "k", "nu"))
    low_rank = growth_exponent(d**mu * d**2 / (d + d**mu + 1), d)
    mlp = growth_exponent(1 / (d ** (-mu - 1) + d ** (-k - 1)), d)
    facts = growth_exponent(1 / ((1 / d + d**-nu) * (d**-mu + 9 / d**4)), d)
    for a in ("1/3", "1", "3/2", "4", "9/2"):
        for b in (1, 2, 3):
            at = {mu: sympy.Rational(a), k: b, nu: sympy.Rational(b, 2)}
            assert low_rank.subs(at) == laws["low-rank-capacity:scaling"].exponent("d", mu=Fraction(a))
            assert mlp.subs(at) == laws["mlp-capacity:scaling"].exponent("d", mu=Fraction(a), k=b)
            assert facts.subs(at) == laws["multi-input-capacity:scaling"].exponent(
                "d", mu=Fraction(a), nu=Fraction(b, 2)
            )


def test_what_saturates_and_what_is_exponential():
    for id, values in (
        ("low-rank-capacity", {"d": 50}),
        ("mlp-capacity", {"d": 50}),
        ("mlp-capacity:one-item", {"d": 9}),
    ):
        assert laws[id].exponent("m") == 0
        close(laws[id].evaluate(**values, m=10**60), laws[id].evaluate(**values, m=10**70), 14)
    # at k = 2 the kernel's end is d^3/(8 3 log N): E (e.e')^4 = 3/(d (d + 2)), times E (u.u')^2 = 1/d
    with mpmath.workdps(60):
        close(laws["mlp-capacity"].evaluate(d=50, m=10**80, digits=50), solve(8 * mpf(3) / (50 * 52 * 50)))
    for id in ("lookup-mlp", "learned-inputs:all-items", "learned-inputs:one-item"):
        assert laws[id].exponent("d") == sympy.oo
        # exponential: the logarithm grows linearly, up to log d
        a, b = (mpmath.log(laws[id].evaluate(d=size, digits=20)) for size in (2000, 4000))
        assert abs(b / a - 2) < 0.02
    assert laws["injective-capacity:dimension"].exponent("N") == sympy.Rational(1, 2)
    assert laws["best-linear:finite-size"].exponent("N") == sympy.Rational(1, 2)


def test_errata_name_laws_and_cheap_laws_take_a_million_points():
    found = {id: e.corrected_by for id in laws for e in laws[id].errata if id.split(":")[0].endswith("capacity")}
    assert len(found) >= 6 and all(fix in laws for fix in found.values())
    d = np.linspace(10, 1e6, 1_000_000)
    assert laws["injective-capacity"](d=np.round(d)).shape == (1_000_000,)
    assert np.isfinite(laws["injective-capacity"](d=[1e100, 1e150]))[0]
    for id, bad, words in (
        ("injective-capacity", {"d": 1}, "d must be an integer >= 2; got 1"),
        ("low-rank-capacity:source", {"d": 4, "m": 5}, "m must be at most d"),
        ("lookup-mlp", {"d": 9, "b": 2}, "b must be .* fires for nothing"),
        ("dense-capacity", {"d": 9, "k": 1}, "k must be"),
    ):
        with pytest.raises(ValueError, match=words):
            laws[id](**bad)
