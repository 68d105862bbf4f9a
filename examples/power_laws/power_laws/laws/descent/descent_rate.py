"""descent-rate: forgetting of the target, or of its own noise."""

from asymp.theory import law
from asymp.theory.sources import Source
from power_laws.parameters import MODEL, a, b, t

LAWS = (
    law(
        "descent-rate",
        "t**(-Min((b - 1)/a, 2 - 1/a))",
        relation="~",
        params=(t, a, b),
        title="Exponent of one-pass gradient descent",
        source=Source("paquette2024", "as recalled"),
        conventions=MODEL,
    ),
)
