"""Section 3, exponents, errata and bad input."""

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy

from asymp.theory import laws

# -- exponents -----------------------------------------------------------------------------------------------------------

F = Fraction


@pytest.mark.parametrize(
    ("id", "variable", "values", "wanted"),
    [
        ("power-scheme", "d", {"alpha": 2, "rho": 1}, F(-1, 4)),
        ("power-scheme", "d", {"alpha": F(3, 2), "rho": F(1, 2)}, F(-1, 3)),
        ("power-scheme", "d", {"alpha": 2, "rho": F(1, 4)}, 0),
        ("power-scheme", "d", {"alpha": 2, "rho": F(1, 8)}, 0),
        ("power-scheme:source", "d", {"alpha": 2, "rho": F(1, 10)}, F(-5, 2)),
        ("power-scheme:source", "N", {"alpha": 2, "rho": 1}, 0),
        ("power-scheme:source", "N", {"alpha": 2, "rho": F(1, 4)}, 0),
        ("power-scheme:source", "N", {"alpha": 2, "rho": F(1, 10)}, F(3, 2)),
        ("power-scheme:asymptotic", "d", {"alpha": 3, "rho": F(1, 3)}, -1),
        ("power-scheme:samples", "d", {"alpha": 2}, 0),
        ("threshold-scheme:source", "d", {"alpha": 2, "rho": 0}, -1),
        ("threshold-scheme:source", "d", {"alpha": 2, "rho": 1}, F(-1, 5)),
        ("threshold-scheme:source", "d", {"alpha": F(3, 2), "rho": F(1, 3)}, F(-1, 4)),
        ("threshold-scheme:best", "d", {"alpha": 2, "rho": 0}, -1),
        ("threshold-scheme:best", "d", {"alpha": 2, "rho": F(1, 4)}, -1),
        ("threshold-scheme:best", "d", {"alpha": 2, "rho": F(1, 2)}, F(-1, 2)),
        ("threshold-scheme:best", "d", {"alpha": 3, "rho": 1}, F(-1, 3)),
        ("threshold-scheme:best-P", "d", {}, 1),
        ("optimal-scheme", "d", {"alpha": F(7, 4)}, F(-3, 4)),
        ("optimal-scheme:source", "d", {"alpha": F(7, 4)}, F(-3, 4)),
        ("minimax", "d", {"alpha": 3}, -2),
        ("minimax:injective", "d", {"alpha": 3}, -4),
        ("at-most-d", "d", {}, 1),
        ("at-most-d:injective", "d", {}, 2),
        ("joint-law", "d", {"alpha": F(5, 2)}, F(-3, 2)),
        ("joint-law", "T", {"alpha": F(5, 2)}, F(-3, 5)),
        ("joint-law:path", "T", {"alpha": 2, "b": F(1, 4)}, F(-1, 4)),
        ("joint-law:path", "T", {"alpha": 2, "b": F(1, 2)}, F(-1, 2)),
        ("joint-law:path", "T", {"alpha": 2, "b": F(3, 4)}, F(-1, 2)),
        ("joint-law:interference", "d", {"alpha": 2}, 0),
        ("fill-scheme:source", "d", {"k": 3}, -3),
        ("fill-scheme", "d", {}, -sympy.oo),
        ("seen-s-times", "T", {}, 0),
        ("seen-s-times:source", "T", {"alpha": 4}, F(-3, 4)),
        ("fill-is-best", "N", {"alpha": 2, "rho": 0}, -1),
        ("fill-is-best", "N", {"alpha": 2, "rho": F(1, 4)}, -1),
        ("fill-is-best", "N", {"alpha": 2, "rho": 1}, -4),
        ("finite-memory-upper", "d", {"alpha": 2, "rho": 1}, F(-1, 4)),
        ("finite-memory-upper", "d", {"alpha": 2, "rho": F(1, 5)}, 0),
    ],
)
def test_exponents_at_exact_rationals(id, variable, values, wanted):
    # Law.exponent takes numbers; Fractions stand for them exactly.
    exact = {k: sympy.Rational(v) if isinstance(v, Fraction) else v for k, v in values.items()}
    assert laws[id].exponent(variable, **exact) == (sympy.Rational(wanted) if isinstance(wanted, Fraction) else wanted)


def test_declared_exponents_are_those_of_the_formula():
    from asymp.theory.rates.calculus import growth_exponent

    for id, variable in (
        ("threshold-scheme:source", "d"),
        ("power-scheme:source", "d"),
        ("optimal-scheme:source", "d"),
    ):
        law = laws[id]
        derived = growth_exponent(law.expr, law.symbols[variable])
        assert sympy.simplify(derived - law.exponent(variable)) == 0
    # Sums at fixed others: what is declared is for the other variable infinite, the growth at fixed others is 0.
    alpha = laws["joint-law:source"].symbols["alpha"]
    derived = growth_exponent(laws["joint-law:source"].expr, laws["joint-law:source"].symbols["d"])
    assert derived.subs(alpha, 2) == 0 and laws["joint-law:source"].exponent("d", alpha=2) == -1


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


