"""binary-capacity: how many associations with two possible answers a memory holds."""

import math
from collections.abc import Mapping
from typing import Any

from asymp.montecarlo.capacities.binary import (
    binary_gram_experiment,
    binary_labels_experiment,
    binary_recall_experiment,
)
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

Grid = dict[str, list[dict[str, Any]]]

# At 2 N log N = d the number of lost items has the mean (4 pi log N)^(-1/2), about 0.1: none is lost with probability 0.9.
MOSTLY = 0.9
FACTORS = tuple(math.exp(-0.32 + 0.64 * k / 7) for k in range(8))
# 1 % of the items are lost at N = .185 d.
SHARE: Grid = {
    preset: [{"d": 2**k, "N": round(0.185 * 2**k * f), "of": "share"} for k in powers for f in FACTORS]
    for preset, powers in {"quick": (7, 9, 11), "standard": range(7, 13), "paper": range(7, 15)}.items()
}
# The same cells; an exponent takes four sizes at least.
GROWTH: Grid = {
    **SHARE,
    "quick": [{"d": 2**k, "N": round(0.185 * 2**k * f), "of": "share"} for k in (7, 8, 9, 11) for f in FACTORS],
}
# exp(W0(d/2)), the law's own prediction
ALL_AT = {128: 21.0, 256: 35.8, 512: 62.0, 1024: 109.1, 2048: 194.3, 4096: 349.7, 16384: 1161}
ALL: Grid = {
    preset: [{"d": d, "N": round(ALL_AT[d] * math.exp(-0.4 + 0.11 * k)), "of": "all"} for d in sizes for k in range(8)]
    for preset, sizes in {"quick": (1024,), "standard": (1024, 4096), "paper": (1024, 4096, 16384)}.items()
}
ALL_GROWTH: Grid = {
    preset: [{"d": d, "N": round(ALL_AT[d] * math.exp(-0.4 + 0.11 * k)), "of": "all"} for d in sizes for k in range(8)]
    for preset, sizes in {
        "quick": (128, 256, 512, 1024),
        "standard": (256, 512, 1024, 2048, 4096),
        "paper": (256, 512, 1024, 2048, 4096, 16384),
    }.items()
}
ITEMS: Grid = {
    "quick": [{"d": d, "N": N} for d, N in ((16, 16), (16, 64), (32, 32))],
    "standard": [{"d": d, "N": N} for d, N in ((4, 8), (16, 8), (16, 16), (16, 64), (32, 32), (64, 32), (64, 256))],
}
ITEMS["paper"] = ITEMS["standard"]
COVER: Grid = {
    "quick": [{"d": 8, "N": N} for N in (14, 16)],
    "standard": [{"d": d, "N": N} for d, N in ((8, 13), (8, 16), (8, 18), (16, 28), (16, 32), (32, 64))],
}
COVER["paper"] = COVER["standard"]
LABELS: Grid = {
    preset: [{"d": d, "N": N} for d in sizes for N in range(2 * d - d // 2, 2 * d + d // 2 + 1, d // 8)]
    for preset, sizes in {"quick": (16,), "standard": (16, 32), "paper": (16, 32, 64)}.items()
}
LABELS["quick"] = [{"d": 16, "N": N} for N in (26, 28, 31, 33, 36, 38)]  # the fewest sizes that a regression takes


def with_logarithm(params: Mapping[str, Any], N: float) -> float:
    """What is a power of d to leading order."""
    return N * math.log(N)


def share_replicas(params: Mapping[str, Any]) -> int:
    """1.6e5 items a setting, some two thousand of them lost: the capacity to 1 or 2 %."""
    return max(64, round(2e4 / int(params["N"])))


def many_share_replicas(params: Mapping[str, Any]) -> int:
    """For a standard check."""
    return max(64, round(1e5 / int(params["N"])))


CLAIM = Claim(
    id="binary-capacity",
    simulation="Gaussian inputs, two outputs on the sphere. The share of lost items from the matrix itself; capacities from "
    "the Gram matrix of the inputs, drawn by Bartlett's factor for any d. Best matrix: a convex fit decides whether random "
    "labels are realised.",
    parts=(
        part(
            "source",
            kind="capacity",
            law=laws["binary-capacity:recall"],
            experiment=binary_gram_experiment,
            statement="The capacity is proportional to d where a share may be lost: 1 % is at N = .185 d, at every d.",
            grid=SHARE,
            replicas={"quick": share_replicas, "standard": many_share_replicas, "paper": many_share_replicas},
            size="N",
            threshold=0.99,
            margin=0.1,
            x_axis="d",
        ),
        part(
            "exponent",
            kind="capacity",
            law=laws["binary-capacity:recall"],
            experiment=binary_gram_experiment,
            statement="The capacity at 1 % of lost items grows like d, with no logarithm.",
            grid=GROWTH,
            replicas={"quick": share_replicas, "standard": many_share_replicas, "paper": many_share_replicas},
            size="N",
            threshold=0.99,
            variable="d",
            margin=0.1,
            # Student's t with d degrees of freedom: a series in 1/d, 1.7 % at d = 128
            families=("power", "corrected"),
            omega=(0.9, 2.1),
        ),
        part(
            "all-exponent",
            kind="capacity",
            law=laws["binary-capacity"],
            experiment=binary_gram_experiment,
            statement="Where all items must be right, items counted with their logarithm, N log N, grow like d.",
            grid=ALL_GROWTH,
            replicas={"quick": 512, "standard": 1024, "paper": 1024},
            size="N",
            threshold=MOSTLY,
            variable="d",
            counted=with_logarithm,
            margin=0.1,
            # Expecting 0.105 lost items, by the exact tail, makes the slope of log(N log N) 1.022 at d = 256 and 1.009 at
            # d = 4096: 0.015 off a power on average, which is left out beside a margin of 0.1.
            families=("power",),
        ),
        part(
            "all-items",
            kind="capacity",
            law=laws["binary-capacity:source"],
            experiment=binary_gram_experiment,
            statement="All of d associations are recalled.",
            grid=ALL,
            replicas={"quick": 512, "standard": 1024, "paper": 1024},
            size="N",
            threshold=MOSTLY,
            margin=0.1,
            erratum=laws["binary-capacity:source"].errata[0],
            x_axis="d",
        ),
        part(
            "sharp",
            kind="capacity",
            law=laws["binary-capacity"],
            experiment=binary_gram_experiment,
            statement="All items are right, in nine memories of ten, up to 2 N log N = d.",
            grid=ALL,
            replicas={"quick": 512, "standard": 1024, "paper": 1024},
            size="N",
            threshold=MOSTLY,
            margin=0.1,
            x_axis="d",
        ),
        part(
            "item-error",
            kind="identity",
            law=laws["binary-capacity:item-error"],
            experiment=binary_recall_experiment,
            statement="The share of lost items is the tail of Student's t, exactly; about Phi(-sqrt(d/N)).",
            grid=ITEMS,
            replicas={"quick": 16384, "standard": 65536, "paper": 65536},
            margin=0.02,
            x_axis="N",
        ),
        part(
            "cover",
            kind="constant",
            law=laws["binary-capacity:cover"],
            experiment=binary_labels_experiment,
            statement="Random labels are realised by some matrix with Cover's probability.",
            grid=COVER,
            replicas={"quick": 1024, "standard": 4096, "paper": 4096},
            margin=0.1,
            x_axis="N",
        ),
        part(
            "best-linear",
            kind="capacity",
            law=laws["binary-capacity:best-linear"],
            experiment=binary_labels_experiment,
            statement="The best matrix holds 2 d random labels in half of the draws.",
            grid=LABELS,
            replicas={"quick": 512, "standard": 512, "paper": 512},
            size="N",
            threshold=0.5,
            margin=0.1,
            x_axis="d",
        ),
    ),
)
