"""memory-matrix: the picture of the stored associations is the softmax of the scores."""

from typing import Any

from asymp.theory.domain import integer, real
from asymp.theory.law import law
from asymp.theory.statement import Condition, Source

__all__ = ["LAWS"]

SHARED: dict[str, Any] = {
    "meanings": {
        "s": "score u_y.W e_x of the output y",
        "lse": "log-sum-exp of the scores of all outputs at x",
        "q": "weight of the input x",
        "M": "number of outputs",
    },
    "conventions": "The memory matrix has a row for each input x and a column for each output y; each row is the "
    "softmax of the "
    "scores u_y.W e_x and sums to one. Its argmax is the model's answer.",
    "quantity": "P_xy",
}

LAWS = (
    law(
        "memory-matrix",
        "exp(s - lse)",
        relation="=",
        domain={"s": real(), "lse": real()},
        typical={"s": (0.0, 4.0), "lse": (4.0, 10.0)},
        title="Entry of the memory matrix",
        source=Source("cabannes2024", "figures of memory matrices (referred to in Figure 3)"),
        conditions=(
            Condition(
                lambda v: v["s"] <= v["lse"], "s must be at most lse: the log-sum-exp is at least the largest score"
            ),
        ),
        notes=("The order of a row is that of its scores: the row's argmax is the argmax of the scores.",),
        **SHARED,
    ),
    law(
        "memory-matrix:scheme",
        "1/(1 + (M - 1)*exp(-q))",
        relation="=",
        domain={"q": real(-700, 700), "M": integer(2)},
        typical={"q": (0.0, 10.0), "M": (2.0, 100.0)},
        title="Mass on the target, orthonormal embeddings",
        source=Source("asymp", "scores q(x) 1{y = f(x)}"),
        notes=(
            "Each other output has (1 - P)/(M - 1). Interference of random embeddings scatters the scores about this.",
        ),
        **SHARED,
    ),
    law(
        "memory-matrix:agreement",
        "1 + 0*M",
        relation="=",
        domain={"M": integer(2)},
        typical={"M": (2.0, 100.0)},
        title="Share of rows whose largest entry is the output recalled",
        source=Source("cabannes2024", "figures of memory matrices (referred to in Figure 3)"),
        notes=("The softmax keeps the order of a row's scores.",),
        **{**SHARED, "quantity": "share"},
    ),
    law(
        "memory-matrix:argmax",
        "1/M",
        relation=">=",
        domain={"M": integer(2)},
        typical={"M": (2.0, 100.0)},
        title="Mass of a row's argmax",
        source=Source("asymp", "the largest of M numbers that sum to one"),
        notes=(
            "Equality only where all scores are equal, as for an input that was never stored. A mass above 1/2 is the "
            "argmax.",
        ),
        **SHARED,
    ),
)
