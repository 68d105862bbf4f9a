"""random-feature-degrees: the trace of the hat matrix on k random features."""

import sympy

from asymp.theory import law
from asymp.theory.sources import Source
from power_laws.functions import OF_FEATURES, RandomFeatureDegrees
from power_laws.parameters import MODEL, RIDGE, P, a, delta, k, n


def formula() -> sympy.Expr:
    """The formula: `RandomFeatureDegrees` of the letters."""
    return RandomFeatureDegrees(*sympy.symbols("n k P a delta"))


LAWS = (
    law(
        "random-feature-degrees",
        formula,
        relation="~",
        quantity="trace",
        params=(n, k, P, a, delta),
        title="Degrees of freedom of random features",
        source=Source("atanasov2024", "as recalled"),
        conventions=f"{MODEL} {OF_FEATURES}",
        conditions=RIDGE,
    ),
)
