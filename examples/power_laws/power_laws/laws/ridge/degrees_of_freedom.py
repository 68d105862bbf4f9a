"""degrees-of-freedom: the trace of the hat matrix is n - delta/kappa."""

import sympy

from asymp.theory import law
from asymp.theory.sources import Source
from power_laws.functions import KAPPA, EffectiveRidge
from power_laws.parameters import MODEL, ONE_ROOT, P, a, delta, n


def formula() -> sympy.Expr:
    """The formula: n less what the ridge takes."""
    letters = sympy.symbols("n P a delta")
    return letters[0] - letters[3] / EffectiveRidge(*letters)


LAWS = (
    law(
        "degrees-of-freedom",
        formula,
        relation="~",
        quantity="trace",
        params=(n, P, a, delta),
        title="Degrees of freedom",
        source=Source("atanasov2024", "as recalled"),
        conventions=f"{MODEL} {KAPPA}",
        conditions=ONE_ROOT,
    ),
)
