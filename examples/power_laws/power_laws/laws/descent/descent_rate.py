"""descent-rate: forgetting of the target, or of its own noise."""

from asymp.theory import law
from asymp.theory.sources import Source
from power_laws.parameters import MODEL, b, steep, t

LAWS = (
    law(
        "descent-rate",
        "Max(t**((1 - b)/a), t**(1/a - 2))",
        relation="~",
        quantity="risk",
        params=(t, steep, b),
        title="Exponent of one-pass gradient descent",
        source=Source("paquette2024", "as recalled"),
        conventions=MODEL,
    ),
)
