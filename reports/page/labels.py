"""The words of a figure: settings, axes and numbers, in plain text that needs no typesetting."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from asymp.reports.page.render import letters

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
LONGEST = 46
"""A longer meaning of a parameter is left out beside an axis: its letter is explained on the page."""


def tick_label(value: float) -> str:
    """A number at an axis: plain where that is short, else with a power of ten."""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value < 0:
        return f"−{tick_label(-value)}"
    if not value > 0:
        return "0"
    power = math.floor(math.log10(value) + 1e-9)
    if -3 <= power <= 3 or round(value) == value < 1e5:
        return f"{value:.{6 if value == round(value) else 4}g}"
    digits = f"{value / 10.0**power:.3g}"
    raised = str(power).translate(RAISED)
    return f"10{raised}" if digits == "1" else f"{digits}·10{raised}"


def value_label(value: Any) -> str:
    """A parameter's value for a reader: no Python."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return tick_label(value)
    if isinstance(value, Mapping):
        parts = [
            value_label(v) if k in ("name", "kind") else f"{letters(str(k))} {value_label(v)}" for k, v in value.items()
        ]
        return " ".join(parts)
    if isinstance(value, list | tuple):
        return "(" + ", ".join(map(value_label, value)) + ")"
    return str(value).replace("_", " ")


def setting_label(params: Mapping[str, Any]) -> str:
    """A setting: 'α = 2, T = 10⁵'."""
    return ", ".join(f"{letters(name)} = {value_label(value)}" for name, value in params.items() if value is not None)


def conditions(settings: Sequence[Mapping[str, Any]], leave_out: str = "") -> str:
    """What all settings share, but for numbers that only steer a search."""
    first = settings[0] if settings else {}
    shared = {
        name: value
        for name, value in first.items()
        if name != leave_out and all(repr(one.get(name)) == repr(value) for one in settings)
    }
    return setting_label(shared)
