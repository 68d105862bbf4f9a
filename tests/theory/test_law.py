"""A law validates its arguments, evaluates in every form and derives what follows from its expression."""

from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from asymp import theory
from asymp.theory import Param, law, laws, real
from asymp.theory.laws import paragraphs


@pytest.fixture
def rate():
    return law(
        "my-rate",
        "c * d**(-b)",
        relation="~",
        params={"d": Param(real(1), (16, 4096)), "b": Param(real(0, 4), (0.5, 2)), "c": Param(real(0), (1, 2))},
        source="mine",
    )


def test_numbers_arrays_and_symbols(rate):
    assert rate(c=2, d=100, b=1) == pytest.approx(0.02, rel=1e-15)
    assert isinstance(rate(c=2, d=100, b=1), float)
    np.testing.assert_allclose(rate(c=2, d=[1, 10, 100], b=1), [2, 0.2, 0.02], rtol=1e-15)
    x = sympy.Symbol("x", positive=True)
    assert rate(c=1, d=x, b=sympy.Rational(1, 2)) == 1 / sympy.sqrt(x)


def test_a_constant_formula_has_the_shape_of_its_arguments():
    flat = law("flat", "3", relation="=", params={"d": (1, "oo")})
    np.testing.assert_array_equal(flat(d=[1, 2, 3]), [3, 3, 3])


@given(st.integers(5, 60))
def test_digits_agree_with_an_independent_power(digits):
    root = law("root", "d**(1/3)", relation="=", params={"d": (1, "oo")})
    with mpmath.workdps(digits + 20):
        wanted = mpmath.cbrt(7)
        assert abs(root.evaluate(d=7, digits=digits) / wanted - 1) < mpmath.mpf(10) ** (1 - digits)


def test_digits_survive_cancellation():
    # (1 + 1/d) - 1 loses 60 digits at d = 1e60 unless the precision grows.
    lost = law("lost", "(1 + 1/d) - 1 + sin(1)**2 + cos(1)**2 - 1", relation="=", params={"d": (1, "oo")})
    with mpmath.workdps(40):
        assert mpmath.almosteq(lost.evaluate(d=10**60, digits=30), mpmath.mpf(10) ** -60, rel_eps=1e-29)


def test_a_value_that_cancels_is_not_taken_for_zero():
    # 1 - d^(-1/1e280) is about log(d)/1e280: 300 digits are lost before the first one shows.
    lost = law("lost", "1 - 10**(-1/d)", relation="=", params={"d": (1, "oo")})
    with mpmath.workdps(40):
        wanted = mpmath.log(10) / mpmath.mpf(10) ** 280
        assert mpmath.almosteq(lost.evaluate(d=10**280, digits=30), wanted, rel_eps=1e-29)
    zero = law("zero", "d - d", relation="=", params={"d": (1, "oo")})
    assert zero.evaluate(d=7, digits=30) == 0


def test_fractions_are_exact(rate):
    with mpmath.workdps(50):
        assert mpmath.almosteq(
            rate.evaluate(c=Fraction(11, 10), d=1, b=0, digits=40), mpmath.mpf(11) / 10, rel_eps=1e-39
        )


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"c": 1, "d": [3, -1], "b": 1}, "got -1"),
        ({"c": 1, "dd": 3, "b": 1}, "did you mean 'd'"),
        ({"c": 1, "b": 1}, "needs d"),
        ({"c": [1, 2], "d": [1, 2, 3], "b": 1}, "do not fit together"),
    ],
)
def test_bad_values_are_named(rate, values, words):
    with pytest.raises(ValueError, match=words):
        rate(**values)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"relation": "=="}, "relation must be one of"),
        ({"params": {"d": (1,)}}, "pair"),
        ({"params": {"d": (4, 1)}}, "low < high"),
        ({"params": {"d": Param(real(1), (0, 4))}}, "typical range of d"),
        ({"params": {"d": Param(real(1), (4, 2))}}, "low <= high"),
        ({"expression": "d +"}, "is not a formula"),
    ],
)
def test_bad_declarations_are_named(change, words):
    given = {"expression": "d", "relation": "=", "params": {"d": (1, "oo")}, **change}
    with pytest.raises(ValueError, match=words):
        law("bad", given.pop("expression"), **given)


def test_a_decimal_is_the_number_that_it_says():
    tenth = law("tenth", "0.1 * d**0.5", relation="=", params={"d": (1, "oo")})
    assert tenth.expr == sympy.sqrt(tenth.symbols["d"]) / 10
    with mpmath.workdps(60):
        assert abs(tenth.evaluate(d=9, digits=50) - mpmath.mpf(3) / 10) < mpmath.mpf(10) ** -50


def test_an_undeclared_symbol_is_named():
    with pytest.raises(ValueError, match="uses e, which"):
        _ = law("bad", "d + e", relation="=", params={"d": (1, "oo")}).expr


def test_names_that_sympy_knows_are_still_symbols():
    odd = law("odd", "S + N + E + Q", relation="=", params=dict.fromkeys("SNEQ", real(0)))
    assert odd(S=1, N=2, E=3, Q=4) == 10


