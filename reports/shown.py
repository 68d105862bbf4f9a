"""A matplotlib figure that a notebook shows by itself, whether or not pyplot was ever imported there.

IPython learns to draw figures when pyplot is loaded. Ours are made without it (no global state, no window), so
that a plain one would appear as `<Figure size 640x480>`.
"""

import io

from matplotlib.figure import Figure


class ShownFigure(Figure):
    """A figure as any other, and its picture for IPython."""

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        self.savefig(buffer, format="png", dpi=120, bbox_inches="tight", facecolor="white")
        return buffer.getvalue()
