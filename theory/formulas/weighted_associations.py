"""weighted-associations: a memory with a weight for every pair of input and output returns that weight, on average."""

from typing import TYPE_CHECKING, Any

from asymp.theory.domain import choice, integer, real
from asymp.theory.law import law
from asymp.theory.statement import Condition, Erratum, Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

EMBEDDINGS = choice("gaussian", "sphere")
MOMENT = choice("first", "second")

SUMS: dict[str, Any] = {"d": integer(1), "a_zy": real(), "R_z": real(0), "C_y": real(0), "A": real(0)}
SUMS_TYPICAL = {"d": (8, 256), "a_zy": (0.1, 1), "R_z": (1, 8), "C_y": (1, 32), "A": (64, 512)}
MEANINGS = {
    "d": "dimension of the embeddings",
    "a_zy": "weight of the association (z, y) that is read",
    "R_z": "sum of the squared weights of z with all outputs",
    "C_y": "sum of the squared weights of all inputs with y",
    "A": "sum of all squared weights",
    "moment": "'first' for the mean of the score, 'second' for the mean of its square",
    "inputs": "law of the input embeddings",
    "outputs": "law of the output embeddings",
}
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
NEEDED = "A/d^2 + (R_z + C_y)/d"


def moments(*, moment: str, inputs: str, outputs: str) -> "sympy.Expr":
    """E g or E g^2 as the contraction gives it."""
    from asymp.theory.moments.scores import matrix_memory

    memory = matrix_memory(named_inputs=["z"], named_outputs=["y"], inputs=inputs, outputs=outputs)
    return memory.moment(*[("z", "y")] * {"first": 1, "second": 2}[moment])


def variance(*, inputs: str, outputs: str) -> "sympy.Expr":
    """Var g as the contraction gives it."""
    from asymp.theory.moments.scores import weighted_score_variance

    return weighted_score_variance(inputs=inputs, outputs=outputs)


def stated(*, moment: str) -> "sympy.Expr":
    """The moments of a score that is its weight, as the talks say."""
    import sympy

    return sympy.Symbol("a_zy", real=True) ** {"first": 1, "second": 2}[moment]


LAWS = (
    law(
        "weighted-associations",
        moments,
        relation="=",
        domain={**SUMS, "moment": MOMENT, "inputs": EMBEDDINGS, "outputs": EMBEDDINGS},
        typical=SUMS_TYPICAL,
        defaults={"moment": "first", "inputs": "gaussian", "outputs": "gaussian"},
        meanings=MEANINGS,
        quantity="E_g",
        title="Moments of a score of weighted associations, exact at every d",
        source=Source("asymp", "Wick contraction"),
        conventions=CONVENTIONS + " E_g is the mean of the score, or of its square.",
        conditions=CONDITIONS,
        notes=(f"The score is close to its weight as long as {NEEDED} is small beside a_zy^2.",),
    ),
    law(
        "weighted-associations:source",
        stated,
        relation="~",
        domain={**SUMS, "moment": MOMENT},
        typical=SUMS_TYPICAL,
        defaults={"moment": "first"},
        meanings={name: MEANINGS[name] for name in (*SUMS, "moment")},
        quantity="E_g",
        title="Moments of a score of weighted associations, as the source states it",
        source=Source("bietti2025", "slide on associative memories: u_y . W e_z is about a_zy"),
        conventions=CONVENTIONS
        + " The source says that the score is about a_zy for nearly orthonormal embeddings: its "
        "mean is then a_zy and its mean square a_zy^2.",
        conditions=CONDITIONS,
        errata=(
            Erratum(
                regime=f"Random embeddings with so many associations that {NEEDED} is not small beside a_zy^2.",
                discrepancy="The mean stays a_zy, but one memory's score does not: its mean square exceeds a_zy^2 by "
                f"about {NEEDED}, without limit as associations are added.",
                corrected_by="weighted-associations",
            ),
        ),
    ),
    law(
        "weighted-associations:variance",
        variance,
        relation="=",
        domain={**SUMS, "inputs": EMBEDDINGS, "outputs": EMBEDDINGS},
        typical=SUMS_TYPICAL,
        defaults={"inputs": "gaussian", "outputs": "gaussian"},
        meanings={name: MEANINGS[name] for name in (*SUMS, "inputs", "outputs")},
        quantity="Var_g",
        title="Variance of a score of weighted associations, exact at every d",
        source=Source("asymp", "Wick contraction"),
        conventions=CONVENTIONS,
        conditions=CONDITIONS,
        notes=(
            "With one output for each input, R_z = q(z)^2, C_y = S_y and A = S: the law is then `score-variance`.",
            "Rows and columns of the weights cost 1/d each, the rest 1/d^2: what is stored for the same input or the "
            "same output disturbs most.",
        ),
    ),
)
