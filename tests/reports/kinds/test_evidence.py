"""What refutes and what was seen: p-values, the shift that would have been detected, a budget shared by several tests."""

import math

import numpy as np
import pytest
from scipy.stats import binom
from support.own_claims import law_of_d, measured, statement

from asymp.montecarlo import Estimate, experiment
from asymp.montecarlo.estimate import intervals_of
from asymp.montecarlo.p_values import one_sided_ps, ps_outside
from asymp.reports.kinds import Constant
from asymp.reports.kinds.evidence import detectable, holm, samples_needed


def test_true_laws_are_refuted_no_more_often_than_the_level_says():
    # 100 fresh studies of a true law: p-values at or below 5 % in at most 5 % of them. A binomial count above 18 has
    # probability 1e-6 under a rate of exactly 5 %.
    generator = np.random.default_rng(20261116)
    studies = [Estimate(values=generator.random(200), bounds=(0, 1)) for _ in range(100)]
    assert sum(p <= 0.05 for p in ps_outside([(study, 0.5, 0.5) for study in studies])) <= 18


def test_wrong_means_are_refuted_and_the_detectable_shift_is_honest():
    # A shift of the size called detectable is refuted at the level in about 95 % of studies; below 85 % in 200
    # studies has probability 3e-8 at a power of 95 %.
    generator = np.random.default_rng(7)
    studies, others = ([Estimate(generator.normal(1.0, 0.3, 400), kurtosis=3) for _ in range(200)] for _ in range(2))
    found = intervals_of(others, 1 - 1e-4)[0]
    moved = [1.0 + detectable(other, interval) for other, interval in zip(others, found, strict=True)]
    p_values = ps_outside([(study, value, value) for study, value in zip(studies, moved, strict=True)])
    assert sum(p <= 1e-4 for p in p_values) >= 170


@pytest.mark.parametrize("values", [np.random.default_rng(1).normal(0.3, 1, 5000), np.zeros(512), np.ones(64)])
def test_nothing_is_rejected_by_values_of_which_nothing_is_declared(values):
    estimate = Estimate(values=values)
    assert ps_outside([(estimate, 7.0, 7.0)]) == [1.0]
    assert one_sided_ps([(estimate, -7.0, "above"), (estimate, 7.0, "below")]) == [1.0, 1.0]
    declared = Estimate(values=values, bounds=(-10, 10))
    assert ps_outside([(declared, 7.0, 7.0)])[0] < 1e-6  # the control: the same values, declared


def test_replicas_that_differ_though_declared_to_be_the_same_reject_nothing():
    estimate = Estimate(values=np.array([1.0, 1.1, 1.2]), deterministic=True)
    assert ps_outside([(estimate, 7.0, 7.0)]) == [1.0]
    assert estimate.interval() == (-math.inf, math.inf)
    assert "declared to give the same number, and the 3 values differ by 0.2" in estimate.unknown()


def test_bounded_p_values_invert_the_interval():
    estimate = Estimate(values=(np.arange(1000) < 30).astype(float), bounds=(0, 1))
    p = one_sided_ps([(estimate, 0.01, "above")])[0]
    assert 1e-12 < p < 1e-4
    low, _ = estimate.interval(1 - 2 * p)
    assert low >= 0.01
    # Clopper-Pearson's one-sided p-value is the binomial tail itself; the grid rounds up by at most 26 %.
    assert binom.sf(29, 1000, 0.01) <= p <= 1.3 * binom.sf(29, 1000, 0.01)


def test_holm_shares_a_budget():
    # By hand: 0.001 <= 0.05/3, 0.02 <= 0.05/2, 0.06 > 0.05/1.
    assert holm([0.06, 0.001, 0.02], 0.05) == [False, True, True]
    assert holm([0.03, 0.001, 0.03], 0.05) == [False, True, False]
    assert holm([], 0.05) == []


def test_samples_needed_grow_with_the_square():
    assert samples_needed(100, 0.4, 0.04) == 10_000
    assert samples_needed(100, math.inf, 0.04) is None


@pytest.mark.parametrize("few", [2048, 8192])
def test_who_takes_the_advised_number_sees_what_was_wanted(few):
    """Values near 0 that may reach 1: their interval shrinks as 1/n at first, where the root of n advises a hundred times more."""
    near_zero = experiment("near-zero", lambda draw, *, d: 1 - draw.uniform() ** (1 / d), bounds=(0, 1), block=2048)
    claimed = statement(Constant, law_of_d("1/(d + 1)"), near_zero, [{"d": 300}], margin=0.1)
    found = claimed.judge(measured(claimed, few), level=1e-3)
    assert found.seen > 2 * found.wanted
    then = claimed.judge(measured(claimed, found.needed), level=1e-3)
    assert then.wanted / 2 < then.seen < 1.2 * then.wanted
