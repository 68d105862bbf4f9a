"""exact-recall-error: the error of a random associative memory at every finite dimension."""

import math
from functools import partial
from typing import Any

from asymp.theory.exact_recall.exact import recall_error, recall_errors
from asymp.theory.functions.numerics import each_point, no_more_digits
from asymp.theory.functions.recall.binary import binary_recall_digits, binary_recall_error, equal_weights_error
from asymp.theory.law import law
from asymp.theory.laws.pieces import formulas, scores, symbols
from asymp.theory.laws.scaling import (
    ANY_ALPHA,
    CONVENTIONS,
    LIMIT,
    NORMALISED,
    OUTPUTS,
    RECALLABLE,
    RECALLED,
    RHO,
    SUMMABLE,
    D,
    M,
    N,
    P,
    T,
)
from asymp.theory.lazy import Digits, Expr, Floats, np, sympy
from asymp.theory.param import Param, integer, real
from asymp.theory.sources import Condition, Source

M_EQUAL = Param(integer(2), (2, 10), meaning="number of outputs, all with the same share of the weights", name="M")
S = Param(real(above=0), (20, 500), meaning="sum of q(x)^2 over all inputs; each class has S/M", name="S")
Q = Param(real(above=0), (0.5, 1), meaning="weight of the input that is recalled", name="q")


def recall_exact(
    *,
    digits: int,
    outputs: str,
    M: Digits,
    T: Digits = math.inf,
    rho: Digits = 0,
    P: Digits = math.inf,
    **values: Digits,
) -> Digits:
    """Any number of digits for M = 2, sphere outputs and T = inf, where there is a closed form; else no more than 4."""
    if outputs == "sphere" and M == 2 and math.isinf(T):
        return binary_recall_digits(digits=digits, rho=rho, P=P, **values)
    raise no_more_digits("the recall error", "3 to 4", "asymp.theory.recall_error(rel_error=...)")


def binary_expression() -> Expr:
    """(1/2) sum of p(x) I_{1 - q(x)^2/S}(d/2, 1/2)."""
    alpha, N, d, rho, P = sympy.symbols("alpha N d rho P", positive=True)
    x, j = sympy.symbols("x j", integer=True, positive=True)

    def square(k: Any) -> Any:
        return sympy.Piecewise((symbols.zipf(k, alpha, N) ** (2 * rho), k <= P), (0, True))

    share = square(x) / sympy.Sum(square(j), (j, 1, N))
    half = sympy.Rational(1, 2)
    return sympy.Sum(symbols.zipf(x, alpha, N) * sympy.betainc_regularized(d / 2, half, 0, 1 - share), (x, 1, N)) / 2


def binary_numeric(**values: Floats) -> Floats:
    """The closed form for two outputs: vectorised for equal weights, else point by point."""
    if np.all(values["rho"] * values["alpha"] == 0):
        return equal_weights_error(**{name: v for name, v in values.items() if name != "rho"})
    return each_point(binary_recall_error, **values)


def shortcut_variances(outputs: str) -> "tuple[sympy.Expr, sympy.Expr]":
    """The exact variances of the scores of f(z) and of another output, S_y = S/M."""
    S, M = sympy.symbols("S M", positive=True)
    found = []
    for match in (True, False):
        variance = scores.score_variance(match=match, inputs="gaussian", outputs=outputs)
        names = {s.name: s for s in variance.free_symbols}
        found.append(variance.subs({names["S_y"]: S / M, names["S"]: S}))
    return found[0], found[1]


def shortcut_expression(*, outputs: str = "gaussian") -> Expr:
    """1 - integral of phi(t) Phi((q + s_f t)/s_y)^(M-1), s_f and s_y the standard deviations of the scores."""
    q, M = sympy.symbols("q M", positive=True)
    own, other = shortcut_variances(outputs)
    return formulas.UnequalError(q, sympy.sqrt(own), sympy.sqrt(other), M)


