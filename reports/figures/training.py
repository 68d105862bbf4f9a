"""What the figures of trained memories share: the published grid's settings and its numbers."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypedDict

from asymp.reports.figures.declare import How, Series, Settings
from asymp.reports.figures.style import INK
from asymp.theory import laws

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Given = Mapping[str, Any]
STUDENT = 2.262
"""Student's quantile at 95 %, two-sided, for ten seeds."""
GRID: dict[str, Any] = {"alpha": 2.0, "N": 100, "M": 5, "T": 10_240}
BATCH = 1024
"""What the sources call large batches."""
NAMES = {"sgd": "SGD", "sign": "Adam"}
"""Optimisers by their names in the figures: with both betas zero Adam is sign descent."""


class Published(TypedDict):
    """Published means by dimension, each over ten seeds, and how far they may be off at 95 %."""

    d: list[int]
    mean: list[float]
    reach: list[float]


def trained(
    how: How,
    settings: Settings,
    variable: str,
    *,
    panels: Mapping[str, Given],
    curves: Mapping[str, Given],
    **given: Any,
) -> list[Series]:
    """Errors at the end of training against the sizes of a variable, a series for each curve of each panel.

    Panels and curves say by name what is their own; the rest is `given`, or as in the published grid.
    """
    return [
        how.curve(
            name, "training-runs", settings["runs"], variable, settings[variable], panel=panel,
            **{**GRID, **given, **shared, **own},
        )
        for panel, shared in panels.items()
        for name, own in curves.items()
    ]  # fmt: skip


def published_line(setting: str) -> Published:
    """The published means of ten seeds at d = 10, 100 and 1000, with the spread over seeds that they are known by."""
    from asymp.reports.claims.training.training_grid import SIZES, SPREAD

    means = [float(laws["training-grid"](d=d, setting=setting)) for d in SIZES]
    reach = [STUDENT * spread * mean / 10**0.5 for spread, mean in zip(SPREAD[setting], means, strict=True)]
    return {"d": list(SIZES), "mean": means, "reach": reach}


def published_marks(axes: "Axes", published: Published, at: Mapping[int, float], *, label: str) -> None:
    """Crosses at the published means, by dimension and place on the axis; bars: 95 % intervals over their ten seeds."""
    chosen = [i for i, d in enumerate(published["d"]) if d in at]
    mean, reach = ([published[key][i] for i in chosen] for key in ("mean", "reach"))
    places = [at[published["d"][i]] for i in chosen]
    axes.errorbar(places, mean, yerr=reach, fmt="x", ms=6, mew=1.6, elinewidth=1, capsize=2, color=INK, label=label)
