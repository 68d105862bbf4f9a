"""factual-recall-attention: S R facts stored in the value matrices of attention alone."""

from typing import TYPE_CHECKING, Any

from asymp.theory.domain import choice, integer
from asymp.theory.law import law
from asymp.theory.statement import Erratum, Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

EMBEDDINGS = choice("gaussian", "sphere")
MEANINGS = {
    "S": "number of subjects",
    "R": "number of relations",
    "D": "number of answers of each relation",
    "A_max": "largest number of answers of a relation",
    "d": "dimension of the embeddings",
    "H": "number of heads",
    "d_h": "dimension of a head",
    "output": "'answer' a(s,r); 'relation' another answer of r; 'subject' an answer of s to another relation; 'other'",
    "embeddings": "law of all embeddings",
}
CONSTRUCTION = (
    "Values c_s = sum_r u_a(s,r) and c_r = sum over the answers of r of u_a, D answers a relation in disjoint sets; the logit of a "
    "is u_a . (c_s + c_r) from the two active heads: mean 2 for the right answer, 1 for answers of r or of s, else 0. "
    "gaussian is N(0, I/d), sphere is uniform on the unit sphere."
)
CONDITION = (
    "Stated up to constants and log factors; one attention layer, H heads of size d_h, query at the last token, random "
    "embeddings; A_max is the largest number of answers of a relation."
)
TRAINED = (
    "Attention alone, trained with Adam on fresh sequences: subject and relation among noise tokens, the answer asked for at the "
    "last one. A is the share of fresh sequences whose answer is right."
)
TALK_A = Source("bietti2025", "theorem on factual recall, attention only (informal)")
TALK_B = Source("bietti2024", "theorem on factual recall, attention only (informal)")
DERIVED = Source("asymp", "moments of the construction")


def noise(*, output: str, embeddings: str) -> "sympy.Expr":
    """Variance of u_a . sum_k m_k u_k: m_k^2/d from each other answer, m_a^2 Var|u_a|^2 from the answer itself.

    The multiplicities m are 2 for a(s,r), 1 for the D - 1 other answers of r and the R - 1 other answers of s.
    """
    import sympy

    R, D, d = sympy.symbols("R D d", positive=True)
    own = {"answer": 2, "relation": 1, "subject": 1, "other": 0}[output]
    squares = 4 + (D - 1) + (R - 1)
    norm = 2 / d if embeddings == "gaussian" else sympy.Integer(0)
    return (squares - own**2) / d + own**2 * norm


def leak(*, embeddings: str) -> "sympy.Expr":
    """Variance of sum_x (e_x . e_EOS) u_a . c_x over subjects and relations, a(s,r) uniform."""
    import sympy

    S, R, D, d = sympy.symbols("S R D d", positive=True)
    fourth = 1 + 2 / d if embeddings == "gaussian" else sympy.Integer(1)
    subjects = S * ((fourth + (R - 1) / d) / D + (1 - 1 / D) * R / d)
    relations = fourth + (D - 1) / d + (R - 1) * D / d
    return (subjects + relations) / d


def numbers(*names: str) -> dict[str, Any]:
    """The domain and the typical range of some of the sizes."""
    ranges = {"S": (8, 512), "R": (4, 64), "D": (4, 32), "A_max": (4, 32), "d": (16, 512), "H": (2, 64), "d_h": (2, 32)}
    low = {"S": 1, "R": 1, "D": 2, "A_max": 1, "d": 1, "H": 1, "d_h": 1}
    return {"domain": {n: integer(low[n]) for n in names}, "typical": {n: ranges[n] for n in names}}


def with_words(spec: dict[str, Any], **words: Any) -> dict[str, Any]:
    """The same domain with parameters that are words; their first word is the default."""
    return {
        "domain": {**spec["domain"], **words},
        "typical": spec["typical"],
        "defaults": {name: word.choices[0] for name, word in words.items()},
    }


