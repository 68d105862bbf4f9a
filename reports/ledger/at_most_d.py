"""at-most-d: a matrix of dimension d holds at most d memories, as long as there are few outputs."""

from collections.abc import Callable, Mapping
from typing import Any

from asymp.montecarlo.recall.equal_weights import equal_weights_recall_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

# About how many memories a dimension holds at recall 0.99, by the number of outputs: the sizes are spread around it.
PER_DIMENSION = {2: 0.183, 5: 0.32, 20: 0.94, 50: 2.08}
# Sizes lie within this factor of it: the error, which grows like N^3 (M = 2) to N^6 (M = 50) there, changes by 1.5 to 2
# either way, which some hundred errors tell apart. They lie 3 to 4 % apart, so that even the intervals of monotone tests,
# which stand in for the regression where it does not fit and reach to a size on either side, are within the margin.
WITHIN = {2: 1.15, 5: 1.13, 20: 1.12, 50: 1.12}


def shared(M: int, d: int) -> list[dict[str, Any]]:
    """Sizes around the capacity with M outputs, in whole classes."""
    about = PER_DIMENSION[M] * d / M
    sizes = sorted({M * max(1, round(about * WITHIN[M] ** (j / 4))) for j in range(-4, 5)})
    return [{"M": M, "d": d, "N": N} for N in sizes]


def injective(d: int, about: int) -> list[dict[str, Any]]:
    """Sizes around the number of memories with an output each: M = N."""
    sizes = sorted({round(about * 1.2 ** (j / 4)) for j in range(-4, 5)})
    return [{"M": None, "d": d, "N": N, "inputs": "gaussian", "outputs": "gaussian"} for N in sizes]


def replicas(errors: int) -> Callable[[Mapping[str, Any]], int]:
    """So many replicas that about `errors` inputs are lost at recall 0.99."""
    return lambda cell: max(32, round(100 * errors / cell["N"]))


def injective_replicas(total: int) -> Callable[[Mapping[str, Any]], int]:
    """Half of the inputs are lost: the fewer there are, the more replicas."""
    return lambda cell: max(16, total // cell["N"])


# Capacities double and double: from d = 256, where classes have several inputs, over two decades.
DIMENSIONS = (256, 512, 1024, 2048, 4096, 8192, 16384, 32768)
GROWTH = {
    "quick": [cell for d in DIMENSIONS[:-1] for cell in shared(5, d)],
    "standard": [cell for M in (2, 5) for d in DIMENSIONS for cell in shared(M, d)],
    "paper": [cell for M in (2, 5) for d in (*DIMENSIONS, 65536) for cell in shared(M, d)],
}
# The law of the value is a limit; at d = 1024 what it leaves out is below 3 %.
LARGE = {
    preset: [cell for M in (2, 5) for d in dimensions for cell in shared(M, d)]
    for preset, dimensions in {
        "quick": (1024, 4096),
        "standard": (1024, 4096, 16384),
        "paper": (1024, 8192, 65536),
    }.items()
}
# With twenty outputs the bound n <= d is all but attained.
FEW = {preset: [*cells, *shared(20, 1024)] for preset, cells in LARGE.items()}
MANY = {
    "quick": shared(50, 2048),
    "standard": [*shared(50, 2048), *shared(50, 8192)],
    "paper": [*shared(50, 2048), *shared(50, 8192), *shared(50, 32768)],
}
INJECTIVE = {
    "quick": [*injective(32, 100), *injective(64, 350)],
    "standard": [*injective(32, 100), *injective(64, 350), *injective(128, 1250)],
    "paper": [*injective(32, 100), *injective(64, 350), *injective(128, 1250), *injective(256, 4500)],
}
COUNTS = {"quick": replicas(600), "standard": replicas(4000), "paper": replicas(4000)}
INJECTIVE_COUNTS = {
    "quick": injective_replicas(2**13),
    "standard": injective_replicas(2**15),
    "paper": injective_replicas(2**15),
}

CLAIM = Claim(
    id="at-most-d",
    simulation="N inputs are stored with the same weight, and all of them are asked for; a replica's recall is the share of "
    "right answers. The capacity is the largest N at which the mean recall is 0.99 (with an output for each input: 0.5).",
    parts=(
        part(
            "source",
            kind="capacity",
            law=laws["at-most-d:source"],
            experiment=equal_weights_recall_experiment,
            statement="With few outputs (M = 2, 5, 20) at most d memories are held at recall 0.99.",
            grid=FEW,
            replicas=COUNTS,
            size="N",
            threshold=0.99,
            x_axis="d",
        ),
        part(
            "sharp",
            kind="capacity",
            law=laws["at-most-d"],
            experiment=equal_weights_recall_experiment,
            statement="Their number is d M/a^2 with pi_M(a) = 0.01: 0.18 d for M = 2, 0.33 d for M = 5.",
            grid=LARGE,
            replicas=COUNTS,
            size="N",
            threshold=0.99,
            margin=0.10,
            x_axis="d",
        ),
        part(
            "growth",
            kind="capacity",
            law=laws["at-most-d"],
            experiment=equal_weights_recall_experiment,
            statement="The number of memories held grows like d.",
            grid=GROWTH,
            replicas=COUNTS,
            variable="d",
            # at fixed M and d M/N the recall has a limit, approached like 1/d: no logarithm, and nothing to level off at
            families=("power", "corrected"),
            size="N",
            threshold=0.99,
            margin=0.10,
        ),
        part(
            "source-many-outputs",
            kind="capacity",
            law=laws["at-most-d:source"],
            experiment=equal_weights_recall_experiment,
            statement="With M = 50 outputs, too, at most d memories are held at recall 0.99.",
            grid=MANY,
            replicas=COUNTS,
            size="N",
            threshold=0.99,
            margin=0.10,
            erratum=laws["at-most-d:source"].errata[1],
            x_axis="d",
        ),
        part(
            "source-injective",
            kind="capacity",
            law=laws["at-most-d:source"],
            experiment=equal_weights_recall_experiment,
            statement="With an output for each input, too, at most d memories are held, even at recall 0.5.",
            grid=INJECTIVE,
            replicas=INJECTIVE_COUNTS,
            size="N",
            threshold=0.5,
            margin=0.10,
            erratum=laws["at-most-d:source"].errata[0],
            x_axis="d",
        ),
    ),
)
