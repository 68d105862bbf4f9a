"""induction-probes: the three memories of an induction head are learned one after the other."""

from typing import Any

from asymp.theory.domain import integer
from asymp.theory.law import law
from asymp.theory.statement import Source

__all__ = ["LAWS"]

SHARED: dict[str, Any] = {
    "domain": {"N": integer(2), "T": integer(2), "d": integer(1)},
    "typical": {"N": (16.0, 65.0), "T": (16.0, 256.0), "d": (64.0, 256.0)},
    "meanings": {"N": "size of the vocabulary", "T": "length of a sequence", "d": "dimension of the residual stream"},
    "source": Source("bietti2025", "slide on the training dynamics of induction heads; bietti2024, the same"),
}

LAWS = (
    law(
        "induction-probes",
        "1",
        relation="<=",
        quantity="n_first/n_second",
        typeset="n_{first} / n_{second}",
        title="Onset of an earlier memory over that of a later one, in the order W_OV^2, W_KQ^2, W_KQ^1",
        conventions="Basic model of two layers, only these three matrices trained, from 0. A memory sets in when the mean over its "
        "items of (right score - mean score)/(standard deviation of the scores) first exceeds 1.",
        notes=(
            "An order. W_KQ^2 is asked about the triggers only: no other token ever has to look for itself. With few items the "
            "share of right answers starts high by chance, the standardised margin does not.",
        ),
        **SHARED,
    ),
    law(
        "induction-probes:joint",
        "0",
        relation=">=",
        quantity="A_joint - A_staged",
        typeset="A_{joint} - A_{staged}",
        title="In-context accuracy when all three matrices learn at once, less that of learning one after the other",
        conventions="Basic model of two layers, equal numbers of steps. In stages W_OV^2, W_KQ^2 and W_KQ^1 have a third of the "
        "steps each, the others frozen meanwhile.",
        notes=("An order: joint learning is faster.",),
        **SHARED,
    ),
)
