"""Laws of section 3: bounds, drawn settings against plain loops, and what errata say."""

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import stdtr
from support.naive_recall import agrees, pi_naive, simulate, zipf

from asymp.theory import laws

SCHEME = {"alpha": st.floats(0, 3), "N": st.integers(3, 60), "d": st.integers(2, 2000), "rho": st.floats(0, 1.2)}


def test_infinitely_many_inputs_are_many_and_a_tail():
    # beyond 1e7 everything is forgotten: q^2 d/S is below 1e-20 there
    law, values, tail = laws["exact-recall-error:binary"], {"alpha": 2.0, "rho": 1.0, "d": 50}, 6 / math.pi**2 / 1e7
    assert law(**values, N=math.inf) == pytest.approx(law(**values, N=10**7) * (1 - tail) + tail / 2, rel=1e-9)


def test_the_error_of_one_input_with_two_outputs_is_a_student_tail():
    # P(t_d > q sqrt(d/(S - q^2))): the overlap of two outputs on the sphere cancels. The law is good to 1e-3.
    for q, d, S in ((1, 20, 2), (0.7, 12, 9.0), (1, 50, 40)):
        wanted = stdtr(d, -q * math.sqrt(d / (S - q**2)))
        assert laws["exact-recall-error:item"](q=q, d=d, S=S, M=2, outputs="sphere") == pytest.approx(wanted, rel=5e-3)


def test_the_error_of_one_input_by_drawing_its_overlaps():
    # Given U and |e|: overlaps of e_x with the sums of the classes are gaussian. 2e5 draws: a standard error of 1e-3 at
    # 0.3, of which 5.5 and the law's own 1e-3 are allowed (false failures below 4e-8).
    q, d, S, M, n = 1.0, 12, 12.0, 3, 200_000
    rng = np.random.default_rng(4)
    U = rng.normal(size=(n, M, d)) / math.sqrt(d)
    r = np.sqrt(rng.chisquare(d, size=n) / d)
    D = np.array([S / M - q**2, S / M, S / M])
    h = rng.normal(size=(n, M)) * np.sqrt(D / d)
    h[:, 0] += q * r
    missed = (np.einsum("nyd,ncd,nc->ny", U, U, h).argmax(1) != 0).mean()
    found = laws["exact-recall-error:item"](q=q, d=d, S=S, M=M)
    assert abs(found - missed) < 5.5 * math.sqrt(missed * (1 - missed) / n) + 2e-3 * missed


def test_the_shortcut_is_too_large():
    law = laws["exact-recall-error:shortcut"]
    # Two inputs, two outputs on the sphere: e^(-d/8) for 2^(-d/2), 120 times too large at d = 20.
    few = law(q=1, d=20, S=2, M=2, outputs="sphere") / laws["exact-recall-error:binary"](alpha=0, N=2, d=20)
    assert 110 < few < 130
    # N = 100, M = 5, d = 1000 on the sphere: 2.2 times.
    exact = laws["fill-scheme:asymptotic"](N=100, M=5, d=1000)
    assert 2.1 < law(q=1, d=1000, S=100, M=5, outputs="sphere") / exact < 2.3


# -- bounds --------------------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(**SCHEME)
def test_the_upper_bound_holds_with_two_outputs_where_the_error_is_known(**values):
    assert laws["finite-memory-upper"](**values, M=2) >= laws["exact-recall-error:binary"](**values) * (1 - 1e-12)


@pytest.mark.parametrize(("M", "d", "rho", "N"), [(5, 400, 1, 200), (4, 60, 0.5, 30), (6, 3000, 0.7, math.inf)])
def test_both_upper_bounds_hold_and_the_pairs_are_tighter(M, d, rho, N):
    values = {"alpha": 1.5, "N": N, "M": M, "d": d, "rho": rho}
    exact, pairs = laws["exact-recall-error"](**values, outputs="sphere"), laws["finite-memory-upper"](**values)
    assert exact * 0.997 < pairs <= laws["finite-memory-upper:source"](**values)
    assert pairs >= 0.1 or pairs < 6 * exact


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 4), st.integers(2, 5), st.integers(0, 10**6))
def test_no_weights_and_no_function_beat_the_minimax_bound(M, d, seed):
    rng = np.random.default_rng(seed)
    N, sharp = 200, float(mp.ncdf(-1 / mp.sqrt(3)))
    p = np.arange(1, N + 1) ** -1.5 / float(mp.zeta(1.5))  # the law of N = inf, its tail left out
    weights = rng.exponential(size=N) ** rng.uniform(0, 3) * (rng.random(N) < rng.uniform(0.1, 1))
    if not np.any(weights):
        return
    targets = rng.integers(M, size=N)
    S = np.bincount(targets, weights**2, minlength=M)
    forgotten = p[3 * (d + 1) * weights**2 <= S.max()].sum()
    assert sharp * (forgotten + 1 - p.sum()) >= laws["minimax"](alpha=1.5, M=M, d=d) * (1 - 1e-9)


