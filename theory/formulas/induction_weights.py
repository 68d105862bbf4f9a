"""induction-weights: how sharp the attention of an induction head written by hand is."""

from asymp.theory.domain import Domain, integer, real
from asymp.theory.law import law
from asymp.theory.statement import Source

__all__ = ["LAWS"]

MEANINGS = {
    "d": "dimension of the residual stream",
    "c": "scale of W_KQ^1 and W_KQ^2: the score of the right key",
    "t": "number of positions that attention chooses from",
    "delta": "attention that may go elsewhere",
}
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
        domain={"c": real(0), "t": integer(1)},
        typical={"c": (1, 20), "t": (2, 256)},
        meanings=MEANINGS,
        quantity="attention",
        title="Attention of the first layer to the previous position",
        source=SOURCE,
        conventions=CONVENTIONS,
        exponents={"c": "0"},
    ),
    law(
        "induction-weights:solves",
        "0.9",
        relation=">=",
        domain={"d": integer(1)},
        typical={"d": (256, 4096)},
        meanings=MEANINGS,
        quantity="accuracy",
        title="In-context accuracy of the induction head by hand, in enough dimensions",
        source=SOURCE,
        conventions=CONVENTIONS + " Random embeddings; 16 tokens, sequences of 16, 4 triggers, d >= 256.",
        notes=(
            "The source says that the weights solve the task, with no number: nine in ten is this project's. A trigger whose "
            "first occurrence is at position 1 attends to itself, and outputs that are triggers confuse the head: it does not "
            "reach 1 however large d is.",
        ),
    ),
    law(
        "induction-weights:width",
        "0",
        relation=">=",
        domain={"d": integer(1)},
        typical={"d": (64, 1024)},
        meanings=MEANINGS,
        quantity="A_many - A_few",
        typeset="A_{many} - A_{few}",
        title="In-context accuracy of the induction head by hand in d dimensions, less that in fewer",
        source=SOURCE,
        conventions=CONVENTIONS + " Random embeddings; a quarter of the dimensions against all of them.",
        notes=(
            "An order: below some d the head does not work. Keys of T positions and N tokens are nearly orthogonal above it.",
        ),
    ),
    law(
        "induction-weights:second-layer",
        "1/(1 + (t - 1)*exp(-c*(1/(1 + (t - 1)*exp(-c)) - 2*exp(-c))))",
        relation=">=",
        domain={"c": real(0), "t": integer(1)},
        typical={"c": (8, 20), "t": (2, 256)},
        meanings=MEANINGS,
        quantity="attention",
        title="Attention of the second layer to the position after the trigger",
        source=SOURCE,
        conventions=CONVENTIONS + " The trigger has occurred once before the query, not at position 1.",
        exponents={"c": "0", "t": "-1"},
        notes=(
            "The right key scores at least c/(1 + (t - 1) e^-c); any other key sees the trigger at most twice, outside the "
            "previous position, and scores at most 2 c e^-c.",
        ),
    ),
    law(
        "induction-weights:scale",
        "log((t - 1)*(1 - delta)/delta)",
        relation=">=",
        domain={"t": integer(2), "delta": Domain(low=0, high=1, open_low=True, open_high=True)},
        typical={"t": (2, 256)},
        defaults={"delta": 0.01},
        meanings=MEANINGS,
        quantity="c",
        title="Scale from which the first layer misses at most delta",
        source=SOURCE,
        conventions=CONVENTIONS,
        notes=("Logarithmic in the length: c = log T plus a constant.",),
    ),
)
