"""Scores and interference: the claims, one file each, and what their settings have in common."""

from typing import Any

from asymp.reports.declaring import Setting
from asymp.theory.lazy import np

__all__ = ["BOTH", "PAIRS", "order_in_words", "score_values"]

BOTH = ("gaussian", "sphere")
"""The two laws of embeddings."""

PAIRS = [(e, u) for e in BOTH for u in BOTH]
"""Laws of the inputs and of the outputs."""


def order_in_words(setting: Setting) -> dict[str, Any]:
    """The values of a law of moments, whose order is a word."""
    return {**setting, "order": str(setting["order"])}


def score_values(setting: Setting, z: str = "z", y: str = "y") -> dict[str, Any]:
    """What the laws of a score are functions of, from the definition q(x) = p(x)^rho of the weights.

    Args:
        setting: alpha, N, M, d, rho, the laws of the embeddings, an input and an output; the target of x is x mod M.
        z: the name of the input in the setting.
        y: the name of the output in the setting.
    """
    inputs = np.arange(1, int(setting["N"]) + 1)
    weights = inputs ** -float(setting["alpha"])
    q, own = ((w / weights.sum()) ** setting["rho"] for w in (weights, int(setting[z]) ** -float(setting["alpha"])))
    squares, z_target = q**2, int(setting[z]) % setting["M"]
    return {
        **{name: setting[name] for name in ("d", "inputs", "outputs")},
        "q": float(own),
        "S_y": float(squares[inputs % setting["M"] == setting[y]].sum()),
        "S": float(squares.sum()),
        "output": "target" if z_target == setting[y] else "other",
    }
