"""bits-per-parameter: what a memory holds, counted in bits for each of its parameters."""

from functools import partial

from asymp.theory.law import law
from asymp.theory.laws.capacity import M
from asymp.theory.lazy import Expr, sympy
from asymp.theory.param import Param, choice, integer, real
from asymp.theory.sources import Source

ASSOCIATIONS = Param(integer(1), (10, 1e6), meaning="number of associations", name="N")


def at_capacity(*, memory: str) -> Expr:
    """N log2 N/d^2 where 8 N log N = d^2 or 2 N log N = d^2; two labels per parameter (Cover)."""
    return {
        "hebb": 1 / (8 * sympy.log(2)),
        "best-linear": 1 / (2 * sympy.log(2)),
        "best-binary": sympy.Integer(2),
    }[memory]


declare = partial(law, relation="=", quantity="bits")
LAWS = (
    declare(
        "bits-per-parameter",
        at_capacity,
        relation="~",
        params=(
            Param(
                choice("hebb", "best-linear", "best-binary"),
                default="hebb",
                meaning="'hebb': the sum of outer products, 'best-linear': the best matrix, "
                "'best-binary': the best matrix for two answers, "
                "of which d parameters matter",
                name="memory",
            ),
        ),
        title="Bits per parameter at capacity, d to infinity",
        source=Source("asymp", "N log2 N/d^2 at 8 N log N = d^2 or 2 N log N = d^2; 2 d labels for d parameters"),
        conventions="An arbitrary f from N inputs to N outputs has N log2 N bits, N labels have N; all items right.",
    ),
    declare(
        "bits-per-parameter:source",
        "N*log(M)/(b*log(2))",
        relation=">=",
        params=(
            ASSOCIATIONS,
            M.over(2, 10000),
            Param(real(above=0), (1, 64), meaning="bits in each parameter", name="b"),
        ),
        quantity="parameters",
        title="Number of parameters that arbitrary associations need",
        source=Source(
            "bietti2025", "slide on capacity: 'matches information-theoretic lower bounds' (also bietti2024)"
        ),
        conventions="A memory that can hold each of the M^N functions from N inputs to M outputs, with b bits in each "
        "parameter, embeddings given.",
    ),
)
