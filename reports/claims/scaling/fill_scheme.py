"""fill-scheme: every input that was seen is stored with the same weight."""

import math
from functools import partial
from typing import Any

from asymp.montecarlo.samplers.scaling.fill_scheme import equal_weights_experiment, equal_weights_recall_experiment
from asymp.reports.claims.draws import EXACT_COSTS
from asymp.reports.claims.scaling import IN_SAMPLES, around
from asymp.reports.declaring import Bound, Capacity, Claim, Constant, Grid, Identity, Rate, laws, rows, settings
from asymp.reports.kinds.drawing import Cell, Draw, few_draws

# Everything seen, d far above N: sizes at which errors can still be counted.
FEW: dict[str, Any] = {"alpha": 2, "N": 4, "M": 4, "T": math.inf, "outputs": "sphere"}


def tipping(M: int, held: float) -> Grid:
    """Sizes around the tipping point of 1024 dimensions, in whole classes.

    `held`: about how many inputs a dimension holds at an error of 0.16. Sizes lie within a factor 1.12 and 3 % apart, so that
    even the monotone tests that stand in for a bad regression are within the margin.
    """
    return Grid(settings(M=M, d=1024, N=around(held * 1024, 1.12, M)))


def loaded(cell: Cell) -> Cell:
    """Few classes, and from one to five times N/M dimensions, so that the error can be counted."""
    M = max(2, min(cell["M"], math.isqrt(cell["N"] // 25)))
    load = 1 + 4 * (cell["d"] % 97) / 96
    return {**cell, "M": M, "N": cell["N"] // M * M, "d": max(40 * M, round(load * cell["N"] / M))}


def whole_classes(cell: Cell) -> Cell:
    """As many inputs of every output."""
    return {**cell, "N": cell["M"] * max(1, round(cell["N"] / cell["M"]))}


def roomy() -> "Draw":
    """Every input has an output of its own, in the dimensions of the grid, where the error can be counted."""
    return few_draws(
        10, 4096, reason="'d far above N', and an error that can be counted", ranges={"N": None, "M": None}
    )


bound = partial(Bound, law=laws["fill-scheme:source"], experiment=equal_weights_experiment, along="d", x_axis="d")
constant = partial(Constant, experiment=equal_weights_experiment, x_axis="d")
capacity = partial(
    Capacity,
    law=laws["fill-scheme:tipping-source"],
    experiment=equal_weights_recall_experiment,
    size="N",
    threshold=0.84,
    x_axis="d",
)

CLAIM = Claim(
    id="fill-scheme",
    title="Equal weights on all inputs seen",
    source="bietti2025, bietti2024; cabannes2024, Figure 3",
    order=11,
    parts=(
        Rate(
            "source",
            "With equal weights on all inputs seen, and d far above their number, the error falls like T^(-1+1/alpha).",
            law=laws["fill-scheme:source"],
            experiment=equal_weights_experiment,
            grid=IN_SAMPLES,
            to_law=lambda setting: {**setting, "d": math.inf, "k": 1},
            variable="T",
            draw=few_draws(1, 64),
        ),
        bound(
            "source-first-power",
            "When everything was seen and d is far above N, the error falls at least as fast as d^-1 (outputs on the sphere).",
            grid=Grid(settings(**FEW, d=(12, 16))),
            to_law=lambda setting: {**setting, "k": 1},
            draw=roomy(),
        ),
        bound(
            "source-second-power",
            "When everything was seen, the error falls at least as fast as d^-2, too, as it falls faster than every power.",
            grid=Grid(settings(**FEW, d=(12, 20))),
            to_law=lambda setting: {**setting, "k": 2},
            draw=roomy(),
        ),
        Identity(
            "sharp",
            "The error equals the exact law at finite d, N and T.",
            law=laws["fill-scheme"],
            experiment=equal_weights_experiment,
            # by the route that shares nothing with the exact law
            grid=Grid(
                rows(
                    "alpha N M d T outputs",
                    (1, 40, 2, 30, 60, "gaussian"),
                    (1, 42, 3, 30, math.inf, "sphere"),
                    (2, 40, 4, 30, math.inf, "sphere"),
                    route="factored",
                )
            ),
            draw=few_draws(3, reason=EXACT_COSTS),
        ),
        constant(
            "exponential",
            "The error falls exponentially in d, like exp(-d R) with R = log(1/(1 - M/(2N)))/2, and its constant is known.",
            law=laws["fill-scheme:asymptotic"],
            # Two outputs: exact at every d, and the exponential from 0.08 down to 0.002.
            grid=Grid(settings(alpha=1, N=20, M=2, d=(40, 80, 120, 160), outputs="sphere")),
            draw=Draw(
                reason="two outputs, for which the law is right at every d; with more it comes from above, by 4 % at M = 3",
                ranges={"M": None},
            ),
        ),
        constant(
            "limit",
            "For many inputs the error depends on d M/N only: it is pi_M(sqrt(d M/N)).",
            law=laws["fill-scheme:limit"],
            # d M/N is 1 and 5, with different d/N; the limit is one of many dimensions: d is 40 M and more
            grid=Grid(rows("M d", (2, 500), (2, 2500), (5, 200), (5, 1000), alpha=2, N=1000)),
            draw=Draw(
                reason="the limit is one of many dimensions, d at least 40 M, and many inputs, at least 25 M^2",
                fit=loaded,
            ),
        ),
        capacity(
            "source-tipping",
            "With five answers the error falls through 0.16 at N = d, where the figure has its tipping point.",
            grid=tipping(5, 1.0),
            draw=few_draws(
                2,
                16,
                sizes=5,
                ranges={"M": None},
                reason="the source speaks of five outputs; another tipping point is an erratum",
            ),
        ),
        capacity(
            "source-tipping-outputs",
            "With more answers, too, the tipping point is at N = d.",
            grid=tipping(20, 2.25),
            erratum=laws["fill-scheme:tipping-source"].errata[0],
            draw=few_draws(1, 16, sizes=5, ranges={"M": (20, 50), "d": (1024, 2048)}, fit=whole_classes),
        ),
    ),
)
