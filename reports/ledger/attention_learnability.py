"""attention-learnability: what two gradient steps teach attention about one planted token."""

from typing import Any

from asymp.montecarlo.transformers.learnability import learned_attention_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

# Leading order in T: the mean over the context takes away a share 1/T of the signal.
SIGNAL: dict[str, list[dict[str, Any]]] = {
    "quick": [{"d": 64, "N": 256, "T": 32, "n": 2048}],
    "standard": [
        {"d": d, "N": N, "T": T, "n": n}
        for d, N, T, n in ((64, 256, 32, 2048), (64, 256, 64, 2048), (128, 512, 32, 8192), (64, 1024, 32, 8192))
    ],
}
SIGNAL["paper"] = SIGNAL["standard"]

CLAIM = Claim(
    id="attention-learnability",
    simulation="Sequences of T uniform tokens with the trigger's embedding added at one of them, whose token decides the label; "
    "one step on the values at uniform attention, one on the attention vector w, both written out from their definition; the "
    "score w.e_trig is read.",
    notes=(
        "Only the signal is measured here. The spread of the other tokens' scores, the threshold in d, balanced labels and the "
        "accuracy after the third step are not.",
    ),
    parts=(
        part(
            "sharp",
            kind="constant",
            law=laws["attention-learnability:signal"],
            experiment=learned_attention_experiment,
            statement="The trigger's score after the second step is (1/(N T^2))[1 + (N/n)(1 + T/d)], to leading order.",
            grid=SIGNAL,
            replicas={"quick": 128, "standard": 512, "paper": 512},
            margin=0.1,
        ),
    ),
)
