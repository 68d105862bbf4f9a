"""Section 3, storage schemes and what they hold."""

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
import scipy.integrate
import scipy.stats
from naive_recall import agrees, pi_naive, zipf

from asymp.theory import laws

# -- schemes -------------------------------------------------------------------------------------------------------------


def test_the_power_constant_three_ways():
    law = laws["power-scheme:asymptotic"]
    # M = 2: Z is normal of variance S_0 + S_1 = C^(2 rho) zeta(2 rho alpha); its moment by quadrature, 50 digits.
    with mp.workdps(65):
        alpha, rho = mp.mpf(2), mp.mpf(3) / 4
        beta, C = (alpha - 1) / (rho * alpha), 1 / mp.zeta(2)
        spread = mp.sqrt(C ** (2 * rho) * mp.zeta(2 * rho * alpha))
        moment = mp.quad(lambda z: z**beta * mp.npdf(z), [0, 1, 3, 8, 20]) * spread**beta
        wanted = C ** (1 / alpha) / (alpha - 1) * moment * mp.mpf(1000) ** (-beta / 2)
        found = law.evaluate(alpha=2, rho=Fraction(3, 4), M=2, d=1000, digits=50)
        assert abs(found / wanted - 1) < mp.mpf(10) ** -48  # quad is good to a few units of the 50th digit
    # M = 3 by the definition: the probability of a union, integrated.
    from asymp.theory.storage.constants_digits import power_constant_digits
    from asymp.theory.zipf.law import class_sums

    sigma = np.sqrt(class_sums(alpha=2, rho=1, M=3).squares)
    cdf, pdf = scipy.stats.norm.cdf, scipy.stats.norm.pdf

    def lost(a, c):
        others = np.delete(sigma, c)
        hit = scipy.integrate.quad(lambda t: pdf(t) * np.prod(cdf((a + sigma[c] * t) / others)), -9, 9, epsabs=1e-10)[0]
        return 1 - hit

    # beta = 1/2: a = b^2 takes the root off.
    moments = [scipy.integrate.quad(lambda b, c=c: lost(b * b, c), 0, 2.4, epsabs=1e-7)[0] for c in range(3)]
    wanted = (6 / math.pi**2) ** 0.5 / 3 * sum(moments)
    assert law(alpha=2, rho=1, M=3, d=1) == pytest.approx(wanted, rel=1e-5)
    found = power_constant_digits(alpha=2, rho=1, M=3, digits=14)
    assert float(found) == pytest.approx(law(alpha=2, rho=1, M=3, d=1), rel=1e-11)


@pytest.mark.parametrize(("alpha", "rho", "M"), [(2, 1, 5), (1.5, 0.5, 3)])
def test_the_power_scheme_reaches_its_limit(alpha, rho, M):
    exact = laws["power-scheme"](alpha=alpha, rho=rho, M=M, d=10**6)
    # 1e-3 of the law at 99 %, tripled; the limit's own error is of order 1e-6.
    assert exact == pytest.approx(laws["power-scheme:asymptotic"](alpha=alpha, rho=rho, M=M, d=10**6), rel=3e-3)


def test_the_power_scheme_with_two_outputs_to_all_orders():
    law, exact = laws["power-scheme:binary"], laws["exact-recall-error:binary"]
    # What is left out is below every power: at d = 1e5 below 1e-8, where a missing 1/d would show as 1e-5.
    for alpha, rho in ((2, 1), (1.5, 0.5), (3, 0.4)):
        assert law(alpha=alpha, rho=rho, d=10**5) == pytest.approx(
            exact(alpha=alpha, rho=rho, d=10**5, N=math.inf), rel=1e-8
        )
    with mp.workdps(60):
        b, d = mp.mpf(1) / 4, 17
        S = mp.zeta(4) / mp.zeta(2) ** 2
        moment = mp.beta(b + mp.mpf(1) / 2, mp.mpf(d) / 2) / mp.beta(mp.mpf(1) / 2, mp.mpf(d) / 2)
        wanted = S**b * moment / (2 * mp.sqrt(mp.zeta(2)))
        assert abs(law.evaluate(alpha=2, rho=1, d=17, digits=50) / wanted - 1) < mp.mpf(10) ** -49


