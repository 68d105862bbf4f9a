"""train-error: what is left on the data, (delta/(n kappa))^2 of the test error."""

import sympy

from asymp.theory import law
from asymp.theory.sources import Source
from power_laws.functions import KAPPA, TrainError
from power_laws.parameters import MODEL, ONE_ROOT, P, a, b, delta, n, v


def formula() -> sympy.Expr:
    """The formula: `TrainError` of the letters."""
    return TrainError(*sympy.symbols("n P a b delta v"))


LAWS = (
    law(
        "train-error",
        formula,
        relation="~",
        quantity="residual",
        params=(n, P, a, b, delta, v),
        title="Training error of ridge regression",
        source=Source("atanasov2024", "as recalled"),
        conventions=f"{MODEL} {KAPPA}",
        conditions=ONE_ROOT,
    ),
)
