"""On what scale the settings of a statement are compared with what it says, and where they lie on it."""

from dataclasses import dataclass

Placed = tuple[float, float, float]
"""A number on a scale, and the ends of the interval that decides."""


@dataclass(frozen=True)
class Scale:
    """A scale for settings.

    label    what is drawn along it
    law      where a setting lies that is exactly what the statement says
    inside   the range in which it holds
    ends     the ends of the scale, where they are fixed; what lies beyond is marked there
    bars     what the strong bars are, in words
    """

    label: str
    law: float
    inside: tuple[float, float]
    ends: tuple[float, float] | None
    bars: str


def margins(bars: str) -> Scale:
    """The distance from the law in units of the margin that was declared before the run."""
    return Scale("distance from the law, in margins", 0.0, (-1.0, 1.0), (-1.5, 1.5), bars)
