"""low-rank-capacity: how many associations a matrix of rank m holds, with one factor random and one step on the other."""

from dataclasses import replace
from functools import partial

from asymp.montecarlo.samplers.capacity.low_rank_capacity import (
    low_rank_capacity_experiment,
    low_rank_error_experiment,
    low_rank_recall_experiment,
    trained_low_rank_experiment,
)
from asymp.reports.claim import Claim
from asymp.reports.claims.capacity import PURE, around, octaves
from asymp.reports.claims.draws import STATED, lost
from asymp.reports.grid import Count, Grid, rows, settings
from asymp.reports.kinds import Capacity, Constant, Order, Rate
from asymp.reports.kinds.drawing import few_draws
from asymp.theory import laws

SOURCE = laws["low-rank-capacity:source"]
# Sizes at which half of the items are lost; d and m chosen so that N covers a decade.
HALF = {(256, 64): 960, (256, 128): 1580, (128, 128): 680, (256, 256): 2350, (512, 128): 3500, (1024, 256): 12600}
sizes = partial(around, HALF, octaves(16), "dm")
CURVE = settings(d=256, m=64, N=(600, 1000, 1800))


def few(most: int) -> Count:
    """A high rank costs more: fewer replicas there."""
    return lambda params: most if params["m"] <= 256 else most // 2 if params["m"] <= 512 else most // 4


# With a fixed number of candidates N = d (m/z^2 - 1)/(1 + m/d), z a constant.
growth = partial(Rate, law=SOURCE, experiment=low_rank_capacity_experiment, margin=0.1, families=PURE)
HALF_RIGHT = Capacity(
    "sharp",
    "Half of the items are right at the size at which the finite-size curve says so, its logarithm included.",
    law=laws["low-rank-capacity:half"],
    experiment=low_rank_recall_experiment,
    grid=Grid(
        sizes(at=((256, 64), (256, 128))),
        sizes(at=[setting for setting in HALF if setting[0] < 1024]),
        sizes(),
        replicas=(4, 16, 32),
    ),
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
            "At a fixed number of candidates N grows like d, for m << d.",
            grid=Grid(
                settings(d=tuple(4**k for k in range(5, 11)), m=64),
                settings(d=tuple(2**k for k in range(9, 21)), m=64),
                replicas=(12, 64, 128),
            ),
            variable="d",
            draw=few_draws(1, 4, ranges={"m": (32, 128)}, sizes=5),
        ),
        growth(
            "source-m",
            "At a fixed number of candidates N grows like m, for m << d.",
            grid=Grid(
                settings(d=2**20, m=(32, 64, 128, 256, 512, 1024)),
                settings(d=2**20, m=(32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)),
                replicas=(few(16), few(96), few(256)),
            ),
            variable="m",
            draw=few_draws(1, 4, ranges={"d": None}, sizes=5),
            decided_at="standard",
        ),
        HALF_RIGHT,
        Constant(
            "item-error",
            "The share of lost items follows the curve with no free parameter, where 15 to 85 % are lost.",
            law=laws["low-rank-capacity:item-error"],
            experiment=low_rank_error_experiment,
            grid=Grid(
                CURVE,
                [
                    *CURVE,
                    *settings(d=512, m=128, N=(2000, 3500, 6000)),
                    *settings(d=256, m=256, N=(1500, 2100, 3500)),
                ],
                replicas=(16, 64, 128),
            ),
            x_axis="N",
            draw=few_draws(
                21,
                4,
                fit=lost("low-rank-capacity:item-error", 0.15, 0.85),
                ranges={"d": (64, 640), "m": (32, 320)},
                reason=STATED,
            ),
        ),
        Order(
            "trained",
            "With both factors trained no more items are lost than with one random factor and one step on the other.",
            below=1,
            experiment=trained_low_rank_experiment,
            # twice as many items as the construction recalls, and fewer than the m (2 d - m) free numbers over log N
            grid=Grid(
                rows("d m N", (16, 8, 32)),
                rows("d m N", (16, 8, 32), (32, 8, 64), (32, 16, 128)),
                replicas=(32, 48, 64),
            ),
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
            text="N = m d literally: half of so many items are right.",
            law=SOURCE,
            erratum=SOURCE.errata[0],
        ),
    ),
)
