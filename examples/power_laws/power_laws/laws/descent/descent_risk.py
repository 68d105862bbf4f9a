"""descent-risk: the exact recursion of the mean risk."""

import sympy

from asymp.theory import law
from asymp.theory.sources import Source
from power_laws.functions import MISSED, DescentRisk
from power_laws.parameters import MODEL, P, a, b, eta, t, v


def formula() -> sympy.Expr:
    """The formula: `DescentRisk` of the letters."""
    return DescentRisk(*sympy.symbols("t P a b eta v"))


LAWS = (
    law(
        "descent-risk",
        formula,
        relation="=",
        quantity="risk",
        params=(t, P, a, b, eta, v),
        title="Risk of one-pass gradient descent",
        source=Source("paquette2024", "as recalled"),
        conventions=f"{MODEL} {MISSED}",
    ),
)
