"""best-linear: how many associations the best d x d matrix holds, however it is found."""

from functools import partial

from asymp.theory.functions.recall.cone_distance import items_of_dimension
from asymp.theory.law import law
from asymp.theory.laws.capacity import D
from asymp.theory.lazy import Digits, Floats, np
from asymp.theory.param import integer
from asymp.theory.sources import Source

CONVENTIONS = (
    "N inputs with N different outputs, random embeddings in R^d; any W with u_z . W e_z > u_y . W e_z for every z and "
    "every y != z, such as a convex fit of the margins finds where there is one."
)


def cone_numeric(*, d: Floats) -> Floats:
    """The N with N E dist^2 = d^2; it has no closed form, and the law's expression is its leading order."""
    return np.asarray(items_of_dimension(d))


def cone_exact(*, d: Digits, digits: int) -> Digits:
    """Eight digits are what the quadrature has."""
    if digits > 8:
        raise ValueError(
            "the law 'best-linear:cone' cannot be evaluated to any number of digits: about 8 digits can be had, the root of a "
            f"quadrature in float64; got digits = {digits!r}"
        )
    return float(cone_numeric(d=np.asarray(float(d))))


size_law = partial(law, relation="~", quantity="N", conventions=CONVENTIONS, params=(D,))
LAWS = (
    size_law(
        "best-linear",
        "exp(LambertW(d**2/2))",
        title="Capacity of the best linear memory: 2 N log N = d^2",
        source=Source("arxiv2605.10795", "statistical-physics calculation; a conjecture in arXiv:2605.05189"),
    ),
    size_law(
        "best-linear:cone",
        "exp(LambertW(d**2/2))",
        params=(D.but(domain=integer(4, 10_000)).over(8, 1024),),
        numeric=cone_numeric,
        exact=cone_exact,
        title="Capacity of the best linear memory at finite size",
        source=Source(
            "asymp", "conic kinematics: each item's N scores must lie in the cone where the answer is the largest"
        ),
        conventions=CONVENTIONS + " The N at which such a W exists for half of the draws.",
    ),
    size_law(
        "best-linear:from-above",
        "exp(LambertW(d**2/2))",
        relation=">=",
        title="The best linear memory holds no fewer than 2 N log N = d^2",
        source=Source("asymp", "E dist^2 < 2 log N at every N (`best-linear:cone`)"),
    ),
    size_law(
        "best-linear:trained",
        "exp(LambertW(10*d**2/13))",
        title="Capacity of a trained linear memory, published fit: d^2 = 1.3 N log N",
        source=Source(
            "nichani2025",
            "presumably (recalled): a fit to full-batch Adam on cross-entropy, embeddings on the unit sphere",
        ),
    ),
)
