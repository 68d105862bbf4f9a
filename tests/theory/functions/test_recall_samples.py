"""The recall error of memories made from T samples, and the draws of their counts."""

import math

import numpy as np
import pytest
from support.naive_recall import zipf

from asymp.theory.exact_recall.exact import recall_error
from asymp.theory.exact_recall.samples import CountLaw
from asymp.theory.exact_recall.storage import make_storage

# As in test_theory_recall_error: `.error` is a 99 % half-width, and the seed is fixed.
TWICE = 2.0


@pytest.mark.parametrize("outputs", ["gaussian", "sphere"])
def test_one_sample(outputs):
    """T = 1, N infinite: one input is stored. M = 2, so that an input of weight 0 is right iff the noise has one sign:
    on the sphere always 1/2, and the stored input never fails; E = (1 - sum p^2)/2."""
    from scipy.special import zeta
    from scipy.stats import t as student

    found = recall_error(alpha=1.7, N=math.inf, M=2, d=5, T=1, outputs=outputs)
    exact = (1 - zeta(3.4) / zeta(1.7) ** 2) / 2
    if outputs == "gaussian":
        # The stored input is wrong iff u_y.u_f > |u_f|^2; the others remain at 1/2 by the sign of the noise.
        exact += zeta(3.4) / zeta(1.7) ** 2 * float(student.sf(math.sqrt(5), 5))
    assert abs(found.value - exact) <= TWICE * found.error


def test_many_samples_are_the_limit():
    for rho in (0, 1):
        limit = recall_error(alpha=0.5, N=20, M=4, d=40, rho=rho, rel_error=3e-3)
        found = recall_error(alpha=0.5, N=20, M=4, d=40, rho=rho, T=10**9, rel_error=3e-3)
        # The relative fluctuation of a count is (20/10^9)^(1/2) = 1.4e-4, its effect on the mean of second order.
        assert abs(found.value - limit.value) <= TWICE * math.hypot(found.error, limit.error) + 1e-5 * limit.value


def test_rarely_unseen_inputs_are_not_waited_for():
    """d large: only the unseen fail. N = M = 5, d -> inf: G = I, the scores of the four stored classes are their noise (equal
    variances), the unseen one's is 0: right iff all four are negative, 1/16. Two unseen inputs are rarer by 10^4."""
    p = zipf(0.5, 5)
    unseen = float(np.sum(p * (1 - p) ** 120))
    found = recall_error(alpha=0.5, N=5, M=5, d=10**7, T=120, rel_error=1e-2)
    assert 1e-10 < unseen < 1e-8
    # Corrections to G = I are of order M/d^(1/2) = 2e-3.
    assert found.value == pytest.approx(unseen * 15 / 16, rel=1.5e-2)
    assert found.error <= 1e-2 * found.value


@pytest.mark.parametrize(("alpha", "T", "rho"), [(1.5, 300, 0), (2.5, 10_000, 1), (1.2, 50, 0.5)])
def test_draws_of_infinitely_many_inputs_have_their_means(alpha, T, rho):
    """Unseen mass and class sums of 4000 draws against their exact means: 6 standard errors, 4 numbers, < 1e-7 together."""
    law = CountLaw.make(make_storage(alpha=alpha, N=math.inf, M=3, rho=rho, sampled=True), T, rho=rho)
    _, features = law.draw(4000, np.random.default_rng(1), False)
    deviation = (features.mean(axis=0) - law.means) / (features.std(axis=0, ddof=1) / math.sqrt(4000))
    assert len(law.means) == 4
    assert np.max(np.abs(deviation)) < 6
    assert law.means[0] == pytest.approx(sum_unseen(alpha, T), rel=1e-4)


def sum_unseen(alpha, T):
    from scipy.special import zeta

    p = np.arange(1, 10**6 + 1) ** -float(alpha) / zeta(alpha)
    return np.sum(p * (1 - p) ** T) + zeta(alpha, 10**6 + 1) / zeta(alpha)


