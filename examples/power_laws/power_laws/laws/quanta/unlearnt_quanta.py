"""unlearnt-quanta: quanta seen fewer than tau times are not learnt."""

import sympy

from asymp.theory import law
from asymp.theory.sources import Source
from power_laws.functions import USE, UnlearntQuanta
from power_laws.parameters import D, alpha, quanta, tau


def formula() -> sympy.Expr:
    """The formula: `UnlearntQuanta` of the letters."""
    return UnlearntQuanta(*sympy.symbols("D P alpha tau"))


LAWS = (
    law(
        "unlearnt-quanta",
        formula,
        relation="=",
        quantity="loss",
        params=(D, quanta, alpha, tau),
        title="Loss of the quantization model",
        source=Source("michaud2023", "as recalled"),
        conventions=(
            "D samples use quantum i of P with probability proportional to i^-(1 + alpha); the loss is the probability of those "
            f"seen fewer than tau times. {USE} n_i is how often the samples use quantum i."
        ),
    ),
)
