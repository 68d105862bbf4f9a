"""solvable-joint-law: the risk of random features in samples and features together."""

import sympy

from asymp.theory import law
from asymp.theory.sources import Condition, Source
from power_laws.functions import KAPPA, EffectiveRidge
from power_laws.parameters import MODEL, P, a, k, n


def formula() -> sympy.Expr:
    """The formula: the effective ridge of the scarcer of the two, over what the other leaves."""
    samples, features, modes, capacity = sympy.symbols("n k P a")
    few, many = sympy.Min(samples, features), sympy.Max(samples, features)
    return few * EffectiveRidge(few, modes, capacity, 0) / (1 - few / many)


LAWS = (
    law(
        "solvable-joint-law",
        formula,
        relation="~",
        quantity="risk",
        params=(n, k, P, a),
        title="Joint law of samples and features",
        source=Source("maloney2022", "as recalled"),
        conventions=f"{MODEL} {KAPPA} The target has the spectrum's own variances (b = a); no noise, no ridge.",
        conditions=Condition(lambda at: at["n"] != at["k"], "n and k must differ: at n = k the risk is infinite"),
    ),
)