LAWS = (
    law(
        "factual-recall-attention",
        noise,
        relation="=",
        **with_words(
            numbers("R", "D", "d"), output=choice("other", "answer", "relation", "subject"), embeddings=EMBEDDINGS
        ),
        meanings=MEANINGS,
        quantity="Var_logit",
        title="Variance of a logit of the construction, both leaks closed, exact",
        source=DERIVED,
        conventions=CONSTRUCTION,
        notes=(
            "The margin is 1, so that d of order R + D is needed, up to a logarithm of the number of answers.",
            "Key noise sqrt(d_h/d) is not in it: it asks for d >~ 8 d_h log(H T).",
        ),
    ),
    law(
        "factual-recall-attention:leading",
        "(R + D)/d",
        relation="~",
        **numbers("R", "D", "d"),
        meanings=MEANINGS,
        quantity="Var_logit",
        title="Variance of a logit of the construction, leading order",
        source=DERIVED,
        conventions=CONSTRUCTION,
        notes=("Low by 2/d for a rival outside both sets: `factual-recall-attention` is exact.",),
    ),
    law(
        "factual-recall-attention:leak",
        leak,
        relation="=",
        **with_words(numbers("S", "R", "D", "d"), embeddings=EMBEDDINGS),
        meanings=MEANINGS,
        quantity="Var_leak",
        title="Variance that inactive heads add to a logit, exact",
        source=DERIVED,
        conventions=CONSTRUCTION
        + " Every head attends to the last token, whose embedding is not projected out of the values.",
        notes=(
            "Leading order S/(d D) + S R/d^2 from subjects and 1/d + R D/d^2 from relations; the second part is of the same "
            "order as soon as D is of order S.",
        ),
    ),
    law(
        "factual-recall-attention:leak-subjects",
        "S/(d*D) + S*R/d**2",
        relation="~",
        **numbers("S", "R", "D", "d"),
        meanings=MEANINGS,
        quantity="Var_leak",
        title="Variance that inactive heads add to a logit, subjects only, leading order",
        source=DERIVED,
        conventions=CONSTRUCTION,
        notes=("Leaves out the heads of relations, 1/d + R D/d^2: right for D << S.",),
    ),
    law(
        "factual-recall-attention:source",
        "R + A_max",
        relation=">~",
        **numbers("R", "A_max"),
        meanings=MEANINGS,
        quantity="d",
        title="Dimension that attention alone needs, as the source states it",
        source=TALK_A,
        conventions=CONDITION,
    ),
    law(
        "factual-recall-attention:heads",
        "S + R",
        relation=">~",
        **numbers("S", "R"),
        meanings=MEANINGS,
        quantity="H*d_h",
        typeset="H d_h",
        title="Total size of the heads that attention alone needs, talk of 2025",
        source=TALK_A,
        conventions=CONDITION,
    ),
    law(
        "factual-recall-attention:heads-2024",
        "S",
        relation=">~",
        **numbers("S", "R"),
        meanings=MEANINGS,
        quantity="H*d_h",
        typeset="H d_h",
        title="Total size of the heads that attention alone needs, talk of 2024",
        source=TALK_B,
        conventions=CONDITION,
        errata=(
            Erratum(
                regime="More relations than subjects, R >> S.",
                discrepancy="Relations take room in the heads as subjects do: the construction needs S + R, more by the factor "
                "1 + R/S. The talk of 2025 says S + R.",
                corrected_by="factual-recall-attention:heads",
            ),
        ),
    ),
    law(
        "factual-recall-attention:parameters",
        "4*H*d_h*d",
        relation="=",
        **numbers("H", "d_h", "d"),
        meanings=MEANINGS,
        quantity="parameters",
        title="Parameters of an attention layer",
        source=Source("asymp", "four matrices of d_h by d a head"),
        conventions="Query, key, value and output matrices of each of H heads.",
    ),
    law(
        "factual-recall-attention:parameters-needed",
        "4*(S + R)*(R + A_max)",
        relation=">~",
        **numbers("S", "R", "A_max"),
        meanings=MEANINGS,
        quantity="parameters",
        title="Parameters that attention alone needs",
        source=TALK_A,
        conventions=CONDITION + " Both conditions with constant 1.",
        notes=(
            "Of the order of the number S R of facts only for S >= R >= A_max; the source says 'up to A_max'. "
            "For R >> S it is R^2.",
        ),
    ),
    law(
        "factual-recall-attention:dimension-not-heads",
        "0",
        relation=">=",
        **numbers("S", "R", "D"),
        meanings=MEANINGS,
        quantity="A(d, H) - A(d/2, 2 H)",
        title="What d dimensions recall more than half of them with twice the heads",
        source=TALK_A,
        conventions=TRAINED + " Equal numbers of parameters, d below R + D.",
        notes=("An order: heads do not make up for dimensions below R + D.",),
    ),
    law(
        "factual-recall-attention:relations-take-heads",
        "0",
        relation=">=",
        **numbers("D", "d", "d_h"),
        meanings=MEANINGS,
        quantity="A(S, R, H) - A(R, S, H/2)",
        title="What is recalled of many subjects and few relations, less what half the heads recall with the two exchanged",
        source=TALK_A,
        conventions=TRAINED + " S > 2 R.",
        notes=(
            "An order. By the talk of 2024 (H d_h of order S) the second task has more heads than the first for what it needs, by "
            "S/(2 R); by the talk of 2025 (S + R) it has half as many.",
        ),
    ),
)
