"""hopfield-capacity: how many patterns of d bits a Hopfield net keeps as fixed points."""

from typing import TYPE_CHECKING, Any

from asymp.theory.domain import choice, integer
from asymp.theory.law import law
from asymp.theory.statement import Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

CONVENTIONS = "N random patterns xi in {-1, 1}^d, W = sum of xi xi^T."
STEP = CONVENTIONS + (
    " One step x' = sign(W xi) from a stored pattern; the quantity is the share of bits that change (a bit whose field is "
    "zero stays)."
)
DIAGONAL = choice("zero", "kept")
MEANINGS = {
    "d": "number of bits",
    "N": "number of patterns",
    "diagonal": "'zero': W_ii set to 0, 'kept': W_ii = N",
}
SIZE: dict[str, Any] = {
    "relation": "~",
    "domain": {"d": integer(2)},
    "typical": {"d": (64, 4096)},
    "meanings": {"d": MEANINGS["d"]},
    "quantity": "N",
}
BITS: dict[str, Any] = {
    "domain": {"d": integer(2), "N": integer(2), "diagonal": DIAGONAL},
    "typical": {"d": (50, 1000), "N": (5, 200)},
    "defaults": {"diagonal": "zero"},
    "meanings": MEANINGS,
    "conventions": STEP,
}


def last_count(d: Any, N: Any, diagonal: str, floor: Any) -> Any:
    """The largest number of positive signs, of K = (N - 1)(d - 1), that still flips the bit: 2 B - K < -(d - 1) or, with
    the diagonal, < -(d - 1 + N)."""
    signal = d - 1 + (N if diagonal == "kept" else 0)
    return floor(((N - 1) * (d - 1) - signal - 1) / 2)


def bit_error(*, diagonal: str) -> "sympy.Expr":
    """P(B <= last count), B binomial."""
    import sympy

    d, N = sympy.symbols("d N", positive=True)
    j = sympy.Symbol("j", integer=True, nonnegative=True)
    K = (N - 1) * (d - 1)
    return 2**-K * sympy.Sum(sympy.binomial(K, j), (j, 0, last_count(d, N, diagonal, sympy.floor)))


def bit_error_numeric(*, d: Any, N: Any, diagonal: str) -> Any:
    """The binomial distribution function in float64: P(B <= k) = I_{1/2}(K - k, k + 1)."""
    import numpy as np
    from scipy.special import betainc

    K, k = (N - 1) * (d - 1), last_count(d, N, diagonal, np.floor)
    return np.where(k < 0, 0.0, betainc(K - np.maximum(k, 0), np.maximum(k, 0) + 1, 0.5))


