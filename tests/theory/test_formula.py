"""The grammar of formulas: what it understands means the same as in SymPy; everything else is refused and never executed."""

from pathlib import Path

import pytest
import sympy

from asymp.theory import integer, law
from asymp.theory.formula import CONSTANTS, FUNCTIONS, SYMPY, check_formula, parsed

n, x = sympy.symbols("n x", positive=True)
LETTERS = {"n": n, "x": x}


def read(text: str) -> sympy.Expr:
    return parsed(text, LETTERS, LETTERS, "law 'x'")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("n**-x", n ** (-x)),
        ("n^2 + 1", n**2 + 1),
        ("-2**2", sympy.Integer(-4)),
        ("1/3 + 0.1", sympy.Rational(13, 30)),
        ("1e-3*n", n / 1000),
        ("0.1234567890123456789012345", sympy.Rational("0.1234567890123456789012345")),
        ("Sum(1/k, (k, 1, n))", sympy.Sum(1 / sympy.Symbol("k"), (sympy.Symbol("k"), 1, n))),
        ("Piecewise((n, (n > 1) & (x < 2)), (0, True))", sympy.Piecewise((n, (n > 1) & (x < 2)), (0, True))),
        ("LambertW(n) + harmonic(n) + zeta(x)", sympy.LambertW(n) + sympy.harmonic(n) + sympy.zeta(x)),
        ("Max(n, pi)*Min(x, E)", sympy.Max(n, sympy.pi) * sympy.Min(x, sympy.E)),
        ("n!=x", None),
        ("2**1000", sympy.Integer(2) ** 1000),
    ],
)
def test_a_formula_says_what_sympy_would_say(text: str, meant: sympy.Expr | None) -> None:
    if meant is None:
        with pytest.raises(ValueError, match="law 'x' may not contain"):
            read(text)
    else:
        assert read(text) == meant


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('touch pwned')",
        "n.__class__.__mro__",
        "(lambda: n)()",
        "[k for k in (1, 2)]",
        "open('pwned', 'w')",
        "eval('1')",
        "exec('1')",
        "getattr(n, 'func')",
        "sympify('n')",
        "Symbol('n')",
        "'n'",
        "f'{n}'",
        "n if n else x",
        "(n := 3)",
        "log(n, evaluate=False)",
        "log(*n)",
        "{n: x}",
        "n @ x",
        "n // 2",
        "n % 2",
        "n[__import__('os')]",
        "1j*n",
        "...",
        "I*n",
        "sqtr(n)",
        "n +",
        "",
        "n and x",
        "1 < n < 2",
        "Sum(n)",
        "Sum(1/k, k)",
        "Sum(n)(1)",
        "sqrt()",
        "n[1]",
        "(n, x)",
        "n > 1",
        "1/0",
        "9**9**9**9",
        "2**(2**40/3)",
        "factorial(factorial(100))",
        "binomial(10**9, 10**8)",
        "zeta(-10**6)",
        "1e999999999",
        "9" * 5000,
        "(" * 300 + "n" + ")" * 300,
        "-" * 9000 + "n",
        "n+" * 4999 + "n",
        "n" * 10_001,
        "n\x00",
    ],
)
def test_everything_else_is_one_sentence_and_nothing_runs(text: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="law 'x'") as caught:
        law("x", text, relation="=", params={"n": integer(1), "x": (0, "oo")}).expr  # noqa: B018
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 900
    assert list(tmp_path.iterdir()) == []


def test_a_refusal_says_what_is_not_allowed_and_what_is() -> None:
    with pytest.raises(ValueError, match=r"may not contain __import__\('os'\).*; |may contain numbers.*sqrt"):
        law("x", "__import__('os').system('touch pwned')", relation="=", params={"n": integer(1)})
    with pytest.raises(ValueError, match="did you mean 'sqrt'"):
        law("x", "sqtr(n)", relation="=", params={"n": integer(1)})


def test_exponents_are_formulas_too() -> None:
    with pytest.raises(ValueError, match="may not contain"):
        law("x", "n", relation="=", params={"n": integer(1)}, exponents={"n": "().__class__"})


def test_every_listed_function_and_constant_is_there() -> None:
    assert all(callable(getattr(sympy, name)) for name in SYMPY)
    assert all(isinstance(read(name), sympy.Expr) for name in CONSTANTS)
    assert len(set(FUNCTIONS)) == len(FUNCTIONS)


def test_a_letter_that_a_sum_binds_is_unknown_outside_it() -> None:
    check_formula("Sum(k, (k, 1, n))", LETTERS, "law 'x'")
    with pytest.raises(ValueError, match="uses k, which"):
        check_formula("k*Sum(k, (k, 1, n))", LETTERS, "law 'x'")
