"""score-mean: the score of the right output is the weight of the association, that of the others is zero, on average."""

from asymp.theory.law import law
from asymp.theory.laws.pieces import scores
from asymp.theory.laws.scores import INPUTS, OUTPUT, OUTPUTS, SCORE, Q
from asymp.theory.lazy import Expr, sympy
from asymp.theory.sources import Source


def derived(*, output: str, inputs: str, outputs: str) -> Expr:
    """The mean as the contraction gives it; nothing is typed in."""
    return scores.score_mean(match=output == "target", inputs=inputs, outputs=outputs)


def indicator(*, output: str) -> Expr:
    """1{y = f(z)}, as the talks write it."""
    return sympy.Integer(int(output == "target"))


LAWS = (
    law(
        "score-mean",
        derived,
        relation="=",
        params=(Q, OUTPUT, INPUTS, OUTPUTS),
        quantity="E_g",
        title="Mean of a score, exact at every d",
        source=Source("asymp", "contraction of the embeddings"),
        conventions=SCORE + "the mean is over all embeddings.",
    ),
    law(
        "score-mean:source",
        indicator,
        relation="=",
        params=(OUTPUT,),
        quantity="E_g",
        title="Mean of a score, as the source states it",
        source=Source("bietti2025", "slide on linear associative memories with random embeddings"),
        conventions="All weights q(x) = 1; gaussian embeddings N(0, I/d).",
    ),
)
