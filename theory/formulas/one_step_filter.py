"""one-step-filter: one gradient step learns to ignore a noise that comes with every input."""

from typing import TYPE_CHECKING, Any

from asymp.theory.domain import choice, integer, real
from asymp.theory.law import law
from asymp.theory.statement import Erratum, Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

EMBEDDINGS, OUTPUT = choice("gaussian", "sphere"), choice("target", "other")
STEP, INPUTS = real(above=0), integer(2)
SHARED: dict[str, Any] = {
    "meanings": {
        "eta": "step size",
        "N": "number of labels y, uniform",
        "d": "dimension of the embeddings",
        "output": "'target' for the score of k = y, 'other' for any other output",
        "inputs": "law of the input embeddings e_y",
        "outputs": "law of the output embeddings u_k",
    },
    "conventions": "One step of size eta on the population cross-entropy from W = 0; y uniform on 1..N, t uniform on "
    "1..T, x = e_y + p_t, "
    "score g = u_k.W x; moments are over all embeddings: gaussian N(0, I/d), or uniform on the unit sphere.",
}


def mean(*, output: str) -> "sympy.Expr":
    """(eta/N)(1{y = k} - 1/N): the mean of p_t is in every class mean, so that it cancels from W."""
    import sympy

    eta, N = sympy.symbols("eta N", positive=True)
    return eta / N * ((1 if output == "target" else 0) - 1 / N)


def source_mean(*, output: str) -> "sympy.Expr":
    """(eta/N) 1{y = k}."""
    import sympy

    eta, N = sympy.symbols("eta N", positive=True)
    return eta / N if output == "target" else sympy.Integer(0)


def noise(*, outputs: str) -> "sympy.Expr":
    """Variance of u_k.W p_t = E|W^T u_k|^2/d: from the k-th column of weights (1 - 1/N of (eta/N)^2) and the others."""
    import sympy

    eta, N, d = sympy.symbols("eta N d", positive=True)
    fourth = 1 + 2 / d if outputs == "gaussian" else 1
    return eta**2 / N**2 * (1 - 1 / N) * (fourth + (N - 1) / d) / d


def variance(*, output: str, inputs: str, outputs: str) -> "sympy.Expr":
    """The variance at e_y, as the contraction of the one-step weights gives it, and that of the noise."""
    import sympy

    from asymp.theory.moments.one_step import one_step_score_variance

    N, M, p, S, S_y = sympy.symbols("N M p S S_y", positive=True)
    clean = one_step_score_variance(match=output == "target", inputs=inputs, outputs=outputs)
    return clean.subs({M: N, p: 1 / N, S: 1 / N, S_y: 1 / N**2}) + noise(outputs=outputs)


LAWS = (
    law(
        "one-step-filter",
        mean,
        relation="=",
        domain={"eta": STEP, "N": INPUTS, "output": OUTPUT},
        typical={"eta": (0.1, 100.0), "N": (20.0, 500.0)},
        defaults={"output": "target"},
        quantity="E_g",
        title="Mean score with noise in the input after one step, exact at every d",
        source=Source("asymp", "class means less the mean: the noise cancels"),
        notes=(
            "For orthonormal embeddings the score itself. W is the same for every T and whatever the p_t are: their "
            "mean is in all "
            "class means. The noise of the input that is recalled adds to the scatter only.",
        ),
        **SHARED,
    ),
    law(
        "one-step-filter:source",
        source_mean,
        relation="~",
        domain={"eta": STEP, "N": INPUTS, "output": OUTPUT},
        typical={"eta": (0.1, 100.0), "N": (20.0, 500.0)},
        defaults={"output": "target"},
        quantity="g",
        title="Score with noise in the input after one step, as the source states it",
        source=Source("bietti2025", "lemma 'gradients with noisy inputs', example"),
        notes=("Up to O(eta/N^2) in the second source; exactly -eta/N^2 in the mean.",),
        errata=(
            Erratum(
                regime="Step sizes that are not of order one.",
                discrepancy="The slide writes the remainder O(1/N^2); it is eta/N^2, as the second source has it.",
                corrected_by="one-step-filter",
            ),
            Erratum(
                regime="Random embeddings with d < N^2.",
                discrepancy="A score scatters by about (eta/N) sqrt(3/d + 2 N/d^2) about its mean, more than the "
                "stated remainder "
                "unless d > N^2: the remainder is that of the mean only.",
                corrected_by="one-step-filter:variance",
            ),
        ),
        **SHARED,
    ),
    law(
        "one-step-filter:variance",
        variance,
        relation="=",
        domain={
            "d": integer(1),
            "eta": STEP,
            "N": INPUTS,
            "output": OUTPUT,
            "inputs": EMBEDDINGS,
            "outputs": EMBEDDINGS,
        },
        typical={"d": (4.0, 128.0), "eta": (0.1, 100.0), "N": (20.0, 500.0)},
        defaults={"output": "target", "inputs": "gaussian", "outputs": "gaussian"},
        quantity="Var_g",
        title="Variance of a score with noise in the input after one step, exact at every d",
        source=Source("asymp", "contraction of the one-step weights"),
        notes=("The noise p_t enters by E|p_t|^2 = 1 only.",),
        **SHARED,
    ),
)
