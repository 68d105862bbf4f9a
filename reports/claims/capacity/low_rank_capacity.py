"""low-rank-capacity: how many associations a matrix of rank m holds, with one factor random and one step on the other."""

from dataclasses import replace
from functools import partial

from asymp.montecarlo.samplers.capacity import low_rank_capacity as sampled
from asymp.reports.claims.capacity import PURE, around, octaves
from asymp.reports.claims.draws import with_losses
from asymp.reports.declaring import Capacity, Claim, Constant, Grid, Order, Rate, few_draws, laws, settings

SOURCE = laws["low-rank-capacity:source"]
# With a fixed number of candidates N = d (m/z^2 - 1)/(1 + m/d), z a constant.
growth = partial(Rate, law=SOURCE, experiment=sampled.low_rank_capacity_experiment, margin=0.1, families=PURE)
HALF_RIGHT = Capacity(
    "sharp",
    "Half of the associations are recalled at the number that the finite-size law gives, its logarithm included.",
    law=laws["low-rank-capacity:half"],
    experiment=sampled.low_rank_recall_experiment,
    grid=Grid(around({(256, 64): 960, (256, 128): 1580}, octaves(16), "dm")),
    size="N",
    draw=few_draws(1, 4, ranges={"d": (128, 512), "m": (48, 192)}, sizes=5),
)

CLAIM = Claim(
    id="low-rank-capacity",
    title="Capacity of a matrix of rank m",
    source="bietti2025, bietti2024",
    order=5,
    parts=(
        growth(
            "source",
            "If each answer competes with a fixed number of others, the number N of associations grows like d, as long as d is "
            "well above the rank m.",
            grid=Grid(settings(d=tuple(4**k for k in range(5, 11)), m=64)),
            variable="d",
            draw=few_draws(1, 4, ranges={"m": (32, 128)}, sizes=5),
        ),
        growth(
            "source-m",
            "If each answer competes with a fixed number of others, N grows like the rank m, for m well below d.",
            # a high rank costs more
            grid=Grid(
                settings(d=2**20, m=(32, 64, 128, 256, 512, 1024)), weight=lambda setting: min(4, 1024 // setting["m"])
            ),
            variable="m",
            draw=few_draws(1, 4, ranges={"d": None}, sizes=5),
        ),
        HALF_RIGHT,
        Constant(
            "item-error",
            "The share of associations that are lost follows a curve without any free parameter, where it is between 15 and 85 "
            "%.",
            law=laws["low-rank-capacity:item-error"],
            experiment=sampled.low_rank_error_experiment,
            grid=Grid(settings(d=256, m=64, N=(600, 1000, 1800))),
            x_axis="N",
            draw=with_losses("low-rank-capacity:item-error", 0.15, 0.85, d=(64, 640), m=(32, 320)),
        ),
        Order(
            "trained",
            "With both factors trained no more items are lost than with one random factor and one step on the other, in at "
            "least three of four runs.",
            below=1,
            experiment=sampled.trained_low_rank_experiment,
            # twice as many items as the construction recalls, and fewer than the m (2 d - m) free numbers over log N
            grid=Grid(settings(d=16, m=8, N=32)),
            quantity="ratio",
            about=("d", "m", "N"),
            stated_in="asymp, two factors that fit the items against one random factor and one step",
            conventions="The quantity: items that a product of two d x m factors, both trained, loses, over those that this W "
            "loses. A matrix of rank m has m (2 d - m) free numbers, and the construction uses m d of them.",
            draw=few_draws(5, 8, trained=True, reason="a setting trains some dozens of memories"),
        ),
        replace(
            HALF_RIGHT,
            name="literal",
            text="A matrix of rank m recalls half of N = m d associations.",
            law=SOURCE,
            erratum=SOURCE.errata[0],
        ),
    ),
)
