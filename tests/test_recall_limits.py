"""pi_M and the bounds of Theorem 1, against closed forms, mpmath and brute force."""

import math

import mpmath as mp
import numpy as np
import pytest

from asymp.theory.recall.limits import (
    SHARP_CONSTANT,
    SOURCE_CONSTANT,
    balanced_limit,
    finite_memory_lower,
    finite_memory_lower_digits,
    finite_memory_upper,
    log_pi_M,
    pi_M,
    pi_M_digits,
)


def zipf(alpha, N):
    p = np.arange(1, N + 1) ** -float(alpha)
    return p / p.sum()


def setting(*, alpha, N, M, rho=0, P=None):
    """p, q and the class sums as arrays, the obvious way."""
    p, x = zipf(alpha, N), np.arange(1, N + 1)
    q = np.where(x <= (N if P is None else P), p**rho, 0.0)
    return p, q, np.array([np.sum(q[x % M == c] ** 2) for c in range(M)])


def lower_by_hand(*, d, constant, **parameters):
    p, q, S = setting(**parameters)
    return constant * p[3 * (d + 1) * q**2 <= S.max()].sum()


def upper_by_hand(*, d, M, **parameters):
    """The least value over a fine grid of g: an upper bound of the infimum, close to it."""
    p, q, S = setting(M=M, **parameters)
    values = []
    for g in np.linspace(1e-9, 40 / math.log(d), 4_001):
        c = math.log(M) + g * math.log(d)
        values.append(2 * d**-g + p[d * q**2 <= 16 * c * (S.max() + 8 * c * S.sum() / d)].sum())
    return min(values)