# -- schemes, samples, fill ----------------------------------------------------------------------------------------------


def test_graded_weights_with_a_threshold_need_no_logarithm():
    # alpha = 2, M = 5: rho = 0.1 is 16 % above the best weights at every d; rho = 0 loses 2.4 at 1e3 and 6.5 at 1e9.
    law, best = laws["threshold-scheme:best"], laws["optimal-scheme:asymptotic"]
    for d, rho, ratio, tolerance in ((1e4, 0.1, 1.16, 0.02), (1e3, 0, 2.4, 0.1), (1e9, 0, 6.5, 0.1)):
        found = law(alpha=2, M=5, d=d, rho=rho) / best(alpha=2, M=5, d=d)
        assert found == pytest.approx(ratio, abs=tolerance)


def test_the_least_error_is_a_bound():
    least, best = laws["optimal-scheme:least"], laws["optimal-scheme"]
    assert least.relation == ">=" and best.relation == "~"
    # Equal weights on the best number of inputs are weights too.
    assert least(alpha=1.5, M=3, d=200) < laws["threshold-scheme:best"](alpha=1.5, M=3, d=200)


@pytest.mark.parametrize(("alpha", "factor"), [(1.1, 1.92), (2, 1.66), (6, 1.52)])
def test_the_plain_sum_is_too_large_at_the_crossover(alpha, factor):
    d = 80_000
    T = np.geomspace(0.05, 20, 120) * float(mp.zeta(alpha)) * (d / 8) ** alpha
    mass = laws["joint-law"](alpha=alpha, T=math.inf, d=d, M=2) + 0.5 * laws["missing-mass"](alpha=alpha, T=T)
    assert np.max(mass / laws["joint-law"](alpha=alpha, T=T, d=d, M=2)) == pytest.approx(factor, abs=0.01)


def test_the_joint_law_with_interference_is_a_plain_simulation():
    # N = 300 of infinitely many; the rest, of probability 0.002, is guessed and takes that share of the samples.
    errors = simulate(p=zipf(2, 300), M=5, d=160, T=100, P=20, replicas=1500, seed=4)
    tail = 1 - 6 / math.pi**2 * float(np.sum(np.arange(1, 301) ** -2.0))
    found = laws["joint-law:interference"](alpha=2, T=100, d=160, M=5)
    # Mean number stored (8), limit of many dimensions, equal classes: 3 %.
    assert agrees(errors, (found - 0.8 * tail) / (1 - tail), slack=0.03 * found)


def test_a_matched_count_ends_at_a_floor():
    matched, d = laws["seen-s-times:matched"], 1000
    floor = 0.8 * 6 / math.pi**2 / (d / 8) + pi_naive(math.sqrt(40), 5)
    assert matched(alpha=2, T=1e20, d=d, M=5) == pytest.approx(floor, rel=5e-3)


def test_fill_is_far_from_the_best():
    # The exact law agrees that fill is not the best: twenty times at alpha = 2, N = 100, M = 5, d = 400.
    values = {"alpha": 2, "N": 100, "M": 5, "d": 400}
    ratio = laws["exact-recall-error"](**values, rho=0) / laws["exact-recall-error"](**values, rho=0.1)
    assert ratio == pytest.approx(20, rel=0.05)


def test_no_power_has_a_better_rate_than_fill():
    law, exact = laws["fill-is-best"], laws["exact-recall-error:binary"]
    rates = [law(alpha=1.5, N=12, M=2, rho=rho) for rho in (0, 0.05, 0.2, 0.6)]
    assert rates == sorted(rates, reverse=True)
    with mp.workdps(30):
        for rho, rate in ((0, rates[0]), (Fraction(1, 5), rates[2])):
            E = [exact.evaluate(alpha=Fraction(3, 2), N=12, rho=rho, d=d, digits=20) for d in (20_000, 40_000)]
            # log E = -rate d - log(d)/2 + const + c/d, c about 1/(2 rate): 1e-6 of the rate here.
            assert float((mp.log(E[0] / E[1]) - mp.log(2) / 2) / 20_000) == pytest.approx(rate, rel=3e-6)
