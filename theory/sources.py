"""What comes with a formula: where it is stated, under which condition, and where the statement is wrong."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from asymp.theory.lazy import Bools

Values = Mapping[str, Any]
"""The values of a law's parameters: arrays of float64, and words."""


@dataclass(frozen=True)
class Source:
    """Where a statement is made: a key of the bibliography and the place in it (theorem, slide, figure)."""

    key: str
    place: str = ""

    def __str__(self) -> str:
        return f"{self.key}, {self.place}" if self.place else self.key


@dataclass(frozen=True)
class Condition:
    """A condition on several parameters together: `holds` takes the values, `message` says what would be right."""

    holds: Callable[[Values], Bools]
    message: str


@dataclass(frozen=True)
class Erratum:
    """Where a source's statement is wrong: in which regime, by how much, and the id of the law that replaces it.

    `regime`: where it is wrong. `discrepancy`: what is measured or derived there, in words. `corrected_by`: the id of
    the law that takes its place.
    """

    regime: str
    discrepancy: str
    corrected_by: str
