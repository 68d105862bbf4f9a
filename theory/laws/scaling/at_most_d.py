"""at-most-d: how many memories a matrix of dimension d holds."""

from asymp.theory.law import law
from asymp.theory.laws.scaling import BELOW_GUESSING, HELD, LIMIT, D, M
from asymp.theory.param import Param, real
from asymp.theory.sources import Source

CONVENTIONS = "n inputs are stored with the same weight, gaussian embeddings; each is lost with probability e. "


LAWS = (
    law(
        "at-most-d",
        HELD,
        relation="~",
        params=(
            M,
            D.but(domain=real(1)),
            Param(real(above=0, high=1), default=0.01, meaning="probability that a stored input is lost", name="e"),
        ),
        quantity="n",
        title="Number of memories held with few outputs",
        source=Source("asymp", "pi_M(sqrt(d M/n)) = e"),
        conventions=CONVENTIONS + LIMIT,
        conditions=BELOW_GUESSING,
    ),
    law(
        "at-most-d:source",
        "d",
        relation="<=",
        params=(D,),
        quantity="n",
        title="At most d memories, as the source states it",
        source=Source(
            "bietti2025", "scaling laws with finite capacity: can store at most d memories, error d^(1-alpha)"
        ),
        conventions=CONVENTIONS,
    ),
)
