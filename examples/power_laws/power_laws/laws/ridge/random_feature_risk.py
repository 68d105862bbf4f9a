"""random-feature-risk: the deterministic equivalent of ridge regression on random features."""

import sympy

from asymp.theory import law
from asymp.theory.sources import Source
from power_laws.functions import OF_FEATURES, SUMS, RandomFeatureRisk
from power_laws.parameters import MODEL, RIDGE, P, a, b, delta, k, n, v


def formula() -> sympy.Expr:
    """The formula: `RandomFeatureRisk` of the letters."""
    return RandomFeatureRisk(*sympy.symbols("n k P a b delta v"))


LAWS = (
    law(
        "random-feature-risk",
        formula,
        relation="~",
        quantity="risk",
        params=(n, k, P, a, b, delta, v),
        title="Excess risk of ridge regression on random features",
        source=Source("defilippis2024", "as recalled"),
        conventions=f"{MODEL} {OF_FEATURES} {SUMS} Regression on k random combinations of the modes, with weights of variance 1/k.",
        conditions=RIDGE,
    ),
)
