"""best-linear: how many associations the best d x d matrix holds, however it is found."""

import math
from functools import partial

from asymp.montecarlo.samplers.capacity.best_linear import best_linear_experiment, trained_linear_experiment
from asymp.reports.claims.draws import CERTIFICATES
from asymp.reports.declaring import Capacity, Cell, Claim, Grid, Order, Setting, few_draws, laws, rows
from asymp.theory.functions.recall.cone_distance import pooled

# Around what the law at finite size says, 14.9, 22.2, 40.0 and 61.7: the change from yes to no takes about a fifth of that at
# d = 8.
SIZES = {
    6: (11, 13, 14, 16, 17, 19),
    8: (18, 20, 21, 22, 23, 24, 26, 28),  # every whole number around the capacity: one item is 5 %
    12: (34, 37, 39, 41, 44, 47),
    16: (54, 58, 61, 64, 67, 71),
}
# The published sizes, d^2 = 1.3 N log N, rounded down.
PUBLISHED = ((8, 17), (16, 50), (32, 155), (64, 506))


def sizes(*dimensions: int) -> Grid:
    """All sizes at some dimensions. A share of one half has a slope of 4 (d = 8) to 9 (d = 16) per log N: more at small d."""
    return Grid(
        [{"d": d, "N": N} for d in dimensions for N in SIZES[d]], weight=lambda cell: 4 if cell["d"] <= 8 else 1
    )


def with_cost(params: Setting, N: float) -> float:
    """N items, each with the E dist^2 that it costs: 2 log N to leading order, and then a power of d."""
    return float(N * pooled(N))


def published(cell: Cell) -> Cell:
    """The largest N with 1.3 N log N <= d^2."""
    N = 2
    while 1.3 * (N + 1) * math.log(N + 1) <= cell["d"] ** 2:
        N += 1
    return {**cell, "N": N}


exists = partial(Capacity, experiment=best_linear_experiment, size="N")

CLAIM = Claim(
    id="best-linear",
    title="Capacity of the best linear memory",
    source="arxiv2605.10795, arxiv2605.05189",
    order=2,
    parts=(
        exists(
            "sharp",
            "In half of the draws there is a matrix that recalls all N associations when N times the mean squared "
            "distance from a cone equals d^2; for large N this is 2 N log N = d^2.",
            law=laws["best-linear:cone"],
            grid=sizes(8, 16),
            x_axis="d",
            draw=few_draws(10, 4, ranges={"d": (4, 12)}, sizes=3, reason=CERTIFICATES),
        ),
        exists(
            "exponent",
            "The number N of associations that the best matrix recalls, times the mean squared distance that each of "
            "them costs, grows like d^2.",
            law=laws["best-linear:cone"],
            # the same settings and others: an exponent takes four sizes at least
            grid=sizes(6, 8, 12, 16),
            variable="d",
            counted=with_cost,
            families=("power",),  # its logarithm and finite-size terms are counted
            draw=few_draws(1, 4, reason=CERTIFICATES),
        ),
        exists(
            "from-above",
            "The best matrix recalls more associations than the leading order 2 N log N = d^2 says.",
            law=laws["best-linear:from-above"],
            # from sizes below the bound, 12.6 and 35.8, so that data could refute it
            grid=Grid([*rows("d N", (8, 9), (8, 12), (16, 27), (16, 35)), *sizes(8, 16).settings]),
            x_axis="d",
            draw=few_draws(2, 4, ranges={"d": (4, 12)}, sizes=3, reason=CERTIFICATES),
        ),
        Order(
            "trained",
            "In at least three of four runs a matrix trained by Adam recalls at least 99 % of the items at the published "
            "d^2 = 1.3 N log N.",
            above=0.99,
            experiment=trained_linear_experiment,
            grid=Grid(rows("d N", *PUBLISHED[:2]), paper=rows("d N", *PUBLISHED)),
            x_axis="d",
            quantity="recall",
            about=("d",),
            stated_in="nichani2025, presumably (recalled): a fit, 99 % of the items at d^2 = 1.3 N log N",
            conventions="N is `best-linear:trained` at d, rounded down; the share of items that are right.",
            draw=few_draws(
                22, 8, ranges={"d": (3, 30)}, fit=published, reason="the published sizes, d^2 = 1.3 N log N, at other d"
            ),
        ),
    ),
)
