"""Mean and variance of the scores of a low-rank associative memory, derived by contraction.

W = G G^T sum_x q(x) u_f(x) e_x^T, with G a d x m matrix of independent N(0, 1/m) entries, independent of the
embeddings: what one correlation step on W2 makes of W = W1^T W2 with a random W1. With the columns g_a of G, scaled
to E |g_a|^2 = 1, u_y^T G G^T u_w = (d/m) sum_a (u_y.g_a)(g_a.u_w), so that the sum over columns is one more sum over
coincidences. Exact for all d, m >= 1, m > d included.
"""

from functools import cache

import sympy

from asymp.theory.functions.moments.scores import Pairs, function_memory, output_of_z
from asymp.theory.functions.moments.wick import coincidences, d, expectation, inner

m = sympy.Symbol("m", positive=True)


@cache
def _projected_moment(pairs: Pairs, outputs: str) -> sympy.Expr:
    """E prod_i (u_y^T G G^T u_w) over the pairs (u_y, u_w)."""
    laws = dict.fromkeys({name for pair in pairs for name in pair}, outputs)
    total = sympy.Integer(0)
    for columns in coincidences(variables=len(pairs), named=(), fresh="g"):
        product = sympy.prod([inner(v, g) * inner(g, w) for (v, w), g in zip(pairs, columns, strict=True)])
        different = set(columns)
        total += sympy.ff(m, len(different)) * expectation(product, laws=laws | dict.fromkeys(different, "gaussian"))
    return sympy.factor(total * (d / m) ** len(pairs))


@cache
def low_rank_score_variance(*, match: bool, inputs: str = "gaussian", outputs: str = "gaussian") -> sympy.Expr:
    """Var g(z, y) of the low-rank memory in d, m, q, S_y, S: y = f(z) if `match`, else another output."""
    memory = function_memory(
        f={"z": output_of_z(match)},
        outputs_asked=["y"],
        inputs=inputs,
        output_moment=lambda pairs: _projected_moment(pairs, outputs),
    )
    return memory.covariance(("z", "y"), ("z", "y"))
