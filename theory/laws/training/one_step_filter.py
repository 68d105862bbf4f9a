"""one-step-filter: one gradient step learns to ignore a noise that comes with every input."""

from functools import partial

from asymp.theory.law import law
from asymp.theory.laws.pieces import scores
from asymp.theory.laws.training import ETA, INPUTS, OUTPUT_SCORED, OUTPUTS, D
from asymp.theory.lazy import Expr, sympy
from asymp.theory.param import Param, integer
from asymp.theory.sources import Source

LABELS_Y = Param(integer(2), (20, 500), meaning="number of labels y, uniform", name="N")
OUTPUT = OUTPUT_SCORED.but(meaning="'target' for the score of k = y, 'other' for any other output")

declare = partial(
    law,
    conventions="One step of size eta on the population cross-entropy from W = 0; y uniform on 1..N, t uniform on "
    "1..T, x = e_y + p_t, "
    "score g = u_k.W x; moments are over all embeddings: gaussian N(0, I/d), or uniform on the unit sphere.",
)


def mean(*, output: str) -> Expr:
    """(eta/N)(1{y = k} - 1/N): the mean of p_t is in every class mean, so that it cancels from W."""
    eta, N = sympy.symbols("eta N", positive=True)
    return eta / N * ((1 if output == "target" else 0) - 1 / N)


def source_mean(*, output: str) -> Expr:
    """(eta/N) 1{y = k}."""
    eta, N = sympy.symbols("eta N", positive=True)
    return eta / N if output == "target" else sympy.Integer(0)


def noise(*, outputs: str) -> Expr:
    """Variance of u_k.W p_t = E|W^T u_k|^2/d: from the k-th column of weights (1 - 1/N of (eta/N)^2) and the others."""
    eta, N, d = sympy.symbols("eta N d", positive=True)
    fourth = 1 + 2 / d if outputs == "gaussian" else 1
    return eta**2 / N**2 * (1 - 1 / N) * (fourth + (N - 1) / d) / d


def variance(*, output: str, inputs: str, outputs: str) -> Expr:
    """The variance at e_y, as the contraction of the one-step weights gives it, and that of the noise."""
    N, M, p, S, S_y = sympy.symbols("N M p S S_y", positive=True)
    clean = scores.one_step_score_variance(match=output == "target", inputs=inputs, outputs=outputs)
    return clean.subs({M: N, p: 1 / N, S: 1 / N, S_y: 1 / N**2}) + noise(outputs=outputs)


LAWS = (
    declare(
        "one-step-filter",
        mean,
        relation="=",
        params=(ETA, LABELS_Y, OUTPUT),
        quantity="E_g",
        title="Mean score with noise in the input after one step, exact at every d",
        source=Source("asymp", "class means less the mean: the noise cancels"),
    ),
    declare(
        "one-step-filter:source",
        source_mean,
        relation="~",
        params=(ETA, LABELS_Y, OUTPUT),
        quantity="g",
        title="Score with noise in the input after one step, as the source states it",
        source=Source("bietti2025", "lemma 'gradients with noisy inputs', example"),
    ),
    declare(
        "one-step-filter:variance",
        variance,
        relation="=",
        params=(
            D.over(4, 128),
            ETA,
            LABELS_Y,
            OUTPUT,
            INPUTS.but(meaning="law of the input embeddings e_y"),
            OUTPUTS.but(meaning="law of the output embeddings u_k"),
        ),
        quantity="Var_g",
        title="Variance of a score with noise in the input after one step, exact at every d",
        source=Source("asymp", "contraction of the one-step weights"),
    ),
)
