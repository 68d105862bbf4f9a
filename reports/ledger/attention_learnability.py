"""attention-learnability: what two gradient steps teach attention about one planted token."""

from typing import Any

from asymp.montecarlo.transformers.learnability_counts import (
    attention_spread_experiment,
    balanced_spread_experiment,
    more_samples_experiment,
)
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

# Leading order in T: the mean over the context takes away a share 1/T of the signal.
SIGNAL: dict[str, list[dict[str, Any]]] = {
    "quick": [{"d": 64, "N": 256, "T": 32, "n": 2048, "of": "signal"}],
    "standard": [
        {"d": d, "N": N, "T": T, "n": n, "of": "signal"}
        for d, N, T, n in ((64, 256, 32, 2048), (64, 256, 64, 2048), (128, 512, 32, 8192), (64, 1024, 32, 8192))
    ],
}
SIGNAL["paper"] = SIGNAL["standard"]


def cells(*sizes: tuple[int, int, int, int]) -> list[dict[str, Any]]:
    """Settings of (d, N, T, n)."""
    return [dict(zip(("d", "N", "T", "n"), size, strict=True)) for size in sizes]


# In long contexts the labels' fluctuations are all of the spread: other terms fall off with T.
NOISE = {
    "quick": cells((32, 128, 512, 1024)),
    "standard": cells((64, 256, 1024, 2048), (32, 512, 1024, 4096), (64, 512, 512, 2048), (128, 256, 1024, 2048)),
}
BALANCED = {"quick": cells((32, 128, 256, 1024)), "standard": cells((64, 256, 256, 2048), (64, 256, 1024, 2048))}
SAMPLES: dict[str, list[dict[str, Any]]] = {
    "quick": [{"d": 64, "N": 32, "T": 64, "few": 256, "many": 8192}],
    "standard": [{"d": 128, "N": 64, "T": 128, "few": 1024, "many": 32768}],
}


def slope(variable: str, sizes: tuple[int, ...], **rest: Any) -> list[dict[str, Any]]:
    """One size varied, the others fixed."""
    return [{**rest, variable: size} for size in sizes]


# Many sequences: at most N T/(n d) = 1 % of the signal is a sequence's own.
LENGTHS = {
    "quick": slope("T", (8, 16, 32, 64, 128), d=64, N=16, n=1024, of="signal"),
    "standard": slope("T", (8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256), d=64, N=16, n=8192, of="signal"),
}
# Beside the labels' fluctuations: N/(d T) and n/(d T^2) of the squared spread, below 1 % together.
SEQUENCES = {
    "quick": slope("n", (64, 128, 256, 512, 1024), d=16, N=64, T=512),
    "standard": slope("n", (64, 128, 256, 512, 1024, 2048, 4096), d=16, N=64, T=512),
}
# d/N, which is left out, is 3 % at the most.
DIMENSIONS = {
    "quick": slope("d", (8, 16, 32, 64), N=2048, T=2048, n=64),
    "standard": slope("d", (8, 12, 16, 24, 32, 48, 64, 96, 128), N=4096, T=4096, n=128),
}
for grid in (NOISE, BALANCED, SAMPLES, LENGTHS, SEQUENCES, DIMENSIONS):
    grid["paper"] = grid["standard"]

