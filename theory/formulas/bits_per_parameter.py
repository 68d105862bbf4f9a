"""bits-per-parameter: what a memory holds, counted in bits for each of its parameters."""

from typing import TYPE_CHECKING, Any

from asymp.theory.domain import choice, integer, real
from asymp.theory.law import law
from asymp.theory.statement import Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]


def at_capacity(*, memory: str) -> "sympy.Expr":
    """N log2 N/d^2 where 8 N log N = d^2 or 2 N log N = d^2; two labels per parameter (Cover)."""
    import sympy

    return {
        "hebb": 1 / (8 * sympy.log(2)),
        "best-linear": 1 / (2 * sympy.log(2)),
        "best-binary": sympy.Integer(2),
    }[memory]


def permutation_numeric(*, N: Any, d: Any) -> Any:
    """log2 N!/d^2 in float64."""
    import numpy as np
    from scipy.special import gammaln

    return gammaln(N + 1) / (d**2 * np.log(2))


def permutation_exact(*, N: Any, d: Any, digits: int) -> Any:
    """log2 N!/d^2 to any number of digits."""
    import mpmath

    return mpmath.loggamma(N + 1) / (d**2 * mpmath.log(2))


PAIRS = "N inputs with N different outputs, d x d parameters."

LAWS = (
    law(
        "bits-per-parameter",
        at_capacity,
        relation="~",
        domain={"memory": choice("hebb", "best-linear", "best-binary")},
        defaults={"memory": "hebb"},
        meanings={
            "memory": "'hebb': the sum of outer products, 'best-linear': the best matrix, 'best-binary': the best matrix "
            "for two answers, of which d parameters matter"
        },
        quantity="bits",
        title="Bits per parameter at capacity, d to infinity",
        source=Source("asymp", "N log2 N/d^2 at 8 N log N = d^2 or 2 N log N = d^2; 2 d labels for d parameters"),
        conventions="An arbitrary f from N inputs to N outputs has N log2 N bits, N labels have N; all items right.",
        notes=(
            "0.180 and 0.721: constants, with no logarithm left, which is the sense in which capacities of the order of the "
            "number of parameters match the information-theoretic bound. With two answers the sum of outer products has "
            "1/(2 log N) bits per parameter, which tends to 0, if all items must be right.",
        ),
    ),
    law(
        "bits-per-parameter:source",
        "N*log(M)/(b*log(2))",
        relation=">=",
        domain={"N": integer(1), "M": integer(2), "b": real(above=0)},
        typical={"N": (10, 1e6), "M": (2, 1e4), "b": (1, 64)},
        meanings={
            "N": "number of associations",
            "M": "number of outputs",
            "b": "bits in each parameter",
        },
        quantity="parameters",
        title="Number of parameters that arbitrary associations need",
        source=Source(
            "bietti2025", "slide on capacity: 'matches information-theoretic lower bounds' (also bietti2024)"
        ),
        conventions="A memory that can hold each of the M^N functions from N inputs to M outputs, with b bits in each "
        "parameter, embeddings given.",
        notes=(
            "Counting: 2^(b parameters) states for M^N functions. The source gives no constant; with b = 64 the sum of outer "
            "products has 355 times as many parameters as the bound.",
        ),
    ),
    law(
        "bits-per-parameter:stored",
        "N*log(N)/(d**2*log(2))",
        relation="=",
        domain={"N": integer(1), "d": integer(1)},
        typical={"N": (10, 1e6), "d": (8, 1024)},
        meanings={"N": "number of associations", "d": "dimension"},
        quantity="bits",
        title="Bits per parameter of N associations",
        source=Source("asymp", "definition"),
        conventions=PAIRS + " Any function from inputs to outputs counts.",
    ),
    law(
        "bits-per-parameter:permutation",
        "loggamma(N + 1)/(d**2*log(2))",
        relation="=",
        domain={"N": integer(1), "d": integer(1)},
        typical={"N": (10, 1e6), "d": (8, 1024)},
        meanings={"N": "number of associations", "d": "dimension"},
        quantity="bits",
        title="Bits per parameter of N associations that form a permutation",
        source=Source("asymp", "log2 N!/d^2"),
        conventions=PAIRS + " Only injective functions count.",
        exponents={"N": "1", "d": "-2"},
        numeric=permutation_numeric,
        exact=permutation_exact,
        notes=("Smaller than N log2 N/d^2 by the factor 1 - 1/log N to leading order: the same limit.",),
    ),
    law(
        "bits-per-parameter:facts",
        "S*R*log(D)/log(2)",
        relation="=",
        domain={"S": integer(1), "R": integer(1), "D": integer(1)},
        typical={"S": (4, 1024), "R": (4, 1024), "D": (2, 256)},
        meanings={
            "S": "number of subjects",
            "R": "number of relations",
            "D": "number of answers of each relation",
        },
        quantity="bits",
        title="Bits in the facts about S subjects and R relations",
        source=Source("asymp", "S R answers, each one of D"),
        conventions="Every pair of a subject and a relation has one answer, uniform among the D of its relation.",
    ),
)
