"""mlp-capacity: how many associations a layer of m neurons holds, constructed and trained."""

from collections.abc import Mapping
from typing import Any

from asymp.montecarlo.memories.hermite import mlp_capacity_experiment, mlp_error_experiment, mlp_recall_experiment
from asymp.montecarlo.memories.trained import trained_load_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

Grid = dict[str, list[dict[str, Any]]]

# With a fixed number of candidates there is no logarithm and no floor: N = d (m/z^2 - 3)/(1 + 3 m/d^2), z a constant.
PURE = ("power", "corrected")
SERIES = (0.9, 2.1)  # the corrections of that form are of order 1/m, 1/d and 1/d^2
# Trained, the layer has m (2 d - 1) free parameters, since a neuron's two lengths are one: powers of 1/m and 1/d again.
WIDTHS = {
    "quick": (192, (48, 64, 96, 128, 192, 256)),
    "standard": (256, (64, 96, 128, 192, 256, 384, 512, 768, 1024)),
}
DIMENSIONS = {"quick": (64, 96, 128, 192, 256, 384), "standard": (64, 96, 128, 192, 256, 384, 512, 768)}
IN_WIDTH: Grid = {preset: [{"d": d, "m": m} for m in widths] for preset, (d, widths) in WIDTHS.items()}
IN_DIMENSION: Grid = {preset: [{"d": d, "m": 128} for d in sizes] for preset, sizes in DIMENSIONS.items()}

# Sizes around those at which half of the items are lost, m below d and above.
HALF = {(64, 128): 480, (64, 512): 1540, (128, 64): 425, (128, 256): 1980, (128, 512): 3700, (192, 512): 5700}
FACTORS = tuple(2 ** (j / 16) for j in range(-4, 5))


def around(*settings: tuple[int, int]) -> list[dict[str, Any]]:
    """Nine sizes at each setting."""
    return [{"d": d, "m": m, "N": round(HALF[d, m] * f)} for d, m in settings for f in FACTORS]


SIZES: Grid = {
    "quick": around((64, 128), (64, 512)),
    "standard": around((64, 128), (64, 512), (128, 256), (128, 512), (192, 512)),
}
CURVE: Grid = {
    "quick": [{"d": 64, "m": 512, "N": N} for N in (1600, 2200, 3200)],
    "standard": [
        {"d": d, "m": m, "N": N}
        for d, m, sizes in ((64, 512, (1600, 2200, 3200)), (128, 256, (2000, 2800, 4000)))
        for N in sizes
    ],
}
# Items counted with their logarithm, N log N, around 3 m d: near what training reaches.
TRAINED = {"quick": (4, 6, 8, 12), "standard": (4, 6, 8, 12, 16, 24, 32, 48, 64)}


def loads(d: int, m: int) -> list[dict[str, Any]]:
    """Six loads, a factor of 2.3 in all."""
    return [{"d": d, "m": m, "load": round(3 * m * d * 2 ** (j / 4))} for j in (-3, -2, -1, 0, 1, 2)]


TRAINED_WIDTH: Grid = {preset: [c for m in sizes for c in loads(12, m)] for preset, sizes in TRAINED.items()}
TRAINED_DIMENSION: Grid = {
    preset: [c for d in (6, 8, 12, 16, 24, 32, 48, 64)[: 4 if preset == "quick" else 8] for c in loads(d, 12)]
    for preset, sizes in TRAINED.items()
}
for grid in (IN_WIDTH, IN_DIMENSION, SIZES, CURVE, TRAINED_WIDTH, TRAINED_DIMENSION):
    grid["paper"] = grid["standard"]
# The factor 1 + 3 m/d^2 bends the other way: 5 % at the end of the standard grid, which a paper check would see.
IN_WIDTH["paper"] = [{**cell, "d": 1024} for cell in IN_WIDTH["standard"]]


def sizes(params: Mapping[str, Any]) -> dict[str, Any]:
    """d and m alone; k = 2."""
    return {"d": params["d"], "m": params["m"]}


