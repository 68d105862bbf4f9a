"""How settings of the claims on capacity (section 2) are drawn, where not as usual."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from asymp.reports.properties.exception import Cell, Draws, few, nightly
from asymp.theory import laws

if TYPE_CHECKING:
    from hypothesis import strategies as st

__all__ = ["DRAWS"]


def _published(cell: Cell) -> Cell:
    """The largest N with 1.3 N log N <= d^2."""
    N = 2
    while 1.3 * (N + 1) * math.log(N + 1) <= cell["d"] ** 2:
        N += 1
    return {**cell, "N": N}


def _whole_subjects(cell: Cell) -> Cell:
    """As many facts about every subject."""
    return {**cell, "N": cell["R"] * max(2, cell["N"] // cell["R"])}


def _lost(law: str, low: float, high: float) -> Callable[[Cell], Cell]:
    """N such that the law itself says the share of lost items that the statement speaks of."""

    def fit(cell: Cell) -> Cell:
        sizes = np.unique(np.geomspace(4, 20_000, 200).round())
        values = {k: v for k, v in cell.items() if k in laws[law].domain and k != "N"}
        counted = {"S": sizes} if "R" in cell else {"N": sizes}
        error = laws[law](**values, **counted)
        stated = sizes[(error >= low) & (error <= high)]
        if not len(stated):
            raise ValueError(f"N must be such that {low:g} to {high:g} of the items are lost, and no size is")
        return {**cell, "N": cell.get("R", 1) * int(stated[cell["N"] % len(stated)])}

    return fit


def _lists() -> "st.SearchStrategy[list[Cell]]":
    """Three sizes around the capacity of lists, as in the grid. Three lists in four are whole, r = 1: they cost a tenth."""
    from hypothesis import strategies as st

    from asymp.reports.properties.strategies import between

    @st.composite
    def drawn(draw: Any) -> list[Cell]:
        whole = draw(st.sampled_from((True, True, True, False)))
        d = draw(between(3, 30 if whole else 9, whole=True))
        r = 1.0 if whole else draw(between(0.5, 0.95, whole=False))
        middle = laws["listwise"](d=d, r=r)
        away = 2 / math.sqrt(middle)
        sizes = sorted({max(2, round(middle * (1 + k * away))) for k in (-1, 0, 1)})
        return [{"d": d, "r": r, "N": N} for N in sizes]

    return drawn()


STATED = (
    "the law is of leading order, and the statement says which shares of the items are lost: N is such that they are"
)
CERTIFICATES = (
    "whether a matrix exists takes seconds from d = 32 on; N, which grows like d^2, still spans a factor of five"
)
EXPONENTIAL = "the capacity grows exponentially in d: at ten times the d it is astronomical"

DRAWS: Draws = {
    ("injective-capacity", "source"): few(2, 64),
    ("injective-capacity", "exponent"): few(1, 64),
    ("injective-capacity", "literal"): few(2, 32),
    ("injective-capacity", "sharp"): few(2, 32),
    ("injective-capacity", "one-item"): few(2, 4, ranges={"d": (16, 160)}, sizes=5),
    ("injective-capacity", "sphere-curve"): few(3, 4),
    ("best-linear", "sharp"): few(10, 4, ranges={"d": (4, 12)}, sizes=3, reason=CERTIFICATES),
    ("best-linear", "exponent"): few(1, 4, reason=CERTIFICATES),
    ("best-linear", "from-above"): few(2, 4, ranges={"d": (4, 12)}, sizes=3, reason=CERTIFICATES),
    ("best-linear", "trained"): few(
        22, 8, ranges={"d": (3, 30)}, fit=_published, reason="the published sizes, d^2 = 1.3 N log N, at other d"
    ),
    ("listwise", "sharp"): few(26, 4, cells=_lists, ranges={"d": (3, 30), "N": (18, 1800)}, reason=CERTIFICATES),
    ("listwise", "exponent"): few(1, 8),
    ("binary-capacity", "source"): few(3, 64),
    ("binary-capacity", "exponent"): few(1, 64),
    ("binary-capacity", "all-exponent"): few(1),
    ("binary-capacity", "all-items"): few(2, 32),
    ("binary-capacity", "sharp"): few(2, 32),
    ("binary-capacity", "cover"): few(5, 64),
    ("binary-capacity", "best-linear"): few(2, 16),
    ("low-rank-capacity", "source"): few(1, 4, ranges={"m": (32, 128)}, sizes=5),
    ("low-rank-capacity", "source-m"): few(1, 4, ranges={"d": None}, sizes=5),
    ("low-rank-capacity", "sharp"): few(1, 4, ranges={"d": (128, 512), "m": (48, 192)}, sizes=5),
    ("low-rank-capacity", "literal"): few(1, 4, ranges={"d": (128, 512), "m": (48, 192)}, sizes=5),
    ("low-rank-capacity", "item-error"): few(
        21,
        4,
        fit=_lost("low-rank-capacity:item-error", 0.15, 0.85),
        ranges={"d": (64, 640), "m": (32, 320)},
        reason=STATED,
    ),
    ("low-rank-capacity", "trained"): few(5, 8, trained=True, reason="a setting trains some dozens of memories"),
    ("mlp-capacity", "source"): few(1, 4, ranges={"d": (96, 192)}, sizes=5),
    ("mlp-capacity", "source-d"): few(1, 4, ranges={"m": (64, 128)}, sizes=5),
    ("mlp-capacity", "sharp"): few(1, 4, ranges={"d": (48, 128), "m": (96, 256)}, sizes=5),
    ("mlp-capacity", "literal"): few(1, 4, ranges={"d": (48, 128), "m": (96, 256)}, sizes=5),
    ("mlp-capacity", "item-error"): few(
        21, 4, fit=_lost("mlp-capacity:item-error", 0.5, 0.9), ranges={"d": (24, 240), "m": (48, 480)}, reason=STATED
    ),
    ("mlp-capacity", "trained"): nightly(4),
    ("mlp-capacity", "trained-d"): nightly(4),
    ("multi-input-capacity", "source"): few(1, 4, ranges={"M": None, "m": (64, 128)}, sizes=5),
    ("multi-input-capacity", "source-m"): few(1, 4, ranges={"M": None, "d": (96, 192)}),
    ("multi-input-capacity", "sharp"): few(
        1, 4, fit=_whole_subjects, ranges={"M": None, "R": None, "d": (96, 160), "m": (128, 256)}, sizes=5
    ),
    ("multi-input-capacity", "literal"): few(
        1, 4, fit=_whole_subjects, ranges={"M": None, "R": None, "d": (96, 160), "m": (128, 256)}, sizes=5
    ),
    ("multi-input-capacity", "item-error"): few(
        21,
        4,
        fit=_lost("multi-input-capacity:item-error", 0.2, 0.8),
        ranges={"M": (128, 1280), "R": (4, 40), "d": (32, 320), "m": (48, 480)},
        reason=STATED,
    ),
    ("multi-input-capacity", "trained"): nightly(4),
    ("multi-input-capacity", "trained-d"): nightly(4),
    ("bits-per-parameter", "sharp"): few(1, 16, ranges={"d": (96, 200)}, sizes=5),
    ("bits-per-parameter", "best-binary"): few(2, 32, sizes=5),
    ("hopfield-capacity", "source"): few(1, 8),
    ("hopfield-capacity", "sharp"): few(2, 16, sizes=5),
    ("hopfield-capacity", "all-patterns"): few(2, 16, sizes=5),
    ("hopfield-capacity", "with-errors"): few(1, 8),
    ("dense-capacity", "source"): few(1, 8),
    ("dense-capacity", "sharp"): few(2, 16, sizes=5),
    ("dense-capacity", "literal"): few(2, 16, sizes=5),
    ("dense-capacity", "item-error"): few(26, 8, ranges={"d": (16, 160), "N": (64, 1500)}),
    ("attention-retrieval", "capacity"): few(2),
    ("learned-inputs", "source"): few(2, 64, sizes=5, ranges={"d": (8, 28)}, reason=EXPONENTIAL),
    ("learned-inputs", "exponent"): few(1, 64),
    ("lookup-mlp", "source"): few(2, 16, sizes=5, ranges={"d": (6, 24)}, reason=EXPONENTIAL),
    ("lookup-mlp", "noise-few"): few(2, 8, ranges={"N": None}),
    ("lookup-mlp", "noise-many"): few(2, 8, ranges={"N": None}),
    ("lookup-mlp", "learning"): few(1, 8, ranges={"N": None, "d": None}),
}
