"""adam: sign descent does not raise the error of large batches and small steps."""

from collections.abc import Mapping
from typing import Any

from asymp.montecarlo.train.comparisons import training_ratio_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

GRID: dict[str, Any] = {"alpha": 2.0, "N": 100, "M": 5, "T": 10_240}


def pair(d: int, batch: int, lr: float) -> dict[str, Any]:
    """Sign descent against SGD, everything else alike."""
    # The error of one memory spreads by 0.65 of its mean at d = 10 and lr = 0.1, by 0.3 at larger d.
    shared = {**GRID, "d": d, "batch": batch, "lr": lr, "memories": 100 if d < 100 else 25}
    return {**shared, "first": {"optimiser": "sign"}, "second": {"optimiser": "sgd"}}


QUICK = [pair(100, 1024, 0.1)]
STANDARD = [pair(d, 1024, lr) for d in (10, 100, 300) for lr in (0.1, 1.0)]


def setting(params: Mapping[str, Any]) -> dict[str, Any]:
    """The limit of an order is the same everywhere."""
    return {"d": params["d"], "B": params["batch"], "lr": params["lr"]}


CLAIM = Claim(
    id="adam",
    simulation="The published grid: gaussian embeddings and start, one pass over 10240 samples in batches of 1024; Adam with betas "
    "(0, 0), which is sign descent with the step lr/d, against SGD with the step lr. A run is a ratio of mean errors over "
    "25 or more memories each.",
    parts=(
        part(
            "source",
            kind="order",
            law=laws["adam"],
            experiment=training_ratio_experiment,
            statement="With batches of 1024 Adam has no larger error than SGD at the same learning rate.",
            grid={"quick": QUICK, "standard": STANDARD, "paper": STANDARD},
            replicas={"quick": 20, "standard": 24, "paper": 24},
            to_law=setting,
        ),
    ),
)
