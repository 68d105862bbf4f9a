"""Figure 1 of the paper: the error against d and against T, equal weights on the inputs up to d/8."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from asymp.reports.gallery.checks import all_of, inside, slope_is
from asymp.reports.gallery.data import find, line, plain, point, series
from asymp.reports.gallery.declare import OPEN, Data, Figure, Finding, How, Statement

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

__all__ = ["FIGURE"]

ALPHA, M, K = 2, 5, 0.125
SETTINGS: dict[str, dict[str, Any]] = {
    "quick": {"d": [16, 32, 64, 128, 256, 512, 1024], "T": [10, 100, 1000, 10_000, 100_000], "runs": 100},
    "paper": {
        "d": [8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096],
        "T": [10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000, 1_000_000],
        "runs": 100,
    },
}
SHOWN = 5
"""Curves in a panel: more would hide one another."""


def measure(settings: Mapping[str, Any], how: How) -> Data:
    """Errors over the whole grid of d and T, T infinite included, with the laws at the same points."""
    from asymp.montecarlo.recall.equal_weights import equal_weights_experiment
    from asymp.theory import laws

    runs, sizes, samples = settings["runs"], settings["d"], [*settings["T"], math.inf]
    found = {
        (d, T): point(
            how.estimate(equal_weights_experiment, replicas=runs, alpha=ALPHA, N=math.inf, M=M, d=d, k=K, T=T)
        )
        for d in sizes
        for T in samples
    }
    # d = 1e9 stands for infinitely many dimensions: the input d/8 then has a mass below 1e-8.
    many = [
        point(how.estimate(equal_weights_experiment, replicas=runs, alpha=ALPHA, N=math.inf, M=M, d=10**9, T=T))
        for T in settings["T"]
    ]
    exact, plain_sum = laws["joint-law"], laws["joint-law:plain-sum"]
    at: dict[str, Any] = {"alpha": ALPHA, "M": M, "k": K}
    by_d = [series(_name("T", T), sizes, [found[d, T] for d in sizes], panel="d", at=T) for T in samples]
    by_T = [series(_name("d", d), settings["T"], [found[d, T] for T in settings["T"]], panel="T", at=d) for d in sizes]
    by_T.append(series(_name("d", math.inf), settings["T"], many, panel="T", at=math.inf))
    lines = [
        line(s["name"], s["x"], [float(exact(**at, d=d, T=float(s["at"]))) for d in s["x"]], law=exact.id, panel="d")
        for s in by_d
    ] + [
        line(s["name"], s["x"], [float(exact(**at, d=_whole(s["at"]), T=T)) for T in s["x"]], law=exact.id, panel="T")
        for s in by_T
    ]
    sums = [[float(plain_sum(**at, d=d, T=T)) for T in settings["T"]] for d in sizes]
    return {
        "series": by_d + by_T,
        "theory": lines,
        "sums": {"law": plain_sum.id, "d": sizes, "T": plain(samples[:-1]), "values": sums},
    }


def _name(letter: str, value: float) -> str:
    return f"{letter} = {'∞' if math.isinf(value) else f'{value:,}'.replace(',', ' ')}"


def _whole(value: Any) -> int:
    return 10**9 if value == "inf" else int(value)


def _thinned(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    step = (len(found) - 1) / (min(SHOWN, len(found)) - 1)
    return [found[round(i * step)] for i in range(min(SHOWN, len(found)))]


def draw(data: Data) -> "Drawing":
    """Two panels, each with the law behind its points."""
    from asymp.reports.gallery.style import curve, log_ticks, new, theory

    figure, axes = new(2, height=3.1)
    for letter, ax, words in (("d", axes[0], "dimensions d"), ("T", axes[1], "samples T")):
        for i, s in enumerate(_thinned([s for s in data["series"] if s["panel"] == letter])):
            curve(ax, s, i, joined=False)
            theory(ax, next(t for t in data["theory"] if t["name"] == s["name"]), i)
        ax.set(xscale="log", yscale="log", xlabel=words, ylabel="recall error")
        if letter == "d":
            log_ticks(ax, [8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096])
        ax.legend(loc="lower left", handletextpad=0.2)
    return figure


def _in_d(data: Data) -> Finding:
    s = find(data, "T = ∞")
    return slope_is(s["x"], s["points"], 1 - ALPHA, what="Error against d at T = ∞")


def _in_T(data: Data) -> Finding:
    s = find(data, "d = ∞")
    return slope_is(s["x"], s["points"], -1 + 1 / ALPHA, what="Error against T at d = 10⁹")


def _ratios(data: Data) -> list[dict[str, float]]:
    """Error over the sum with its constants, at every point of the grid."""
    found = []
    for i, d in enumerate(data["sums"]["d"]):
        s = next(s for s in data["series"] if s["panel"] == "T" and s["at"] == d)
        for p, y in zip(s["points"], data["sums"]["values"][i], strict=True):
            found.append({k: p[k] / y for k in ("mean", "least", "most")})
    return found


def _sum(data: Data) -> Finding:
    """The law with constants between 1/4 and 4: over this grid the error itself changes by more than a factor of 50."""
    ratios = sorted(_ratios(data), key=lambda r: r["mean"])
    return all_of(
        inside(r, 0.25, 4.0, what=f"The {word} error over the sum, with its constants,")
        for word, r in (("smallest", ratios[0]), ("largest", ratios[-1]))
    )


def _lines(data: Data) -> Finding:
    """Whether the sum, with its constants, goes through the points within 10 %."""
    ratios = sorted(_ratios(data), key=lambda r: r["mean"])
    return all_of(
        inside(r, 0.9, 1.1, what=f"The {word} error over the sum")
        for word, r in (("smallest", ratios[0]), ("largest", ratios[-1]))
    )


def _exact(data: Data) -> Finding:
    """The law with the crossover worked out: the point farthest from it, of those whose mean is known within 10 %."""
    found = []
    for s in data["series"]:
        t = next(t for t in data["theory"] if t["name"] == s["name"])
        for p, y in zip(s["points"], t["y"], strict=True):
            if p["most"] - p["least"] < 0.2 * y:
                found.append({k: p[k] / y for k in ("mean", "least", "most")})
    if not found:
        return Finding(OPEN, "No mean is known within 10 %.", {})
    worst = max(found, key=lambda r: abs(r["mean"] - 1))
    return inside(worst, 0.8, 1.2, what=f"Measured over law, where they differ most of {len(found)} points,")


FIGURE = Figure(
    name="figure-1",
    caption="Recall error of a memory that stores the inputs up to d/8 it has seen, with equal weights: against the dimension for "
    "several numbers of samples (above) and against samples for several dimensions (below). Zipf inputs with exponent 2, five "
    "outputs. Points: means over runs, with 95 % intervals. Dashed: the joint law with its constants computed, nothing fitted.",
    alt="Two log-log panels. In each, curves fall along a straight line and then level off: at a height set by the samples in the "
    "upper panel, by the dimension in the lower one. Points lie on the dashed law.",
    settings=SETTINGS,
    measure=measure,
    draw=draw,
    statements=(
        Statement("slope-d", "With many samples the error falls as d^(1 - alpha), here 1/d.", _in_d),
        Statement("slope-T", "With many dimensions the error falls as T^(-1 + 1/alpha), here T^(-1/2).", _in_T),
        Statement("sum", "Together the error is d^(1 - alpha) + T^(-1 + 1/alpha), up to constants.", _sum),
        Statement(
            "dashed",
            "The sum, its two constants computed, runs through the points (within 10 %).",
            _lines,
            why="Both slopes are right and so are both ends, but where the two terms are equal the sum counts twice what is "
            "neither stored nor seen: it lies up to a factor of two above the points. The dashed lines here are the joint law, "
            "which counts it once.",
            erratum="joint-law:plain-sum",
        ),
        Statement(
            "joint",
            "What is neither stored nor seen, counted once: the joint law agrees within 20 %.",
            _exact,
            by_us=True,
        ),
    ),
    notes=(
        "The caption gives neither the number of inputs nor that of outputs: infinitely many and five are taken here.",
        "An input counts as stored if its rank is at most d/8 and it was seen; unseen inputs are guessed.",
    ),
)
