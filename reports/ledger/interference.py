"""interference: three memories stored in one matrix, of which the first is recalled wrongly."""

import math
from collections.abc import Mapping
from typing import Any

from asymp.montecarlo.scores.interference import recalled_output_experiment, stored_score_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

Vectors = list[list[float]]

# Length one and u_1.u_2 = 0, as the caption assumes: output 2 wins by 27/25 against 16/25 and 12/25.
FIGURE: tuple[Vectors, Vectors] = ([[1, 0], [0.6, 0.8], [0.6, -0.8]], [[1, 0], [0, 1], [-0.6, 0.8]])
# The same three inputs with orthogonal outputs: nothing is disturbed.
APART: tuple[Vectors, Vectors] = ([[1, 0], [0.6, 0.8], [0.6, -0.8]], [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
# The caption's inequality holds, and output 3 is above both.
THIRD: tuple[Vectors, Vectors] = ([[1, 0], [12 / 13, 5 / 13], [12 / 13, -5 / 13]], [[1, 0], [0, 1], [0.6, 0.8]])
# Lengths that are not one and u_1.u_2 != 0.
GENERAL: tuple[Vectors, Vectors] = ([[1.2, 0.3], [0.5, 0.9], [0.7, -0.6]], [[0.9, 0.2], [0.3, 1.1], [-0.5, 0.8]])
LONGER: tuple[Vectors, Vectors] = (
    [[0.8, -0.2, 0.4], [0.1, 0.9, 0.3], [0.6, 0.2, -0.9]],
    [[0.7, 0.5, -0.1], [0.4, 0.9, 0.2], [-0.2, 0.3, 1.2]],
)


def cell(vectors: tuple[Vectors, Vectors], y: int | None = None) -> dict[str, Any]:
    """A setting: the embeddings, and the output whose score is read."""
    e, u = vectors
    return {"e": e, "u": u} if y is None else {"e": e, "u": u, "y": y}


def products(params: Mapping[str, Any]) -> dict[str, Any]:
    """The inner products of the embeddings."""
    e, u = params["e"], params["u"]

    def inner(v: list[float], w: list[float]) -> float:
        return math.fsum(a * b for a, b in zip(v, w, strict=True))

    return {
        **{f"e_1{x + 1}": inner(e[0], e[x]) for x in range(3)},
        **{f"u_{y + 1}{x + 1}": inner(u[y], u[x]) for y in range(3) for x in range(y, 3)},
    }


def read(params: Mapping[str, Any]) -> dict[str, Any]:
    """The inner products, and which output is read."""
    return {**products(params), "output": str(params["y"])}


def everywhere(cells: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The same cells in every preset: nothing is random."""
    return dict.fromkeys(("quick", "standard", "paper"), cells)


REPLICAS = dict.fromkeys(("quick", "standard", "paper"), 8)
EXACT = 1e-9

CLAIM = Claim(
    id="interference",
    simulation="The matrix W is formed from given embeddings and multiplied; nothing is random, so all replicas are equal.",
    parts=(
        part(
            "source",
            kind="identity",
            law=laws["interference:source-recalled"],
            experiment=recalled_output_experiment,
            statement="Three memories can interact so that f_W(1) = 2: the caption's inequality decides between 1 and 2.",
            grid=everywhere([cell(FIGURE), cell(APART)]),
            replicas=REPLICAS,
            to_law=products,
            margin=EXACT,
        ),
        part(
            "source-scores",
            kind="identity",
            law=laws["interference:source"],
            experiment=stored_score_experiment,
            statement="The two scores are those of the caption where the embeddings have length one and u_1.u_2 = 0.",
            grid=everywhere(
                [cell(vectors, y) for vectors in (FIGURE, APART, THIRD) for y in (1, 2) if vectors != APART or y == 1]
            ),
            replicas=REPLICAS,
            to_law=read,
            margin=EXACT,
        ),
        part(
            "sharp",
            kind="identity",
            law=laws["interference"],
            experiment=stored_score_experiment,
            statement="The three scores are sums of products of inner products, for any embeddings.",
            grid=everywhere([cell(vectors, y) for vectors in (FIGURE, THIRD, GENERAL, LONGER) for y in (1, 2, 3)]),
            replicas=REPLICAS,
            to_law=read,
            margin=EXACT,
        ),
        part(
            "recalled",
            kind="identity",
            law=laws["interference:recalled"],
            experiment=recalled_output_experiment,
            statement="The output recalled is the one with the largest of the three scores.",
            grid=everywhere([cell(vectors) for vectors in (FIGURE, APART, THIRD, GENERAL, LONGER)]),
            replicas=REPLICAS,
            to_law=products,
            margin=EXACT,
        ),
        part(
            "source-general",
            kind="identity",
            law=laws["interference:source"],
            experiment=stored_score_experiment,
            statement="The two scores are those of the caption for embeddings of any length.",
            grid=everywhere([cell(vectors, y) for vectors in (GENERAL, LONGER) for y in (1, 2)]),
            replicas=REPLICAS,
            to_law=read,
            margin=EXACT,
            erratum=laws["interference:source"].errata[0],
        ),
        part(
            "source-third",
            kind="identity",
            law=laws["interference:source-recalled"],
            experiment=recalled_output_experiment,
            statement="The caption's inequality is enough for f_W(1) = 2.",
            grid=everywhere([cell(THIRD)]),
            replicas=REPLICAS,
            to_law=products,
            margin=EXACT,
            erratum=laws["interference:source-recalled"].errata[0],
        ),
    ),
)
