"""listwise: how many associations a matrix holds when the answer need only be near the top of the list."""

from typing import Any

from asymp.theory.law import law
from asymp.theory.laws.capacity import D
from asymp.theory.lazy import Expr, sympy
from asymp.theory.param import Param, choice, integer, real
from asymp.theory.sources import Condition, Source

CRITERION = Param(
    choice("tail-average", "top-fraction"),
    default="tail-average",
    meaning="'tail-average': the answer beats the mean of the top fraction r of the scores (the published one); "
    "'top-fraction': the answer is within the top fraction r",
    name="criterion",
)
FRACTION_LIST = Param(real(above=0, high=1), (0.01, 1), meaning="fraction of the list", name="r")

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


def margin_cost(k: Any) -> Expr:
    """E[(k - g)_+^2] = (1 + k^2) Phi(k) + k phi(k)."""
    density = sympy.exp(-(k**2) / 2) / sympy.sqrt(2 * sympy.pi)
    return (1 + k**2) * sympy.erfc(-k / sympy.sqrt(2)) / 2 + k * density


def ratio(*, criterion: str) -> Expr:
    """alpha_c = 1/E[(k - g)_+^2]."""
    r = sympy.Symbol("r", positive=True)
    edge = sympy.sqrt(2) * sympy.erfinv(1 - 2 * r)
    mean = sympy.exp(-(edge**2) / 2) / (sympy.sqrt(2 * sympy.pi) * r)
    return 1 / margin_cost(mean if criterion == "tail-average" else edge)


def capacity(*, criterion: str) -> Expr:
    """alpha_c d^2."""
    return sympy.Symbol("d", positive=True) ** 2 * ratio(criterion=criterion)


LAWS = (
    law(
        "listwise",
        capacity,
        relation="~",
        params=(D.but(domain=integer(1)).over(16, 1024), FRACTION_LIST, CRITERION),
        quantity="N",
        exponents={"d": "2"},
        conditions=CONVEX,
        title="Capacity when the answer need only be near the top of the list",
        source=Source("arxiv2605.05189", "tail-average margin; the edge in its place is this project's reading"),
        conventions=CONVENTIONS,
    ),
    law(
        "listwise:ratio",
        ratio,
        relation="=",
        params=(FRACTION_LIST, CRITERION),
        quantity="alpha_c",
        conditions=CONVEX,
        title="Items per parameter when the answer need only be near the top of the list",
        source=Source("arxiv2605.05189", "alpha_c(r) = 1/E[(k_r - g)_+^2]"),
        conventions=CONVENTIONS + " The limit of N/d^2.",
    ),
)