def test_exponents(rate):
    assert rate.exponent("d") == -sympy.Symbol("b", real=True, nonnegative=True)
    assert rate.exponent("d", b=2) == -2
    assert laws["missing-mass"].exponent("T", alpha=2) == sympy.Rational(-1, 2)
    alpha = laws["missing-mass:source"].symbols["alpha"]
    assert laws["missing-mass:source"].exponent("T") - (-1 + 1 / alpha) == 0
    # The finite-size expression and the declared one agree.
    assert sympy.simplify(laws["missing-mass:asymptotic"].exponent("T") - (-1 + 1 / alpha)) == 0


def test_a_word_that_is_a_number_may_be_one():
    one = laws["near-orthogonality"]
    assert one(d=5, order=4) == one(d=5, order="4") == one.evaluate(d=5, order=4)
    assert one.variant(order=4) == one.variant(order="4") and one.exponent("d", order=4) == -2
    with pytest.raises(ValueError, match="order must be one of '2', '4', '6'; got 3"):
        one(d=5, order=3)


def test_a_word_has_no_exponent():
    with pytest.raises(ValueError, match="output of law 'score-variance' is a word, not a size; .* d, q, S_y, S"):
        laws["score-variance"].exponent("output")
    # the words given count: a gaussian length grows the fourth moment of one embedding only
    assert laws["near-orthogonality"].exponent("d", order="4") == -2
    assert laws["near-orthogonality"].exponent("d", of="norm", embeddings="sphere") == 0


def test_formulas_print(rate):
    assert rate.latex() == r"E \asymp c d^{- b}"
    assert rate.mathml().startswith("<math") and "<mi>d</mi>" in rate.mathml()
    assert "my-rate" in repr(rate)
    assert rate._repr_latex_().startswith("$")


def test_the_book_of_laws():
    import asymp.theory

    assert asymp.theory.missing_mass is laws["missing-mass"]
    assert {"score-variance", "missing-mass", "finite-memory-lower"} <= set(laws)
    with pytest.raises(ValueError, match="did you mean 'missing-mass'"):
        laws["missing-mas"]
    with pytest.raises(AttributeError):
        _ = asymp.theory.no_such_law


def test_no_module_stands_in_the_way_of_a_law_or_a_function():
    # A module that has been imported is an attribute of its package: its name must not be a law's or a function's.
    import pkgutil

    import asymp.theory

    modules = {module.name for module in pkgutil.iter_modules(asymp.theory.__path__)}
    laws_by_name = {id.replace("-", "_") for id in laws if ":" not in id}
    assert not modules & laws_by_name
    assert not modules & set(asymp.theory.FUNCTIONS)
    assert not laws_by_name & set(asymp.theory.FUNCTIONS)
    assert all(callable(getattr(asymp.theory, name)) for name in asymp.theory.FUNCTIONS)


# What no source states: derived for this project, or shown as a figure only.
UNSTATED = {"error-map", "exact-recall-error", "in-context-denoising", "induction-weights", "score-covariance"}


def test_every_statement_of_a_source_is_a_law():
    ids = {id.split(":")[0] for id in laws}
    assert len(ids) == 66
    for id in ids:
        assert id in laws
        assert (f"{id}:source" in laws) == (id not in UNSTATED), id
        if id not in UNSTATED:
            stated = laws[f"{id}:source"]
            assert stated.source.place and (stated.source.key != "asymp" or stated.id != id)
    # Another name of a law that is the source's own statement; it is not listed twice.
    assert laws["adam:source"] is laws["adam"] and "adam:source" not in list(laws)


def test_every_erratum_says_where_by_how_much_and_what_replaces_it():
    from asymp.theory import errata

    found = errata()
    assert len(found) >= 20
    leading = {(id, erratum.grade) for id, erratum in found if not erratum.same_as}
    for id, erratum in found:
        assert erratum.regime and erratum.discrepancy and erratum.why and erratum.corrected_by in laws, id
        assert not erratum.same_as or (erratum.same_as, erratum.grade) in leading, id  # and is counted there


@pytest.mark.slow
@pytest.mark.parametrize("id", list(laws))
def test_every_law_is_complete(id):
    one = laws[id]
    assert one.title and str(one.source) and one.conventions
    assert all(p.meaning for p in one.params.values())
    numbers = {n for n, p in one.params.items() if p.domain.kind != "choice" and not p.indices}
    assert set(one.typical) >= numbers - set(one.defaults)
    if one.of_arrays:
        entries = one.expr.atoms(sympy.Indexed)
        assert {str(entry.base) for entry in entries} == {n for n, p in one.params.items() if p.indices}
    else:
        assert {s.name for s in one.expr.free_symbols} <= numbers
    assert one.latex()


def test_notes_in_markdown_stand_under_the_id_of_a_law():
    # a misspelt heading would lose its notes without a word
    files = sorted(Path(theory.__file__).parent.glob("laws/*/*.md"))
    assert len(files) >= 22
    for file in files:
        claim = file.stem.replace("_", "-")
        found = {one.id: one for one in laws.of(claim)}
        for heading, words in paragraphs(file).items():
            id, _, rest = heading.partition(", corrected by ")
            right, _, at = rest.partition(", at ")
            if id == f"{claim}:source" and id not in found:  # why there is no such law
                assert len(words) == 1
                continue
            wrong = [
                w for e in found[id].errata if (e.corrected_by, e.at) == (right, at) for w in (e.regime, e.discrepancy)
            ]
            read = [word for i, word in enumerate(words) if i % 3 < 2]
            assert read == wrong if right else set(words) <= set(found[id].notes), file
    assert laws["missing-mass"].notes[0].startswith("With N finite the power law ends")
