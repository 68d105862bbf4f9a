"""gradient-noisy-inputs: with inputs that are vectors the gradient compares class means with predicted class means."""

from typing import Any

from asymp.theory.domain import integer, real
from asymp.theory.law import law
from asymp.theory.statement import Erratum, Source

__all__ = ["LAWS"]

SHARED: dict[str, Any] = {
    "meanings": {
        "p": "probability p(k) of the output k",
        "mu": "a coordinate of mu_k = E[x | y = k] (any number where p(k) = 0)",
        "mu_hat": "the same coordinate of mu^_k = E[p^(k|x) x]/p(k)",
        "a": "the same coordinate of E[p^(k|x) x]",
        "m": "the same coordinate of E[x]",
        "M": "number of outputs",
        "d": "dimension of the inputs",
    },
    "conventions": "L(W) = E over (x, y) of the cross-entropy of y and softmax(u_k.W x), x a vector; grad L = sum "
    "over k of u_k v_k^T, "
    "and v is a coordinate of v_k.",
    "quantity": "v",
}

LAWS = (
    law(
        "gradient-noisy-inputs",
        "a - p*mu",
        relation="=",
        domain={"a": real(), "p": real(0, 1), "mu": real()},
        typical={"a": (0.0, 1.0), "p": (0.0, 1.0), "mu": (0.0, 1.0)},
        title="Row of the gradient of an output, also for outputs that never occur",
        source=Source("asymp", "gradient of the cross-entropy"),
        notes=("With one-hot x this is `gradient-as-memory`.",),
        **SHARED,
    ),
    law(
        "gradient-noisy-inputs:source",
        "p*(mu_hat - mu)",
        relation="=",
        domain={
            "p": real(above=0, high=1, advice="mu_k and mu^_k do not exist at p(k) = 0; use gradient-noisy-inputs"),
            "mu_hat": real(),
            "mu": real(),
        },
        typical={"p": (0.01, 1.0), "mu_hat": (0.0, 1.0), "mu": (0.0, 1.0)},
        title="Row of the gradient of an output, as the source states it",
        source=Source("bietti2025", "lemma 'gradients with noisy inputs' (Bietti et al. 2023)"),
        errata=(
            Erratum(
                regime="An output that never occurs, p(k) = 0 (the lemma takes all outputs k = 1..N without a "
                "condition).",
                discrepancy="mu_k and mu^_k do not exist. The row is not zero: it is E[p^(k|x) x], which pushes the "
                "score of k down.",
                corrected_by="gradient-noisy-inputs",
            ),
        ),
        **SHARED,
    ),
    law(
        "gradient-noisy-inputs:start",
        "m/M - p*mu",
        relation="=",
        domain={"m": real(), "M": integer(2), "p": real(0, 1), "mu": real()},
        typical={"m": (0.0, 1.0), "M": (2.0, 100.0), "p": (0.0, 1.0), "mu": (0.0, 1.0)},
        title="Row of the gradient of an output at W = 0",
        source=Source("asymp", "the softmax of zero scores is uniform"),
        notes=("With uniform outputs, p(k) = 1/M, it is (E[x] - mu_k)/M: what all classes share cancels.",),
        **SHARED,
    ),
    law(
        "gradient-noisy-inputs:deviation",
        "0*d",
        relation="=",
        domain={"d": integer(1)},
        typical={"d": (2.0, 128.0)},
        title="Relative deviation of the gradient by automatic differentiation from the sum over outputs",
        source=Source("asymp", "the identity itself"),
        notes=("In float64 what is left is rounding: below 1e-12.",),
        **{**SHARED, "quantity": "deviation"},
    ),
)
