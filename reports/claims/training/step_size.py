"""step-size: large steps with batch one fill the memory evenly; a small memory wants smaller steps late in training."""

from typing import Any

from asymp.montecarlo.samplers.training.sgd_map import sgd_weight_experiment
from asymp.montecarlo.samplers.training.step_size import training_ratio_experiment, weight_ratio_experiment
from asymp.reports.claim import Claim
from asymp.reports.grid import Grid, rows, settings
from asymp.reports.kinds import Constant, Identity, Order
from asymp.reports.kinds.drawing import few_draws
from asymp.theory import laws

SHARED: dict[str, Any] = {"alpha": 2.0, "N": 100, "M": 5, "batch": 1, "init": "zero", "memories": 20}


def weights(gamma: tuple[float, ...], n: tuple[int, ...], M: int | tuple[int, ...] = 5) -> Grid:
    """An input seen n times."""
    return Grid(settings(gamma=gamma, n=n, M=M, written="target"))


CLAIM = Claim(
    id="step-size",
    title="Large steps, and smaller ones late",
    source="bietti2025, bietti2024",
    order=10,
    parts=(
        Constant(
            "source",
            "With large steps an input seen a few times has the weight of one seen once: q ~ 1.",
            law=laws["step-size:source"],
            experiment=sgd_weight_experiment,
            grid=weights((10.0, 20.0), (2, 10)),
            margin=0.05,
        ),
        Identity(
            "sharp",
            "The unevenness of the weights is that of the map.",
            law=laws["step-size"],
            experiment=weight_ratio_experiment,
            grid=weights((0.1, 1.0, 10.0), (2, 20, 200), (2, 5)),
            margin=1e-9,
        ),
        Order(
            "large",
            "Where d >> N, steps of 10 have no larger error than steps of 0.1, in at least three of four runs.",
            below=1,
            experiment=training_ratio_experiment,
            grid=Grid(settings(**SHARED, d=1000, T=500, first={"lr": 10.0}, second={"lr": 0.1})),
            quantity="E_large/E_small",
            about=("d", "N"),
            stated_in="bietti2025, slide on optimisation algorithms and memory schemes",
            conventions="Step sizes of order 10 against 0.1, batch one.",
            draw=few_draws(
                3,
                8,
                reason="'d >> N': ten times N and more",
                ranges={"N": None, "M": None, "d": (1000, 10_000), "T": (200, 2000)},
            ),
        ),
        Order(
            "late",
            "Where d <= N, steps a tenth as large in the second half have no larger error than constant ones, in at least "
            "three of four runs.",
            below=1,
            experiment=training_ratio_experiment,
            grid=Grid(rows("d T", (10, 1000), (30, 5000), **SHARED, lr=10.0, first={"late": 0.1}, second={})),
            quantity="E_decayed/E_constant",
            about=("d", "N"),
            stated_in="bietti2025, slide on optimisation algorithms and memory schemes",
            conventions="The same first half of the pass, then a smaller step against the same one.",
            draw=few_draws(
                3,
                8,
                reason="'d <= N': a third of N and less",
                ranges={"N": None, "M": None, "d": (3, 30), "T": (1000, 10_000)},
            ),
        ),
        Constant(
            "source-often",
            "The same for an input that is seen hundreds of times, beyond the plateau.",
            law=laws["step-size:source"],
            experiment=sgd_weight_experiment,
            grid=weights((10.0,), (500, 2000)),
            margin=0.05,
            erratum=laws["step-size:source"].errata[0],
            draw=few_draws(3, 2),
        ),
    ),
)
