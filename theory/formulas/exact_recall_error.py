"""exact-recall-error: the error of a random associative memory at every finite dimension."""

import math
from typing import TYPE_CHECKING, Any

from asymp.theory.domain import integer, real
from asymp.theory.law import law
from asymp.theory.statement import Condition, Erratum, Source
from asymp.theory.storage.scheme_domain import (
    CONVENTIONS,
    LIMIT,
    MEANINGS,
    NORMALISED,
    OUTPUTS,
    SCHEME,
    SCHEME_DEFAULTS,
    SUMMABLE,
    SUMMABLE_SAMPLES,
)

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]


def recall_expression(*, outputs: str = "gaussian") -> "sympy.Expr":
    """The sum over x of p(x) times the probability that x is not recalled, which has no closed form."""
    import sympy

    from asymp.theory.recall.symbols import Failure, zipf

    alpha, N, M, d, rho, P, T = sympy.symbols("alpha N M d rho P T", positive=True)
    x = sympy.Symbol("x", integer=True, positive=True)
    return sympy.Sum(zipf(x, alpha, N) * Failure(x, M, d, rho, P, T), (x, 1, N))


def recall_numeric(**values: Any) -> Any:
    """The error at every point, to 1e-3."""
    from asymp.theory.storage.schemes import recall_errors

    return recall_errors(**values)


def recall_exact(*, digits: int, outputs: str, M: Any, T: Any = math.inf, **values: Any) -> Any:
    """Any number of digits for M = 2 and sphere outputs, where there is a closed form."""
    from asymp.theory.storage.schemes import no_more_digits

    if outputs == "sphere" and M == 2 and math.isinf(T):
        return binary_exact(digits=digits, **values)
    raise no_more_digits("the recall error", "3 to 4", "asymp.theory.recall_error(rel_error=...)")


def limit_expression() -> "sympy.Expr":
    """pi_M(q sqrt(d/S))."""
    import sympy

    from asymp.theory.recall.symbols import gaussian_error

    q, d, S, M = sympy.symbols("q d S M", positive=True)
    return gaussian_error(q * sympy.sqrt(d / S), M)


def limit_numeric(*, q: Any, d: Any, S: Any, M: Any) -> Any:
    """pi_M(q sqrt(d/S)), vectorised."""
    from asymp.theory.recall.limits import balanced_limit

    return balanced_limit(q=q, d=d, S=S, M=M)


def limit_exact(*, q: Any, d: Any, S: Any, M: Any, digits: int) -> Any:
    """pi_M(q sqrt(d/S)) to any number of digits."""
    import mpmath

    from asymp.theory.recall.gaussian_error import gaussian_error_digits

    return gaussian_error_digits(a=q * mpmath.sqrt(d / S), M=M, digits=digits)


def binary_expression() -> "sympy.Expr":
    """(1/2) sum of p(x) I_{1 - q(x)^2/S}(d/2, 1/2)."""
    import sympy

    from asymp.theory.recall.symbols import zipf

    alpha, N, d, rho, P = sympy.symbols("alpha N d rho P", positive=True)
    x, j = sympy.symbols("x j", integer=True, positive=True)

    def square(k: Any) -> Any:
        return sympy.Piecewise((zipf(k, alpha, N) ** (2 * rho), k <= P), (0, True))

    share = square(x) / sympy.Sum(square(j), (j, 1, N))
    half = sympy.Rational(1, 2)
    return sympy.Sum(zipf(x, alpha, N) * sympy.betainc_regularized(d / 2, half, 0, 1 - share), (x, 1, N)) / 2


def binary_numeric(**values: Any) -> Any:
    """The closed form for two outputs: vectorised for equal weights, else point by point."""
    import numpy as np

    from asymp.theory.recall.binary import binary_recall_error, equal_weights_error
    from asymp.theory.storage.schemes import each_point

    if np.all(values["rho"] * values["alpha"] == 0):
        return equal_weights_error(**{name: v for name, v in values.items() if name != "rho"})
    return each_point(binary_recall_error, **values)


def binary_exact(**values: Any) -> Any:
    """The closed form for two outputs to any number of digits."""
    from asymp.theory.recall.binary import binary_recall_digits

    return binary_recall_digits(**values)


def shortcut_variances(outputs: str) -> "tuple[sympy.Expr, sympy.Expr]":
    """The exact variances of the scores of f(z) and of another output, S_y = S/M."""
    import sympy

    from asymp.theory.moments.scores import score_variance

    S, M = sympy.symbols("S M", positive=True)
    found = []
    for match in (True, False):
        variance = score_variance(match=match, inputs="gaussian", outputs=outputs)
        names = {s.name: s for s in variance.free_symbols}
        found.append(variance.subs({names["S_y"]: S / M, names["S"]: S}))
    return found[0], found[1]


