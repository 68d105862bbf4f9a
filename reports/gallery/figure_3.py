"""Figure 3 of the paper: the error over d and T for equal weights and for counts, and against d with infinitely many samples."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from asymp.reports.gallery.checks import below, inside, slope_is
from asymp.reports.gallery.data import find, line, plain, point, series
from asymp.reports.gallery.declare import OPEN, Data, Figure, Finding, How, Statement

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

__all__ = ["FIGURE"]

N, M = 100, 5
SETTINGS: dict[str, dict[str, Any]] = {
    "quick": {
        "map_d": [5, 10, 20, 40, 80, 160, 320, 640],
        "map_T": [10, 30, 100, 300, 1000, 10_000],
        "d": [16, 32, 64, 128, 256, 512, 1024, 2048],
        "exact": [[10, 1000], [40, 100]],
        "runs": 100,
        "checked": 1000,
        "slopes": 2000,
        "beyond": 40_000,
    },
    "paper": {
        "map_d": [5, 7, 10, 14, 20, 28, 40, 57, 80, 113, 160, 226, 320, 453, 640],
        "map_T": [10, 18, 32, 56, 100, 178, 316, 562, 1000, 1778, 3162, 5623, 10_000],
        "d": [16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096],
        "exact": [[10, 1000], [20, 316], [40, 100], [80, 1000], [160, 1000], [160, 10_000]],
        "runs": 100,
        "checked": 1000,
        "slopes": 2000,
        "beyond": 40_000,
    },
}
SCHEMES = {"q₀": 0, "q₁": 1}
THRESHOLD = "q₀, P = d/8"
ACCURACY = 0.02
"""Of the exact law's numbers, relatively: less than a line's width."""


def measure(settings: Mapping[str, Any], how: How) -> Data:
    """Two maps at alpha = 0.5 and three curves at alpha = 2, with the exact law beside them."""
    from asymp.montecarlo.recall.equal_weights import equal_weights_experiment
    from asymp.montecarlo.recall.error import recall_error_experiment
    from asymp.theory import recall_error

    runs, common = settings["runs"], {"N": N, "M": M}
    maps = []
    for name, rho in SCHEMES.items():
        cells = [
            [
                point(
                    how.estimate(
                        recall_error_experiment, replicas=_runs(settings, d, T), alpha=0.5, **common, d=d, T=T, rho=rho
                    )
                )
                for d in settings["map_d"]
            ]
            for T in settings["map_T"]
        ]
        maps.append({"name": name, "d": settings["map_d"], "T": settings["map_T"], "cells": cells})
    spots = [
        {
            "name": name,
            "d": d,
            "T": T,
            "law": recall_error(alpha=0.5, **common, d=d, T=T, rho=rho, rel_error=ACCURACY).value,
            "measured": point(
                how.estimate(recall_error_experiment, replicas=runs, alpha=0.5, **common, d=d, T=T, rho=rho)
            ),
        }
        for name, rho in SCHEMES.items()
        for d, T in settings["exact"]
    ]
    curves, lines = [], []
    for name, rho in (*SCHEMES.items(), (THRESHOLD, 0)):
        sizes = settings["d"]
        own = [{"P": d / 8} if name == THRESHOLD else {} for d in sizes]
        # Equal weights are measured with the spread within classes taken out: the runs in which the first input is lost are
        # rare and carry the mean.
        experiment, given = (recall_error_experiment, {"rho": 1}) if rho else (equal_weights_experiment, {})
        found = [
            point(how.estimate(experiment, replicas=settings["slopes"], alpha=2, **common, d=d, **given, **o))
            for d, o in zip(sizes, own, strict=True)
        ]
        curves.append(series(name, sizes, found))
        exact = [
            recall_error(alpha=2, **common, d=d, rho=rho, rel_error=ACCURACY, **o).value
            for d, o in zip(sizes, own, strict=True)
        ]
        lines.append(line(name, sizes, exact, law="exact-recall-error", accuracy=ACCURACY))
    beyond = 1024
    # Errors of zero: so many runs show that the mean is below 2e-4, a tenth of what the power law would have there.
    errors = how.estimate(
        equal_weights_experiment, replicas=settings["beyond"], alpha=2, **common, d=beyond, P=beyond / 8
    )
    tipped = {"d": beyond, **point(errors)}
    return {"tipped": tipped, "maps": plain(maps), "spots": plain(spots), "series": curves, "theory": lines}


def _runs(settings: Mapping[str, Any], d: int, T: int) -> int:
    """A hundred as in the caption; a thousand at the corner where an error of zero has to be told from one of 1 %."""
    corner = d == settings["map_d"][-1] and settings["map_T"][-1] == T
    return int(settings["checked"] if corner else settings["runs"])


def draw(data: Data) -> "Drawing":
    """The two maps with one scale of colours, the curves below."""
    from asymp.reports.gallery.style import WIDTH, curve, heat, log_ticks, theory
    from asymp.reports.shown import ShownFigure as Canvas

    figure = Canvas(figsize=(WIDTH, 6.0), layout="constrained")
    grid = figure.add_gridspec(2, 2, height_ratios=(1, 1.15))
    left = figure.add_subplot(grid[0, 0])
    axes = [left, figure.add_subplot(grid[0, 1], sharey=left)]
    for ax, m in zip(axes, data["maps"], strict=True):
        shown = heat(ax, [[c["mean"] for c in row] for row in m["cells"]], vmin=0, vmax=0.8, origin="lower")
        every = max(1, (len(m["d"]) + 5) // 6)
        ax.set_xticks(range(0, len(m["d"]), every), [f"{d}" for d in m["d"][::every]])
        every = max(1, (len(m["T"]) + 6) // 7)
        ax.set_yticks(range(0, len(m["T"]), every), [f"{T}" for T in m["T"][::every]])
        ax.set(title=f"{m['name']}, α = 0.5", xlabel="dimensions d")
    axes[0].set_ylabel("samples T")
    axes[1].tick_params(labelleft=False)
    figure.colorbar(shown, ax=axes, label="recall error", pad=0.02)
    ax = figure.add_subplot(grid[1, :])
    floor = 1e-4
    for i, s in enumerate(data["series"]):
        # An error of zero has no place on the axis.
        live = [(x, p) for x, p in zip(s["x"], s["points"], strict=True) if p["mean"] > floor]
        curve(ax, {**s, "x": [x for x, _ in live], "points": [p for _, p in live]}, i, joined=False)
        theory(ax, find(data, s["name"], "theory"), i)
    ax.axvline(N, color="#7f7f7f", lw=0.8, ls=":")
    ax.axvline(8 * N, color="#7f7f7f", lw=0.8, ls=":")
    ax.text(N, 1.5, " d = N", fontsize=8.5, va="top")
    ax.text(8 * N, 1.5, " d = 8N", fontsize=8.5, va="top")
    ax.set(
        xscale="log",
        yscale="log",
        ylim=(floor, 1.6),
        xlabel="dimensions d",
        ylabel="recall error",
        title="T = ∞, α = 2",
    )
    log_ticks(ax, [16, 64, 256, 1024, 4096])
    ax.legend(loc="lower left")
    return figure


def _cell(data: Data, name: str, d: int, T: int) -> Any:
    m = next(m for m in data["maps"] if m["name"] == name)
    return m["cells"][m["T"].index(T)][m["d"].index(d)]


def _ends(data: Data) -> tuple[int, int, int]:
    m = data["maps"][0]
    return m["d"][0], m["d"][-1], m["T"][-1]


def _overflow(data: Data) -> Finding:
    """Guessing among five outputs errs in 0.8 of the cases: a large error is at least half of that."""
    small, _, T = _ends(data)
    return inside(_cell(data, "q₀", small, T), 0.4, 1.0, what=f"The error of q₀ at d = {small}, T = {T}")


def _null(data: Data) -> Finding:
    _, large, T = _ends(data)
    return inside(_cell(data, "q₀", large, T), 0.0, 0.01, what=f"The error of q₀ at d = {large}, T = {T}")


def _small_d(data: Data) -> Finding:
    """A tenth of the inputs' number is small, and the ledger's own choice."""
    T = _ends(data)[2]
    return below(_cell(data, "q₁", 10, T), _cell(data, "q₀", 10, T), what=f"q₁ against q₀ at d = 10, T = {T}")


def _large_d(data: Data) -> Finding:
    _, large, T = _ends(data)
    return below(
        _cell(data, "q₀", large, T), _cell(data, "q₁", large, T), what=f"q₀ against q₁ at d = {large}, T = {T}"
    )


def _at(data: Data, name: str, d: float) -> tuple[int, Any]:
    """The measured size nearest to d."""
    s = find(data, name)
    i = min(range(len(s["x"])), key=lambda j: abs(math.log(s["x"][j] / d)))
    return s["x"][i], s["points"][i]


def _half(data: Data) -> Finding:
    """Where equal weights tip: the d at which the error has fallen to half of a guess's 0.8, between two sizes."""
    s = find(data, "q₀")
    above = [x for x, p in zip(s["x"], s["points"], strict=True) if p["least"] > 0.4]
    under = [x for x, p in zip(s["x"], s["points"], strict=True) if p["most"] < 0.4]
    if not under:
        return Finding(OPEN, "The sizes do not show where the error falls.", {})
    low, high = max(above, default=1), min(under)
    between = {"mean": math.sqrt(low * high), "least": low, "most": high}
    return inside(between, N / 2, 2 * N, what="The d at which the error of q₀ falls through 0.4")


