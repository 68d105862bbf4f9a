"""The figures of the report: plain ticks are those of matplotlib, nothing overlaps or is impossible, colours can be seen."""

import io
import math
import re

import numpy as np
import pytest
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.image import imread
from matplotlib.text import Text

from asymp.reports.numbers import Scale, margins
from asymp.reports.page.drawing import draw, files
from asymp.reports.page.labels import setting_label, tick_label
from asymp.reports.page.plotted import CORRECTED, FITTED, LAW, FigureData, Series
from asymp.reports.page.style import COLOURS, INK, MARGIN_COLOUR, ONE_COLUMN, STYLE, TWO_COLUMNS
from asymp.reports.page.ticks import plain_ticks

MARGINS = margins("the interval that decides")


def series(x, mean, **more):
    """A series whose law is 3 % above what was measured, drawn a third beyond the data on both sides."""
    law = [1.03 * y for y in mean]
    usual = {
        "label": "", "x": x, "mean": mean, "low": [0.5 * y for y in mean], "high": [1.5 * y for y in mean],
        "near": [0.9 * y for y in mean], "far": [1.1 * y for y in mean], "law": law,
        "placed": [(-0.3, -0.8, 0.2)] * len(x), "lines": {LAW: ([x[0] / 1.3, *x, 1.3 * x[-1]], [law[0], *law, law[-1]])},
    }  # fmt: skip
    return Series(**{**usual, **more})


def shown(x, mean, *, many=(), **more):
    """The data of a statement's figure along a size."""
    look = {
        "axis": "d", "log_x": True, "x_label": "dimension of the embeddings d", "y_label": "recall error E", "title": "α = 2",
        "law_word": "law", "open_constant": False, "bounds": (0.0, math.inf), "scale": MARGINS, "wedge": False,
    }  # fmt: skip
    return FigureData(**{**look, **more}, series=[series(x, mean), *many])


def rows(placed, scale=MARGINS, **more):
    """The data of a figure of rows."""
    x = [float(i + 1) for i in range(len(placed))]
    labels = [f"d = {2**i}, inputs = gaussian" for i in range(len(placed))]
    return shown(x, [0.25] * len(x), axis="", log_x=False, x_label=scale.label, y_label="", scale=scale).__class__(
        **{**vars(shown(x, [0.25] * len(x), axis="", log_x=False, scale=scale, x_label=scale.label)), "series": [
            series(x, [0.25] * len(x), placed=placed, labels=labels, lines={}, **more)]}
    )  # fmt: skip


SMALL = Scale("measured / bound", 1.0, (-math.inf, 1.0), None, "the interval that decides")
RUNS = Scale("share of runs in the order", 0.75, (0.75, 1.0), (0.0, 1.0), "the interval of the share")
CASES = {
    "decades": shown([10.0, 100.0, 1e3, 1e4], [1.0, 1e-2, 1e-4, 1e-6], bounds=(0.0, 1.0)),
    "one octave": shown([10.0, 14.0, 20.0], [1.0, 3.0, 5.0]),
    "linear": shown([1.0, 2.0, 3.0, 4.0], [0.5, 0.6, 0.55, 0.52], log_x=False),
    "several": shown([10.0, 1e3], [1.0, 0.1], many=[series([10.0, 1e3], [0.5, 0.01], label="α = 3")]),
    "long names": shown(
        [10.0, 1e3], [1.0, 0.1], y_label="error with layer norm over that without $E_{\\mathrm{norm}}$"
    ),
    "rows": rows([(0.1, -0.4, 0.6), (7.0, 6.0, 8.0), (-0.9, -2.0, 0.2)]),
    "bound": rows([(0.2, 0.1, 0.3), (0.9, 0.8, 1.0)], SMALL),
    "runs": rows([(1.0, 0.9, 1.0), (0.5, 0.3, 0.7)], RUNS, counts=["12 of 12", "6 of 12"]),
}


