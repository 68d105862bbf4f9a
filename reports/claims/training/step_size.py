"""step-size: large steps with batch one fill the memory evenly; a small memory wants smaller steps late in training."""

from functools import partial
from typing import Any

from asymp.montecarlo.samplers.training.sgd_map import sgd_weight_experiment
from asymp.montecarlo.samplers.training.step_size import training_ratio_experiment, weight_ratio_experiment
from asymp.reports.declaring import Claim, Constant, Grid, Identity, Order, few_draws, laws, rows, settings

SHARED: dict[str, Any] = {"alpha": 2.0, "N": 100, "M": 5, "batch": 1, "init": "zero", "memories": 20}


def weights(gamma: tuple[float, ...], n: tuple[int, ...], M: int | tuple[int, ...] = 5) -> Grid:
    """An input seen n times."""
    return Grid(settings(gamma=gamma, n=n, M=M, written="target"))


constant = partial(Constant, law=laws["step-size:source"], experiment=sgd_weight_experiment, margin=0.05)
order = partial(
    Order,
    below=1,
    experiment=training_ratio_experiment,
    about=("d", "N"),
    stated_in="bietti2025, slide on optimisation algorithms and memory schemes",
)

CLAIM = Claim(
    id="step-size",
    title="Large steps, and smaller ones late",
    source="bietti2025, bietti2024",
    order=10,
    parts=(
        constant(
            "source",
            "With large steps an input that was seen a few times has the same weight as one that was seen once.",
            grid=weights((10.0, 20.0), (2, 10)),
        ),
        Identity(
            "sharp",
            "How much the weight of an input seen n times exceeds that of one seen once is what the map gives.",
            law=laws["step-size"],
            experiment=weight_ratio_experiment,
            grid=weights((0.1, 1.0, 10.0), (2, 20, 200), (2, 5)),
            margin=1e-9,
        ),
        order(
            "large",
            "Where d >> N, steps of 10 have no larger error than steps of 0.1, in at least three of four runs.",
            grid=Grid(settings(**SHARED, d=1000, T=500, first={"lr": 10.0}, second={"lr": 0.1})),
            quantity="E_large/E_small",
            conventions="Step sizes of order 10 against 0.1, batch one.",
            draw=few_draws(
                3,
                8,
                reason="'d >> N': ten times N and more",
                ranges={"N": None, "M": None, "d": (1000, 10_000), "T": (200, 2000)},
            ),
        ),
        order(
            "late",
            "Where d <= N, steps a tenth as large in the second half have no larger error than constant ones, in at least "
            "three of four runs.",
            grid=Grid(rows("d T", (10, 1000), (30, 5000), **SHARED, lr=10.0, first={"late": 0.1}, second={})),
            quantity="E_decayed/E_constant",
            conventions="The same first half of the pass, then a smaller step against the same one.",
            draw=few_draws(
                3,
                8,
                reason="'d <= N': a third of N and less",
                ranges={"N": None, "M": None, "d": (3, 30), "T": (1000, 10_000)},
            ),
        ),
        constant(
            "source-often",
            "An input that was seen hundreds of times, too, has the same weight as one that was seen once.",
            grid=weights((10.0,), (500, 2000)),
            erratum=laws["step-size:source"].errata[0],
            draw=few_draws(3, 2),
        ),
    ),
)
