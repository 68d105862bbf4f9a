"""listwise: how many associations a matrix holds when the answer need only be near the top of the list."""

from typing import TYPE_CHECKING, Any

from asymp.theory.domain import choice, integer, real
from asymp.theory.law import law
from asymp.theory.statement import Condition, Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

CRITERIA = choice("tail-average", "top-fraction")
MEANINGS = {
    "d": "dimension of the embeddings",
    "r": "fraction of the list",
    "criterion": "'tail-average': the answer beats the mean of the top fraction r of the scores (the published one); "
    "'top-fraction': the answer is within the top fraction r",
}
CONVENTIONS = (
    "N inputs with N different outputs, random embeddings in R^d, the best matrix W. The criterion is named: with "
    "scores in units of their standard deviation the answer must exceed k, which is phi(Phi^-1(1 - r))/r for the mean "
    "of the top fraction r and Phi^-1(1 - r) for its edge."
)
CONVEX = Condition(
    lambda v: (v["criterion"] == "tail-average") | (v["r"] <= 0.5),
    "r must be at most 1/2 for the criterion 'top-fraction': beyond, the margin is negative, the matrices that satisfy it "
    "are no convex set and the formula is only an upper bound",
)


def margin_cost(k: Any) -> "sympy.Expr":
    """E[(k - g)_+^2] = (1 + k^2) Phi(k) + k phi(k)."""
    import sympy

    density = sympy.exp(-(k**2) / 2) / sympy.sqrt(2 * sympy.pi)
    return (1 + k**2) * sympy.erfc(-k / sympy.sqrt(2)) / 2 + k * density


def ratio(*, criterion: str) -> "sympy.Expr":
    """alpha_c = 1/E[(k - g)_+^2]."""
    import sympy

    r = sympy.Symbol("r", positive=True)
    edge = sympy.sqrt(2) * sympy.erfinv(1 - 2 * r)
    mean = sympy.exp(-(edge**2) / 2) / (sympy.sqrt(2 * sympy.pi) * r)
    return 1 / margin_cost(mean if criterion == "tail-average" else edge)


def capacity(*, criterion: str) -> "sympy.Expr":
    """alpha_c d^2."""
    import sympy

    return sympy.Symbol("d", positive=True) ** 2 * ratio(criterion=criterion)


def ratio_numeric(*, r: Any, criterion: str) -> Any:
    """alpha_c in float64; the edge from the upper tail, which 1 - 2 r would lose at small r."""
    import numpy as np
    from scipy.special import ndtr, ndtri

    with np.errstate(over="ignore"):
        edge = -ndtri(r)
        k = np.exp(-(edge**2) / 2) / np.sqrt(2 * np.pi) / r if criterion == "tail-average" else edge
    return 1 / ((1 + k**2) * ndtr(k) + k * np.exp(-(k**2) / 2) / np.sqrt(2 * np.pi))


def capacity_numeric(*, d: Any, r: Any, criterion: str) -> Any:
    """alpha_c d^2 in float64."""
    return d**2 * ratio_numeric(r=r, criterion=criterion)


def ratio_exact(*, r: Any, criterion: str, digits: int) -> Any:
    """alpha_c to any number of digits; at r = 1 the mean of the whole list is 0."""
    import mpmath

    edge = mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * r) if r < 1 else -mpmath.inf
    k = mpmath.npdf(edge) / r if criterion == "tail-average" else edge
    return 1 / ((1 + k**2) * mpmath.ncdf(k) + k * mpmath.npdf(k))


def capacity_exact(*, d: Any, r: Any, criterion: str, digits: int) -> Any:
    """alpha_c d^2 to any number of digits."""
    return d**2 * ratio_exact(r=r, criterion=criterion, digits=digits)


FRACTION = real(above=0, high=1)
LAWS = (
    law(
        "listwise",
        capacity,
        relation="~",
        domain={"d": integer(1), "r": FRACTION, "criterion": CRITERIA},
        typical={"d": (16, 1024), "r": (0.01, 1)},
        defaults={"criterion": "tail-average"},
        meanings=MEANINGS,
        quantity="N",
        exponents={"d": "2"},
        conditions=(CONVEX,),
        numeric=capacity_numeric,
        exact=capacity_exact,
        title="Capacity when the answer need only be near the top of the list",
        source=Source("arxiv2605.05189", "tail-average margin; the edge in its place is this project's reading"),
        conventions=CONVENTIONS,
        notes=(
            "A pure power of d, with no logarithm: the margin does not grow with N.",
            "Top half (r = 1/2, the edge is 0): 2 d^2, as for random labels. A list of one answer, r = 1/N, gives "
            "d^2 = 2 N log N to leading order (`best-linear`).",
        ),
    ),
    law(
        "listwise:ratio",
        ratio,
        relation="=",
        domain={"r": FRACTION, "criterion": CRITERIA},
        typical={"r": (0.01, 1)},
        defaults={"criterion": "tail-average"},
        meanings={name: MEANINGS[name] for name in ("r", "criterion")},
        quantity="alpha_c",
        conditions=(CONVEX,),
        numeric=ratio_numeric,
        exact=ratio_exact,
        title="Items per parameter when the answer need only be near the top of the list",
        source=Source("arxiv2605.05189", "alpha_c(r) = 1/E[(k_r - g)_+^2]"),
        conventions=CONVENTIONS + " The limit of N/d^2.",
        notes=("E[(k - g)_+^2] = (1 + k^2) Phi(k) + k phi(k), g standard normal: the Gardner volume at margin k.",),
    ),
)