def test_given_weights_count_for_the_inputs_seen():
    """weights = 1 with T samples is the fill scheme of the inputs seen; weights of inputs seen twice are s = 2."""
    for s in (1, 2):
        by_weights = recall_error(alpha=1, N=12, M=3, d=10, T=20, s=s, weights=np.ones(12), rel_error=3e-3)
        by_scheme = recall_error(alpha=1, N=12, M=3, d=10, T=20, s=s, rel_error=3e-3, seed=1)
        assert abs(by_weights.value - by_scheme.value) <= TWICE * math.hypot(by_weights.error, by_scheme.error)


def test_counts_given_that_an_input_was_not_seen():
    """rho = 1/2 and one input a class: S_y = n_y/T, so S adds up to 1, S_z = 0, and the others' means are p_y/(1 - p_z).

    20 000 draws, 16 numbers and 4 frequencies within 6 standard errors: fails by chance with probability < 1e-7.
    """
    p, T, draws = np.array([0.4, 0.3, 0.2, 0.1]), 5, 20_000
    law = CountLaw.make(make_storage(p=p, N=4, M=4, rho=0.5, sampled=True), T, rho=0.5)
    c, S = law.draw_without(draws, np.random.default_rng(2))
    chance = p * (1 - p) ** T
    chance /= chance.sum()
    z = (c - 1) % 4  # targets are x mod M
    for i in range(4):
        share = np.mean(z == i)
        assert abs(share - chance[i]) <= 6 * math.sqrt(chance[i] * (1 - chance[i]) / draws)
        rows = S[z == i][:, (np.arange(4) + 1) % 4]
        assert np.all(rows[:, i] == 0)
        assert np.allclose(rows.sum(axis=1), 1, rtol=1e-12)
        expected = np.where(np.arange(4) == i, 0.0, p / (1 - p[i]))
        assert np.all(np.abs(rows.mean(axis=0) - expected) <= 6 * rows.std(axis=0) / math.sqrt(len(rows)))


def test_unseen_inputs_of_an_infinite_law():
    """The same with infinitely many inputs: all T samples fall on other inputs; the class of z has the right chances."""
    alpha, T, draws = 1.6, 40, 20_000
    law = CountLaw.make(make_storage(alpha=alpha, N=math.inf, M=3, rho=0.5, sampled=True), T, rho=0.5)
    c, S = law.draw_without(draws, np.random.default_rng(3))
    assert np.allclose(S.sum(axis=1), 1, rtol=1e-12)
    x = np.arange(1, 3 * 10**6 + 1)
    p = x**-alpha / 2.2857656657  # zeta(1.6)
    chance = np.bincount(x % 3, p * (1 - p) ** T)
    # Beyond 3 10^6 lies a mass of 1e-4 (integral of p), a third in each class.
    chance += (1.0 / 0.6) * (3e6) ** -0.6 / 2.2857656657 / 3
    chance /= chance.sum()
    share = np.bincount(c, minlength=3) / draws
    assert np.all(np.abs(share - chance) <= 6 * np.sqrt(chance * (1 - chance) / draws))


@pytest.mark.parametrize(("alpha", "N", "T"), [(2.66, 200, 195), (2.0, 500, 40)])
def test_few_samples_of_more_inputs_than_the_head_holds(alpha, N, T):
    # Two outputs on the sphere and d so large that what is stored is recalled: the error is half of the missing mass,
    # a plain sum. Inputs beyond the 64th hold 2 and 8 % of it here.
    p = np.arange(1, N + 1) ** -float(alpha)
    p /= p.sum()
    found = recall_error(alpha=alpha, N=N, M=2, d=10**7, T=T, outputs="sphere", rel_error=5e-3)
    assert found.error <= 5e-3 * found.value
    assert abs(found.value - np.sum(p * (1 - p) ** T) / 2) <= 2 * found.error
