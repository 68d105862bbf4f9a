"""hopfield-capacity: how many patterns of d bits a Hopfield net keeps as fixed points."""

from functools import partial
from typing import Any

from asymp.theory.functions.recall.half_size import half_digits, half_sizes
from asymp.theory.law import law
from asymp.theory.laws.capacity import BITS, PATTERNS, half_name
from asymp.theory.laws.pieces import formulas, item_errors
from asymp.theory.lazy import Digits, Expr, Floats, mpmath, np, special, sympy
from asymp.theory.param import Param, choice, integer
from asymp.theory.sources import Source

DIAGONAL = Param(
    choice("zero", "kept"), default="zero", meaning="'zero': W_ii set to 0, 'kept': W_ii = N", name="diagonal"
)
PARAMS = (BITS.over(50, 1000), PATTERNS.but(domain=integer(2)).over(5, 200), DIAGONAL)

CONVENTIONS = "N random patterns xi in {-1, 1}^d, W = sum of xi xi^T."
STEP = CONVENTIONS + (
    " One step x' = sign(W xi) from a stored pattern; the quantity is the share of bits that change (a bit whose field is "
    "zero stays)."
)

bits_law = partial(law, conventions=STEP)


def bit_error(*, diagonal: str) -> Expr:
    """P(B <= k) for B binomial(K, 1/2), K = (N - 1)(d - 1): the signs that flip the bit, 2 B - K < -(d - 1) or, with the
    diagonal, < -(d - 1 + N)."""
    d, N = sympy.symbols("d N", positive=True)
    K, signal = (N - 1) * (d - 1), d - 1 + (N if diagonal == "kept" else 0)
    return formulas.FairShare(sympy.floor((K - signal - 1) / 2), K)


def half_numeric(*, items: str, d: Floats) -> Floats:
    """The same, vectorised, with a relative error of 1e-10."""
    size = np.asarray(d, dtype=float)
    flat = size.ravel()

    def broken(N: Any, rows: Any, rough: bool) -> Any:
        bits = flat[rows] * (N if items == "all" else 1)
        return -np.expm1(bits * np.log1p(-special.ndtr(-np.sqrt((flat[rows] - 1) / (N - 1)))))

    return half_sizes(broken, np.full(flat.shape, 1.01)).reshape(size.shape)


def half_exact(*, items: str, d: Digits, digits: int) -> Digits:
    """The same to any number of digits."""

    def broken(N: Any, wanted: int) -> Any:
        bits = d * (N if items == "all" else 1)
        return -mpmath.expm1(bits * mpmath.log1p(-mpmath.ncdf(-mpmath.sqrt((d - 1) / (N - 1)))))

    return half_digits(
        float(half_numeric(items=items, d=np.asarray(float(d)))),
        lambda N: [float(broken(mpmath.mpf(size), 15)) for size in N],
        broken,
        digits,
    )


size_law = partial(law, relation="~", quantity="N", params=(BITS.over(64, 4096),))
LAWS = (
    size_law(
        "hopfield-capacity",
        "d/(4*log(d))",
        title="Capacity of a Hopfield net: all patterns are fixed points",
        source=Source("asymp", "N d Phi(-sqrt(d/N)) = 1 to leading order; McEliece, Posner, Rodemich, Venkatesh"),
        conventions=CONVENTIONS + " The largest N at which every bit of every pattern stays.",
    ),
    size_law(
        "hopfield-capacity:source",
        "d",
        title="Capacity of a Hopfield net, as the source states it",
        source=Source("bietti2025", "slide on Hopfield nets: Theta~(d) patterns"),
        conventions=CONVENTIONS + " The source's order hides logarithms.",
    ),
    size_law(
        "hopfield-capacity:with-errors",
        lambda: item_errors.RetrievalLimit() * sympy.Symbol("d", positive=True),
        title="Capacity of a Hopfield net with a few wrong bits",
        source=Source("asymp", "Amit, Gutfreund, Sompolinsky (1985): replica-symmetric theory at zero temperature"),
        conventions=CONVENTIONS + " The largest N at which a state near each pattern is stable, as d grows.",
    ),
    bits_law(
        "hopfield-capacity:item-error",
        bit_error,
        relation="=",
        params=PARAMS,
        title="Share of wrong bits after one step, exact",
        source=Source("asymp", "d - 1 plus (N - 1)(d - 1) independent fair signs"),
    ),
    law(
        "hopfield-capacity:half",
        half_name("d"),
        relation="~",
        params=(
            BITS.but(domain=integer(8)).over(64, 4096),
            Param(
                choice("one", "all"),
                default="one",
                meaning="'one': a given pattern, 'all': every pattern",
                name="items",
            ),
        ),
        quantity="N",
        exponents={"d": "1"},
        numeric=half_numeric,
        exact=half_exact,
        title="Number of patterns at which one, or all, are fixed points half of the time, at finite size",
        source=Source("asymp", "d, or N d, nearly independent bits, each with the error Phi(-sqrt((d - 1)/(N - 1)))"),
        conventions=CONVENTIONS + " Zero diagonal, one step from a stored pattern.",
    ),
)
