"""Memory matrices: the softmax of the scores, inputs by outputs, for each scheme and along training."""

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from asymp.reports.gallery.checks import all_of, below, inside, one_number, ratio
from asymp.reports.gallery.data import points_of, series
from asymp.reports.gallery.declare import Data, Figure, Finding, How, Statement

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

__all__ = ["FIGURE"]

N, M, ALPHA, STRENGTH = 30, 5, 1.0, 5.0
SCHEMES: dict[str, dict[str, Any]] = {
    "q₀: all equal": {"rho": 0.0},
    "q₁: as frequent": {"rho": 1.0},
    "q₀, first 10": {"rho": 0.0, "P": 10},
}
SETTINGS: dict[str, dict[str, Any]] = {
    "quick": {"d": 30, "runs": 200, "steps": [10, 100, 1000], "lr": 1.0},
    "paper": {"d": 30, "runs": 1000, "steps": [10, 100, 1000, 10_000], "lr": 1.0},
}
ENDS = 5
"""Inputs at each end whose rows are compared."""


def measure(settings: Mapping[str, Any], how: How) -> Data:
    """A matrix of each scheme, all schemes with as large a W as equal weights of 5; matrices of one run of SGD."""
    from asymp.montecarlo.blocks import block_generator, pick_device
    from asymp.montecarlo.gradients.memory_matrix import memory_matrix
    from asymp.montecarlo.train.memory import train_memory

    where, d, runs = pick_device(how.device), settings["d"], settings["runs"]
    p = np.arange(1, N + 1) ** -ALPHA
    p = p / p.sum()
    pictures, masses, agree = [], [], []
    for name, scheme in SCHEMES.items():
        q = p ** scheme["rho"] * (np.arange(1, N + 1) <= scheme.get("P", N))
        scale = STRENGTH * float(np.sqrt(N / (q**2).sum()))
        given = {"N": N, "M": M, "d": d, "alpha": ALPHA, **scheme, "scale": scale, "embeddings": "gaussian"}
        # The same embeddings for every scheme: the pictures differ by the weights alone.
        generator = block_generator(where, "memory-matrices", 1, {"d": d, "runs": runs}, how.seed, 0)
        scores, matrix = memory_matrix(**given, replicas=runs, generator=generator, device=where)
        rows = np.arange(N)
        target = matrix.cpu().numpy()[:, rows, (rows + 1) % M]
        agree.append(float((matrix.argmax(2) == scores.argmax(2)).double().mean()))
        pictures.append({"name": name, "matrix": np.round(matrix[0].cpu().numpy(), 4).tolist(), "scale": scale})
        masses.append(series(name, list(range(1, N + 1)), points_of(target)))
    steps = settings["steps"]
    run = train_memory(
        alpha=ALPHA, N=N, M=M, d=d, T=steps[-1], lr=settings["lr"], init="zero", record=steps, measure=("error", "scores"),
        replicas=20, seed=how.seed, device=how.device,
    )  # fmt: skip
    assert run.matrices is not None
    assert run.error is not None
    for step in steps:
        pictures.append({"name": f"SGD, {step} steps", "matrix": np.round(run.memory_matrix(0, step), 4).tolist()})
    right = (run.matrices.values.argmax(3) == (np.arange(N) + 1) % M).mean(2)
    return {
        "pictures": pictures,
        "series": [*masses, series("rows right", steps, points_of(right))],
        "agreement": agree,
    }


def draw(data: Data) -> "Drawing":
    """A picture for each, one scale of colours."""
    from asymp.reports.gallery.style import INK, heat, new

    pictures = data["pictures"]
    figure, rows = new(2, height=3.3, columns=max(3, len(pictures) - 3), sharey=True)
    axes = [ax for row in rows for ax in row]
    top, below_ = pictures[:3], pictures[3:]
    width = len(rows[0])
    places = [*range(3), *range(width, width + len(below_))]
    for ax in axes:
        ax.set_visible(False)
    for place, picture in zip(places, [*top, *below_], strict=True):
        ax = axes[place]
        ax.set_visible(True)
        shown = heat(ax, picture["matrix"], vmin=0, vmax=1, extent=(-0.5, M - 0.5, N + 0.5, 0.5))
        # A dot where the target is.
        ax.plot(
            [x % M for x in range(1, N + 1)],
            range(1, N + 1),
            ls="none",
            marker="o",
            ms=2.2,
            mfc="white",
            mec=INK,
            mew=0.4,
        )
        ax.set_title(picture["name"], fontsize=9.5)
        ax.set_xticks(range(M))
        ax.set_xlabel("output y")
    for place in (0, width):
        axes[place].set_ylabel("input x (dot: its target)")
    figure.colorbar(shown, ax=[ax for ax in axes if ax.get_visible()], label="mass given to y", pad=0.02, shrink=0.6)
    return figure


def _mass(data: Data, scheme: int, rare: bool) -> dict[str, Any]:
    """The mean mass on the target over the first or the last inputs; their errors added, as if they moved together."""
    points = data["series"][scheme]["points"]
    own = points[-ENDS:] if rare else points[:ENDS]
    keys = ("mean", "least", "most", "stderr", "low", "high")
    return {**own[0], **{k: sum(p[k] for p in own) / ENDS for k in keys}}


def _argmax(data: Data) -> Finding:
    return one_number(
        min(data["agreement"]), 1.0, 1.0, what="The share of rows whose largest entry is the output recalled"
    )


def _equal(data: Data) -> Finding:
    found = ratio(_mass(data, 0, rare=False), _mass(data, 0, rare=True))
    return inside(found, 0.8, 1.25, what="Equal weights: mass on the target, frequent over rare inputs,")


def _rare(data: Data) -> Finding:
    return below(
        _mass(data, 1, rare=True),
        _mass(data, 0, rare=True),
        what="Mass on the target of the rarest inputs, q₁ against q₀",
    )


def _frequent(data: Data) -> Finding:
    return below(
        _mass(data, 0, rare=False),
        _mass(data, 1, rare=False),
        what="Mass on the target of the most frequent inputs, q₀ against q₁",
    )


def _training(data: Data) -> Finding:
    points = data["series"][-1]["points"]
    return all_of(
        below(a, b, what="Share of rows that are right, at one recorded step against the next")
        for a, b in pairwise(points)
    )


FIGURE = Figure(
    name="memory-matrices",
    caption="Memory matrices: for each input a row with the softmax of its scores over the outputs; a dot marks the "
    "target. Above: equal weights, weights as the frequencies, and equal weights on the ten most frequent inputs, on "
    "the same embeddings and with W of the same size. Below: along one run of SGD with batch one. 30 inputs with p ~ "
    "1/x, five outputs, 30 dimensions.",
    alt="Six heat maps of 30 rows and 5 columns. With equal weights bright entries lie on most dots, some elsewhere; "
    "with frequencies the upper rows are sharp and the lower ones blurred; along training the dots fill from the top "
    "down.",
    settings=SETTINGS,
    measure=measure,
    draw=draw,
    statements=(
        Statement("argmax", "The largest entry of a row is what the memory recalls.", _argmax),
        Statement("equal", "q₀ gives every association the same share of the memory.", _equal),
        Statement("rare", "q₁ does not allocate enough memory to rare associations.", _rare),
        Statement(
            "frequent", "q₁ avoids overflow where it counts: frequent associations are clearer than with q₀.", _frequent
        ),
        Statement("training", "Along training more and more associations are stored.", _training),
    ),
    notes=("The sources' pictures come without sizes; these are small enough to see every entry.",),
)
