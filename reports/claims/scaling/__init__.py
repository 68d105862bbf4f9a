"""Scaling laws: the claims, one file each, and what their settings have in common."""

import math

from asymp.reports.declaring import Grid, settings

__all__ = ["IN_SAMPLES", "ZETA", "around"]

ZETA = {1.5: 2.6123753486854883, 2: math.pi**2 / 6, 3: 1.2020569031595942}
"""The normaliser of the infinite Zipf law, by its exponent."""

# d = 10^9 is far above the number of inputs that T samples can see, with infinitely many to be seen.
IN_SAMPLES = Grid(settings(alpha=2, N=math.inf, M=10, d=10**9, T=(10, 30, 100, 300, 1000, 3000, 10_000, 30_000)))
"""Numbers of samples over decades, in a memory that holds all it sees."""


def around(about: float, within: float, classes: int = 1) -> tuple[int, ...]:
    """Nine sizes in equal ratios, from 1/within to within times `about`, in whole classes."""
    return tuple(sorted({classes * max(1, round(about / classes * within ** (j / 4))) for j in range(-4, 5)}))
