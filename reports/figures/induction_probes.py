"""Memories of an induction head along training: probes of its three matrices, and its accuracy."""

import re

import numpy as np

from asymp.reports.figures.declare import Data, Drawing, Figure, How, Settings, points_of, series
from asymp.reports.figures.induction import INDUCTION, pictures
from asymp.reports.figures.style import GREY, above, new, panel

ONSET = 1.0
NAMES = {"OV2": "W_OV of layer 2", "KQ2": "W_KQ of layer 2", "KQ1": "W_KQ of layer 1"}


def measure(settings: Settings, how: How) -> Data:
    """Joint and staged training, several seeds at once."""
    from asymp.montecarlo.samplers.transformers.pictures import PROBES

    joint, staged = (pictures(settings, how, staged=s) for s in (False, True))
    probes = np.array(joint["probes"])
    found = [
        series(NAMES[name], joint["steps"], points_of(probes[:, :, i]), panel="probes") for i, name in enumerate(PROBES)
    ]
    for name, run in (("all at once", joint), ("one after the other", staged)):
        found.append(series(name, run["steps"], points_of(np.array(run["accuracy"])), panel="accuracy"))
    return {"series": found}


def draw(data: Data) -> Drawing:
    """Probes above, accuracy below."""
    figure, axes = new(2, height=3.0, sharex=True)
    margin = "margin of the memory\n(standard deviations)"
    panel(axes[0], data, "probes", x="", y=margin, log=False, every=3, label=_typeset)
    panel(axes[1], data, "accuracy", x="training steps", y="in-context accuracy", log=False, first=3, every=3)
    axes[0].axhline(ONSET, color=GREY, lw=0.8, ls=":")
    axes[1].set(ylim=(0, 1.03))
    above(*axes, columns=2)
    return figure


def _typeset(name: str) -> str:
    return re.sub(r"W_(\w+)", r"$W_{\1}$", name)


FIGURE = Figure("induction-probes", INDUCTION, measure, draw)
