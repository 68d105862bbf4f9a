"""binary-capacity: how many associations with two possible answers a memory holds."""

from dataclasses import replace
from functools import partial

from asymp.montecarlo.samplers.capacity.binary_capacity import (
    binary_gram_experiment,
    binary_labels_experiment,
    binary_recall_experiment,
)
from asymp.reports.claim import Claim
from asymp.reports.claims.capacity import PURE, SERIES, around, spaced, with_logarithm
from asymp.reports.grid import Grid, rows, settings
from asymp.reports.kinds import Capacity, Constant, Identity
from asymp.reports.kinds.drawing import few_draws
from asymp.theory import laws

# At 2 N log N = d the number of lost items has the mean (4 pi log N)^(-1/2), about 0.1: none is lost with probability 0.9.
MOSTLY = 0.9
# exp(W0(d/2)), the law's own prediction
ALL_AT = {128: 21.0, 256: 35.8, 512: 62.0, 1024: 109.1}
every = partial(around, ALL_AT, spaced(-0.4, 0.11), of="all")


def share(*powers: int) -> Grid:
    """1 % of the items are lost at N = .185 d; small memories have few items, and are measured more often."""
    cells = around({2**k: 0.185 * 2**k for k in powers}, spaced(-0.32, 0.64 / 7), of="share")
    return Grid(cells, weight=lambda cell: 512 // cell["N"])


at_one_percent = partial(
    Capacity,
    law=laws["binary-capacity:recall"],
    experiment=binary_gram_experiment,
    size="N",
    threshold=0.99,
)
ALL_RIGHT = Capacity(
    "sharp",
    "All items are right, in nine memories of ten, up to 2 N log N = d.",
    law=laws["binary-capacity"],
    experiment=binary_gram_experiment,
    grid=Grid(every(at=(1024,))),
    size="N",
    threshold=MOSTLY,
    x_axis="d",
    draw=few_draws(2, 32),
)

CLAIM = Claim(
    id="binary-capacity",
    title="Capacity for two answers",
    source="bietti2025, bietti2024",
    order=4,
    parts=(
        at_one_percent(
            "source",
            "The capacity is proportional to d where a share may be lost: 1 % is at N = .185 d, at every d.",
            grid=share(7, 9, 11),
            x_axis="d",
            draw=few_draws(3, 64),
        ),
        at_one_percent(
            "exponent",
            "The capacity at 1 % of lost items grows like d, with no logarithm.",
            grid=share(*range(7, 13)),
            variable="d",
            families=PURE,
            omega=SERIES,
            draw=few_draws(1, 64),
        ),
        Capacity(
            "all-exponent",
            "Where all items must be right, items counted with their logarithm, N log N, grow like d.",
            law=laws["binary-capacity"],
            experiment=binary_gram_experiment,
            grid=Grid(every()),
            size="N",
            threshold=MOSTLY,
            variable="d",
            counted=with_logarithm,
            families=("power",),
            draw=few_draws(1),
        ),
        replace(
            ALL_RIGHT,
            name="all-items",
            text="All of d associations are recalled.",
            law=laws["binary-capacity:source"],
            erratum=laws["binary-capacity:source"].errata[0],
        ),
        ALL_RIGHT,
        Identity(
            "item-error",
            "The share of lost items is the tail of Student's t, exactly; about Phi(-sqrt(d/N)).",
            law=laws["binary-capacity:item-error"],
            experiment=binary_recall_experiment,
            grid=Grid(rows("d N", (16, 16), (16, 64), (32, 32))),
            x_axis="N",
        ),
        Constant(
            "cover",
            "Random labels are realised by some matrix with Cover's probability.",
            law=laws["binary-capacity:cover"],
            experiment=binary_labels_experiment,
            grid=Grid(rows("d N", (8, 14), (8, 16))),
            x_axis="N",
            draw=few_draws(5, 64),
        ),
        Capacity(
            "best-linear",
            "The best matrix holds 2 d random labels in half of the draws.",
            law=laws["binary-capacity:best-linear"],
            experiment=binary_labels_experiment,
            grid=Grid(settings(d=16, N=(26, 28, 31, 33, 36, 38))),  # the fewest sizes that a regression takes
            size="N",
            x_axis="d",
            draw=few_draws(2, 16),
        ),
    ),
)
