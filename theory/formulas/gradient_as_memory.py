"""gradient-as-memory: the gradient of the cross-entropy is a sum of outer products of embeddings."""

from typing import Any

from asymp.theory.domain import integer, real
from asymp.theory.law import law
from asymp.theory.statement import Condition, Source

__all__ = ["LAWS"]

SHARED: dict[str, Any] = {
    "meanings": {
        "p": "probability p(z) of the input",
        "s": "score u_k.W e_z of the output k",
        "lse": "log-sum-exp of the scores of all outputs at z",
        "t": "probability p(k|z) of the output k given z (1 or 0 where the target is a function of z)",
        "p_hat": "softmax p^(k|z) of the scores",
        "m": "margin: the target's score less that of the others, all equal",
        "M": "number of outputs",
        "d": "dimension of the embeddings",
    },
    "conventions": "L(W) = E over (z, y) of the cross-entropy of y and softmax(u_k.W e_z); c_kz is the coefficient in "
    "grad L = sum "
    "over k, z of c_kz u_k e_z^T. A step of size eta adds -eta c_kz to the weight of u_k e_z^T.",
}
MASS = real(0, 1)

LAWS = (
    law(
        "gradient-as-memory",
        "p*(exp(s - lse) - t)",
        relation="=",
        domain={"p": MASS, "s": real(), "lse": real(), "t": MASS},
        typical={"p": (0.01, 1.0), "s": (0.0, 4.0), "lse": (4.0, 10.0), "t": (0.0, 1.0)},
        quantity="c_kz",
        title="Coefficient of u_k e_z^T in the gradient, from the scores",
        source=Source("asymp", "gradient of the cross-entropy"),
        conditions=(
            Condition(
                lambda v: v["s"] <= v["lse"], "s must be at most lse: the log-sum-exp is at least the largest score"
            ),
        ),
        notes=(
            "Holds for every W, d, N, M and any embeddings; coefficients are unique only where the u_k e_z^T are "
            "linearly independent (d >= M and d >= N).",
            "Over k the coefficients of an input sum to 0.",
        ),
        **SHARED,
    ),
    law(
        "gradient-as-memory:source",
        "p*(p_hat - t)",
        relation="=",
        domain={"p": MASS, "p_hat": MASS, "t": MASS},
        typical={"p": (0.01, 1.0), "p_hat": (0.0, 1.0), "t": (0.0, 1.0)},
        quantity="c_kz",
        title="Coefficient of u_k e_z^T in the gradient, as the source states it",
        source=Source("bietti2025", "lemma 'gradients as memories' (Bietti et al. 2023)"),
        **SHARED,
    ),
    law(
        "gradient-as-memory:margin",
        "-p/(1 + exp(m)/(M - 1))",
        relation="=",
        domain={"p": MASS, "m": real(-700, 700), "M": integer(2)},
        typical={"p": (0.01, 1.0), "m": (0.0, 10.0), "M": (2.0, 100.0)},
        quantity="c_fz",
        title="Coefficient of the target in the gradient, the other scores being equal",
        source=Source("asymp", "softmax of one score m above M - 1 equal ones"),
        notes=("One step of `sgd-map` is minus this with p = 1 (the sample is z), times the step size.",),
        **SHARED,
    ),
    law(
        "gradient-as-memory:deviation",
        "0*d",
        relation="=",
        domain={"d": integer(1)},
        typical={"d": (2.0, 128.0)},
        quantity="deviation",
        title="Relative deviation of the gradient by automatic differentiation from the sum of outer products",
        source=Source("asymp", "the identity itself"),
        notes=("In float64 what is left is rounding: below 1e-12 for a few hundred inputs and outputs.",),
        **SHARED,
    ),
)
