"""one-step-population: the weights that one large-batch gradient step writes into the memory."""

from typing import TYPE_CHECKING, Any

from asymp.theory.domain import choice, integer, real
from asymp.theory.law import law
from asymp.theory.statement import Erratum, Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

MASS, STEP = real(0, 1), real(above=0)
SHARED: dict[str, Any] = {
    "meanings": {
        "p": "probability p(z) of the input",
        "eta": "step size",
        "M": "number of outputs",
        "output": "'target' for u_f(z), 'other' for any other output",
    },
    "conventions": "One step of size eta on the population cross-entropy from W = 0; q is the coefficient of u_k "
    "e_z^T in W.",
    "quantity": "q",
}


def coefficient(*, output: str) -> "sympy.Expr":
    """eta p (1{k = f(z)} - 1/M), -eta times `gradient-as-memory` at equal scores."""
    import sympy

    eta, p, M = sympy.symbols("eta p M", positive=True)
    return eta * p * (1 - 1 / M) if output == "target" else -eta * p / M


LAWS = (
    law(
        "one-step-population",
        coefficient,
        relation="=",
        domain={"eta": STEP, "p": MASS, "M": integer(2), "output": choice("target", "other")},
        typical={"eta": (0.1, 100.0), "p": (0.01, 1.0), "M": (2.0, 100.0)},
        defaults={"output": "target"},
        title="Coefficients of the memory after one population step, exact",
        source=Source("asymp", "gradient at W = 0, where the softmax is uniform"),
        notes=(
            "The memory is W = eta sum of p(z) (u_f(z) - u_mean) e_z^T: weights q = eta p, outputs less their mean. "
            "The "
            "mean changes no argmax where the u_k are orthonormal; with random outputs it changes the error a little.",
        ),
        **SHARED,
    ),
    law(
        "one-step-population:source",
        "p",
        relation="~",
        domain={"p": MASS},
        typical={"p": (0.01, 1.0)},
        title="Weights after one step with a large batch, as the source states it",
        source=Source("bietti2025", "slide on optimisation algorithms and memory schemes"),
        errata=(
            Erratum(
                regime="Outputs other than the target, few outputs M.",
                discrepancy="The step also writes -eta p/M on each of the M - 1 other outputs: at M = 2 as much as on "
                "the target, "
                "with the other sign.",
                corrected_by="one-step-population",
            ),
        ),
        notes=("Up to the factor eta (1 - 1/M), the same for all inputs: no argmax sees it.",),
        **SHARED,
    ),
    law(
        "one-step-population:zero",
        "0*p",
        relation="=",
        domain={"p": MASS},
        typical={"p": (0.01, 1.0)},
        title="What a memory of the targets alone, q ~ p, has on the other outputs",
        source=Source("bietti2025", "slide on optimisation algorithms and memory schemes"),
        **SHARED,
    ),
    law(
        "one-step-population:margin",
        "eta*p",
        relation="=",
        domain={"eta": STEP, "p": MASS},
        typical={"eta": (0.1, 100.0), "p": (0.01, 1.0)},
        title="Margin after one population step: the weight of the target less that of another output",
        source=Source("asymp", "difference of the two coefficients"),
        notes=("Exactly proportional to p: in margins the statement q ~ p is exact, for every M.",),
        **{**SHARED, "quantity": "m"},
    ),
)
