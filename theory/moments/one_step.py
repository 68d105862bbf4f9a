"""Mean, variance and covariance of the scores after one gradient step from W = 0, derived by contraction.

One step of size eta on the cross-entropy of inputs z ~ p with labels f(z) among M outputs gives W = sum_{x,w} a_xw
u_w e_x^T with a_xw = eta p(x) (1{w = f(x)} - 1/M), because the softmax of zero scores is uniform. This is a matrix of
weights like any other: its entry, row, column and total sums are worked out below and put into the derived moments of
`score_moments`. Exact for all d >= 1, M >= 2.

Symbols: d, eta, M; p = p(z); S_y = sum of p(x)^2 over the class f(x) = y; S = the sum over all x. Uniform inputs: p =
1/N, S = 1/N.
"""

import sympy

from asymp.theory.moments.scores import Law, gather, output_of_z, weighted_score_covariance, weighted_score_mean

__all__ = ["one_step_score_covariance", "one_step_score_mean", "one_step_score_variance"]

eta, p, M, S, S_y, S_y_prime = sympy.symbols("eta p M S S_y S_y'", positive=True)
_RIGHT, _WRONG = 1 - 1 / M, -1 / M  # 1{w = f(x)} - 1/M


def _weights(f_of_z: str) -> dict[sympy.Symbol, sympy.Expr]:
    """Entries and sums of a_xw, for f(z) named y, y' or anything else."""
    entry = {y: eta * p * (_RIGHT if f_of_z == y else _WRONG) for y in ("y", "y'")}
    row = _RIGHT**2 + (M - 1) * _WRONG**2  # of any input: one right output, M - 1 wrong ones
    real = {
        "a_zy": entry["y"],
        "a_zy'": entry["y'"],
        "C_yy'": eta**2 * ((S_y + S_y_prime) * _RIGHT * _WRONG + (S - S_y - S_y_prime) * _WRONG**2),
    }
    positive = {
        "R_z": eta**2 * p**2 * row,
        "C_y": eta**2 * (S_y * _RIGHT**2 + (S - S_y) * _WRONG**2),
        "A": eta**2 * S * row,
    }
    return {sympy.Symbol(name, real=True): value for name, value in real.items()} | {
        sympy.Symbol(name, positive=True): value for name, value in positive.items()
    }


def one_step_score_mean(*, match: bool, inputs: Law = "gaussian", outputs: Law = "gaussian") -> sympy.Expr:
    """E g(z, y) after one step, in eta, p, M: y = f(z) if `match`, else another output."""
    return gather(weighted_score_mean(inputs=inputs, outputs=outputs).subs(_weights(output_of_z(match))))


def one_step_score_variance(*, match: bool, inputs: Law = "gaussian", outputs: Law = "gaussian") -> sympy.Expr:
    """Var g(z, y) after one step, in d, eta, M, p, S_y, S: y = f(z) if `match`, else another output."""
    variance = weighted_score_covariance(same_input=True, same_output=True, inputs=inputs, outputs=outputs)
    return gather(variance.subs(_weights(output_of_z(match))))


def one_step_score_covariance(*, match: bool, inputs: Law = "gaussian", outputs: Law = "gaussian") -> sympy.Expr:
    """Cov(g(z, y), g(z, y')) after one step, y' != y, y' != f(z), in d, eta, M, p, S_y, S_y', S: y = f(z) if `match`.

    Unlike the scores of W = sum q u e^T these are correlated: every input writes -1/M on every output.
    """
    covariance = weighted_score_covariance(same_input=True, same_output=False, inputs=inputs, outputs=outputs)
    return gather(covariance.subs(_weights(output_of_z(match))))
