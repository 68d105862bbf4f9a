"""Numbers and settings for readers: as many digits as their uncertainty allows, 0.0384(3).

On what scale the settings of a statement are compared with what it says, and where they lie on it.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

# Relative errors below this are those of the arithmetic, not of a sample.
ROUNDING = 1e-10


def concise(value: float, error: float) -> str:
    """A value with its uncertainty in the last digits: 0.0384(3), -1.02(12), 3.84(3)e-07.

    One digit of the uncertainty is given, two if the first is a 1.

    >>> concise(0.03841, 0.00031), concise(1.0234, 0.012), concise(1234.5, 56), concise(3.8412e-7, 3.1e-9)
    ('0.0384(3)', '1.023(12)', '1234(56)', '3.84(3)e-07')
    """
    if not (math.isfinite(value) and math.isfinite(error) and error > ROUNDING * abs(value)):
        return plain(value)
    largest = max(abs(value), error)
    power = math.floor(math.log10(largest))
    power = 0 if -4 <= power < 6 else power
    v, e = value / 10.0**power, error / 10.0**power
    lead = math.floor(math.log10(e))
    place = max(0, (1 if e / 10.0**lead < 1.95 else 0) - lead)
    ending = f"e{power:+03d}" if power else ""
    return f"{v:.{place}f}({round(e * 10**place)}){ending}"


def interval(low: float, high: float) -> str:
    """The ends of an interval, with two digits of its width."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return f"{plain(low)} to {plain(high)}"
    width, largest = high - low, max(abs(low), abs(high))
    if width <= ROUNDING * largest:
        return "no sampling error"
    if 1e-4 <= largest < 1e6:
        place = max(0, 1 - math.floor(math.log10(width)))
        return f"{low:.{place}f} to {high:.{place}f}"
    digits = max(2, math.floor(math.log10(largest)) - math.floor(math.log10(width)) + 2)
    return f"{low:.{digits}g} to {high:.{digits}g}"


def plain(value: float) -> str:
    """A number that is not measured: four digits."""
    if math.isnan(value):
        return "unknown"
    if math.isinf(value):
        return "infinity" if value > 0 else "-infinity"
    return f"{value:.4g}"


def factor(value: float) -> str:
    """A factor in words, two digits: 1.2, 35, 4000."""
    if not math.isfinite(value):
        return "without limit"
    if value >= 1000:
        return f"{value:.1e}" if value >= 1e5 else f"{round(value, -2):.0f}"
    return f"{value:.3g}" if value < 10 else f"{value:.2g}" if value < 100 else f"{value:.0f}"


def count(number: int) -> str:
    """A large whole number in a few characters: 31k, 2.4M."""
    if number < 10_000:
        return str(number)
    return f"{number / 1e3:.0f}k" if number < 1_000_000 else f"{number / 1e6:.3g}M"


def percent(share: float) -> str:
    """A share in per cent, three figures; tiny ones as they are."""
    return f"{100 * share:.3g}%" if share >= 1e-6 else f"{share:.2g}"


def spell(params: Mapping[str, object]) -> str:
    """Parameters in words, without Python's brackets and quotes.

    >>> spell({"alpha": 2, "one": {"H": 8, "m": 32}, "T": [1, 10], "optimiser": {"name": "sgd", "lr": 0.1}})
    'alpha=2, one=(H 8, m 32), T=(1, 10), optimiser=sgd (lr 0.1)'
    """
    return ", ".join(f"{name}={_spelt(value)}" for name, value in params.items())


def _spelt(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return f"{value:g}"
    if isinstance(value, Mapping):
        name = str(value.get("name", ""))
        rest = ", ".join(f"{k} {_spelt(v)}" for k, v in value.items() if k != "name")
        return f"{name} ({rest})".strip() if rest else name
    if isinstance(value, list | tuple):
        return f"({', '.join(map(_spelt, value))})"
    return str(value)


def of_all(some: int, number: int, what: str = "point") -> str:
    """How many of them all, for a sentence.

    >>> of_all(1, 1), of_all(0, 1), of_all(3, 4)
    ('the one point', '0 of 1 point', '3 of 4 points')
    """
    return f"the one {what}" if some == number == 1 else f"{some} of {number} {what}{'s' * (number != 1)}"


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
