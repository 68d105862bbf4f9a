"""binary-capacity: how many associations with two possible answers a memory holds."""

from typing import TYPE_CHECKING, Any

from asymp.theory.domain import integer, real
from asymp.theory.law import law
from asymp.theory.statement import Condition, Erratum, Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

CONVENTIONS = (
    "W = sum over x = 1..N of u_f(x) e_x^T with f(x) in {0, 1}; the answer to z is the y in {0, 1} with the larger "
    "u_y . W e_z. Inputs are gaussian N(0, I/d), outputs uniform on the unit sphere."
)
MEANINGS = {"d": "dimension of the embeddings", "N": "number of items", "delta": "share of items that may be lost"}
SIZE: dict[str, Any] = {
    "relation": "~",
    "domain": {"d": integer(2)},
    "typical": {"d": (16, 4096)},
    "meanings": {"d": MEANINGS["d"]},
    "quantity": "N",
}
ITEM: dict[str, Any] = {
    "domain": {"d": integer(2), "N": integer(1)},
    "typical": {"d": (16, 512), "N": (16, 512)},
    "meanings": {name: MEANINGS[name] for name in ("d", "N")},
    "conventions": CONVENTIONS,
}


def item_error() -> "sympy.Expr":
    """The tail of Student's t with d degrees of freedom at sqrt(d/(N - 1))."""
    import sympy

    d, N = sympy.symbols("d N", positive=True)
    return sympy.betainc_regularized(d / 2, sympy.Rational(1, 2), 0, 1 - 1 / N) / 2


def item_error_numeric(*, d: Any, N: Any) -> Any:
    """The same in float64."""
    from scipy.special import betaincc

    return betaincc(0.5, d / 2, 1 / N) / 2


def item_error_exact(*, d: Any, N: Any, digits: int) -> Any:
    """The same to any number of digits."""
    import mpmath

    return mpmath.betainc(d / 2, mpmath.mpf(1) / 2, 0, 1 - 1 / N, regularized=True) / 2


def cover() -> "sympy.Expr":
    """The share of the 2^N labellings of N points of R^d that a hyperplane through the origin realises."""
    import sympy

    d, N = sympy.symbols("d N", positive=True)
    k = sympy.Symbol("k", integer=True, nonnegative=True)
    return 2 ** (1 - N) * sympy.Sum(sympy.binomial(N - 1, k), (k, 0, d - 1))


def cover_numeric(*, d: Any, N: Any) -> Any:
    """The binomial distribution function at d - 1, in float64."""
    import numpy as np
    from scipy.special import betainc

    # B <= d - 1 for B binomial(N - 1, 1/2) has the probability I_{1/2}(N - d, d)
    return np.where(d >= N, 1.0, betainc(np.maximum(N - d, 1), d, 0.5))


def cover_exact(*, d: Any, N: Any, digits: int) -> Any:
    """The same to any number of digits."""
    from asymp.theory.recall.item_errors import binomial_cdf_digits

    return binomial_cdf_digits(int(d) - 1, int(N) - 1, digits)


def size_numeric(*, d: Any) -> Any:
    """exp(W0(d/2)) in the log domain."""
    import numpy as np

    from asymp.theory.recall.item_errors import size_of_log

    return size_of_log(np.log(d) - np.log(2))


LAWS = (
    law(
        "binary-capacity",
        "exp(LambertW(d/2))",
        title="Capacity for two answers: all items right, 2 N log N = d",
        source=Source("asymp", "N Phi(-sqrt(d/N)) = 1 to leading order"),
        conventions=CONVENTIONS + " The largest N at which all N items are right.",
        exponents={"d": "1"},
        numeric=size_numeric,
        notes=("The exponent 1 carries a logarithm: the local slope is W/(1 + W), W = log N.",),
        **SIZE,
    ),
    law(
        "binary-capacity:source",
        "d",
        title="Capacity for two answers, as the source states it",
        source=Source("bietti2025", "slide on linear associative memories, f in {0, 1} (bietti2024: z mod 2)"),
        conventions=CONVENTIONS + " The source's question is when all items are right (bietti2024: 'for all z').",
        notes=(
            "Right where a fixed share of items may be lost: `binary-capacity:recall` is d over a constant, and at N = d "
            "the share lost is Phi(-1) = .16.",
        ),
        errata=(
            Erratum(
                regime="All items at once, as d grows: N = c d for any constant c.",
                discrepancy="N Phi(-sqrt(1/c)) items are wrong, a number that grows like d: 16 % of them at c = 1. All "
                "are right up to N = d/(2 log N) only.",
                corrected_by="binary-capacity",
            ),
        ),
        **SIZE,
    ),
    law(
        "binary-capacity:recall",
        "d/(2*erfinv(1 - 2*delta)**2)",
        relation="~",
        domain={"d": integer(2), "delta": real(above=0, high=0.49)},
        typical={"d": (16, 4096)},
        defaults={"delta": 0.01},
        meanings={name: MEANINGS[name] for name in ("d", "delta")},
        quantity="N",
        title="Capacity for two answers at a given share of lost items",
        source=Source("asymp", "Phi(-sqrt(d/N)) = delta"),
        conventions=CONVENTIONS + " The N at which an item is lost with probability delta.",
        notes=(
            "0.185 d at 1 % of lost items. No logarithm; however large N is, no more than half of the items are lost.",
        ),
    ),
    law(
        "binary-capacity:item-error",
        item_error,
        relation="=",
        title="Share of lost items with two answers, exact",
        source=Source("asymp", "Student's t with d degrees of freedom beyond sqrt(d/(N - 1))"),
        numeric=item_error_numeric,
        exact=item_error_exact,
        notes=(
            "Exact at every d and N and for every f: the overlap of the two outputs cancels, and |e_z| in the noise; what "
            "is left is P(r + xi sqrt((N - 1)/d) < 0) with r^2 chi-square_d/d.",
        ),
        **ITEM,
    ),
    law(
        "binary-capacity:item-error-asymptotic",
        "erfc(sqrt(d/(2*N)))/2",
        relation="~",
        title="Share of lost items with two answers, d and N large",
        source=Source("asymp", "limit of the exact law: Phi(-sqrt(d/N))"),
        notes=("Also the limit for gaussian outputs and for inputs on the sphere.",),
        **ITEM,
    ),
    law(
        "binary-capacity:cover",
        cover,
        relation="=",
        domain={"d": integer(1), "N": integer(1)},
        typical={"d": (4, 256), "N": (4, 512)},
        meanings={name: MEANINGS[name] for name in ("d", "N")},
        quantity="P_all",
        title="Probability that some matrix stores N random labels, exact",
        source=Source("cover1965", "function counting theorem"),
        conventions="N inputs in general position in R^d, labels 0 or 1 by fair coins: the probability that a matrix W has "
        "them all right. Only (u_0 - u_1)^T W matters: a hyperplane through the origin.",
        conditions=(Condition(lambda v: v["N"] <= 1e9, "N must be at most 1e9: the sum has N terms"),),
        numeric=cover_numeric,
        exact=cover_exact,
        notes=("One half exactly at N = 2 d, and ever steeper there as d grows.",),
    ),
    law(
        "binary-capacity:best-linear",
        "2*d",
        title="Capacity of the best matrix for two random answers",
        source=Source("cover1965", "capacity of the perceptron"),
        conventions="The N at which N random labels of inputs in general position in R^d are realised by some W with "
        "probability one half.",
        notes=("Exact at every d: `binary-capacity:cover` is 1/2 at N = 2 d.",),
        **{**SIZE, "relation": "="},
    ),
)
