"""ridge-risk: the deterministic equivalent of the excess risk."""

import sympy

from asymp.theory import law
from asymp.theory.sources import Source
from power_laws.functions import RidgeRisk
from power_laws.parameters import MODEL, P, a, b, delta, n, v


def formula() -> sympy.Expr:
    """The formula: `RidgeRisk` of the letters."""
    return RidgeRisk(*sympy.symbols("n P a b delta v"))


LAWS = (
    law(
        "ridge-risk",
        formula,
        relation="~",
        params=(n, P, a, b, delta, v),
        title="Excess risk of ridge regression",
        source=Source("simon2021", "as recalled"),
        conventions=MODEL,
    ),
)
