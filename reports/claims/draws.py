"""What claims have in common in how their settings are drawn: reasons, published settings, repairs of drawn ones."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from asymp.reports.kinds.drawing import Cell, Draw, between, few_draws
from asymp.theory import laws

if TYPE_CHECKING:
    from hypothesis import strategies as st

CERTIFICATES = (
    "whether a matrix exists takes seconds from d = 32 on; N, which grows like d^2, still spans a factor of five"
)
TRAINED_COSTS = "models are trained at sizes at which a few steps are enough: seconds a setting"


def with_losses(law: str, low: float, high: float, **ranges: tuple[float, float]) -> Draw:
    """Settings whose N is such that, by the law, a share of `low` to `high` of the items is lost.

    `ranges`: the ends between which the other numbers are drawn.
    """

    def fit(cell: Cell) -> Cell:
        sizes = np.unique(np.geomspace(4, 20_000, 200).round())
        values = {k: v for k, v in cell.items() if k in laws[law].domain and k != "N"}
        counted = {"S": sizes} if "R" in cell else {"N": sizes}
        error = laws[law](**values, **counted)
        stated = sizes[(error >= low) & (error <= high)]
        if not len(stated):
            raise ValueError(f"N must be such that {low:g} to {high:g} of the items are lost, and no size is")
        return {**cell, "N": cell.get("R", 1) * int(stated[cell["N"] % len(stated)])}

    reason = "the law is of leading order, and the statement says which shares of the items are lost: N is such that they are"
    return few_draws(21, 4, fit=fit, ranges=ranges, reason=reason)


EXPONENTIAL = "the capacity grows exponentially in d: at ten times the d it is astronomical"

EXACT_COSTS = "what the exact law costs: seconds from ten outputs on, on every commit a few settings are enough"

AS_PUBLISHED = (
    "the claim is about the published grid, of which N, M, alpha and the samples are fixed; d goes over its range, and "
    "the learning rate from 0.1 to 1. Ten memories a run are averaged over instead of 25, for what they cost"
)

PUBLISHED_GRID: dict[str, Any] = {"alpha": 2.0, "N": 100, "M": 5, "T": 10_240, "memories": 10}

DIMENSIONS = {"d": (10, 300)}


def compared(shared: Mapping[str, Any], **drawn: tuple[float, float]) -> "st.SearchStrategy[Cell]":
    """A setting of which some numbers are drawn log-uniformly; those of a range of whole numbers are whole."""
    from hypothesis import strategies as st

    ranges = {name: between(*ends, whole=all(isinstance(end, int) for end in ends)) for name, ends in drawn.items()}
    return st.fixed_dictionaries(ranges).map(lambda numbers: {**shared, **numbers})


def as_published(examples: int, d: tuple[int, int], lr: float | tuple[float, float], **shared: Any) -> Draw:
    """Settings of the published grid: d is drawn, and lr if it is a range; `shared` is what else they have."""
    drawn = {"d": d, "lr": lr} if isinstance(lr, tuple) else {"d": d}
    fixed = {**PUBLISHED_GRID, **shared} | ({} if isinstance(lr, tuple) else {"lr": lr})
    return Draw(
        AS_PUBLISHED,
        cells=lambda: compared(fixed, **drawn).map(lambda cell: [cell]),
        ranges={"d": d},
        trained=True,
        examples=examples,
        replicas=8,
    )


def of_pair(params: Mapping[str, Any]) -> dict[str, Any]:
    """The law's letters for two trainings; the limit of an order is the same everywhere."""
    batch = params["batch"] if "batch" in params else params["second"]["batch"]
    return {"d": params["d"], "B": batch, "lr": params["lr"]}
