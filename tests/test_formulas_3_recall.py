"""Section 3, the recall error and its bounds."""

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
import scipy.integrate
import scipy.stats
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_recall import agrees, simulate, zipf

from asymp.theory import laws

# -- the exact recall error ----------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(alpha=st.floats(0, 3), N=st.integers(2, 60), d=st.integers(2, 300), rho=st.floats(0, 1.5), cut=st.floats(0.2, 1))
def test_two_outputs_are_the_sum_of_student_tails(alpha, N, d, rho, cut):
    P = max(1.0, cut * N)
    p = zipf(alpha, N)
    q = np.where(np.arange(1, N + 1) <= P, p**rho, 0.0)
    S = np.sum(q**2)
    with np.errstate(divide="ignore"):
        wanted = math.fsum(p * scipy.stats.t.sf(q * np.sqrt(d / np.maximum(S - q**2, 0)), d))
    found = laws["exact-recall-error:binary"](alpha=alpha, N=N, d=d, rho=rho, P=P)
    # S - q^2 cancels where one input carries the sum: its digits are those of (S - q^2)/S, down to 1e-16/1e-7.
    assert found == pytest.approx(wanted, rel=1e-8, abs=1e-300)


def test_two_outputs_to_fifty_digits_and_at_infinity():
    law = laws["exact-recall-error:binary"]
    with mp.workdps(70):
        # Direct summation in mpmath for N = 12.
        a, rho, d = mp.mpf(3) / 2, mp.mpf(1) / 2, 9
        p = [mp.mpf(x) ** -a for x in range(1, 13)]
        C = 1 / mp.fsum(p)
        q2 = [(C * v) ** (2 * rho) for v in p]
        S = mp.fsum(q2)
        tails = [mp.betainc(mp.mpf(d) / 2, mp.mpf(1) / 2, 0, 1 - v / S, regularized=True) for v in q2]
        wanted = mp.fsum(C * v * t for v, t in zip(p, tails, strict=True)) / 2
        found = law.evaluate(alpha=Fraction(3, 2), rho=Fraction(1, 2), d=d, N=12, digits=50)
        assert abs(found / wanted - 1) < mp.mpf(10) ** -49
    # Float64 sums most inputs by quadrature and the rest by four terms of a series, mpmath by the series alone.
    for alpha, rho, d in ((1.2, 0.5, 1000), (1.05, 0.6, 30), (3.0, 1.0, 10**6)):
        digits = law.evaluate(alpha=alpha, rho=rho, d=d, N=math.inf, digits=20)
        assert law(alpha=alpha, rho=rho, d=d, N=math.inf) == pytest.approx(float(digits), rel=1e-12)
    # N = inf against N = 1e7 and the tail, where everything is forgotten: q^2 d/S is below 1e-20 there.
    values = {"alpha": 2.0, "rho": 1.0, "d": 50}
    tail = 6 / math.pi**2 / 1e7
    assert law(**values, N=math.inf) == pytest.approx(law(**values, N=10**7) * (1 - tail) + tail / 2, rel=1e-9)


@pytest.mark.parametrize(
    ("outputs", "M", "d", "rho"),
    [("sphere", 2, 3, 0.5), ("gaussian", 3, 4, 1.0), ("sphere", 4, 2, 0.0)],
)
def test_the_exact_law_is_a_plain_simulation(outputs, M, d, rho):
    p = zipf(1.2, 7)
    errors = simulate(p=p, M=M, d=d, weights=p**rho, replicas=8000, seed=M + d, outputs=outputs)
    values = {"alpha": 1.2, "N": 7, "M": M, "d": d, "rho": rho, "outputs": outputs}
    found = laws["exact-recall-error"](**values)
    # The law is good to 1e-3 at 99 %; three times that is beyond 1e-7 with its t quantiles.
    assert agrees(errors, found, slack=3e-3 * found)
    if M == 2:
        assert laws["exact-recall-error"].evaluate(**values, digits=20) == pytest.approx(found, rel=3e-3)
    else:
        with pytest.raises(ValueError, match="digits can be had, from asymp.theory.recall_error"):
            laws["exact-recall-error"].evaluate(**values, digits=20)


def test_the_map_is_a_plain_simulation():
    for rho in (0, 1):
        errors = simulate(p=zipf(0.5, 10), M=3, d=8, rho=rho, T=12, replicas=5000, seed=3)
        found = laws["error-map"](alpha=0.5, N=10, M=3, d=8, T=12, rho=rho)
        # The law is good to 1e-2 at 99 %, tripled.
        assert agrees(errors, found, slack=3e-2 * found)


