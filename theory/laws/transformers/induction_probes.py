"""induction-probes: the three memories of an induction head are learned one after the other."""

from functools import partial

from asymp.theory.law import law
from asymp.theory.laws.transformers import LENGTH, VOCABULARY, WIDTH
from asymp.theory.sources import Source

declare = partial(
    law, source=Source("bietti2025", "slide on the training dynamics of induction heads; bietti2024, the same")
)

LAWS = (
    declare(
        "induction-probes",
        "1",
        relation="<=",
        params=(VOCABULARY, LENGTH, WIDTH),
        quantity="n_first/n_second",
        typeset="n_{first} / n_{second}",
        title="Onset of an earlier memory over that of a later one, in the order W_OV^2, W_KQ^2, W_KQ^1",
        conventions="Basic model of two layers, only these three matrices trained, from 0. A memory sets in when the mean over its "
        "items of (right score - mean score)/(standard deviation of the scores) first exceeds 1.",
    ),
)
