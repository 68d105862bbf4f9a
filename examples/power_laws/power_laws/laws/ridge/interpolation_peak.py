"""interpolation-peak: noise is amplified without limit where samples equal parameters."""

from asymp.theory import law
from asymp.theory.sources import Condition, Source
from power_laws.parameters import P, n, v

LAWS = (
    law(
        "interpolation-peak",
        "v*Min(n, P)/(Abs(n - P) - 1)",
        relation="=",
        quantity="risk",
        params=(n, P, v),
        title="Variance of the smallest interpolator",
        source=Source("hastie2019", "as recalled"),
        conventions="Isotropic features, no target, noise of variance v.",
        conditions=Condition(
            lambda at: abs(at["n"] - at["P"]) > 1, "n and P must differ by 2 or more: else the mean is infinite"
        ),
    ),
)
