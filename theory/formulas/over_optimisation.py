"""over-optimisation: in a memory that is too small the error falls, then rises again."""

from typing import TYPE_CHECKING, Any

from asymp.theory.domain import integer, real
from asymp.theory.law import law
from asymp.theory.statement import Condition, Erratum, Source
from asymp.theory.storage.scheme_domain import ALPHA

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

CONSTANTS = (
    "tau* and the error's constant depend on alpha, M and the step: asymp.theory.sgd.stopping_time.stopping_limit(alpha=, "
    "M=, gamma=) gives "
    "them to about 8 digits. Small steps: (1.5, 5): 2.1626 and 0.8988; (2, 2): 0.7724 and 1.5095; (2, 5): 1.5212 and "
    "1.3242; (2, 10): "
    "3.5778 and 0.9083; (3, 5): 0.4926 and 4.8975. At gamma = 10, (2, 5): 0.3870 and 2.7825."
)
SHARED: dict[str, Any] = {
    "meanings": {
        "alpha": "exponent of the Zipf law p(x) = C x^-alpha",
        "d": "dimension of the embeddings",
        "N": "number of inputs",
        "M": "number of outputs",
        "tau": "tau*(alpha, M), the best scaled time (see notes)",
        "c": "least value of E d^(alpha-1) (see notes)",
    },
    "conventions": "Weights by the SGD map, gamma T the step times the number of samples; limit of many dimensions "
    "with balanced classes, "
    "N = oo unless given: an input of weight q is missed with probability pi_M(q sqrt(d M/sum q^2)).",
}


def late() -> "sympy.Expr":
    """pi_M(sqrt(d M/N)): equal weights."""
    import sympy

    from asymp.theory.recall.symbols import gaussian_error

    d, N, M = sympy.symbols("d N M", positive=True)
    return gaussian_error(sympy.sqrt(d * M / N), M)


def late_numeric(*, d: Any, N: Any, M: Any) -> Any:
    """pi_M(sqrt(d M/N)) in float64, vectorised."""
    import numpy as np

    from asymp.theory.recall.limits import pi_M

    return pi_M(a=np.sqrt(d * M / N), M=M)


def late_exact(*, d: Any, N: Any, M: Any, digits: int) -> Any:
    """pi_M(sqrt(d M/N)) to any number of digits."""
    import mpmath

    from asymp.theory.recall.gaussian_error import gaussian_error_digits

    return gaussian_error_digits(a=mpmath.sqrt(d * M / N), M=M, digits=digits)


LAWS = (
    law(
        "over-optimisation",
        "tau*zeta(alpha)*d**alpha",
        relation="~",
        domain={"tau": real(above=0), "alpha": ALPHA, "d": real(1)},
        typical={"tau": (0.3, 4.0), "alpha": (1.2, 3.0), "d": (10.0, 1e4)},
        quantity="gamma_T",
        typeset=r"\gamma T",
        title="Best stopping time of the SGD map: tau* d^alpha/C",
        source=Source("asymp", "least error of the scaled map, N = oo"),
        notes=(CONSTANTS, "Beyond it the frequent inputs no longer make room for the rare ones that fill the memory."),
        **SHARED,
    ),
    law(
        "over-optimisation:error",
        "c*d**(1 - alpha)",
        relation="~",
        domain={"c": real(above=0), "alpha": ALPHA, "d": real(1)},
        typical={"c": (0.5, 5.0), "alpha": (1.2, 3.0), "d": (10.0, 1e4)},
        title="Error of the SGD map at its best stopping time",
        source=Source("asymp", "least error of the scaled map, N = oo"),
        notes=(CONSTANTS, "Against the best weights of all (`optimal-scheme`): 1.2655 at alpha = 2, M = 5."),
        **SHARED,
    ),
    law(
        "over-optimisation:late",
        late,
        relation="~",
        domain={"d": integer(1), "N": integer(1), "M": integer(2)},
        typical={"d": (10.0, 1000.0), "N": (20.0, 500.0), "M": (2.0, 20.0)},
        title="Error of the SGD map in the end, N finite",
        source=Source("asymp", "weights log n + const become equal"),
        exponents={"d": "-oo"},
        numeric=late_numeric,
        exact=late_exact,
        notes=(
            "The map over-optimises where this is above the error at the best stopping time "
            "(asymp.theory.sgd.stopping_time.best_stopping). "
            "The approach is slow: weights differ by log(p/p') against log(gamma T).",
        ),
        **SHARED,
    ),
    law(
        "over-optimisation:sgd",
        "1",
        relation=">=",
        domain={"d": integer(1), "N": integer(2)},
        typical={"d": (10.0, 50.0), "N": (100.0, 1000.0)},
        quantity="E_stopped/E_long",
        title="SGD itself with batch one goes on improving where its map over-optimises",
        source=Source("asymp", "simulation"),
        **SHARED,
    ),
    law(
        "over-optimisation:source",
        "1",
        relation="<=",
        domain={"d": integer(1), "N": integer(2)},
        typical={"d": (10.0, 50.0), "N": (100.0, 1000.0)},
        quantity="E_stopped/E_long",
        title="In an under-parameterised memory stopping in time has no larger error than training on",
        source=Source("bietti2025", "slide on large steps and oscillations (Cabannes, Simsek, Bietti 2024), empirical"),
        conditions=(
            Condition(lambda v: v["d"] < v["N"], "d must be below N: the statement is for too small a memory"),
        ),
        errata=(
            Erratum(
                regime="SGD itself with batch one (d = N/10, step 1), rather than its map.",
                discrepancy="SGD removes interference as it goes: at d = 10, N = 100, M = 5, alpha = 2 its error falls from about "
                ".09 after 100 samples to .04 after 5000.",
                corrected_by="over-optimisation:sgd",
            ),
        ),
        notes=(
            "An order. The SGD map shows it strongly; real SGD removes interference as it goes and rises far less, if "
            "at all "
            "(`sgd-approximation`).",
        ),
        **SHARED,
    ),
)
