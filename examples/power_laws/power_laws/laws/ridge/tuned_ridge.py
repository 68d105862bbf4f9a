"""tuned-ridge: with noise and the best scaling of the ridge."""

from asymp.theory import law
from asymp.theory.sources import Source
from power_laws.parameters import MODEL, b, n, steep

LAWS = (
    law(
        "tuned-ridge",
        "Max(n**(1/b - 1), n**(-2*a/(1 + 2*a)))",
        relation="~",
        quantity="risk",
        params=(n, steep, b),
        title="Exponent of ridge regression with noise",
        source=Source("cui2021", "as recalled"),
        conventions=MODEL,
    ),
)
