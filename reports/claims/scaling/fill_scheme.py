"""fill-scheme: every input that was seen is stored with the same weight."""

import math
from collections.abc import Callable
from typing import Any

from asymp.montecarlo.samplers.scaling.fill_scheme import equal_weights_experiment, equal_weights_recall_experiment
from asymp.reports.claim import Claim
from asymp.reports.claims.draws import EXACT_COSTS
from asymp.reports.claims.scaling import IN_SAMPLES, around
from asymp.reports.grid import Grid, Setting, settings
from asymp.reports.kinds import Bound, Capacity, Constant, Identity, Rate
from asymp.reports.kinds.drawing import Cell, Draw, few_draws
from asymp.theory import laws

# Everything seen, d far above N: sizes at which errors below d^-1 and d^-2 can still be counted.
FEW: dict[str, Any] = {"alpha": 2, "N": 4, "M": 4, "T": math.inf, "outputs": "sphere"}


EXACT = ((0.5, 100, 5, 100, math.inf), (1, 60, 5, 40, 100), (2, 40, 4, 30, 1000), (1.5, 50, 2, 20, 30))


def exact(alpha: float, N: int, M: int, d: int, T: float, outputs: str) -> dict[str, Any]:
    """A cell of the exact law, measured by the route that shares nothing with it."""
    return {"alpha": alpha, "N": N, "M": M, "d": d, "T": T, "outputs": outputs, "route": "factored"}


def sphere(N: int, M: int, *dimensions: int) -> list[dict[str, Any]]:
    """Cells with outputs on the sphere; the error does not depend on the law of the inputs there."""
    return settings(alpha=1, N=N, M=M, d=dimensions, outputs="sphere")


