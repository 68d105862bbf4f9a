"""Exponents: exact at rational parameters, the slope of the law at huge sizes, and the calculus that finds them."""

from fractions import Fraction as F

import mpmath
import pytest
import sympy
from mpmath import mpf

from asymp.theory import laws
from asymp.theory.regimes import growth

EXACT = [  # those that neither SLOPES nor the table of slopes looks at
    ("maximal-update:source", "N", {}, 0),
    ("maximal-update:corrected", "d", {}, -1),
    ("maximal-update:corrected", "N", {}, 1),
    ("maximal-update:ntk", "d", {}, -1),
    ("low-rank-capacity", "m", {}, 0),
    ("mlp-capacity", "m", {}, 0),
    ("lookup-mlp", "d", {}, sympy.oo),
    ("learned-inputs:all-items", "d", {}, sympy.oo),
    ("power-scheme", "d", {"alpha": 2, "rho": F(1, 4)}, 0),
    ("power-scheme", "d", {"alpha": 2, "rho": F(1, 8)}, 0),
    ("power-scheme:source", "N", {"alpha": 2, "rho": 1}, 0),
    ("power-scheme:source", "N", {"alpha": 2, "rho": F(1, 4)}, 0),
    ("power-scheme:asymptotic", "d", {"alpha": 3, "rho": F(1, 3)}, -1),
    ("power-scheme:samples", "d", {"alpha": 2}, 0),
    ("threshold-scheme:best", "d", {"alpha": 2, "rho": F(1, 4)}, -1),
    ("threshold-scheme:best", "d", {"alpha": 3, "rho": 1}, F(-1, 3)),
    ("optimal-scheme", "d", {"alpha": F(7, 4)}, F(-3, 4)),
    ("optimal-scheme:source", "d", {"alpha": F(7, 4)}, F(-3, 4)),
    ("joint-law:interference", "d", {"alpha": 2}, 0),
    ("fill-scheme", "d", {}, -sympy.oo),
    ("seen-s-times", "T", {}, 0),
    ("fill-is-best", "N", {"alpha": 2, "rho": F(1, 4)}, -1),
    ("finite-memory-upper", "d", {"alpha": 2, "rho": F(1, 5)}, 0),
    ("missing-mass:asymptotic", "T", {"alpha": 3}, F(-2, 3)),
    ("attention-learnability:signal-many", "T", {}, -2),
    ("attention-learnability:noise-narrow", "n", {}, -1),
    ("attention-learnability:noise-narrow", "d", {}, F(-3, 2)),
]


def rational(value):
    return sympy.Rational(value) if isinstance(value, F) else value


@pytest.mark.parametrize(("id", "variable", "values", "wanted"), EXACT)
def test_exponents_at_exact_rationals(id, variable, values, wanted):
    assert laws[id].exponent(variable, **{k: rational(v) for k, v in values.items()}) == rational(wanted)


@pytest.mark.parametrize("id", list(laws))
def test_every_size_of_a_law_has_an_exponent_or_no_rule(id):
    for name in laws[id].symbols:
        try:
            exponent = laws[id].exponent(name)
        except ValueError as error:
            assert "no rule" in str(error) or "give their values" in str(error)
            continue
        assert isinstance(exponent, sympy.Basic) and not exponent.has(sympy.nan, sympy.zoo)


def test_no_exponent_is_typed_that_the_formula_gives():
    typed = [(law, variable) for law in map(laws.get, laws) for variable in law.exponents]
    typed.remove((laws["three-gradient-steps:step-three"], "t"))  # for t below T; the formula goes on beyond
    for law, variable in typed:
        with pytest.raises(ValueError, match=r"no rule|give their values"):
            law.but(law.id, exponents={}).exponent(variable)


# -- the slope at huge sizes ---------------------------------------------------------------------------------------------

NEAR, FAR = 10**140, 10**280
"""A law N = x/log N with x ~ d^e has log N twice as large at FAR: its mean slope is e - log 2/log(10^140), up to log log
terms of relative order log(log N)/log N = .01 of that, 2e-5."""

SLOPES = [
    ("injective-capacity", {}, 2, 1),
    ("injective-capacity:source", {}, 2, 0),
    ("best-linear", {}, 2, 1),
    ("listwise", {"r": F(1, 10)}, 2, 0),
    ("binary-capacity", {}, 1, 1),
    ("binary-capacity:source", {}, 1, 0),
    ("binary-capacity:recall", {}, 1, 0),
    ("low-rank-capacity", {"m": 100}, 1, 1),
    ("low-rank-capacity:source", {"m": 100}, 1, 0),
    ("mlp-capacity", {"m": 100, "k": "2"}, 1, 1),
    ("mlp-capacity", {"m": 100, "k": "3"}, 1, 1),
    ("multi-input-capacity", {"m": 100, "M": 1000}, 0, 0),
    ("hopfield-capacity", {}, 1, 1),
    ("hopfield-capacity:with-errors", {}, 1, 0),
    ("dense-capacity", {"k": 2}, 1, 1),
    ("dense-capacity", {"k": 5}, 4, 1),
    ("quasi-orthogonality", {"P": 1000}, F(-1, 2), 0),
    ("quasi-orthogonality:source", {"P": 1000}, F(-1, 2), 0),
    ("attention-retrieval:rate", {"lam": 2}, 1, 0),
]


@pytest.mark.parametrize(("id", "values", "wanted", "logs"), SLOPES)
def test_exponents_are_exact_and_are_the_slope_at_huge_sizes(id, values, wanted, logs):
    law = laws[id]
    numbers = {k: sympy.Rational(v) for k, v in values.items() if k in law.symbols}
    assert sympy.nsimplify(law.exponent("d", **numbers)) == sympy.Rational(wanted)
    with mpmath.workdps(30):
        a, b = (law.evaluate(**values, d=size, digits=20) for size in (NEAR, FAR))
        decades = 140 * mpmath.log(10)
        slope = (mpmath.log(b) - mpmath.log(a)) / decades
        exponent = mpf(wanted.numerator) / wanted.denominator
        assert abs(slope - (exponent - logs * mpmath.log(2) / decades)) < 1e-4


