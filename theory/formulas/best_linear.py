"""best-linear: how many associations the best d x d matrix holds, however it is found."""

from typing import TYPE_CHECKING, Any

from asymp.theory.domain import integer
from asymp.theory.law import law
from asymp.theory.statement import Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

CONVENTIONS = (
    "N inputs with N different outputs, random embeddings in R^d; any W with u_z . W e_z > u_y . W e_z for every z and "
    "every y != z, such as a convex fit of the margins finds where there is one."
)
SIZE: dict[str, Any] = {
    "relation": "~",
    "domain": {"d": integer(2)},
    "typical": {"d": (16, 4096)},
    "meanings": {"d": "dimension of the embeddings"},
    "quantity": "N",
    "exponents": {"d": "2"},
    "conventions": CONVENTIONS,
}


def finite_size() -> "sympy.Expr":
    """sqrt(N E[(k - g)_+^2]) at the margin k = Phi^-1(1 - 1/N)."""
    import sympy

    from asymp.theory.formulas.listwise import margin_cost

    N = sympy.Symbol("N", positive=True)
    return sympy.sqrt(N * margin_cost(sympy.sqrt(2) * sympy.erfinv(1 - 2 / N)))


def finite_size_numeric(*, N: Any) -> Any:
    """The same in float64; the quantile from the small tail, which 1 - 2/N would lose."""
    import numpy as np
    from scipy.special import ndtr, ndtri

    k = -ndtri(1 / N)
    return np.sqrt(N * ((1 + k**2) * ndtr(k) + k * np.exp(-(k**2) / 2) / np.sqrt(2 * np.pi)))


def cone(**words: Any) -> "sympy.Expr":
    """A root has no closed form: the expression is its leading order."""
    import sympy

    return sympy.exp(sympy.LambertW(sympy.Symbol("d", positive=True) ** 2 / 2))


def cone_numeric(*, d: Any) -> Any:
    """The N with N E dist^2 = d^2."""
    from asymp.theory.recall.cone_distance import items_of_dimension

    return items_of_dimension(d)


def cone_exact(*, d: Any, digits: int) -> Any:
    """Eight digits are what the quadrature has."""
    if digits > 8:
        raise ValueError(
            "the law 'best-linear:cone' cannot be evaluated to any number of digits: about 8 digits can be had, the root of a "
            f"quadrature in float64; got digits = {digits!r}"
        )
    return float(cone_numeric(d=float(d)))


def best_numeric(*, d: Any) -> Any:
    """exp(W0(d^2/2)) in the log domain."""
    import numpy as np

    from asymp.theory.recall.item_errors import size_of_log

    return size_of_log(2 * np.log(d) - np.log(2))


def trained_numeric(*, d: Any) -> Any:
    """exp(W0(10 d^2/13)) in the log domain."""
    import numpy as np

    from asymp.theory.recall.item_errors import size_of_log

    return size_of_log(2 * np.log(d) - np.log(1.3))


LAWS = (
    law(
        "best-linear",
        "exp(LambertW(d**2/2))",
        title="Capacity of the best linear memory: 2 N log N = d^2",
        source=Source("arxiv2605.10795", "statistical-physics calculation; a conjecture in arXiv:2605.05189"),
        numeric=best_numeric,
        notes=(
            "p_c log p_c/d^2 = 1/2 with p_c = N: four times the all-items capacity of the sum of outer products, and "
            "the size at which that sum still has half of its items right (`injective-capacity:one-item`).",
            "Exponent 2 up to a logarithm: the local slope is 2 W/(1 + W), W = log N.",
        ),
        **SIZE,
    ),
    law(
        "best-linear:finite-size",
        finite_size,
        relation="~",
        domain={"N": integer(3)},
        typical={"N": (10, 1e6)},
        meanings={"N": "number of items"},
        quantity="d",
        exponents={"N": "1/2"},
        numeric=finite_size_numeric,
        title="Dimension that N items need in the best linear memory, with its finite-size terms",
        source=Source("asymp", "Gardner volume at the margin of the best of N competitors; heuristic"),
        conventions=CONVENTIONS,
        notes=(
            "The best of N competitors is put at k = Phi^-1(1 - 1/N) standard deviations: d^2 = N E[(k - g)_+^2], which "
            "is N (k^2 + 1) up to exponentially small terms and 2 N log N to leading order. At N = 1000 it is 10.5 N, "
            "where 2 N log N is 13.8 N: the leading order is approached slowly.",
            "Too large a dimension, or too few items, by a fifth to a quarter at d = 8 to 64: the matrix need not only raise "
            "the answer to its best competitor but can lower the competitors, which is cheaper (`best-linear:cone`).",
        ),
    ),
    law(
        "best-linear:cone",
        cone,
        relation="~",
        domain={"d": integer(4, 10**4)},
        typical={"d": (8, 1024)},
        meanings={"d": "dimension of the embeddings"},
        quantity="N",
        exponents={"d": "2"},
        numeric=cone_numeric,
        exact=cone_exact,
        title="Capacity of the best linear memory at finite size",
        source=Source(
            "asymp", "conic kinematics: each item's N scores must lie in the cone where the answer is the largest"
        ),
        conventions=CONVENTIONS + " The N at which such a W exists for half of the draws.",
        notes=(
            "With d^2 gaussian parameters N cones in R^N are met exactly if N E dist^2(g, C) < d^2, g normal in R^N and "
            "C = {x_1 >= x_y}; the scores u_y . W e_z are products of embeddings, which is neglected. The mean distance is the "
            "mean number of competitors that the projection pools with the answer.",
            "E dist^2 tends to 2 log N from below, slowly: 4.2 at N = 64 (8.3), 8.7 at 1500 (14.6), 32 at 1e9 (41).",
            "No more than 8 digits can be had: the root of a quadrature in float64.",
        ),
    ),
    law(
        "best-linear:from-above",
        "exp(LambertW(d**2/2))",
        title="The best linear memory holds no fewer than 2 N log N = d^2",
        source=Source("asymp", "E dist^2 < 2 log N at every N (`best-linear:cone`)"),
        numeric=best_numeric,
        **{**SIZE, "relation": ">="},
    ),
    law(
        "best-linear:trained",
        "exp(LambertW(10*d**2/13))",
        title="Capacity of a trained linear memory, published fit: d^2 = 1.3 N log N",
        source=Source("asymp", "published fit; full-batch Adam on cross-entropy, embeddings on the unit sphere"),
        numeric=trained_numeric,
        notes=(
            "More than the asymptotic capacity of the best matrix, d^2 = 2 N log N: a fit at finite sizes, where "
            "`best-linear:finite-size` is d^2 = 1.5 N log N (N = 1000), and with 1 % of the items allowed to be lost.",
        ),
        **SIZE,
    ),
    law(
        "best-linear:trained-recall",
        "99/100",
        relation=">=",
        domain={"d": integer(2)},
        typical={"d": (8, 256)},
        meanings={"d": "dimension of the embeddings"},
        quantity="recall",
        exponents={"d": "0"},
        title="Recall of a trained linear memory at the published size",
        source=Source("asymp", "published fit: 99 % of the items at d^2 = 1.3 N log N"),
        conventions=CONVENTIONS + " N is `best-linear:trained` at d, rounded down; the share of items that are right.",
    ),
)
