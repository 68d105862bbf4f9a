"""The Zipf law against sums written out in exact fractions, and against mpmath's zeta, digamma and harmonic numbers."""

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from asymp.theory.functions.zipf.law import (
    class_sums,
    class_sums_digits,
    normaliser,
    zipf_tail,
    zipf_tail_digits,
)
from asymp.theory.functions.zipf.power_sums import power_sum, power_sum_mp

# A number rounded to 50 digits (169 bits in mpmath) is off by at most 2^-169 = 1.3e-51 of itself.
FIFTY = mp.mpf("2e-51")
# A float64 sum of 32 terms and an Euler-Maclaurin tail of 10, each right to a few times 1.1e-16, over another one.
FLOAT = 5e-15


def relative(value, reference) -> float:
    with mp.workdps(60):
        return float(abs(mp.mpf(float(value)) / reference - 1))


def hurwitz(s, a, n):
    """sum_{j<n} (a+j)^-s as the difference of two zeta functions at 250 digits, more than the difference cancels."""
    with mp.workdps(250):
        s, a = mp.mpf(s), mp.mpf(a)
        if s == 1:
            return mp.digamma(a + n) - mp.digamma(a)
        return mp.zeta(s, a) - (0 if n == math.inf else mp.zeta(s, a + n))


COUNTS = [1, 32, 33, 34, 1000, 10**12]


@pytest.mark.parametrize("a", [0.01, 0.6, 33, 12345])
@pytest.mark.parametrize(
    ("s", "n"),
    [(s, n) for s in [0.5, 1, 1.05, 6.5, 30] for n in COUNTS] + [(s, math.inf) for s in [1.001, 2, 6.5, 30]],
)
def test_power_sum_is_a_difference_of_zeta_functions(s, n, a):
    reference = hurwitz(s, a, n)
    with mp.workdps(50):
        assert abs(power_sum_mp(s, a, n) / reference - 1) < 10 * mp.eps
    assert relative(power_sum(s, a, n), reference) < FLOAT


@pytest.mark.parametrize("N", [1, 2, 3, 31, 33, 34, 35, 100])
@pytest.mark.parametrize("alpha", [0, 1, 2, 6])
def test_finite_laws_are_the_fractions_that_the_definition_gives(alpha, N):
    weights = [Fraction(1, x**alpha) for x in range(1, N + 1)]
    total = sum(weights)
    with mp.workdps(60):
        for P in [0, 1, N - 1, N - 0.5, N / 2, N, N + 3]:
            tail = sum(weights[int(P) :]) / total
            exact = mp.mpf(tail.numerator) / tail.denominator
            if tail == 0:
                assert zipf_tail(alpha=alpha, P=P, N=N) == 0
                assert zipf_tail_digits(alpha=alpha, P=P, N=N) == 0
            else:
                assert relative(zipf_tail(alpha=alpha, P=P, N=N), exact) < FLOAT
                assert abs(zipf_tail_digits(alpha=alpha, P=P, N=N, digits=50) / exact - 1) < FIFTY
        C = mp.mpf(total.denominator) / total.numerator
        assert relative(normaliser(alpha=alpha, N=N), C) < FLOAT


def test_functions_broadcast_and_give_floats_for_single_numbers():
    alpha, P = np.array([[1.5], [2.0]]), np.array([0, 3, 1000])
    tails = zipf_tail(alpha=alpha, P=P, N=np.array([10, 50, math.inf]))
    assert tails.shape == (2, 3)
    assert tails[1, 1] == zipf_tail(alpha=2.0, P=3, N=50)
    assert isinstance(zipf_tail(alpha=2, P=3), float)
    assert zipf_tail(alpha=2, P=math.inf) == 0


