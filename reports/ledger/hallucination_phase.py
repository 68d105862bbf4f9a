"""hallucination-phase: a memory of facts first predicts what the relation alone allows, then the fact."""

from typing import Any

from asymp.montecarlo.transformers.hallucination import (
    conserved_drift_experiment,
    learning_time_experiment,
    plateau_loss_experiment,
)
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

Grid = dict[str, list[dict[str, Any]]]

# The flow is deterministic.
ONCE = dict.fromkeys(("quick", "standard", "paper"), 2)
MANY: Grid = {
    "quick": [{"S": 16, "R": 4, "D": 8}],
    "standard": [{"S": S, "R": R, "D": D} for S, R, D in ((16, 4, 8), (32, 4, 4), (24, 6, 4))],
}
# S < R sqrt((D - 1)/(R - 1)) = 7.2
FEW: Grid = {"quick": [{"S": 4, "R": 16, "D": 4}], "standard": [{"S": 4, "R": 16, "D": 4}, {"S": 4, "R": 12, "D": 4}]}
TIMES: Grid = {
    preset: [{**cell, "init": 1e-5, "token": token} for cell in cells for token in ("relation", "subject")]
    for preset, cells in MANY.items()
}
for grid in (MANY, FEW, TIMES):
    grid["paper"] = grid["standard"]

CLAIM = Claim(
    id="hallucination-phase",
    simulation="One-hot embeddings, linear attention, logits sum of V(a, z) w(z) over the subject and the relation; all entries "
    "start at 1e-5, the population gradient is taken by automatic differentiation, its flow integrated by Runge-Kutta steps.",
    parts=(
        part(
            "source",
            kind="constant",
            law=laws["hallucination-phase:source"],
            experiment=plateau_loss_experiment,
            statement="An intermediate phase predicts p(a|r): its loss is log D.",
            grid=MANY,
            replicas=ONCE,
            margin=0.05,
        ),
        part(
            "sharp",
            kind="constant",
            law=laws["hallucination-phase"],
            experiment=learning_time_experiment,
            statement="The relation and the subject are learnt at the predicted times.",
            grid=TIMES,
            replicas=ONCE,
            margin=0.02,
        ),
        part(
            "conserved",
            kind="identity",
            law=laws["hallucination-phase:conserved"],
            experiment=conserved_drift_experiment,
            statement="|V(., z)|^2 - w(z)^2 does not change along the flow, for every token.",
            grid=MANY,
            replicas=ONCE,
            margin=1e-9,
            scale=lambda _: 1.0,
            # The Runge-Kutta method keeps it up to its own error.
            resolution=1e-9,
        ),
        part(
            "source-few",
            kind="constant",
            law=laws["hallucination-phase:source"],
            experiment=plateau_loss_experiment,
            statement="The same with few subjects and many relations.",
            grid=FEW,
            replicas=ONCE,
            margin=0.05,
            erratum=laws["hallucination-phase:source"].errata[0],
        ),
    ),
)