def error_by_halving(a, M, digits):
    """pi_M(a) by the trapezoidal rule, its step halved until nothing changes: slow, and sure of nothing but itself."""
    with mp.workdps(digits + 15):
        a = mp.mpf(a)

        def integrand(t):
            miss = mp.ncdf(-a - t)
            # Where miss is small 1 - (1 - miss)^(M-1) cancels; where it is close to 1 log1p would.
            hit = (M - 1) * mp.log1p(-miss) if miss < 0.5 else (M - 1) * mp.log(mp.ncdf(a + t))
            return mp.npdf(t) * -mp.expm1(hit)

        peak = -a / 2 if a > 0 else mp.mpf(0)
        reach = mp.sqrt(2 * (digits + 15) * mp.log(10)) + mp.sqrt(2 * mp.log(M)) + 2
        step, steps = mp.mpf(1) / 2, int(2 * reach)
        value = step * mp.fsum(integrand(peak + k * step) for k in range(-steps, steps + 1))
        before = mp.mpf(0)
        # The rule gains digits exponentially: what the last halving changed is far above what is left.
        while abs(value - before) > mp.mpf(10) ** (-digits // 2 - 2) * value:
            middle = step * mp.fsum(integrand(peak + (k + mp.mpf(1) / 2) * step) for k in range(-steps, steps))
            before, value = value, (value + middle) / 2
            step, steps = step / 2, 2 * steps
        return value


def test_two_outputs_have_a_closed_form():
    a = np.array([-30.0, -3.0, 0.0, 0.5, 4.0, 20.0, 50.0])
    with mp.workdps(30):
        exact = [mp.ncdf(-mp.mpf(v) / mp.sqrt(2)) for v in a]
        logs = [float(mp.log(v)) for v in exact]
    assert np.allclose(pi_M(a=a, M=2), [float(v) for v in exact], rtol=1e-11)
    # The logarithm carries the relative error 1e-11 of pi_M as an absolute one.
    assert np.allclose(log_pi_M(a=a, M=2), logs, rtol=0, atol=1e-11)


def test_equal_scores_err_with_one_minus_one_in_m():
    # At a = 0 all M scores are equal in law: 1 - 1/M.
    for M in (1, 2, 3, 10, 1000, 10**6):
        assert pi_M(a=0, M=M) == pytest.approx(1 - 1 / M, rel=1e-11)


@pytest.mark.parametrize("M", [3, 5, 45, 100, 10**4, 10**6])
def test_float_agrees_with_digits(M):
    for a in (-2, 0.3, 8, 30) if M == 5 else (0.3, 8):
        exact = error_by_halving(a, M, 18)
        with mp.workdps(25):
            assert log_pi_M(a=a, M=M) == pytest.approx(float(mp.log(exact)), abs=1e-11)
            assert abs(pi_M_digits(a=a, M=M, digits=18) / exact - 1) < mp.mpf(10) ** -17


@pytest.mark.parametrize("a", [39, 60, 74, 75, 76, 77, 80, 120, 200])
def test_the_logarithm_goes_on_where_the_error_underflows(a):
    # From a = 74 the peak, at t = -a/2, lies where Phi(a + t) rounds to 1: the value went wrong there, then to -inf.
    for M in (2, 5, 1000):
        with mp.workdps(30):
            # Both orders of the union bound enclose the value: C(m, 2) pairs cost exp(-a^2/12) < 1e-54 of it at a = 39.
            exact = mp.log((M - 1) * mp.ncdf(-a / mp.sqrt(2)))
            if a in (39, 80) and M == 5:
                assert abs(mp.log(error_by_halving(a, M, 15)) - exact) < mp.mpf(10) ** -14
        # An ulp of the logarithm, 10^4, is 1.8e-12; the sum has a hundred terms.
        assert log_pi_M(a=a, M=M) == pytest.approx(float(exact), abs=1e-11)


def test_far_margins_have_the_leading_term():
    a = np.array([1e3, 1e6, 1e9])
    # log pi_M = -a^2/4 - log(a) + log((M-1)/sqrt(pi)) + O(1/a^2).
    leading = -(a**2) / 4 - np.log(a) + math.log(4 / math.sqrt(math.pi))
    np.testing.assert_allclose(log_pi_M(a=a, M=5), leading, rtol=1e-11)
    assert log_pi_M(a=-60, M=5) == pytest.approx(0, abs=1e-15)
    assert pi_M(a=np.array([-60.0, -300.0]), M=5).max() <= 1


def test_digits_agree_with_the_definition():
    # The definition itself, by plain quadrature of phi(t) Phi(a+t)^(M-1), where 1 - ... does not cancel much.
    with mp.workdps(50):
        direct = 1 - mp.quad(lambda t: mp.npdf(t) * mp.ncdf(mp.mpf("1.5") + t) ** 6, mp.linspace(-20, 20, 41))
        assert abs(pi_M_digits(a="1.5", M=7, digits=40) - direct) < mp.mpf(10) ** -39


def test_many_outputs_have_the_extreme_value_limit():
    # The largest of M - 1 normals beats one with mean a, a far above: (M-1) Phi(-a/sqrt 2) to first order (union bound).
    value = log_pi_M(a=60, M=10**5)
    with mp.workdps(20):
        union = float(mp.log((10**5 - 1) * mp.ncdf(-60 / mp.sqrt(2))))
    assert union - 0.2 < value <= union


def test_balanced_limit_is_pi_at_the_margin():
    assert balanced_limit(q=0.5, d=400, S=25, M=2) == pytest.approx(0.5 * math.erfc(1), rel=1e-11)


CASES = [
    {"alpha": 2, "N": 300, "M": 5, "rho": 1},
    {"alpha": 0.5, "N": 100, "M": 5},
    {"alpha": 1, "N": 217, "M": 7, "rho": 0.3, "P": 40.5},
    {"alpha": 1.5, "N": 50, "M": 4, "rho": 0.5, "P": 50},
    {"alpha": 1.3, "N": 500, "M": 6, "rho": 0, "P": 20},
    {"alpha": 0, "N": 64, "M": 4},
]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("d", [2, 10, 100, 1000])
def test_lower_bound_is_the_sum(case, d):
    for constant in (SOURCE_CONSTANT, SHARP_CONSTANT):
        expected = lower_by_hand(d=d, constant=constant, **case)
        assert finite_memory_lower(d=d, constant=constant, **case) == pytest.approx(expected, rel=1e-12)
    p, q, _ = setting(**case)
    arrays = {"p": p, "weights": q, "N": case["N"], "M": case["M"]}
    assert finite_memory_lower(d=d, **arrays) == pytest.approx(lower_by_hand(d=d, constant=1 / 20, **case), rel=1e-12)
    digits = finite_memory_lower_digits(d=d, digits=30, **case)
    assert finite_memory_lower(d=d, **case) == pytest.approx(float(digits), rel=1e-12)


def test_equality_counts_as_small():
    # Fill with 9 inputs a class and 3 (d+1) = 9: q^2 = 1 satisfies 3 (d+1) q^2 <= Q with equality.
    assert finite_memory_lower(alpha=0, N=18, M=2, d=2) == pytest.approx(1 / 20)
    assert finite_memory_lower(alpha=0, N=16, M=2, d=2) == 0


def test_infinite_inputs_are_the_limit_of_many():
    def at(N):
        return finite_memory_lower(alpha=2, N=N, M=5, d=1000, rho=1), finite_memory_upper(
            alpha=2, N=N, M=5, d=10**7, rho=1
        )

    (low, high), (low_n, high_n) = at(math.inf), at(10**9)
    # The tail beyond 10^9 has mass C/10^9 < 1e-9, against 0.1 and 0.01.
    assert low == pytest.approx(low_n, abs=2e-9)
    assert high == pytest.approx(high_n, abs=2e-9)


def test_sharp_constant():
    assert pytest.approx(0.2819, abs=5e-5) == SHARP_CONSTANT


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("d", [100, 3000, 10**5])
def test_upper_bound_takes_the_infimum(case, d):
    value, grid = finite_memory_upper(d=d, **case), upper_by_hand(d=d, **case)
    # The grid's step multiplies 2 d^-g by at most exp(40/4000) = 1.0101; the infimum lies before a jump, the grid point too.
    assert grid * (1 - 1.01e-2) - 1e-12 <= value <= grid * (1 + 1e-12)
    p, q, _ = setting(**case)
    arrays = finite_memory_upper(d=d, p=p, weights=q, N=case["N"], M=case["M"])
    assert arrays == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: finite_memory_upper(alpha=1, N=10, M=3, d=100), "M must be"),
        (lambda: finite_memory_upper(alpha=1, N=10, M=5, d=12), "d must exceed"),
        (lambda: finite_memory_lower(alpha=1, N=10, M=1, d=100), "M must be"),
        (lambda: finite_memory_lower(alpha=1, N=math.inf, M=5, d=100), "alpha must exceed 1"),
        (lambda: finite_memory_lower(alpha=2, N=math.inf, M=5, d=100), "2 rho alpha"),
        (lambda: finite_memory_lower(alpha=2, N=10.5, M=5, d=100), "N must be"),
        (lambda: pi_M(a=math.nan, M=5), "a must be"),
        (lambda: pi_M(a=1, M=2.5), "M must be"),
    ],
)
def test_what_is_outside_the_domain_raises(call, words):
    with pytest.raises(ValueError, match=words):
        call()
