"""pi_M against closed forms and mpmath, far out too; the bounds of Theorem 1 with infinitely many inputs."""

import math

import mpmath as mp
import numpy as np
import pytest

from asymp.theory.functions.recall.gaussian_error import gaussian_error_digits, log_pi_M, pi_M
from asymp.theory.functions.recall.pair_bounds import pair_bounds
from asymp.theory.functions.recall.theorem_1 import finite_memory_uppers, forgotten_mass


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
            assert abs(gaussian_error_digits(a=a, M=M, digits=18) / exact - 1) < mp.mpf(10) ** -17


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


def test_infinite_inputs_are_the_limit_of_many():
    def at(N):
        shared = {"alpha": 2, "N": N, "M": 5, "rho": 1, "P": math.inf}
        bounds = forgotten_mass(d=1000, **shared) / 20, finite_memory_uppers(d=10**7, **shared)
        return [float(b) for b in (*bounds, pair_bounds(d=1000, **shared))]

    # The tail beyond 10^9 has mass C/10^9 < 1e-9, against 0.1 and 0.01.
    assert at(math.inf) == pytest.approx(at(10**9), abs=2e-9)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: pi_M(a=math.nan, M=5), "a must be"),
        (lambda: pi_M(a=1, M=2.5), "M must be"),
    ],
)
def test_what_is_outside_the_domain_raises(call, words):
    with pytest.raises(ValueError, match=words):
        call()
