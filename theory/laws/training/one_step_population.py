"""one-step-population: the weights that one large-batch gradient step writes into the memory."""

from functools import partial

from asymp.theory.law import law
from asymp.theory.laws.training import ETA, OUTPUT_SCORED, M, P
from asymp.theory.lazy import Expr, sympy
from asymp.theory.sources import Source

OUTPUT = OUTPUT_SCORED.but(meaning="'target' for u_f(z), 'other' for any other output")


def coefficient(*, output: str) -> Expr:
    """eta p (1{k = f(z)} - 1/M), -eta times `gradient-as-memory` at equal scores."""
    eta, p, M = sympy.symbols("eta p M", positive=True)
    return eta * p * (1 - 1 / M) if output == "target" else -eta * p / M


def source_coefficient(*, output: str) -> Expr:
    """p on the target; a memory of the targets alone has nothing on the other outputs."""
    return sympy.Symbol("p", positive=True) if output == "target" else sympy.Integer(0)


declare = partial(
    law,
    conventions="One step of size eta on the population cross-entropy from W = 0; q is the coefficient of u_k "
    "e_z^T in W.",
    quantity="q",
    relation="=",
)
LAWS = (
    declare(
        "one-step-population",
        coefficient,
        params=(ETA, P, M, OUTPUT),
        title="Coefficients of the memory after one population step, exact",
        source=Source("asymp", "gradient at W = 0, where the softmax is uniform"),
    ),
    declare(
        "one-step-population:source",
        source_coefficient,
        relation="~",
        params=(P, OUTPUT),
        title="Weights after one step with a large batch, as the source states it",
        source=Source("bietti2025", "slide on optimisation algorithms and memory schemes"),
    ),
)
