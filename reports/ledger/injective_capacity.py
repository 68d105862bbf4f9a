"""injective-capacity: how many associations with all different answers a sum of outer products holds."""

import math
from collections.abc import Mapping
from typing import Any

from asymp.montecarlo.capacities.injective import (
    injective_all_experiment,
    injective_item_experiment,
    injective_recall_experiment,
)
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

Grid = dict[str, list[dict[str, Any]]]

# Sizes around the capacity. Recall of an item falls by .6 (d = 32) to 1 (large d) per factor e, of all items by 3 and more.
MIDDLE = tuple(math.exp(-0.28 + 0.08 * k) for k in range(8))
NARROW = tuple(math.exp(-0.42 + 0.12 * k) for k in range(8))

# Around what the law at finite size says for gaussian embeddings.
GROWTH_AT = {32: 98, 64: 348, 128: 1241, 256: 4415, 512: 15680, 1024: 55870, 2048: 201000}
GROWTH: Grid = {
    preset: [{"d": d, "N": round(GROWTH_AT[d] * f), "inputs": "gaussian"} for d in sizes for f in MIDDLE]
    for preset, sizes in {
        "quick": (32, 128, 512),
        "standard": (32, 64, 128, 256, 512, 1024),
        "paper": (32, 64, 128, 256, 512, 1024, 2048),
    }.items()
}
# The same cells; an exponent takes four sizes at least.
EXPONENT: Grid = {
    **GROWTH,
    "quick": [
        {"d": d, "N": round(GROWTH_AT[d] * f), "inputs": "gaussian"} for d in (32, 64, 128, 256, 512) for f in MIDDLE
    ],
}
# The law's own predictions, 8 N log N = d^2.
ALL_AT = {64: 109, 96: 215, 128: 350, 192: 703, 256: 1161, 384: 2372}
ALL: Grid = {
    preset: [{"d": d, "N": round(ALL_AT[d] * f)} for d in sizes for f in NARROW]
    for preset, sizes in {
        "quick": (64, 96),
        "standard": (64, 96, 128, 192, 256),
        "paper": (64, 96, 128, 192, 256, 384),
    }.items()
}
# From d = 64 on: at d = 32 the law of the share of lost items is a tenth off on the sphere.
HALF_AT = {64: 350, 96: 703, 128: 1161, 192: 2372, 256: 3956, 512: 13755}
HALF: Grid = {
    preset: [{"d": d, "N": round(1.08 * HALF_AT[d] * f)} for d in sizes for f in MIDDLE]
    for preset, sizes in {
        "quick": (64,),
        "standard": (64, 96, 128, 192, 256),
        "paper": (64, 96, 128, 192, 256, 512),
    }.items()
}


def item(d: int, N: int, inputs: str = "gaussian") -> dict[str, Any]:
    """A cell of the curve."""
    return {"d": d, "N": N, "inputs": inputs, "count": "lost"}


CURVE: Grid = {
    "quick": [
        *(item(32, N) for N in (64, 128, 1024)),
        *(item(64, N, "sphere") for N in (256, 512)),
        *(item(128, N) for N in (1024, 2048)),
    ],
    "standard": [
        *(item(32, N) for N in (43, 64, 128, 256, 1024)),
        *(item(64, N, "sphere") for N in (171, 256, 512, 4096)),
        *(item(128, N) for N in (683, 1024, 2048, 4096, 16384)),
        *(item(512, N, "sphere") for N in (10923, 16384, 32768)),
    ],
}
CURVE["paper"] = CURVE["standard"]
SPHERE: Grid = {
    "quick": [{"d": d, "N": N, "count": "lost"} for d, N in ((32, 1024), (64, 372))],
    "standard": [
        *({"d": 64, "N": N, "count": "lost"} for N in (256, 372, 512, 4096)),
        *({"d": 128, "N": N, "count": "lost"} for N in (1024, 2048)),
    ],
}
SPHERE["paper"] = SPHERE["standard"]


def gaussian_outputs(params: Mapping[str, Any]) -> dict[str, Any]:
    """The d-free route has gaussian outputs."""
    return {"d": params["d"], "N": params["N"], "inputs": params["inputs"], "outputs": "gaussian"}


def with_logarithm(params: Mapping[str, Any], N: float) -> float:
    """What is a power of d to leading order; its share left over, N log N/d^2, rises from .44 at d = 32 to .58."""
    return N * math.log(N)


def gaussian_both(params: Mapping[str, Any]) -> dict[str, Any]:
    """Gaussian inputs and outputs."""
    return {"d": params["d"], "inputs": "gaussian", "outputs": "gaussian"}


# Replicas from the wanted errors. One item a replica: a share p has the relative error sqrt((1 - p)/(p n)), 1.7 % at
# p = .31 and n = 8192. A capacity has the error sqrt(.25/n)/slope, n replicas in all near it: 1 to 2 %.
def curve_replicas(params: Mapping[str, Any]) -> int:
    """More at the standard preset, whose cells go down to p = .14; fewer where p is above one half."""
    return 65536 if params["N"] <= 1024 else 8192 if params["N"] <= 4096 else 2048


