"""mlp-capacity: how many associations a layer of m neurons holds, constructed and trained."""

from dataclasses import replace
from functools import partial

from asymp.montecarlo.samplers.capacity.mlp_capacity import (
    mlp_capacity_experiment,
    mlp_error_experiment,
    mlp_recall_experiment,
    trained_load_experiment,
)
from asymp.reports.claim import Claim
from asymp.reports.claims.capacity import PURE, SERIES, around, octaves
from asymp.reports.claims.draws import STATED, lost
from asymp.reports.grid import Grid, settings
from asymp.reports.kinds import Capacity, Constant, Rate
from asymp.reports.kinds.drawing import few_draws, nightly
from asymp.theory import laws

SOURCE = laws["mlp-capacity:source"]
VARIED = (6, 8, 12, 16, 24, 32)


def loads(*shapes: tuple[int, int]) -> Grid:
    """Items counted with their logarithm, N log N, near the 3 m d that training reaches: six loads, a factor of 2.3 in all."""
    factors = [2 ** (j / 4) for j in (-3, -2, -1, 0, 1, 2)]
    return Grid(around({(d, m): 3 * m * d for d, m in shapes}, factors, "dm", size="load"))


# With a fixed number of candidates N = d (m/z^2 - 3)/(1 + 3 m/d^2), z a constant: corrections of order 1/m, 1/d and 1/d^2.
growth = partial(
    Rate,
    law=SOURCE,
    experiment=mlp_capacity_experiment,
    margin=0.1,
    families=PURE,
    omega=SERIES,
)
# Trained, the layer has m (2 d - 1) free parameters, since a neuron's two lengths are one: powers of 1/m and 1/d again.
trained = partial(
    Capacity,
    law=SOURCE,
    experiment=trained_load_experiment,
    size="load",
    families=PURE,
    omega=SERIES,
    draw=nightly(4),
)
HALF_RIGHT = Capacity(
    "sharp",
    "Half of the items are right at the size at which the finite-size curve says so, its logarithm included.",
    law=laws["mlp-capacity:half"],
    experiment=mlp_recall_experiment,
    grid=Grid(around({(64, 128): 480, (64, 512): 1540}, octaves(16), "dm")),
    size="N",
    draw=few_draws(1, 4, ranges={"d": (48, 128), "m": (96, 256)}, sizes=5),
)

CLAIM = Claim(
    id="mlp-capacity",
    title="Capacity of a layer of m neurons",
    source="bietti2025, bietti2024",
    order=6,
    parts=(
        growth(
            "source",
            "At a fixed number of candidates N grows like m, for m << d^2, below d and above.",
            # The factor 1 + 3 m/d^2 bends the other way: by 2 % at m = 512. Few neurons have few items to ask about, and cost
            # little: they are measured more often.
            grid=Grid(settings(d=256, m=(64, 96, 128, 192, 256, 384, 512)), weight=lambda setting: 512 // setting["m"]),
            variable="m",
            draw=few_draws(1, 4, ranges={"d": (96, 192)}, sizes=5),
        ),
        growth(
            "source-d",
            "At a fixed number of candidates N grows like d, below m and above.",
            grid=Grid(settings(d=(64, 96, 128, 192, 256, 384, 512, 768), m=128)),
            variable="d",
            draw=few_draws(1, 4, ranges={"m": (64, 128)}, sizes=5),
        ),
        HALF_RIGHT,
        Constant(
            "item-error",
            "The share of lost items follows the curve with no free parameter, where 50 to 90 % are lost.",
            law=laws["mlp-capacity:item-error"],
            experiment=mlp_error_experiment,
            grid=Grid(settings(d=64, m=512, N=(1600, 2200, 3200))),
            x_axis="N",
            draw=few_draws(
                21,
                4,
                fit=lost("mlp-capacity:item-error", 0.5, 0.9),
                ranges={"d": (24, 240), "m": (48, 480)},
                reason=STATED,
            ),
        ),
        trained(
            "trained",
            "Trained, the items counted as N log N grow like m.",
            grid=loads((12, 4), *((12, m) for m in VARIED)),
            variable="m",
        ),
        trained(
            "trained-d",
            "Trained, the items counted as N log N grow like d.",
            grid=loads(*((d, 12) for d in VARIED)),
            variable="d",
        ),
        replace(
            HALF_RIGHT,
            name="literal",
            text="N = m d literally, constructed: half of so many items are right.",
            law=SOURCE,
            erratum=SOURCE.errata[0],
        ),
    ),
)