def test_the_source_of_the_power_scheme_in_its_three_regimes():
    law = laws["power-scheme:source"]
    assert law(alpha=2, rho=1, d=16, N=100) == pytest.approx(0.5)
    assert law(alpha=2, rho=0.25, d=100, N=50) == pytest.approx(math.log(50) / 100)
    assert law(alpha=2, rho=0.125, d=100, N=49) == pytest.approx((100 / 7) ** -2)


def test_a_threshold_of_k_d_ends_at_its_floor():
    law = laws["threshold-scheme:asymptotic"]
    with mp.workdps(60):
        tail = mp.zeta(2, 126) / mp.zeta(2)
        wanted = tail / 2 + (1 - tail) * mp.erfc(2) / 2  # M = 2, P = d/8: margin 4, Phi(-4/sqrt 2)
        assert abs(law.evaluate(alpha=2, M=2, d=1000, digits=50) / wanted - 1) < mp.mpf(10) ** -49
    # The exact law at M = 2 on the sphere: q^2/S = 1/P instead of the limit, 2/(d) relative corrections of the exponent.
    exact = laws["threshold-scheme"](alpha=2, M=2, d=8000, P=1000, outputs="sphere")
    assert exact == pytest.approx(law(alpha=2, M=2, d=8000), rel=1e-2)
    assert law(alpha=2, M=2, d=10**9) == pytest.approx(math.erfc(2) / 2, rel=1e-5)
    assert law(alpha=2, M=5, d=10**9) == pytest.approx(1.5e-5, rel=0.05)


@pytest.mark.parametrize("rho", [0, 0.3])
def test_the_best_threshold_is_the_least_of_all(rho):
    alpha, M, d, N = 1.5, 3, 40, 80
    p = zipf(alpha, N)
    errors = []
    for P in range(1, N + 1):
        q = p[:P] ** rho
        stored = (
            [v * pi_naive(w, M) for v, w in zip(p[:P], q * math.sqrt(d * M / (q @ q)), strict=True)] if rho else None
        )
        kept = sum(stored) if rho else p[:P].sum() * pi_naive(math.sqrt(d * M / P), M)
        errors.append(kept + (1 - 1 / M) * p[P:].sum())
    law = laws["threshold-scheme:best"]
    assert law(alpha=alpha, M=M, d=d, N=N, rho=rho) == pytest.approx(min(errors), rel=1e-9)
    if rho == 0:
        assert float(law.evaluate(alpha=alpha, M=M, d=d, N=N, digits=20)) == pytest.approx(min(errors), rel=1e-9)


def test_graded_weights_with_a_threshold_need_no_logarithm():
    # alpha = 2, M = 5: rho = 0.1 is 16 % above the best weights at every d; rho = 0 loses 2.4 at 1e3 and 6.5 at 1e9.
    law, best = laws["threshold-scheme:best"], laws["optimal-scheme:asymptotic"]
    assert law(alpha=2, M=5, d=1e4, rho=0.1) / best(alpha=2, M=5, d=1e4) == pytest.approx(1.16, abs=0.02)
    assert law(alpha=2, M=5, d=1e3) / best(alpha=2, M=5, d=1e3) == pytest.approx(2.4, abs=0.1)
    assert law(alpha=2, M=5, d=1e9) / best(alpha=2, M=5, d=1e9) == pytest.approx(6.5, abs=0.1)


