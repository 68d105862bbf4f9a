"""width-limited: with samples without end, random features are what limits."""

from asymp.theory import law
from asymp.theory.sources import Source
from power_laws.parameters import MODEL, b, k, steep

LAWS = (
    law(
        "width-limited",
        "Max(k**(1 - b), k**(-a))",
        relation="~",
        quantity="risk",
        params=(k, steep, b),
        title="Exponent in the number of random features",
        source=Source("bahri2021", "as recalled; the capacity limit k^-a derived here"),
        conventions=f"{MODEL} Infinitely many samples, no noise; the best weights on k random combinations of the modes.",
    ),
)
