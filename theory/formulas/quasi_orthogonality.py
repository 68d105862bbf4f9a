"""quasi-orthogonality: how nearly orthogonal P unit vectors of R^d can be, and how random ones do."""

from typing import TYPE_CHECKING, Any

from asymp.theory.domain import integer, real
from asymp.theory.law import law
from asymp.theory.statement import Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

MEANINGS = {"d": "dimension", "P": "number of vectors", "t": "largest inner product allowed"}
RANDOM = "P independent points, uniform on the unit sphere of R^d; "
SIZES: dict[str, Any] = {
    "domain": {"P": integer(2), "d": integer(2)},
    "typical": {"P": (8, 4096), "d": (16, 1024)},
    "meanings": {name: MEANINGS[name] for name in ("P", "d")},
}
BELOW: dict[str, Any] = {
    "domain": {"P": integer(2), "d": integer(2), "t": real(0, 1)},
    "typical": {"P": (8, 4096), "d": (16, 1024), "t": (0.2, 1)},
    "meanings": MEANINGS,
    "quantity": "P_all",
    "conventions": RANDOM + "the quantity is the probability that all |u_i . u_j| <= t, i != j.",
}


def largest_numeric(*, P: Any, d: Any) -> Any:
    """sqrt(1 - P^(-4/(d-1))) in float64, without the cancellation at large d."""
    import numpy as np

    return np.sqrt(-np.expm1(-4 * np.log(P) / (d - 1)))


def largest_exact(*, P: Any, d: Any, digits: int) -> Any:
    """The same to any number of digits."""
    import mpmath

    return mpmath.sqrt(-mpmath.expm1(-4 * mpmath.log(P) / (d - 1)))


def expected_pairs() -> Any:
    """The mean number of pairs with |u_i . u_j| > t."""
    import sympy

    from asymp.theory.recall.item_errors import sphere_tail

    P, d, t = sympy.symbols("P d t", positive=True)
    return P * (P - 1) / 2 * (2 * sphere_tail(t, d))


def union() -> "sympy.Expr":
    """One minus the mean number of pairs beyond t."""
    return 1 - expected_pairs()


def poisson() -> "sympy.Expr":
    """exp(-mean number of pairs beyond t)."""
    import sympy

    return sympy.exp(-expected_pairs())


def pairs_numeric(P: Any, d: Any, t: Any) -> Any:
    """The mean number of pairs beyond t in float64."""
    from scipy.special import betainc

    return P * (P - 1) / 2 * betainc((d - 1) / 2, 0.5, (1 - t) * (1 + t))


def union_numeric(*, P: Any, d: Any, t: Any) -> Any:
    """The union bound in float64."""
    return 1 - pairs_numeric(P, d, t)


def poisson_numeric(*, P: Any, d: Any, t: Any) -> Any:
    """The Poisson limit in float64."""
    import numpy as np

    return np.exp(-pairs_numeric(P, d, t))


def pairs_exact(P: Any, d: Any, t: Any) -> Any:
    """The mean number of pairs beyond t as an mpmath number."""
    import mpmath

    half = mpmath.mpf(1) / 2
    return P * (P - 1) / 2 * mpmath.betainc((d - 1) / 2, half, 0, (1 - t) * (1 + t), regularized=True)


def union_exact(*, P: Any, d: Any, t: Any, digits: int) -> Any:
    """The union bound to any number of digits."""
    return 1 - pairs_exact(P, d, t)


def poisson_exact(*, P: Any, d: Any, t: Any, digits: int) -> Any:
    """The Poisson limit to any number of digits."""
    import mpmath

    return mpmath.exp(-pairs_exact(P, d, t))


LAWS = (
    law(
        "quasi-orthogonality",
        "sqrt(1 - P**(-4/(d - 1)))",
        relation="<~",
        quantity="eta",
        exponents={"d": "-1/2", "P": "0"},
        numeric=largest_numeric,
        exact=largest_exact,
        title="Largest inner product of P random unit vectors",
        source=Source("asymp", "P^2/2 pairs, each beyond t with probability at most (1 - t^2)^((d-1)/2)"),
        conventions=RANDOM + "the quantity is the mean of the largest |u_i . u_j|, i != j.",
        notes=(
            "From above: the pair bound (1 - t^2)^((d-1)/2) leaves out the factor sqrt(2/(pi d))/t. Against simulation, "
            "d from 16 to 256: too large by 2 to 10 % at P >= 300, 10 to 14 % at P = 30, 20 to 28 % at P = 8; the law of the "
            "maximum (`quasi-orthogonality:maximum`) has no such bias.",
            "Never above 1, unlike 2 sqrt(log P/d), which is its limit for log P << d: 1 - P^(-4/(d-1)) <= 4 log P/(d-1).",
        ),
        **SIZES,
    ),
    law(
        "quasi-orthogonality:source",
        "2*sqrt(log(P)/d)",
        relation="<=",
        quantity="eta",
        exponents={"d": "-1/2", "P": "0"},
        title="P unit vectors with small inner products exist, as the source states it",
        source=Source("cabannes2024", "Definition 1 and Lemma 1 (recalled, not at hand)"),
        conventions="The quantity is the smallest value that the largest |u_i . u_j|, i != j, of P unit vectors can take.",
        notes=(
            "Says nothing where 4 log P >= d. Random vectors do it with probability at least 1/P "
            "(`quasi-orthogonality:probability`), and far more often in fact.",
        ),
        **SIZES,
    ),
    law(
        "quasi-orthogonality:probability",
        "1/P",
        relation=">=",
        quantity="P_all",
        title="Probability that P random vectors are as orthogonal as the lemma asks",
        source=Source("asymp", "union bound: P(P-1)/2 pairs, each beyond t with probability at most 2 exp(-d t^2/2)"),
        conventions=RANDOM + "the quantity is the probability that all |u_i . u_j| <= 2 sqrt(log P/d), i != j.",
        notes=("1 - P(P-1)/2 2/P^2 = 1/P.",),
        **SIZES,
    ),
    law(
        "quasi-orthogonality:random",
        union,
        relation=">=",
        title="Probability that P random vectors are nearly orthogonal, from below",
        source=Source("asymp", "union bound with the exact tail of a pair"),
        numeric=union_numeric,
        exact=union_exact,
        notes=("At t = 2 sqrt(log P/d) it is at least 1/P for every P >= 2 and d >= 2. It may be negative.",),
        **BELOW,
    ),
    law(
        "quasi-orthogonality:maximum",
        poisson,
        relation="~",
        title="Law of the largest inner product of P random unit vectors",
        source=Source("asymp", "Poisson limit: pairs are pairwise independent"),
        numeric=poisson_numeric,
        exact=poisson_exact,
        notes=("The products u_i . u_j are pairwise independent, so that far pairs come like a Poisson process.",),
        **BELOW,
    ),
)
