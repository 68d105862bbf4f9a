"""The figure of a fit: data, allowed forms, the interval of predictions; below, what the backtest predicted."""

from typing import TYPE_CHECKING

import numpy as np

from asymp.reports.figures.style import COLOURS, GREY, INK, MARKERS, above, new, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from asymp.reports.fit.study import Fit

__all__ = ["CAPTION", "figure"]

CAPTION = (
    "Above: the data (points), what the allowed forms say, and the 95 % interval of a new measurement (shaded). "
    "With one size, what lies beyond the dotted line is a prediction; with two, points are measured over fitted. "
    "Below: errors of predictions inside the data, each form fitted up to a share of the range and tested beyond it."
)
REACH = 4.0


def figure(fit: "Fit") -> "Figure":
    """The figure of a fit: along its size, or, with two sizes, measured over fitted along their product."""
    from asymp.reports.page.ticks import log_ticks

    with styled():
        drawn, (top, below) = new(2, height=2.9, gridspec_kw={"height_ratios": (1.5, 1)})
        (_curve if len(fit.table.variables) == 1 else _residuals)(fit, top)
        above(top)
        for i, name in enumerate(fit.allowed):
            test = fit.fitted.backtests[name]
            if test.cut:
                share = [100 * cut for cut in test.cut]
                below.plot(
                    share, [100 * e for e in test.error], marker="o", ms=3.4, lw=1, color=COLOURS[i % len(COLOURS)]
                )
        below.set(
            xlabel="share of the logarithmic range that was fitted (%)", ylabel="error beyond it (%)", yscale="log"
        )
        if not any(test.cut for test in fit.fitted.backtests.values()):
            below.set(yscale="linear")
            below.text(0.5, 0.5, "too few sizes for a backtest", ha="center", transform=below.transAxes)
        for axes in (top, below):
            for axis in (axes.xaxis, axes.yaxis):
                if axis.get_scale() == "log":
                    log_ticks(axis, *axis.get_view_interval())
    return drawn


def _curve(fit: "Fit", axes: "Axes") -> None:
    table = fit.table
    x = table.x[:, 0]
    grid = np.geomspace(x.min(), REACH * x.max(), 160)[:, None]
    _, low, high = (np.exp(v) for v in fit.fitted.predict(grid, 0.95, simultaneous=False))
    ceiling, bottom = 1.6 * table.y.max(), table.y.min() / 1.6
    axes.fill_between(grid[:, 0], np.maximum(low, bottom), np.minimum(high, ceiling), color=GREY, alpha=0.25, lw=0)
    for i, name in enumerate(fit.allowed):
        says = np.clip(fit.fitted.solutions[name].at(grid), bottom, ceiling)
        axes.plot(grid[:, 0], says, color=COLOURS[i % len(COLOURS)], lw=1.2, label=_short(name))
    axes.plot(x, table.y, ls="", marker="o", ms=3, color=INK, alpha=0.7)
    axes.axvline(x.max(), color=INK, lw=0.8, ls=":")
    axes.set(xscale="log", yscale="log", xlabel=table.variables[0], ylabel=table.quantity)


def _residuals(fit: "Fit", axes: "Axes") -> None:
    table = fit.table
    order = np.argsort(table.x.prod(1))
    x, size = table.x[order], table.x.prod(1)[order]
    point, low, high = fit.fitted.predict(x, 0.95, simultaneous=False)
    axes.fill_between(size, 100 * (low - point), 100 * (high - point), color=GREY, alpha=0.25, lw=0)
    for i, name in enumerate(fit.allowed):
        found = fit.fitted.solutions[name]
        marker, colour = MARKERS[i % len(MARKERS)], COLOURS[i % len(COLOURS)]
        axes.plot(size, 100 * found.residuals[order], ls="", marker=marker, ms=3, color=colour, label=_short(name))
    axes.axhline(0, color=INK, lw=0.8, ls=":")
    axes.set(xscale="log", xlabel=" x ".join(table.variables), ylabel=f"{table.quantity} over fit (log, %)")


def _short(name: str) -> str:
    return name if len(name) <= 24 else f"{name[:21]}..."
