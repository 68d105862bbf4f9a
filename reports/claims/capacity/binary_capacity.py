"""binary-capacity: how many associations with two possible answers a memory holds."""

from dataclasses import replace
from functools import partial

from asymp.montecarlo.samplers.capacity import binary_capacity as sampled
from asymp.reports.claims.capacity import PURE, SERIES, around, spaced, with_logarithm
from asymp.reports.declaring import Capacity, Claim, Constant, Grid, Identity, few_draws, laws, rows, settings

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
    Capacity, law=laws["binary-capacity:recall"], experiment=sampled.binary_gram_experiment, size="N", threshold=0.99
)
ALL_RIGHT = Capacity(
    "sharp",
    "All items are right, in nine memories of ten, up to 2 N log N = d.",
    law=laws["binary-capacity"],
    experiment=sampled.binary_gram_experiment,
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
            "With two possible answers and 1 % of errors allowed, a memory holds N = .185 d associations, in every dimension.",
            grid=share(7, 9, 11),
            x_axis="d",
            draw=few_draws(3, 64),
        ),
        at_one_percent(
            "exponent",
            "The number of associations at 1 % of errors grows like d, without a logarithm.",
            grid=share(*range(7, 13)),
            variable="d",
            families=PURE,
            omega=SERIES,
            draw=few_draws(1, 64),
        ),
        Capacity(
            "all-exponent",
            "When all associations must be right, their number N grows like d up to a logarithm: N log N grows like d.",
            law=laws["binary-capacity"],
            experiment=sampled.binary_gram_experiment,
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
            text="A memory recalls all of N = d associations with two possible answers.",
            law=laws["binary-capacity:source"],
            erratum=laws["binary-capacity:source"].errata[0],
        ),
        ALL_RIGHT,
        Identity(
            "item-error",
            "The share of associations that are lost is exactly a tail of Student's t distribution, which is about "
            "Phi(-sqrt(d/N)).",
            law=laws["binary-capacity:item-error"],
            experiment=sampled.binary_recall_experiment,
            grid=Grid(rows("d N", (16, 16), (16, 64), (32, 32))),
            x_axis="N",
        ),
        Constant(
            "cover",
            "Random labels are realised by some matrix with Cover's probability.",
            law=laws["binary-capacity:cover"],
            experiment=sampled.binary_labels_experiment,
            grid=Grid(rows("d N", (8, 14), (8, 16))),
            x_axis="N",
            draw=few_draws(5, 64),
        ),
        Capacity(
            "best-matrix",
            "The best matrix holds 2 d random labels in half of the draws.",
            law=laws["binary-capacity:best-linear"],
            experiment=sampled.binary_labels_experiment,
            grid=Grid(settings(d=16, N=(26, 28, 31, 33, 36, 38))),  # the fewest sizes that a regression takes
            size="N",
            x_axis="d",
            draw=few_draws(2, 16),
        ),
    ),
)