@pytest.mark.parametrize("id", ["lookup-mlp", "learned-inputs:all-items"])
def test_the_logarithm_of_an_exponential_law_is_linear(id):
    a, b = (mpmath.log(laws[id].evaluate(d=size, digits=20)) for size in (2000, 4000))
    assert abs(b / a - 2) < 0.02  # up to log d


@pytest.mark.parametrize(("id", "d"), [("low-rank-capacity", 50), ("mlp-capacity", 50)])
def test_more_neurons_help_no_further(id, d):
    near, far = (laws[id].evaluate(d=d, m=m) for m in (10**60, 10**70))
    assert abs(near / far - 1) < 1e-14


def test_local_slopes_of_the_thresholds_of_attention():
    for name in ("source", "corrected"):
        law = laws[f"attention-learnability:{name}"]
        far, many = {"N": 10**6, "n": 10**9}, {"N": 100, "T": 50}
        slopes = {
            "T": mpmath.log10(law(**far, T=10**13) / law(**far, T=10**12)),
            "n": mpmath.log10(law(**many, n=10**13) / law(**many, n=10**12)),
        }
        for variable, slope in slopes.items():
            assert float(slope) == pytest.approx(float(law.exponent(variable)), abs=1e-9)


# -- declared exponents and their formulas -------------------------------------------------------------------------------


def test_infinite_values_go_into_the_formula():
    law = laws["joint-law:source"]
    assert law.exponent("d", alpha=2) == 0 and law.exponent("d", alpha=2, T=sympy.oo) == -1
    assert law.exponent("T", alpha=2, d=float("inf")) == sympy.Rational(-1, 2)
    alpha = law.symbols["alpha"]
    assert sympy.simplify(law.exponent("d", T=sympy.oo) - (1 - alpha)) == 0
    changed = law.but("changed", "d**(2 - alpha) + T**(-1 + 1/alpha)")
    assert changed.exponent("d", alpha=2, T=sympy.oo) == 0  # a changed formula has another exponent


ALONG = [
    *(("low-rank-capacity", {"m": mu}, min(1 + F(mu), 2)) for mu in ("0", "1/3", "1", "5/2")),
    *(("mlp-capacity", {"m": mu}, min(1 + F(mu), 3)) for mu in ("1/2", "2", "7/3")),  # neurons of degree 2
    *(
        ("multi-input-capacity", {"m": mu, "M": nu}, min(1, F(nu)) + min(F(mu), 4))
        # beyond m = d^3 only for many outputs: with M of order d a common part of the kernels is more than their chance overlap
        for mu, nu in (("1/2", "1/3"), ("3/2", "2"), ("9/2", "3"), ("6", "4"))
    ),
]
"""Laws of several sizes, along powers of d, and the exponent there by hand."""


@pytest.mark.parametrize(("id", "powers", "wanted"), ALONG)
def test_exponents_along_powers_of_the_dimension(id, powers, wanted):
    law, d = laws[id], laws[id].symbols["d"]
    expr = law.expr.subs({law.symbols[name]: d ** sympy.Rational(power) for name, power in powers.items()})
    assert growth(expr, d) == sympy.Rational(wanted)


@pytest.mark.parametrize("alpha", [F(6, 5), F(3, 2), F(7, 4), F(3)])
def test_the_growth_of_a_sum_is_a_maximum_in_every_regime(alpha):
    # The case that SymPy's limit gets wrong for alpha > 3/2.
    d, a = sympy.symbols("d a", positive=True)
    found = growth(d ** (1 - a) + d ** sympy.Rational(-1, 2), d).subs(a, sympy.Rational(alpha))
    assert found == max(1 - alpha, F(-1, 2))


def test_growth_of_products_powers_logs_and_exponentials():
    d = sympy.Symbol("d", positive=True)
    assert growth(3 * d**2 * sympy.log(d) / (d + 1) ** 3, d) == -1
    assert growth(sympy.exp(-d), d) == -sympy.oo
    assert growth(2 ** (d**2), d) == sympy.oo
    with pytest.raises(ValueError, match="no rule"):
        growth(sympy.sin(d), d)


# -- the table of slopes -------------------------------------------------------------------------------------------------

DEAD = {
    ("score-variance:source", "n_y = 0"),
    ("maximal-update:source", "N = d^2"),
    ("mlp-capacity:source", "m = d^3"),
    ("multi-input-capacity:source", "M = d^0.5"),
    ("missing-mass:source", "N = 1000"),
    ("power-scheme:source", "N = 1000"),
    ("threshold-scheme:source", "P = d/8, M = 2"),
    ("threshold-scheme:source", "P = d/8, M = 5"),
    ("minimax:source", "f injective"),
    ("at-most-d:source", "f injective"),
    ("joint-law:source", "P = d/8, M = 2"),
    ("seen-s-times:source", "s = 1, d = 1000"),
}
"""Rates of sources that do not survive in a regime, as the ledger and the errata say."""


def test_all_slopes():
    from slopes import slope_table

    rows = slope_table()
    for row in rows:
        dead = any(row.law == law and words in row.setting for law, words in DEAD)
        dead |= row.law == "seen-s-times:source" and row.variable == "d" and row.size == 1e9
        assert row.verdict == ("does not survive" if dead else "survives"), row
    assert sum(row.verdict == "does not survive" for row in rows) == 13 and len(rows) > 70