def test_the_gaussian_error_two_ways():
    from asymp.theory.recall.gaussian_error import gaussian_error_digits, gaussian_slope_digits
    from asymp.theory.recall.limits import pi_M

    law = laws["exact-recall-error:asymptotic"]
    with mp.workdps(60):
        wanted = mp.erfc(mp.mpf(3) / 4) / 2  # M = 2: Phi(-a/sqrt 2), a = 3/2
        assert abs(law.evaluate(q=Fraction(3, 4), d=4, S=1, M=2, digits=50) / wanted - 1) < mp.mpf(10) ** -49
        found = gaussian_error_digits(a=mp.mpf("2.5"), M=3, digits=25)
        with mp.workdps(35):
            # The definition by plain quadrature; beyond 16 the normal density leaves less than 1e-55.
            direct = mp.quad(lambda t: mp.npdf(t) * (1 - mp.ncdf(mp.mpf("2.5") + t) ** 2), mp.linspace(-16, 16, 17))
        assert abs(found / direct - 1) < mp.mpf(10) ** -23
        # A guess among three is wrong two times in three. The slope against a difference quotient, good to 1e-10.
        assert abs(gaussian_error_digits(a=0, M=3, digits=50) - mp.mpf(2) / 3) < mp.mpf(10) ** -49
        slope = (
            gaussian_error_digits(a="2.5", M=7, digits=45) - gaussian_error_digits(a="2.5000000001", M=7, digits=45)
        ) * 10**10
        assert abs(gaussian_slope_digits(a=mp.mpf("2.5"), M=7, digits=30) / slope - 1) < mp.mpf(10) ** -9
    for a, M in ((0.5, 3), (3, 10), (6, 1000), (4, 10**5)):
        assert float(gaussian_error_digits(a=a, M=M, digits=17)) == pytest.approx(float(pi_M(a=a, M=M)), rel=1e-10)


def test_the_shortcut_is_its_integral_and_too_large():
    law = laws["exact-recall-error:shortcut"]
    for outputs in ("sphere", "gaussian"):
        values = {"q": 1.0, "d": 40, "S": 12.0, "M": 4}
        own, other = (
            laws["score-variance"](d=40, q=1, S_y=3, S=12, output=o, outputs=outputs) ** 0.5
            for o in ("target", "other")
        )
        wanted = 1 - scipy.integrate.quad(
            lambda t, own=own, other=other: scipy.stats.norm.pdf(t) * scipy.stats.norm.cdf((1 + own * t) / other) ** 3,
            -12, 12, epsabs=1e-13,
        )[0]  # fmt: skip
        assert law(**values, outputs=outputs) == pytest.approx(wanted, rel=1e-9)
    # Two inputs, two outputs on the sphere: e^(-d/8) for 2^(-d/2), 120 times too large at d = 20.
    assert (
        110 < law(q=1, d=20, S=2, M=2, outputs="sphere") / laws["exact-recall-error:binary"](alpha=0, N=2, d=20) < 130
    )
    # N = 100, M = 5, d = 1000 on the sphere: 2.2 times.
    exact = laws["fill-scheme:asymptotic"](N=100, M=5, d=1000)
    assert 2.1 < law(q=1, d=1000, S=100, M=5, outputs="sphere") / exact < 2.3


# -- bounds --------------------------------------------------------------------------------------------------------------


def upper_naive(alpha, N, M, d, rho, P):
    """The pair bound, loop by loop."""
    p = zipf(alpha, N)
    q2 = [p[x - 1] ** (2 * rho) if x <= P else 0.0 for x in range(1, N + 1)]
    S = [sum(q2[x - 1] for x in range(1, N + 1) if x % M == c) for c in range(M)]
    total = 0.0
    for x in range(1, N + 1):
        w, c, bound = q2[x - 1], x % M, 0.0
        for y in range(M):
            if y == c:
                continue
            rest = [S[k] for k in range(M) if k not in (c, y)]
            V = max(S[c] + S[y] - w, 0.0)
            v = max(V, (math.sqrt(w * w + 32 * w * max(rest, default=0)) - w) / 2)
            if v == 0:
                bound += 0.0 if w else 0.5
            else:
                kappa = w / (v * (v + w))
                rate = math.log1p(w / v) + kappa * (v - V)
                bound += 0.5 * math.exp(min(-d * rate / 2 + 4 * math.log(2) * kappa * sum(rest), 700))
            bound += 0.25 * 0.75 ** ((d - 1) / 2)
        total += p[x - 1] * min(1, (M - 1) / 2, bound)
    return min(1.0, total)


SCHEMES = {
    "alpha": st.floats(0, 3),
    "N": st.integers(3, 60),
    "M": st.integers(2, 7),
    "d": st.integers(2, 2000),
    "rho": st.floats(0, 1.2),
    "cut": st.floats(0.2, 1),
}


@settings(max_examples=40, deadline=None)
@given(**SCHEMES)
def test_the_upper_bound_is_its_loops(alpha, N, M, d, rho, cut):
    values = {"alpha": alpha, "N": N, "M": M, "d": d, "rho": rho, "P": max(1.0, cut * N)}
    # Beside the cap a rounding of 1e-13 decides nothing: the minimum is continuous.
    assert laws["finite-memory-upper"](**values) == pytest.approx(upper_naive(**values), rel=1e-9, abs=1e-300)


@settings(max_examples=60, deadline=None)
@given(alpha=st.floats(0, 3), N=st.integers(2, 60), d=st.integers(2, 3000), rho=st.floats(0, 1.2))
def test_the_upper_bound_holds_with_two_outputs_where_the_error_is_known(alpha, N, d, rho):
    values = {"alpha": alpha, "N": N, "d": d, "rho": rho}
    assert laws["finite-memory-upper"](**values, M=2) >= laws["exact-recall-error:binary"](**values) * (1 - 1e-12)


