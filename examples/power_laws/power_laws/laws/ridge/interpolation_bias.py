"""interpolation-bias: n equations see n/P of an isotropic target."""

from asymp.theory import law
from asymp.theory.sources import Condition, Source
from power_laws.parameters import P, n

LAWS = (
    law(
        "interpolation-bias",
        "1 - n/P",
        relation="=",
        quantity="risk",
        params=(n, P),
        title="Bias of the smallest interpolator",
        source=Source("hastie2019", "as recalled"),
        conventions="Isotropic features, a target of unit length, no noise.",
        conditions=Condition(lambda at: at["n"] <= at["P"], "n must be at most P: more samples fix all of the target"),
    ),
)
