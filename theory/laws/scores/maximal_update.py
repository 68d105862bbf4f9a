"""maximal-update: the first gradient step moves what it is trained on by as much as the initial matrix has there."""

from asymp.theory.law import law
from asymp.theory.laws.pieces import scores
from asymp.theory.laws.scores import INPUTS, OUTPUTS, D
from asymp.theory.lazy import Expr, sympy
from asymp.theory.param import Param, integer, real
from asymp.theory.sources import Condition, Source

CONVENTIONS = (
    "dW = sum over j of a_j v_j u_j^T with independent u_j and v_j, gaussian N(0, I/d) or uniform on the unit sphere; "
    "the quantity is the mean of |dW u_j|^2, the norm squared, at one of the u_j."
)


def derived(*, inputs: str, outputs: str) -> Expr:
    """E |dW u_j|^2 as the contraction gives it, in d, a_j and A; there u_j is an input embedding e_z."""
    found = scores.update_norm_mean(inputs=inputs, outputs=outputs)
    return found.subs(sympy.Symbol("a_z", real=True), sympy.Symbol("a_j", real=True))


STATED = law(
    "maximal-update:source",
    "1/d",
    relation="~",
    params=(
        D.over(16, 4096),
        Param(integer(1), (1, 64), meaning="number of outer products in the update", name="N"),
    ),
    quantity="E_entry",
    title="Size of an update at a stored input, as the source states it",
    source=Source("bietti2024", "slide on maximal updates"),
    conventions="dW = sum over j of v_j u_j^T with independent gaussian u_j and v_j, N(0, I/d). The quantity is the mean square "
    "of an entry of dW u_j: |dW u_j| is of order one where it is of order 1/d.",
)

LAWS = (
    law(
        "maximal-update",
        derived,
        relation="=",
        params=(
            D,
            Param(real(), (0.5, 2), meaning="coefficient of the pair whose input is read", name="a_j"),
            Param(real(0), (16, 4096), meaning="sum of all squared coefficients", name="A"),
            INPUTS.but(meaning="law of the u_j"),
            OUTPUTS.but(meaning="law of the v_j"),
        ),
        quantity="E_dWu",
        title="Size of an update at a stored input, exact at every d",
        source=Source("asymp", "contraction of the embeddings"),
        conventions=CONVENTIONS,
        conditions=Condition(lambda v: v["a_j"] ** 2 <= v["A"], "a_j^2 must be at most A: it is one of its terms"),
    ),
    STATED,
    STATED.but(
        "maximal-update:corrected",
        "(1 + N/d)/d",
        title="Size of an update at a stored input, for every number of pairs",
        source=Source("asymp", "from the exact mean"),
    ),
    STATED.but(
        "maximal-update:ntk",
        "1/d",
        quantity="E_ratio",
        title="Size of an update against the initialisation in the NTK scaling",
        source=Source("bietti2024", "slide on maximal updates: 'not true for NTK!'"),
        conventions="The score is v^T W u/d with weights W_ij ~ N(0, 1) and embeddings of entries N(0, 1) (length "
        "sqrt d); W moves by the sum of the gradients of the N scores v_j^T W u_j/d, step one. The quantity is the "
        "squared size of the change of W u_j over that of W_0 u_j, both summed over j.",
    ),
)
