"""fill-scheme: every input that was seen is stored with the same weight."""

import math
from typing import TYPE_CHECKING, Any

from asymp.theory.domain import integer, real
from asymp.theory.formulas.at_most_d import held_exact, held_expression, held_numeric
from asymp.theory.law import law
from asymp.theory.statement import Condition, Erratum, Source
from asymp.theory.storage.scheme_domain import ALPHA, CONVENTIONS, LIMIT, MEANINGS, OUTPUTS

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

NAMES = ("alpha", "N", "M", "d", "T", "outputs")
DOMAIN = {
    "alpha": real(0),
    "N": integer(1),
    "M": integer(2),
    "d": integer(1),
    "T": integer(0, infinite=True),
    "outputs": OUTPUTS,
}
DIVIDES = Condition(
    lambda v: ((v["N"] % v["M"]) == 0) & (v["N"] >= 2 * v["M"]),
    "N must be a multiple of M, at least 2 M: classes of equal size, with more than one input each",
)


def recall_expression(*, outputs: str = "gaussian") -> "sympy.Expr":
    """The sum over x of p(x) times the probability that x is not recalled."""
    import sympy

    from asymp.theory.recall.symbols import Failure, zipf

    alpha, N, M, d, T = sympy.symbols("alpha N M d T", positive=True)
    x = sympy.Symbol("x", integer=True, positive=True)
    return sympy.Sum(zipf(x, alpha, N) * Failure(x, M, d, T), (x, 1, N))


def recall_numeric(**values: Any) -> Any:
    """The exact recall error at every point, to 1e-3."""
    from asymp.theory.storage.schemes import recall_errors

    return recall_errors(**values)


def recall_exact(**values: Any) -> Any:
    """Any number of digits for two outputs on the sphere and T = inf, else no more than 4."""
    from asymp.theory.formulas.exact_recall_error import recall_exact as whole

    return whole(rho=0, P=math.inf, **values)


def rate_expression() -> "sympy.Expr":
    """(M-1)/2 ((2N-M)/(2N-2M))^((M-2)/2) I_{1 - M/(2N)}(d/2, 1/2)."""
    import sympy

    N, M, d = sympy.symbols("N M d", positive=True)
    half = sympy.Rational(1, 2)
    front = (M - 1) / 2 * ((2 * N - M) / (2 * (N - M))) ** ((M - 2) / 2)
    return front * sympy.betainc_regularized(d / 2, half, 0, 1 - M / (2 * N))


def rate_numeric(*, N: Any, M: Any, d: Any) -> Any:
    """The same in float64, vectorised."""
    from scipy.special import betaincc

    return (M - 1) / 2 * ((2 * N - M) / (2 * (N - M))) ** ((M - 2) / 2) * betaincc(0.5, d / 2, M / (2 * N))


def rate_exact(*, N: Any, M: Any, d: Any, digits: int) -> Any:
    """The same to any number of digits."""
    from asymp.theory.recall.binary import student_tail_digits

    tail = student_tail_digits(d=d, e=M / (2 * N), digits=digits)
    return (M - 1) / 2 * ((2 * N - M) / (2 * (N - M))) ** ((M - 2) / 2) * tail


def limit_expression() -> "sympy.Expr":
    """pi_M(sqrt(d M/N))."""
    import sympy

    from asymp.theory.recall.symbols import gaussian_error

    N, M, d = sympy.symbols("N M d", positive=True)
    return gaussian_error(sympy.sqrt(d * M / N), M)


def limit_numeric(*, N: Any, M: Any, d: Any) -> Any:
    """The same in float64, vectorised."""
    import numpy as np

    from asymp.theory.recall.limits import pi_M

    return pi_M(a=np.sqrt(d * M / N), M=M)


def limit_exact(*, N: Any, M: Any, d: Any, digits: int) -> Any:
    """The same to any number of digits."""
    import mpmath

    from asymp.theory.recall.gaussian_error import gaussian_error_digits

    return gaussian_error_digits(a=mpmath.sqrt(d * M / N), M=M, digits=digits)


# The error at d = N for M = 5, pi_5(sqrt 5) = 0.161: where the source's figure tips.
TIPPED = 0.16
SIZES = {"N": integer(2), "M": integer(2), "d": integer(1)}
SIZES_MEANINGS = {name: MEANINGS[name] for name in SIZES}

