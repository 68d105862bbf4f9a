"""What a random setting of a claim may be, where it cannot be read off the claim's grid.

By default `strategies.drawn_cells` takes the structure of a cell of the quick grid and draws its sizes over the range of
the grid, upwards to a factor of ten. Here stand the exceptions, each with its reason, which comes from the statement of
the claim or from the cost of a law, never from how a draw came out.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hypothesis import strategies as st

__all__ = ["DRAWS", "SKIPPED", "Draw", "draw_of"]

Cell = dict[str, Any]


@dataclass(frozen=True)
class Draw:
    """Exceptions for one part: `ranges` gives (low, high), or None for a number that stays as it is in the grid.

    `fit` repairs what belongs together after the draw; `cells` replaces the strategy altogether.
    `trained` marks the training of a model, of which fewer settings are drawn.
    """

    reason: str
    ranges: Mapping[str, tuple[float, float] | None] = field(default_factory=dict)
    fit: Callable[[Cell], Cell] | None = None
    cells: Callable[[], "st.SearchStrategy[list[Cell]]"] | None = None
    trained: bool = False


def _few_classes(cell: Cell) -> Cell:
    M = max(2, min(cell["M"], cell["d"] // 40))
    return {**cell, "M": M, "N": M * max(25 * M, cell["N"] // M), "route": "d-free"}


DRAWS: dict[tuple[str, str], Draw] = {
    ("exact-recall-error", "limit"): Draw(
        reason="the limit is of leading order in M/d (the noise of other classes is that share of the class's own): margins a "
        "change by a^2 M/(2 d) = M^2/(2 N) in the exponent, 2 % from N = 25 M^2 on, and M is at most d/40; classes are balanced "
        "where M divides N; the d-free route makes large d cheap",
        ranges={"N": (200, 2000), "M": (2, 20), "d": (200, 2000)},
        fit=_few_classes,
    ),
    ("threshold-scheme", "source-floor"): Draw(
        reason="the floor is that of few outputs: pi_M(sqrt(M/k)) falls off so fast in M that no d reaches it from M = 3 on",
        ranges={"M": None, "k": None},
    ),
    ("at-most-d", "source-many-outputs"): Draw(
        reason="nine sizes of thousands of inputs with 50 outputs: ten seconds at every other setting; the claim's other parts "
        "draw M and d",
        ranges={"M": None, "d": None},
    ),
}

# Parts for which no settings are drawn, with the reason; the tests list them as skipped.
SKIPPED: dict[tuple[str, str], str] = {}


def draw_of(claim: str, part: str) -> Draw | None:
    """The exceptions of a part: its own, or those of its whole claim (part '*')."""
    return DRAWS.get((claim, part), DRAWS.get((claim, "*")))
