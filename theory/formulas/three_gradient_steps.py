"""three-gradient-steps: the induction head after one population-gradient step on each of its three matrices."""

from typing import TYPE_CHECKING, Any

from asymp.theory.domain import choice, integer
from asymp.theory.law import law
from asymp.theory.statement import Condition, Erratum, Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

MEANINGS = {
    "N": "number of tokens",
    "T": "length of the sequence",
    "t": "position that asks (the row of W_KQ^1)",
    "entry": "'diagonal' for the memory to be stored, 'off' for any other pair of tokens",
}
CONVENTIONS = (
    "q and y uniform on N tokens, t_o uniform on 2..T-1, z_{t_o - 1} = q, z_{t_o} = y, z_T = q, the other tokens uniform "
    "except q; the loss is the cross-entropy of y at position T. Infinite width: e, W_OV^1 e, p and u are disjoint "
    "one-hot blocks; keys of layer 2 are the outputs of layer 1, values are the tokens, layer 1 scores positions only. "
    "All matrices start at 0; the entry is minus the population gradient (step size 1)."
)
ENTRY = choice("diagonal", "off")
SOURCE = Source("asymp", "exact population gradient")
SLIDE = Source("bietti2025", "theorem on three gradient steps (informal)")


def step_one(*, entry: str) -> "sympy.Expr":
    """u_k . W_OV^2 e_j: the count of token j depends on y through z_{t_o} = y alone."""
    import sympy

    N, T = sympy.symbols("N T", positive=True)
    return ((1 if entry == "diagonal" else 0) - 1 / N) / (N * T)


def step_two(*, entry: str) -> "sympy.Expr":
    """e_q . W_KQ^2 (W_OV^1 e_j), averaged over t_o and over the two cases y != q and y = q.

    Position s has weight (1{z_s = y} - n_y/T)/T and key (1/s) times the counts of tokens up to s. These weights sum to
    zero and the keys have total mass 1, so that the N entries of a row sum to zero: 'off' is -'diagonal'/(N - 1).
    """
    import sympy

    N, T = sympy.symbols("N T", positive=True)
    H = sympy.harmonic(T - 1)
    first = (H - 1) / (T - 2)  # mean of 1/t_o
    before = (H - 1 / (T - 1)) / (T - 2)  # mean of 1/(t_o - 1)
    later = (T - 2 * H) / (T - 2)  # mean of the sum of 1/s over t_o < s < T
    total = 1 + 1 / (T - 1) + 1 / T  # mean of the sum of 1/s over t_o - 1 <= s <= T
    differ = first + later / (N - 1) - (1 + (T - 3) / (N - 1)) * (total + 1 / T) / T
    same = before + 2 * first + 3 / T - 3 * (2 * total - before + 1 / T) / T
    diagonal = ((1 - 1 / N) * differ + same / N) / (N * T)
    return diagonal if entry == "diagonal" else -diagonal / (N - 1)


def step_two_limit() -> "sympy.Expr":
    """The diagonal of step two as N grows: no other token equals y or q."""
    import sympy

    N, T = sympy.symbols("N T", positive=True)
    return ((sympy.harmonic(T - 1) - 1) / (T - 2) - (1 + 1 / (T - 1) + 2 / T) / T) / (N * T)


def step_three() -> "sympy.Expr":
    """p_t . W_KQ^1 p_{t-1} as N grows, per unit of the amplified W_KQ^2, to first order in it."""
    import sympy

    T, t = sympy.symbols("T t", positive=True)
    early = (1 - 1 / t) / (t * T * (T - 2))
    last_but_one = ((1 - 1 / t) / (T - 2) - 1 / (T * (T - 1) * (T - 2))) / (t * T)
    return sympy.Piecewise((early, t <= T - 2), (last_but_one, t < T), (2 / T**4, True))


def _numeric(expression: "sympy.Expr", values: dict[str, Any]) -> Any:
    import numpy as np
    import sympy
    from scipy.special import digamma

    # NumPy has no harmonic numbers: H_n = digamma(n + 1) + Euler's constant.
    table = {"harmonic": lambda n: digamma(n + 1) + np.euler_gamma}
    function = sympy.lambdify(sympy.symbols("N T", positive=True), expression, modules=[table, "numpy"])
    return function(values["N"], values["T"])


def step_two_numeric(*, entry: str, **values: Any) -> Any:
    """Step two in float64, vectorised."""
    return _numeric(step_two(entry=entry), values)


def step_two_limit_numeric(**values: Any) -> Any:
    """The limit of step two in float64, vectorised."""
    return _numeric(step_two_limit(), values)


