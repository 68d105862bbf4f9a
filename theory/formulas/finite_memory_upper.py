"""finite-memory-upper: what the interference of a memory of dimension d can cost at most."""

import math
from typing import TYPE_CHECKING, Any

from asymp.theory.domain import integer, real
from asymp.theory.law import law
from asymp.theory.statement import Condition, Source
from asymp.theory.storage.scheme_domain import MEANINGS, NORMALISED, SUMMABLE

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]


def pair_expression() -> "sympy.Expr":
    """The sum over x of p(x) min(1, (M-1)/2, sum over the wrong outputs y of the pair's bound)."""
    import sympy

    from asymp.theory.recall.symbols import ClassSum, LargestOther, PairBound, zipf

    alpha, N, M, d, rho, P = law_symbols = sympy.symbols("alpha N M d rho P", positive=True)
    x, c, y = sympy.symbols("x c y", integer=True, positive=True)
    scheme = tuple(s for s in law_symbols if s is not d)
    cap, last = sympy.Min(1, (M - 1) / 2), sympy.Min(N, sympy.floor(P))
    q2, pair = zipf(x, alpha, N) ** (2 * rho), ClassSum(x, *scheme) + ClassSum(y, *scheme)
    others = sympy.Sum(ClassSum(c, *scheme), (c, 1, M)) - pair
    beaten = PairBound(q2, pair, LargestOther(x, y, *scheme), others, d)
    # y runs over the M - 1 classes after that of x.
    stored = sympy.Sum(zipf(x, alpha, N) * sympy.Min(cap, sympy.Sum(beaten, (y, x + 1, x + M - 1))), (x, 1, last))
    return stored + cap * sympy.Sum(zipf(x, alpha, N), (x, last + 1, N))


def source_expression() -> "sympy.Expr":
    """inf over g of 2 d^-g + p{x : d q^2 <= 16 c (Q + 8 c |q|^2/d)}, c = log M + g log d."""
    import sympy

    from asymp.theory.recall.symbols import ClassSum, Infimum, zipf

    alpha, N, M, d, rho, P = sympy.symbols("alpha N M d rho P", positive=True)
    x, j = sympy.symbols("x j", integer=True, positive=True)
    g = sympy.Symbol("g", positive=True)
    last = sympy.Min(N, sympy.floor(P))
    p = zipf(x, alpha, N)
    c = sympy.log(M) + g * sympy.log(d)
    # q falls, so that the class of x = 1 has the largest sum.
    Q, whole = ClassSum(1, alpha, N, M, rho, P), sympy.Sum(zipf(j, alpha, N) ** (2 * rho), (j, 1, last))
    small = sympy.Heaviside(16 * c * (Q + 8 * c * whole / d) - d * p ** (2 * rho), 1)
    forgotten = sympy.Sum(p * small, (x, 1, last)) + sympy.Sum(p, (x, last + 1, N))
    return Infimum(2 * d**-g + forgotten, (g, 0, sympy.oo))


def pair_numeric(**values: Any) -> Any:
    """The pair bound in float64, vectorised."""
    from asymp.theory.recall.upper_many import pair_bounds

    return pair_bounds(**values)


def pair_exact(**values: Any) -> Any:
    """The pair bound to any number of digits."""
    from asymp.theory.recall.upper import pair_bound_digits

    return pair_bound_digits(**values)


def source_numeric(**values: Any) -> Any:
    """Theorem 1's bound in float64, vectorised, its infimum taken."""
    from asymp.theory.recall.upper_many import finite_memory_uppers

    return finite_memory_uppers(**values)


def source_exact(**values: Any) -> Any:
    """Theorem 1's bound to any number of digits."""
    from asymp.theory.recall.upper import finite_memory_upper_digits

    return finite_memory_upper_digits(**values)


DOMAIN = {
    "alpha": real(0),
    "N": integer(1, infinite=True),
    "M": integer(2),
    "d": integer(2),
    "rho": real(0),
    "P": real(1, infinite=True),
}
SHARED: dict[str, Any] = {
    "relation": "<=",
    "defaults": {"rho": 0, "P": math.inf},
    "meanings": {name: MEANINGS[name] for name in DOMAIN},
    "conventions": "E is the error averaged over embeddings: gaussian inputs, outputs uniform on the sphere. S_y is the sum "
    "of q(x)^2 over the class of y, S over all, Q the largest S_y.",
}

LAWS = (
    law(
        "finite-memory-upper",
        pair_expression,
        domain=DOMAIN,
        typical={"alpha": (0.5, 3), "N": (50, 2000), "M": (2, 10), "d": (20, 2000), "rho": (0, 1)},
        title="Upper bound at finite memory, pair by pair",
        source=Source("asymp", "union over pairs of outputs, Chernoff's bound given the outputs"),
        conditions=(NORMALISED, SUMMABLE),
        exponents={"d": "Piecewise((-(alpha - 1)/(2*alpha*rho), 2*alpha*rho > 1), (0, True))"},
        numeric=pair_numeric,
        exact=pair_exact,
        notes=(
            "B(w, s, m, o, d), the chance that one wrong output beats the right one, is at most exp(-d [log(1 + w/v) + "
            "kappa (v - s + w)]/2) 2^(4 kappa o)/2 + (3/4)^((d-1)/2)/4, with v = max(s - w, (sqrt(w^2 + 32 w m) - w)/2) and "
            "kappa = w/(v (v + w)); w = q^2, s the sum of the two classes, m the largest and o the total of the others.",
            "Holds for every M >= 2 and d >= 2. Where it is below 0.1 it is 1.1 to 2 times the error for weights that fall like a "
            "power, 2 to 6 times for equal weights on all inputs; the bound of Theorem 1 is 5 to 100 times the error, or 1.",
            "It has the exact exponential rate of a rare failure, (1 - q^2/(S_f + S_y))^(d/2), wherever the noise of the "
            "other classes is small.",
        ),
        **SHARED,
    ),
    law(
        "finite-memory-upper:source",
        source_expression,
        domain={**DOMAIN, "M": integer(4)},
        typical={"alpha": (1, 3), "N": (50, 2000), "M": (4, 10), "d": (500, 20_000), "rho": (0, 1)},
        title="Upper bound at finite memory, as the source states it",
        source=Source("cabannes2024", "Theorem 1, first part (constants recalled, not at hand)"),
        conditions=(
            Condition(lambda v: v["d"] > 8 * _log(v["M"]), "d must exceed 8 log M for this bound"),
            NORMALISED,
            SUMMABLE,
        ),
        exponents={"d": "Piecewise((-(alpha - 1)/(2*alpha*rho), 2*alpha*rho > 1), (0, True))"},
        numeric=source_numeric,
        exact=source_exact,
        notes=(
            "The infimum over g is taken: it is the least of 2 M exp(-c(q)) + p{x : |q(x)| < |q|} over the stored weights q, "
            "with c(q) the root of d q^2 = 16 c (Q + 8 c |q|^2/d), and of 1.",
            "Very loose: at alpha = 2, rho = 1, N = 1000, M = 5, d = 1000 it says 0.39 where the error is 0.059; for equal "
            "weights and M = 5 it says nothing (1) until d is about 8 times the number of stored inputs.",
            "The constants are recalled, not read: a hypothesis that this claim tests.",
        ),
        **SHARED,
    ),
)


def _log(M: Any) -> Any:
    import numpy as np

    return np.log(M)
