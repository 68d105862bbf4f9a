"""three-gradient-steps: the induction head after one population-gradient step on each of its three matrices."""

from functools import partial

from asymp.theory.law import law
from asymp.theory.laws.transformers import N
from asymp.theory.lazy import Expr, sympy
from asymp.theory.param import Param, choice, integer
from asymp.theory.sources import Condition, Source

LENGTH = Param(integer(3), (5, 256), meaning="length of the sequence", name="T")
ENTRY = Param(
    choice("diagonal", "off"),
    default="diagonal",
    meaning="'diagonal' for the memory to be stored, 'off' for any other pair of tokens",
    name="entry",
)

CONVENTIONS = (
    "q and y uniform on N tokens, t_o uniform on 2..T-1, z_{t_o - 1} = q, z_{t_o} = y, z_T = q, the other tokens uniform "
    "except q; the loss is the cross-entropy of y at position T. Infinite width: e, W_OV^1 e, p and u are disjoint "
    "one-hot blocks; keys of layer 2 are the outputs of layer 1, values are the tokens, layer 1 scores positions only. "
    "All matrices start at 0; the entry is minus the population gradient (step size 1)."
)
SOURCE = Source("asymp", "exact population gradient")
SLIDE = Source("bietti2025", "theorem on three gradient steps (informal)")


def step_one(*, entry: str) -> Expr:
    """u_k . W_OV^2 e_j: the count of token j depends on y through z_{t_o} = y alone."""
    N, T = sympy.symbols("N T", positive=True)
    return ((1 if entry == "diagonal" else 0) - 1 / N) / (N * T)


def step_two(*, entry: str) -> Expr:
    """e_q . W_KQ^2 (W_OV^1 e_j), averaged over t_o and over the two cases y != q and y = q.

    Position s has weight (1{z_s = y} - n_y/T)/T and key (1/s) times the counts of tokens up to s. These weights sum to
    zero and the keys have total mass 1, so that the N entries of a row sum to zero: 'off' is -'diagonal'/(N - 1).
    """
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


def step_three() -> Expr:
    """p_t . W_KQ^1 p_{t-1} as N grows, per unit of the amplified W_KQ^2, to first order in it."""
    T, t = sympy.symbols("T t", positive=True)
    early = (1 - 1 / t) / (t * T * (T - 2))
    last_but_one = ((1 - 1 / t) / (T - 2) - 1 / (T * (T - 1) * (T - 2))) / (t * T)
    return sympy.Piecewise((early, t <= T - 2), (last_but_one, t < T), (2 / T**4, True))


declare = partial(law, relation="=", source=SOURCE)
LAWS = (
    declare(
        "three-gradient-steps",
        "1 - 1/(2*(T - 2)) - (T - 5)/(2*N*(T - 2))",
        params=(N.over(8, 4096), LENGTH.but(domain=integer(4, advice="at T = 3 the output is always at position 2"))),
        quantity="accuracy",
        title="Accuracy of the ideal end state of the three steps, exact",
        source=Source("asymp", "count of the ties of attention"),
        conventions=CONVENTIONS + " Ideal end state: position s attends to s - 1 (position 1 to itself), position T to "
        "the positions whose layer-1 output is q; attention and argmax share ties equally.",
    ),
    declare(
        "three-gradient-steps:source",
        "1",
        relation="~",
        params=(N.but(domain=integer(3)).over(64, 4096), LENGTH.over(8, 64)),
        quantity="R",
        title="Share of the memories recovered by three steps, as the source states it",
        source=SLIDE,
        conventions="Infinite width, infinite data, N >> T, uniform laws; steps on W_OV^2, W_KQ^2, W_KQ^1 in this order.",
    ),
    declare(
        "three-gradient-steps:step-one",
        step_one,
        params=(N.over(4, 1024), LENGTH.over(4, 256), ENTRY),
        quantity="w_OV",
        title="First step: entries of W_OV^2",
        conventions=CONVENTIONS,
    ),
    declare(
        "three-gradient-steps:step-two",
        step_two,
        params=(N.over(4, 1024), LENGTH, ENTRY),
        quantity="w_KQ2",
        title="Second step: entries of W_KQ^2, exact at every N",
        conventions=CONVENTIONS
        + " W_OV^2 = identity (the first step divided by its gap 1/(N T)); predictions are still "
        "uniform, that is, the amplification is taken to first order.",
        exponents={"T": "-2"},
    ),
    declare(
        "three-gradient-steps:step-three",
        step_three,
        relation="~",
        params=(
            LENGTH.but(domain=integer(5)).over(16, 256),
            Param(integer(2), (2, 16), meaning="position that asks (the row of W_KQ^1)", name="t"),
        ),
        quantity="w_KQ1",
        title="Third step: entry of W_KQ^1 from position t to the one before, as N grows",
        conventions=CONVENTIONS + " W_OV^2 and W_KQ^2 are identities, taken to first order; N infinite.",
        conditions=Condition(lambda v: v["t"] <= v["T"], "t must be at most T: it is a position of the sequence"),
        exponents={"t": "-1"},
    ),
)
