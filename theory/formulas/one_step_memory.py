"""one-step-memory: one gradient step on uniform inputs stores the associations."""

from typing import TYPE_CHECKING

from asymp.theory.domain import choice, integer, real
from asymp.theory.law import law
from asymp.theory.statement import Condition, Erratum, Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

EMBEDDINGS, OUTPUT = choice("gaussian", "sphere"), choice("target", "other")
STEP, INPUTS, OUTPUTS = real(above=0), integer(2), integer(2)
TYPICAL = {"eta": (0.1, 100.0), "N": (20.0, 500.0), "M": (2.0, 20.0)}
MEANINGS = {
    "eta": "step size",
    "N": "number of inputs, uniform",
    "M": "number of outputs",
    "d": "dimension of the embeddings",
    "n_y": "number of inputs whose target is the output scored",
    "n_f": "number of inputs with the target of z, z included",
    "output": "'target' for the score of f(z), 'other' for any other output",
    "inputs": "law of the input embeddings",
    "outputs": "law of the output embeddings",
}
CONVENTIONS = (
    "One step of size eta on the population cross-entropy from W = 0; inputs z uniform on 1..N, targets f(z) among M "
    "outputs, "
    "g(z, k) = u_k.W e_z; moments are over all embeddings: gaussian N(0, I/d), or uniform on the unit sphere."
)
WORDS = {"inputs": "gaussian", "outputs": "gaussian"}


def mean(*, output: str) -> "sympy.Expr":
    """The mean as the contraction gives it, with p = 1/N."""
    import sympy

    from asymp.theory.moments.one_step import one_step_score_mean

    N, p = sympy.symbols("N p", positive=True)
    return one_step_score_mean(match=output == "target").subs(p, 1 / N)


def source_mean(*, output: str) -> "sympy.Expr":
    """The source's score, with 1/N in the place of 1/M."""
    import sympy

    eta, N = sympy.symbols("eta N", positive=True)
    return eta / N * ((1 if output == "target" else 0) - 1 / N)


def variance(*, output: str, inputs: str, outputs: str) -> "sympy.Expr":
    """The variance as the contraction gives it, with p = 1/N, S = 1/N, S_y = n_y/N^2."""
    import sympy

    from asymp.theory.moments.one_step import one_step_score_variance

    N, p, S, S_y, n_y = sympy.symbols("N p S S_y n_y", positive=True)
    derived = one_step_score_variance(match=output == "target", inputs=inputs, outputs=outputs)
    return derived.subs({p: 1 / N, S: 1 / N, S_y: n_y / N**2})


def margin_variance(*, inputs: str, outputs: str) -> "sympy.Expr":
    """Var[g(z, f(z)) - g(z, y)] = Var + Var - 2 Cov, each as the contraction gives it."""
    import sympy

    from asymp.theory.moments.one_step import one_step_score_covariance, one_step_score_variance

    N, p, S, S_y, S_other, n_f, n_y = sympy.symbols("N p S S_y S_y' n_f n_y", positive=True)
    laws = {"inputs": inputs, "outputs": outputs}
    target = one_step_score_variance(match=True, **laws).subs(S_y, n_f / N**2)
    other = one_step_score_variance(match=False, **laws).subs(S_y, n_y / N**2)
    both = one_step_score_covariance(match=True, **laws).subs({S_y: n_f / N**2, S_other: n_y / N**2})
    return (target + other - 2 * both).subs({p: 1 / N, S: 1 / N})