def few(least: int, width: int) -> Any:
    """Few neurons have few items to ask about, and cost little: more replicas there."""
    return lambda params: least * max(1, width // params["m"])


CLAIM = Claim(
    id="mlp-capacity",
    simulation="Constructed: m neurons with quadratic activation and one correlation step; recall on 1024 of the items, all N "
    "outputs being candidates. Exponents: 256 items and their outputs as candidates, so that no logarithm comes in, in a "
    "memory that grows. Trained: a ReLU layer, both matrices, 200 steps of full-batch Adam.",
    notes=(
        "The class of corrections of the trained parts was changed after a quick look that left them open. So did a standard "
        "check at a seed that nobody had seen (417): 0.915 (98 %: 0.570 to 1.134) in m, 1.103 (0.670 to 1.702) in d.",
        "Trained, N log N/(m d) at half recall falls from 3.2 to 2.5 as m goes from 6 to 64 at d = 12, and rises from 2.7 to 3.4 "
        "as d goes from 6 to 64 at m = 12: after 200 steps, slowly enough that a standard check leaves both exponents open.",
    ),
    parts=(
        part(
            "source",
            kind="rate",
            law=laws["mlp-capacity:source"],
            experiment=mlp_capacity_experiment,
            statement="At a fixed number of candidates N grows like m, for m << d^2, below d and above.",
            grid=IN_WIDTH,
            replicas={"quick": few(4, 256), "standard": few(8, 512), "paper": few(64, 512)},
            to_law=sizes,
            variable="m",
            margin=0.1,
            families=PURE,
            omega=SERIES,
        ),
        part(
            "source-d",
            kind="rate",
            law=laws["mlp-capacity:source"],
            experiment=mlp_capacity_experiment,
            statement="At a fixed number of candidates N grows like d, below m and above.",
            grid=IN_DIMENSION,
            replicas={"quick": 4, "standard": 24, "paper": 64},
            to_law=sizes,
            variable="d",
            margin=0.1,
            families=PURE,
            omega=SERIES,
        ),
        part(
            "sharp",
            kind="capacity",
            law=laws["mlp-capacity:half"],
            experiment=mlp_recall_experiment,
            statement="Half of the items are right at the size at which the finite-size curve says so, its logarithm included.",
            grid=SIZES,
            replicas={"quick": 6, "standard": 6, "paper": 32},
            to_law=sizes,
            size="N",
            threshold=0.5,
            margin=0.1,
        ),
        part(
            "item-error",
            kind="constant",
            law=laws["mlp-capacity:item-error"],
            experiment=mlp_error_experiment,
            statement="The share of lost items follows the curve with no free parameter, where 50 to 90 % are lost.",
            grid=CURVE,
            replicas={"quick": 8, "standard": 24, "paper": 64},
            margin=0.1,
            x_axis="N",
        ),
        part(
            "trained",
            kind="capacity",
            law=laws["mlp-capacity:source"],
            experiment=trained_load_experiment,
            statement="Trained, the items counted as N log N grow like m.",
            grid=TRAINED_WIDTH,
            replicas={"quick": 4, "standard": 8, "paper": 16},
            to_law=sizes,
            size="load",
            threshold=0.5,
            variable="m",
            margin=0.1,
            families=PURE,
            omega=SERIES,
        ),
        part(
            "trained-d",
            kind="capacity",
            law=laws["mlp-capacity:source"],
            experiment=trained_load_experiment,
            statement="Trained, the items counted as N log N grow like d.",
            grid=TRAINED_DIMENSION,
            replicas={"quick": 4, "standard": 8, "paper": 16},
            to_law=sizes,
            size="load",
            threshold=0.5,
            variable="d",
            margin=0.1,
            families=PURE,
            omega=SERIES,
        ),
        part(
            "literal",
            kind="capacity",
            law=laws["mlp-capacity:source"],
            experiment=mlp_recall_experiment,
            statement="N = m d literally, constructed: half of so many items are right.",
            grid=SIZES,
            replicas={"quick": 6, "standard": 6, "paper": 32},
            to_law=sizes,
            size="N",
            threshold=0.5,
            margin=0.1,
            erratum=laws["mlp-capacity:source"].errata[0],
        ),
    ),
)
