"""optimal-scheme: the best weights that a memory of dimension d can have."""

import math
from typing import TYPE_CHECKING, Any

from asymp.theory.domain import integer, real
from asymp.theory.law import law
from asymp.theory.statement import Erratum, Source
from asymp.theory.storage.scheme_domain import ALPHA, CONVENTIONS, LIMIT, MEANINGS, NORMALISED, SCHEME

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

FEW = 20
"""Points from which they are computed together."""


def best_expression() -> "sympy.Expr":
    """The dual value: the largest over prices w of sum_x inf_a [p pi_M(a) + w a^2] - w d M, here as -inf of its negative."""
    import sympy

    from asymp.theory.recall.symbols import Infimum, gaussian_error, zipf

    alpha, N, M, d = sympy.symbols("alpha N M d", positive=True)
    x = sympy.Symbol("x", integer=True, positive=True)
    a, w = sympy.symbols("a w", positive=True)
    cost = Infimum(zipf(x, alpha, N) * gaussian_error(a, M) + w * a**2, (a, 0, sympy.oo))
    return -Infimum(w * d * M - sympy.Sum(cost, (x, 1, N)), (w, 0, sympy.oo))


def best_numeric(*, alpha: Any, M: Any, d: Any, N: Any) -> Any:
    """The least error at every point: most of them together, others one by one; long sweeps in d from a table."""
    import numpy as np

    from asymp.theory.storage.optimal_many import MOST_OUTPUTS, STEEPEST, least_errors
    from asymp.theory.storage.optimal_storage import optimal_weights
    from asymp.theory.storage.schemes import along

    def one(*, M: float, **point: float) -> float:
        return optimal_weights(M=int(M), **point).error

    grid = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (alpha, M, d, N)))
    a, outputs, dimension, size = (v.ravel() for v in grid)
    found = np.full(a.shape, np.nan)
    # A single point is not worth the tables.
    smooth = np.isinf(size) & (outputs <= MOST_OUTPUTS) & (a <= STEEPEST) & (a.size >= FEW)
    for count in np.unique(outputs[smooth]):
        here = np.flatnonzero(smooth & (outputs == count))
        found[here] = least_errors(alpha=a[here], M=int(count), d=dimension[here])
    left = np.isnan(found)
    if left.any():
        found[left] = along("d", one, alpha=a[left], M=outputs[left], d=dimension[left], N=size[left])
    return found.reshape(grid[0].shape)


def best_exact(**values: Any) -> Any:
    """No more than 11 digits."""
    from asymp.theory.storage.schemes import no_more_digits

    raise no_more_digits("the least error at finite d", "11", "asymp.theory.storage.optimal_storage.optimal_weights")


def limit_expression() -> "sympy.Expr":
    """C M^(1-alpha) I^alpha/(alpha-1) d^(1-alpha), I the integral of (2a)^(1-1/alpha) (-pi_M'(a))^(1/alpha)."""
    import sympy

    from asymp.theory.recall.symbols import normal_cdf

    alpha, M, d = sympy.symbols("alpha M d", positive=True)
    a = sympy.Symbol("a", positive=True)
    g = sympy.Symbol("g", real=True)
    density = sympy.exp(-(g**2) / 2) / sympy.sqrt(2 * sympy.pi)
    others = sympy.Integral(density * normal_cdf(a / 2 + g / sympy.sqrt(2)) ** (M - 2), (g, -sympy.oo, sympy.oo))
    slope = (M - 1) * sympy.exp(-(a**2) / 4) / sympy.sqrt(4 * sympy.pi) * others
    integral = sympy.Integral((2 * a) ** (1 - 1 / alpha) * slope ** (1 / alpha), (a, 0, sympy.oo))
    return M ** (1 - alpha) * integral**alpha / ((alpha - 1) * sympy.zeta(alpha)) * d ** (1 - alpha)


def limit_numeric(*, alpha: Any, M: Any, d: Any) -> Any:
    """c* d^(1-alpha) in float64, vectorised."""
    import numpy as np

    from asymp.theory.storage.optimal_storage import optimal_constants

    return optimal_constants(alpha=alpha, M=M) * np.asarray(d) ** (1 - alpha)


def limit_exact(*, alpha: Any, M: Any, d: Any, digits: int) -> Any:
    """c* d^(1-alpha) to any number of digits, M <= 45."""
    from asymp.theory.storage.constants_digits import optimal_constant_digits

    return optimal_constant_digits(alpha=alpha, M=M, digits=digits) * d ** (1 - alpha)


