"""factual-recall-mlp: S R facts stored in a two-input memory behind attention."""

from asymp.theory.domain import integer, real
from asymp.theory.law import law
from asymp.theory.statement import Source

__all__ = ["LAWS"]

MEANINGS = {
    "S": "number of subjects",
    "R": "number of relations",
    "d": "dimension of the embeddings",
    "H": "number of heads",
    "d_h": "dimension of a head",
    "m": "width of the MLP",
    "parameters": "number of parameters",
}
CONDITION = (
    "Stated up to constants and log factors; one attention layer with H heads of size d_h, then an MLP of width m, random "
    "embeddings in dimension d; noise tokens cost log factors only."
)
TRAINED = (
    "Trained with Adam on fresh sequences: subject and relation among noise tokens, the answer asked for at the last one. A is the "
    "share of fresh sequences whose answer is right."
)
SIZE = integer(1)
SLIDE = Source("bietti2025", "theorem on factual recall, attention and MLP (informal)")

LAWS = (
    law(
        "factual-recall-mlp",
        "4*H*d_h*d + 2*m*d",
        relation="=",
        domain={"H": SIZE, "d_h": SIZE, "d": SIZE, "m": integer(0)},
        typical={"H": (2, 64), "d_h": (2, 32), "d": (16, 256), "m": (16, 1024)},
        meanings=MEANINGS,
        quantity="parameters",
        title="Parameters of one attention layer and an MLP",
        source=Source("asymp", "four matrices of d_h by d a head, two of m by d"),
        conventions="Biases and frozen embeddings are not counted.",
    ),
    law(
        "factual-recall-mlp:source",
        "S*R",
        relation=">~",
        domain={"S": SIZE, "R": SIZE},
        typical={"S": (8, 512), "R": (4, 64)},
        meanings=MEANINGS,
        quantity="m*d",
        typeset="m d",
        title="Size of the MLP that the facts need, as the source states it",
        source=SLIDE,
        conventions=CONDITION,
    ),
    law(
        "factual-recall-mlp:facts",
        "m*d",
        relation="~",
        domain={"m": SIZE, "d": SIZE},
        typical={"m": (16, 1024), "d": (16, 256)},
        meanings=MEANINGS,
        quantity="S R",
        title="Facts that an MLP of width m holds, as the source states it",
        source=SLIDE,
        conventions=CONDITION,
        notes=("The same condition as `factual-recall-mlp:source`, solved for the number of facts.",),
    ),
    law(
        "factual-recall-mlp:heads",
        "S + R",
        relation=">~",
        domain={"S": SIZE, "R": SIZE},
        typical={"S": (8, 512), "R": (4, 64)},
        meanings=MEANINGS,
        quantity="H*d_h",
        typeset="H d_h",
        title="Total size of the heads that the facts need, as the source states it",
        source=SLIDE,
        conventions=CONDITION,
    ),
    law(
        "factual-recall-mlp:parameters-needed",
        "4*(S + R)*d + 2*S*R",
        relation=">~",
        domain={"S": SIZE, "R": SIZE, "d": SIZE},
        typical={"S": (8, 512), "R": (4, 64), "d": (16, 256)},
        meanings=MEANINGS,
        quantity="parameters",
        title="Parameters that the facts need with attention and MLP",
        source=SLIDE,
        conventions=CONDITION + " Both conditions with constant 1.",
        notes=(
            "Proportional to the number S R of facts, as the source says, only while d <~ S R/(S + R); for larger d the "
            "heads cost more than the facts.",
        ),
    ),
    law(
        "factual-recall-mlp:published",
        "3*parameters/20",
        relation="~",
        domain={"parameters": real(above=0)},
        typical={"parameters": (1e3, 1e6)},
        meanings=MEANINGS,
        quantity="facts",
        title="Facts that a trained model stores, published line",
        source=Source("nichani2025", "figure of facts against parameters"),
        conventions="Trained with Adam; success is 99 % of fresh sequences; the line is a fit by eye.",
    ),
    law(
        "factual-recall-mlp:trained-slope",
        "parameters",
        relation="~",
        domain={"parameters": real(above=0)},
        typical={"parameters": (1e3, 1e6)},
        meanings=MEANINGS,
        quantity="S R",
        title="Facts that a trained model recalls, growth with its parameters",
        source=Source("nichani2025", "figure of facts against parameters"),
        conventions=TRAINED
        + " The largest number of facts with A >= 0.99; parameters as `factual-recall-mlp` counts them.",
        notes=(
            "The published line `factual-recall-mlp:published` without its constant: a slope of 1 on log axes. The source's "
            "condition m d >~ S R says the same where heads and width grow together, d in proportion to sqrt(S R).",
        ),
    ),
    law(
        "factual-recall-mlp:heads-not-width",
        "0",
        relation=">=",
        domain={"S": SIZE, "R": SIZE, "d": SIZE},
        typical={"S": (8, 64), "R": (8, 64), "d": (8, 64)},
        meanings=MEANINGS,
        quantity="A(H, m) - A(H/4, 4 m)",
        title="What heads at the wall recall more than a quarter of them with four times the width",
        source=SLIDE,
        conventions=TRAINED + " H d_h = S + R with width m, against H d_h = (S + R)/4 with width 4 m.",
        notes=("An order: where heads are missing, width does not replace them.",),
    ),
    law(
        "factual-recall-mlp:noise-order",
        "0",
        relation=">=",
        domain={"d": SIZE, "m": SIZE},
        typical={"d": (8, 64), "m": (8, 256)},
        meanings=MEANINGS,
        quantity="A_noisy - A_twice",
        typeset="A_{noisy} - A_{twice}",
        title="What is recalled among many noise tokens, less what is recalled of twice as many facts among few",
        source=SLIDE,
        conventions=TRAINED + " The same model on both tasks.",
        notes=(
            "An order: noise that costs a logarithm costs less than twice the facts. A cost proportional to the length of the "
            "sequence would reverse it.",
        ),
    ),
    law(
        "factual-recall-mlp:growth-order",
        "0",
        relation=">=",
        domain={"D": integer(2), "T": integer(3)},
        typical={"D": (2, 16), "T": (4, 64)},
        meanings={**MEANINGS, "D": "number of answers of each relation", "T": "length of a sequence"},
        quantity="A(4 P, 4 F) - A(P, F)",
        title="What four times the parameters recall of four times the facts, less what the model recalls",
        source=SLIDE,
        conventions=TRAINED + " P parameters and F facts; d, H, m, S and R all double.",
        notes=(
            "An order: parameters in proportion to the facts are enough. In small models they hold more facts each as d grows, "
            "towards the published line `factual-recall-mlp:published`.",
        ),
    ),
)
