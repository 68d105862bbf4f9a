"""Section 3, finite samples and fill."""

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
import scipy.integrate
import scipy.stats
from naive_recall import agrees, pi_naive, simulate, zipf

from asymp.theory import laws

# -- samples -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("alpha", "T", "d", "M"), [(1.5, 40, 100, 3), (3, 1000, 400, 5), (1.1, 7, 16, 2)])
def test_the_joint_law_is_its_sum(alpha, T, d, M):
    P = d // 8
    p = np.arange(1, P + 1) ** -float(alpha) / float(mp.zeta(alpha))
    wanted = (1 - 1 / M) * (1 - p.sum() + p @ (1 - p) ** T)
    assert laws["joint-law"](alpha=alpha, T=T, d=d, M=M) == pytest.approx(wanted, rel=1e-12)
    n, seen = np.sum(1 - (1 - p) ** T), p @ (1 - (1 - p) ** T)
    with_loss = wanted + seen * pi_naive(math.sqrt(d * M / n), M)
    assert laws["joint-law:interference"](alpha=alpha, T=T, d=d, M=M) == pytest.approx(with_loss, rel=1e-9)
    assert float(laws["joint-law:interference"].evaluate(alpha=alpha, T=T, d=d, M=M, digits=20)) == pytest.approx(
        with_loss, rel=1e-9
    )


def test_the_joint_law_to_fifty_digits():
    with mp.workdps(65):
        a = mp.mpf(7) / 4
        p = [mp.mpf(x) ** -a / mp.zeta(a) for x in range(1, 13)]
        wanted = mp.mpf(4) / 5 * (mp.zeta(a, 13) / mp.zeta(a) + mp.fsum(v * (1 - v) ** 50 for v in p))
        found = laws["joint-law"].evaluate(alpha=Fraction(7, 4), T=50, d=100, M=5, digits=50)
        assert abs(found / wanted - 1) < mp.mpf(10) ** -49


def test_the_joint_law_has_its_closed_form():
    # The error of the closed form is of relative order 1/T + 1/P^2.
    for alpha, T, d in ((1.5, 1e6, 8000), (2, 1e6, 80_000), (4, 1e8, 8000)):
        values = {"alpha": alpha, "T": T, "d": d, "M": 5}
        assert laws["joint-law:asymptotic"](**values) == pytest.approx(
            laws["joint-law"](**values), rel=4 / T + 20 / (d / 8) ** 2
        )


@pytest.mark.parametrize(("alpha", "factor"), [(1.1, 1.92), (2, 1.66), (6, 1.52)])
def test_the_plain_sum_is_too_large_at_the_crossover(alpha, factor):
    d = 80_000
    C = 1 / float(mp.zeta(alpha))
    T = np.geomspace(0.05, 20, 120) / C * (d / 8) ** alpha
    mass = laws["joint-law"](alpha=alpha, T=math.inf, d=d, M=2) + 0.5 * laws["missing-mass"](alpha=alpha, T=T)
    assert np.max(mass / laws["joint-law"](alpha=alpha, T=T, d=d, M=2)) == pytest.approx(factor, abs=0.01)


def test_the_joint_law_is_a_plain_simulation():
    # N = 300 of infinitely many; the rest, of probability 0.002, is guessed and takes that share of the samples.
    p = zipf(2, 300)
    errors = simulate(p=p, M=5, d=160, T=100, P=20, replicas=1500, seed=4)
    tail = 1 - 6 / math.pi**2 * float(np.sum(np.arange(1, 301) ** -2.0))
    found = laws["joint-law:interference"](alpha=2, T=100, d=160, M=5)
    # Mean number stored (8), limit of many dimensions, equal classes: 3 %.
    assert agrees(errors, (found - 0.8 * tail) / (1 - tail), slack=0.03 * found)


@pytest.mark.parametrize(
    ("alpha", "T", "s", "N"), [(1.5, 300, 1, 400), (1.2, 1000, 4, 300), (0.5, 90, 2, 50), (2, 3, 5, 20)]
)
def test_often_seen_is_its_binomial_sum(alpha, T, s, N):
    p = zipf(alpha, N)
    n = scipy.stats.binom.sf(s - 1, T, p).sum()
    lost = p @ scipy.stats.binom.cdf(s - 1, T, p)
    wanted = 0.75 * lost + ((1 - lost) * pi_naive(math.sqrt(60 * 4 / n), 4) if n else 0)
    values = {"alpha": alpha, "T": T, "s": s, "N": N, "d": 60, "M": 4}
    assert laws["seen-s-times"](**values) == pytest.approx(wanted, rel=1e-9)
    assert float(laws["seen-s-times"].evaluate(**values, digits=16)) == pytest.approx(wanted, rel=1e-9)


