"""error-map: the error over dimensions and samples, for equal weights and for weights that count."""

from functools import partial
from typing import Any

from asymp.montecarlo.samplers.scaling.error_map import fill_ratio_experiment, recall_error_experiment
from asymp.reports.claims.draws import EXACT_COSTS
from asymp.reports.declaring import Claim, Constant, Grid, Order, few_draws, laws, rows, settings

FIGURE: dict[str, Any] = {"alpha": 0.5, "N": 100, "M": 5}
# Points of the figure's map, by the route that shares nothing with the exact law; and both weights at a point: 400 memories
# a run put the errors' ratio within 1 %.
MAP: dict[str, Any] = {**FIGURE, "route": "factored"}
RATIO: dict[str, Any] = {**FIGURE, "rho": 1, "memories": 400}
DRAWN_FIGURE = "N = 100 and M = 5 are those of the source's figure, of which the claim speaks; d and T go over its axes"


def spaced(low: int, high: int) -> tuple[int, ...]:
    """Thirty whole numbers in equal ratios."""
    return tuple(sorted({round(low * (high / low) ** (j / 29)) for j in range(30)}))


order = partial(
    Order, experiment=fill_ratio_experiment, x_axis="d", quantity="ratio", about=("alpha", "N", "M", "d", "T")
)

CLAIM = Claim(
    id="error-map",
    title="The error over dimensions and samples",
    source="cabannes2024, Figure 3",
    order=14,
    parts=(
        Constant(
            "sharp",
            "The exact law gives both maps of the figure, for equal weights and for weights in proportion to the "
            "counts, without any free parameter.",
            law=laws["error-map"],
            experiment=recall_error_experiment,
            grid=Grid(
                rows("d T rho", (30, 100, 0), (100, 1000, 0), (30, 1000, 1), (100, 100, 1), **MAP),
                paper=settings(**MAP, rho=(0, 1), d=spaced(5, 200), T=spaced(10, 10_000)),
            ),
            margin=0.02,
            x_axis="d",
            draw=few_draws(
                17, reason=EXACT_COSTS, ranges={"N": (20, 200), "M": (2, 20), "d": (5, 200), "T": (10, 10_000)}
            ),
        ),
        order(
            "small-dimension",
            "With few dimensions and many samples weights in proportion to the counts err less than equal weights, in "
            "at least three of four runs.",
            above=1,
            grid=Grid(settings(**RATIO, d=10, T=5000)),
            stated_in="cabannes2024, Figure 3: for small d and big T q_1 avoids memory overflow",
            conventions=(
                "The ratio of the errors of q = 1{seen} and q = count/T. For the figure's law, alpha = 0.5, N = "
                "100, M = 5: up to d of about 35 at large T."
            ),
            draw=few_draws(3, 8, reason=DRAWN_FIGURE, ranges={"N": None, "M": None, "d": (2, 20), "T": (1000, 10_000)}),
        ),
        order(
            "large-dimension",
            "With many dimensions weights in proportion to the counts err more, in at least three of four runs: rare "
            "inputs get too little weight.",
            below=1,
            grid=Grid(settings(**RATIO, d=200, T=1000)),
            stated_in="cabannes2024, Figure 3: for big d q_1 does not allocate enough memory to rare associations",
            draw=few_draws(3, 8, reason=DRAWN_FIGURE, ranges={"N": None, "M": None}),
        ),
    ),
)