def luminance(colour):
    """The relative luminance of a colour, after the W3C's definition."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("paper", ["#ffffff", "#0d1117"])
@pytest.mark.parametrize("colour", [*COLOURS, MARGIN_COLOUR])
def test_colours_have_a_contrast_of_three_on_light_and_on_dark_paper(colour, paper):
    low, high = sorted((luminance(colour), luminance(paper)))
    assert (high + 0.05) / (low + 0.05) >= 3


def test_ticks_are_where_matplotlib_has_its_own():
    data = CASES["decades"]
    found = files(data)
    assert found == files(data)
    own = io.BytesIO()
    with rc_context(STYLE):
        figure = draw(data)
        for axes in figure.axes:
            axes.patch.set_alpha(0.0)
        figure.savefig(own, format="png", dpi=150)
    wanted = imread(io.BytesIO(own.getvalue()))[..., :3]
    drawn = imread(io.BytesIO(found["png"]))[..., :3]
    assert drawn.shape == wanted.shape
    # A tick that is missing changes a hundred pixels and more; rounding of an edge, the shade of a few.
    assert np.count_nonzero(np.abs(drawn - wanted).max(axis=2) > 0.2) < 20


@pytest.mark.parametrize("width", [ONE_COLUMN, TWO_COLUMNS])
@pytest.mark.parametrize("name", list(CASES))
def test_no_text_leaves_the_figure_or_covers_another(name, width):
    with rc_context(STYLE):
        figure = draw(CASES[name], width=width)
        plain_ticks(figure)
        renderer = FigureCanvasAgg(figure).get_renderer()
        figure.draw(renderer)
        boxes = [
            (text.get_text(), text.get_window_extent(renderer))
            for text in dict.fromkeys(figure.findobj(Text))
            if text.get_visible() and text.get_text().strip()
        ]
    wide, high = figure.get_size_inches() * figure.dpi
    assert len(boxes) > 4
    outside = [t for t, b in boxes if b.x0 < -1 or b.y0 < -1 or b.x1 > wide + 1 or b.y1 > high + 1]
    assert not outside
    crossing = [
        (one, other)
        for i, (one, a) in enumerate(boxes)
        for other, b in boxes[i + 1 :]
        if min(a.x1, b.x1) - max(a.x0, b.x0) > 1.5 and min(a.y1, b.y1) - max(a.y0, b.y0) > 1.5
    ]
    assert not crossing


def test_a_probability_is_never_drawn_above_one():
    data = CASES["decades"]
    beyond = shown([10.0, 1e3], [0.5, 1e-2], bounds=(0.0, 1.0), many=[])
    beyond.series[0].lines[LAW][1][0] = 23.8
    with rc_context(STYLE):
        for one in (data, beyond):
            top = draw(one).axes[0]
            assert top.get_ylim()[1] <= 1.05
            assert all(np.nanmax(line.get_ydata()) <= 1 for line in top.lines if len(line.get_ydata()))


def test_points_beyond_the_ends_stand_there_with_their_value():
    with rc_context(STYLE):
        axes = draw(CASES["rows"]).axes[0]
    assert axes.get_xlim() == (-1.5, 1.5)
    assert [text.get_text() for text in axes.texts] == ["7"]
    assert max(float(np.max(line.get_xdata())) for line in axes.lines) <= 1.5


def test_the_corrected_law_is_solid_beside_a_refuted_one():
    x, y = [10.0, 100.0, 1000.0], [0.5, 0.05, 0.005]
    lines = {LAW: (x, [0.5, 0.3, 0.2]), CORRECTED: (x, y), FITTED: ([x[0], x[-1]], [y[0], y[-1]])}
    data = shown(x, y, many=[])
    data.series[0] = series(x, y, lines=lines, exponent=-1.0)
    with rc_context(STYLE):
        top = draw(data).axes[0]
    styles = {line.get_label(): line.get_linestyle() for line in top.lines}
    assert styles["corrected law"] == "-" and styles["law"] == "--"
    assert "fitted exponent −1" in styles


def test_fonts_are_embedded_as_type_42_and_widths_are_those_of_columns():
    found = files(CASES["one octave"])
    assert b"/Type3" not in found["pdf"] and b"/FontFile2" in found["pdf"]
    assert 'width="486pt"' in found["svg"].decode()  # 6.75 inches
    assert 'width="237.6pt"' in found["narrow.svg"].decode()
    assert INK in found["svg"].decode()


def test_the_table_has_what_is_drawn():
    lines = files(CASES["one octave"])["csv"].decode().splitlines()
    assert lines[0].startswith("series,what,d,value,low,high,decides_from,decides_to,law,")
    assert lines[1].split(",")[1:9] == ["measured", "10", "1", "0.5", "1.5", "0.9", "1.1", "1.03"]
    assert len([line for line in lines if line.startswith(",law,")]) == 5


@pytest.mark.parametrize(
    ("value", "words"),
    [(1000, "1000"), (1e5, "10⁵"), (2e-5, "2·10⁻⁵"), (0.03, "0.03"), (-2, "−2"), (math.inf, "∞"), (0, "0")],
)
def test_numbers_are_written_in_one_way(value, words):
    assert tick_label(value) == words


def test_settings_have_no_python_in_them():
    words = setting_label(
        {"alpha": 2, "N": math.inf, "optimiser": {"name": "sgd", "lr": 0.1}, "ones": (8, 32), "on": True}
    )
    assert words == "α = 2, N = ∞, optimiser = sgd lr 0.1, ones = (8, 32), on = yes"
    assert not re.search(r"[{}'\[\]]", words)