def test_what_is_lost_with_s_one_is_the_missing_mass():
    from asymp.theory.storage.often_seen import seen_often, seen_often_digits

    with mp.workdps(50):
        lost = seen_often_digits(alpha=Fraction(9, 5), T=300, s=1, digits=40).lost
        assert abs(lost / laws["missing-mass"].evaluate(alpha=Fraction(9, 5), T=300, digits=45) - 1) < mp.mpf(10) ** -38
    for alpha, T, s in ((1.2, 3000, 1), (1.1, 500, 2)):
        found, digits = seen_often(alpha=alpha, T=T, s=s), seen_often_digits(alpha=alpha, T=T, s=s, digits=20)
        assert found.number == pytest.approx(float(digits.number), rel=1e-11)
        assert found.lost == pytest.approx(float(digits.lost), rel=1e-11)
    # In 10^9 samples; and the mean number of inputs seen s times or more, from the expansions: 1/T and below.
    for s in (1, 3, 40):
        seen = seen_often(alpha=2, T=10**9, s=s)
        C = 6 / math.pi**2
        n = math.sqrt(C * 1e9) * math.exp(math.lgamma(s - 0.5) - math.lgamma(s)) - 0.5
        lost = math.sqrt(C / 1e9) * math.exp(math.lgamma(s + 0.5) - math.lgamma(s))
        assert seen.number == pytest.approx(n, rel=1e-8) and seen.lost == pytest.approx(lost, rel=1e-7)


def test_seen_twice_is_a_plain_simulation():
    errors = simulate(p=zipf(1.2, 60), M=3, d=40, T=200, s=2, replicas=1500, seed=9)
    found = laws["seen-s-times"](alpha=1.2, T=200, s=2, N=60, d=40, M=3)
    # Mean number stored (19 of 60), limit of many dimensions, equal classes: 6 %.
    assert agrees(errors, found, slack=0.06 * found)


def test_seen_s_times_overflows_and_matched_does_not():
    law = laws["seen-s-times"]
    at = {T: law(alpha=2, T=T, s=1, d=1000, M=5) for T in (10**4, 10**6, 10**9)}
    assert (
        at[10**4] == pytest.approx(0.0056, rel=0.02) and at[10**6] == pytest.approx(0.24, rel=0.02) and at[10**9] > 0.7
    )
    matched = laws["seen-s-times:matched"]
    C, d = 6 / math.pi**2, 1000
    floor = pi_naive(math.sqrt(40), 5)
    assert matched(alpha=2, T=1e20, d=d, M=5) == pytest.approx(0.8 * C / (d / 8) + floor, rel=5e-3)
    # At s = 1 it is the law of inputs seen once.
    assert matched(alpha=2, T=1e3, d=10**6, M=5) == pytest.approx(
        laws["seen-s-times:asymptotic"](alpha=2, T=1e3, s=1, d=10**6, M=5)
    )
    values = {"alpha": 2, "T": 1e7, "s": 3, "d": 5000, "M": 4}
    assert laws["seen-s-times:asymptotic"](**values) == pytest.approx(law(**values), rel=1e-6)
    for name in ("seen-s-times:asymptotic", "seen-s-times:matched"):
        given = values if name.endswith("ic") else {k: v for k, v in values.items() if k != "s"}
        assert float(laws[name].evaluate(**given, digits=20)) == pytest.approx(laws[name](**given), rel=1e-11)


# -- fill ----------------------------------------------------------------------------------------------------------------


