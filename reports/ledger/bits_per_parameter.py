"""bits-per-parameter: what a memory holds, counted in bits for each of its parameters."""

import math
from collections.abc import Mapping
from typing import Any

from asymp.montecarlo.capacities.bits import few_bits_experiment, hebbian_bits_experiment, label_bits_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

Grid = dict[str, list[dict[str, Any]]]


def few(d: int, N: int, b: int, answers: str) -> dict[str, Any]:
    """A cell of the memory with few bits in each weight."""
    return {"d": d, "N": N, "b": b, "answers": answers}


COUNTING: Grid = {
    "quick": [
        few(256, 256, 1, "labels"),
        few(256, 512, 1, "labels"),
        few(32, 50, 1, "pairs"),
        few(64, 150, 2, "pairs"),
    ],
    "standard": [
        *(few(512, N, b, "labels") for N in (256, 512, 1024) for b in (1, 2)),
        *(few(d, N, b, "pairs") for d, N in ((32, 50), (64, 150), (128, 500)) for b in (1, 2, 8)),
    ],
}
COUNTING["paper"] = COUNTING["standard"]
# In thousandths of a bit: 1/(8 log 2) is 180, and P(all) falls from .9 to .1 over a third of that.
HEBB: Grid = {
    preset: [{"d": d, "millibits": round(180 * math.exp(-0.46 + 0.13 * k))} for d in sizes for k in range(8)]
    for preset, sizes in {"quick": (96,), "standard": (64, 96, 128, 192), "paper": (64, 96, 128, 192)}.items()
}
# Two labels for each of d parameters.
LABELS: Grid = {
    preset: [{"d": d, "millibits": 2000 + 1000 * k // d} for d in sizes for k in range(-d // 2, d // 2 + 1, d // 8)]
    for preset, sizes in {"standard": (16, 32), "paper": (16, 32, 64)}.items()
}
LABELS["quick"] = [{"d": 32, "millibits": 2000 + 1000 * k // 32} for k in (-10, -6, -2, 2, 6, 10)]


def associations(params: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the counting bound."""
    return {"N": params["N"], "M": 2 if params["answers"] == "labels" else params["N"], "b": params["b"]}


def hebb(params: Mapping[str, Any]) -> dict[str, Any]:
    """The law's word."""
    return {"memory": "hebb"}


def labels(params: Mapping[str, Any]) -> dict[str, Any]:
    """The law's word."""
    return {"memory": "best-binary"}


CLAIM = Claim(
    id="bits-per-parameter",
    simulation="Sums of outer products whose weights are rounded to b bits, and the information in their answers; capacities of "
    "sums of outer products and of the best hyperplane, with the size counted in bits per parameter.",
    notes=(
        "The best linear memory's 1/(2 log 2) = .72 bits is a limit from above: 1.08, 1.03 and .95 times 1/log 2 are "
        "measured at d = 8, 16 and 32 (`best-linear`).",
    ),
    parts=(
        part(
            "source",
            kind="bound",
            law=laws["bits-per-parameter:source"],
            experiment=few_bits_experiment,
            statement="No memory takes fewer than N log2 M/b parameters of b bits for N answers among M.",
            grid=COUNTING,
            replicas={"quick": 64, "standard": 128, "paper": 128},
            to_law=associations,
            x_axis="N",
        ),
        part(
            "sharp",
            kind="capacity",
            law=laws["bits-per-parameter"],
            experiment=hebbian_bits_experiment,
            statement="The sum of outer products holds 1/(8 log 2) = .180 bits per parameter, all items right, around d = 100.",
            grid=HEBB,
            replicas={"quick": 160, "standard": 160, "paper": 256},
            to_law=hebb,
            constant=1000.0,
            size="millibits",
            threshold=0.5,
            margin=0.1,
            x_axis="d",
        ),
        part(
            "best-binary",
            kind="capacity",
            law=laws["bits-per-parameter"],
            experiment=label_bits_experiment,
            statement="The best hyperplane holds 2 bits per parameter (Cover).",
            grid=LABELS,
            replicas={"quick": 256, "standard": 512, "paper": 512},
            to_law=labels,
            constant=1000.0,
            size="millibits",
            threshold=0.5,
            margin=0.1,
            x_axis="d",
        ),
    ),
)