def test_the_best_constant_has_a_closed_form_with_two_outputs():
    from asymp.theory.storage.constants_digits import optimal_constant_digits

    # M = 2: -pi_2'(a) = exp(-a^2/4)/(2 sqrt pi), so I is a Gamma function.
    law = laws["optimal-scheme:asymptotic"]
    with mp.workdps(65):
        for alpha in (Fraction(3, 2), Fraction(2), Fraction(3)):
            a = mp.mpf(alpha.numerator) / alpha.denominator
            s = 2 - 1 / a
            integral = 2 ** (1 - 1 / a) * (2 * mp.sqrt(mp.pi)) ** (-1 / a) * (4 * a) ** (s / 2) * mp.gamma(s / 2) / 2
            wanted = mp.mpf(2) ** (1 - a) * integral**a / ((a - 1) * mp.zeta(a)) * mp.mpf(1000) ** (1 - a)
            found = law.evaluate(alpha=alpha, M=2, d=1000, digits=50)
            assert abs(found / wanted - 1) < mp.mpf(10) ** -49
    assert law(alpha=2, M=5, d=1) == pytest.approx(1.2655, abs=1e-4)
    assert float(optimal_constant_digits(alpha=2, M=4, digits=12)) == pytest.approx(law(alpha=2, M=4, d=1), rel=1e-10)
    with pytest.raises(ValueError, match="M must be at most 45"):
        law.evaluate(alpha=2, M=46, d=10, digits=20)


def test_the_best_weights_beat_every_scheme():
    # Small N: a general-purpose minimiser over all weights cannot do better, and comes as near as it can.
    from scipy.optimize import minimize

    from asymp.theory.recall.limits import pi_M

    p, d, M = zipf(1.5, 8), 6, 3
    found = laws["optimal-scheme"](alpha=1.5, N=8, M=M, d=d)

    def error(y):
        q = np.exp(y)
        return float(p @ np.asarray(pi_M(a=q * math.sqrt(d * M / (q @ q)), M=M)))

    least = min(
        minimize(error, start, method="BFGS", options={"gtol": 1e-9}).fun for start in (np.log(p), 0.3 * np.log(p))
    )
    assert found == pytest.approx(least, rel=1e-7)
    for rho in (0.0, 0.3, 1.0):
        assert found < error(rho * np.log(p))


# -- capacity ------------------------------------------------------------------------------------------------------------


def test_memories_held():
    law = laws["at-most-d"]
    for M, e in ((2, 0.01), (5, 0.3), (30, 0.02)):
        assert pi_naive(math.sqrt(M * 50 / law(M=M, d=50, e=e)), M) == pytest.approx(e, rel=1e-8)
    with mp.workdps(60):
        wanted = 10 * 2 / (2 * mp.erfinv(1 - 2 * mp.mpf(1) / 8)) ** 2  # pi_2(a) = erfc(a/2)/2
        assert abs(law.evaluate(M=2, d=10, e=Fraction(1, 8), digits=50) / wanted - 1) < mp.mpf(10) ** -48
    n = laws["at-most-d:injective"](d=300)
    assert 2 * n * math.log(n) == pytest.approx(300**2, rel=1e-12)
    assert law(M=100, d=1) == pytest.approx(3.9, abs=0.05)


def test_an_injective_memory_is_a_plain_simulation():
    # N = M = 150, d = 45, P = d^2/(2 log N) = 202 > N: all stored; the law leaves out the 1/d of the own overlap, which is 0.3
    # of P/d^2 here, so that it is compared with that put back: margin 1/sqrt(P/d^2 + 1/d).
    rng = np.random.default_rng(5)
    N, d, errors = 150, 45, []
    for _ in range(60):
        e, u = (rng.standard_normal((N, d)) for _ in range(2))
        u, e = u / np.linalg.norm(u, axis=1, keepdims=True), e / np.linalg.norm(e, axis=1, keepdims=True)
        errors.append(np.mean((e @ (u.T @ e).T @ u.T).argmax(axis=1) != np.arange(N)))
    errors = np.array(errors)
    margin = 1 / math.sqrt(N / d**2 + 1 / d)
    assert agrees(errors, pi_naive(margin, N), slack=0.1 * pi_naive(margin, N))
    law = laws["minimax:injective"]
    tail = zipf(1.5, 5000)[300:].sum()
    c = 200**2 / (300.5 * math.log(5000))  # P = floor(300.5) = 300
    wanted = tail + (1 - tail) * pi_naive(200 / math.sqrt(300), 5000)
    assert law(alpha=1.5, N=5000, d=200, c=c) == pytest.approx(wanted, rel=1e-8)
    assert float(law.evaluate(alpha=1.5, N=5000, d=200, c=c, digits=16)) == pytest.approx(wanted, rel=1e-8)
