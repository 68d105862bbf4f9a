"""factual-recall-attention: S R facts stored in the value matrices of attention alone."""

from functools import partial

from asymp.theory.law import law
from asymp.theory.laws.transformers import DIM, D, R, S
from asymp.theory.lazy import Expr, sympy
from asymp.theory.param import Param, choice, integer
from asymp.theory.sources import Source

A_MAX = Param(integer(1), (4, 32), meaning="largest number of answers of a relation", name="A_max")
EMBEDDINGS = Param(choice("gaussian", "sphere"), default="gaussian", meaning="law of all embeddings", name="embeddings")

CONSTRUCTION = (
    "Values c_s = sum_r u_a(s,r) and c_r = sum over the answers of r of u_a, D answers a relation in disjoint sets; the logit of a "
    "is u_a . (c_s + c_r) from the two active heads: mean 2 for the right answer, 1 for answers of r or of s, else 0. "
    "gaussian is N(0, I/d), sphere is uniform on the unit sphere."
)
CONDITION = (
    "Stated up to constants and log factors; one attention layer, H heads of size d_h, query at the last token, random "
    "embeddings; A_max is the largest number of answers of a relation."
)
TALK_A = Source("bietti2025", "theorem on factual recall, attention only (informal)")
TALK_B = Source("bietti2024", "theorem on factual recall, attention only (informal)")
DERIVED = Source("asymp", "moments of the construction")


def noise(*, output: str, embeddings: str) -> Expr:
    """Variance of u_a . sum_k m_k u_k: m_k^2/d from each other answer, m_a^2 Var|u_a|^2 from the answer itself.

    The multiplicities m are 2 for a(s,r), 1 for the D - 1 other answers of r and the R - 1 other answers of s.
    """
    R, D, d = sympy.symbols("R D d", positive=True)
    own = {"answer": 2, "relation": 1, "subject": 1, "other": 0}[output]
    squares = 4 + (D - 1) + (R - 1)
    norm = 2 / d if embeddings == "gaussian" else sympy.Integer(0)
    return (squares - own**2) / d + own**2 * norm


declare = partial(law, relation=">~", quantity="Var_logit", source=TALK_A, conventions=CONDITION)
LAWS = (
    declare(
        "factual-recall-attention",
        noise,
        relation="=",
        params=(
            R,
            D.over(4, 32),
            DIM,
            Param(
                choice("other", "answer", "relation", "subject"),
                default="other",
                meaning="'answer' a(s,r); 'relation' another answer of r; 'subject' an answer of s to another relation; 'other'",
                name="output",
            ),
            EMBEDDINGS,
        ),
        title="Variance of a logit of the construction, both leaks closed, exact",
        source=DERIVED,
        conventions=CONSTRUCTION,
    ),
    declare(
        "factual-recall-attention:leading",
        "(R + D)/d",
        relation="~",
        params=(R, D.over(4, 32), DIM),
        title="Variance of a logit of the construction, leading order",
        source=DERIVED,
        conventions=CONSTRUCTION,
    ),
    declare(
        "factual-recall-attention:source",
        "R + A_max",
        params=(R, A_MAX),
        quantity="d",
        title="Dimension that attention alone needs, as the source states it",
    ),
    declare(
        "factual-recall-attention:heads",
        "S + R",
        params=(S, R),
        quantity="H*d_h",
        typeset="H d_h",
        title="Total size of the heads that attention alone needs, talk of 2025",
    ),
    declare(
        "factual-recall-attention:heads-2024",
        "S",
        params=(S, R),
        quantity="H*d_h",
        typeset="H d_h",
        title="Total size of the heads that attention alone needs, talk of 2024",
        source=TALK_B,
    ),
    declare(
        "factual-recall-attention:parameters",
        "S*R*A_max",
        relation="~",
        params=(S, R, A_MAX),
        quantity="parameters",
        title="Parameters that attention alone needs, as the source states it: the number of facts, up to A_max",
    ),
    declare(
        "factual-recall-attention:parameters-needed",
        "4*(S + R)*(R + A_max)",
        params=(S, R, A_MAX),
        quantity="parameters",
        title="Parameters that attention alone needs",
        conventions=CONDITION + " Both conditions with constant 1.",
    ),
)
