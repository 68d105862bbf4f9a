"""What a theorist writes in formulas and does with laws: every function on both sides, solving, differentiating, drawing."""

import math

import pytest
import sympy
from mpmath import mp

from asymp.theory import Param, integer, law, laws

PARAMS = {"n": Param(integer(1), (4, 64)), "x": (0.1, 10)}
AT = {"n": 12, "x": 0.7}
# Values from definitions, by loops and by mpmath.
EXPECTED = {
    "LambertW(n)": lambda: mp.lambertw(12).real,
    "LambertW(-exp(-1 - x), -1)": lambda: mp.lambertw(-mp.exp(mp.mpf(-17) / 10), -1).real,
    "Sum(1/k, (k, 1, n))": lambda: sum(1 / mp.mpf(k) for k in range(1, 13)),
    "Sum(j*k, (j, 1, k), (k, 1, n))": lambda: sum(mp.mpf(j * k) for k in range(1, 13) for j in range(1, k + 1)),
    "Sum(k**-2, (k, n, oo))": lambda: mp.zeta(2, 12),
    "Sum(k**-(x + 1), (k, n, oo))": lambda: mp.zeta(mp.mpf(17) / 10, 12),
    "Sum(1/(k*(k + 1)), (k, n, oo))": lambda: 1 / mp.mpf(12),
    "Sum((1 - 1/n)**k, (k, 0, oo))": lambda: mp.mpf(12),
    "harmonic(n)": lambda: sum(1 / mp.mpf(k) for k in range(1, 13)),
    "Piecewise((1/n, n < 10), (1/n**2, True))": lambda: 1 / mp.mpf(144),
    "Min(1, 10/n) + Max(n, x)": lambda: mp.mpf(10) / 12 + 12,
    "zeta(x + 1)": lambda: mp.zeta(mp.mpf(17) / 10),
    "abs(-x) + ln(x)": lambda: mp.mpf(7) / 10 + mp.log(mp.mpf(7) / 10),
    "Integral(exp(-t**2/n), (t, 0, x))": lambda: mp.sqrt(12 * mp.pi) / 2 * mp.erf(mp.mpf(7) / 10 / mp.sqrt(12)),
    "erf(x)": lambda: mp.erf(mp.mpf(7) / 10),
}


@pytest.mark.parametrize("formula", EXPECTED)
def test_functions_have_both_sides(formula):
    one = law("one", formula, relation="=", params=PARAMS)
    with mp.workdps(30):
        expected = EXPECTED[formula]()
    assert one(**AT) == pytest.approx(float(expected), rel=1e-13)
    assert float(one.evaluate(n=12, x=sympy.Rational(7, 10), digits=25)) == pytest.approx(float(expected), rel=1e-14)
    assert one(n=[12, 3], x=0.7)[0] == pytest.approx(float(expected), rel=1e-13)


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("Sum(1/k, (k, 1, oo))", "not finite"),
        ("Sum(1/k, (k, 1, 10**6*n))", "too long to be added up"),
        ("Sum(log(k)/k**2, (k, n, oo))", "no closed form"),
        ("Sum(Sum(Sum(i/(j + k), (i, 1, 1000)), (j, 1, 1000)), (k, 1, 1000))", "a sum of 9.97e.08 terms is too long"),
        ("sqrt(1, 2)", "sqrt takes 1 number"),
        ("a" * 5000, "uses a.{75} ..., which"),
        ("LambertW(n, -1)", "not finite"),
        ("LambertW(-n)", "not finite"),
    ],
)
def test_what_has_no_real_value_is_one_sentence(formula, words):
    with pytest.raises(ValueError, match=words):
        law("one", formula, relation="=", params=PARAMS)(**AT)


def test_a_law_is_solved_without_being_asked_far_from_the_solution():
    assert laws["missing-mass"].solve("alpha", value=0.1, T=1000) == pytest.approx(1.4838, rel=1e-4)
    with pytest.raises(ValueError, match="value must be a number"):
        laws["missing-mass"].solve("T", value="x", alpha=2)