LAWS = (
    law(
        "one-step-memory",
        mean,
        relation="=",
        domain={"eta": STEP, "N": INPUTS, "M": OUTPUTS, "output": OUTPUT},
        typical=TYPICAL,
        defaults={"output": "target"},
        meanings=MEANINGS,
        quantity="E_g",
        title="Mean score after one step, exact at every d",
        source=Source("asymp", "contraction of the one-step weights"),
        conventions=CONVENTIONS,
        notes=("For orthonormal embeddings the score itself; its scatter is `one-step-memory:variance`.",),
    ),
    law(
        "one-step-memory:source",
        source_mean,
        relation="~",
        domain={"eta": STEP, "N": INPUTS, "output": OUTPUT},
        typical={"eta": (0.1, 100.0), "N": (20.0, 500.0)},
        defaults={"output": "target"},
        meanings=MEANINGS,
        quantity="g",
        title="Score after one step, as the source states it",
        source=Source("bietti2025", "lemma 'gradients as memories', example with uniform inputs"),
        conventions=CONVENTIONS,
        notes=(
            "The second source writes eta/N 1{f(z) = k} + O(eta/N^2): for N outputs the offset is -eta/N^2 exactly.",
            "'Near-perfect accuracy' needs a large enough d: `one-step-memory:accuracy`.",
        ),
        errata=(
            Erratum(
                regime="Fewer outputs than inputs, M < N (the source takes targets in 1..N).",
                discrepancy="The uniform softmax is 1/M, so the scores are (eta/N)(1{f(z) = k} - 1/M): the offset is "
                "too small by the "
                "factor N/M, and is of order eta/(N M), not O(eta/N^2).",
                corrected_by="one-step-memory",
            ),
            Erratum(
                regime="Random embeddings with d < N^2.",
                discrepancy="A score scatters by about (eta/N) sqrt((1 + N/M)/d + N/d^2) about its mean, which is "
                "more than eta/N^2 "
                "unless d > N^2: the stated remainder is that of the mean only.",
                corrected_by="one-step-memory:variance",
            ),
        ),
    ),
    law(
        "one-step-memory:variance",
        variance,
        relation="=",
        domain={
            "d": integer(1),
            "eta": STEP,
            "N": INPUTS,
            "M": OUTPUTS,
            "n_y": integer(0),
            "output": OUTPUT,
            "inputs": EMBEDDINGS,
            "outputs": EMBEDDINGS,
        },
        typical={**TYPICAL, "d": (4.0, 128.0), "n_y": (1.0, 20.0)},
        defaults={"output": "target", **WORDS},
        meanings=MEANINGS,
        quantity="Var_g",
        title="Variance of a score after one step, exact at every d",
        source=Source("asymp", "contraction of the one-step weights"),
        conventions=CONVENTIONS,
        conditions=(
            Condition(
                lambda v: (v["n_y"] >= 1) & (v["n_y"] <= v["N"]) if v["output"] == "target" else v["n_y"] < v["N"],
                "n_y must be from 1 to N for the target (z is one of its inputs), and from 0 to N - 1 for another "
                "output",
            ),
        ),
    ),
    law(
        "one-step-memory:margin-variance",
        margin_variance,
        relation="=",
        domain={
            "d": integer(1),
            "eta": STEP,
            "N": INPUTS,
            "M": OUTPUTS,
            "n_f": integer(1),
            "n_y": integer(0),
            "inputs": EMBEDDINGS,
            "outputs": EMBEDDINGS,
        },
        typical={**TYPICAL, "d": (4.0, 128.0), "n_f": (1.0, 10.0), "n_y": (1.0, 10.0)},
        defaults=WORDS,
        meanings={**MEANINGS, "n_y": "number of inputs with the target y"},
        quantity="Var_m",
        title="Variance of the margin g(z, f(z)) - g(z, y) after one step, exact at every d",
        source=Source("asymp", "contraction of the one-step weights"),
        conventions=CONVENTIONS,
        conditions=(
            Condition(lambda v: v["n_f"] + v["n_y"] <= v["N"], "n_f + n_y must be at most N: the classes are disjoint"),
        ),
        notes=(
            "The mean of the margin is eta/N; for balanced classes the variance is about 2 (eta/N)^2 (N/(M d) + "
            "N/d^2).",
        ),
    ),
    law(
        "one-step-memory:accuracy",
        "2*N*log(N*M)/M + sqrt((2*N*log(N*M)/M)**2 + 4*N*log(N*M))",
        relation=">~",
        domain={"N": INPUTS, "M": OUTPUTS},
        typical={"N": (100.0, 1e5), "M": (2.0, 1e5)},
        meanings=MEANINGS,
        quantity="d",
        title="Dimension from which one step gets every input right, balanced classes",
        source=Source("asymp", "union bound over the N M margins: d^2/(1 + d/M) = 4 N log(N M)"),
        conventions=f"{CONVENTIONS} Classes of N/M inputs each; leading order in d and N.",
        conditions=(Condition(lambda v: v["M"] <= v["N"], "M must be at most N: balanced classes are not empty"),),
        exponents={"N": "1"},
        notes=(
            "Injective targets, M = N: sqrt(8 N log N) to leading order. M = O(1): 4 (N/M) log(N M), linear in N: a "
            "condition "
            "d^2 > 8 N log N alone is far from enough then.",
            "On the sphere it is close at d ~ 100; with gaussian norms it is reached far later.",
        ),
    ),
    law(
        "one-step-memory:injective",
        "sqrt(8*N*log(N))",
        relation=">~",
        domain={"N": INPUTS},
        typical={"N": (100.0, 1e5)},
        meanings=MEANINGS,
        quantity="d",
        title="Dimension from which one step gets every input right, injective targets",
        source=Source("arxiv2605.05189", "capacity of the Hebbian memory"),
        conventions=f"{CONVENTIONS} Injective f, M = N.",
    ),
)
