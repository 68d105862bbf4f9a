"""hopfield-capacity: how many patterns of d bits a Hopfield net keeps as fixed points."""

from functools import partial
from typing import Any

from asymp.montecarlo.samplers.capacity.hopfield_capacity import (
    bit_capacity_experiment,
    bit_error_experiment,
    fixed_patterns_experiment,
    near_patterns_experiment,
)
from asymp.reports.claim import Claim
from asymp.reports.claims.capacity import PURE, around, octaves
from asymp.reports.grid import Count, Grid, Setting, rows, settings
from asymp.reports.kinds import Capacity, Identity, Rate
from asymp.reports.kinds.drawing import few_draws
from asymp.theory import laws

# The sizes at which one pattern, or all, are broken half of the time. Over a sixth to each side a parabola fits the logit of
# recall; over twice that it does not. Close enough to each other that the test which assumes no form tells 10 % as well.
one = partial(around, {128: 20, 256: 33, 512: 57, 1024: 100, 2048: 176}, octaves(20), items="one")
every = partial(around, {128: 14, 256: 22, 512: 35, 1024: 58}, octaves(20), items="all")
BITS = ((17, 12), (64, 64), (128, 64), (256, 100), (500, 150))


def near(*dimensions: int) -> list[dict[str, Any]]:
    """The share of nets that end near their pattern falls from most to few between 0.12 d and 0.4 d at these sizes."""
    return around({d: 0.17 * d for d in dimensions}, [2 ** (j / 5) for j in range(-3, 7)])


def few_are_noisy(most: int) -> Count:
    """A small net has few patterns to ask about, and its capacity is a small whole number."""
    return lambda params: max(16, most * 128 // params["d"])


def bits(params: Setting) -> Setting:
    """The law names the diagonal."""
    return {**params, "diagonal": params["kind"]}


fixed = partial(
    Capacity,
    law=laws["hopfield-capacity:half"],
    experiment=fixed_patterns_experiment,
    size="N",
    draw=few_draws(2, 16, sizes=5),
)

CLAIM = Claim(
    id="hopfield-capacity",
    title="Patterns that a Hopfield net keeps",
    source="bietti2025",
    order=10,
    parts=(
        Rate(
            "source",
            "At a fixed number of bits that must stay N grows like d.",
            law=laws["hopfield-capacity:source"],
            experiment=bit_capacity_experiment,
            grid=Grid(
                settings(d=(128, 256, 512, 1024, 2048)),
                settings(d=(128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096)),
                replicas=(few_are_noisy(64), few_are_noisy(512), few_are_noisy(2048)),
            ),
            variable="d",
            margin=0.1,
            # A bit's signal is d - 1 and the variance of its noise (N - 1)(d - 1): for a fixed number of bits N - 1 is a multiple
            # of d - 1 and nothing else. That is 2/d off a power, 1.5 % at the smallest size, which moves the exponent by 0.005.
            families=("power",),
            draw=few_draws(1, 8),
        ),
        fixed(
            "sharp",
            "A pattern is a fixed point half of the time at the size that d independent bits give.",
            grid=Grid(one(at=(256, 1024)), one(), replicas=(64, 256, 1024)),
        ),
        fixed(
            "all-patterns",
            "All patterns are fixed points half of the time at the size that N d independent bits give.",
            grid=Grid(every(at=(256, 512)), every(), replicas=(128, 1024, 4096)),
        ),
        Identity(
            "item-error",
            "The share of bits that change in one step is the binomial tail, with the diagonal or without.",
            law=laws["hopfield-capacity:item-error"],
            experiment=bit_error_experiment,
            grid=Grid(
                rows("d kind", (128, "zero"), (64, "kept"), N=64),
                [cell for d, N in BITS for cell in settings(d=d, N=N, kind=("zero", "kept"))],
                replicas=(8192, 16384, 65536),
            ),
            to_law=bits,
        ),
        Capacity(
            "with-errors",
            "With a few wrong bits allowed the capacity grows like d, without a logarithm.",
            law=laws["hopfield-capacity:with-errors"],
            experiment=near_patterns_experiment,
            grid=Grid(near(64, 80, 96, 112, 128), near(64, 80, 96, 128, 160, 192, 256), replicas=(16, 96, 512)),
            size="N",
            variable="d",
            families=PURE,  # the share falls towards its limit as d grows
            draw=few_draws(1, 8),
            decided_at="standard",
        ),
    ),
)
