"""injective-capacity: how many associations with all different answers a sum of outer products holds."""

from dataclasses import replace
from functools import partial

from asymp.montecarlo.samplers.capacity.injective_capacity import (
    injective_all_experiment,
    injective_item_experiment,
    injective_recall_experiment,
)
from asymp.reports.claim import Claim
from asymp.reports.claims.capacity import PURE, around, by, spaced, with_logarithm
from asymp.reports.grid import Grid, Setting, rows, settings
from asymp.reports.kinds import Capacity, Constant
from asymp.reports.kinds.drawing import few_draws
from asymp.theory import laws

# Sizes around the capacity. Recall of an item falls by .6 (d = 32) to 1 (large d) per factor e, of all items by 3 and more.
MIDDLE, NARROW = spaced(-0.28, 0.08), spaced(-0.42, 0.12)
# Around what the law at finite size says for gaussian embeddings.
GROWTH_AT = {32: 98, 64: 348, 128: 1241, 256: 4415, 512: 15680, 1024: 55870, 2048: 201000}
growth = partial(around, GROWTH_AT, MIDDLE, inputs="gaussian")
# The law's own predictions, 8 N log N = d^2.
ALL_AT = {64: 109, 96: 215, 128: 350, 192: 703, 256: 1161, 384: 2372}
every = partial(around, ALL_AT, NARROW)
# From d = 64 on: at d = 32 the law of the share of lost items is a tenth off on the sphere.
HALF_AT = {64: 350, 96: 703, 128: 1161, 192: 2372, 256: 3956, 512: 13755}
half = partial(around, {d: 1.08 * N for d, N in HALF_AT.items()}, MIDDLE)
gaussian = partial(settings, inputs="gaussian", count="lost")
sphere = partial(settings, inputs="sphere", count="lost")


def gaussian_outputs(params: Setting) -> Setting:
    """The d-free route has gaussian outputs."""
    return {**params, "outputs": "gaussian"}


# Replicas from the wanted errors. One item a replica: a share p has the relative error sqrt((1 - p)/(p n)), 1.7 % at
# p = .31 and n = 8192. A capacity has the error sqrt(.25/n)/slope, n replicas in all near it: 1 to 2 %.
def curve_replicas(params: Setting) -> int:
    """More at the standard preset, whose cells go down to p = .14; fewer where p is above one half."""
    return 65536 if params["N"] <= 1024 else 8192 if params["N"] <= 4096 else 2048


# Pairs of items a size.
GROWTH = (
    by("d", {32: 3072, 64: 1024, 128: 1024}, 256),
    by("d", {32: 8192, 64: 8192, 128: 4096, 256: 2048, 512: 1024}, 512),
)
half_right = partial(
    Capacity,
    law=laws["injective-capacity:half"],
    experiment=injective_item_experiment,
    to_law=gaussian_outputs,
    size="N",
)
ALL_RIGHT = Capacity(
    "sharp",
    "All items are right in half of the memories up to 8 N log N = d^2, on the sphere around d = 100.",
    law=laws["injective-capacity"],
    experiment=injective_all_experiment,
    grid=Grid(
        every(at=(64, 96)),
        every(at=(64, 96, 128, 192, 256)),
        every(),
        replicas=(lambda params: 256 if params["d"] <= 64 else 128, 128),
    ),
    size="N",
    x_axis="d",
    draw=few_draws(2, 32, ranges={"d": (16, 192)}, reason="a memory of hundreds of dimensions takes minutes"),
)

CLAIM = Claim(
    id="injective-capacity",
    title="Capacity for all different answers",
    source="bietti2025, bietti2024",
    order=1,
    parts=(
        half_right(
            "source",
            "The capacity grows as d^2 but for its logarithm: half of the items are right at the finite-size form of "
            "2 N log N = d^2, at every d with no free parameter; gaussian embeddings.",
            grid=Grid(growth(at=(32, 128, 512)), growth(at=(32, 64, 128, 256, 512, 1024)), growth(), replicas=GROWTH),
            x_axis="d",
            draw=few_draws(2, 64),
        ),
        half_right(
            "exponent",
            "Items counted with their logarithm, N log N, grow like d^2; half of the items right.",
            # the same settings; an exponent takes four sizes at least
            grid=Grid(
                growth(at=(32, 64, 128, 256, 512)),
                growth(at=(32, 64, 128, 256, 512, 1024)),
                growth(),
                replicas=GROWTH,
            ),
            variable="d",
            counted=with_logarithm,  # N log N/d^2 rises from .44 at d = 32 to .58
            families=PURE,
            draw=few_draws(1, 64),
        ),
        replace(
            ALL_RIGHT,
            name="literal",
            text="All of d^2 associations are recalled.",
            law=laws["injective-capacity:source"],
            erratum=laws["injective-capacity:source"].errata[0],
        ),
        ALL_RIGHT,
        Capacity(
            "one-item",
            "An item is right half of the time at the finite-size form of 2 N log N = d^2.",
            law=laws["injective-capacity:half"],
            experiment=injective_recall_experiment,
            grid=Grid(
                half(at=(64,)),
                half(at=(64, 96, 128, 192, 256)),
                half(),
                replicas=(48, lambda params: max(12, 8192 // int(params["d"]))),
            ),
            size="N",
            x_axis="d",
            draw=few_draws(2, 4, ranges={"d": (16, 160)}, sizes=5),
        ),
        Constant(
            "curve",
            "The share of lost items is the law's with no free parameter, gaussian outputs; .986 and more at N = d^2.",
            law=laws["injective-capacity:item-error"],
            experiment=injective_item_experiment,
            grid=Grid(
                [
                    *gaussian(d=32, N=(64, 128, 1024)),
                    *sphere(d=64, N=(256, 512)),
                    *gaussian(d=128, N=(1024, 2048)),
                ],
                [
                    *gaussian(d=32, N=(43, 64, 128, 256, 1024)),
                    *sphere(d=64, N=(171, 256, 512, 4096)),
                    *gaussian(d=128, N=(683, 1024, 2048, 4096, 16384)),
                    *sphere(d=512, N=(10923, 16384, 32768)),
                ],
                replicas=(4096, curve_replicas),
            ),
            to_law=gaussian_outputs,
            x_axis="N",
        ),
        Constant(
            "sphere-curve",
            "The same for embeddings on the sphere, from the matrix itself.",
            law=laws["injective-capacity:item-error"],
            experiment=injective_recall_experiment,
            grid=Grid(
                rows("d N", (32, 1024), (64, 372), count="lost"),
                rows("d N", *((64, N) for N in (256, 372, 512, 4096)), (128, 1024), (128, 2048), count="lost"),
                replicas=(192, 512),
            ),
            x_axis="N",
            draw=few_draws(3, 4),
        ),
    ),
)
