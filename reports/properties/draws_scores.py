"""How settings of the claims on scores (section 1) are drawn, where not as usual."""

from typing import TYPE_CHECKING, Any

from asymp.reports.properties.exception import Cell, Draw, Draws, few

if TYPE_CHECKING:
    from hypothesis import strategies as st

__all__ = ["DRAWS"]

Vectors = list[list[float]]


def _three(dimension: int) -> "st.SearchStrategy[Vectors]":
    """Three vectors with two digits after the point, none of them zero."""
    from hypothesis import strategies as st

    number = st.integers(-100, 100).map(lambda n: n / 100)
    vector = st.lists(number, min_size=dimension, max_size=dimension)
    return st.lists(vector.filter(any), min_size=3, max_size=3, unique_by=tuple)


def _any_vectors(read: bool) -> "st.SearchStrategy[list[Cell]]":
    """Any embeddings of 2 to 20 dimensions; `read`: which output is read."""
    from hypothesis import strategies as st

    @st.composite
    def drawn(draw: Any) -> list[Cell]:
        cell: Cell = {"e": draw(_three(draw(st.integers(2, 20)))), "u": draw(_three(draw(st.integers(2, 20))))}
        return [{**cell, "y": draw(st.integers(1, 3))} if read else cell]

    return drawn()


def _as_in_the_caption() -> "st.SearchStrategy[list[Cell]]":
    """e_1, u_1 and u_2 of length one and u_1.u_2 = 0, as the caption assumes; e_2, e_3 and u_3 are any vectors."""
    from hypothesis import strategies as st

    @st.composite
    def drawn(draw: Any) -> list[Cell]:
        size = draw(st.integers(2, 20))
        first, second = ([1.0 if i == j else 0.0 for i in range(size)] for j in (0, 1))
        others = draw(_three(size))
        vectors = {"e": [first, others[0], others[1]], "u": [first, second, others[2]]}
        return [{**vectors, "y": draw(st.integers(1, 2))}]

    return drawn()


VECTORS = "the embeddings are given, not drawn by the experiment: here they are any vectors of 2 to 20 dimensions"
DRAWS: Draws = {
    ("interference", "sharp"): Draw(VECTORS, cells=lambda: _any_vectors(read=True)),
    ("interference", "recalled"): Draw(VECTORS, cells=lambda: _any_vectors(read=False)),
    ("interference", "source-scores"): Draw(
        "the caption's scores are those of embeddings of length one with u_1.u_2 = 0; e_2, e_3 and u_3 are any vectors",
        cells=lambda: _as_in_the_caption(),
    ),
    ("maximal-update", "source"): few(2, 64, ranges={"N": (4, 40)}),
    ("maximal-update", "source-many"): few(2, 64),
    ("maximal-update", "ntk"): few(2, 64, ranges={"N": (3, 30)}),
}