def test_fill_has_its_rate_and_constant():
    law = laws["fill-scheme:asymptotic"]
    with mp.workdps(60):  # M = 2: exact at every d
        wanted = laws["exact-recall-error:binary"].evaluate(alpha=1, N=30, d=70, digits=50)
        assert abs(law.evaluate(N=30, M=2, d=70, digits=50) / wanted - 1) < mp.mpf(10) ** -49
    exact = laws["fill-scheme"](alpha=1, N=40, M=4, d=500, outputs="sphere")
    # Good to 1e-3 at 99 %, tripled; the law itself is 0.6 % off at d = 400 and closer at 500.
    assert law(N=40, M=4, d=500) == pytest.approx(exact, rel=1e-2)
    rate = math.log(law(N=1000, M=5, d=40_000) / law(N=1000, M=5, d=80_000)) / 40_000
    assert rate == pytest.approx(
        -0.5 * math.log1p(-5 / 2000), rel=1e-2
    )  # the square root of d adds log(2)/(2 d) = 1e-5
    assert laws["fill-scheme:limit"](N=500, M=6, d=900) == pytest.approx(
        pi_naive(math.sqrt(900 * 6 / 500), 6), rel=1e-8
    )


def test_fill_tips_in_d_M_over_N():
    law = laws["fill-scheme:limit"]
    assert [round(law(N=1000, M=M, d=1000), 4) for M in (2, 5, 20)] == [0.1587, 0.1612, 0.0112]
    assert law(N=1000, M=50, d=1000) == pytest.approx(1.3e-5, rel=0.05)
    for M, load in ((2, 5.4), (5, 9.3), (20, 14)):
        assert law(N=10_000, M=M, d=round(load * 10_000 / M)) == pytest.approx(0.05, rel=0.05)


def test_small_powers_beat_fill_at_every_d():
    p = zipf(1.5, 40)

    def error(rho, d):
        q = p**rho
        return sum(v * pi_naive(w, 5) for v, w in zip(p, q * math.sqrt(d * 5 / (q @ q)), strict=True))

    for d in (10, 100, 400):
        h = 1e-3
        slope = (4 * error(h, d) - error(2 * h, d) - 3 * error(0, d)) / (2 * h)
        found = laws["fill-is-best:slope"](alpha=1.5, N=40, M=5, d=d)
        assert found < 0
        # Second differences leave h^2 E'''/3 of it: 1e-6 (log p)^2 (d M/N), below 1e-2 here.
        assert found == pytest.approx(slope, rel=1e-2)
        assert float(laws["fill-is-best:slope"].evaluate(alpha=1.5, N=40, M=5, d=d, digits=25)) == pytest.approx(
            found, rel=1e-11
        )
    # The exact law agrees that fill is not the best: twenty times at alpha = 2, N = 100, M = 5, d = 400.
    values = {"alpha": 2, "N": 100, "M": 5, "d": 400}
    assert laws["exact-recall-error"](**values, rho=0) / laws["exact-recall-error"](**values, rho=0.1) == pytest.approx(
        20, rel=0.05
    )


@pytest.mark.parametrize(("alpha", "load"), [(0.5, 1.75), (1, 2.27), (2, 6.50)])
def test_fill_overtakes_counts_at_the_crossover(alpha, load):
    found = laws["fill-is-best:crossover"](alpha=alpha, N=100, M=5)
    assert found == pytest.approx(load, abs=0.01)
    p = zipf(alpha, 100)
    margins = p * math.sqrt(found * 100 / (p @ p))
    assert sum(v * pi_naive(w, 5) for v, w in zip(p, margins, strict=True)) == pytest.approx(
        pi_naive(math.sqrt(found), 5), rel=1e-6
    )


def test_no_power_has_a_better_rate_than_fill():
    law, exact = laws["fill-is-best"], laws["exact-recall-error:binary"]
    rates = [law(alpha=1.5, N=12, M=2, rho=rho) for rho in (0, 0.05, 0.2, 0.6)]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] == pytest.approx(-0.5 * math.log1p(-2 / 24), rel=1e-12)
    with mp.workdps(30):
        for rho, rate in ((0, rates[0]), (Fraction(1, 5), rates[2])):
            E = [exact.evaluate(alpha=Fraction(3, 2), N=12, rho=rho, d=d, digits=20) for d in (20_000, 40_000)]
            # log E = -rate d - log(d)/2 + const + c/d, c about 1/(2 rate): 1e-6 of the rate here.
            assert float((mp.log(E[0] / E[1]) - mp.log(2) / 2) / 20_000) == pytest.approx(rate, rel=3e-6)
    assert float(law.evaluate(alpha=Fraction(3, 2), N=12, M=3, rho=Fraction(1, 5), digits=30)) == pytest.approx(
        law(alpha=1.5, N=12, M=3, rho=0.2), rel=1e-12
    )