def test_a_law_is_solved_for_a_parameter():
    gap = law("gap", "1/(n + 1)", relation="=", params={"n": Param(integer(1), (4, 64))})
    assert gap.solve("n", value=0.1) == pytest.approx(9)
    assert gap.solve(sympy.Symbol("n"), value=1 / 3.5) == pytest.approx(2.5)  # whole numbers are relaxed
    source = laws["threshold-scheme:source"]
    assert source.relaxed()(alpha=2, d=source.solve("d", value=0.1, alpha=2)) == pytest.approx(0.1)
    both = law("both", "(x - 2)*(x - 5)", relation="=", params={"x": (0, 10)})
    assert both.solve("x", value=0) == pytest.approx(2) and both.solve("x", value=0, between=(3, 9)) == pytest.approx(5)
    with pytest.raises(
        ValueError, match=r"is nowhere 3 for n from 1 to 1e\+15: its values there go from 1e-15 to 0\.5"
    ):
        gap.solve("n", value=3)
    with pytest.raises(ValueError, match="there is no parameter of law 'gap' named 'm'"):
        gap.solve("m", value=3)


def test_a_pole_or_a_jump_is_no_solution():
    risk = law("risk", "p/(n - p - 1)", relation="=", params={"n": integer(1), "p": integer(1)})
    assert risk.solve("n", value=0.1, p=10) == pytest.approx(111)  # and not 11, where it changes sign
    steps = law("steps", "floor(x/3)", relation="=", params={"x": (1, 100)})
    steep = law("steep", "tanh(1000*(x - 3))", relation="=", params={"x": (1, 100)})
    assert steps.solve("x", value=4) >= 12 and steep.solve("x", value=0.5) == pytest.approx(3 + math.atanh(0.5) / 1000)
    with pytest.raises(ValueError, match=r"is nowhere 0\.5 for x"):
        steps.solve("x", value=0.5)
    with pytest.raises(ValueError, match="value must be a number, what the law is to be; got nan"):
        risk.solve("n", value=math.nan, p=10)


def test_a_derivative_is_a_formula_or_one_sentence():
    corner = law("corner", "c/d + Min(1, 10/d)", relation="~", params={"c": (0, "oo"), "d": (1, "oo")})
    assert corner.diff("d").diff("d")(c=1, d=100) == pytest.approx(2e-6 + 20e-6)
    for formula in ("floor(n/3)", "zeta(n)", "Sum(1/k, (k, 1, n))"):
        with pytest.raises(ValueError, match="law 'one' has no derivative in n that is a formula: "):
            law("one", formula, relation="=", params=PARAMS).diff("n")


def test_a_law_is_differentiated_and_relaxed():
    power = law("power", "c*d**-b", relation="~", params={"c": (0, "oo"), "d": Param(integer(1)), "b": (0, 4)})
    slope = power.diff("d")
    assert slope(c=2, d=4, b=1) == -2 / 16 and slope.relation == "="
    assert power.diff(sympy.Symbol("c"))(c=2, d=4, b=1) == 0.25
    assert power.relaxed("d")(c=1, d=2.5, b=1) == 0.4 and power.relaxed().domain["d"].kind == "real"
    with pytest.raises(ValueError, match="d must be an integer"):
        power(c=1, d=2.5, b=1)


def test_a_law_is_drawn():
    drawn = laws["missing-mass:asymptotic"].plot("T", alpha=[1.5, 2], between=(10, 1000))
    [axes] = drawn.axes
    assert [line.get_label() for line in axes.lines] == ["alpha = 1.5", "alpha = 2"]
    at, values = axes.lines[1].get_data()
    assert at[0] == pytest.approx(10) and values[-1] == laws["missing-mass:asymptotic"](alpha=2, T=float(at[-1]))
    assert axes.get_xscale() == "log" and not math.isnan(values[0])
    with pytest.raises(ValueError, match=r"T runs along the figure; give its range as between=\(low, high\)"):
        laws["missing-mass:asymptotic"].plot("T", alpha=2, T=(10, 1000))


def test_an_expression_that_is_none_is_refused():
    with pytest.raises(ValueError, match="must be text, a SymPy expression or a function; got 3"):
        law("three", 3, relation="=", params=PARAMS)
