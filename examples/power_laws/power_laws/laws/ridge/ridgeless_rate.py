"""ridgeless-rate: without noise and ridge the risk falls with the smaller of two exponents."""

from asymp.theory import law
from asymp.theory.sources import Source
from power_laws.parameters import MODEL, b, n, steep

LAWS = (
    law(
        "ridgeless-rate",
        "Max(n**(1 - b), n**(-2*a))",
        relation="~",
        quantity="risk",
        params=(n, steep, b),
        title="Exponent of noiseless interpolation",
        source=Source("cui2021", "as recalled"),
        conventions=MODEL,
    ),
)