LAWS = (
    law(
        "three-gradient-steps",
        "1 - 1/(2*(T - 2)) - (T - 5)/(2*N*(T - 2))",
        relation="=",
        domain={"N": integer(2), "T": integer(4, advice="at T = 3 the output is always at position 2")},
        typical={"N": (8, 4096), "T": (5, 256)},
        meanings=MEANINGS,
        quantity="accuracy",
        title="Accuracy of the ideal end state of the three steps, exact",
        source=Source("asymp", "count of the ties of attention"),
        conventions=CONVENTIONS + " Ideal end state: position s attends to s - 1 (position 1 to itself), position T to "
        "the positions whose layer-1 output is q; attention and argmax share ties equally.",
        notes=(
            "At t_o = 2 position 1 attends to itself and so looks like the token after q: q and y tie. "
            "The rest, of order 1/N, comes from y = q, where the position after t_o is found as well.",
            "As N grows: 1 - 1/(2 (T - 2)).",
        ),
    ),
    law(
        "three-gradient-steps:source",
        "1",
        relation="~",
        domain={"N": integer(3), "T": integer(3)},
        typical={"N": (64, 4096), "T": (8, 64)},
        meanings=MEANINGS,
        quantity="R",
        title="Share of the memories recovered by three steps, as the source states it",
        source=SLIDE,
        conventions="Infinite width, infinite data, N >> T, uniform laws; steps on W_OV^2, W_KQ^2, W_KQ^1 in this order.",
        notes=("Recovered memories do not mean accuracy 1: `three-gradient-steps` has the accuracy of the end state.",),
        errata=(
            Erratum(
                regime="T = 3 and T = 4, for N >> T.",
                discrepancy="The diagonal of the second step is negative: W_KQ^2 learns to avoid what it should find. "
                "It is positive from T = 5 on, where the harmonic number has outgrown 1.",
                corrected_by="three-gradient-steps:step-two",
            ),
        ),
    ),
    law(
        "three-gradient-steps:step-one",
        step_one,
        relation="=",
        domain={"N": integer(2), "T": integer(3), "entry": ENTRY},
        typical={"N": (4, 1024), "T": (4, 256)},
        defaults={"entry": "diagonal"},
        meanings=MEANINGS,
        quantity="w_OV",
        title="First step: entries of W_OV^2",
        source=SOURCE,
        conventions=CONVENTIONS,
    ),
    law(
        "three-gradient-steps:step-two",
        step_two,
        relation="=",
        domain={"N": integer(2), "T": integer(3), "entry": ENTRY},
        typical={"N": (4, 1024), "T": (5, 256)},
        defaults={"entry": "diagonal"},
        meanings=MEANINGS,
        quantity="w_KQ2",
        title="Second step: entries of W_KQ^2, exact at every N",
        source=SOURCE,
        conventions=CONVENTIONS
        + " W_OV^2 = identity (the first step divided by its gap 1/(N T)); predictions are still "
        "uniform, that is, the amplification is taken to first order.",
        notes=("Negative at T = 3 and 4 once N is large, positive from T = 5.",),
        exponents={"T": "-2", "N": "-1"},
        numeric=step_two_numeric,
    ),
    law(
        "three-gradient-steps:step-two-limit",
        step_two_limit,
        relation="~",
        domain={"N": integer(2), "T": integer(3)},
        typical={"N": (64, 4096), "T": (5, 256)},
        meanings=MEANINGS,
        quantity="w_KQ2",
        title="Second step: diagonal of W_KQ^2 as N grows",
        source=SOURCE,
        conventions=CONVENTIONS,
        exponents={"T": "-2", "N": "-1"},
        numeric=step_two_limit_numeric,
        notes=("At N = 12 it is within 3 % for T from 6 to 64, but off by 7 % at T = 5 and 17 % at T = 4.",),
    ),
    law(
        "three-gradient-steps:step-three",
        step_three,
        relation="=",
        domain={"T": integer(5), "t": integer(2)},
        typical={"T": (16, 256), "t": (2, 16)},
        meanings=MEANINGS,
        quantity="w_KQ1",
        title="Third step: entry of W_KQ^1 from position t to the one before, as N grows",
        source=SOURCE,
        conventions=CONVENTIONS + " W_OV^2 and W_KQ^2 are identities, taken to first order; N infinite.",
        conditions=(Condition(lambda v: v["t"] <= v["T"], "t must be at most T: it is a position of the sequence"),),
        exponents={"T": "-2", "t": "-1"},
        notes=("It is the largest entry of its row for every t from 2 to T: the previous position wins everywhere.",),
    ),
    law(
        "three-gradient-steps:simplified",
        "0",
        relation=">=",
        domain={"N": integer(2), "T": integer(4)},
        typical={"N": (8, 64), "T": (6, 16)},
        meanings=MEANINGS,
        quantity="A_simplified - A_free",
        typeset="A_{simplified} - A_{free}",
        title="Accuracy after the three steps with the simplifications, less that without",
        source=SLIDE,
        conventions=CONVENTIONS + " The steps are taken, on samples, and amplified at the end until attention is hard.",
        notes=(
            "An order: the theorem's simplifications matter. Without them queries, keys and values of layer 2 are the whole "
            "residual stream, and layer 1 scores and carries tokens and positions.",
        ),
    ),
    law(
        "three-gradient-steps:width",
        "0",
        relation=">=",
        domain={"N": integer(2), "T": integer(4)},
        typical={"N": (8, 64), "T": (6, 16)},
        meanings=MEANINGS,
        quantity="A_wide - A_narrow",
        typeset="A_{wide} - A_{narrow}",
        title="Accuracy after the three steps in many dimensions, less that in few",
        source=SLIDE,
        conventions=CONVENTIONS
        + " Random embeddings N(0, I/d) in the place of one-hot blocks; the steps are taken, on samples.",
        notes=("An order: finite width is enough, and too little of it is not.",),
    ),
)
