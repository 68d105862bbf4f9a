"""The figures of the report: their plain ticks are those of matplotlib, and the same data give the same bytes."""

import io
import math

import numpy as np
import pytest
from matplotlib import rc_context
from matplotlib.image import imread

from asymp.reports.page.drawing import STYLE, Curve, FigureData, draw, files


def shown(x, mean, **more):
    """The data of a statement's figure with one curve; the law is 3 % above what was measured."""
    ratio = [1 / 1.03] * len(x)
    curve = Curve(
        label="", x=x, mean=mean, low=[0.9 * y for y in mean], high=[1.1 * y for y in mean], law=[1.03 * y for y in mean],
        ratio=ratio, ratio_low=[0.9 * r for r in ratio], ratio_high=[1.1 * r for r in ratio],
        beside={}, fit=[], slopes=[], exponent=math.nan,
    )  # fmt: skip
    look = {"axis": "d", "log_x": True, "open_constant": False, "wide_ratio": False, "ratio_line": 1.0}
    look["band"] = (0.95, 1.05)
    return FigureData(**{**look, **more}, y_label="E", ratio_label="ratio", x_label="d", curves=[curve])


CASES = {
    "decades": shown([10.0, 100.0, 1e3, 1e4], [1.0, 1e-2, 1e-4, 1e-6]),
    "one octave": shown([10.0, 14.0, 20.0], [1.0, 3.0, 5.0]),
    "linear": shown([1.0, 2.0, 3.0, 4.0], [0.5, 0.6, 0.55, 0.52], log_x=False, axis=None),
}


@pytest.mark.parametrize("name", list(CASES))
def test_ticks_are_where_matplotlib_has_its_own(name):
    data = CASES[name]
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


def test_a_factor_that_all_numbers_share_stands_in_the_label():
    drawn = files(shown([1.0, 2.0, 3.0], [3.0e-7, 3.1e-7, 3.2e-7], log_x=False, axis=None))
    assert "E / 10\u207b\u2077" in drawn["svg"].decode()
    # Matplotlib would write it above the panel, half outside the figure.
    assert "1e\u22127" not in drawn["svg"].decode()
