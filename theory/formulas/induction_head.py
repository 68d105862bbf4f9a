"""induction-head: two layers of attention find what followed a token before, one layer does not."""

from typing import Any

from asymp.theory.domain import integer
from asymp.theory.law import law
from asymp.theory.statement import Source

__all__ = ["LAWS"]

SHARED: dict[str, Any] = {
    "domain": {"N": integer(2), "T": integer(2), "d": integer(1)},
    "typical": {"N": (16.0, 65.0), "T": (16.0, 256.0), "d": (64.0, 256.0)},
    "meanings": {"N": "size of the vocabulary", "T": "length of a sequence", "d": "dimension of the residual stream"},
    "source": Source("bietti2025", "slide on the bigram task and induction heads; bietti2024, the same"),
    "conventions": "Bigram task with fixed triggers whose outputs are drawn for every sequence; accuracy at positions whose token "
    "is a trigger that has occurred before. Both models are trained alike, to the end.",
}

LAWS = (
    law(
        "induction-head",
        "0",
        relation=">=",
        quantity="A_2 - A_1",
        typeset="A_2 - A_1",
        title="In-context accuracy of two layers less that of one",
        notes=("An order. The sources give about .55 for one layer and .99 for two, on character-level Shakespeare.",),
        **SHARED,
    ),
    law(
        "induction-head:two-layers",
        "0.99",
        relation="~",
        quantity="A_2",
        title="In-context accuracy of two layers, as the source states it",
        **SHARED,
    ),
    law(
        "induction-head:one-layer-short",
        "0.9",
        relation="<=",
        quantity="A_1",
        title="In-context accuracy of one layer stays below nine in ten",
        notes=(
            "An order. The source says about .55 on Shakespeare's text; how far one layer comes depends on the text, the length "
            "and the triggers: nine in ten, which two layers exceed, is this project's.",
        ),
        **SHARED,
    ),
    law(
        "induction-head:one-layer",
        "0.55",
        relation="~",
        quantity="A_1",
        title="In-context accuracy of one layer, as the source states it",
        notes=(
            "For Shakespeare's bigrams and the full model. One layer sees which tokens occur in the context, not what follows "
            "what: its accuracy depends on how many outputs there are to choose from, and on the length.",
        ),
        **SHARED,
    ),
)
