"""quantum-step: one quantum is learnt in one step, at about as many samples as it is rare."""

from asymp.theory import law
from asymp.theory.sources import Condition, Source
from power_laws.parameters import D, alpha, i, quanta

LAWS = (
    law(
        "quantum-step",
        "(1 - i**(-1 - alpha)/(zeta(1 + alpha) - zeta(1 + alpha, P + 1)))**D",
        relation="=",
        quantity="probability",
        params=(i, D, quanta, alpha),
        title="Step of one quantum",
        source=Source("michaud2023", "as recalled"),
        conventions="None of D samples uses quantum i of P, which one does with probability proportional to i^-(1 + alpha).",
        conditions=Condition(lambda at: (at["i"] <= at["P"]) & (at["P"] > 1), "i must be at most P, and P at least 2"),
    ),
)
