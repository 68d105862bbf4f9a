"""How settings of a statement are drawn for property tests, where not as usual: by default from the ranges of its grid.

Hypothesis is imported when something is drawn: a check does without it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from asymp.theory import Domain

if TYPE_CHECKING:
    from hypothesis import strategies as st

Cell = dict[str, Any]

# Sizes span at least this factor; a step from the low end of a range to its high end is a number of two such digits
# (Hypothesis prefers small numbers: two even digits are spread more evenly than one large number).
SPAN = 10
DIGIT = 64


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


def few_draws(
    examples: int,
    replicas: int | None = None,
    *,
    reason: str = "what it costs: a setting takes long",
    ranges: Mapping[str, tuple[float, float] | None] | None = None,
    fit: Callable[[Cell], Cell] | None = None,
    cells: "Callable[[], st.SearchStrategy[list[Cell]]] | None" = None,
    trained: bool = False,
    sizes: int | None = None,
) -> Draw:
    """Fewer settings on every commit, and fewer values at the first look at one, because of what they cost."""
    return Draw(reason, ranges or {}, fit, cells, trained, examples, replicas, sizes)


def nightly(seconds: int) -> Draw:
    """Models are trained: no setting on every commit."""
    reason = f"a setting trains models for {seconds} seconds and more: ASYMP_HYPOTHESIS_PROFILE=nightly draws them"
    return few_draws(0, 8, trained=True, reason=reason)


def between(low: float, high: float, *, whole: bool, inside: Domain | None = None) -> "st.SearchStrategy[Any]":
    """Numbers of a range, evenly on a log scale where it spans a factor of ten, to four digits or whole."""
    from hypothesis import strategies as st

    logarithmic = low > 0 and high >= SPAN * low

    def at(digits: tuple[int, int]) -> Any:
        share = (DIGIT * digits[0] + digits[1]) / (DIGIT**2 - 1)
        value = low * (high / low) ** share if logarithmic else low + (high - low) * share
        return round(value) if whole else float(f"{value:.4g}")

    def allowed(value: Any) -> bool:
        return low <= value <= high and (inside is None or inside._problem(value) is None)

    digit = st.integers(0, DIGIT - 1)
    return st.tuples(digit, digit).map(at).filter(allowed)