def shortcut_expression(*, outputs: str = "gaussian") -> "sympy.Expr":
    """1 - integral of phi(t) Phi((q + s_f t)/s_y)^(M-1), s_f and s_y the standard deviations of the scores."""
    import sympy

    from asymp.theory.recall.symbols import normal_cdf

    q, M = sympy.symbols("q M", positive=True)
    own, other = shortcut_variances(outputs)
    t = sympy.Symbol("t", real=True)
    density = sympy.exp(-(t**2) / 2) / sympy.sqrt(2 * sympy.pi)
    inside = normal_cdf((q + sympy.sqrt(own) * t) / sympy.sqrt(other)) ** (M - 1)
    return 1 - sympy.Integral(density * inside, (t, -sympy.oo, sympy.oo))


def shortcut_numeric(*, outputs: str, **values: Any) -> Any:
    """The shortcut in float64, vectorised."""
    import numpy as np
    import sympy

    from asymp.theory.recall.unequal_error import unequal_error

    names = ["q", "d", "S", "M"]
    arrays = np.broadcast_arrays(*(values[n] for n in names))
    own, other = (
        np.sqrt(sympy.lambdify(sorted(v.free_symbols, key=str), v)(**_named(v, dict(zip(names, arrays, strict=True)))))
        for v in shortcut_variances(outputs)
    )
    return unequal_error(q=arrays[0], own=own, other=other, M=arrays[3])


def shortcut_exact(*, outputs: str, digits: int, **values: Any) -> Any:
    """The shortcut to any number of digits."""
    import mpmath
    import sympy

    from asymp.theory.recall.unequal_error import unequal_error_digits

    own, other = (
        mpmath.sqrt(sympy.lambdify(sorted(v.free_symbols, key=str), v, modules="mpmath")(**_named(v, values)))
        for v in shortcut_variances(outputs)
    )
    return unequal_error_digits(q=values["q"], own=own, other=other, M=values["M"], digits=digits)


def item_expression(*, outputs: str = "gaussian") -> "sympy.Expr":
    """The probability that one input of weight q is missed, which has no closed form."""
    import sympy

    from asymp.theory.recall.symbols import Failure

    q, d, S, M = sympy.symbols("q d S M", positive=True)
    return Failure(sympy.Integer(1), q, S, M, d)


def item_numeric(*, outputs: str, **values: Any) -> Any:
    """The same at every point, to 1e-3: one input is asked for, and one more in each class carries what is left of S/M."""
    from asymp.theory.recall.exact import recall_error
    from asymp.theory.storage.schemes import each_point

    def one(*, q: float, d: float, S: float, M: float) -> float:
        outs = int(M)
        left = math.sqrt(max(S / M - q**2, 0.0))
        weights = [q, left, *[math.sqrt(S / M)] * (outs - 1)]
        targets, p = [0, *range(outs)], [1.0, *[0.0] * outs]
        return recall_error(N=outs + 1, M=outs, d=d, targets=targets, weights=weights, p=p, outputs=outputs).value

    return each_point(one, **values)


def item_exact(**values: Any) -> Any:
    """No more than 4 digits."""
    from asymp.theory.storage.schemes import no_more_digits

    raise no_more_digits("the error of one input", "3 to 4", "asymp.theory.recall_error(rel_error=...)")


def _named(expr: Any, values: dict[str, Any]) -> dict[str, Any]:
    return {s.name: values[s.name] for s in expr.free_symbols}


CLASS = {"q": real(above=0), "d": integer(1), "S": real(above=0), "M": integer(2)}
SHORTCUT = {**CLASS, "outputs": OUTPUTS}
MEMBER = Condition(lambda v: v["q"] ** 2 * v["M"] <= v["S"], "q^2 must be at most S/M: it is part of its class")
CLASS_MEANINGS = {
    "q": "weight of the input that is recalled",
    "d": MEANINGS["d"],
    "M": "number of outputs, all with the same share of the weights",
}
SHORTCUT_MEANINGS = {
    **CLASS_MEANINGS,
    "S": "sum of q(x)^2 over all inputs; each class has S/M",
    "outputs": MEANINGS["outputs"],
}

