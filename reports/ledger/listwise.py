"""listwise: how many associations a matrix holds when the answer need only be near the top of the list."""

from collections.abc import Mapping
from typing import Any

from asymp.montecarlo.capacities.best_linear import listwise_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

Grid = dict[str, list[dict[str, Any]]]

# The change from yes to no takes about 2/sqrt(N) of the capacity (Cover): 6 sizes, 2/sqrt(N) to either side of the law's.
RATIO = {1.0: 2.0, 0.5: 0.6577, 0.25: 0.3883}


def sizes(d: int, r: float) -> list[int]:
    """Six sizes around alpha_c d^2."""
    middle = RATIO[r] * d * d
    wide = 2 / middle**0.5
    return sorted({round(middle * (1 - wide + 2 * wide * k / 5)) for k in range(6)})


def cells(settings: tuple[tuple[int, float], ...]) -> list[dict[str, Any]]:
    """All sizes at each setting."""
    return [{"d": d, "N": N, "r": r} for d, r in settings for N in sizes(d, r)]


VALUES: Grid = {
    "quick": cells(((8, 1.0), (8, 0.5))),
    "standard": cells(((4, 1.0), (8, 1.0), (16, 1.0), (8, 0.5), (12, 0.5), (12, 0.25))),
}
# Over a factor of five in d, and a decade and a half in N: r = 1, whose fits are the cheapest.
GROWTH: Grid = {
    "quick": cells(tuple((d, 1.0) for d in (3, 4, 6, 8))),
    "standard": cells(tuple((d, 1.0) for d in (3, 4, 6, 8, 12, 16))),
}
GROWTH["paper"] = cells(tuple((d, 1.0) for d in (3, 4, 6, 8, 12, 16, 24, 32)))
VALUES["paper"] = cells(((4, 1.0), (8, 1.0), (16, 1.0), (32, 1.0), (16, 0.5), (32, 0.5), (32, 0.25)))


def replicas(params: Mapping[str, Any]) -> int:
    """A share of one half with the slope sqrt(N/(2 pi)) per log N, 2.6 to 4.5: errors of 1 to 3 % of the capacity."""
    return 32


def many(params: Mapping[str, Any]) -> int:
    """For a standard check."""
    return 256 if params["d"] <= 8 else 64


def steady(params: Mapping[str, Any]) -> int:
    """Errors of 1 % of a capacity and less: a 98 % interval of 0.12 in the exponent."""
    return 512 if params["d"] <= 8 else 128 if params["d"] == 12 else 64


CLAIM = Claim(
    id="listwise",
    simulation="Gaussian embeddings; a convex fit decides whether some matrix lets every answer beat the mean of the top "
    "fraction r of its competitors' scores (the tail-average criterion; r = 1 is the mean of all).",
    notes=(
        "At small r N the capacity is larger than the limit by the factor 1 + 1/(r N), because competitors are lowered too.",
        "A power of d with no logarithm: the ratio to alpha_c d^2 is judged at each d, with nothing to fit, and the exponent "
        "at r = 1.",
        "The criterion 'top-fraction' (the answer is within the top r) is not convex and is not measured.",
    ),
    parts=(
        part(
            "sharp",
            kind="capacity",
            law=laws["listwise"],
            experiment=listwise_experiment,
            statement="Criterion tail-average: the capacity is alpha_c(r) d^2, alpha_c = 1/E[(k_r - g)_+^2].",
            grid=VALUES,
            replicas={"quick": replicas, "standard": many, "paper": many},
            size="N",
            threshold=0.5,
            margin=0.1,
            x_axis="d",
        ),
        part(
            "exponent",
            kind="capacity",
            law=laws["listwise"],
            experiment=listwise_experiment,
            statement="Criterion tail-average, r = 1: the capacity grows like d^2.",
            grid=GROWTH,
            replicas={"quick": replicas, "standard": steady, "paper": steady},
            size="N",
            threshold=0.5,
            variable="d",
            margin=0.1,
            # the factor 1 + 1/N, N about 2 d^2, is a correction with the exponent 2 and of 6 % at d = 3
            families=("power", "corrected"),
            kappa=(-0.1, 0.2),
            omega=(0.9, 2.1),
        ),
    ),
)