def loads(N: int, M: int, *times: int) -> list[dict[str, Any]]:
    """Equal loads d M/N with different d/N. The limit is one of many dimensions: d is 40 M and more."""
    return settings(alpha=2, N=N, M=M, d=tuple(load * N // M for load in times))


def tipping(*sizes: tuple[int, int]) -> list[dict[str, Any]]:
    """Sizes around the tipping point for every (M, d), in whole classes.

    About how many inputs a dimension holds at an error of 0.16; sizes lie within a factor 1.12 and 3 % apart, so that even
    the monotone tests that stand in for a bad regression are within the margin.
    """
    held = {5: 1.0, 20: 2.25, 50: 4.4}
    return [cell for M, d in sizes for cell in settings(M=M, d=d, N=around(held[M] * d, 1.12, M))]


def rare(total: float, more: float) -> Callable[[Setting], int]:
    """So many replicas that their number times the error is `total`, or `more` where the law is off by 4 % itself."""

    def count(setting: Setting) -> int:
        M = int(setting["M"])
        load = setting["d"] * M / setting["N"]
        about = (M - 1) / 2 * math.erfc(math.sqrt(load) / 2)
        return max(512, round((total if M == 2 else more) / about))

    return count


def loaded(cell: Cell) -> Cell:
    """Few classes, and from one to five times N/M dimensions, so that the error can be counted."""
    M = max(2, min(cell["M"], math.isqrt(cell["N"] // 25)))
    load = 1 + 4 * (cell["d"] % 97) / 96
    return {**cell, "M": M, "N": cell["N"] // M * M, "d": max(40 * M, round(load * cell["N"] / M))}


def whole_classes(cell: Cell) -> Cell:
    """As many inputs of every output."""
    return {**cell, "N": cell["M"] * max(1, round(cell["N"] / cell["M"]))}


def roomy(times: int) -> "Draw":
    """Every input has an output of its own, and there are so many times more dimensions."""

    def fit(cell: Cell) -> Cell:
        return {**cell, "M": cell["N"], "d": max(cell["d"], times * cell["N"])}

    return few_draws(10, 4096, fit=fit, reason="'d far above N': at least as many times N as in the grid, at any N")


CLAIM = Claim(
    id="fill-scheme",
    title="Equal weights on all inputs seen",
    source="bietti2025, bietti2024; cabannes2024, Figure 3",
    order=11,
    parts=(
        Rate(
            "source",
            "With d far above the number of inputs seen the error decays in T with the exponent -1 + 1/alpha.",
            law=laws["fill-scheme:source"],
            experiment=equal_weights_experiment,
            grid=IN_SAMPLES,
            to_law=lambda setting: {**setting, "k": 1},
            variable="T",
            draw=few_draws(1, 64),
        ),
        Bound(
            "source-first-power",
            "With d far above N, everything seen and outputs on the sphere, the error is below d^-1.",
            law=laws["fill-scheme:source"],
            experiment=equal_weights_experiment,
            grid=Grid(settings(**FEW, d=(12, 16)), replicas=(8192, 262144)),
            to_law=lambda setting: {**setting, "k": 1},
            x_axis="d",
            draw=roomy(3),
        ),
        Bound(
            "source-second-power",
            "From larger d on it is below d^-2. (Higher powers follow from the exponential law below.)",
            law=laws["fill-scheme:source"],
            experiment=equal_weights_experiment,
            grid=Grid(settings(**FEW, d=(20, 24)), replicas=(16384, 524288)),
            to_law=lambda setting: {**setting, "k": 2},
            x_axis="d",
            draw=roomy(5),
        ),
        Identity(
            "sharp",
            "The error equals the exact law at finite d, N and T.",
            law=laws["fill-scheme"],
            experiment=equal_weights_experiment,
            grid=Grid(
                [
                    exact(1, 40, 2, 30, 60, "gaussian"),
                    exact(1, 42, 3, 30, math.inf, "sphere"),
                    exact(2, 40, 4, 30, math.inf, "sphere"),
                ],
                [
                    exact(alpha, N, M, d, T, outputs)
                    for alpha, N, M, d, T in EXACT
                    for outputs in ("gaussian", "sphere")
                ],
                replicas=(8192, 32768),
            ),
            draw=few_draws(3, reason=EXACT_COSTS),
        ),
        Constant(
            "exponential",
            "The error falls exponentially in d, at the rate log(1/(1 - M/(2N)))/2, with its constant.",
            law=laws["fill-scheme:asymptotic"],
            experiment=equal_weights_experiment,
            # Two outputs: exact at every d, and the exponential from 0.08 down to 0.002 (0.0002). More: from above, 4 % at M = 3.
            grid=Grid(
                sphere(20, 2, 40, 80, 120, 160),
                [*sphere(20, 2, 40, 80, 120, 160, 200, 240), *sphere(12, 3, 60), *sphere(20, 4, 120)],
                replicas=(rare(200, 400), rare(400, 1000)),
            ),
            x_axis="d",
            draw=Draw(
                reason="two outputs, for which the law is right at every d; with more it comes from above, by 4 % at M = 3",
                ranges={"M": None},
            ),
        ),
        Constant(
            "limit",
            "For many inputs it is a function of d M/N: pi_M(sqrt(d M/N)).",
            law=laws["fill-scheme:limit"],
            experiment=equal_weights_experiment,
            grid=Grid(
                [*loads(1000, 2, 1, 5), *loads(1000, 5, 1, 5)],
                [c for N, M in ((1000, 2), (1000, 5), (4000, 5), (20_000, 20)) for c in loads(N, M, 1, 2, 5)],
                replicas=(rare(200, 200), rare(500, 500)),
            ),
            x_axis="d",
            draw=Draw(
                reason="the limit is one of many dimensions, d at least 40 M, and many inputs, at least 25 M^2",
                fit=loaded,
            ),
        ),
        Capacity(
            "source-tipping",
            "With the source's five outputs the memory tips (its error passes 0.16) at N = d.",
            law=laws["fill-scheme:tipping-source"],
            experiment=equal_weights_recall_experiment,
            grid=Grid(tipping((5, 1024)), tipping((5, 512), (5, 4096)), tipping((5, 4096)), replicas=(64, 128)),
            size="N",
            threshold=0.84,
            x_axis="d",
            draw=few_draws(
                2,
                16,
                sizes=5,
                ranges={"M": None},
                reason="the source speaks of five outputs; another tipping point is an erratum",
            ),
        ),
        Capacity(
            "source-tipping-outputs",
            "With more outputs, too, it tips at N = d.",
            law=laws["fill-scheme:tipping-source"],
            experiment=equal_weights_recall_experiment,
            grid=Grid(
                tipping((20, 1024)),
                tipping((20, 1024), (50, 2048)),
                tipping((20, 4096), (50, 4096)),
                replicas=(64, 128),
            ),
            size="N",
            threshold=0.84,
            erratum=laws["fill-scheme:tipping-source"].errata[0],
            x_axis="d",
            draw=few_draws(1, 16, sizes=5, ranges={"M": (20, 50), "d": (1024, 2048)}, fit=whole_classes),
        ),
    ),
)
