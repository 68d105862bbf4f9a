"""score-variance: how much the score of an output fluctuates with the random embeddings."""

from typing import TYPE_CHECKING

from asymp.theory.domain import choice, integer, real
from asymp.theory.law import law
from asymp.theory.statement import Condition, Erratum, Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

EMBEDDINGS = choice("gaussian", "sphere")

COUNTS = {"d": integer(1), "n_y": integer(0), "n_other": integer(0)}
COUNTS_TYPICAL = {"d": (4, 128), "n_y": (1, 32), "n_other": (1, 512)}
COUNTS_MEANINGS = {
    "d": "dimension of the embeddings",
    "n_y": "number of inputs with target y",
    "n_other": "number of inputs with another target",
}
COUNTS_CONVENTIONS = "All weights q(x) = 1; gaussian embeddings N(0, I/d); 'up to a constant'."


def derived(*, output: str, inputs: str, outputs: str) -> "sympy.Expr":
    """The variance as the Wick contraction gives it; nothing is typed in."""
    from asymp.theory.moments.scores import score_variance

    return score_variance(match=output == "target", inputs=inputs, outputs=outputs)


LAWS = (
    law(
        "score-variance",
        derived,
        relation="=",
        domain={
            "d": integer(1),
            "q": real(0),
            "S_y": real(0),
            "S": real(0),
            "output": choice("target", "other"),
            "inputs": EMBEDDINGS,
            "outputs": EMBEDDINGS,
        },
        typical={"d": (4, 128), "q": (0.1, 1), "S_y": (1, 32), "S": (64, 512)},
        defaults={"output": "target", "inputs": "gaussian", "outputs": "gaussian"},
        meanings={
            "d": "dimension of the embeddings",
            "q": "weight q(z) of the input z that is recalled",
            "S_y": "sum of q(x)^2 over the inputs x with target y",
            "S": "sum of q(x)^2 over all inputs",
            "output": "'target' for y = f(z), 'other' for any other output",
            "inputs": "law of the input embeddings",
            "outputs": "law of the output embeddings",
        },
        quantity="Var_g",
        title="Variance of a score, exact at every d",
        source=Source("asymp", "Wick contraction"),
        conventions="g(z, y) = u_y . W e_z with W = sum over x of q(x) u_f(x) e_x^T; gaussian is N(0, I/d), "
        "sphere is uniform on the unit sphere; the variance is over all embeddings.",
        conditions=(
            Condition(lambda v: v["S_y"] <= v["S"], "S_y must be at most S: S is the sum of all S_y"),
            Condition(
                lambda v: (v["q"] ** 2 <= v["S_y"]) if v["output"] == "target" else (v["S_y"] + v["q"] ** 2 <= v["S"]),
                "q^2 must be at most S_y for the target (z is in its class), and S_y + q^2 at most S for another output",
            ),
        ),
        notes=(
            "Scores of different outputs at one z are uncorrelated but not independent: the common scales |e| and |u| "
            "cancel in the argmax, so independent Gaussians with these variances overestimate the error.",
        ),
    ),
    law(
        "score-variance:source",
        "n_y/d + n_other/d**2",
        relation="<~",
        domain=COUNTS,
        typical=COUNTS_TYPICAL,
        meanings=COUNTS_MEANINGS,
        quantity="Var_g",
        title="Variance of a score, as the source states it",
        source=Source("bietti2025", "slide on linear associative memories with random embeddings"),
        conventions=COUNTS_CONVENTIONS,
        notes=(
            "For outputs with at least one input the hidden constant is at most 8: the exact variance over this "
            "expression is largest at d = N = 1, where it is 8.",
        ),
        errata=(
            Erratum(
                regime="An output that no input maps to (n_y = 0), with fewer inputs than dimensions (N < d).",
                discrepancy="The input z itself contributes (u_y . u_f(z)) |e_z|^2, of variance 1/d: larger than the "
                "stated order N/d^2 by the factor d/N, which no constant covers.",
                corrected_by="score-variance:corrected",
            ),
        ),
    ),
    law(
        "score-variance:corrected",
        "(n_y + 1)/d + n_other/d**2",
        relation="<~",
        domain=COUNTS,
        typical=COUNTS_TYPICAL,
        meanings=COUNTS_MEANINGS,
        quantity="Var_g",
        title="Variance of a score, the source's bound with the term of z itself",
        source=Source("asymp", "from the exact variance"),
        conventions=COUNTS_CONVENTIONS,
        notes=("Holds with the constant 8 for every output, gaussian or sphere embeddings, d >= 1.",),
    ),
)
