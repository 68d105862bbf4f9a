"""hopfield-capacity: how many patterns of d bits a Hopfield net keeps as fixed points."""

from collections.abc import Mapping
from typing import Any

from asymp.montecarlo.memories.patterns import (
    bit_capacity_experiment,
    bit_error_experiment,
    fixed_patterns_experiment,
    near_patterns_experiment,
)
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

Grid = dict[str, list[dict[str, Any]]]

# A bit's signal is d - 1 and the variance of its noise (N - 1)(d - 1): for a fixed number of bits N - 1 is a multiple of
# d - 1 and nothing else. That is 2/d off a power, 1.5 % at the smallest size, which moves the exponent by 0.005.
PURE = ("power",)
DIMENSIONS = {
    "quick": (128, 256, 512, 1024, 2048),
    "standard": (128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096),
}
RATE: Grid = {preset: [{"d": d} for d in sizes] for preset, sizes in DIMENSIONS.items()}
# Around the sizes at which one pattern, or all, are broken half of the time.
HALF = {
    "one": {128: 20, 256: 33, 512: 57, 1024: 100, 2048: 176},
    "all": {128: 14, 256: 22, 512: 35, 1024: 58, 2048: 100},
}
# Over a sixth to each side a parabola fits the logit of recall; over twice that it does not. Close enough to each other
# that the test which assumes no form tells 10 % as well.
FACTORS = tuple(2 ** (j / 20) for j in range(-4, 5))


def around(items: str, sizes: tuple[int, ...]) -> list[dict[str, Any]]:
    """Up to nine sizes, whole numbers."""
    return [
        {"d": d, "N": N, "items": items} for d in sizes for N in sorted({round(HALF[items][d] * f) for f in FACTORS})
    ]


ONE: Grid = {"quick": around("one", (256, 1024)), "standard": around("one", (128, 256, 512, 1024, 2048))}
ALL: Grid = {"quick": around("all", (256, 512)), "standard": around("all", (128, 256, 512, 1024))}
BITS: Grid = {
    "quick": [{"d": d, "N": 64, "kind": kind} for d, kind in ((128, "zero"), (64, "kept"))],
    "standard": [
        {"d": d, "N": N, "kind": kind}
        for d, N in ((17, 12), (64, 64), (128, 64), (256, 100), (500, 150))
        for kind in ("zero", "kept")
    ],
}
NEAR_SIZES = {"quick": (64, 80, 96, 112, 128), "standard": (64, 80, 96, 128, 160, 192, 256)}
# The share of nets that end near their pattern falls from most to few between 0.12 d and 0.4 d at these sizes.
NEAR: Grid = {
    preset: [
        {"d": d, "N": N}
        for d in sizes
        for N in sorted({round(0.17 * d * 2 ** (j / 5)) for j in (-3, -2, -1, 0, 1, 2, 3, 4, 5, 6)})
    ]
    for preset, sizes in NEAR_SIZES.items()
}
for grid in (RATE, ONE, ALL, BITS, NEAR):
    grid["paper"] = grid["standard"]


def dimension(params: Mapping[str, Any]) -> dict[str, Any]:
    """d alone."""
    return {"d": params["d"]}


def which(params: Mapping[str, Any]) -> dict[str, Any]:
    """d, and whether one pattern or all must hold."""
    return {"d": params["d"], "items": params["items"]}


def bits(params: Mapping[str, Any]) -> dict[str, Any]:
    """The law names the diagonal."""
    return {"d": params["d"], "N": params["N"], "diagonal": params["kind"]}


def few_are_noisy(most: int) -> Any:
    """A small net has few patterns to ask about, and its capacity is a small whole number."""
    return lambda params: max(16, most * 128 // params["d"])


CLAIM = Claim(
    id="hopfield-capacity",
    simulation="Random patterns of signs, one step of all bits from stored patterns. Exponents: 16 bits of each pattern must "
    "stay, so that no logarithm comes in, in a net that grows. With errors: bits move in groups, in a random order, until none "
    "does, and the state must be within 5 % of the pattern.",
    parts=(
        part(
            "source",
            kind="rate",
            law=laws["hopfield-capacity:source"],
            experiment=bit_capacity_experiment,
            statement="At a fixed number of bits that must stay N grows like d.",
            grid=RATE,
            replicas={"quick": few_are_noisy(64), "standard": few_are_noisy(512), "paper": few_are_noisy(2048)},
            variable="d",
            margin=0.1,
            families=PURE,
        ),
        part(
            "sharp",
            kind="capacity",
            law=laws["hopfield-capacity:half"],
            experiment=fixed_patterns_experiment,
            statement="A pattern is a fixed point half of the time at the size that d independent bits give.",
            grid=ONE,
            replicas={"quick": 64, "standard": 256, "paper": 1024},
            to_law=which,
            size="N",
            threshold=0.5,
            margin=0.1,
        ),
        part(
            "all-patterns",
            kind="capacity",
            law=laws["hopfield-capacity:half"],
            experiment=fixed_patterns_experiment,
            statement="All patterns are fixed points half of the time at the size that N d independent bits give.",
            grid=ALL,
            replicas={"quick": 128, "standard": 1024, "paper": 4096},
            to_law=which,
            size="N",
            threshold=0.5,
            margin=0.1,
        ),
        part(
            "item-error",
            kind="identity",
            law=laws["hopfield-capacity:item-error"],
            experiment=bit_error_experiment,
            statement="The share of bits that change in one step is the binomial tail, with the diagonal or without.",
            grid=BITS,
            replicas={"quick": 8192, "standard": 16384, "paper": 65536},
            to_law=bits,
            margin=0.02,
        ),
        part(
            "with-errors",
            kind="capacity",
            law=laws["hopfield-capacity:with-errors"],
            experiment=near_patterns_experiment,
            statement="With a few wrong bits allowed the capacity grows like d, without a logarithm.",
            grid=NEAR,
            replicas={"quick": 16, "standard": 96, "paper": 512},
            to_law=dimension,
            size="N",
            threshold=0.5,
            variable="d",
            margin=0.1,
            families=("power", "corrected"),  # the share falls towards its limit as d grows
        ),
    ),
)
