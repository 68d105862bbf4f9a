"""one-step-filter: one gradient step finds what decides the output and filters out the noise added to it."""

from typing import Any

from asymp.montecarlo.samplers.training.one_step_filter import one_step_score_experiment, one_step_spread_experiment
from asymp.reports.declaring import Claim, Constant, Grid, Identity, few_draws, laws

G, S = "gaussian", "sphere"


def noisy(d: int, N: int, T: int, law: str = G, output: str = "target") -> dict[str, Any]:
    """N tokens, each with each of T noise vectors."""
    return {"d": d, "N": N, "T": T, "eta": 2.0, "output": output, "inputs": law, "outputs": law}


MEAN = Grid([noisy(32, 20, 4), noisy(32, 20, 4, S)])


CLAIM = Claim(
    id="one-step-filter",
    title="One step filters noise in the input",
    source="bietti2025, bietti2024",
    order=5,
    parts=(
        Constant(
            "source",
            "A step of size eta leaves the score eta/N at the token's own output, whatever the noise.",
            law=laws["one-step-filter:source"],
            experiment=one_step_score_experiment,
            # What the source leaves out is a share 1/N of the score: at N = 10 that is the margin, which nothing can decide.
            grid=MEAN,
            # The stated remainder is eta/N^2: a share of 1/N of the score, a twentieth at the smallest N.
            draw=few_draws(12),
        ),
        Identity(
            "sharp",
            "The mean score is (eta/N)(1{y = k} - 1/N) exactly, at every d and for every number of noise vectors.",
            law=laws["one-step-filter"],
            experiment=one_step_score_experiment,
            grid=MEAN,
            draw=few_draws(12, ranges={"T": (1, 10)}, reason="the law holds for any number of noise vectors"),
        ),
        Identity(
            "variance",
            "The variance of a score after the step is the one that Wick contraction gives, at every d.",
            law=laws["one-step-filter:variance"],
            experiment=one_step_spread_experiment,
            grid=Grid([noisy(16, 10, 3), noisy(16, 10, 3, S, "other")]),
            draw=few_draws(12),
        ),
    ),
)
