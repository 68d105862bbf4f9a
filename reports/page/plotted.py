"""What a figure shows, as plain data; the same as a table. A number that is unknown, or infinite, is NaN."""

import csv
import io
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from asymp.reports.numbers import Placed, Scale

Line = tuple[list[float], list[float]]
"""Places along an axis, and what a law says there."""
LAW, CORRECTED, FITTED = "law", "corrected law", "fitted power"


@dataclass(frozen=True)
class Series:
    """The points of one series, or the rows of a figure, each with its `label`s.

    `low`, `high`: the guaranteed intervals; `near`, `far`: those that decide. `placed`: where the points lie on the scale of
    the figure, with the ends of the interval that decides. `lines`: the law and its like by name, drawn densely. `fan`: the
    fitted power between the ends of its exponent's interval. `exponent`: the fitted one. `counts`: of rows of an
    order, in how many runs it holds.
    """

    label: str
    x: list[float]
    mean: list[float]
    low: list[float]
    high: list[float]
    near: list[float]
    far: list[float]
    law: list[float]
    placed: list[Placed]
    lines: Mapping[str, Line] = field(default_factory=dict)
    fan: tuple[list[float], list[float], list[float]] | None = None
    exponent: float = math.nan
    labels: list[str] = field(default_factory=list)
    counts: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class FigureData:
    """All that the figure of a statement shows.

    `axis`: the size along which it is drawn; empty for rows. `bounds`: no value can lie beyond. `wedge`: whether the scale is
    that of an exponent, so that its margin grows with the distance from the middle of the sizes. `left_out`: rows that are
    nearer to the law than those shown.
    """

    axis: str
    log_x: bool
    x_label: str
    y_label: str
    title: str
    law_word: str
    open_constant: bool
    bounds: tuple[float, float]
    scale: Scale
    wedge: bool
    series: list[Series]
    left_out: int = 0


def table(data: FigureData) -> str:
    """The data of a figure as CSV: what was measured, then the lines."""
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n").writerow
    place = data.axis or "row"
    write(["series", "what", place, "value", "low", "high", "decides_from", "decides_to", data.law_word, *_units(data)])
    for one in data.series:
        rows = zip(one.x, one.mean, one.low, one.high, one.near, one.far, one.law, one.placed, strict=True)
        for i, (x, mean, low, high, near, far, law, placed) in enumerate(rows):
            name = one.labels[i] if one.labels else one.label
            write([name, "measured", *map(_written, (x, mean, low, high, near, far, law, *placed))])
        for what, (at, y) in one.lines.items():
            for x, value in zip(at, y, strict=True):
                write([one.label, what, _written(x), _written(value)])
    return out.getvalue()


def _units(data: FigureData) -> list[str]:
    name = data.scale.label.replace(" ", "_").replace(",", "").replace("'", "")
    return [name, f"{name}_from", f"{name}_to"]


def _written(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.7g}"
