"""adam: sign descent does not raise the error of large batches and small steps."""

from typing import Any

from asymp.montecarlo.samplers.training.adam import training_ratio_experiment
from asymp.reports.claims.draws import PUBLISHED_GRID, as_published, of_pair
from asymp.reports.declaring import Claim, Grid, Order, laws

OPTIMISERS: dict[str, Any] = {"first": {"optimiser": "sign"}, "second": {"optimiser": "sgd"}, "batch": 1024}


def pair(d: int, lr: float) -> dict[str, Any]:
    """Sign descent against SGD, everything else alike."""
    # The error of one memory spreads by 0.65 of its mean at d = 10 and lr = 0.1, by 0.3 at larger d.
    return {**PUBLISHED_GRID, "d": d, "lr": lr, "memories": 100 if d < 100 else 25, **OPTIMISERS}


CLAIM = Claim(
    id="adam",
    title="Adam with large batches and small steps",
    source="cabannes2024, bietti2025",
    order=13,
    parts=(
        Order(
            "source",
            "In at least three of four runs with batches of 1024 Adam has no larger error than SGD at the same learning rate.",
            below=laws["adam"],
            experiment=training_ratio_experiment,
            grid=Grid([pair(d, lr) for d in (10, 100) for lr in (0.1, 1.0)]),
            to_law=of_pair,
            draw=as_published(6, (10, 300), (0.1, 1.0), **OPTIMISERS),
        ),
    ),
)
