"""learnt-quanta: how the number of learnt quanta grows with data."""

from asymp.theory import law
from asymp.theory.sources import Source
from power_laws.parameters import D, alpha

LAWS = (
    law(
        "learnt-quanta",
        "D**(1/(1 + alpha))",
        relation="~",
        quantity="quanta",
        params=(D, alpha),
        title="Quanta learnt from D samples",
        source=Source("michaud2023", "as recalled"),
        conventions="Quanta seen once are learnt; infinitely many of them.",
    ),
)
