"""variance-limited: beyond what k modes can do, the risk falls like 1/n."""

from asymp.theory import law
from asymp.theory.sources import Source
from power_laws.parameters import MODEL, n

LAWS = (
    law(
        "variance-limited",
        "1/n",
        relation="~",
        quantity="risk",
        params=(n,),
        title="Variance-limited exponent",
        source=Source("bahri2021", "as recalled"),
        conventions=MODEL,
    ),
)
