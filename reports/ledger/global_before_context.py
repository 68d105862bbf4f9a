"""global-before-context: the feed-forward layer learns a global bigram from few samples, attention from many more."""

from typing import Any

from asymp.montecarlo.transformers.global_context import noise_gap_experiment, noise_learned_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

MISS: dict[str, list[dict[str, Any]]] = {
    "quick": [{"layer": "feed-forward", "m": m, "N": 20_000, "a": a, "miss": True} for m, a in ((10, 0.1), (20, 0.1))],
    "standard": [
        {"layer": "feed-forward", "m": m, "N": 20_000, "a": a, "miss": True}
        for m, a in ((10, 0.1), (20, 0.1), (40, 0.05), (10, 0.3))
    ],
}
GAP: dict[str, list[dict[str, Any]]] = {
    "quick": [{"m": 20, "N": 400, "T": 4, "a": 0.3}],
    "standard": [{"m": m, "N": N, "T": 4, "a": 0.3} for m, N in ((20, 400), (20, 2000), (50, 2000))],
}
for grid in (MISS, GAP):
    grid["paper"] = grid["standard"]

CLAIM = Claim(
    id="global-before-context",
    simulation="One gradient step from zero weights on m sequences, one-hot embeddings: scores on a fresh sequence are overlaps "
    "with what was seen. The feed-forward layer sees the trigger, attention the mean of a context of T uniform tokens without it. "
    "A run of the order compares 256 draws of each.",
    notes=(
        "With the trigger inside the average attention is as fast as the feed-forward layer, and with a random trigger the "
        "feed-forward layer needs about N samples: the claim depends on these choices. The trained version is not measured here.",
    ),
    parts=(
        part(
            "source",
            kind="order",
            law=laws["global-before-context:order"],
            experiment=noise_gap_experiment,
            statement="From the same few samples the feed-forward layer has learnt the noise token more often than attention.",
            grid=GAP,
            replicas={"quick": 24, "standard": 48, "paper": 48},
        ),
        part(
            "sharp",
            kind="identity",
            law=laws["global-before-context:feed-forward-miss"],
            experiment=noise_learned_experiment,
            statement="m samples leave the noise token unlearnt with the binomial probability, whatever N is.",
            grid=MISS,
            replicas={"quick": 2**14, "standard": 2**17, "paper": 2**17},
            margin=0.02,
            # Two of m outputs among 20000 coincide with probability below m^2/40000.
            resolution=0.01,
        ),
    ),
)
