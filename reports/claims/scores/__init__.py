"""Scores and interference: the claims, one file each, and what their settings have in common."""

from typing import Any

from asymp.reports.declaring import Setting

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
    inputs = range(1, int(setting["N"]) + 1)
    alpha, rho = float(setting["alpha"]), setting["rho"]
    total = sum(x**-alpha for x in inputs)

    def q(x: int) -> float:
        return float((x**-alpha / total) ** rho)

    return {
        **{name: setting[name] for name in ("d", "inputs", "outputs")},
        "q": q(setting[z]),
        "S_y": sum(q(x) ** 2 for x in inputs if x % setting["M"] == setting[y]),
        "S": sum(q(x) ** 2 for x in inputs),
        "output": "target" if setting[z] % setting["M"] == setting[y] else "other",
    }
