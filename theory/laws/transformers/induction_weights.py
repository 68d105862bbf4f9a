"""induction-weights: how sharp the attention of an induction head written by hand is."""

from asymp.theory.law import law
from asymp.theory.laws.transformers import WIDTH
from asymp.theory.param import Param, integer, real
from asymp.theory.sources import Source

SCALE = Param(real(0), (1, 20), meaning="scale of W_KQ^1 and W_KQ^2: the score of the right key", name="c")
POSITIONS = Param(integer(1), (2, 256), meaning="number of positions that attention chooses from", name="t")

CONVENTIONS = (
    "W_KQ^1 = c sum_t p_t p_{t-1}^T and W_KQ^2 = c sum_k e_k (W_OV^1 e_k)^T with orthonormal embeddings (the limit of a wide "
    "model); scores are not divided by sqrt d; softmax over t positions, one of them right."
)
SOURCE = Source("asymp", "softmax of one score c among zeros")

LAWS = (
    law(
        "induction-weights",
        "1/(1 + (t - 1)*exp(-c))",
        relation="=",
        params=(SCALE, POSITIONS),
        quantity="attention",
        title="Attention of the first layer to the previous position",
        source=SOURCE,
        conventions=CONVENTIONS,
    ),
    law(
        "induction-weights:solves",
        "0.9",
        relation=">=",
        params=(WIDTH.over(256, 4096),),
        quantity="accuracy",
        title="In-context accuracy of the induction head by hand, in enough dimensions",
        source=SOURCE,
        conventions=CONVENTIONS + " Random embeddings; 16 tokens, sequences of 16, 4 triggers, d >= 256.",
    ),
)
