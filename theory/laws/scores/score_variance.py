"""score-variance: how much the score of an output fluctuates with the random embeddings."""

from asymp.theory.law import law
from asymp.theory.laws.pieces import scores
from asymp.theory.laws.scores import INPUTS, OUTPUT, OUTPUTS, SCORE, D, Q
from asymp.theory.lazy import Expr
from asymp.theory.param import Param, integer, real
from asymp.theory.sources import Condition, Source


def derived(*, output: str, inputs: str, outputs: str) -> Expr:
    """The variance as the Wick contraction gives it; nothing is typed in."""
    return scores.score_variance(match=output == "target", inputs=inputs, outputs=outputs)


STATED = law(
    "score-variance:source",
    "n_y/d + n_other/d**2",
    relation="<~",
    params=(
        D.over(4, 128),
        Param(integer(0), (1, 32), meaning="number of inputs with target y", name="n_y"),
        Param(integer(0), (1, 512), meaning="number of inputs with another target", name="n_other"),
    ),
    quantity="Var_g",
    title="Variance of a score, as the source states it",
    source=Source("bietti2025", "slide on linear associative memories with random embeddings"),
    conventions="All weights q(x) = 1; gaussian embeddings N(0, I/d); 'up to a constant'.",
)

LAWS = (
    law(
        "score-variance",
        derived,
        relation="=",
        params=(
            D.over(4, 128),
            Q.but(domain=real(0)),
            Param(real(0), (1, 32), meaning="sum of q(x)^2 over the inputs x with target y", name="S_y"),
            Param(real(0), (64, 512), meaning="sum of q(x)^2 over all inputs", name="S"),
            OUTPUT,
            INPUTS,
            OUTPUTS,
        ),
        quantity="Var_g",
        title="Variance of a score, exact at every d",
        source=Source("asymp", "Wick contraction"),
        conventions=SCORE + "the variance is over all embeddings.",
        conditions=(
            Condition(lambda v: v["S_y"] <= v["S"], "S_y must be at most S: S is the sum of all S_y"),
            Condition(
                lambda v: (v["q"] ** 2 <= v["S_y"]) if v["output"] == "target" else (v["S_y"] + v["q"] ** 2 <= v["S"]),
                "q^2 must be at most S_y for the target (z is in its class), and S_y + q^2 at most S for another output",
            ),
        ),
    ),
    STATED,
    STATED.but(
        "score-variance:corrected",
        "(n_y + 1)/d + n_other/d**2",
        title="Variance of a score, the source's bound with the term of z itself",
        source=Source("asymp", "from the exact variance"),
    ),
)
