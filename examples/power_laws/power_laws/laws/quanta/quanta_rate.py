"""quanta-rate: the exponent in data, alpha/(1 + alpha)."""

from asymp.theory import law
from asymp.theory.sources import Source
from power_laws.parameters import D, alpha

LAWS = (
    law(
        "quanta-rate",
        "D**(-alpha/(1 + alpha))",
        relation="~",
        quantity="loss",
        params=(D, alpha),
        title="Exponent of the quantization model in data",
        source=Source("michaud2023", "as recalled"),
        conventions="Quanta seen once are learnt; infinitely many of them.",
    ),
)
