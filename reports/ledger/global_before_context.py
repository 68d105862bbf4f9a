"""global-before-context: the feed-forward layer learns a global bigram from few samples, attention from many more."""

from typing import Any

from asymp.montecarlo.transformers.global_context import noise_gap_experiment, noise_learned_experiment
from asymp.montecarlo.transformers.global_samples import needed_samples_experiment
from asymp.montecarlo.transformers.global_trained import noise_training_experiment
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


def vocabularies(layer: str, sizes: tuple[int, ...]) -> list[dict[str, Any]]:
    """The same task with more and more tokens."""
    return [{"layer": layer, "N": N, "T": 2, "a": 0.5} for N in sizes]


FEW, MANY = (64, 128, 256, 512, 1024, 2048), tuple(64 * 2**i for i in range(9))
ATTENTION = {"quick": vocabularies("attention", FEW), "standard": vocabularies("attention", MANY)}
FORWARD = {"quick": vocabularies("feed-forward", FEW), "standard": vocabularies("feed-forward", MANY)}


def trained(of: str, small: int, large: int) -> dict[str, list[dict[str, Any]]]:
    """Training on a CPU, and at the size of the source's figure."""
    return {
        "quick": [{"of": of, "N": 8, "T": 16, "d": 16, "a": 0.5, "batch": 32, "steps": small}],
        "standard": [{"of": of, "N": 8, "T": 32, "d": 32, "a": 0.5, "steps": large}],
        "paper": [{"of": of, "N": 65, "T": 256, "d": 256, "a": 0.5, "batch": 512, "steps": 1000}],
    }


for grid in (MISS, GAP, ATTENTION, FORWARD):
    grid["paper"] = grid["standard"]
RUNS = {"quick": 4, "standard": 24, "paper": 24}

CLAIM = Claim(
    id="global-before-context",
    simulation="One gradient step from zero weights on m sequences, one-hot embeddings: scores on a fresh sequence are overlaps "
    "with what was seen. The feed-forward layer sees the trigger, attention the mean of a context of T uniform tokens without it. "
    "A run of the order compares 256 draws of each. Needed samples: as many as put the noise token on top in half of 64 fresh "
    "contexts. Trained: two blocks of attention and MLP, SGD, one trigger of eight tokens.",
    notes=(
        "The class of corrections of the parts that count samples was narrowed to 0.25 either way after an inconclusive quick "
        "look. Repeated once at standard with a seed that nobody had seen (417), both were supported: exponents 0.998 (98 % "
        "interval 0.966 to 1.032) for attention and -0.003 (-0.034 to 0.032) for the feed-forward layer. Quick leaves them open.",
        "With the trigger inside the average attention is as fast as the feed-forward layer, and with a random trigger the "
        "feed-forward layer needs about N samples: the claim depends on these choices.",
        "All parts were run at standard with a seed that nobody had seen (905): supported, but `sharp`, which was open (within 2 % "
        "at 3 of 4 points; 1.011, 95 % interval 1.003 to 1.020, at the other).",
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
            replicas={"quick": 2**13, "standard": 2**17, "paper": 2**17},
            margin=0.02,
            # Two of m outputs among 20000 coincide with probability below m^2/40000.
            resolution=0.01,
        ),
        part(
            "attention-samples",
            kind="rate",
            law=laws["global-before-context"],
            experiment=needed_samples_experiment,
            statement="Attention over short contexts needs a number of samples that grows like N.",
            grid=ATTENTION,
            replicas={"quick": 32, "standard": 128, "paper": 128},
            variable="N",
            margin=0.05,
            # A threshold in N/T^2 with 1 beside it: 1/16 at the smallest N, and no logarithm.
            families=("power", "corrected"),
            kappa=(-0.25, 0.25),
        ),
        part(
            "feed-forward-samples",
            kind="rate",
            law=laws["global-before-context:feed-forward"],
            experiment=needed_samples_experiment,
            statement="The feed-forward layer needs a number of samples that does not grow with N.",
            grid=FORWARD,
            replicas={"quick": 256, "standard": 2048, "paper": 2048},
            variable="N",
            margin=0.05,
            # Outputs of m samples coincide with probability m^2/(2 N): about a tenth at the smallest N.
            families=("power", "corrected"),
            kappa=(-0.25, 0.25),
        ),
        part(
            "trained-onset",
            kind="order",
            law=laws["global-before-context:trained-onset"],
            experiment=noise_training_experiment,
            statement="Trained, the noise token is known no later than the output.",
            grid=trained("onset", 60, 200),
            replicas=RUNS,
        ),
        part(
            "truncation",
            kind="order",
            law=laws["global-before-context:truncation"],
            experiment=noise_training_experiment,
            statement="Leaving out the second MLP does not lower the accuracy on sequences without noise.",
            grid=trained("truncation", 75, 400),
            replicas=RUNS,
        ),
    ),
)
