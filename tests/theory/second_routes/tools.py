"""What the second routes share: quadrature against known densities, bisection, exact fractions."""

import math
from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

import mpmath as mp
from mpmath import mpf

PRECISION = 65
"""Digits in which routes are computed: fifteen more than are compared."""


class Route:
    """How a law's value is found another way: a function of the law's parameters, and points to compare at.

    `digits` below 50 says that the law itself has no more, and `why`; the test asks the law for 50 and wants a refusal.
    `rough` are points at which alone it has fewer, `rough_digits`. `more` are points where only float64 is compared, for
    other sizes and regimes. `drawn` draws a point from a random generator: `draws` of them go to the law together, as arrays.
    """

    def __init__(
        self,
        says: Callable[..., Any],
        *points: dict[str, Any],
        digits: int = 50,
        why: str = "",
        rough: tuple[dict[str, Any], ...] = (),
        rough_digits: int = 0,
        more: tuple[dict[str, Any], ...] = (),
        drawn: Callable[[Random], dict[str, Any]] | None = None,
        draws: int = 25,
    ) -> None:
        self.says, self.points, self.digits, self.why = says, points, digits, why
        self.rough, self.rough_digits, self.more = rough, rough_digits, more
        self.drawn, self.draws = drawn, draws

    def value(self, point: dict[str, Any], precision: int = PRECISION) -> Any:
        """The route at a point, its numbers exact in mpmath; good to some fifteen digits less than the precision."""
        with mp.workdps(precision):
            return +mpf(self.says(**{name: number(value) for name, value in point.items()}))


def number(value: Any) -> Any:
    """An mpmath number for a number, a word as it is."""
    if isinstance(value, str):
        return value
    return mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else mpf(value)


def whole(rng: Random, low: int, high: int) -> int:
    """A whole number from low to high, every order of magnitude as likely."""
    return min(int(math.exp(rng.uniform(math.log(low), math.log(high + 1)))), high)


def m4(law: str, d: Any) -> Any:
    """E |u|^4: chi-square_d/d has variance 2/d."""
    return 1 + 2 / d if law == "gaussian" else mpf(1)


def bisect(rises: Callable[[Any], Any], low: Any, high: Any, halvings: int = 240) -> Any:
    """The place where an increasing function passes zero."""
    for _ in range(halvings):
        middle = (low + high) / 2
        low, high = (middle, high) if rises(middle) < 0 else (low, middle)
    return (low + high) / 2


def stored_size(times: Any, scale: Any = 1) -> Any:
    """N with times N log(N scale) = 1, bisected in log N."""
    shift = mp.log(scale)
    return mp.exp(bisect(lambda y: times * mp.exp(y) * (y + shift) - 1, -shift, mpf(4000), 260))


def normal_mean(function: Callable[[Any], Any], cuts: Any = ()) -> Any:
    """E f(g), g standard normal, f bounded by 1: beyond 17 the density leaves less than 1e-62."""
    ends = sorted({mpf(-17), mpf(-8), mpf(-4), mpf(-2), mpf(0), mpf(2), mpf(4), mpf(8), mpf(17), *cuts})
    return mp.quad(lambda g: mp.npdf(g) * function(g), ends)


def chi_mean(function: Callable[[Any], Any], d: Any) -> Any:
    """E f(r) for r^2 chi-square_d."""
    front, root = mpf(2) ** (1 - d / 2) / mp.gamma(d / 2), mp.sqrt(d)
    ends = [0, root / 4, root / 2, root, root + 3, root + 8, root + 18]
    return mp.quad(lambda r: front * r ** (d - 1) * mp.exp(-(r**2) / 2) * function(r), ends)


def sphere_mean(function: Callable[[Any], Any], d: Any, low: Any = -1, cut: Any = None) -> Any:
    """E f(u.u') over u.u' > low, for two points of the unit sphere of R^d, d >= 2: the angle has the density sin^(d-2)."""
    front = mp.gamma(d / 2) / mp.sqrt(mp.pi) / mp.gamma((d - 1) / 2)
    end = mp.acos(low)
    ends = [0, end / 4, end / 2, end] if cut is None else [0, *sorted([mp.acos(cut), end / 2]), end]
    return mp.quad(lambda t: front * mp.sin(t) ** (d - 2) * function(mp.cos(t)), ends)


def zipf(alpha: Any, N: Any) -> list[Any]:
    """p(1), ..., p(N) of the finite law."""
    powers = [mpf(x) ** -alpha for x in range(1, int(N) + 1)]
    whole = mp.fsum(powers)
    return [p / whole for p in powers]
