"""The constant of the power scheme, against closed forms, naive integrals and two Monte Carlo routes."""

import math

import numpy as np
import pytest
from scipy.special import zeta

from asymp.theory.functions.recall.gaussian_error import pi_M
from asymp.theory.functions.schemes.power_constants import lost_moment, power_limit


@pytest.mark.parametrize("beta", [0.05, 0.5, 1.0, 3.7])
@pytest.mark.parametrize("small", [1.0, 0.1, 1e-5])
def test_two_classes_are_one_gaussian(beta, small):
    # Z = sigma_1 xi_1 - sigma_2 xi_2 is N(0, v) and E[Z_+^beta] = (2 v)^(beta/2) Gamma((beta+1)/2)/(2 sqrt pi).
    wanted = (2 * (1 + small**2)) ** (beta / 2) * math.gamma((beta + 1) / 2) / (2 * math.sqrt(math.pi))
    # 1e-12: what sums of a few thousand rounded terms leave.
    assert lost_moment(sigma=[1.0, small], beta=beta) == pytest.approx([wanted, wanted], rel=1e-12)


@pytest.mark.parametrize(("M", "beta"), [(3, 0.4), (10, 1.0), (100, 2.0)])
def test_equal_classes_are_the_m_way_error(M, beta):
    # P(Z > a) = pi_M(a) at sigma = 1, so that the moment is the integral of beta a^(beta-1) pi_M(a); a = z^(1/beta).
    from scipy.integrate import quad

    wanted = quad(lambda z: pi_M(a=z ** (1 / beta), M=M), 0, 14**beta, epsabs=0, epsrel=1e-11, limit=400)[0]
    assert lost_moment(sigma=np.ones(M), beta=beta) == pytest.approx(np.full(M, wanted), rel=1e-9)


def test_three_unequal_classes_by_a_double_integral():
    # E[Z_+^beta] = integral of beta z^(beta-1) (1 - E H(z + sigma_c xi)): a plain grid in z^beta, Gauss-Hermite in xi.
    from scipy.special import ndtr

    sigma, beta, c = np.array([0.8, 0.5, 0.3]), 0.7, 1
    nodes, weights = np.polynomial.hermite_e.hermegauss(100)
    width = 12**beta / 20_000
    z = (np.arange(20_000) + 0.5) * width
    level = z[:, None] ** (1 / beta) + sigma[c] * nodes
    hit = (ndtr(level / sigma[0]) * ndtr(level / sigma[2])) @ weights / math.sqrt(2 * math.pi)
    # The midpoint rule leaves width^2/24 = 3e-9 times the change of the slope, which is of order one.
    assert lost_moment(sigma=sigma, beta=beta)[c] == pytest.approx(np.sum(1 - hit) * width, abs=2e-8)


def test_the_constant_by_plain_monte_carlo():
    # The formula itself with 400 000 draws; six standard errors in each of two cases: false failure below 4e-9.
    rng = np.random.default_rng(5)
    for alpha, rho, M in ((2.0, 1.0, 5), (1.5, 0.6, 3)):
        beta, C = (alpha - 1) / (rho * alpha), 1 / zeta(alpha)
        c = np.arange(1, M + 1)
        sigma = C**rho * M ** (-rho * alpha) * np.sqrt(zeta(2 * rho * alpha, c / M))
        noise = rng.standard_normal((400_000, M)) * sigma
        total = np.zeros(len(noise))
        for k in range(M):
            others = np.delete(noise, k, axis=1).max(axis=1)
            total += np.maximum(others - noise[:, k], 0) ** beta
        values = C ** (1 / alpha) / (M * (alpha - 1)) * total
        limit = power_limit(alpha=alpha, rho=rho, M=M)
        assert abs(values.mean() - limit.constant) < 6 * values.std() / math.sqrt(len(values))
        assert limit.exponent == pytest.approx(-(alpha - 1) / (2 * rho * alpha), rel=1e-14)
        # The check can fail: a per cent is more than its resolution.
        assert 6 * values.std() / math.sqrt(len(values)) < 0.01 * limit.constant


def test_very_different_classes():
    # rho = 3, alpha = 4: class sums range over 4^-24. All but the first two classes are silent: Z_c for those is
    # max(sigma_1 xi_1, sigma_2 xi_2, 0) up to sigma_3/sigma_2, and sigma_2/sigma_1 = 2^-12: half of E|xi|^beta.
    limit = power_limit(alpha=4.0, rho=3.0, M=4)
    sigma_1 = zeta(4.0) ** -3.0
    # classes are 0, 1, 2, 3 with first inputs 4, 1, 2, 3
    beta = 3 / 12
    half = 2 ** (beta / 2) * math.gamma((beta + 1) / 2) / math.sqrt(math.pi) / 2 * sigma_1**beta
    # For c = 1 Z is positive when xi_1 < 0, up to the same. For c = 3 the case xi_1 < 0 adds (sigma_2/sigma_1)^beta.
    assert limit.moments[1] == pytest.approx(half, rel=1e-2)
    assert np.all(limit.moments[[0, 2, 3]] > half)
    assert np.all(limit.moments[[0, 2, 3]] < half * (1 + 2 * (2.0**-12) ** beta + 1e-2))


def test_values_outside_the_domain_are_named():
    with pytest.raises(ValueError, match="rho must satisfy: 2 rho alpha > 1"):
        power_limit(alpha=2, rho=0.25, M=5)
    with pytest.raises(ValueError, match="alpha must satisfy: alpha > 1"):
        power_limit(alpha=1, rho=1, M=5)
    with pytest.raises(ValueError, match="M must be a whole number >= 2"):
        power_limit(alpha=2, rho=1, M=1)
    with pytest.raises(ValueError, match="beta must satisfy: beta > 0"):
        lost_moment(sigma=[1, 2], beta=0)
    with pytest.raises(ValueError, match="at least two numbers > 0"):
        lost_moment(sigma=[1, 0], beta=1)
