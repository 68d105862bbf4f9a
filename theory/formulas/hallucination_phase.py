"""hallucination-phase: linear attention learns the relation before the subject, or the other way round."""

from typing import TYPE_CHECKING, Any

from asymp.theory.domain import Domain, choice, integer, real
from asymp.theory.law import law
from asymp.theory.statement import Condition, Erratum, Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

MEANINGS = {
    "S": "number of subjects",
    "R": "number of relations",
    "D": "number of answers of each relation",
    "init": "value of every entry at the start",
    "P": "level: probability that the predicted answer fits the token",
    "Q": "probability that two subjects have the same answer, sum over a of p(a|r)^2",
    "token": "'relation' or 'subject': which token's memory grows",
}
CONVENTIONS = (
    "Logit of answer a = sum_t V(a, z_t) w(z_t), one-hot embeddings, gradient flow of the population cross-entropy from equal "
    "small entries; every relation has D answers of its own, each taken by the same number of subjects; facts (s, r) uniform."
)
S, R, D = integer(2), integer(2), integer(2)
SIZES, SIZES_TYPICAL = {"S": S, "R": R, "D": D}, {"S": (8, 256), "R": (4, 32), "D": (4, 16)}
INIT = real(above=0, high=1)
LEVEL = Domain(low=0, high=1, open_low=True, open_high=True)
TOKEN = choice("relation", "subject")
SLIDE = Source("bietti2025", "theorem on the training dynamics of factual recall (informal)")
DERIVED = Source("asymp", "linearised flow")


def rate(*, token: str) -> "sympy.Expr":
    """The norm of g(a) = p(token) (p(a|token) - 1/(R D)): V' = g w, w' = g.V has eigenvalues plus and minus |g|."""
    import sympy

    S, R, D = sympy.symbols("S R D", positive=True)
    return sympy.sqrt(1 / D - 1 / (R * D)) / R if token == "relation" else sympy.sqrt(1 / R - 1 / (R * D)) / S


def leading_time(*, token: str) -> "sympy.Expr":
    """log(1/init) over the rate."""
    import sympy

    return sympy.log(1 / sympy.Symbol("init", positive=True)) / rate(token=token)


def time(*, token: str) -> "sympy.Expr":
    """Time of the level P: the flow inside the plane of V(., token) along g and w(token), integrated.

    Let x be the gap of logits between fitting and other answers, k the number of sets that the token chooses from
    (R or D): the fitting set has probability e^x/(e^x + k - 1), so x' = 2 rate x k/(e^x + k - 1). Early on
    w = init cosh, V = init sinh along g/|g|, hence x = kappa init^2 exp(2 rate t)/4, kappa the gap in g/|g|.
    """
    import sympy

    R, D, P, init = sympy.symbols("R D P init", positive=True)
    k, size = (R, D) if token == "relation" else (D, R)
    kappa = 1 / sympy.sqrt(size * (1 - 1 / k))
    x = sympy.log(P * (k - 1) / (1 - P))
    bend = (sympy.Ei(x) - sympy.EulerGamma - sympy.log(x)) / k
    return (sympy.log(4 * x / (kappa * init**2)) + bend) / (2 * rate(token=token))


def time_numeric(*, token: str, **values: Any) -> Any:
    """The time in float64, vectorised."""
    import numpy as np
    from scipy.special import expi

    R, D, P, init = (values[name] for name in ("R", "D", "P", "init"))
    k, size = (R, D) if token == "relation" else (D, R)
    growth = np.sqrt((1 - 1 / k) / size) / (R if token == "relation" else values["S"])
    x = np.log(P * (k - 1) / (1 - P))
    bend = (expi(x) - np.euler_gamma - np.log(x)) / k
    found = (np.log(4 * x) + np.log(size * (1 - 1 / k)) / 2 - 2 * np.log(init) + bend) / (2 * growth)
    return np.broadcast_to(found, np.broadcast_shapes(*map(np.shape, values.values())))


def plateau() -> "sympy.Expr":
    """log of the number of answers that are left when the faster token is known."""
    import sympy

    S, R, D = sympy.symbols("S R D", positive=True)
    return sympy.Piecewise((sympy.log(D), R * sympy.sqrt((D - 1) / (R - 1)) < S), (sympy.log(R), True))


