"""dense-capacity: how many patterns a dense associative memory with an energy of degree k keeps."""

from dataclasses import replace
from functools import partial

from asymp.montecarlo.samplers.capacity.dense_capacity import (
    bit_capacity_experiment,
    bit_error_experiment,
    fixed_patterns_experiment,
)
from asymp.reports.claim import Claim
from asymp.reports.claims.capacity import PURE, SERIES, around, octaves
from asymp.reports.grid import Count, Grid, Setting, rows, settings
from asymp.reports.kinds import Capacity, Constant, Rate
from asymp.reports.kinds.drawing import few_draws
from asymp.theory import laws

SOURCE = laws["dense-capacity:source"]
# The grown sizes, as shares of d^(k-1), around 1/(3 (2k-3)!!): 16 bits hold with probability one half there.
cubic = partial(settings, k=3, low=0.03, high=0.4)
quartic = partial(settings, k=4, low=0.007, high=0.08)
# The sizes at which a pattern is broken half of the time. Over a sixth to each side a parabola fits the logit of recall; over
# twice that it does not. Close enough to each other that the test which assumes no form tells 10 % as well.
HALF = {(256, 2): 34, (1024, 2): 101, (96, 3): 503, (128, 3): 830, (192, 3): 1700, (32, 4): 512, (48, 4): 1500}
sizes = partial(around, HALF, octaves(20), "dk", kind="dense")
bits = partial(rows, "d N k", kind="dense")


def few_are_noisy(most: int) -> Count:
    """Fewer replicas where a replica is a large memory."""
    return lambda params: most if params["d"] ** (params["k"] - 1) < 40000 else most // 2


def wide_enough(params: Setting) -> int:
    """A replica's spread is 17 % (k = 3) and 13 % (k = 4): 98 % intervals of 0.12 and 0.08 in the exponent."""
    table = {64: 384, 96: 256, 128: 192, 192: 96, 256: 96} if params["k"] == 3 else {24: 768, 32: 768, 40: 512, 48: 384}
    return table.get(params["d"], 64 if params["k"] == 3 else 288)


FIXED = Capacity(
    "sharp",
    "A pattern is a fixed point half of the time at the size that d independent bits give.",
    law=laws["dense-capacity:half"],
    experiment=fixed_patterns_experiment,
    grid=Grid(sizes(at=((256, 2), (96, 3), (32, 4))), sizes(), replicas=(32, 128, 512)),
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
            "At a fixed number of bits that must stay N grows like d^(k-1), for k = 3 and 4.",
            law=SOURCE,
            experiment=bit_capacity_experiment,
            grid=Grid(
                [*cubic(d=(64, 96, 128, 192, 256)), *quartic(d=(24, 32, 40, 48, 64))],
                [*cubic(d=(64, 96, 128, 192, 256, 384, 512)), *quartic(d=(24, 32, 40, 48, 64, 80, 96))],
                replicas=(few_are_noisy(16), wide_enough, few_are_noisy(1024)),
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
            decided_at="standard",
        ),
        FIXED,
        Constant(
            "item-error",
            "The share of bits that change is the normal tail with the exact signal and noise.",
            law=laws["dense-capacity:item-error"],
            experiment=bit_error_experiment,
            grid=Grid(
                bits((128, 64, 2), (48, 400, 3), (32, 1500, 4)),
                [
                    *bits((128, 40, 2), (128, 64, 2), (48, 200, 3), (48, 400, 3)),
                    *bits((96, 1000, 3), (32, 1000, 4), (32, 1500, 4)),
                ],
                replicas=(192, 1024, 4096),
            ),
            x_axis="N",
            draw=few_draws(26, 8, ranges={"d": (16, 160), "N": (64, 1500)}),
        ),
        replace(
            FIXED,
            name="literal",
            text="N = d^(k-1) literally, every bit right: half of so many patterns are fixed points.",
            law=SOURCE,
            erratum=SOURCE.errata[0],
        ),
    ),
)
