"""bits-per-parameter: what a memory holds, counted in bits for each of its parameters."""

from functools import partial

from asymp.theory.law import law
from asymp.theory.laws.capacity import M
from asymp.theory.param import Param, integer, real
from asymp.theory.sources import Source

ASSOCIATIONS = Param(integer(1), (10, 1e6), meaning="number of associations", name="N")


declare = partial(law, relation="=", quantity="bits")
LAWS = (
    declare(
        "bits-per-parameter",
        "1/(c*log(2))",
        relation="~",
        params=(
            Param(
                real(above=0),
                (2, 8),
                default=8,
                meaning="the memory's own constant: it is full at c N log N = d^2, a sum of outer products with c = 8, the "
                "best matrix with c = 2",
                name="c",
            ),
        ),
        title="Bits per parameter at capacity, d to infinity",
        source=Source("asymp", "N log2 N/d^2 at c N log N = d^2"),
        conventions="An arbitrary f from N inputs to N outputs has N log2 N bits; all items right.",
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
