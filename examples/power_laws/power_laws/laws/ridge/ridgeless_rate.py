"""ridgeless-rate: without noise and ridge the risk falls with the smaller of two exponents."""

from asymp.theory import law
from asymp.theory.sources import Source
from power_laws.parameters import MODEL, a, b, n

LAWS = (
    law(
        "ridgeless-rate",
        "n**(-Min(b - 1, 2*a))",
        relation="~",
        params=(n, a, b),
        title="Exponent of noiseless interpolation",
        source=Source("cui2021", "as recalled"),
        conventions=MODEL,
    ),
)
