"""The form of an exception from how settings of a part are drawn, and two exceptions that many parts have."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hypothesis import strategies as st

__all__ = ["Cell", "Draw", "Draws", "few", "nightly"]

Cell = dict[str, Any]


@dataclass(frozen=True)
class Draw:
    """Exceptions for one part: `ranges` gives (low, high), or None for a number that stays as it is in the grid.

    `fit` repairs what belongs together after the draw; `cells` replaces the strategy altogether, and
    `ranges` then only tells which sizes it draws.
    `trained` marks the training of a model, of which fewer settings are drawn. `examples` says how many are drawn on every
    commit, `replicas` how many values the first look at one takes, and `sizes` how many of a group's sizes are taken,
    where the usual ones take too long.
    """

    reason: str
    ranges: Mapping[str, tuple[float, float] | None] = field(default_factory=dict)
    fit: Callable[[Cell], Cell] | None = None
    cells: Callable[[], "st.SearchStrategy[list[Cell]]"] | None = None
    trained: bool = False
    examples: int | None = None
    replicas: int | None = None
    sizes: int | None = None


Draws = dict[tuple[str, str], Draw]


def few(examples: int, replicas: int | None = None, **more: Any) -> Draw:
    """Fewer settings on every commit, and fewer values at the first look at one, because of what they cost."""
    return Draw(**{"reason": "what it costs: a setting takes long", **more}, examples=examples, replicas=replicas)


def nightly(seconds: int) -> Draw:
    """Models are trained: no setting on every commit."""
    reason = f"a setting trains models for {seconds} seconds and more: ASYMP_HYPOTHESIS_PROFILE=nightly draws them"
    return few(0, 8, trained=True, reason=reason)
