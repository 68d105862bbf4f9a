"""What the two figures of the induction head share: their settings, and the same training run."""

import functools
import json
from typing import Any

from asymp.reports.figures.declare import How, Settings

INDUCTION: dict[str, dict[str, Any]] = {
    "quick": {"task": {"text": "uniform", "N": 16, "T": 16, "K": 4, "d": 64, "batch": 32, "steps": 180}, "every": 3, "runs": 7},
    "paper": {
        "task": {
            "text": "shakespeare", "N": 65, "T": 256, "K": 5, "d": 256, "batch": 512, "steps": 1000,
            "optimiser": {"name": "sgd", "lr": 0.03, "momentum": 0.9, "weight_decay": 1e-4},
        },
        "every": 5,
        "runs": 7,
    },
}  # fmt: skip


def pictures(settings: Settings, how: How, **more: object) -> dict[str, Any]:
    """The training run at these settings, and `more` of the trained model's; both figures take the same one."""
    given = {**settings["task"], "every": settings["every"], "replicas": settings["runs"], **more}
    return _run(json.dumps(given, sort_keys=True), how.seed, how.device)


@functools.lru_cache(maxsize=4)
def _run(given: str, seed: int, device: str) -> dict[str, Any]:
    from asymp.montecarlo.samplers.transformers.pictures import induction_pictures

    return induction_pictures(**json.loads(given), seed=seed, device=device)