LAWS = (
    law(
        "exact-recall-error",
        recall_expression,
        relation="=",
        domain=SCHEME,
        typical={"alpha": (0.5, 3), "N": (20, 500), "M": (2, 8), "d": (4, 400)},
        defaults=SCHEME_DEFAULTS,
        meanings={name: MEANINGS[name] for name in SCHEME},
        title="Recall error, numerically exact at every d",
        source=Source("asymp", "the overlaps with e_x are Gaussian given |e_x|"),
        conventions=CONVENTIONS,
        conditions=(NORMALISED, SUMMABLE_SAMPLES),
        exponents={"d": "Piecewise((-(alpha - 1)/(2*alpha*rho), 2*alpha*rho > 1), (0, True))"},
        numeric=recall_numeric,
        exact=recall_exact,
        notes=(
            "x is missed when argmax_y [G (q(x) r eps_f(x) + d^-1/2 D^1/2 xi)]_y is not f(x), with r^2 ~ chi2_d/d, "
            "xi ~ N(0, I_M), D = diag(S_y - q(x)^2 1{y = f(x)}) and G the Gram matrix of the outputs: exact for gaussian "
            "inputs, every d and every law of the outputs. Only the class sums S_y of q^2 enter, so N may be infinite.",
            "Computed to a relative accuracy of 1e-3; `exact-recall-error:binary` has every digit for M = 2 on the sphere.",
            "The exponent is for N = P = inf. With N = P finite the error falls exponentially in d; with P < N it stays above "
            "about (1 - 1/M) p{x > P}.",
            "No more than 3 to 4 digits can be had: the integral has some hundred dimensions and is randomised.",
        ),
    ),
    law(
        "exact-recall-error:asymptotic",
        limit_expression,
        relation="~",
        domain=CLASS,
        typical={"q": (0.1, 1), "d": (10, 10_000), "S": (5, 500), "M": (2, 20)},
        meanings={**CLASS_MEANINGS, "S": "sum of q(x)^2 over each class"},
        title="Error of one input in many dimensions, balanced classes",
        source=Source("asymp", "limit d -> oo at fixed d q^2/S"),
        conventions=LIMIT,
        exponents={"d": "-oo"},
        numeric=limit_numeric,
        exact=limit_exact,
        notes=("Corrections are of relative order 1/d and q^2/S; they grow with d q^2/S where the error is tiny.",),
    ),
    law(
        "exact-recall-error:binary",
        binary_expression,
        relation="=",
        domain={n: SCHEME[n] for n in ("alpha", "N", "rho", "P")} | {"d": integer(2)},
        typical={"alpha": (0.5, 3), "N": (20, 2000), "d": (4, 1000)},
        defaults={"rho": 0, "P": math.inf},
        meanings={n: MEANINGS[n] for n in ("alpha", "N", "rho", "P", "d")},
        title="Recall error with two outputs on the sphere, closed form",
        source=Source("asymp", "Student's t distribution with d degrees of freedom"),
        conventions=CONVENTIONS + " Two outputs, uniform on the sphere; f may be any function to them.",
        conditions=(NORMALISED, SUMMABLE),
        exponents={"d": "Piecewise((-(alpha - 1)/(2*alpha*rho), 2*alpha*rho > 1), (0, True))"},
        numeric=binary_numeric,
        exact=binary_exact,
        notes=(
            "An input of weight q is missed with probability P(t_d > q sqrt(d/(S - q^2))), S = sum of all q^2: the overlap "
            "of the two outputs cancels, and f does not enter.",
        ),
    ),
    law(
        "exact-recall-error:shortcut",
        shortcut_expression,
        relation="~",
        domain=SHORTCUT,
        typical={"q": (0.5, 1), "d": (10, 1000), "S": (20, 500), "M": (2, 10)},
        defaults={"outputs": "gaussian"},
        meanings=SHORTCUT_MEANINGS,
        title="Error of one input by independent Gaussian scores (a shortcut)",
        source=Source("bietti2025", "slide on linear associative memories: mean and variance of the scores"),
        conventions="The scores of all outputs are taken as independent Gaussians with their exact means and variances.",
        conditions=(MEMBER,),
        exponents={"d": "-oo"},
        numeric=shortcut_numeric,
        exact=shortcut_exact,
        notes=(
            "The sources give the moments; reading an error off them in this way is the natural next step, and is wrong.",
        ),
        errata=(
            Erratum(
                regime="Few inputs for each output (S/q^2 up to some hundreds) and small errors.",
                discrepancy="The common scales |e| and |u| move all scores together and cancel in the argmax; as independent "
                "noise they add 4 q^2 + O(1) to S_y + S_y'. The rate in d is too small: two inputs, two outputs on the "
                "sphere: about e^(-d/8) for 2^(-d/2), 120 times too large at d = 20; N = 100, M = 5, d = 1000: 2.2 times "
                "too large on the sphere, 2.7 times for gaussian outputs.",
                corrected_by="exact-recall-error:item",
            ),
        ),
    ),
    law(
        "exact-recall-error:item",
        item_expression,
        relation="=",
        domain=SHORTCUT,
        typical={"q": (0.5, 1), "d": (10, 1000), "S": (20, 500), "M": (2, 10)},
        defaults={"outputs": "gaussian"},
        meanings=SHORTCUT_MEANINGS,
        title="Error of one input, numerically exact at every d",
        source=Source("asymp", "the overlaps with e_x are Gaussian given |e_x|"),
        conventions="An input of weight q, gaussian inputs, each of the M classes has the sum S/M of squared weights, its own "
        "included.",
        conditions=(MEMBER,),
        exponents={"d": "-oo"},
        numeric=item_numeric,
        exact=item_exact,
        notes=(
            "`exact-recall-error` is the sum over inputs of p(x) times this, for the class sums that the weights have.",
            "No more than 3 to 4 digits can be had: the integral has some hundred dimensions and is randomised.",
        ),
    ),
)
