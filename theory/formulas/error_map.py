"""error-map: the error over dimensions and samples, for equal weights and for weights that count."""

import math
from typing import TYPE_CHECKING, Any

from asymp.theory.law import law
from asymp.theory.statement import Condition, Source
from asymp.theory.storage.scheme_domain import CONVENTIONS, MEANINGS, NORMALISED, SCHEME, SUMMABLE_SAMPLES

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

NAMES = ("alpha", "N", "M", "d", "T", "rho", "outputs")


def recall_expression(*, outputs: str = "gaussian") -> "sympy.Expr":
    """The sum over x of p(x) times the probability that x is not recalled, q the empirical frequency to the power rho."""
    import sympy

    from asymp.theory.recall.symbols import Failure, zipf

    alpha, N, M, d, T, rho = sympy.symbols("alpha N M d T rho", positive=True)
    x = sympy.Symbol("x", integer=True, positive=True)
    return sympy.Sum(zipf(x, alpha, N) * Failure(x, M, d, T, rho), (x, 1, N))


def recall_numeric(**values: Any) -> Any:
    """The exact recall error at every point, to 1e-2: a map has many points."""
    from asymp.theory.storage.schemes import recall_errors

    return recall_errors(rel_error=1e-2, **values)


def recall_exact(**values: Any) -> Any:
    """Any number of digits for two outputs on the sphere and T = inf, else no more than 4."""
    from asymp.theory.formulas.exact_recall_error import recall_exact as whole

    return whole(P=math.inf, **values)


LAWS = (
    law(
        "error-map",
        recall_expression,
        relation="=",
        domain={name: SCHEME[name] for name in NAMES},
        typical={"d": (5, 500), "T": (10, 10_000), "rho": (0, 1)},
        defaults={"alpha": 0.5, "N": 100, "M": 5, "outputs": "gaussian"},
        meanings={name: MEANINGS[name] for name in NAMES},
        title="Error over dimensions and samples, numerically exact",
        source=Source("asymp", "the exact recall error averaged over samples; cabannes2024, Figure 3 left and middle"),
        conventions=CONVENTIONS
        + " q = (count/T)^rho for the inputs seen, 0 for the others; rho = 0 is `fill`, rho = 1 counts.",
        conditions=(
            NORMALISED,
            Condition(lambda v: SUMMABLE_SAMPLES.holds({**v, "P": math.inf}), SUMMABLE_SAMPLES.message),
        ),
        exponents={"d": "0", "T": "0"},
        numeric=recall_numeric,
        exact=recall_exact,
        notes=(
            "No free parameter. Evaluated to a relative accuracy of 1e-2. In each variable alone the error tends to what the other "
            "leaves: exponents 0.",
            "Equal weights: high error where d M/(inputs seen) is small, none where d and T are large. Weights that count are "
            "better for small d and large T, worse for large d, where rare inputs get too little.",
        ),
    ),
)