CLAIM = Claim(
    id="attention-learnability",
    simulation="Sequences of T uniform tokens with the trigger's embedding added at one of them, whose token decides the label; "
    "one step on the values at uniform attention, one on the attention vector w, both written out from their definition. A "
    "sequence enters by how often each token occurs in it. Signal: the score w.e_trig; noise: the spread of the other tokens' "
    "scores. The third step is one on the values with attention on the largest score.",
    unmeasured=(
        "The threshold in d itself: signal and noise, whose ratio it is made of, are measured instead, with their slopes in T, n "
        "and d, and that very many sequences make a long context learnable.",
    ),
    notes=(
        "The quick grid and runs of `noise` were changed after two inconclusive looks and a wrong law that was not refuted. "
        "Repeated once with a seed that nobody had seen (417): supported at quick (measured over predicted 1.013, 95 % interval "
        "0.984 to 1.042), inconclusive at standard (within 10 % at 2 of 4 points; 1.08, 1.04 to 1.12, where d is N/2).",
        "At standard the runs of `sharp` were cut from 512 to 160 for their cost, before that seed was run.",
        "The quick grid of `noise-in-d` was moved from N = 512 to 2048 after two quick looks (exponents -1.37 and -1.35, not "
        "refuted): d/N, which the law leaves out, was up to an eighth there. Its grid at standard is as first declared.",
        "The slopes at standard, run once, with seed 417: `signal-in-T` -2.006 (98 % interval -2.045 to -1.974) and `noise-in-n` "
        "-1.004 (-1.029 to -0.981), supported; `noise-in-d` -1.469 (-1.530 to -1.420), inconclusive. With seed 905 the same parts "
        "were supported and open, and `noise` again: within 10 % at 3 of 4 points, 1.13 (1.09 to 1.17) where d is N/2.",
    ),
    parts=(
        part(
            "sharp",
            kind="constant",
            law=laws["attention-learnability:signal"],
            experiment=attention_spread_experiment,
            statement="The trigger's score after the second step is (1/(N T^2))[1 + (N/n)(1 + T/d)], to leading order.",
            grid=SIGNAL,
            replicas={"quick": 128, "standard": 160, "paper": 512},
            margin=0.1,
        ),
        part(
            "noise",
            kind="constant",
            law=laws["attention-learnability:noise"],
            experiment=attention_spread_experiment,
            statement="In long contexts the tokens' scores are spread by (1/(n sqrt(d N)))(1/d + 1/N), to leading order.",
            grid=NOISE,
            replicas={"quick": 512, "standard": 160, "paper": 160},
            margin=0.1,
        ),
        part(
            "signal-in-T",
            kind="rate",
            law=laws["attention-learnability:signal-many"],
            experiment=attention_spread_experiment,
            statement="With many sequences the signal falls like T^-2.",
            grid=LENGTHS,
            replicas={"quick": 16, "standard": 256, "paper": 256},
            variable="T",
            margin=0.05,
            # The mean over the context takes away a share 1/T: an eighth at the smallest.
            families=("power", "corrected"),
            kappa=(-0.25, 0.25),
        ),
        part(
            "noise-in-n",
            kind="rate",
            law=laws["attention-learnability:noise-narrow"],
            experiment=attention_spread_experiment,
            statement="In long contexts the spread of the tokens' scores falls like 1/n.",
            grid=SEQUENCES,
            replicas={"quick": 48, "standard": 2048, "paper": 2048},
            variable="n",
            margin=0.05,
            families=("power", "corrected"),
            kappa=(-0.1, 0.1),
        ),
        part(
            "noise-in-d",
            kind="rate",
            law=laws["attention-learnability:noise-narrow"],
            experiment=attention_spread_experiment,
            statement="In long contexts and fewer dimensions than tokens the spread falls like d^(-3/2).",
            grid=DIMENSIONS,
            replicas={"quick": 32, "standard": 768, "paper": 768},
            variable="d",
            margin=0.05,
            # At the smallest d: N/(2 d T) = 6 % more, and 3/(4 d) = 9 % less from the mean length of d normals and from the
            # trigger's direction, which is taken out.
            families=("power", "corrected"),
            kappa=(-0.25, 0.25),
        ),
        part(
            "balanced",
            kind="order",
            law=laws["attention-learnability:balanced"],
            experiment=balanced_spread_experiment,
            statement="Balanced labels spread the tokens' scores less.",
            grid=BALANCED,
            replicas={"quick": 20, "standard": 24, "paper": 24},
        ),
        part(
            "more-samples",
            kind="order",
            law=laws["attention-learnability:more-samples"],
            experiment=more_samples_experiment,
            statement="After the third step a long context is learnt better from many sequences than from few.",
            grid=SAMPLES,
            replicas={"quick": 20, "standard": 24, "paper": 24},
        ),
    ),
)
