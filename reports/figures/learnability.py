"""The phase diagram of learnability: whether two gradient steps teach attention to find a planted token."""

import math
import re

import numpy as np
import sympy

from asymp.reports.figures.declare import Data, Drawing, Figure, How, Settings
from asymp.reports.figures.style import COLOURS, heat, new
from asymp.theory import Law, laws

SETTINGS = {
    "quick": {"N": 64, "n": 256, "T": [4, 16, 64, 256], "d": [16, 32, 64, 128], "runs": 12},
    "paper": {"N": 1024, "n": 8192, "T": [4, 16, 64, 256, 1024], "d": [32, 64, 128, 256, 512], "runs": 12},
}
FINE = 100
"""Points of the source's threshold as it is drawn, at most."""


def measure(settings: Settings, how: How) -> Data:
    """Signal over noise, over context length and dimension: medians of runs, the law, and the source's threshold."""
    law, source = laws["attention-learnability"], laws["attention-learnability:source"]
    sizes = {"N": settings["N"], "n": settings["n"]}
    measured = [
        [
            # The mean is a few runs'.
            float(np.median(how.estimate("learned-attention", settings["runs"], of="ratio", T=T, d=d, **sizes).values))
            for T in settings["T"]
        ]
        for d in settings["d"]
    ]
    expected = [[float(law(T=T, d=d, **sizes)) for T in settings["T"]] for d in settings["d"]]
    fine = sorted({round(T) for T in np.geomspace(settings["T"][0], settings["T"][-1], FINE)})
    return {
        "T": settings["T"],
        "d": settings["d"],
        "measured": [[1 / math.sqrt(max(v, 1e-9)) for v in row] for row in measured],
        "law": [[1 / math.sqrt(v) for v in row] for row in expected],
        "threshold": {"T": fine, "d": [float(source(T=T, **sizes)) for T in fine]},
        "enough": settings["N"] ** 0.5,
        "boundaries": boundaries(source, sizes),
    }


def boundaries(source: Law, sizes: Settings) -> dict[str, float]:
    """The context lengths at which something changes, found by the calculus of orders: by what is equal there.

    Where the bound goes over from one power into another, and up to where d >> sqrt N is enough for it.
    """
    conditions = {text for regime in source.regimes() for text in regime.conditions}
    conditions |= set(source.enough("d >> sqrt(N)").follows_if)
    names = {name: sympy.Symbol(name, positive=True) for name in ("T", *sizes)}
    found = {}
    for text in sorted(conditions):
        left, right = (sympy.sympify(side, names) for side in re.split(">>|<<", text))
        for length in sympy.solve(left - right, names["T"]):
            found[f"$T = {sympy.latex(length, fold_frac_powers=True, root_notation=False)}$"] = float(
                length.subs({names[name]: size for name, size in sizes.items()})
            )
    return found


def draw(data: Data) -> Drawing:
    """Measured and predicted signal over noise, with the source's boundary."""
    from matplotlib.colors import LogNorm

    figure, axes = new(2, height=2.9, sharex=True)
    x, y = np.log2(data["T"]), np.log2(data["d"])
    step = (x[1] - x[0], y[1] - y[0])
    extent = (x[0] - step[0] / 2, x[-1] + step[0] / 2, y[0] - step[1] / 2, y[-1] + step[1] / 2)
    threshold, words = data["threshold"], "source: $d = (T^2/N)\\,\\min\\{1, (N^2/Tn)^{2/3}\\}$"
    for ax, name in zip(axes, ("measured", "law"), strict=True):
        shown = heat(ax, data[name], norm=LogNorm(0.3, 10), origin="lower", extent=extent)
        ax.plot(np.log2(threshold["T"]), np.log2(threshold["d"]), color=COLOURS[1], lw=2, label=words)
        ax.axhline(np.log2(data["enough"]), color=COLOURS[2], lw=1, ls=":", label="$d = \\sqrt{N}$")
        for (text, length), dashes in zip(data["boundaries"].items(), ("--", "-.", (0, (1, 1))), strict=False):
            ax.axvline(np.log2(length), color=COLOURS[3], lw=1, ls=dashes, label=text)
        ax.set(xlim=extent[:2], ylim=extent[2:], ylabel="dimensions d", title=name)
        ax.set_xticks(x, [str(v) for v in data["T"]])
        ax.set_yticks(y, [str(v) for v in data["d"]])
    axes[1].set_xlabel("context length T")
    axes[0].legend(loc="lower left", bbox_to_anchor=(0, 1.08))
    figure.colorbar(shown, ax=axes, label="signal over noise", pad=0.02)
    return figure


FIGURE = Figure("learnability", SETTINGS, measure, draw)