def item_numeric(*, outputs: str, **values: Floats) -> Floats:
    """The same at every point, to 1e-3: one input is asked for, and one more in each class carries what is left of S/M."""

    def one(*, q: float, d: float, S: float, M: float) -> float:
        outs = int(M)
        left = math.sqrt(max(S / M - q**2, 0.0))
        weights = [q, left, *[math.sqrt(S / M)] * (outs - 1)]
        targets, p = [0, *range(outs)], [1.0, *[0.0] * outs]
        return recall_error(N=outs + 1, M=outs, d=d, targets=targets, weights=weights, p=p, outputs=outputs).value

    return each_point(one, **values)


def item_exact(**values: Digits) -> Digits:
    """No more than 4 digits."""
    raise no_more_digits("the error of one input", "3 to 4", "asymp.theory.recall_error(rel_error=...)")


recall_law = partial(
    law,
    relation="=",
    conventions=CONVENTIONS,
    conditions=RECALLABLE,
    numeric=recall_errors,
    exact=recall_exact,
)
"""A law that is the exact recall error of a scheme."""

MEMBER = Condition(lambda v: v["q"] ** 2 * v["M"] <= v["S"], "q^2 must be at most S/M: it is part of its class")

LAWS = (
    recall_law(
        "exact-recall-error",
        "Sum(zipf(x, alpha, N)*Failure(x, M, d, rho, P, T), (x, 1, N))",
        params=(ANY_ALPHA.over(0.5, 3), N.but(default=None).over(20, 500), M, D.over(4, 400), RHO, P, T, OUTPUTS),
        title="Recall error, numerically exact at every d",
        source=Source("asymp", "the overlaps with e_x are Gaussian given |e_x|"),
        exponents={"d": RECALLED},
    ),
    law(
        "exact-recall-error:asymptotic",
        "GaussianError(q*sqrt(d/S), M)",
        relation="~",
        params=(
            Q.over(0.1, 1),
            D,
            Param(real(above=0), (5, 500), meaning="sum of q(x)^2 over each class", name="S"),
            M_EQUAL.over(2, 20),
        ),
        title="Error of one input in many dimensions, balanced classes",
        source=Source("asymp", "limit d -> oo at fixed d q^2/S"),
        conventions=LIMIT,
    ),
    law(
        "exact-recall-error:binary",
        binary_expression,
        relation="=",
        params=(
            ANY_ALPHA.over(0.5, 3),
            N.but(default=None).over(20, 2000),
            RHO,
            P,
            D.but(domain=integer(2)).over(4, 1000),
        ),
        title="Recall error with two outputs on the sphere, closed form",
        source=Source("asymp", "Student's t distribution with d degrees of freedom"),
        conventions=CONVENTIONS + " Two outputs, uniform on the sphere; f may be any function to them.",
        conditions=(NORMALISED, SUMMABLE),
        numeric=binary_numeric,
        exact=binary_recall_digits,
    ),
    law(
        "exact-recall-error:shortcut",
        shortcut_expression,
        relation="~",
        params=(Q, D.over(10, 1000), S, M_EQUAL, OUTPUTS),
        title="Error of one input by independent Gaussian scores (a shortcut)",
        source=Source("bietti2025", "slide on linear associative memories: mean and variance of the scores"),
        conventions="The scores of all outputs are taken as independent Gaussians with their exact means and variances.",
        conditions=MEMBER,
        exponents={"d": "-oo"},
    ),
    law(
        "exact-recall-error:item",
        "Failure(1, q, S, M, d)",
        relation="=",
        params=(Q, D.over(10, 1000), S, M_EQUAL, OUTPUTS),
        title="Error of one input, numerically exact at every d",
        source=Source("asymp", "the overlaps with e_x are Gaussian given |e_x|"),
        conventions="An input of weight q, gaussian inputs, each of the M classes has the sum S/M of squared weights, its own "
        "included.",
        conditions=MEMBER,
        exponents={"d": "-oo"},
        numeric=item_numeric,
        exact=item_exact,
    ),
)
