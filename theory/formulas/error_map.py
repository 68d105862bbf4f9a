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
# What the orders speak of: the two weights are given, so rho is not among it.
SIZES = {name: SCHEME[name] for name in ("alpha", "N", "M", "d", "T")}
DEFAULTS = {"alpha": 0.5, "N": 100, "M": 5}
RATIO = r"E_{\rho = 0} / E_{\rho = 1}"


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
        defaults={**DEFAULTS, "outputs": "gaussian"},
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
            "No more than 3 to 4 digits can be had: the integral has some hundred dimensions and is randomised.",
        ),
    ),
    law(
        "error-map:small-dimension",
        "1",
        relation=">=",
        domain=SIZES,
        typical={"d": (5, 12), "T": (2000, 10_000)},
        defaults=DEFAULTS,
        meanings={name: MEANINGS[name] for name in SIZES},
        quantity="ratio",
        typeset=RATIO,
        title="Equal weights are worse than counts with few dimensions and many samples",
        source=Source("cabannes2024", "Figure 3: for small d and big T q_1 avoids memory overflow"),
        conventions=CONVENTIONS + " The ratio of the errors of q = 1{seen} and q = count/T.",
        exponents={"d": "0", "T": "0"},
        notes=("For the figure's law, alpha = 0.5, N = 100, M = 5: up to d of about 35 at large T.",),
    ),
    law(
        "error-map:large-dimension",
        "1",
        relation="<=",
        domain=SIZES,
        typical={"d": (100, 500), "T": (100, 10_000)},
        defaults=DEFAULTS,
        meanings={name: MEANINGS[name] for name in SIZES},
        quantity="ratio",
        typeset=RATIO,
        title="Equal weights are better than counts with many dimensions",
        source=Source("cabannes2024", "Figure 3: for big d q_1 does not allocate enough memory to rare associations"),
        conventions=CONVENTIONS + " The ratio of the errors of q = 1{seen} and q = count/T.",
        exponents={"d": "0", "T": "0"},
    ),
)
