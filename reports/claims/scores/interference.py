"""interference: three memories stored in one matrix, of which the first is recalled wrongly."""

import math
from functools import partial
from typing import TYPE_CHECKING, Any

from asymp.montecarlo.samplers.scores.interference import recalled_output_experiment, stored_score_experiment
from asymp.reports.declaring import Cell, Claim, Draw, Grid, Identity, Setting, laws, rows

if TYPE_CHECKING:
    from hypothesis import strategies as st

Vectors = list[list[float]]
Embeddings = tuple[Vectors, Vectors]

# Length one and u_1.u_2 = 0, as the caption assumes: output 2 wins by 27/25 against 16/25 and 12/25.
FIGURE: Embeddings = ([[1, 0], [0.6, 0.8], [0.6, -0.8]], [[1, 0], [0, 1], [-0.6, 0.8]])
# The same three inputs with orthogonal outputs: nothing is disturbed.
APART: Embeddings = ([[1, 0], [0.6, 0.8], [0.6, -0.8]], [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
# The caption's inequality holds, and output 3 is above both.
THIRD: Embeddings = ([[1, 0], [12 / 13, 5 / 13], [12 / 13, -5 / 13]], [[1, 0], [0, 1], [0.6, 0.8]])
# Lengths that are not one and u_1.u_2 != 0.
GENERAL: Embeddings = ([[1.2, 0.3], [0.5, 0.9], [0.7, -0.6]], [[0.9, 0.2], [0.3, 1.1], [-0.5, 0.8]])
LONGER: Embeddings = (
    [[0.8, -0.2, 0.4], [0.1, 0.9, 0.3], [0.6, 0.2, -0.9]],
    [[0.7, 0.5, -0.1], [0.4, 0.9, 0.2], [-0.2, 0.3, 1.2]],
)


def exactly(*embeddings: Embeddings, outputs: tuple[int, ...] = ()) -> Grid:
    """Given embeddings and, if any, the outputs whose scores are read."""
    cells: list[Cell] = [{"e": e, "u": u} for e, u in embeddings]
    return Grid([{**cell, "y": y} for cell in cells for y in outputs] or cells)


def products(setting: Setting) -> dict[str, Any]:
    """The inner products of the embeddings, and which output is read."""
    e, u = setting["e"], setting["u"]

    def inner(v: list[float], w: list[float]) -> float:
        return math.fsum(a * b for a, b in zip(v, w, strict=True))

    return {
        **{f"e_1{x + 1}": inner(e[0], e[x]) for x in range(3)},
        **{f"u_{y + 1}{x + 1}": inner(u[y], u[x]) for y in range(3) for x in range(y, 3)},
        **({"output": str(setting["y"])} if "y" in setting else {}),
    }


EXACT = 1e-9


def three(dimension: int) -> "st.SearchStrategy[Vectors]":
    """Three vectors with two digits after the point, none of them zero."""
    from hypothesis import strategies as st

    number = st.integers(-100, 100).map(lambda n: n / 100)
    vector = st.lists(number, min_size=dimension, max_size=dimension)
    return st.lists(vector.filter(any), min_size=3, max_size=3, unique_by=tuple)


def any_vectors(read: bool) -> "st.SearchStrategy[list[Cell]]":
    """Any embeddings of 2 to 20 dimensions; `read`: which output is read."""
    from hypothesis import strategies as st

    @st.composite
    def drawn(draw: Any) -> list[Cell]:
        cell: Cell = {"e": draw(three(draw(st.integers(2, 20)))), "u": draw(three(draw(st.integers(2, 20))))}
        return [{**cell, "y": draw(st.integers(1, 3))} if read else cell]

    return drawn()


def as_in_the_caption() -> "st.SearchStrategy[list[Cell]]":
    """e_1, u_1 and u_2 of length one and u_1.u_2 = 0, as the caption assumes; e_2, e_3 and u_3 are any vectors."""
    from hypothesis import strategies as st

    @st.composite
    def drawn(draw: Any) -> list[Cell]:
        size = draw(st.integers(2, 20))
        first, second = ([1.0 if i == j else 0.0 for i in range(size)] for j in (0, 1))
        others = draw(three(size))
        vectors = {"e": [first, others[0], others[1]], "u": [first, second, others[2]]}
        return [{**vectors, "y": draw(st.integers(1, 2))}]

    return drawn()


VECTORS = "the embeddings are given, not drawn by the experiment: here they are any vectors of 2 to 20 dimensions"


identity = partial(Identity, to_law=products, margin=EXACT)

CLAIM = Claim(
    id="interference",
    title="Three memories of which one is recalled wrongly",
    source="cabannes2024, Figure 2",
    order=4,
    parts=(
        identity(
            "source",
            "Three memories can disturb each other so that input 1 is answered with 2: the caption's inequality decides between "
            "the answers 1 and 2.",
            law=laws["interference:source-recalled"],
            experiment=recalled_output_experiment,
            grid=exactly(FIGURE, APART),
        ),
        identity(
            "source-scores",
            "The two scores are those of the caption where the embeddings have length one and u_1.u_2 = 0.",
            law=laws["interference:source"],
            experiment=stored_score_experiment,
            grid=Grid(rows("e u y", *((*FIGURE, 1), (*FIGURE, 2), (*APART, 1), (*THIRD, 1), (*THIRD, 2)))),
            draw=Draw(
                "the caption's scores are those of embeddings of length one with u_1.u_2 = 0; e_2, e_3 and u_3 are any vectors",
                cells=lambda: as_in_the_caption(),
            ),
        ),
        identity(
            "sharp",
            "For any embeddings the three scores are sums of products of inner products.",
            law=laws["interference"],
            experiment=stored_score_experiment,
            grid=exactly(FIGURE, THIRD, GENERAL, LONGER, outputs=(1, 2, 3)),
            draw=Draw(VECTORS, cells=lambda: any_vectors(read=True)),
        ),
        identity(
            "recalled",
            "The output recalled is the one with the largest of the three scores.",
            law=laws["interference:recalled"],
            experiment=recalled_output_experiment,
            grid=exactly(FIGURE, APART, THIRD, GENERAL, LONGER),
            draw=Draw(VECTORS, cells=lambda: any_vectors(read=False)),
        ),
        identity(
            "source-general",
            "The caption's two scores hold for embeddings of any length.",
            law=laws["interference:source"],
            experiment=stored_score_experiment,
            grid=exactly(GENERAL, LONGER, outputs=(1, 2)),
            erratum=laws["interference:source"].errata[0],
        ),
        identity(
            "source-third",
            "The caption's inequality is enough for input 1 to be answered with 2.",
            law=laws["interference:source-recalled"],
            experiment=recalled_output_experiment,
            grid=exactly(THIRD),
            erratum=laws["interference:source-recalled"].errata[0],
        ),
    ),
)
