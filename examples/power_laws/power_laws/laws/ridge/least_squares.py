"""least-squares: modes that are left out act as noise."""

from asymp.theory import law
from asymp.theory.sources import Condition, Source
from power_laws.parameters import MODEL, P, b, k, n, v

LAWS = (
    law(
        "least-squares",
        "(v + zeta(b, k + 1) - zeta(b, P + 1))*(n - 1)/(n - k - 1) - v",
        relation="=",
        quantity="risk",
        params=(n, k, P, b, v),
        title="Least squares on the first k modes",
        source=Source("bahri2021", "as recalled"),
        conventions=MODEL,
        conditions=(
            Condition(lambda at: at["k"] <= at["P"], "k must be at most P, the number of modes"),
            Condition(
                lambda at: at["n"] > at["k"] + 1, "n must be above k + 1: with fewer samples the mean is infinite"
            ),
        ),
    ),
)
