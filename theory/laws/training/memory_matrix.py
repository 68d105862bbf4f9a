"""memory-matrix: the picture of the stored associations is the softmax of the scores."""

from functools import partial

from asymp.theory.law import law
from asymp.theory.laws.training import M
from asymp.theory.param import Param, real
from asymp.theory.sources import Condition, Source

declare = partial(
    law,
    conventions="The memory matrix has a row for each input x and a column for each output y; each row is the softmax "
    "of the scores u_y.W e_x and sums to one. Its argmax is the model's answer.",
    quantity="P_xy",
    relation="=",
)
LAWS = (
    declare(
        "memory-matrix",
        "exp(s - lse)",
        params=(
            Param(real(), (0, 4), meaning="score u_y.W e_x of the output y", name="s"),
            Param(real(), (4, 10), meaning="log-sum-exp of the scores of all outputs at x", name="lse"),
        ),
        title="Entry of the memory matrix",
        source=Source("cabannes2024", "figures of memory matrices (referred to in Figure 3)"),
        conditions=Condition(
            lambda v: v["s"] <= v["lse"], "s must be at most lse: the log-sum-exp is at least the largest score"
        ),
    ),
    declare(
        "memory-matrix:scheme",
        "1/(1 + (M - 1)*exp(-q))",
        params=(Param(real(-700, 700), (0, 10), meaning="weight of the input x", name="q"), M),
        title="Mass on the target, orthonormal embeddings",
        source=Source("asymp", "scores q(x) 1{y = f(x)}"),
    ),
    declare(
        "memory-matrix:agreement",
        "exp(r[x])/Sum(exp(s[x, y]), (y, 1, M))",
        params=(
            Param(
                real(), meaning="score of the output that the memory recalls at x, the largest", name="r", indices="x"
            ),
            Param(real(), meaning="score u_y.W e_x of the output y", name="s", indices="xy"),
        ),
        indices="x",
        title="The largest entry of a row is that of the output recalled",
        source=Source("cabannes2024", "figures of memory matrices (referred to in Figure 3)"),
        quantity="max_P_x",
    ),
    declare(
        "memory-matrix:argmax",
        "1/M",
        relation=">=",
        params=(M,),
        title="Mass of a row's argmax",
        source=Source("asymp", "the largest of M numbers that sum to one"),
    ),
)
