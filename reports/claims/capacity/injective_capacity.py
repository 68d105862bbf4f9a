"""injective-capacity: how many associations with all different answers a sum of outer products holds."""

from dataclasses import replace
from functools import partial

from asymp.montecarlo.samplers.capacity import injective_capacity as sampled
from asymp.reports.claims.capacity import PURE, around, spaced, with_logarithm
from asymp.reports.declaring import Capacity, Claim, Constant, Grid, Setting, few_draws, laws, rows, settings

# Sizes around the capacity. Recall of an item falls by .6 (d = 32) to 1 (large d) per factor e, of all items by 3 and more.
MIDDLE = spaced(-0.28, 0.08)
# Around what the law at finite size says for gaussian embeddings.
GROWTH_AT = {32: 98, 64: 348, 128: 1241, 256: 4415, 512: 15680}
# The law's own predictions, 8 N log N = d^2.
ALL_AT = {64: 109, 96: 215}


def growth(*dimensions: int) -> Grid:
    """Gaussian embeddings; recall falls more slowly at small dimensions, which cost little and are measured more often."""
    cells = around(GROWTH_AT, MIDDLE, at=dimensions, inputs="gaussian")
    return Grid(cells, weight=lambda cell: 512 // cell["d"])


def gaussian_outputs(params: Setting) -> Setting:
    """The d-free route has gaussian outputs."""
    return {**params, "outputs": "gaussian"}


half_right = partial(
    Capacity,
    law=laws["injective-capacity:half"],
    experiment=sampled.injective_item_experiment,
    to_law=gaussian_outputs,
    size="N",
)
ALL_RIGHT = Capacity(
    "sharp",
    "In half of the memories all associations are recalled as long as 8 N log N is at most d^2 (embeddings on the "
    "sphere, d near 100).",
    law=laws["injective-capacity"],
    experiment=sampled.injective_all_experiment,
    grid=Grid(around(ALL_AT, spaced(-0.42, 0.12))),
    size="N",
    x_axis="d",
    draw=few_draws(2, 32, ranges={"d": (16, 192)}, reason="a memory of hundreds of dimensions takes minutes"),
)

constant = partial(Constant, law=laws["injective-capacity:item-error"], x_axis="N")

CLAIM = Claim(
    id="injective-capacity",
    title="Capacity for all different answers",
    source="bietti2025, bietti2024",
    order=1,
    parts=(
        half_right(
            "source",
            "Half of N associations are recalled when N solves a finite-size form of 2 N log N = d^2: this N grows "
            "like d^2, up to a logarithm.",
            grid=growth(32, 128, 512),
            x_axis="d",
            draw=few_draws(2, 64),
        ),
        half_right(
            "exponent",
            "The number N of associations of which half are recalled grows like d^2 up to a logarithm: N log N grows "
            "like d^2.",
            # the same settings and others: an exponent takes four sizes at least
            grid=growth(*GROWTH_AT),
            variable="d",
            counted=with_logarithm,  # N log N/d^2 rises from .44 at d = 32 to .58
            families=PURE,
            draw=few_draws(1, 64),
        ),
        replace(
            ALL_RIGHT,
            name="literal",
            text="A memory recalls all of N = d^2 associations.",
            law=laws["injective-capacity:source"],
            erratum=laws["injective-capacity:source"].errata[0],
        ),
        ALL_RIGHT,
        Capacity(
            "one-item",
            "A single association is recalled with probability one half when N solves the finite-size form of 2 N log "
            "N = d^2.",
            law=laws["injective-capacity:half"],
            experiment=sampled.injective_recall_experiment,
            # at d = 32 the law of the share of lost items is a tenth off on the sphere
            grid=Grid(around({64: 378}, MIDDLE)),
            size="N",
            x_axis="d",
            draw=few_draws(2, 4, ranges={"d": (16, 160)}, sizes=5),
        ),
        constant(
            "curve",
            "The share of associations that are lost follows a curve without any free parameter; at N = d^2 it is .986 and "
            "more.",
            experiment=sampled.injective_item_experiment,
            grid=Grid(
                [
                    *settings(d=32, N=(64, 128, 1024), inputs="gaussian", count="lost"),
                    *settings(d=64, N=(256, 512), inputs="sphere", count="lost"),
                    *settings(d=128, N=(1024, 2048), inputs="gaussian", count="lost"),
                ]
            ),
            to_law=gaussian_outputs,
        ),
        constant(
            "sphere-curve",
            "The share of associations that are lost follows the same curve for embeddings on the sphere, where the "
            "matrix itself is formed.",
            experiment=sampled.injective_recall_experiment,
            grid=Grid(rows("d N", (32, 1024), (64, 372), count="lost")),
            draw=few_draws(3, 4),
        ),
    ),
)