def _fast(data: Data) -> Finding:
    """Fast: faster than 1/d^2 between N and 4 N, which the next sentence's power laws are not."""
    (x, a), (y, b) = _at(data, "q₀", N), _at(data, "q₀", 4 * N)
    limit = a["least"] * (x / y) ** 2
    return inside(b, 0.0, limit, what=f"The error of q₀ at d = {y} (at d = {x}: {a['mean']:.3g})")


def _quarter(data: Data) -> Finding:
    s = find(data, "q₁")
    return slope_is(s["x"], s["points"], -0.25, what="Error of q₁ against d")


def _inverse(data: Data) -> Finding:
    s = find(data, THRESHOLD)
    chosen = [(x, p) for x, p in zip(s["x"], s["points"], strict=True) if 16 <= x < 8 * N]
    found = slope_is(
        [x for x, _ in chosen],
        [p for _, p in chosen],
        -1.0,
        what=f"Error of {THRESHOLD} against d up to {chosen[-1][0]}",
    )
    (x, a), (y, b) = chosen[0], chosen[-1]
    mean = math.log(b["mean"] / a["mean"]) / math.log(y / x)
    return Finding(
        found.outcome,
        f"{found.words} From {x} to {y} the mean slope is {mean:.2f}.",
        {**found.numbers, "mean slope": mean},
    )


