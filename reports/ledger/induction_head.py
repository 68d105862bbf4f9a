"""induction-head: two layers of attention find what followed a token before, one layer does not."""

from typing import Any

from asymp.montecarlo.transformers.induction import induction_accuracy_experiment, induction_gap_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

UNIFORM: dict[str, Any] = {"model": "basic", "text": "uniform", "N": 16, "T": 16, "K": 4, "d": 64, "batch": 64}
SHAKESPEARE: dict[str, Any] = {"model": "basic", "text": "shakespeare", "N": 65, "T": 32, "K": 5, "d": 128, "batch": 64}
SGD: dict[str, Any] = {"name": "sgd", "lr": 0.1}
PUBLISHED: dict[str, Any] = {"model": "basic", "text": "shakespeare", "N": 65, "T": 256, "K": 5, "d": 256, "batch": 512}
FULL: dict[str, Any] = {"model": "full", "text": "shakespeare", "N": 65, "T": 256, "K": 5, "d": 128, "batch": 64}

GAP = {
    "quick": [{**UNIFORM, "steps": 120}],
    "standard": [{**UNIFORM, "steps": 400}, {**SHAKESPEARE, "steps": 250, "optimiser": SGD}],
    "paper": [
        {**PUBLISHED, "steps": 1000, "optimiser": {"name": "sgd", "lr": 0.03, "weight_decay": 1e-4}},
        {**FULL, "steps": 1000, "optimiser": {"name": "adam", "lr": 0.01}},
    ],
}
TWO = {preset: [{**cell, "layers": 2} for cell in cells] for preset, cells in GAP.items()}

CLAIM = Claim(
    id="induction-head",
    simulation="The bigram task with fixed triggers. Basic model: frozen random embeddings, one head, trained key-query matrices "
    "and last values, loss in context. Full model: all learned, 4 heads, layer norm, MLP, loss everywhere. One and two layers "
    "are trained alike; accuracy is that of 512 fresh sequences, in context.",
    parts=(
        part(
            "source",
            kind="order",
            law=laws["induction-head"],
            experiment=induction_gap_experiment,
            statement="Two layers are more accurate in context than one.",
            grid=GAP,
            # Seven runs could support the order and none of them refute it at this budget: that takes 18.
            replicas={"quick": 8, "standard": 20, "paper": 20},
        ),
        part(
            "two-layers",
            kind="constant",
            law=laws["induction-head:two-layers"],
            experiment=induction_accuracy_experiment,
            statement="Two layers reach an accuracy of about 99 % in context.",
            grid=TWO,
            replicas={"quick": 8, "standard": 20, "paper": 20},
            margin=0.1,
        ),
    ),
)
