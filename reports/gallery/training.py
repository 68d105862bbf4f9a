"""What the figures of trained memories share: the published grid's settings and its numbers."""

from typing import TYPE_CHECKING, Any

from asymp.reports.gallery.checks import NORMAL, all_of, inside
from asymp.reports.gallery.data import point
from asymp.reports.gallery.declare import OPEN, Finding, How

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["GRID", "published_line", "published_marks", "published_numbers", "trained"]

STUDENT = 2.262
"""Student's quantile at 95 %, two-sided, for ten seeds."""
GRID: dict[str, Any] = {"alpha": 2.0, "N": 100, "M": 5, "T": 10_240}


def trained(how: How, runs: int, **params: Any) -> dict[str, Any]:
    """The error at the end of training, over runs, at a setting of the grid."""
    from asymp.montecarlo.train.comparisons import training_runs_experiment

    return point(how.estimate(training_runs_experiment, replicas=runs, **{**GRID, **params}))


def published_line(setting: str) -> dict[str, Any]:
    """The published means of ten seeds at d = 10, 100 and 1000, with the spread over seeds that they are known by."""
    from asymp.reports.ledger.training_grid import SIZES, SPREAD
    from asymp.theory import laws

    means = [float(laws["training-grid"](d=d, setting=setting)) for d in SIZES]
    return {"setting": setting, "d": list(SIZES), "mean": means, "spread": list(SPREAD[setting]), "seeds": 10}


def published_marks(axes: "Axes", published: dict[str, Any], at: dict[int, float], *, label: str) -> None:
    """Crosses at the published means, by dimension and place on the axis; bars: 95 % intervals over their ten seeds."""
    from asymp.reports.pages.drawing import INK

    chosen = [i for i, d in enumerate(published["d"]) if d in at]
    mean = [published["mean"][i] for i in chosen]
    reach = [STUDENT * published["spread"][i] * published["mean"][i] / published["seeds"] ** 0.5 for i in chosen]
    places = [at[published["d"][i]] for i in chosen]
    axes.errorbar(places, mean, yerr=reach, fmt="x", ms=6, mew=1.6, elinewidth=1, capsize=2, color=INK, label=label)


def published_numbers(found: dict[str, Any], published: dict[str, Any]) -> Finding:
    """Whether measured over published is 1 within the published mean's own uncertainty (99.9 %), or within 10 %."""
    findings = []
    for d, p in zip(found["x"], found["points"], strict=True):
        if d not in published["d"]:
            continue
        i = published["d"].index(d)
        value = published["mean"][i]
        slack = max(NORMAL * published["spread"][i] / published["seeds"] ** 0.5, 0.1)
        ratio = {k: p[k] / value for k in ("mean", "least", "most")}
        findings.append(inside(ratio, 1 - slack, 1 + slack, what=f"Measured over published at d = {d} ({value:g})"))
    return all_of(findings) if findings else Finding(OPEN, "No published size was measured.", {})