def check_slope(row):
    """The verdict that the ledger and the errata lead one to expect."""
    dead = any(row.law == law and words in row.setting for law, words in DEAD)
    dead |= row.law == "seen-s-times:source" and row.variable == "d" and row.size == 1e9
    assert row.verdict == ("does not survive" if dead else "survives"), row


def test_all_slopes():
    from asymp.theory.rates.slopes import slope_table, slope_text

    rows = slope_table()
    for row in rows:
        check_slope(row)
    assert sum(row.verdict == "does not survive" for row in rows) == 13 and len(rows) > 70
    text = slope_text(rows=rows)
    assert text.count("\n") == len(rows) and "does not survive" in text


# -- errata and bad input ------------------------------------------------------------------------------------------------


def test_every_erratum_of_the_section_names_its_correction():
    ours = [id for id in laws if laws[id].errata and id.split(":")[0] in {*OURS}]
    assert {id.split(":")[0] for id in ours} >= {
        "exact-recall-error", "power-scheme", "threshold-scheme", "optimal-scheme", "minimax", "at-most-d", "joint-law",
        "fill-scheme", "seen-s-times", "fill-is-best",
    }  # fmt: skip
    for id in ours:
        for erratum in laws[id].errata:
            assert laws[erratum.corrected_by] and erratum.regime and erratum.discrepancy


OURS = (
    "finite-memory-upper", "exact-recall-error", "power-scheme", "threshold-scheme", "optimal-scheme", "minimax", "at-most-d",
    "joint-law", "fill-scheme", "seen-s-times", "fill-is-best", "error-map",
)  # fmt: skip


@pytest.mark.parametrize(
    ("id", "values", "words"),
    [
        ("finite-memory-upper:source", {"alpha": 2, "N": 9, "M": 5, "d": 12}, "d must exceed 8 log M"),
        ("finite-memory-upper", {"alpha": 2, "N": math.inf, "M": 5, "d": 12}, "2 rho alpha must exceed 1"),
        (
            "exact-recall-error",
            {"alpha": 0.5, "N": math.inf, "M": 5, "d": 12, "rho": 2},
            "alpha must exceed 1 when N is inf",
        ),
        ("exact-recall-error", {"alpha": 2, "N": 9, "M": 1, "d": 12}, "M must be an integer >= 2; got 1"),
        ("exact-recall-error", {"alpha": 2, "N": 9, "M": 2, "d": 2.5}, "d must be an integer"),
        ("exact-recall-error", {"alpha": 2, "N": 9, "M": 2, "d": 2, "outputs": "cube"}, "outputs must be one of"),
        ("exact-recall-error:shortcut", {"q": 2, "d": 9, "S": 4, "M": 2}, "q\\^2 must be at most S/M"),
        ("power-scheme", {"alpha": 2, "rho": 0.2, "M": 3, "d": 10}, "2 rho alpha must exceed 1"),
        ("power-scheme:asymptotic", {"alpha": 2, "rho": 0.25, "M": 3, "d": 10}, "2 rho alpha must exceed 1"),
        ("threshold-scheme:source", {"alpha": 1, "d": 10}, "alpha must be a number > 1"),
        ("minimax:injective", {"alpha": 2, "N": 10**6, "d": 5}, "nothing is stored otherwise"),
        ("at-most-d", {"M": 2, "d": 10, "e": 0.5}, "e must be below 1 - 1/M"),
        ("fill-scheme:asymptotic", {"N": 10, "M": 4, "d": 9}, "N must be a multiple of M"),
        ("fill-is-best:crossover", {"alpha": 0, "N": 10, "M": 4}, "alpha must be a number > 0"),
        ("seen-s-times", {"alpha": 2, "T": 10, "s": 0, "d": 9, "M": 3}, "s must be an integer >= 1; got 0"),
        ("joint-law", {"alpha": 2, "T": math.nan, "d": 9, "M": 3}, "T must be"),
        ("error-map", {"d": 9, "T": -1, "rho": 0}, "T must be an integer >= 0"),
    ],
)
def test_bad_input_names_the_argument_and_what_would_be_right(id, values, words):
    with pytest.raises(ValueError, match=words):
        laws[id](**values)


def test_laws_take_arrays_and_symbols():
    found = laws["exact-recall-error"](alpha=2, N=20, M=2, d=[4, 8], rho=[[0], [1]], outputs="sphere")
    assert found.shape == (2, 2) and np.all(found > 0)
    x = sympy.Symbol("x", positive=True)
    assert laws["joint-law:source"](alpha=2, T=100, d=x) == 1 / x + sympy.Rational(1, 10)
    assert laws["joint-law:interference"](alpha=2, T=[100, math.inf], d=[[80], [800]], M=3).shape == (2, 2)
