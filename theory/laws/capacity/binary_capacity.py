"""binary-capacity: how many associations with two possible answers a memory holds."""

from functools import partial

from asymp.theory.law import law
from asymp.theory.laws.capacity import ITEMS, LOST, D
from asymp.theory.param import integer
from asymp.theory.sources import Condition, Source

CONVENTIONS = (
    "W = sum over x = 1..N of u_f(x) e_x^T with f(x) in {0, 1}; the answer to z is the y in {0, 1} with the larger "
    "u_y . W e_z. Inputs are gaussian N(0, I/d), outputs uniform on the unit sphere."
)


size_law = partial(law, relation="~", quantity="N", params=(D,))
LAWS = (
    size_law(
        "binary-capacity",
        "exp(LambertW(d/2))",
        title="Capacity for two answers: all items right, 2 N log N = d",
        source=Source("asymp", "N Phi(-sqrt(d/N)) = 1 to leading order"),
        conventions=CONVENTIONS + " The largest N at which all N items are right.",
    ),
    size_law(
        "binary-capacity:source",
        "d",
        title="Capacity for two answers, as the source states it",
        source=Source("bietti2025", "slide on linear associative memories, f in {0, 1} (bietti2024: z mod 2)"),
        conventions=CONVENTIONS + " The source's question is when all items are right (bietti2024: 'for all z').",
    ),
    law(
        "binary-capacity:recall",
        "d/(2*erfinv(1 - 2*delta)**2)",
        relation="~",
        params=(D, LOST),
        quantity="N",
        title="Capacity for two answers at a given share of lost items",
        source=Source("asymp", "Phi(-sqrt(d/N)) = delta"),
        conventions=CONVENTIONS + " The N at which an item is lost with probability delta.",
    ),
    law(
        "binary-capacity:item-error",
        "betainc_regularized(d/2, 1/2, 0, 1 - 1/N)/2",
        relation="=",
        params=(D.over(16, 512), ITEMS),
        title="Share of lost items with two answers, exact",
        source=Source("asymp", "Student's t with d degrees of freedom beyond sqrt(d/(N - 1))"),
        conventions=CONVENTIONS,
    ),
    law(
        "binary-capacity:cover",
        "FairShare(d - 1, N - 1)",
        relation="=",
        params=(D.but(domain=integer(1)).over(4, 256), ITEMS.over(4, 512)),
        quantity="P_all",
        title="Probability that some matrix stores N random labels, exact",
        source=Source("cover1965", "function counting theorem"),
        conventions="N inputs in general position in R^d, labels 0 or 1 by fair coins: the probability that a matrix W has "
        "them all right. Only (u_0 - u_1)^T W matters: a hyperplane through the origin.",
        conditions=Condition(lambda v: v["N"] <= 1e9, "N must be at most 1e9: the sum has N terms"),
    ),
    size_law(
        "binary-capacity:best-linear",
        "2*d",
        relation="=",
        title="Capacity of the best matrix for two random answers",
        source=Source("cover1965", "capacity of the perceptron"),
        conventions="The N at which N random labels of inputs in general position in R^d are realised by some W with "
        "probability one half.",
    ),
)