LAWS = (
    law(
        "fill-scheme",
        recall_expression,
        relation="=",
        domain=DOMAIN,
        typical={"alpha": (0.5, 2), "N": (20, 200), "M": (2, 8), "d": (5, 500)},
        defaults={"T": math.inf, "outputs": "gaussian"},
        meanings={name: MEANINGS[name] for name in NAMES},
        title="Equal weights on all inputs seen, numerically exact",
        source=Source("asymp", "the exact recall error with rho = 0"),
        conventions=CONVENTIONS,
        exponents={"d": "-oo"},
        numeric=recall_numeric,
        exact=recall_exact,
        notes=(
            "At T = inf the error is a function of d M/N for N >> M, and falls exponentially in it.",
            "No more than 3 to 4 digits can be had: the integral has some hundred dimensions and is randomised.",
        ),
    ),
    law(
        "fill-scheme:source",
        "T**(-1 + 1/alpha) + d**(-k)",
        relation="<~",
        domain={"alpha": ALPHA, "T": real(1, infinite=True), "d": integer(1), "k": real(above=0)},
        typical={"alpha": (1.2, 3), "T": (10, 1e6), "d": (10, 10_000), "k": (1, 4)},
        meanings={"alpha": MEANINGS["alpha"], "T": MEANINGS["T"], "d": MEANINGS["d"], "k": "any power, if d >> N"},
        title="Equal weights on all inputs seen, as the source states it",
        source=Source("bietti2025", "scaling laws with finite capacity, item 2"),
        conventions=CONVENTIONS + " d >> N; up to a constant that depends on k and N.",
        exponents={"d": "-k", "T": "-1 + 1/alpha"},
        notes=("Each exponent is for the other variable infinite. True once d M/N > 4 k log d or so.",),
    ),
    law(
        "fill-scheme:tipping",
        held_expression,
        relation="~",
        domain={"M": integer(2), "d": real(1), "e": real(above=0, high=1)},
        typical={"M": (2, 50), "d": (100, 10_000)},
        defaults={"e": TIPPED},
        meanings={"M": MEANINGS["M"], "d": MEANINGS["d"], "e": "error at which the memory is said to overflow"},
        quantity="N",
        title="Number of inputs at which equal weights overflow",
        source=Source("asymp", "pi_M(sqrt(d M/N)) = e"),
        conventions=CONVENTIONS + " T = inf. " + LIMIT,
        conditions=(Condition(lambda v: v["e"] < 1 - 1 / v["M"], "e must be below 1 - 1/M, the error of a guess"),),
        exponents={"d": "1", "M": "1"},
        numeric=held_numeric,
        exact=held_exact,
        notes=("It is d M/N that tips, not d/N; the exponent in M is up to a logarithm.",),
    ),
    law(
        "fill-scheme:tipping-source",
        "d",
        relation="~",
        domain={"d": integer(1)},
        typical={"d": (100, 10_000)},
        meanings={"d": MEANINGS["d"]},
        quantity="N",
        title="Number of inputs at which equal weights overflow, as the source states it",
        source=Source("cabannes2024", "Figure 3 right: the error is high if d < N and decreases fast to zero if d > N"),
        conventions=CONVENTIONS
        + f" T = inf; the memory is said to overflow at an error of {TIPPED}, its value at d = N in the figure (M = 5).",
        errata=(
            Erratum(
                regime="More outputs than the figure's five: M = 20, 50.",
                discrepancy="The error is pi_M(sqrt(d M/N)): it passes 0.05 at d M/N = 5.4 (M = 2), 9.3 (5), "
                "14 (20), 19 (100), that is at d/N = 2.7, 1.9, 0.7, 0.2. At d = N it is 0.16 for M = 2 or 5, 0.011 for M = 20 and "
                "1.3e-5 for M = 50.",
                corrected_by="fill-scheme:tipping",
            ),
        ),
    ),
    law(
        "fill-scheme:asymptotic",
        rate_expression,
        relation="~",
        domain={**SIZES, "N": integer(4)},
        typical={"N": (20, 20), "M": (2, 8), "d": (300, 1000)},
        meanings=SIZES_MEANINGS,
        title="Equal weights on all inputs: d -> oo at fixed N, outputs on the sphere",
        source=Source("asymp", "Student's t for each pair of outputs, corrected for the noise of the others"),
        conventions=CONVENTIONS + " T = inf, outputs uniform on the sphere, N a multiple of M.",
        conditions=(DIVIDES,),
        exponents={"d": "-oo"},
        numeric=rate_numeric,
        exact=rate_exact,
        notes=(
            "The rate is (d/2) log(1/(1 - M/(2N))), about d M/(4N) for N >> M. Exact at M = 2 for every d; else from above, "
            "0.2 % at N = 100, M = 5, d = 1000. Gaussian outputs have a smaller rate, since their norms fluctuate: 2.6 % less "
            "at N = 100, M = 5.",
        ),
    ),
    law(
        "fill-scheme:limit",
        limit_expression,
        relation="~",
        domain=SIZES,
        typical={"N": (100, 10_000), "M": (2, 8), "d": (100, 10_000)},
        meanings=SIZES_MEANINGS,
        title="Equal weights on all inputs: N and d large at fixed d M/N",
        source=Source("asymp", "limit of the exact recall error"),
        conventions=CONVENTIONS + " T = inf. " + LIMIT,
        exponents={"d": "-oo"},
        numeric=limit_numeric,
        exact=limit_exact,
        notes=("Falls like exp(-d M/(4N)). With T samples see `seen-s-times` at s = 1.",),
    ),
)
