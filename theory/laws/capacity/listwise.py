"""listwise: how many associations a matrix holds when the answer need only be near the top of the list."""

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


def capacity(*, criterion: str) -> Expr:
    """d^2/E[(k - g)_+^2], where E[(k - g)_+^2] = (1 + k^2) Phi(k) + k phi(k) for a standard normal g."""
    d, r = sympy.symbols("d r", positive=True)
    edge = sympy.sqrt(2) * sympy.erfinv(1 - 2 * r)
    mean = sympy.exp(-(edge**2) / 2) / (sympy.sqrt(2 * sympy.pi) * r)
    k = mean if criterion == "tail-average" else edge
    density = sympy.exp(-(k**2) / 2) / sympy.sqrt(2 * sympy.pi)
    return d**2 / ((1 + k**2) * sympy.erfc(-k / sympy.sqrt(2)) / 2 + k * density)


LAWS = (
    law(
        "listwise",
        capacity,
        relation="~",
        params=(D.but(domain=integer(1)).over(16, 1024), FRACTION_LIST, CRITERION),
        quantity="N",
        conditions=CONVEX,
        title="Capacity when the answer need only be near the top of the list",
        source=Source("arxiv2605.05189", "tail-average margin; the edge in its place is this project's reading"),
        conventions=CONVENTIONS,
    ),
)
