"""score-mean: the score of the right output is the weight of the association, that of the others is zero, on average."""

from typing import TYPE_CHECKING

from asymp.theory.domain import choice, real
from asymp.theory.law import law
from asymp.theory.statement import Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

EMBEDDINGS = choice("gaussian", "sphere")
OUTPUT = choice("target", "other")
OUTPUT_MEANING = "'target' for y = f(z), 'other' for any other output"


def derived(*, output: str, inputs: str, outputs: str) -> "sympy.Expr":
    """The mean as the contraction gives it; nothing is typed in."""
    from asymp.theory.moments.scores import score_mean

    return score_mean(match=output == "target", inputs=inputs, outputs=outputs)


def indicator(*, output: str) -> "sympy.Expr":
    """1{y = f(z)}, as the talks write it."""
    import sympy

    return sympy.Integer(int(output == "target"))


LAWS = (
    law(
        "score-mean",
        derived,
        relation="=",
        domain={"q": real(), "output": OUTPUT, "inputs": EMBEDDINGS, "outputs": EMBEDDINGS},
        typical={"q": (0.1, 1)},
        defaults={"output": "target", "inputs": "gaussian", "outputs": "gaussian"},
        meanings={
            "q": "weight q(z) of the input z that is recalled",
            "output": OUTPUT_MEANING,
            "inputs": "law of the input embeddings",
            "outputs": "law of the output embeddings",
        },
        quantity="E_g",
        title="Mean of a score, exact at every d",
        source=Source("asymp", "contraction of the embeddings"),
        conventions="g(z, y) = u_y . W e_z with W = sum over x of q(x) u_f(x) e_x^T; gaussian is N(0, I/d), sphere is "
        "uniform on the unit sphere; the mean is over all embeddings.",
        notes=(
            "Neither d, the number of inputs nor the other weights enter: only E |e|^2 = E |u|^2 = 1 and independence "
            "are used. The embeddings decide how far a score is from its mean: see `score-variance`.",
        ),
    ),
    law(
        "score-mean:source",
        indicator,
        relation="=",
        domain={"output": OUTPUT},
        defaults={"output": "target"},
        meanings={"output": OUTPUT_MEANING},
        quantity="E_g",
        title="Mean of a score, as the source states it",
        source=Source("bietti2025", "slide on linear associative memories with random embeddings"),
        conventions="All weights q(x) = 1; gaussian embeddings N(0, I/d).",
        notes=("The same statement is in bietti2024, with v for u and u for e.",),
    ),
)
