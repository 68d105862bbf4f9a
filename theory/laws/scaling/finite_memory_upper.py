"""finite-memory-upper: what the interference of a memory of dimension d can cost at most."""

from functools import partial

from asymp.theory.functions.recall.pair_bounds import pair_bound_digits, pair_bounds
from asymp.theory.functions.recall.theorem_1 import finite_memory_upper_digits, finite_memory_uppers
from asymp.theory.law import law
from asymp.theory.laws.pieces import symbols
from asymp.theory.laws.scaling import ANY_ALPHA, NORMALISED, RECALLED, RHO, SUMMABLE, D, M, N, P
from asymp.theory.lazy import Expr, np, sympy
from asymp.theory.param import integer
from asymp.theory.sources import Condition, Source


def pair_expression() -> Expr:
    """The sum over x of p(x) min(1, (M-1)/2, sum over the wrong outputs y of the pair's bound)."""
    alpha, N, M, d, rho, P = law_symbols = sympy.symbols("alpha N M d rho P", positive=True)
    x, c, y = sympy.symbols("x c y", integer=True, positive=True)
    scheme = tuple(s for s in law_symbols if s is not d)
    cap, last = sympy.Min(1, (M - 1) / 2), sympy.Min(N, sympy.floor(P))
    q2, pair = symbols.zipf(x, alpha, N) ** (2 * rho), symbols.ClassSum(x, *scheme) + symbols.ClassSum(y, *scheme)
    others = sympy.Sum(symbols.ClassSum(c, *scheme), (c, 1, M)) - pair
    beaten = symbols.PairBound(q2, pair, symbols.LargestOther(x, y, *scheme), others, d)
    # y runs over the M - 1 classes after that of x.
    stored = sympy.Sum(
        symbols.zipf(x, alpha, N) * sympy.Min(cap, sympy.Sum(beaten, (y, x + 1, x + M - 1))), (x, 1, last)
    )
    return stored + cap * sympy.Sum(symbols.zipf(x, alpha, N), (x, last + 1, N))


def source_expression() -> Expr:
    """inf over g of 2 d^-g + p{x : d q^2 <= 16 c (Q + 8 c |q|^2/d)}, c = log M + g log d."""
    alpha, N, M, d, rho, P = sympy.symbols("alpha N M d rho P", positive=True)
    x, j = sympy.symbols("x j", integer=True, positive=True)
    g = sympy.Symbol("g", positive=True)
    last = sympy.Min(N, sympy.floor(P))
    p = symbols.zipf(x, alpha, N)
    c = sympy.log(M) + g * sympy.log(d)
    # q falls, so that the class of x = 1 has the largest sum.
    Q, whole = symbols.ClassSum(1, alpha, N, M, rho, P), sympy.Sum(symbols.zipf(j, alpha, N) ** (2 * rho), (j, 1, last))
    small = sympy.Heaviside(16 * c * (Q + 8 * c * whole / d) - d * p ** (2 * rho), 1)
    forgotten = sympy.Sum(p * small, (x, 1, last)) + sympy.Sum(p, (x, last + 1, N))
    return symbols.Infimum(2 * d**-g + forgotten, (g, 0, sympy.oo))


declare = partial(
    law,
    relation="<=",
    conventions="E is the error averaged over embeddings: gaussian inputs, outputs uniform on the sphere. S_y is the sum "
    "of q(x)^2 over the class of y, S over all, Q the largest S_y.",
)

LAWS = (
    declare(
        "finite-memory-upper",
        pair_expression,
        params=(
            ANY_ALPHA.over(0.5, 3),
            N.but(default=None).over(50, 2000),
            M.over(2, 10),
            D.but(domain=integer(2)).over(20, 2000),
            RHO.over(0, 1),
            P,
        ),
        title="Upper bound at finite memory, pair by pair",
        source=Source("asymp", "union over pairs of outputs, Chernoff's bound given the outputs"),
        conditions=(NORMALISED, SUMMABLE),
        exponents={"d": RECALLED},
        numeric=pair_bounds,
        exact=pair_bound_digits,
    ),
    declare(
        "finite-memory-upper:source",
        source_expression,
        params=(
            ANY_ALPHA.over(1, 3),
            N.but(default=None).over(50, 2000),
            M.but(domain=integer(4)).over(4, 10),
            D.but(domain=integer(2)).over(500, 20_000),
            RHO.over(0, 1),
            P,
        ),
        title="Upper bound at finite memory, as the source states it",
        source=Source("cabannes2024", "Theorem 1, first part (constants recalled, not at hand)"),
        conditions=(
            Condition(lambda v: v["d"] > 8 * np.log(v["M"]), "d must exceed 8 log M for this bound"),
            NORMALISED,
            SUMMABLE,
        ),
        exponents={"d": RECALLED},
        numeric=finite_memory_uppers,
        exact=finite_memory_upper_digits,
    ),
)
