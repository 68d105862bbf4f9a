"""batch-size: small batches have no larger error than large ones after one pass over as many samples."""

from collections.abc import Mapping
from typing import Any

from asymp.montecarlo.train.comparisons import training_ratio_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

GRID: dict[str, Any] = {"alpha": 2.0, "N": 100, "M": 5, "memories": 25}


def pair(d: int, T: int, small: int, large: int, lr: float) -> dict[str, Any]:
    """Two batches, everything else alike."""
    return {**GRID, "d": d, "T": T, "lr": lr, "first": {"batch": small}, "second": {"batch": large}}


QUICK = [pair(100, 10_240, 16, 1024, 1.0)]
STANDARD = [pair(d, 10_240, small, 1024, lr) for d in (10, 100, 1000) for small in (16, 128) for lr in (0.1, 1.0)]


def setting(params: Mapping[str, Any]) -> dict[str, Any]:
    """The limit of an order is the same everywhere."""
    return {"d": params["d"], "B": params["second"]["batch"], "lr": params["lr"]}


CLAIM = Claim(
    id="batch-size",
    simulation="The published grid: gaussian embeddings and start, consecutive minibatches of one pass over T samples, SGD. A "
    "run is the ratio of the mean errors of the small and the large batch over 25 memories each.",
    parts=(
        part(
            "source",
            kind="order",
            law=laws["batch-size"],
            experiment=training_ratio_experiment,
            statement="After one pass small batches have no larger error than batches of 1024, with steps of 0.1 and of 1.",
            grid={"quick": QUICK, "standard": STANDARD, "paper": STANDARD},
            replicas={"quick": 20, "standard": 24, "paper": 24},
            to_law=setting,
        ),
    ),
)
