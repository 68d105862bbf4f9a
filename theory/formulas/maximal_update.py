"""maximal-update: the first gradient step moves what it is trained on by as much as the initial matrix has there."""

from typing import TYPE_CHECKING

from asymp.theory.domain import choice, integer, real
from asymp.theory.law import law
from asymp.theory.statement import Condition, Erratum, Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

EMBEDDINGS = choice("gaussian", "sphere")
SIZES = {"d": integer(1), "N": integer(1)}
SIZES_TYPICAL = {"d": (16, 4096), "N": (1, 64)}
SIZES_MEANINGS = {"d": "dimension of the embeddings", "N": "number of outer products in the update"}
CONVENTIONS = (
    "dW = sum over j of a_j v_j u_j^T with independent u_j and v_j, gaussian N(0, I/d) or uniform on the unit sphere; "
    "the quantity is the mean of |dW u_j|^2, the norm squared, at one of the u_j."
)
ENTRY = (
    "dW = sum over j of v_j u_j^T with independent gaussian u_j and v_j, N(0, I/d). The quantity is the mean square of an "
    "entry of dW u_j: |dW u_j| is of order one where it is of order 1/d."
)


def derived(*, inputs: str, outputs: str) -> "sympy.Expr":
    """E |dW u_j|^2 as the contraction gives it, in d, a_j and A; there u_j is an input embedding e_z."""
    import sympy

    from asymp.theory.moments.scores import update_norm_mean

    found = update_norm_mean(inputs=inputs, outputs=outputs)
    return found.subs(sympy.Symbol("a_z", real=True), sympy.Symbol("a_j", real=True))


LAWS = (
    law(
        "maximal-update",
        derived,
        relation="=",
        domain={"d": integer(1), "a_j": real(), "A": real(0), "inputs": EMBEDDINGS, "outputs": EMBEDDINGS},
        typical={"d": (4, 256), "a_j": (0.5, 2), "A": (16, 4096)},
        defaults={"inputs": "gaussian", "outputs": "gaussian"},
        meanings={
            "d": "dimension of the embeddings",
            "a_j": "coefficient of the pair whose input is read",
            "A": "sum of all squared coefficients",
            "inputs": "law of the u_j",
            "outputs": "law of the v_j",
        },
        quantity="E_dWu",
        title="Size of an update at a stored input, exact at every d",
        source=Source("asymp", "contraction of the embeddings"),
        conventions=CONVENTIONS,
        conditions=(Condition(lambda v: v["a_j"] ** 2 <= v["A"], "a_j^2 must be at most A: it is one of its terms"),),
        notes=(
            "With N coefficients 1 and gaussian inputs it is (1 + 2/d) + (N - 1)/d: of order one as long as N = O(d). "
            "The law of the v_j does not matter.",
        ),
    ),
    law(
        "maximal-update:source",
        "1/d",
        relation="~",
        domain=SIZES,
        typical=SIZES_TYPICAL,
        meanings=SIZES_MEANINGS,
        quantity="E_entry",
        title="Size of an update at a stored input, as the source states it",
        source=Source("bietti2024", "slide on maximal updates"),
        conventions=ENTRY,
        notes=(
            "The source says that |dW u_j| is Theta_d(1), 'thanks to near-orthonormality', for coefficients of order one, "
            "and of the order of the initialisation, whose |W_0 u_j| is of order one too (`remapping`). It is stated here "
            "for an entry: data can tell the exponent -1, but not the exponent 0, from a floor.",
        ),
        errata=(
            Erratum(
                regime="More pairs than dimensions, N >> d.",
                discrepancy="The other N - 1 pairs add (N - 1)/d to the mean square: the norm grows like sqrt(N/d), and "
                "the stored direction is a small part of it.",
                corrected_by="maximal-update:corrected",
            ),
        ),
    ),
    law(
        "maximal-update:corrected",
        "(1 + N/d)/d",
        relation="~",
        domain=SIZES,
        typical=SIZES_TYPICAL,
        meanings=SIZES_MEANINGS,
        quantity="E_entry",
        title="Size of an update at a stored input, for every number of pairs",
        source=Source("asymp", "from the exact mean"),
        conventions=ENTRY,
        notes=("The exact value, (1 + (N + 1)/d)/d, is larger than this, by one half at most.",),
    ),
    law(
        "maximal-update:ntk",
        "1/d",
        relation="~",
        domain=SIZES,
        typical=SIZES_TYPICAL,
        meanings=SIZES_MEANINGS,
        quantity="E_ratio",
        title="Size of an update against the initialisation in the NTK scaling",
        source=Source("bietti2024", "slide on maximal updates: 'not true for NTK!'"),
        conventions="The score is v^T W u/d with weights W_ij ~ N(0, 1) and embeddings of entries N(0, 1) (length "
        "sqrt d); W moves by the sum of the gradients of the N scores v_j^T W u_j/d, step one. The quantity is the "
        "squared size of the change of W u_j over that of W_0 u_j, both summed over j.",
        notes=(
            "The factor 1/d is missing in the source, which says only that the update is of lower order. In the scaling "
            "of `maximal-update`, v^T W u with W_ij ~ N(0, 1/d), the same ratio is of order one.",
        ),
    ),
)
