"""Mean and variance of the scores of a low-rank associative memory, derived by contraction.

W = G G^T sum_x q(x) u_f(x) e_x^T, with G a d x m matrix of independent N(0, 1/m) entries, independent of the
embeddings: what one correlation step on W2 makes of W = W1^T W2 with a random W1. With the columns g_a of G, scaled
to E |g_a|^2 = 1, u_y^T G G^T u_w = (d/m) sum_a (u_y.g_a)(g_a.u_w), so that the sum over columns is one more sum over
coincidences. Exact for all d, m >= 1, m > d included.
"""

from functools import cache

import sympy

from asymp.theory.moments.scores import Law, Pairs, function_memory, matrix_memory, output_of_z
from asymp.theory.moments.wick import VectorLaw, coincidences, d, embedding_law, expectation, inner

__all__ = ["low_rank_score_mean", "low_rank_score_variance", "low_rank_weighted_score_variance"]

m = sympy.Symbol("m", positive=True)


@cache
def _projected_moment(pairs: Pairs, u_law: VectorLaw, g_law: VectorLaw) -> sympy.Expr:
    """E prod_i (u_y^T G G^T u_w) over the pairs (u_y, u_w)."""
    laws = dict.fromkeys({name for pair in pairs for name in pair}, u_law)
    total = sympy.Integer(0)
    for columns in coincidences(variables=len(pairs), named=(), fresh="g"):
        product = sympy.prod([inner(v, g) * inner(g, w) for (v, w), g in zip(pairs, columns, strict=True)])
        different = set(columns)
        total += sympy.ff(m, len(different)) * expectation(product, laws=laws | dict.fromkeys(different, g_law))
    return sympy.factor(total * (d / m) ** len(pairs))


@cache
def _function_moments(
    f_of_z: str, inputs: VectorLaw, outputs: VectorLaw, projection: VectorLaw
) -> tuple[sympy.Expr, sympy.Expr]:
    memory = function_memory(
        f={"z": f_of_z},
        outputs_asked=["y"],
        inputs=inputs,
        output_moment=lambda pairs: _projected_moment(pairs, outputs, projection),
    )
    return memory.moment(("z", "y")), memory.covariance(("z", "y"), ("z", "y"))


@cache
def _matrix_variance(inputs: VectorLaw, outputs: VectorLaw, projection: VectorLaw) -> sympy.Expr:
    memory = matrix_memory(
        named_inputs=["z"],
        named_outputs=["y"],
        inputs=inputs,
        output_moment=lambda pairs: _projected_moment(pairs, outputs, projection),
    )
    return memory.covariance(("z", "y"), ("z", "y"))


def low_rank_score_mean(
    *, match: bool, inputs: Law = "gaussian", outputs: Law = "gaussian", projection: Law = "gaussian"
) -> sympy.Expr:
    """E g(z, y) of the low-rank memory, in q: y = f(z) if `match`, else another output."""
    laws = embedding_law(inputs), embedding_law(outputs), embedding_law(projection)
    return _function_moments(output_of_z(match), *laws)[0]


def low_rank_score_variance(
    *, match: bool, inputs: Law = "gaussian", outputs: Law = "gaussian", projection: Law = "gaussian"
) -> sympy.Expr:
    """Var g(z, y) of the low-rank memory in d, m, q, S_y, S: y = f(z) if `match`, else another output.

    `projection` is the law of the columns of G up to their scale: signs means entries +-1/sqrt m, sphere means
    columns of length sqrt(d/m).
    """
    laws = embedding_law(inputs), embedding_law(outputs), embedding_law(projection)
    return _function_moments(output_of_z(match), *laws)[1]


def low_rank_weighted_score_variance(
    *, inputs: Law = "gaussian", outputs: Law = "gaussian", projection: Law = "gaussian"
) -> sympy.Expr:
    """Var g(z, y) for W = G G^T sum a_xw u_w e_x^T with any matrix of weights, in d, m, a_zy, R_z, C_y, A."""
    return _matrix_variance(embedding_law(inputs), embedding_law(outputs), embedding_law(projection))
