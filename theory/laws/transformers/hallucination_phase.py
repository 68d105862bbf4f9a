"""hallucination-phase: linear attention learns the relation before the subject, or the other way round."""

from functools import partial

from asymp.theory.law import law
from asymp.theory.laws.transformers import D, R, S
from asymp.theory.lazy import Expr, sympy
from asymp.theory.param import Domain, Param, choice, integer, real
from asymp.theory.sources import Condition, Source

INIT = Param(real(above=0, high=1), (1e-06, 0.001), meaning="value of every entry at the start", name="init")
TOKEN = Param(
    choice("relation", "subject"),
    default="relation",
    meaning="'relation' or 'subject': which token's memory grows",
    name="token",
)
PARAMS = (S.but(domain=integer(2)).over(8, 256), R.but(domain=integer(2)).over(4, 32), D)

CONVENTIONS = (
    "Logit of answer a = sum_t V(a, z_t) w(z_t), one-hot embeddings, gradient flow of the population cross-entropy from equal "
    "small entries; every relation has D answers of its own, each taken by the same number of subjects; facts (s, r) uniform."
)
SLIDE = Source("bietti2025", "theorem on the training dynamics of factual recall (informal)")
DERIVED = Source("asymp", "linearised flow")


def rate(*, token: str) -> Expr:
    """The norm of g(a) = p(token) (p(a|token) - 1/(R D)): V' = g w, w' = g.V has eigenvalues plus and minus |g|."""
    S, R, D = sympy.symbols("S R D", positive=True)
    return sympy.sqrt(1 / D - 1 / (R * D)) / R if token == "relation" else sympy.sqrt(1 / R - 1 / (R * D)) / S


def time(*, token: str) -> Expr:
    """Time of the level P: the flow inside the plane of V(., token) along g and w(token), integrated.

    Let x be the gap of logits between fitting and other answers, k the number of sets that the token chooses from
    (R or D): the fitting set has probability e^x/(e^x + k - 1), so x' = 2 rate x k/(e^x + k - 1). Early on
    w = init cosh, V = init sinh along g/|g|, hence x = kappa init^2 exp(2 rate t)/4, kappa the gap in g/|g|.
    """
    R, D, P, init = sympy.symbols("R D P init", positive=True)
    k, size = (R, D) if token == "relation" else (D, R)
    log_kappa = -sympy.log(size * (1 - 1 / k)) / 2
    x = sympy.log(P * (k - 1) / (1 - P))
    bend = (sympy.Ei(x) - sympy.EulerGamma - sympy.log(x)) / k
    return (sympy.log(4 * x) - log_kappa - 2 * sympy.log(init) + bend) / (2 * rate(token=token))


declare = partial(law, relation="~", source=DERIVED, conventions=CONVENTIONS)
LAWS = (
    declare(
        "hallucination-phase",
        time,
        params=(
            *PARAMS,
            INIT,
            Param(
                Domain(low=0, high=1, open_low=True, open_high=True),
                default=0.5,
                meaning="level: probability that the predicted answer fits the token",
                name="P",
            ),
            TOKEN,
        ),
        quantity="t",
        title="Time at which a token is learnt, with its additive constant",
        source=Source("asymp", "flow in the plane of one token, integrated"),
        conventions=CONVENTIONS
        + " Relation: P is the probability given to the answers of r; subject: that of the right answer "
        "once the relation is known, or that of the answers of s if the subject comes first.",
        conditions=Condition(
            lambda v: v["P"] * (v["R"] if v["token"] == "relation" else v["D"]) > 1,
            "P must exceed 1/R for the relation and 1/D for the subject: that much is right by chance at the start",
        ),
        exponents={"init": "0", "R": "1"},
    ),
    declare(
        "hallucination-phase:conserved",
        "w[s, z]**2 + (A - 1)*init**2",
        relation="=",
        params=(
            Param(real(), meaning="weight w(z) of the token z at the time s", name="w", indices="sz"),
            Param(integer(1), (16, 64), meaning="number of answers, R D", name="A"),
            INIT,
        ),
        indices="sz",
        quantity="V_sz",
        typeset=r"\left|V_{\cdot z}\right|^2",
        title="|V(., z)|^2 along the flow: |V(., z)|^2 - w(z)^2 stays what it was at the start",
    ),
    declare(
        "hallucination-phase:plateau",
        # log of the number of answers that are left when the faster token is known
        "Piecewise((log(D), R*sqrt((D - 1)/(R - 1)) < S), (log(R), True))",
        params=PARAMS,
        quantity="L",
        title="Loss on the plateau, whichever token comes first",
    ),
    declare(
        "hallucination-phase:source",
        "log(D)",
        params=(D,),
        quantity="L",
        title="Loss on the plateau, as the source states it",
        source=SLIDE,
        conventions="The source: an intermediate phase predicts p(a|r) instead of p(a|s,r); with D equally frequent answers "
        "a relation its loss is log D.",
    ),
)