@pytest.mark.parametrize(
    ("M", "d", "rho", "N"), [(5, 400, 1, 200), (8, 200, 0, 100), (4, 60, 0.5, 30), (6, 3000, 0.7, math.inf)]
)
def test_both_upper_bounds_hold_and_the_pairs_are_tighter(M, d, rho, N):
    values = {"alpha": 1.5, "N": N, "M": M, "d": d, "rho": rho}
    exact = laws["exact-recall-error"](**values, outputs="sphere")
    pairs = laws["finite-memory-upper"](**values)
    assert exact * 0.997 < pairs <= laws["finite-memory-upper:source"](**values)
    if pairs < 0.1:
        assert pairs < 6 * exact


def added_up(e):
    """An expression with its sums added term by term, every part a number of 30 digits before it is compared."""
    if isinstance(e, sympy.Sum):
        (index, first, last), *inner = e.limits
        assert not inner
        terms = [added_up(e.function.subs(index, k)) for k in range(int(added_up(first)), int(added_up(last)) + 1)]
        return sympy.Add(*terms)
    if e.is_Atom:
        return e.evalf(30) if not e.is_Integer else e
    return e.func(*map(added_up, e.args)).doit().evalf(30)


@pytest.mark.parametrize("M", [2, 3])
def test_the_upper_bound_is_its_sympy_expression(M):
    law = laws["finite-memory-upper"]
    values = {"alpha": 2, "N": 4, "M": M, "d": 40, "rho": sympy.Rational(1, 2), "P": 3}
    written = added_up(law.expr.subs({law.symbols[k]: v for k, v in values.items()}))
    assert float(abs(law.evaluate(**values, digits=20) / written - 1)) < 1e-18


def test_the_upper_bound_has_its_digits():
    values = {"alpha": 1.5, "N": 40, "M": 4, "d": 200, "rho": 0.5}
    found = laws["finite-memory-upper"].evaluate(**values, digits=25)
    assert float(found) == pytest.approx(upper_naive(**values, P=40), rel=1e-11)


@pytest.mark.parametrize(
    ("alpha", "N", "M", "d", "rho", "P"),
    [(2, 300, 5, 3000, 1, 300), (1.5, 200, 4, 9000, 0.4, 120), (1, 50, 4, 9000, 0, 50)],
)
def test_the_infimum_of_theorem_one_is_taken(alpha, N, M, d, rho, P):
    p = zipf(alpha, N)
    q2 = np.where(np.arange(1, N + 1) <= P, p ** (2 * rho), 0.0)
    Q, total = max(q2[np.arange(1, N + 1) % M == c].sum() for c in range(M)), q2.sum()
    g = np.geomspace(1e-4, 50, 40_000)
    c = math.log(M) + g * math.log(d)
    limit = 16 * c * (Q + 8 * c * total / d) / d
    order = np.argsort(q2)
    mass = np.concatenate([[0.0], np.cumsum(p[order])])
    values = 2 * d**-g + mass[np.searchsorted(q2[order], limit, side="right")]
    # The grid is too coarse by a factor d^(3e-4 g) in the first term at most; below 1 + 5e-2 here.
    found = laws["finite-memory-upper:source"](alpha=alpha, N=N, M=M, d=d, rho=rho, P=P)
    assert found <= min(1, values.min()) * (1 + 1e-9)
    assert found >= min(1, values.min()) * 0.95
    assert float(
        laws["finite-memory-upper:source"].evaluate(alpha=alpha, N=N, M=M, d=d, rho=rho, P=P, digits=20)
    ) == pytest.approx(found, rel=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 4), st.integers(2, 5), st.integers(0, 10**6))
def test_no_weights_and_no_function_beat_the_minimax_bound(M, d, seed):
    from asymp.theory.recall.limits import SHARP_CONSTANT, finite_memory_lower

    rng = np.random.default_rng(seed)
    N = 200
    p = np.arange(1, N + 1) ** -1.5 / float(mp.zeta(1.5))  # the law of N = inf, its tail left out
    weights = rng.exponential(size=N) ** rng.uniform(0, 3) * (rng.random(N) < rng.uniform(0.1, 1))
    targets = rng.integers(M, size=N)
    if not np.any(weights):
        return
    lower = finite_memory_lower(p=p / p.sum(), N=N, M=M, d=d, weights=weights, targets=targets, constant=SHARP_CONSTANT)
    tail = 1 - p.sum()
    assert lower * p.sum() + SHARP_CONSTANT * tail >= laws["minimax"](alpha=1.5, M=M, d=d) * (1 - 1e-9)


def test_the_minimax_bound_has_its_digits():
    with mp.workdps(60):
        wanted = mp.ncdf(-1 / mp.sqrt(3)) * mp.zeta(2, 5 * 302 + 1) / mp.zeta(2)
        assert abs(laws["minimax"].evaluate(alpha=2, M=5, d=100, digits=50) / wanted - 1) < mp.mpf(10) ** -49
