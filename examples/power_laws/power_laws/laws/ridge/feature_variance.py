"""feature-variance: what the draw of the random features adds falls like 1/k."""

from asymp.theory import law
from asymp.theory.sources import Source
from power_laws.parameters import MODEL, k

LAWS = (
    law(
        "feature-variance",
        "1/k",
        relation="~",
        quantity="risk",
        params=(k,),
        title="Variance-limited exponent in width",
        source=Source("bahri2021", "as recalled"),
        conventions=f"{MODEL} Half the squared distance of the fits on two draws of k random features, from the same data.",
    ),
)
