"""factual-recall-mlp: S R facts stored in a two-input memory behind attention."""

from functools import partial

from asymp.theory.law import law
from asymp.theory.laws.transformers import D_H, DIM, H, R, S
from asymp.theory.param import Param, integer, real
from asymp.theory.sources import Source

M = Param(integer(0), (16, 1024), meaning="width of the MLP", name="m")
PARAMETERS = Param(real(above=0), (1000, 1e6), meaning="number of parameters", name="parameters")

CONDITION = (
    "Stated up to constants and log factors; one attention layer with H heads of size d_h, then an MLP of width m, random "
    "embeddings in dimension d; noise tokens cost log factors only."
)
TRAINED = (
    "Trained with Adam on fresh sequences: subject and relation among noise tokens, the answer asked for at the last one. A is the "
    "share of fresh sequences whose answer is right."
)
SLIDE = Source("bietti2025", "theorem on factual recall, attention and MLP (informal)")

declare = partial(law, relation=">~", quantity="parameters", source=SLIDE, conventions=CONDITION)
LAWS = (
    declare(
        "factual-recall-mlp",
        "4*H*d_h*d + 2*m*d",
        relation="=",
        params=(H, D_H, DIM.over(16, 256), M),
        title="Parameters of one attention layer and an MLP",
        source=Source("asymp", "four matrices of d_h by d a head, two of m by d"),
        conventions="Biases and frozen embeddings are not counted.",
    ),
    declare(
        "factual-recall-mlp:source",
        "S*R",
        params=(S, R),
        quantity="m*d",
        typeset="m d",
        title="Size of the MLP that the facts need, as the source states it",
    ),
    declare(
        "factual-recall-mlp:facts",
        "m*d",
        relation="~",
        params=(M.but(domain=integer(1)), DIM.over(16, 256)),
        quantity="S R",
        title="Facts that an MLP of width m holds, as the source states it",
    ),
    declare(
        "factual-recall-mlp:heads",
        "S + R",
        params=(S, R),
        quantity="H*d_h",
        typeset="H d_h",
        title="Total size of the heads that the facts need, as the source states it",
    ),
    declare(
        "factual-recall-mlp:parameters-needed",
        "4*(S + R)*d + 2*S*R",
        params=(S, R, DIM.over(16, 256)),
        title="Parameters that the facts need with attention and MLP",
        conventions=CONDITION + " Both conditions with constant 1.",
    ),
    declare(
        "factual-recall-mlp:published",
        "3*parameters/20",
        relation="~",
        params=(PARAMETERS,),
        quantity="facts",
        title="Facts that a trained model stores, published line",
        source=Source("nichani2025", "figure of facts against parameters"),
        conventions="Trained with Adam; success is 99 % of fresh sequences; the line is a fit by eye.",
    ),
    declare(
        "factual-recall-mlp:trained-slope",
        "parameters",
        relation="~",
        params=(PARAMETERS,),
        quantity="S R",
        title="Facts that a trained model recalls, growth with its parameters",
        source=Source("nichani2025", "figure of facts against parameters"),
        conventions=TRAINED
        + " The largest number of facts with A >= 0.99; parameters as `factual-recall-mlp` counts them.",
    ),
)