def growth_replicas(params: Mapping[str, Any]) -> int:
    """Pairs of items a size in a quick check."""
    return {32: 3072, 64: 1024, 128: 1024}.get(params["d"], 256)


def many_growth_replicas(params: Mapping[str, Any]) -> int:
    """Pairs of items a size in a standard check."""
    return {32: 8192, 64: 8192, 128: 4096, 256: 2048, 512: 1024}.get(params["d"], 512)


def all_replicas(params: Mapping[str, Any]) -> int:
    """Memories a size in a quick check."""
    return 256 if params["d"] <= 64 else 128


def many_half_replicas(params: Mapping[str, Any]) -> int:
    """Memories a size in a standard check."""
    return max(12, 8192 // int(params["d"]))


CLAIM = Claim(
    id="injective-capacity",
    simulation="Sums of outer products of random embeddings. Recall of all items, or of a random sample of them, from the "
    "matrix itself; with gaussian outputs also one item at a time, its scores drawn in O(N) by rotation invariance, which "
    "reaches N = 1e6.",
    notes=(
        "The level of `sharp` is the median, one half of the memories; at nine memories of ten the size is about 15 % smaller at "
        "these d: thresholds of all items are a limit, and sharpen slowly.",
        "At 99 % recall the limit is approached far more slowly: N log N/d^2 is .10 at d = 32 and .22 at d = 512.",
        "What the source says is judged with its logarithm (`source`), and as it stands (`literal`, an erratum).",
    ),
    parts=(
        part(
            "source",
            kind="capacity",
            law=laws["injective-capacity:half"],
            experiment=injective_item_experiment,
            statement="The capacity grows as d^2 but for its logarithm: half of the items are right at the finite-size form of "
            "2 N log N = d^2, at every d with no free parameter; gaussian embeddings.",
            grid=GROWTH,
            replicas={"quick": growth_replicas, "standard": many_growth_replicas, "paper": many_growth_replicas},
            to_law=gaussian_both,
            size="N",
            threshold=0.5,
            margin=0.1,
            x_axis="d",
        ),
        part(
            "exponent",
            kind="capacity",
            law=laws["injective-capacity:half"],
            experiment=injective_item_experiment,
            statement="Items counted with their logarithm, N log N, grow like d^2; half of the items right.",
            grid=EXPONENT,
            replicas={"quick": growth_replicas, "standard": many_growth_replicas, "paper": many_growth_replicas},
            to_law=gaussian_both,
            size="N",
            threshold=0.5,
            variable="d",
            counted=with_logarithm,
            margin=0.1,
            # the logarithm is counted, and no floor is below a capacity: what is left is a correction
            families=("power", "corrected"),
        ),
        part(
            "literal",
            kind="capacity",
            law=laws["injective-capacity:source"],
            experiment=injective_all_experiment,
            statement="All of d^2 associations are recalled.",
            grid=ALL,
            replicas={"quick": all_replicas, "standard": 128, "paper": 128},
            size="N",
            threshold=0.5,
            margin=0.1,
            erratum=laws["injective-capacity:source"].errata[0],
            x_axis="d",
        ),
        part(
            "sharp",
            kind="capacity",
            law=laws["injective-capacity"],
            experiment=injective_all_experiment,
            statement="All items are right in half of the memories up to 8 N log N = d^2, on the sphere around d = 100.",
            grid=ALL,
            replicas={"quick": all_replicas, "standard": 128, "paper": 128},
            size="N",
            threshold=0.5,
            margin=0.1,
            x_axis="d",
        ),
        part(
            "one-item",
            kind="capacity",
            law=laws["injective-capacity:half"],
            experiment=injective_recall_experiment,
            statement="An item is right half of the time at the finite-size form of 2 N log N = d^2.",
            grid=HALF,
            replicas={"quick": 48, "standard": many_half_replicas, "paper": many_half_replicas},
            size="N",
            threshold=0.5,
            margin=0.1,
            x_axis="d",
        ),
        part(
            "curve",
            kind="constant",
            law=laws["injective-capacity:item-error"],
            experiment=injective_item_experiment,
            statement="The share of lost items is the law's with no free parameter, gaussian outputs; .986 and more at "
            "N = d^2.",
            grid=CURVE,
            replicas={"quick": 4096, "standard": curve_replicas, "paper": curve_replicas},
            to_law=gaussian_outputs,
            margin=0.1,
            x_axis="N",
        ),
        part(
            "sphere-curve",
            kind="constant",
            law=laws["injective-capacity:item-error"],
            experiment=injective_recall_experiment,
            statement="The same for embeddings on the sphere, from the matrix itself.",
            grid=SPHERE,
            replicas={"quick": 192, "standard": 512, "paper": 512},
            margin=0.1,
            x_axis="N",
        ),
    ),
)
