"""gradient-noisy-inputs: with vectors as inputs the gradient compares class means with predicted class means."""

from collections.abc import Mapping
from typing import Any

from asymp.montecarlo.gradients.identities import gradient_row_experiment, noisy_inputs_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

QUICK = [{"d": d, "M": M, "tokens": 12, "bag": bag} for d, M in ((2, 3), (16, 6), (64, 10)) for bag in (1, 5)]
STANDARD = [
    {"d": d, "M": M, "tokens": tokens, "bag": bag}
    for d in (2, 32, 128)
    for M, tokens in ((2, 20), (10, 20), (50, 100))
    for bag in (1, 4, 16)
]
ROWS = [{"d": 12, "M": M, "m": m, "p": 0.0} for M in (2, 5, 10) for m in (1.0, -3.0)]
OCCURRING = [{"d": 12, "M": M, "m": 1.0, "p": p} for M in (2, 5) for p in (0.1, 0.9)]

# An output that never occurs has p(k) = 0, where the source's means do not exist: the closest that its law can be asked.
LEAST = 1e-15


def at_start(params: Mapping[str, Any]) -> dict[str, Any]:
    """At W = 0 every prediction is 1/M, so E[p^(k|x) x] = m/M; all inputs share the coordinate m."""
    m, M, p = params["m"], params["M"], max(params["p"], LEAST)
    return {"a": m / M, "p": p, "mu": m, "mu_hat": m / M if params["p"] == 0 else m / (M * p), "m": m, "M": M}


def everywhere(cells: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The same cells in every preset: nothing of what is compared is random."""
    return dict.fromkeys(("quick", "standard", "paper"), cells)


CLAIM = Claim(
    id="gradient-noisy-inputs",
    simulation="An input is the sum of the embeddings of a bag of tokens, of which the first decides the output; the gradient of "
    "the mean loss is taken by automatic differentiation and compared with the sum over outputs. Rows: orthonormal outputs "
    "read off the gradient's row of one output.",
    parts=(
        part(
            "source",
            kind="identity",
            law=laws["gradient-noisy-inputs:deviation"],
            experiment=noisy_inputs_experiment,
            statement="The gradient in W is the sum over the outputs k of p(k) u_k (mu^_k - mu_k)^T, where every output occurs.",
            grid={"quick": QUICK, "standard": STANDARD, "paper": STANDARD},
            replicas={"quick": 32, "standard": 64, "paper": 64},
            margin=1e-12,
            scale=lambda _: 1.0,
        ),
        part(
            "sharp",
            kind="identity",
            law=laws["gradient-noisy-inputs"],
            experiment=gradient_row_experiment,
            statement="The row of an output k is E[p^(k|x) x] - p(k) mu_k, for outputs that occur and for those that do not.",
            grid=everywhere(ROWS + OCCURRING),
            replicas=dict.fromkeys(("quick", "standard", "paper"), 16),
            to_law=at_start,
            margin=1e-12,
            scale=lambda _: 1.0,
        ),
        part(
            "source-unseen",
            kind="identity",
            law=laws["gradient-noisy-inputs:source"],
            experiment=gradient_row_experiment,
            statement="The same for an output that never occurs: p(k) = 0 makes its row vanish.",
            grid=everywhere(ROWS),
            replicas=dict.fromkeys(("quick", "standard", "paper"), 16),
            to_law=at_start,
            margin=1e-12,
            scale=lambda _: 1.0,
            erratum=laws["gradient-noisy-inputs:source"].errata[0],
        ),
    ),
)
