"""The missing mass beyond the reach of its second routes: its limits at large T, and extreme arguments.

The formulas are those in the docstring of `zipf.unseen_mass`; sums and digits are compared in tests/theory/second_routes.
"""

import math

import mpmath as mp
import numpy as np
import pytest
from scipy.special import gammaincc

from asymp.theory.functions.zipf.law import normaliser
from asymp.theory.functions.zipf.unseen_mass import missing_mass_mean


def kappa(alpha, N=math.inf):
    return math.gamma(1 - 1 / alpha) * normaliser(alpha=alpha, N=N) ** (1 / alpha) / alpha


def gamma_ratio(alpha, T):
    """kappa Gamma(T+1)/Gamma(T+1+a), a = 1 - 1/alpha."""
    with mp.workdps(40):
        return kappa(alpha) * float(mp.gammaprod([mp.mpf(T) + 1], [mp.mpf(T) + 2 - 1 / mp.mpf(alpha)]))


def asymptotic(alpha, T, N=math.inf):
    """kappa T^-a [Q(a, z) - a(a+1)/(2T) Q(a+2, z)], z = T C N^-alpha."""
    a = 1 - 1 / alpha
    z = 0.0 if math.isinf(N) else T * normaliser(alpha=alpha, N=N) * N**-alpha
    return kappa(alpha, N) * T**-a * (gammaincc(a, z) - a * (a + 1) / (2 * T) * gammaincc(a + 2, z))


@pytest.mark.parametrize("alpha", [1.05, 1.5, 2])
def test_the_gamma_ratio_misses_less_than_every_power_of_T(alpha):
    # The first harmonic of Poisson's formula, its exponent at the saddle point; the prefactor is of order one.
    C = normaliser(alpha=alpha)
    for T in (30, 100, 300):
        exponent = 2 * math.pi * (1 + 1 / alpha) * math.sin(math.pi / (2 * alpha + 2))
        size = math.exp(-exponent * (alpha * C * T / (2 * math.pi)) ** (1 / (alpha + 1)))
        gap = gamma_ratio(alpha, T) / missing_mass_mean(alpha=alpha, T=T) - 1
        assert abs(gap) < 10 * size
    for T in (1e5, 1e8, 1e12):
        assert gamma_ratio(alpha, T) == pytest.approx(missing_mass_mean(alpha=alpha, T=T), rel=1e-14)


def test_the_cut_off_of_finite_N_and_its_next_order():
    alpha, N = 2, 1000
    p = normaliser(alpha=alpha, N=N) * N**-alpha
    for T in (1e4, 1e5, 1e6):
        exact = missing_mass_mean(alpha=alpha, T=T, N=N)
        formula = asymptotic(alpha, T, N)
        end = p * math.exp(-T * p) / 2
        assert abs(formula / exact - 1) < 1e-3
        # What follows: p'(N)/12 and (T p) times it, relative to the sum about (1 + T p) alpha/N^2/6 < 3e-6.
        assert abs(formula - exact) > 100 * abs(formula + end - exact)
        assert formula + end == pytest.approx(exact, rel=3e-6)


@pytest.mark.filterwarnings("error")
def test_nothing_overflows_on_the_way():
    # Laws close to uniform, numbers of samples beyond anything, one or two inputs: zeros are computed, not stumbled upon.
    alpha = np.array([1e-310, 1e-5, 0.09, 1.0, 1.00001, 4.4, 28.0, 2.0, 0.6])
    N = np.array([1000.0, 1e12, 1e9, 2.0, math.inf, 2.0, math.inf, 1.0, 7e10])
    T = np.array([1e6, 1e195, 1e99, 1e122, 1e-7, 6e122, 2e135, 5e14, 1e173])
    mean = missing_mass_mean(alpha=alpha, T=T, N=N)
    assert np.all((mean >= 0) & (mean <= 1))
    # Only the infinite laws have anything left to see, and the fifth has seen nothing: (1 - p)^T is 1 but for 1e-12.
    assert np.all((mean == 0) == np.array([True] * 4 + [False] + [True] + [False] + [True] * 2))
    assert mean[4] == pytest.approx(1, abs=1e-11)
