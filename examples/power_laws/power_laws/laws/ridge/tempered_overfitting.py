"""tempered-overfitting: interpolated noise costs a - 1 times its variance."""

from asymp.theory import law
from asymp.theory.sources import Source
from power_laws.parameters import MODEL, steep, v

LAWS = (
    law(
        "tempered-overfitting",
        "v*(a - 1)",
        relation="~",
        quantity="risk",
        params=(steep, v),
        title="Interpolated noise",
        source=Source("mallinar2022", "as recalled"),
        conventions=MODEL,
    ),
)