LAWS = (
    law(
        "optimal-scheme",
        best_expression,
        relation="~",
        domain={"alpha": real(0), "M": integer(2), "d": real(1), "N": SCHEME["N"]},
        typical={"alpha": (1.2, 3), "M": (2, 20), "d": (10, 100_000)},
        defaults={"N": math.inf},
        meanings={name: MEANINGS[name] for name in ("alpha", "M", "d", "N")},
        title="Least error of any weights, in many dimensions",
        source=Source("asymp", "minimise sum p pi_M(a) with sum a^2 = d M"),
        conventions=CONVENTIONS + " " + LIMIT,
        conditions=(NORMALISED,),
        exponents={"d": "1 - alpha"},
        numeric=best_numeric,
        exact=best_exact,
        notes=(
            "Every input gets a share (no threshold) for M <= 45: q* is proportional to p for rare inputs and to "
            "sqrt(log(p/lambda)) for frequent ones. From M = 46 on the cost is not convex in a^2 and the best margin jumps.",
            "The exponent is for N = inf; no logarithm.",
            "No more than 11 digits can be had: prices and margins are roots found in float64.",
        ),
    ),
    law(
        "optimal-scheme:source",
        "(1 - 1/M)/((alpha - 1)*zeta(alpha)) * (4*(alpha - 1)*log(d)/(M*d))**(alpha - 1)",
        relation="~",
        domain={"alpha": ALPHA, "M": integer(2), "d": real(above=1)},
        typical={"alpha": (1.2, 3), "M": (2, 20), "d": (100, 1e9)},
        meanings={name: MEANINGS[name] for name in ("alpha", "M", "d")},
        title="Store the most frequent inputs only, as the source advises",
        source=Source(
            "bietti2025", "summary of the scaling laws: store the most frequent tokens when under-parameterised"
        ),
        conventions=CONVENTIONS + " " + LIMIT + " N = inf; the number of stored inputs is the best, to leading order.",
        notes=("The advice, with the best number of equal weights; the source names no constant.",),
        errata=(
            Erratum(
                regime="Every d, M <= 45; the more so the larger d.",
                discrepancy="Equal weights on a set pay (log d)^(alpha-1): at alpha = 2, M = 5 the best threshold loses a factor "
                "2.4 at d = 1e3 and 6.5 at d = 1e9 against the best weights, which leave no input out.",
                corrected_by="optimal-scheme:asymptotic",
            ),
        ),
    ),
    law(
        "optimal-scheme:asymptotic",
        limit_expression,
        relation="~",
        domain={"alpha": ALPHA, "M": integer(2), "d": real(1)},
        typical={"alpha": (1.2, 3), "M": (2, 5), "d": (1000, 1e9)},
        meanings={name: MEANINGS[name] for name in ("alpha", "M", "d")},
        title="Least error of any weights: leading order with its constant",
        source=Source("asymp", "sums over inputs become integrals over margins"),
        conventions=CONVENTIONS + " " + LIMIT + " N = inf.",
        exponents={"d": "1 - alpha"},
        numeric=limit_numeric,
        exact=limit_exact,
        notes=(
            "c*(2, 5) = 1.26545. The formula shown is for M <= 45; beyond, pi_M is replaced by its convex hull as a function "
            "of a^2.",
        ),
    ),
    law(
        "optimal-scheme:least",
        best_expression,
        relation=">=",
        domain={"alpha": real(0), "M": integer(2), "d": real(1), "N": SCHEME["N"]},
        typical={"alpha": (1.2, 3), "M": (2, 20), "d": (10, 100_000)},
        defaults={"N": math.inf},
        meanings={name: MEANINGS[name] for name in ("alpha", "M", "d", "N")},
        title="No weights leave a smaller error, in many dimensions",
        source=Source("asymp", "the dual value is below the error of all weights"),
        conventions=CONVENTIONS + " " + LIMIT,
        conditions=(NORMALISED,),
        exponents={"d": "1 - alpha"},
        numeric=best_numeric,
        exact=best_exact,
        notes=(
            "A bound to leading order in d: at finite d, and for unequal classes, it may be off by some percent.",
            "No more than 11 digits can be had: prices and margins are roots found in float64.",
        ),
    ),
)