def bit_error_exact(*, d: Any, N: Any, diagonal: str, digits: int) -> Any:
    """The same to any number of digits."""
    from asymp.theory.recall.item_errors import binomial_cdf_digits

    d, N = int(d), int(N)
    return binomial_cdf_digits(last_count(d, N, diagonal, lambda x: int(x // 1)), (N - 1) * (d - 1), digits)


def bit_error_limit(*, diagonal: str) -> "sympy.Expr":
    """Phi(-sqrt(d/N)), or Phi(-(1 + N/d) sqrt(d/N)) with the diagonal kept."""
    import sympy

    from asymp.theory.recall.item_errors import gaussian_tail

    d, N = sympy.symbols("d N", positive=True)
    return gaussian_tail(sympy.sqrt(d / N) * (1 + N / d if diagonal == "kept" else 1))


def all_numeric(*, d: Any) -> Any:
    """exp(W0(d^2/2))/d in the log domain."""
    import numpy as np

    from asymp.theory.recall.item_errors import size_of_log

    return size_of_log(2 * np.log(d) - np.log(2)) / d


def with_errors() -> "sympy.Expr":
    """alpha_c d."""
    import sympy

    from asymp.theory.recall.item_errors import RetrievalLimit

    return RetrievalLimit() * sympy.Symbol("d", positive=True)


def with_errors_numeric(*, d: Any) -> Any:
    """alpha_c d in float64."""
    from asymp.theory.recall.item_errors import RetrievalLimit

    return float(RetrievalLimit.digits()) * d


def with_errors_exact(*, d: Any, digits: int) -> Any:
    """alpha_c d to any number of digits."""
    from asymp.theory.recall.item_errors import RetrievalLimit

    return RetrievalLimit.digits() * d


def half(*, items: str) -> "sympy.Expr":
    """The N at which one pattern, or all, are fixed points with probability one half: a function without a formula."""
    from asymp.theory.recall.half_size import half_symbol

    return half_symbol("d")


def half_numeric(*, items: str, d: Any) -> Any:
    """The same, vectorised, with a relative error of 1e-10."""
    import numpy as np
    from scipy.special import ndtr

    from asymp.theory.recall.half_size import half_sizes

    size = np.asarray(d, dtype=float)
    flat = size.ravel()

    def broken(N: Any, rows: Any, rough: bool) -> Any:
        bits = flat[rows] * (N if items == "all" else 1)
        return -np.expm1(bits * np.log1p(-ndtr(-np.sqrt((flat[rows] - 1) / (N - 1)))))

    return half_sizes(broken, np.full(flat.shape, 1.01)).reshape(size.shape)


def half_exact(*, items: str, d: Any, digits: int) -> Any:
    """The same to any number of digits."""
    import mpmath

    from asymp.theory.recall.half_digits import half_digits

    def broken(N: Any, wanted: int) -> Any:
        bits = d * (N if items == "all" else 1)
        return -mpmath.expm1(bits * mpmath.log1p(-mpmath.ncdf(-mpmath.sqrt((d - 1) / (N - 1)))))

    return half_digits(
        float(half_numeric(items=items, d=float(d))),
        lambda N: [float(broken(mpmath.mpf(size), 15)) for size in N],
        broken,
        digits,
    )


LAWS = (
    law(
        "hopfield-capacity",
        "d/(4*log(d))",
        title="Capacity of a Hopfield net: all patterns are fixed points",
        source=Source("asymp", "N d Phi(-sqrt(d/N)) = 1 to leading order; McEliece, Posner, Rodemich, Venkatesh"),
        conventions=CONVENTIONS + " The largest N at which every bit of every pattern stays.",
        notes=("Exponent 1 with a logarithm: the local slope is 1 - 1/log d. With or without the diagonal.",),
        **SIZE,
    ),
    law(
        "hopfield-capacity:source",
        "d",
        title="Capacity of a Hopfield net, as the source states it",
        source=Source("bietti2025", "slide on Hopfield nets: Theta~(d) patterns"),
        conventions=CONVENTIONS + " The source's order hides logarithms.",
        notes=(
            "Which of d/(4 log d) (all patterns exact), d/(2 log d) (one) and 0.138 d (a few per cent of wrong bits) is meant "
            "is left open; all are of this order up to a logarithm.",
        ),
        **SIZE,
    ),
    law(
        "hopfield-capacity:one-item",
        "d/(2*log(d))",
        title="Size at which one pattern is still a fixed point",
        source=Source("asymp", "d Phi(-sqrt(d/N)) = 1 to leading order; McEliece, Posner, Rodemich, Venkatesh"),
        conventions=CONVENTIONS + " The N at which all bits of a given pattern stay.",
        **SIZE,
    ),
    law(
        "hopfield-capacity:all-items",
        "exp(LambertW(d**2/2))/d",
        title="Capacity of a Hopfield net, all patterns, at finite size: 2 N log(N d) = d",
        source=Source("asymp", "N d exp(-d/(2N)) = 1"),
        conventions=CONVENTIONS + " The largest N at which every bit of every pattern stays.",
        exponents={"d": "1"},
        numeric=all_numeric,
        notes=("d/(4 log d) in the limit, which it exceeds by the factor 1 + log log d/(2 log d) or so.",),
        **SIZE,
    ),
    law(
        "hopfield-capacity:with-errors",
        with_errors,
        title="Capacity of a Hopfield net with a few wrong bits",
        source=Source("asymp", "Amit, Gutfreund, Sompolinsky (1985): replica-symmetric theory at zero temperature"),
        conventions=CONVENTIONS + " The largest N at which a state near each pattern is stable, as d grows.",
        exponents={"d": "1"},
        numeric=with_errors_numeric,
        exact=with_errors_exact,
        notes=(
            "alpha_c = max over y of (erf(y)/y - 2 exp(-y^2)/sqrt pi)^2/2 = 0.137906: a retrieval state with the overlap "
            "m = erf(y) exists where sqrt(2 alpha) equals the bracket. At alpha_c 1.6 % of the bits are wrong. Breaking "
            "the replica symmetry raises it slightly (0.138 to 0.144 in the literature); no logarithm.",
        ),
        **SIZE,
    ),
    law(
        "hopfield-capacity:item-error",
        bit_error,
        relation="=",
        title="Share of wrong bits after one step, exact",
        source=Source("asymp", "d - 1 plus (N - 1)(d - 1) independent fair signs"),
        numeric=bit_error_numeric,
        exact=bit_error_exact,
        notes=(
            "The field times the bit is d - 1 (d - 1 + N with the diagonal) plus a sum of (N - 1)(d - 1) signs "
            "xi_i xi'_i xi'_j xi_j, which are independent and fair.",
        ),
        **BITS,
    ),
    law(
        "hopfield-capacity:item-error-asymptotic",
        bit_error_limit,
        relation="~",
        title="Share of wrong bits after one step, d and N large",
        source=Source("asymp", "normal limit of the exact law"),
        notes=("With the diagonal kept the error falls again beyond N = d: the step hardly moves.",),
        **BITS,
    ),
    law(
        "hopfield-capacity:half",
        half,
        relation="~",
        domain={"d": integer(8), "items": choice("one", "all")},
        typical={"d": (64, 4096)},
        defaults={"items": "one"},
        meanings={"d": MEANINGS["d"], "items": "'one': a given pattern, 'all': every pattern"},
        quantity="N",
        exponents={"d": "1"},
        numeric=half_numeric,
        exact=half_exact,
        title="Number of patterns at which one, or all, are fixed points half of the time, at finite size",
        source=Source("asymp", "d, or N d, nearly independent bits, each with the error Phi(-sqrt((d - 1)/(N - 1)))"),
        conventions=CONVENTIONS + " Zero diagonal, one step from a stored pattern.",
        notes=(
            "d/(2 log d) and d/(4 log d) in the limit, which it exceeds by a third at d = 1000: the tail of a normal falls "
            "faster than exp(-x^2/2).",
        ),
    ),
)
