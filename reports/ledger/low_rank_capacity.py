"""low-rank-capacity: how many associations a matrix of rank m holds, with one factor random and one step on the other."""

from collections.abc import Mapping
from typing import Any

from asymp.montecarlo.memories.low_rank import (
    low_rank_capacity_experiment,
    low_rank_error_experiment,
    low_rank_recall_experiment,
)
from asymp.montecarlo.memories.trained import trained_low_rank_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

Grid = dict[str, list[dict[str, Any]]]

LARGE = 2**20
# With a fixed number of candidates there is no logarithm and no floor: N = d (m/z^2 - 1)/(1 + m/d), z a constant.
PURE = ("power", "corrected")
RANKS = {
    "quick": (32, 64, 128, 256, 512, 1024),
    "standard": (32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024),
}
DIMENSIONS = {
    "quick": tuple(4**k for k in range(5, 11)),
    "standard": tuple(2**k for k in range(9, 21)),
}
IN_RANK: Grid = {preset: [{"d": LARGE, "m": m} for m in sizes] for preset, sizes in RANKS.items()}
IN_DIMENSION: Grid = {preset: [{"d": d, "m": 64} for d in sizes] for preset, sizes in DIMENSIONS.items()}

# Sizes around those at which half of the items are lost, a factor of 1.4 in all; d and m chosen so that N covers a decade.
HALF = {(256, 64): 960, (256, 128): 1580, (128, 128): 680, (256, 256): 2350, (512, 128): 3500, (1024, 256): 12600}
FACTORS = tuple(2 ** (j / 16) for j in range(-4, 5))


def around(*settings: tuple[int, int]) -> list[dict[str, Any]]:
    """Nine sizes at each setting."""
    return [{"d": d, "m": m, "N": round(HALF[d, m] * f)} for d, m in settings for f in FACTORS]


SIZES: Grid = {
    "quick": around((256, 64), (256, 128)),
    "standard": around(*[setting for setting in HALF if setting[0] < 1024]),
}
CURVE: Grid = {
    "quick": [{"d": 256, "m": 64, "N": N} for N in (600, 1000, 1800)],
    "standard": [
        {"d": d, "m": m, "N": N}
        for d, m, sizes in (
            (256, 64, (600, 1000, 1800)),
            (512, 128, (2000, 3500, 6000)),
            (256, 256, (1500, 2100, 3500)),
        )
        for N in sizes
    ],
}
# Twice as many items as the construction recalls, and fewer than the m (2 d - m) free numbers over log N.
TRAINED: Grid = {
    "quick": [{"d": 16, "m": 8, "N": 32}],
    "standard": [{"d": d, "m": m, "N": N} for d, m, N in ((16, 8, 32), (32, 8, 64), (32, 16, 128))],
}
for grid in (IN_RANK, IN_DIMENSION, SIZES, CURVE, TRAINED):
    grid["paper"] = grid["standard"]
SIZES["paper"] = around(*HALF)


def sizes(params: Mapping[str, Any]) -> dict[str, Any]:
    """d and m alone."""
    return {"d": params["d"], "m": params["m"]}


def few(most: int) -> Any:
    """A high rank costs more: fewer replicas there."""
    return lambda params: most if params["m"] <= 256 else most // 2 if params["m"] <= 512 else most // 4


CLAIM = Claim(
    id="low-rank-capacity",
    simulation="Capacities and errors: the memory is formed and asked about 512 of its items, all N outputs being candidates. "
    "Exponents: 256 items and their outputs as candidates, so that no logarithm comes in, in a memory that grows; the other "
    "items are drawn by what they add up to, exactly in law for gaussian embeddings. Trained: both factors, from random ones, "
    "200 steps of full-batch Adam.",
    parts=(
        part(
            "source",
            kind="rate",
            law=laws["low-rank-capacity:source"],
            experiment=low_rank_capacity_experiment,
            statement="At a fixed number of candidates N grows like d, for m << d.",
            grid=IN_DIMENSION,
            replicas={"quick": 12, "standard": 64, "paper": 128},
            to_law=sizes,
            variable="d",
            margin=0.1,
            families=PURE,
        ),
        part(
            "source-m",
            kind="rate",
            law=laws["low-rank-capacity:source"],
            experiment=low_rank_capacity_experiment,
            statement="At a fixed number of candidates N grows like m, for m << d.",
            grid=IN_RANK,
            replicas={"quick": few(16), "standard": few(96), "paper": few(256)},
            to_law=sizes,
            variable="m",
            margin=0.1,
            families=PURE,
        ),
        part(
            "sharp",
            kind="capacity",
            law=laws["low-rank-capacity:half"],
            experiment=low_rank_recall_experiment,
            statement="Half of the items are right at the size at which the finite-size curve says so, its logarithm included.",
            grid=SIZES,
            replicas={"quick": 4, "standard": 16, "paper": 32},
            to_law=sizes,
            size="N",
            threshold=0.5,
            margin=0.1,
        ),
        part(
            "item-error",
            kind="constant",
            law=laws["low-rank-capacity:item-error"],
            experiment=low_rank_error_experiment,
            statement="The share of lost items follows the curve with no free parameter, where 15 to 85 % are lost.",
            grid=CURVE,
            replicas={"quick": 16, "standard": 64, "paper": 128},
            margin=0.1,
            x_axis="N",
        ),
        part(
            "trained",
            kind="order",
            law=laws["low-rank-capacity:trained"],
            experiment=trained_low_rank_experiment,
            statement="With both factors trained no more items are lost than with one random factor and one step on the other.",
            grid=TRAINED,
            replicas={"quick": 32, "standard": 48, "paper": 64},
        ),
        part(
            "literal",
            kind="capacity",
            law=laws["low-rank-capacity:source"],
            experiment=low_rank_recall_experiment,
            statement="N = m d literally: half of so many items are right.",
            grid=SIZES,
            replicas={"quick": 4, "standard": 16, "paper": 32},
            to_law=sizes,
            size="N",
            threshold=0.5,
            margin=0.1,
            erratum=laws["low-rank-capacity:source"].errata[0],
        ),
    ),
)
