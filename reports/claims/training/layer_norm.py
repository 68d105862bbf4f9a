"""layer-norm: a layer norm before the scores does not raise the error of large batches and small steps."""

from functools import partial
from typing import Any

from asymp.montecarlo.samplers.training.layer_norm import training_ratio_experiment
from asymp.reports.claims.draws import PUBLISHED_GRID, as_published, of_pair
from asymp.reports.declaring import Claim, Grid, Order, laws

NORMS: dict[str, Any] = {"first": {"layer_norm": True}, "second": {"layer_norm": False}, "batch": 1024}
DIMENSIONS = (30, 300)


def pair(d: int, lr: float, optimiser: str, memories: int = 25) -> dict[str, Any]:
    """With against without layer norm, everything else alike."""
    return {**PUBLISHED_GRID, "d": d, "lr": lr, "optimiser": optimiser, "memories": memories, **NORMS}


order = partial(Order, below=laws["layer-norm"], experiment=training_ratio_experiment, to_law=of_pair)

CLAIM = Claim(
    id="layer-norm",
    title="Layer norm with large batches and small steps",
    source="cabannes2024, bietti2025",
    order=14,
    parts=(
        order(
            "source",
            "With batches of 1024 and steps of 1, Adam with layer norm has no larger error than without, in at least three "
            "of four runs.",
            grid=Grid([pair(100, 1.0, "sign")]),
            draw=as_published(2, DIMENSIONS, 1.0, optimiser="sign", **NORMS),
        ),
        order(
            "small-steps",
            "With batches of 1024 and steps of 0.1, too, Adam with layer norm has no larger error than without, in at least "
            "three of four runs.",
            # With 25 memories a run's ratio spreads by 9 %, and small steps gain a few per cent: a thousand tell the two apart.
            grid=Grid([pair(30, 0.1, "sign", memories=1000)]),
            draw=as_published(2, DIMENSIONS, (0.1, 0.3), optimiser="sign", **NORMS),
        ),
        order(
            "sgd",
            "With batches of 1024 and steps of 1, SGD with layer norm has no larger error than without, in at least three of "
            "four runs.",
            grid=Grid([pair(d, 1.0, "sgd") for d in (100, 300)]),
            draw=as_published(2, DIMENSIONS, 1.0, optimiser="sgd", **NORMS),
        ),
    ),
)
