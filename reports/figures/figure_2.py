"""Figure 2 of the paper: three memories in one matrix, of which the first is recalled wrongly."""

from collections.abc import Mapping
from typing import Any

from asymp.reports.figures.declare import Data, Drawing, Figure, How, Settings, line
from asymp.reports.figures.style import COLOURS, INK, new, panel
from asymp.theory import recall_error

# Unit vectors with u_1.u_2 = 0, as the caption assumes: the scores of the outputs at input 1 are 16/25, 27/25 and 12/25.
EXAMPLE: Mapping[str, list[list[float]]] = {
    "e": [[1.0, 0.0], [0.6, 0.8], [0.6, -0.8]],
    "u": [[1.0, 0.0], [0.0, 1.0], [-0.6, 0.8]],
}
SETTINGS = {
    "quick": {"d": [2, 4, 8, 16, 32, 64], "runs": 2000},
    "paper": {"d": [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128], "runs": 20_000},
}


def measure(settings: Settings, how: How) -> Data:
    """The scores of the example from the matrix itself, and how often three random memories interfere."""
    scores = [how.estimate("stored-score", 8, **EXAMPLE, x=1, y=y).mean for y in (1, 2, 3)]
    sizes = settings["d"]
    uniform: dict[str, Any] = {"p": [1 / 3] * 3, "N": 3, "M": 3, "targets": [0, 1, 2]}
    exact = [recall_error(alpha=0, N=3, M=3, d=d, rel_error=0.02).value for d in sizes]
    return {
        "example": {**EXAMPLE, "scores": scores},
        "series": [how.curve("random", "recall-error", settings["runs"], "d", sizes, **uniform)],
        "theory": [line("random", sizes, exact, law="exact-recall-error")],
    }


def draw(data: Data) -> Drawing:
    """The vectors of the example, its scores, and the chance of interference against d."""
    example = data["example"]
    figure, axes = new(2, height=2.9, columns=2)
    for ax, letter, words in ((axes[0], "e", "inputs"), (axes[1], "u", "outputs")):
        for i, (x, y) in enumerate(example[letter]):
            ax.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "-|>", "color": COLOURS[i], "lw": 1.8})
            ax.text(1.16 * x, 1.16 * y, f"${letter}_{i + 1}$", color=INK, ha="center", va="center")
        ax.set(xlim=(-1.3, 1.35), ylim=(-1.3, 1.3), aspect="equal", title=words, xlabel="first coordinate")
        ax.set(xticks=[-1, 0, 1], yticks=[-1, 0, 1])
    axes[0].set_ylabel("second coordinate")
    ax = axes[2]
    ax.bar([1, 2, 3], example["scores"], color=COLOURS[:3], width=0.6)
    for i, s in enumerate(example["scores"]):
        ax.text(i + 1, s + 0.02, f"{s:.2f}", ha="center", va="bottom", fontsize=9)
    ax.set(xticks=[1, 2, 3], xlabel="output y", ylabel="score of y at input 1", title="output 2 wins", ylim=(0, 1.3))
    panel(
        axes[3], data, x="dimensions d", y="share recalled wrongly", title="random embeddings", ticks=[2, 8, 32, 128],
        first=3, joined=False, label=lambda _: "measured", law="exact law",
    )  # fmt: skip
    axes[3].legend(loc="lower left")
    return figure


FIGURE = Figure("figure-2", SETTINGS, measure, draw)
