"""dense-capacity: how many patterns a dense associative memory with an energy of degree k keeps."""

from dataclasses import replace

from asymp.montecarlo.samplers.capacity import dense_capacity as sampled
from asymp.reports.claims.capacity import PURE, SERIES, around, octaves
from asymp.reports.declaring import Capacity, Claim, Constant, Grid, Rate, few_draws, laws, rows, settings

SOURCE = laws["dense-capacity:source"]
# The sizes at which a pattern is broken half of the time. Over a sixth to each side a parabola fits the logit of recall; over
# twice that it does not. Close enough to each other that the test which assumes no form tells 10 % as well.
HALF = {(256, 2): 34, (96, 3): 503, (32, 4): 512}
FIXED = Capacity(
    "sharp",
    "A pattern stays unchanged with probability one half at the number of patterns that follows if its d bits fail "
    "independently.",
    law=laws["dense-capacity:half"],
    experiment=sampled.fixed_patterns_experiment,
    grid=Grid(around(HALF, octaves(20), "dk", kind="dense")),
    size="N",
    draw=few_draws(2, 16, sizes=5),
)

CLAIM = Claim(
    id="dense-capacity",
    title="Patterns that a dense memory keeps",
    source="bietti2025",
    order=11,
    parts=(
        Rate(
            "source",
            "The number of patterns of which a fixed number of bits must stay unchanged grows like d^(k-1), for k = 3 and 4.",
            law=SOURCE,
            experiment=sampled.bit_capacity_experiment,
            # The grown sizes, as shares of d^(k-1), around 1/(3 (2k-3)!!): 16 bits hold with probability one half there. Small
            # memories spread as much as large ones, and cost little.
            grid=Grid(
                [
                    *settings(k=3, low=0.03, high=0.4, d=(64, 96, 128, 192, 256)),
                    *settings(k=4, low=0.007, high=0.08, d=(24, 32, 40, 48, 64)),
                ],
                weight=lambda cell: 4 if cell["d"] ** cell["k"] < 2**20 else 1,
            ),
            variable="d",
            margin=0.1,
            # (N - 1) times the variance of a pattern's noise is the squared signal over a constant, d^(k-1) (1 - 1.6/d + ...) at
            # k = 3 and d^(k-1) (1 - 1.4/d + ...) at k = 4. Powers of 1/d, and small: the exact signal and variance put N d^(1-k)
            # 2.4 % below its limit at k = 3, d = 64, and 5.1 % at k = 4, d = 24.
            families=PURE,
            kappa=(-0.1, 0.1),
            omega=SERIES,
            draw=few_draws(1, 8),
        ),
        FIXED,
        Constant(
            "item-error",
            "The share of bits that change is the normal tail with the exact signal and noise.",
            law=laws["dense-capacity:item-error"],
            experiment=sampled.bit_error_experiment,
            grid=Grid(rows("d N k", (128, 64, 2), (48, 400, 3), (32, 1500, 4), kind="dense")),
            x_axis="N",
            draw=few_draws(26, 8, ranges={"d": (16, 160), "N": (64, 1500)}),
        ),
        replace(
            FIXED,
            name="literal",
            text="With every bit required to be right, half of N = d^(k-1) patterns stay unchanged.",
            law=SOURCE,
            erratum=SOURCE.errata[0],
        ),
    ),
)
