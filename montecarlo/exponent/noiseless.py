"""The exponent of values without noise, whose only uncertainty is the form of the approach.

The local exponent between two sizes tends to its limit p as x^-w. Three local exponents say p and w; three that begin one size
earlier say them without the largest size. Nothing else is known of what both leave out, so their difference is carried on to
larger sizes as slowly as the class allows, and half of the extrapolation counts as uncertain in any case.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from asymp.montecarlo.exponent.data import Array, Tails

__all__ = ["FEWEST", "SLOWEST", "NoiselessFit"]

ROUNDING = 1e-6
FEWEST = 5
SLOWEST, FASTEST = 0.3, 8.0
"""The powers of a size with which a local exponent may tend to its limit."""
TRUSTED = 0.5
"""The share of an extrapolation that counts as uncertain in any case."""


@dataclass(frozen=True)
class NoiselessFit:
    """The exponent p of values C x^p (1 + k x^-w + smaller), w at least 0.3, from the five largest sizes.

    It answers what an `ExponentFit` answers; its interval, `half` to either side, is the same at every level.
    """

    exponent: float
    half: float
    logs: tuple[float, ...]

    status: ClassVar[str] = "exact"
    family: ClassVar[str] = "local exponents"
    tails: ClassVar[Tails] = Tails()

    @classmethod
    def of(cls, sizes: Sequence[float] | Array, values: Sequence[float] | Array) -> "NoiselessFit":
        """The fit to positive values at five different sizes or more."""
        x, y = np.asarray(sizes, dtype=float), np.asarray(values, dtype=float)
        if len(np.unique(x)) < max(FEWEST, len(x)) or not (y > 0).all():
            raise ValueError(
                f"an exponent of values without noise needs positive values at {FEWEST} different sizes; got {len(x)} values, "
                f"the smallest {y.min():g}"
            )
        largest = np.argsort(x)[-FEWEST:]
        exponent, half = _limit_of(np.log(x[largest]), np.log(y[largest]))
        return cls(exponent, half, tuple(np.log(y).tolist()))

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The exponents that the class allows."""
        return self.exponent - self.half, self.exponent + self.half

    def pieces(self, level: float = 0.95) -> tuple[tuple[float, float], ...]:
        """The same, in one piece."""
        return (self.interval(level),)

    def p_of_form(self, values: Sequence[float]) -> float:
        """1 if a law has these values at the sizes, up to a factor; otherwise 0."""
        return float(min(values) > 0 and np.ptp(np.log(values) - np.array(self.logs)) <= ROUNDING)

    def p_of_alternatives(self, exponent: float) -> float:
        """Nothing outside the class is asked."""
        return 0.0

    def rival(self, exponent: float, margin: float) -> str:
        """Nothing outside the class is asked."""
        return ""


def _limit_of(t: Array, logs: Array) -> tuple[float, float]:
    """The exponent and half the width of its interval, from five sizes and values in rising order, as logarithms."""
    gaps = np.diff(t)
    local = np.diff(logs) / gaps
    turns = np.diff(local)
    slowly = 1 / math.expm1(SLOWEST * float(gaps.min()))  # what is left of a sum whose terms fall so slowly
    before, last = (_limit(t[i : i + 4], local[i : i + 3]) for i in (0, 1))
    if before is None or last is None:
        steady = (turns[1:] * turns[:-1] > 0).all()
        return float(local[-1]), slowly * float(np.abs(turns).sum() if steady else np.abs(turns).max()) + ROUNDING
    return last, slowly * abs(last - before) + TRUSTED * abs(last - float(local[-1])) + ROUNDING


def _limit(t: Array, local: Array) -> float | None:
    """Where three local exponents between four sizes tend as a power of the size; None if by no power of the class."""

    def parts(w: float) -> Array:
        """The correction x^-w in each local exponent."""
        return np.asarray(np.diff(np.exp(-w * (t - t[-1]))) / np.diff(t))

    def ratio(w: float) -> float:
        first, second, third = parts(w)
        return float((first - second) / (second - third))

    early, late = float(local[0] - local[1]), float(local[1] - local[2])
    if max(abs(early), abs(late)) <= ROUNDING / 10:
        return float(local[2])
    if early * late <= 0 or early / late <= ratio(SLOWEST):
        return None
    low, high = SLOWEST, FASTEST
    if early / late >= ratio(FASTEST):
        low = FASTEST
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if ratio(middle) < early / late else (low, middle)
    _, second, third = parts(low)
    return float(local[2] - late / (second - third) * third)
