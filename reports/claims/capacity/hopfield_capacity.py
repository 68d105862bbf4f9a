"""hopfield-capacity: how many patterns of d bits a Hopfield net keeps as fixed points."""

from functools import partial

from asymp.montecarlo.samplers.capacity import hopfield_capacity as sampled
from asymp.reports.claims.capacity import PURE, around, octaves
from asymp.reports.declaring import Capacity, Claim, Grid, Identity, Rate, Setting, few_draws, laws, rows, settings

# The sizes at which one pattern, or all, are broken half of the time. Over a sixth to each side a parabola fits the logit of
# recall; over twice that it does not. Close enough to each other that the test which assumes no form tells 10 % as well.
ONE, EVERY = {256: 33, 1024: 100}, {256: 22, 512: 35}


def bits(params: Setting) -> Setting:
    """The law names the diagonal."""
    return {**params, "diagonal": params["kind"]}


fixed = partial(
    Capacity,
    law=laws["hopfield-capacity:half"],
    experiment=sampled.fixed_patterns_experiment,
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
            "The number of patterns of which a fixed number of bits must stay unchanged grows like d.",
            law=laws["hopfield-capacity:source"],
            experiment=sampled.bit_capacity_experiment,
            # A small net has few patterns to ask about, and its capacity is a small whole number: more of them.
            grid=Grid(settings(d=(128, 256, 512, 1024, 2048)), weight=lambda setting: max(1, 512 // setting["d"])),
            variable="d",
            margin=0.1,
            # A bit's signal is d - 1 and the variance of its noise (N - 1)(d - 1): for a fixed number of bits N - 1 is a multiple
            # of d - 1 and nothing else. That is 2/d off a power, 1.5 % at the smallest size, which moves the exponent by 0.005.
            families=("power",),
            draw=few_draws(1, 8),
        ),
        fixed(
            "sharp",
            "A pattern stays unchanged with probability one half at the number of patterns that follows if its d bits "
            "fail independently.",
            grid=Grid(around(ONE, octaves(20), items="one")),
        ),
        fixed(
            "all-patterns",
            "All N patterns stay unchanged with probability one half at the number that follows if their N d bits fail "
            "independently.",
            grid=Grid(around(EVERY, octaves(20), items="all")),
        ),
        Identity(
            "item-error",
            "The share of bits that change in one step is the binomial tail, with the diagonal or without.",
            law=laws["hopfield-capacity:item-error"],
            experiment=sampled.bit_error_experiment,
            grid=Grid(rows("d kind", (128, "zero"), (64, "kept"), N=64)),
            to_law=bits,
        ),
        Capacity(
            "with-errors",
            "With a few wrong bits allowed the capacity grows like d, without a logarithm.",
            law=laws["hopfield-capacity:with-errors"],
            experiment=sampled.near_patterns_experiment,
            # The share of nets that end near their pattern falls from most to few between 0.12 d and 0.4 d at these sizes.
            grid=Grid(
                around({d: 0.17 * d for d in (64, 80, 96, 128, 160, 192, 256)}, [2 ** (j / 5) for j in range(-3, 7)])
            ),
            size="N",
            variable="d",
            families=PURE,  # the share falls towards its limit as d grows
            draw=few_draws(1, 8),
        ),
    ),
)
