"""Each law of the ledger against a second route, as naive as the text of the paper."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asymp.theory import laws


@settings(max_examples=60, deadline=None)
@given(alpha=st.floats(0, 4), N=st.integers(1, 200), T=st.integers(0, 5000))
def test_missing_mass_is_the_plain_sum(alpha, N, T):
    p = np.arange(1, N + 1) ** -alpha
    p /= p.sum()
    wanted = math.fsum(p * (1 - p) ** T)
    # (1 - p)^T in floats loses T eps relatively: 5000 * 1e-16; values that underflow are compared absolutely.
    assert laws["missing-mass"](alpha=alpha, T=T, N=N) == pytest.approx(wanted, rel=1e-10, abs=1e-300)


def test_missing_mass_at_infinity_by_the_binomial_theorem():
    # sum_x p (1-p)^T = sum_k binom(T, k) (-1)^k C^(k+1) zeta(alpha (k+1)), exact for whole T.
    for alpha, T in ((2, 10), (Fraction(3, 2), 40), (3, 60)):
        with mpmath.workdps(120):
            a = mpmath.mpf(alpha.numerator) / alpha.denominator
            C = 1 / mpmath.zeta(a)
            wanted = mpmath.fsum(
                mpmath.binomial(T, k) * (-1) ** k * C ** (k + 1) * mpmath.zeta(a * (k + 1)) for k in range(T + 1)
            )
            found = laws["missing-mass"].evaluate(alpha=alpha, T=T, digits=50)
            assert abs(found / wanted - 1) < mpmath.mpf(10) ** -49


@pytest.mark.parametrize("alpha", [1.3, 2, 3])
def test_the_expansion_is_right_to_its_order(alpha):
    # What is left out is of relative order T^-2: from T to 10 T the error falls about a hundredfold. Near alpha = 2
    # the next power, T^(-1/alpha) of a boundary term, is exponentially small, so two digits a decade are seen.
    def off(T):
        exact = laws["missing-mass"].evaluate(alpha=alpha, T=T, digits=30)
        return float(abs(laws["missing-mass:asymptotic"].evaluate(alpha=alpha, T=T, digits=30) / exact - 1))

    for T in (1000, 10_000):
        assert off(T) < 10 / T**2
        assert off(10 * T) < off(T) / 50


def test_the_expansion_is_tight_where_the_leading_term_is_not():
    exact = laws["missing-mass"](alpha=2, T=20)
    corrected = laws["missing-mass:asymptotic"](alpha=2, T=20)
    leading = corrected / (1 - 0.5 * 1.5 / 40)
    assert abs(corrected / exact - 1) < abs(leading / exact - 1) / 5


@settings(max_examples=60, deadline=None)
@given(
    alpha=st.floats(0.1, 3),
    N=st.integers(1, 120),
    M=st.integers(2, 9),
    d=st.integers(2, 300),
    rho=st.floats(0, 2),
    P=st.one_of(st.just(math.inf), st.floats(1, 150)),
)
def test_the_lower_bound_is_the_plain_set(alpha, N, M, d, rho, P):
    x = np.arange(1, N + 1)
    p = x**-alpha / np.sum(x**-alpha)
    q = np.where(x <= P, p**rho, 0.0)
    Q = max(float(np.sum(q[x % M == y] ** 2)) for y in range(M))
    gap = 3 * (d + 1) * q**2 - Q
    # At equality up to rounding the two ways may differ: leave those settings to the exact test below.
    if np.any(np.abs(gap) < 1e-12 * Q):
        return
    wanted = float(np.sum(p[gap <= 0]))
    values = {"alpha": alpha, "N": N, "M": M, "d": d, "rho": rho, "P": P}
    assert laws["finite-memory-lower:source"](**values) == pytest.approx(wanted / 20, rel=1e-10, abs=1e-15)
    assert laws["finite-memory-lower"](**values) == pytest.approx(
        wanted * float(mpmath.ncdf(-1 / mpmath.sqrt(3))), rel=1e-10, abs=1e-15
    )


@pytest.mark.parametrize("rho", [0, 1])
def test_the_lower_bound_is_its_sympy_expression(rho):
    # SymPy adds the terms of the declared sum one by one, in rational arithmetic.
    import sympy

    law = laws["finite-memory-lower:source"]
    values = {"alpha": 2, "N": 9, "M": 2, "d": 2, "rho": rho, "P": 7}
    expr = law.expr.subs({law.symbols[k]: v for k, v in values.items()}).doit()
    assert float(sympy.nsimplify(expr)) == pytest.approx(law(**values), rel=1e-12)


def test_the_source_bound_of_the_variance_holds_with_eight_and_no_less():
    # The exact variance over the source's expression at q = 1, over all small settings with inputs for y.
    law, source = laws["score-variance"], laws["score-variance:source"]
    worst = 0.0
    for d in (1, 2, 3, 5, 10, 100, 10_000):
        for n_y in (1, 2, 5, 50):
            for n_other in (0, 1, 2, 10, 1000):
                for output in ("target", "other"):
                    if output == "other" and n_other == 0:
                        continue
                    exact = law(d=d, q=1, S_y=n_y, S=n_y + n_other, output=output)
                    worst = max(worst, exact / source(d=d, n_y=n_y, n_other=n_other))
    assert worst == pytest.approx(8, rel=1e-12)


def test_the_source_bound_fails_for_an_output_without_inputs():
    exact = laws["score-variance"](d=1000, q=1, S_y=0, S=1, output="other")
    assert exact / laws["score-variance:source"](d=1000, n_y=0, n_other=1) == pytest.approx(1002, rel=1e-12)
    assert exact / laws["score-variance:corrected"](d=1000, n_y=0, n_other=1) < 2


def test_the_domain_of_the_variance_is_one_of_real_memories():
    with pytest.raises(ValueError, match="S_y must be at most S"):
        laws["score-variance"](d=4, q=1, S_y=3, S=2)
    with pytest.raises(ValueError, match="q\\^2 must be at most"):
        laws["score-variance"](d=4, q=2, S_y=3, S=5)


@pytest.mark.parametrize(
    ("id", "values", "words"),
    [
        ("missing-mass", {"alpha": 1, "T": 10}, "alpha must exceed 1 when N is infinite"),
        ("missing-mass", {"alpha": 0.5, "T": 10}, "pass a finite N"),
        ("missing-mass", {"alpha": 2, "T": -1}, "T must be a number >= 0; got -1"),
        ("missing-mass", {"alpha": 2, "T": math.nan}, "T must be"),
        ("missing-mass", {"alpha": 2, "T": 5, "N": 0}, "N must be an integer >= 1"),
        ("missing-mass:source", {"alpha": 1, "T": 10}, "alpha must be a number > 1; got 1; .* pass a finite N"),
        ("finite-memory-lower", {"alpha": 2, "N": 9, "M": 1, "d": 4}, "M must be an integer >= 2; got 1"),
        ("finite-memory-lower", {"alpha": 2, "N": 9, "M": 2, "d": 0}, "d must be an integer >= 2; got 0"),
        ("finite-memory-lower", {"alpha": 2, "N": math.inf, "M": 2, "d": 9}, "2 rho alpha must exceed 1"),
    ],
)
def test_bad_input_names_the_argument_and_what_would_be_right(id, values, words):
    with pytest.raises(ValueError, match=words):
        laws[id](**values)
    with pytest.raises(ValueError, match=words):
        laws[id].evaluate(**values, digits=20)
