"""induction-head: two layers of attention find what followed a token before, one layer does not."""

from functools import partial

from asymp.theory.law import law
from asymp.theory.laws.transformers import LENGTH, VOCABULARY, WIDTH
from asymp.theory.sources import Source

declare = partial(
    law,
    source=Source("bietti2025", "slide on the bigram task and induction heads; bietti2024, the same"),
    conventions="Bigram task with fixed triggers whose outputs are drawn for every sequence; accuracy at positions whose token "
    "is a trigger that has occurred before. Both models are trained alike, to the end.",
)

LAWS = (
    declare(
        "induction-head",
        "0",
        relation=">=",
        params=(VOCABULARY, LENGTH, WIDTH),
        quantity="A_2 - A_1",
        typeset="A_2 - A_1",
        title="In-context accuracy of two layers less that of one",
    ),
    declare(
        "induction-head:two-layers",
        "0.99",
        relation="~",
        params=(VOCABULARY, LENGTH, WIDTH),
        quantity="A_2",
        title="In-context accuracy of two layers, as the source states it",
    ),
    declare(
        "induction-head:one-layer",
        "0.55",
        relation="~",
        params=(VOCABULARY, LENGTH, WIDTH),
        quantity="A_1",
        title="In-context accuracy of one layer, as the source states it",
    ),
)
