"""ridge-risk: the deterministic equivalent of the excess risk."""

import sympy

from asymp.theory import law
from asymp.theory.sources import Condition, Source
from power_laws.functions import KAPPA, RidgeRisk
from power_laws.parameters import MODEL, P, a, b, delta, n, v


def formula() -> sympy.Expr:
    """The formula: `RidgeRisk` of the letters."""
    return RidgeRisk(*sympy.symbols("n P a b delta v"))


LAWS = (
    law(
        "ridge-risk",
        formula,
        relation="~",
        quantity="risk",
        params=(n, P, a, b, delta, v),
        title="Excess risk of ridge regression",
        source=Source("simon2021", "as recalled"),
        conventions=f"{MODEL} {KAPPA}",
        conditions=Condition(
            lambda at: (at["delta"] > 0) | (at["n"] != at["P"]),
            "delta must be above 0, or n other than P: without ridge the risk is infinite at n = P",
        ),
    ),
)
