"""factual-recall-mlp: facts stored in an MLP behind attention: as many as it has parameters, up to constants."""

from collections.abc import Mapping
from typing import Any

from asymp.montecarlo.memories.two_input import facts_capacity_experiment
from asymp.montecarlo.transformers.parameter_count import parameter_count_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

PRESETS = ("quick", "standard", "paper")
Grid = dict[str, list[dict[str, Any]]]
SHAPES = [{"H": H, "d_h": d_h, "d": d, "m": m} for H, d_h, d, m in ((2, 4, 16, 0), (8, 8, 32, 64), (4, 16, 64, 256))]
FACTS: Grid = {
    "quick": [{"d": 96, "m": m, "M": 2048, "p": 1} for m in (32, 64, 128, 256, 512)],
    "standard": [{"d": 96, "m": m, "M": 2048, "p": 1} for m in (32, 48, 64, 96, 128, 192, 256, 384, 512)],
}
FACTS["paper"] = FACTS["standard"]


def size(params: Mapping[str, Any]) -> dict[str, Any]:
    """The width and the dimension are all that the statement knows."""
    return {"m": params["m"], "d": params["d"]}


CLAIM = Claim(
    id="factual-recall-mlp",
    simulation="The MLP by hand: features of the subject and of the relation, values of one correlation step; facts are added in a "
    "random order until half of those asked are wrong. Parameters are counted on a model of the given shape.",
    notes=(
        "By hand, behind heads that copy subject and relation exactly. Trained models, the wall at H d_h = S + R, the trade-off "
        "between heads and width and noise tokens are not measured here.",
    ),
    parts=(
        part(
            "source",
            kind="rate",
            law=laws["factual-recall-mlp:facts"],
            experiment=facts_capacity_experiment,
            statement="The number of facts S R that an MLP of width m holds grows like m, at a fixed dimension.",
            grid=FACTS,
            replicas={"quick": 6, "standard": 16, "paper": 64},
            to_law=size,
            variable="m",
            margin=0.1,
            # At a fixed number of outputs there is no logarithm, and a memory has no floor.
            families=("power", "corrected"),
        ),
        part(
            "sharp",
            kind="identity",
            law=laws["factual-recall-mlp"],
            experiment=parameter_count_experiment,
            statement="One attention layer and an MLP have 4 H d_h d + 2 m d parameters.",
            grid=dict.fromkeys(PRESETS, SHAPES),
            replicas=dict.fromkeys(PRESETS, 2),
            margin=1e-9,
        ),
    ),
)