@pytest.mark.parametrize(("N", "P"), [(7, None), (50, None), (50, 20.7), (200, 133), (math.inf, 150.5), (3, 100)])
@pytest.mark.parametrize("M", [1, 2, 5, 12])
@pytest.mark.parametrize("rho", [0, 0.3, 1])
def test_class_sums_written_out(N, P, M, rho):
    alpha = 1.5
    last = int(min(N, N if P is None else P))
    with mp.workdps(30):
        C = 1 / (mp.zeta(alpha) if math.inf == N else mp.fsum(mp.mpf(x) ** -alpha for x in range(1, N + 1)))
        squares, masses = [mp.mpf(0)] * M, [mp.mpf(0)] * M
        for x in range(1, last + 1):
            p = C * mp.mpf(x) ** -alpha
            squares[x % M] += p ** (2 * mp.mpf(rho))
            masses[x % M] += p
        sums = class_sums(alpha=alpha, rho=rho, M=M, P=P, N=N)
        many = class_sums_digits(alpha=alpha, rho=rho, M=M, P=P, N=N, digits=25)
        for found, exact in [(sums.squares, squares), (sums.masses, masses)]:
            assert [float(v) for v in exact] == pytest.approx(found.tolist(), rel=FLOAT, abs=0)
        for found, exact in [(many.squares, squares), (many.masses, masses)]:
            assert all(abs(f - e) <= mp.mpf(10) ** -25 * e for f, e in zip(found, exact, strict=True))


def test_infinite_class_sums_against_hurwitz_zeta():
    alpha, rho, M = 1.5, 0.75, 5
    sums = class_sums(alpha=alpha, rho=rho, M=M)
    many = class_sums_digits(alpha=alpha, rho=rho, M=M, digits=50)
    with mp.workdps(70):
        s = 2 * mp.mpf(rho) * mp.mpf(alpha)
        for c in range(M):
            a = mp.mpf(c or M) / M
            square = mp.zeta(mp.mpf(alpha)) ** (-2 * mp.mpf(rho)) * mp.zeta(s, a) * mp.mpf(M) ** -s
            mass = mp.zeta(mp.mpf(alpha), a) * mp.mpf(M) ** -mp.mpf(alpha) / mp.zeta(mp.mpf(alpha))
            assert abs(many.squares[c] / square - 1) < FIFTY
            assert abs(many.masses[c] / mass - 1) < FIFTY
            assert relative(sums.squares[c], square) < FLOAT
            assert relative(sums.masses[c], mass) < FLOAT
    # Half of the even inputs' law: sum over even x of x^-2 is zeta(2)/4.
    assert class_sums(alpha=2, rho=1, M=2).masses.tolist() == pytest.approx([0.25, 0.75], rel=FLOAT)


def test_class_sums_beyond_any_loop_still_add_up():
    sums = class_sums(alpha=0.7, rho=0.4, M=1000, P=3.5e11, N=10**12)
    assert sums.masses.sum() == pytest.approx(1 - zipf_tail(alpha=0.7, P=3.5e11, N=10**12), rel=1e-14)
    s = 0.56
    C = normaliser(alpha=0.7, N=10**12)
    assert sums.squares.sum() == pytest.approx(C**0.8 * float(hurwitz(s, 1, 350 * 10**9)), rel=1e-14)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"alpha": 1, "P": 3}, "alpha > 1 when N is infinite .* pass a finite N"),
        ({"alpha": -0.1, "P": 3, "N": 5}, "alpha >= 0"),
        ({"alpha": math.nan, "P": 3, "N": 5}, "alpha must satisfy: a finite real number"),
        ({"alpha": math.inf, "P": 3, "N": 5}, "alpha must"),
        ({"alpha": "x", "P": 3, "N": 5}, "alpha must be a real number"),
        ({"alpha": 2, "P": -1}, "P >= 0"),
        ({"alpha": 2, "P": 1, "N": 0}, "N must satisfy: an integer N >= 1, or inf; got 0"),
        ({"alpha": 2, "P": 1, "N": 2.5}, "N must"),
    ],
)
def test_values_outside_the_domain_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        zipf_tail(**arguments)


def test_class_sums_name_what_is_wrong():
    with pytest.raises(ValueError, match=r"rho must exceed 1/\(2 alpha\).*got rho = 0.25"):
        class_sums(alpha=2, rho=0.25, M=5)
    with pytest.raises(ValueError, match="rho must exceed"):
        class_sums_digits(alpha=2, rho=0.25, M=5)
    with pytest.raises(ValueError, match="M must be an integer >= 1, got 0"):
        class_sums(alpha=2, rho=1, M=0)
    with pytest.raises(ValueError, match="rho must be >= 0"):
        class_sums(alpha=2, rho=-1, M=2, N=10)
    with pytest.raises(ValueError, match="single numbers"):
        class_sums(alpha=[2, 3], rho=1, M=2)
    with pytest.raises(ValueError, match="digits must be"):
        zipf_tail_digits(alpha=2, P=1, digits=0)
