"""sgd-approximation: the error of SGD against that of the weights of its map."""

from dataclasses import replace
from functools import partial
from typing import Any

from asymp.montecarlo.samplers.training.sgd_approximation import map_ratio_experiment
from asymp.reports.declaring import Bound, Cell, Claim, Constant, Draw, Grid, few_draws, laws, settings


def figure(d: int, gamma: Any, T: Any, N: int = 100, **more: int) -> list[dict[str, Any]]:
    """Settings of Figure 4: one size of steps or several, one number of samples or several."""
    return settings(alpha=2.0, N=N, M=5, d=d, gamma=gamma, T=T, **more)


BOTH = (10.0, 1.0)


def many_dimensions(cell: Cell) -> Cell:
    """Ten dimensions an input, and no more samples than inputs: short runs."""
    return {**cell, "N": max(10, cell["d"] // 10), "T": max(2, min(cell["T"], cell["d"] // 10))}


def drawn(examples: int, T: tuple[int, int] | None, more: str = "", **ranges: tuple[int, int] | None) -> Draw:
    """Runs of other lengths, at the figure's sizes unless said."""
    reason = "the figure has N = 100, M = 5 and two sizes of steps; a run trains a hundred memories" + more
    sizes = {"M": None, "T": T, **(ranges or {"N": None, "d": None})}
    return few_draws(examples, 12, trained=True, reason=reason, ranges=sizes)


OF_BATCHES = drawn(1, None, ", of whole batches", N=None, d=None, batch=None)

# Values are 2 a/(a + b), from 0 to 2: so much off 1 is 10 % off in a/b.
RATIO = 0.047


constant = partial(
    Constant, law=laws["sgd-approximation:source"], experiment=map_ratio_experiment, margin=RATIO, x_axis="T"
)

CLAIM = Claim(
    id="sgd-approximation",
    title="SGD against its map",
    source="cabannes2024, Figure 4",
    order=9,
    parts=(
        constant(
            "source",
            "At d = N = 100 the error of SGD is that of its map, for steps of 10 and of 1, in short runs.",
            grid=Grid(figure(100, BOTH, (10, 30))),
            draw=drawn(2, (10, 100)),
        ),
        constant(
            "wide",
            # Many more dimensions than inputs: interference is small for both.
            "At d = 10 N the error of SGD is that of the map in longer runs too.",
            grid=Grid(figure(300, 1.0, (10, 30), N=30)),
            draw=replace(drawn(2, (10, 100), "; d = 10 N", d=(100, 1000)), fit=many_dimensions),
        ),
        constant(
            "source-long",
            "At d = N, too, the error of SGD is that of the map in long runs.",
            grid=Grid(figure(100, BOTH, 2000)),
            erratum=laws["sgd-approximation:source"].errata[0],
            draw=drawn(1, (1000, 5000)),
        ),
        Bound(
            "narrow",
            "At d = N/10, where the source says that the map is not valid, SGD has the smaller error.",
            law=laws["sgd-approximation:long"],
            experiment=map_ratio_experiment,
            grid=Grid(figure(10, 1.0, 500)),
            x_axis="T",
            draw=drawn(1, (100, 1000)),
        ),
        Constant(
            "batches",
            "With batches, too, the error of SGD at d = N is that of the map, in runs of a few tens of samples; k samples of an "
            "input in a batch of B make a share k/B of a step.",
            law=laws["sgd-approximation:batches"],
            experiment=map_ratio_experiment,
            margin=RATIO,
            grid=Grid(figure(100, BOTH, 8 * 4, batch=8)),
            draw=OF_BATCHES,
        ),
        Bound(
            "batches-long",
            "With more samples SGD with batches has the smaller error, as with batch one.",
            law=laws["sgd-approximation:batches-long"],
            experiment=map_ratio_experiment,
            grid=Grid(figure(100, 10.0, 16 * 30, batch=16)),
            draw=OF_BATCHES,
        ),
    ),
)
