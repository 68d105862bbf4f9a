"""Figure 2 of the paper: three memories in one matrix, of which the first is recalled wrongly."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from asymp.reports.gallery.checks import all_of, below, one_number
from asymp.reports.gallery.data import find, line, point, series
from asymp.reports.gallery.declare import FAILS, HOLDS, Data, Figure, Finding, How, Statement

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

__all__ = ["FIGURE"]

# Unit vectors with u_1.u_2 = 0, as the caption assumes: the scores of the outputs at input 1 are 16/25, 27/25 and 12/25.
WRONG: dict[str, list[list[float]]] = {
    "e": [[1.0, 0.0], [0.6, 0.8], [0.6, -0.8]],
    "u": [[1.0, 0.0], [0.0, 1.0], [-0.6, 0.8]],
}
# The caption's inequality holds here too, and output 3 wins: e_1.e_2 = e_1.e_3 = 12/13, u_1.u_3 = 3/5, u_2.u_3 = 4/5.
THIRD: dict[str, list[list[float]]] = {
    "e": [[1.0, 0.0], [12 / 13, 5 / 13], [12 / 13, -5 / 13]],
    "u": [[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]],
}
SETTINGS: dict[str, dict[str, Any]] = {
    "quick": {"d": [2, 4, 8, 16, 32, 64], "runs": 2000},
    "paper": {"d": [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128], "runs": 20_000},
}


def measure(settings: Mapping[str, Any], how: How) -> Data:
    """The scores of both examples from the matrix itself, and how often three random memories interfere."""
    from asymp.montecarlo.recall.error import recall_error_experiment
    from asymp.montecarlo.scores.interference import recalled_output_experiment, stored_score_experiment
    from asymp.theory import laws, recall_error

    examples = {}
    for name, given in (("wrong", WRONG), ("third", THIRD)):
        scores = [how.estimate(stored_score_experiment, replicas=8, **given, x=1, y=y).mean for y in (1, 2, 3)]
        recalled = how.estimate(recalled_output_experiment, replicas=8, **given, x=1).mean
        products = _products(given)
        stated = [float(laws["interference:source"](**products, output=y)) for y in ("1", "2")]
        law = float(laws["interference:recalled"](**products))
        examples[name] = {**given, "scores": scores, "recalled": recalled, "stated": stated, "law": law}
    uniform = {"p": [1 / 3] * 3, "N": 3, "M": 3, "targets": [0, 1, 2]}
    found = [
        point(how.estimate(recall_error_experiment, replicas=settings["runs"], **uniform, d=d)) for d in settings["d"]
    ]
    exact = [recall_error(alpha=0, N=3, M=3, d=d, rel_error=0.02).value for d in settings["d"]]
    return {
        "examples": examples,
        "series": [series("random", settings["d"], found)],
        "theory": [line("random", settings["d"], exact, law="exact-recall-error", accuracy=0.02)],
    }


def _products(given: Mapping[str, list[list[float]]]) -> dict[str, float]:
    """The inner products that the law asks for."""
    dot = {
        f"{letter}_{i + 1}{j + 1}": sum(a * b for a, b in zip(given[letter][i], given[letter][j], strict=True))
        for letter in "eu"
        for i in range(3)
        for j in range(i, 3)
    }
    wanted = ("e_11", "e_12", "e_13", "u_11", "u_12", "u_13", "u_22", "u_23", "u_33")
    return {name: dot[name] for name in wanted}


def draw(data: Data) -> "Drawing":
    """The vectors of the example, its scores, and the chance of interference against d."""
    from asymp.reports.gallery.style import COLOURS, INK, curve, log_ticks, new, theory

    example = data["examples"]["wrong"]
    figure, rows = new(2, height=2.9, columns=2)
    for ax, letter, words in ((rows[0][0], "e", "inputs"), (rows[0][1], "u", "outputs")):
        for i, (x, y) in enumerate(example[letter]):
            ax.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "-|>", "color": COLOURS[i], "lw": 1.8})
            ax.text(1.16 * x, 1.16 * y, f"${letter}_{i + 1}$", color=INK, ha="center", va="center")
        ax.set(xlim=(-1.3, 1.35), ylim=(-1.3, 1.3), aspect="equal", title=words, xlabel="first coordinate")
        ax.set_xticks([-1, 0, 1])
        ax.set_yticks([-1, 0, 1])
    rows[0][0].set_ylabel("second coordinate")
    ax = rows[1][0]
    ax.bar([1, 2, 3], example["scores"], color=COLOURS[:3], width=0.6)
    for i, s in enumerate(example["scores"]):
        ax.text(i + 1, s + 0.02, f"{s:.2f}", ha="center", va="bottom", fontsize=9)
    ax.set(xticks=[1, 2, 3], xlabel="output y", ylabel="score of y at input 1", title="output 2 wins", ylim=(0, 1.3))
    ax = rows[1][1]
    curve(ax, find(data, "random"), 3, joined=False, label="measured")
    theory(ax, find(data, "random", "theory"), 3, label="exact law")
    ax.set(
        xscale="log", yscale="log", xlabel="dimensions d", ylabel="share recalled wrongly", title="random embeddings"
    )
    log_ticks(ax, [2, 8, 32, 128])
    ax.legend(loc="lower left")
    return figure


def _inequality(data: Data) -> Finding:
    example = data["examples"]["wrong"]
    one, two, _ = example["scores"]
    stated = max(abs(s - m) for s, m in zip(example["stated"], example["scores"], strict=False))
    return all_of(
        (
            one_number(two - one, 0.0, math.inf, what="The score of output 2 less that of output 1"),
            one_number(
                stated, 0.0, 1e-12, what="The largest distance of the caption's two scores from those of the matrix"
            ),
        )
    )


def _two(data: Data) -> Finding:
    return one_number(data["examples"]["wrong"]["recalled"], 2, 2, what="The output recalled for input 1")


def _always(data: Data) -> Finding:
    example = data["examples"]["third"]
    one, two, three = example["scores"]
    if two >= one and example["recalled"] != 2:
        words = (
            f"Scores {one:.3f}, {two:.3f} and {three:.3f}: the inequality holds, and output {example['recalled']:.0f} "
            "is recalled."
        )
        return Finding(FAILS, words, {"scores": example["scores"], "recalled": example["recalled"]})
    return Finding(HOLDS, f"Output {example['recalled']:.0f} is recalled.", {"recalled": example["recalled"]})


def _finite(data: Data) -> Finding:
    points = find(data, "random")["points"]
    return below(points[-1], points[0], what="Share recalled wrongly, at the largest d against the smallest")


FIGURE = Figure(
    name="figure-2",
    caption="Three memories stored in one matrix W. Above: their input and output embeddings, an explicit example in "
    "the plane. Below left: the scores of the three outputs at input 1; output 2 wins, so that input 1 is recalled "
    "wrongly. Below right: how often an input is recalled wrongly when the three embeddings are drawn at random, "
    "against the dimension.",
    alt="Arrows of three input and three output vectors; bars of the scores 0.64, 1.08 and 0.48 for outputs 1, 2 and "
    "3; a curve of the share recalled wrongly, falling with the dimension.",
    settings=SETTINGS,
    measure=measure,
    draw=draw,
    statements=(
        Statement(
            "inequality",
            "The scores can be such that output 2 is above output 1 at input 1, as the caption writes them.",
            _inequality,
        ),
        Statement("recalled", "In the example the memory then recalls output 2 for input 1.", _two),
        Statement(
            "always",
            "Whenever the caption's inequality holds, output 2 is recalled.",
            _always,
            why="The inequality shows that output 1 is not recalled, and no more: output 3 can have the largest score, as with "
            "the second set of embeddings in the data.",
            erratum="interference:source-recalled",
        ),
        Statement(
            "capacity", "Interference comes from the finite capacity: with more dimensions it is rarer.", _finite
        ),
    ),
    notes=("The caption gives no embeddings; these are unit vectors with orthogonal first outputs, as it assumes.",),
)