LAWS = (
    law(
        "hallucination-phase",
        time,
        relation="~",
        domain={**SIZES, "init": INIT, "P": LEVEL, "token": TOKEN},
        typical={**SIZES_TYPICAL, "init": (1e-6, 1e-3)},
        defaults={"P": 0.5, "token": "relation"},
        meanings=MEANINGS,
        quantity="t",
        title="Time at which a token is learnt, with its additive constant",
        source=Source("asymp", "flow in the plane of one token, integrated"),
        conventions=CONVENTIONS
        + " Relation: P is the probability given to the answers of r; subject: that of the right answer "
        "once the relation is known, or that of the answers of s if the subject comes first.",
        conditions=(
            Condition(
                lambda v: v["P"] * (v["R"] if v["token"] == "relation" else v["D"]) > 1,
                "P must exceed 1/R for the relation and 1/D for the subject: that much is right by chance at the start",
            ),
        ),
        exponents={"init": "0", "S": "0", "R": "1"},
        numeric=time_numeric,
        notes=(
            "Exact as init goes to 0 for the token that comes first. At S = 16, R = 4, D = 8, init = 1e-5 the whole flow gives "
            "168.36 (law 168.36) for the relation and 447.3 (law 447.2) for the subject.",
            "The subject keeps its rate while the relation is learnt, because the predictions averaged over the relations of a "
            "subject stay uniform; and its own transition has the same shape before and after.",
        ),
    ),
    law(
        "hallucination-phase:leading",
        leading_time,
        relation="~",
        domain={**SIZES, "init": INIT, "token": TOKEN},
        typical={**SIZES_TYPICAL, "init": (1e-6, 1e-3)},
        defaults={"token": "relation"},
        meanings=MEANINGS,
        quantity="t",
        title="Time at which a token is learnt, leading order in log(1/init)",
        source=DERIVED,
        conventions=CONVENTIONS,
        notes=(
            "Early by an additive constant over the rate: at S = 16, R = 4, D = 8, init = 1e-5 the true times are "
            "12 and 14 % later.",
        ),
    ),
    law(
        "hallucination-phase:rate",
        rate,
        relation="=",
        domain={**SIZES, "token": TOKEN},
        typical=SIZES_TYPICAL,
        defaults={"token": "relation"},
        meanings=MEANINGS,
        quantity="l",
        title="Growth rate of a token's memory out of small entries",
        source=DERIVED,
        conventions=CONVENTIONS,
    ),
    law(
        "hallucination-phase:rate-random",
        "sqrt(Q - 1/(R*D))/R",
        relation="=",
        domain={"R": R, "D": D, "Q": real(above=0, high=1)},
        typical={"R": (4, 32), "D": (4, 16), "Q": (0.25, 1)},
        meanings=MEANINGS,
        quantity="l_r",
        title="Growth rate of the relation when answers are not balanced",
        source=DERIVED,
        conventions="As hallucination-phase, with any answers; all R D answers count in the softmax.",
        conditions=(
            Condition(lambda v: v["Q"] * v["D"] >= 1 - 1e-12, "Q must be at least 1/D: D answers collide no less"),
        ),
        notes=("The plateau is then the mean entropy of p(a|r). Balanced answers have Q = 1/D.",),
    ),
    law(
        "hallucination-phase:conserved",
        "0*S",
        relation="=",
        domain=SIZES,
        typical=SIZES_TYPICAL,
        meanings=MEANINGS,
        quantity="drift",
        title="Change of |V(., z)|^2 - w(z)^2 along the flow",
        source=DERIVED,
        conventions=CONVENTIONS,
        notes=("Both factors of a product grow at the expense of the same loss: V . dL/dV = w dL/dw for every token.",),
    ),
    law(
        "hallucination-phase:subjects",
        "R*sqrt((D - 1)/(R - 1))",
        relation=">=",
        domain={"R": R, "D": D},
        typical={"R": (4, 32), "D": (4, 16)},
        meanings=MEANINGS,
        quantity="S",
        title="Number of subjects from which the relation comes first",
        source=Source("asymp", "rate of the relation above that of the subject"),
        conventions=CONVENTIONS,
        notes=(
            "About sqrt(R D). Balanced answers need S >= D, so that the subject can come first only if R exceeds D.",
        ),
    ),
    law(
        "hallucination-phase:plateau",
        plateau,
        relation="~",
        domain=SIZES,
        typical=SIZES_TYPICAL,
        meanings=MEANINGS,
        quantity="L",
        title="Loss on the plateau, whichever token comes first",
        source=DERIVED,
        conventions=CONVENTIONS,
        exponents={"S": "0", "R": "0", "D": "0"},
    ),
    law(
        "hallucination-phase:source",
        "log(D)",
        relation="~",
        domain={"D": D},
        typical={"D": (4, 16)},
        meanings=MEANINGS,
        quantity="L",
        title="Loss on the plateau, as the source states it",
        source=SLIDE,
        conventions="The source: an intermediate phase predicts p(a|r) instead of p(a|s,r); with D equally frequent answers "
        "a relation its loss is log D.",
        errata=(
            Erratum(
                regime="Few subjects, S < R sqrt((D - 1)/(R - 1)); with balanced answers this takes R > D.",
                discrepancy="The subject is learnt first: the plateau predicts p(a|s) and has loss log R instead of log D.",
                corrected_by="hallucination-phase:plateau",
            ),
        ),
    ),
)
