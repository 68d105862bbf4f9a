"""distinct-quanta: how many quanta D samples use."""

import sympy

from asymp.theory import law
from asymp.theory.sources import Source
from power_laws.functions import USE, DistinctQuanta
from power_laws.parameters import D, alpha, quanta


def formula() -> sympy.Expr:
    """The formula: `DistinctQuanta` of the letters."""
    return DistinctQuanta(*sympy.symbols("D P alpha"))


LAWS = (
    law(
        "distinct-quanta",
        formula,
        relation="=",
        quantity="quanta",
        params=(D, quanta, alpha),
        title="Quanta seen",
        source=Source("hutter2021", "as recalled"),
        conventions="D samples use quantum i of P with probability proportional to i^-(1 + alpha). " + USE,
    ),
)
