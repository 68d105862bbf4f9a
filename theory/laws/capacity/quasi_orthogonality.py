"""quasi-orthogonality: how nearly orthogonal P unit vectors of R^d can be, and how random ones do."""

from functools import partial

from asymp.theory.law import law
from asymp.theory.laws.capacity import DIMENSION
from asymp.theory.param import Param, integer, real
from asymp.theory.sources import Source

P = Param(integer(2), (8, 4096), meaning="number of vectors", name="P")
T = Param(real(0, 1), (0.2, 1), meaning="largest inner product allowed", name="t")

RANDOM = "P independent points, uniform on the unit sphere of R^d; "
below_law = partial(
    law, quantity="P_all", conventions=RANDOM + "the quantity is the probability that all |u_i . u_j| <= t, i != j."
)


PAIRS = (
    "P*(P - 1)/2*betainc_regularized((d - 1)/2, 1/2, 0, (1 - t)*(1 + t))"  # mean number of pairs with |u_i . u_j| > t
)


LAWS = (
    law(
        "quasi-orthogonality",
        "sqrt(1 - P**(-4/(d - 1)))",
        relation="<~",
        params=(P, DIMENSION),
        quantity="eta",
        exponents={"d": "-1/2"},
        title="Largest inner product of P random unit vectors",
        source=Source("asymp", "P^2/2 pairs, each beyond t with probability at most (1 - t^2)^((d-1)/2)"),
        conventions=RANDOM + "the quantity is the mean of the largest |u_i . u_j|, i != j.",
    ),
    law(
        "quasi-orthogonality:source",
        "2*sqrt(log(P)/d)",
        relation="<=",
        params=(P, DIMENSION),
        quantity="eta",
        title="P unit vectors with small inner products exist, as the source states it",
        source=Source("cabannes2024", "Definition 1 and Lemma 1 (recalled, not at hand)"),
        conventions="The quantity is the smallest value that the largest |u_i . u_j|, i != j, of P unit vectors can take.",
    ),
    law(
        "quasi-orthogonality:probability",
        "1/P",
        relation=">=",
        params=(P, DIMENSION),
        quantity="P_all",
        title="Probability that P random vectors are as orthogonal as the lemma asks",
        source=Source("asymp", "union bound: P(P-1)/2 pairs, each beyond t with probability at most 2 exp(-d t^2/2)"),
        conventions=RANDOM + "the quantity is the probability that all |u_i . u_j| <= 2 sqrt(log P/d), i != j.",
    ),
    below_law(
        "quasi-orthogonality:random",
        f"1 - {PAIRS}",
        relation=">=",
        params=(P, DIMENSION, T),
        title="Probability that P random vectors are nearly orthogonal, from below",
        source=Source("asymp", "union bound with the exact tail of a pair"),
    ),
    below_law(
        "quasi-orthogonality:maximum",
        f"exp(-{PAIRS})",
        relation="~",
        params=(P, DIMENSION, T),
        title="Law of the largest inner product of P random unit vectors",
        source=Source("asymp", "Poisson limit: pairs are pairwise independent"),
    ),
)
