"""one-step-memory: one gradient step on uniform inputs stores the associations."""

from functools import partial

from asymp.theory.law import law
from asymp.theory.laws.pieces import scores
from asymp.theory.laws.training import ETA, INPUTS, OUTPUT_SCORED, OUTPUTS, D, M
from asymp.theory.lazy import Expr, sympy
from asymp.theory.param import Param, integer
from asymp.theory.sources import Condition, Source

UNIFORM_INPUTS = Param(integer(2), (20, 500), meaning="number of inputs, uniform", name="N")
OUTPUT = OUTPUT_SCORED.but(meaning="'target' for the score of f(z), 'other' for any other output")

CONVENTIONS = (
    "One step of size eta on the population cross-entropy from W = 0; inputs z uniform on 1..N, targets f(z) among M "
    "outputs, g(z, k) = u_k.W e_z; moments are over all embeddings: gaussian N(0, I/d), or uniform on the unit sphere."
)


def mean(*, output: str) -> Expr:
    """The mean as the contraction gives it, with p = 1/N."""
    N, p = sympy.symbols("N p", positive=True)
    return scores.one_step_score_mean(match=output == "target").subs(p, 1 / N)


def source_mean(*, output: str) -> Expr:
    """The source's score, with 1/N in the place of 1/M."""
    eta, N = sympy.symbols("eta N", positive=True)
    return eta / N * ((1 if output == "target" else 0) - 1 / N)


def variance(*, output: str, inputs: str, outputs: str) -> Expr:
    """The variance as the contraction gives it, with p = 1/N, S = 1/N, S_y = n_y/N^2."""
    N, p, S, S_y, n_y = sympy.symbols("N p S S_y n_y", positive=True)
    derived = scores.one_step_score_variance(match=output == "target", inputs=inputs, outputs=outputs)
    return derived.subs({p: 1 / N, S: 1 / N, S_y: n_y / N**2})


declare = partial(
    law, relation="=", source=Source("asymp", "contraction of the one-step weights"), conventions=CONVENTIONS
)
LAWS = (
    declare(
        "one-step-memory",
        mean,
        params=(ETA, UNIFORM_INPUTS, M.over(2, 20), OUTPUT),
        quantity="E_g",
        title="Mean score after one step, exact at every d",
    ),
    declare(
        "one-step-memory:source",
        source_mean,
        relation="~",
        params=(ETA, UNIFORM_INPUTS, OUTPUT),
        quantity="g",
        title="Score after one step, as the source states it",
        source=Source("bietti2025", "lemma 'gradients as memories', example with uniform inputs"),
    ),
    declare(
        "one-step-memory:variance",
        variance,
        params=(
            D.over(4, 128),
            ETA,
            UNIFORM_INPUTS,
            M.over(2, 20),
            Param(integer(0), (1, 20), meaning="number of inputs whose target is the output scored", name="n_y"),
            OUTPUT,
            INPUTS,
            OUTPUTS,
        ),
        quantity="Var_g",
        title="Variance of a score after one step, exact at every d",
        conditions=Condition(
            lambda v: (v["n_y"] >= 1) & (v["n_y"] <= v["N"]) if v["output"] == "target" else v["n_y"] < v["N"],
            "n_y must be from 1 to N for the target (z is one of its inputs), and from 0 to N - 1 for another output",
        ),
    ),
    declare(
        "one-step-memory:injective",
        "sqrt(8*N*log(N))",
        relation=">~",
        params=(UNIFORM_INPUTS.over(100, 1e5),),
        quantity="d",
        title="Dimension from which one step gets every input right, injective targets",
        source=Source("arxiv2605.05189", "capacity of the Hebbian memory"),
        conventions=f"{CONVENTIONS} Injective f, M = N.",
    ),
)
