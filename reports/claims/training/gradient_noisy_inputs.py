"""gradient-noisy-inputs: with vectors as inputs the gradient compares class means with predicted class means."""

from functools import partial
from typing import Any

from asymp.montecarlo.samplers.training.gradient_noisy_inputs import gradient_row_experiment, noisy_inputs_experiment
from asymp.reports.declaring import Claim, Entrywise, Grid, Identity, Setting, laws, rows, settings

ROWS = settings(d=12, M=(2, 5, 10), m=(1.0, -3.0), p=0.0)
OCCURRING = settings(d=12, M=(2, 5), m=1.0, p=(0.1, 0.9))

# An output that never occurs has p(k) = 0, where the source's means do not exist: the closest that its law can be asked.
LEAST = 1e-15


def at_start(params: Setting) -> dict[str, Any]:
    """At W = 0 every prediction is 1/M, so E[p^(k|x) x] = m/M; all inputs share the coordinate m."""
    m, M, p = params["m"], params["M"], max(params["p"], LEAST)
    return {"a": m / M, "p": p, "mu": m, "mu_hat": m / M if params["p"] == 0 else m / (M * p), "m": m, "M": M}


identity = partial(
    Identity, experiment=gradient_row_experiment, to_law=at_start, margin=1e-12, resolution=5e-13, scale=lambda _: 1.0
)

CLAIM = Claim(
    id="gradient-noisy-inputs",
    title="The gradient with noisy inputs",
    source="bietti2025, bietti2024",
    order=2,
    parts=(
        Entrywise(
            "source",
            "The gradient in W is the sum over the outputs k of p(k) u_k (mu^_k - mu_k)^T, where every output occurs.",
            law=laws["gradient-noisy-inputs:source"],
            experiment=noisy_inputs_experiment,
            grid=Grid([s for bag in (1, 5) for s in rows("d M", (2, 3), (16, 6), (64, 10), tokens=12, bag=bag)]),
        ),
        identity(
            "sharp",
            "The row of an output k is E[p^(k|x) x] - p(k) mu_k, for outputs that occur and for those that do not.",
            law=laws["gradient-noisy-inputs"],
            grid=Grid(ROWS + OCCURRING),
        ),
        identity(
            "source-unseen",
            "For an answer that never occurs, p(k) = 0, the row of the gradient is zero.",
            law=laws["gradient-noisy-inputs:row"],
            grid=Grid(ROWS),
            erratum=laws["gradient-noisy-inputs:row"].errata[0],
        ),
    ),
)
