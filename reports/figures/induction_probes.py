"""Memories of an induction head along training: probes of its three matrices, and its accuracy."""

import re

import numpy as np

from asymp.reports.figures.data import points_of, series
from asymp.reports.figures.declare import Data, Drawing, Figure, How, Settings
from asymp.reports.figures.induction import INDUCTION, pictures
from asymp.reports.figures.style import GREY, above, curves, new

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
    typeset = {name: re.sub(r"W_(\w+)", r"$W_{\1}$", name) for name in NAMES.values()}
    curves(axes[0], data, "probes", every=3, names=typeset)
    curves(axes[1], data, "accuracy", first=3, every=3)
    axes[0].axhline(ONSET, color=GREY, lw=0.8, ls=":")
    axes[0].set(ylabel="margin of the memory\n(standard deviations)")
    axes[1].set(xlabel="training steps", ylabel="in-context accuracy", ylim=(0, 1.03))
    for ax in axes:
        above(ax, columns=2)
    return figure


FIGURE = Figure("induction-probes", INDUCTION, measure, draw)
