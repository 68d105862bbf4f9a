"""mlp-capacity: how many associations a layer of m neurons holds, constructed and trained."""

import math
from dataclasses import replace
from functools import partial

from asymp.montecarlo.samplers.capacity import mlp_capacity as sampled
from asymp.reports.claims.capacity import PURE, SERIES, around, octaves
from asymp.reports.claims.draws import with_losses
from asymp.reports.declaring import (
    Capacity,
    Cell,
    Claim,
    Constant,
    Grid,
    Order,
    Rate,
    few_draws,
    laws,
    nightly,
    settings,
)

SOURCE = laws["mlp-capacity:source"]
VARIED = (6, 8, 12, 16, 24, 32)


def loads(*shapes: tuple[int, int]) -> Grid:
    """Items counted with their logarithm, N log N, near the 3 m d that training reaches: six loads, a factor of 2.3 in all."""
    factors = [2 ** (j / 4) for j in (-3, -2, -1, 0, 1, 2)]
    return Grid(around({(d, m): 3 * m * d for d, m in shapes}, factors, "dm", size="load"))


def filled(d: int, m: int, k: int = 0) -> Cell:
    """N = m d/(8 log N) items, and unless it is given the degree 1 + log m/log d, rounded up, which is about log N/log d."""
    N = m * d / 8
    for _ in range(60):
        N = m * d / (8 * math.log(N))
    return {"d": d, "m": m, "N": round(N), "k": k or 1 + math.ceil(math.log(m) / math.log(d))}


# With a fixed number of candidates N = d (m/z^2 - 3)/(1 + 3 m/d^2), z a constant: corrections of order 1/m, 1/d and 1/d^2.
growth = partial(Rate, law=SOURCE, experiment=sampled.mlp_capacity_experiment, margin=0.1, families=PURE, omega=SERIES)
# Trained, the layer has m (2 d - 1) free parameters, since a neuron's two lengths are one: powers of 1/m and 1/d again.
trained = partial(
    Capacity,
    law=SOURCE,
    experiment=sampled.trained_load_experiment,
    size="load",
    families=PURE,
    omega=SERIES,
    draw=nightly(4),
)
recalled = partial(
    Order,
    experiment=sampled.mlp_recall_experiment,
    quantity="A",
    about=("d", "m", "N", "k"),
    stated_in="bietti2025, slide on capacity and number of parameters, non-linear MLP (also bietti2024)",
    conventions="A is the share of the items that are right, among all N answers.",
    draw=few_draws(0, 2, ranges={"d": None, "m": None, "N": None, "k": None}),
)
HALF_RIGHT = Capacity(
    "sharp",
    "Half of the associations are recalled at the number that the finite-size law gives, its logarithm included.",
    law=laws["mlp-capacity:half"],
    experiment=sampled.mlp_recall_experiment,
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
            "If each answer competes with a fixed number of others, the number N of associations grows like the width m, from "
            "below d to above it, for m well below d^2.",
            # The factor 1 + 3 m/d^2 bends the other way: by 2 % at m = 512. Few neurons have few items to ask about, and cost
            # little: they are measured more often.
            grid=Grid(settings(d=256, m=(64, 96, 128, 192, 256, 384, 512)), weight=lambda setting: 512 // setting["m"]),
            variable="m",
            draw=few_draws(1, 4, ranges={"d": (96, 192)}, sizes=5),
        ),
        growth(
            "source-d",
            "If each answer competes with a fixed number of others, N grows like d, from below m to above it.",
            grid=Grid(settings(d=(64, 96, 128, 192, 256, 384, 512, 768), m=128)),
            variable="d",
            draw=few_draws(1, 4, ranges={"m": (64, 128)}, sizes=5),
        ),
        HALF_RIGHT,
        Constant(
            "item-error",
            "The share of associations that are lost follows a curve without any free parameter, where it is between 50 and 90 "
            "%.",
            law=laws["mlp-capacity:item-error"],
            experiment=sampled.mlp_error_experiment,
            grid=Grid(settings(d=64, m=512, N=(1600, 2200, 3200))),
            x_axis="N",
            draw=with_losses("mlp-capacity:item-error", 0.5, 0.9, d=(24, 240), m=(48, 480)),
        ),
        trained(
            "trained",
            "After training, the number N of associations that are held grows like the width m up to a logarithm: N "
            "log N grows like m.",
            grid=loads((12, 4), *((12, m) for m in VARIED)),
            variable="m",
        ),
        trained(
            "trained-d",
            "After training, the number N of associations that are held grows like d up to a logarithm: N log N grows "
            "like d.",
            grid=loads(*((d, 12) for d in VARIED)),
            variable="d",
        ),
        recalled(
            "any-width",
            "At widths from d/4 to d^2 a layer holds N = m d/(8 log N) items, if its Hermite polynomials have a degree "
            "of about log N/log d: more than half of them are right, in at least three of four runs.",
            above=0.5,
            grid=Grid([filled(64, m) for m in (16, 256, 4096)]),
        ),
        recalled(
            "fixed-degree",
            "The degree has to grow: with degree 1 a layer of d^2 neurons has fewer than half of that many items "
            "right, in at least three of four runs.",
            below=0.5,
            grid=Grid([filled(64, 4096, k=1)]),
        ),
        replace(
            HALF_RIGHT,
            name="literal",
            text="A constructed layer of m neurons recalls half of N = m d associations.",
            law=SOURCE,
            erratum=SOURCE.errata[0],
        ),
    ),
)
