"""Mean, variance and covariance of the scores after one gradient step from W = 0, derived by contraction.

One step of size eta on the cross-entropy of inputs z ~ p with labels f(z) among M outputs gives W = sum_{x,w} a_xw
u_w e_x^T with a_xw = eta p(x) (1{w = f(x)} - 1/M), because the softmax of zero scores is uniform. This is a matrix of
weights like any other: its entry, row, column and total sums are worked out below and put into the derived moments of
`score_moments`. Exact for all d >= 1, M >= 2.

Symbols: d, eta, M; p = p(z); S_y = sum of p(x)^2 over the class f(x) = y; S = the sum over all x. Uniform inputs: p =
1/N, S = 1/N.
"""

import sympy

from asymp.theory.functions.moments.scores import gather, weighted_score_variance

eta, p, M, S, S_y = sympy.symbols("eta p M S S_y", positive=True)
_RIGHT, _WRONG = 1 - 1 / M, -1 / M  # 1{w = f(x)} - 1/M


def one_step_score_mean(*, match: bool) -> sympy.Expr:
    """E g(z, y) after one step, in eta, p, M: y = f(z) if `match`, else another output. It is a_zy, for all embeddings."""
    return gather(eta * p * (_RIGHT if match else _WRONG))


def one_step_score_variance(*, match: bool, inputs: str = "gaussian", outputs: str = "gaussian") -> sympy.Expr:
    """Var g(z, y) after one step, in d, eta, M, p, S_y, S: y = f(z) if `match`, else another output."""
    row = _RIGHT**2 + (M - 1) * _WRONG**2  # of any input: one right output, M - 1 wrong ones
    sums = {
        "R_z": eta**2 * p**2 * row,
        "C_y": eta**2 * (S_y * _RIGHT**2 + (S - S_y) * _WRONG**2),
        "A": eta**2 * S * row,
    }
    weights = {sympy.Symbol(name, positive=True): value for name, value in sums.items()}
    weights[sympy.Symbol("a_zy", real=True)] = one_step_score_mean(match=match)
    return gather(weighted_score_variance(inputs=inputs, outputs=outputs).subs(weights))