def _tips(data: Data) -> Finding:
    """Beyond d = 8 N nothing is left out: less than a tenth of what the power law would have."""
    x, a = _at(data, THRESHOLD, 2 * N)
    b = data["tipped"]
    y = b["d"]
    return inside(
        b, 0.0, 0.1 * a["least"] * x / y, what=f"The error of {THRESHOLD} at d = {y} (at d = {x}: {a['mean']:.3g})"
    )


def _exact(data: Data) -> Finding:
    worst = max(data["spots"], key=lambda s: abs(math.log(max(s["measured"]["mean"], 1e-9) / s["law"])))
    ratios = {k: worst["measured"][k] / worst["law"] for k in ("mean", "least", "most")}
    return inside(
        ratios,
        0.8,
        1.25,
        what=f"Measured over law for {worst['name']} at d = {worst['d']}, T = {worst['T']}, the worst of the spots,",
    )


FIGURE = Figure(
    name="figure-3",
    caption="Recall error over dimensions and samples for 100 Zipf inputs with exponent 0.5 and five outputs: equal "
    "weights q₀ on the inputs seen (above left) and weights that count (q₁, above right). Below: infinitely many "
    "samples, exponent 2: q₀, q₁ and equal weights on the inputs up to d/8. Points: means over 100 runs with 95 % "
    "intervals; dashed: the exact law at finite d, with no parameter.",
    alt="Two heat maps: with equal weights the error is large at small d and near zero at large d and T; with counts "
    "it changes more gently. Below, three falling curves against d; equal weights fall off steeply, counts slowly, "
    "the threshold as 1/d until d = 8N.",
    settings=SETTINGS,
    measure=measure,
    draw=draw,
    statements=(
        Statement("overflow", "q₀: where d is too small the memory overflows and the error is large.", _overflow),
        Statement("null", "q₀: with d big enough and enough data the error is null (below 1 %).", _null),
        Statement("small-d", "For small d and big T, q₁ has a smaller error than q₀.", _small_d),
        Statement("large-d", "For big d, q₁ has a bigger error than q₀.", _large_d),
        Statement(
            "tips-at-N",
            "q₀ at T = ∞: the error is high for d < N; it tips at d = N (within a factor of two).",
            _half,
            why="Tipping is read here as half of a guess's error. What tips is d M/N; with five outputs half is reached below "
            "d = N, while at d = N itself the error is 0.16.",
        ),
        Statement("fast", "q₀ at T = ∞: for d > N the error decreases fast to zero.", _fast),
        Statement("quarter", "q₁ at T = ∞: the error decreases as d^(-1/4).", _quarter),
        Statement(
            "inverse",
            "q₀ with P = d/8: the error decreases as 1/d.",
            _inverse,
            why="With 100 inputs the mass that is not stored is that of 1/P - 1/N, which falls faster than 1/P, the more so the "
            "nearer d/8 comes to N; 1/d is the law of infinitely many inputs. The dashed line is the exact law at N = 100.",
            erratum="threshold-scheme:source",
        ),
        Statement("threshold-tips", "It does so until a tipping point when d/8 > N.", _tips),
        Statement("exact", "The exact law reproduces the maps (spots of them, within 20 %).", _exact, by_us=True),
    ),
    notes=("The caption averages over 100 runs; more are taken where a sentence rests on one error or on a slope.",),
)
