"""at-most-d: a matrix of dimension d holds at most d memories, as long as there are few outputs."""

from collections.abc import Callable
from functools import partial
from typing import Any

from asymp.montecarlo.samplers.scaling.at_most_d import equal_weights_recall_experiment
from asymp.reports.claims.scaling import around
from asymp.reports.declaring import Capacity, Claim, Grid, Setting, few_draws, laws, settings

# About how many memories a dimension holds at recall 0.99, by the number of outputs: the sizes are spread around it.
PER_DIMENSION = {2: 0.183, 5: 0.32, 20: 0.94, 50: 2.08}
# Sizes lie within this factor of it: the error, which grows like N^3 (M = 2) to N^6 (M = 50) there, changes by 1.5 to 2
# either way, which some hundred errors tell apart. They lie 3 to 4 % apart, so that even the intervals of monotone tests,
# which stand in for the regression where it does not fit and reach to a size on either side, are within the margin.
WITHIN = {2: 1.15, 5: 1.13, 20: 1.12, 50: 1.12}


def shared(*sizes: tuple[int, int]) -> list[dict[str, Any]]:
    """Sizes around the capacity for every (M, d), in whole classes."""
    return [c for M, d in sizes for c in settings(M=M, d=d, N=around(PER_DIMENSION[M] * d, WITHIN[M], M))]


def up_to(largest: int) -> Callable[[Setting], int]:
    """Small memories are measured more often, so that about as many inputs are asked for at every size up to the largest."""
    return lambda cell: largest // cell["N"]


# The law of the value is a limit; at d = 1024 what it leaves out is below 3 %.
LARGE = shared((2, 1024), (2, 4096), (5, 1024), (5, 4096))


def beyond(M: int, d: int = 1024) -> list[dict[str, Any]]:
    """Sizes around the capacity and around d, in whole classes."""
    return shared((M, d)) + settings(
        M=M, d=d, N=tuple(M * round(factor * d / M) for factor in (1.04, 1.08, 1.12, 1.16, 1.2, 1.24))
    )


capacity = partial(Capacity, experiment=equal_weights_recall_experiment, size="N")

CLAIM = Claim(
    id="at-most-d",
    title="How many memories d dimensions hold",
    source="bietti2025, bietti2024",
    order=9,
    parts=(
        capacity(
            "source",
            "With few outputs (M = 2, 5, 20) at most d memories are held at recall 0.99.",
            law=laws["at-most-d:source"],
            # With twenty outputs the bound n <= d is all but attained; with fewer, sizes beyond it make the bound refutable.
            grid=Grid([*shared((20, 1024)), *beyond(2), *beyond(5)], weight=up_to(1500)),
            threshold=0.99,
            margin=0.02,
            x_axis="d",
            draw=few_draws(14, 32, sizes=5),
        ),
        capacity(
            "sharp",
            "At recall 0.99 the number of memories is d M/a^2 with pi_M(a) = 0.01: 0.18 d for two answers, 0.33 d for five.",
            law=laws["at-most-d"],
            grid=Grid(LARGE, weight=up_to(1500)),
            threshold=0.99,
            x_axis="d",
            draw=few_draws(10, 32, sizes=5),
        ),
        capacity(
            "growth",
            "The number of memories held grows like d.",
            law=laws["at-most-d"],
            # from d = 256, where classes have several inputs
            grid=Grid(shared(*((5, 2**k) for k in range(8, 15))), weight=up_to(6000)),
            variable="d",
            # at fixed M and d M/N the recall has a limit, approached like 1/d: no logarithm, and nothing to level off at
            families=("power", "corrected"),
            threshold=0.99,
            draw=few_draws(1, 32),
        ),
        capacity(
            "source-many-outputs",
            "With 50 answers, too, at most d memories are held at recall 0.99.",
            law=laws["at-most-d:source"],
            grid=Grid(shared((50, 2048))),
            threshold=0.99,
            erratum=laws["at-most-d:source"].errata[1],
            x_axis="d",
            draw=few_draws(
                1,
                16,
                reason="sizes of thousands of inputs with 50 outputs: seconds at every other setting; the claim's "
                "other parts draw M and d",
                ranges={"M": None, "d": None},
            ),
        ),
        capacity(
            "source-injective",
            "With an answer of its own for each input, too, at most d memories are held, even at recall 0.5.",
            law=laws["at-most-d:source"],
            grid=Grid(
                [
                    cell
                    for d, about in ((32, 100), (64, 350))
                    for cell in settings(M=None, d=d, N=around(about, 1.2), inputs="gaussian", outputs="gaussian")
                ],
                weight=up_to(420),
            ),
            threshold=0.5,
            erratum=laws["at-most-d:source"].errata[0],
            x_axis="d",
            draw=few_draws(2, 16, sizes=5, ranges={"d": (16, 160)}),
        ),
    ),
)
