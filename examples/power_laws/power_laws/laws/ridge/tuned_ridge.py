"""tuned-ridge: with noise and the best scaling of the ridge."""

from asymp.theory import law
from asymp.theory.sources import Source
from power_laws.parameters import MODEL, a, b, n

LAWS = (
    law(
        "tuned-ridge",
        "n**(-Min(b - 1, 2*a)/(1 + Min(b - 1, 2*a)))",
        relation="~",
        params=(n, a, b),
        title="Exponent of ridge regression with noise",
        source=Source("cui2021", "as recalled"),
        conventions=MODEL,
    ),
)
