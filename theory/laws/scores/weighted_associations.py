"""weighted-associations: a memory with a weight for every pair of input and output returns that weight, on average."""

from asymp.theory.law import law
from asymp.theory.laws.pieces import scores
from asymp.theory.laws.scores import INPUTS, OUTPUTS, D
from asymp.theory.lazy import Expr, sympy
from asymp.theory.param import Param, choice, real
from asymp.theory.sources import Condition, Source

WEIGHTS = (
    D.over(8, 256),
    Param(real(), (0.1, 1), meaning="weight of the association (z, y) that is read", name="a_zy"),
    Param(real(0), (1, 8), meaning="sum of the squared weights of z with all outputs", name="R_z"),
    Param(real(0), (1, 32), meaning="sum of the squared weights of all inputs with y", name="C_y"),
    Param(real(0), (64, 512), meaning="sum of all squared weights", name="A"),
)
MOMENT = Param(
    choice("first", "second"),
    default="first",
    meaning="'first' for the mean of the score, 'second' for the mean of its square",
    name="moment",
)


CONDITIONS = (
    Condition(lambda v: v["a_zy"] ** 2 <= v["R_z"], "a_zy^2 must be at most R_z: it is one of its terms"),
    Condition(lambda v: v["a_zy"] ** 2 <= v["C_y"], "a_zy^2 must be at most C_y: it is one of its terms"),
    Condition(
        # a whole row and column may be all there is: leave room for the rounding of the sums
        lambda v: v["R_z"] + v["C_y"] - v["a_zy"] ** 2 <= v["A"] * (1 + 1e-12),
        "R_z + C_y - a_zy^2 must be at most A: A is the sum of all squared weights",
    ),
)
CONVENTIONS = (
    "g(z, y) = u_y . W e_z with W = sum over (x, w) of a_xw u_w e_x^T, any number of outputs for an input and of inputs "
    "for an output; gaussian is N(0, I/d), sphere is uniform on the unit sphere."
)


def moments(*, moment: str, inputs: str, outputs: str) -> Expr:
    """E g or E g^2 as the contraction gives it."""
    memory = scores.matrix_memory(named_inputs=["z"], named_outputs=["y"], inputs=inputs, outputs=outputs)
    return memory.moment(*[("z", "y")] * {"first": 1, "second": 2}[moment])


def variance(*, inputs: str, outputs: str) -> Expr:
    """Var g as the contraction gives it."""
    return scores.weighted_score_variance(inputs=inputs, outputs=outputs)


def stated(*, moment: str) -> Expr:
    """The moments of a score that is its weight, as the talks say."""
    return sympy.Symbol("a_zy", real=True) ** {"first": 1, "second": 2}[moment]


EXACT = law(
    "weighted-associations",
    moments,
    relation="=",
    params=(*WEIGHTS, MOMENT, INPUTS, OUTPUTS),
    quantity="E_g",
    title="Moments of a score of weighted associations, exact at every d",
    source=Source("asymp", "Wick contraction"),
    conventions=CONVENTIONS + " E_g is the mean of the score, or of its square.",
    conditions=CONDITIONS,
)
LAWS = (
    EXACT,
    EXACT.but(
        "weighted-associations:source",
        stated,
        relation="~",
        params=(*WEIGHTS, MOMENT),
        title="Moments of a score of weighted associations, as the source states it",
        source=Source("bietti2025", "slide on associative memories: u_y . W e_z is about a_zy"),
        conventions=CONVENTIONS
        + " The source says that the score is about a_zy for nearly orthonormal embeddings: its "
        "mean is then a_zy and its mean square a_zy^2.",
    ),
    EXACT.but(
        "weighted-associations:variance",
        variance,
        params=(*WEIGHTS, INPUTS, OUTPUTS),
        quantity="Var_g",
        title="Variance of a score of weighted associations, exact at every d",
        conventions=CONVENTIONS,
    ),
)
