"""oscillation: correlated embeddings and unequal frequencies make large steps oscillate, and still arrive first."""

from collections.abc import Mapping
from typing import Any

from asymp.montecarlo.gradients.two_tokens import (
    first_step_experiment,
    loss_rise_experiment,
    random_time_ratio_experiment,
    time_ratio_experiment,
)
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

PRESETS = ("quick", "standard", "paper")
RUNS = {"quick": 24, "standard": 96, "paper": 96}


def any_overlap(params: Mapping[str, Any]) -> dict[str, Any]:
    """The limit of an order is the same at every overlap."""
    return {"a": params.get("high", 0.0), "p": params.get("p", 0.75)}


IMBALANCED = [{"p": 0.75, "low": -0.95, "high": 0.95}, {"p": 0.75, "low": 0.4, "high": 0.95}]
BALANCED = [{"p": 0.55, "low": 0.8, "high": 0.99}]
TOKENS = [
    {"eta": eta, "a": a, "p": p, "token": token}
    for eta, a, p in ((10.0, 0.9, 0.75), (1.0, 0.2, 0.75), (5.0, -0.5, 0.6))
    for token in ("frequent", "rare")
]
# Steps at the largest size that cannot raise the loss, 2/L, from its own law.
SAFE = [
    {"eta": float(laws["oscillation"](a=a, p=p)) * share, "a": a, "p": p}
    for a, p in ((0.9, 0.75), (0.5, 0.75), (0.0, 0.5))
    for share in (0.999,)
]

CLAIM = Claim(
    id="oscillation",
    simulation="Two tokens, unit inputs with overlap a, orthonormal outputs, frequencies .75 and .25: full-batch steps of size 10 "
    "and 1 from W = 0, each run with an overlap of its own, uniform in the stated range; the time is the number of steps "
    "after which both tokens are right for good. At random: 20 inputs on the sphere in 20 dimensions, 5 outputs, p ~ 1/x.",
    parts=(
        part(
            "source",
            kind="order",
            law=laws["oscillation:source"],
            experiment=time_ratio_experiment,
            statement="Steps of 10 reach perfect accuracy no later than steps of 1, with the frequent token at 3/4.",
            grid=dict.fromkeys(PRESETS, IMBALANCED),
            replicas=RUNS,
            to_law=any_overlap,
        ),
        part(
            "source-random",
            kind="order",
            law=laws["oscillation:source"],
            experiment=random_time_ratio_experiment,
            statement="With inputs at random steps of 100 reach perfect accuracy no later than steps of 1.",
            grid={
                "quick": [{"d": 20, "N": 20, "M": 5, "steps": 300}],
                "standard": [{"d": d, "N": N, "M": 5, "steps": 2000} for d, N in ((20, 20), (20, 40), (50, 50))],
                "paper": [{"d": d, "N": N, "M": 5, "steps": 2000} for d, N in ((20, 20), (20, 40), (50, 50))],
            },
            replicas={"quick": 24, "standard": 24, "paper": 24},
            to_law=any_overlap,
        ),
        part(
            "first-step",
            kind="identity",
            law=laws["oscillation:first-step"],
            experiment=first_step_experiment,
            statement="The first step moves the margins by eta (p_x - a p_y): the rare token to the wrong side for a p > 1 - p.",
            grid=dict.fromkeys(PRESETS, TOKENS),
            replicas=dict.fromkeys(PRESETS, 4),
            margin=1e-9,
        ),
        part(
            "stable",
            kind="order",
            law=laws["oscillation:loss-rise"],
            experiment=loss_rise_experiment,
            statement="With a step of 2/L the loss never rises, from any start.",
            grid=dict.fromkeys(PRESETS, SAFE),
            replicas=RUNS,
        ),
        part(
            "source-balanced",
            kind="order",
            law=laws["oscillation:source"],
            experiment=time_ratio_experiment,
            statement="The same with little imbalance (p = .55) and overlaps above .8.",
            grid=dict.fromkeys(PRESETS, BALANCED),
            replicas=RUNS,
            to_law=any_overlap,
            erratum=laws["oscillation:source"].errata[0],
        ),
    ),
)
