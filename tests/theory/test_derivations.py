"""Steps of the proofs in docs/explanation/derivations.md, executed by routes of their own."""

import math

import numpy as np
import pytest
import scipy.stats
import sympy

from asymp.theory import laws


def test_convexity_and_the_sharp_example():
    r, k = sympy.symbols("r k", positive=True)
    second = sympy.diff(sympy.erfc(k * r / sympy.sqrt(2)) / 2, r, 2)
    density = sympy.exp(-((k * r) ** 2) / 2) / sympy.sqrt(2 * sympy.pi)
    assert sympy.simplify(second - k**3 * r * density) == 0
    # One input against 3 (d + 1) of the other answer: each is missed with Student's tail, from above towards the constant.
    constant = scipy.stats.norm.cdf(-1 / math.sqrt(3))
    tails = [scipy.stats.t.sf(math.sqrt(d / (3 * (d + 1))), d) for d in (2, 10, 100, 10_000)]
    assert tails == sorted(tails, reverse=True) and tails[-1] > constant
    assert tails[-1] == pytest.approx(constant, rel=1e-4)
    d = 10
    assert laws["exact-recall-error:binary"](alpha=0, N=3 * d + 4, rho=0, d=d) == pytest.approx(tails[1], rel=1e-9)


@pytest.mark.parametrize(("alpha", "M"), [(2, 5), (2, 2), (1.5, 5), (3, 5)])
def test_the_constant_of_the_best_weights_from_its_two_integrals(alpha, M):
    y = np.linspace(-10, 10, 2001)
    step, phi, Phi = y[1] - y[0], scipy.stats.norm.pdf, scipy.stats.norm.cdf
    a = np.exp(np.linspace(math.log(1e-9), math.log(13), 1200))[
        :, None
    ]  # the margins, of which s and tau are functions
    missed = (phi(y) * (1 - Phi(a + y) ** (M - 1))).sum(1) * step
    slope = (phi(y) * phi(a + y) * (M - 1) * Phi(a + y) ** (M - 2)).sum(1) * step
    a = a[:, 0]
    s = slope / (2 * a)
    A, B = (-np.trapezoid(values, s ** (1 / alpha)) for values in (a**2, missed / s))
    found = B * (A / M) ** (alpha - 1) / float(sympy.zeta(sympy.nsimplify(alpha)))
    assert found == pytest.approx(float(laws["optimal-scheme:asymptotic"](alpha=alpha, M=M, d=1)), rel=2e-3)


def test_the_distance_from_a_cone_is_the_number_of_pooled_competitors():
    N, draws = 64, 4000
    g = np.random.default_rng(0).standard_normal((draws, N))
    own, others = g[:, 0], -np.sort(-g[:, 1:], axis=1)
    # Pool the largest competitors one after the other, as long as the next lies above the mean of those pooled.
    means = (own[:, None] + np.cumsum(others, 1)) / np.arange(2, N + 1)
    before = np.concatenate([own[:, None], means[:, :-1]], 1)
    m = (others > before).cumprod(1).sum(1)
    level = np.where(m > 0, np.take_along_axis(means, np.maximum(m - 1, 0)[:, None], 1)[:, 0], own)
    pooled = np.arange(N - 1) < m[:, None]
    distance = (own - level) ** 2 + np.where(pooled, (others - level[:, None]) ** 2, 0).sum(1)
    error = 5 * math.hypot(distance.std(), m.std()) / math.sqrt(draws)
    assert abs(distance.mean() - m.mean()) < error
    # The law is the N at which N E m = d^2.
    d = math.sqrt(N * m.mean())
    below, above = (float(laws["best-linear:cone"](d=round(whole))) for whole in (math.floor(d), math.ceil(d)))
    assert below < N < above
