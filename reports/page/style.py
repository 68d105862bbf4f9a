"""How all figures look: colours, marks, sizes and files."""

import io
from typing import TYPE_CHECKING, Any

from asymp.lazy import Lazy

if TYPE_CHECKING:
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.typing import RcKeyType
else:
    matplotlib = Lazy("matplotlib")

# After Okabe and Ito, so that colour-blind readers tell them apart; each has a contrast of 3 on white and on dark paper,
# for which some are darker than theirs. A series has its own marker too.
COLOURS = ("#1A78B8", "#D55E00", "#009E73", "#C4609A", "#B87700", "#7A6CC8")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
MARGIN_COLOUR = "#009E73"
# Axes and text are drawn in this colour; a page puts its own text colour in its place.
INK = "#010203"
ONE_COLUMN, TWO_COLUMNS = 3.3, 6.75
"""The widths of a journal's columns in inches; a telephone shows the narrow one."""
STYLE: "dict[RcKeyType, Any]" = {
    "svg.fonttype": "none",
    "svg.hashsalt": "asymp",
    # Type 42: several venues refuse Type 3.
    "pdf.fonttype": 42,
    "font.family": "sans-serif",
    "font.size": 8.5,
    "mathtext.fontset": "dejavusans",
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.minor.visible": False,
    # Numbers in full, not as differences from one that stands elsewhere.
    "axes.formatter.useoffset": False,
    "figure.dpi": 100,
}
# No dates and no names of programs: the same figure is the same file.
METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Producer": None, "Creator": None},
}
# Run lengths (zlib's Z_RLE) take two thirds of the time of a search for repetitions, and a tenth more room.
SAVING: dict[str, dict[str, Any]] = {"png": {"pil_kwargs": {"compress_type": 3}}}


def saved(figure: "Figure", *, forms: tuple[str, ...] = ("svg", "png", "pdf"), dpi: int = 150) -> dict[str, bytes]:
    """A figure in some formats; only PNG has paper of its own."""
    found = {}
    for form in forms:
        buffer = io.BytesIO()
        figure.patch.set_alpha(1.0 if form == "png" else 0.0)
        for axes in figure.axes:
            axes.patch.set_alpha(0.0)
        figure.savefig(buffer, format=form, dpi=dpi, metadata=METADATA[form], **SAVING.get(form, {}))
        found[form] = buffer.getvalue()
    return found
