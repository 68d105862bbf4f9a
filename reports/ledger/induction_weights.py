"""induction-weights: an induction head written down as sums of outer products solves the task."""

from typing import Any

from asymp.montecarlo.transformers.by_hand_width import by_hand_gain_experiment
from asymp.montecarlo.transformers.induction import attention_by_hand_experiment, induction_by_hand_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

PRESETS = ("quick", "standard", "paper")
ONE_HOT = [{"c": c, "t": t} for c in (1.0, 5.0, 10.0) for t in (2, 16, 64)]


def sweep(dims: tuple[int, ...], **more: Any) -> list[dict[str, Any]]:
    """The same task in more and more dimensions."""
    return [{"d": d, **more} for d in dims]


WIDTHS: dict[str, list[dict[str, Any]]] = {
    "quick": [{"d": 64, "less": 16}],
    "standard": [{"d": d, "less": d // 4} for d in (32, 64, 128)]
    + [{"d": 256, "less": 64, "text": "shakespeare", "N": 65, "T": 32, "K": 5}],
}
WIDTHS["paper"] = WIDTHS["standard"]

CLAIM = Claim(
    id="induction-weights",
    simulation="Three matrices are set to sums of outer products of the model's own random embeddings, with no training; the "
    "accuracy is measured in context on fresh sequences. With one-hot embeddings (infinite width) the attention of the first "
    "layer is read.",
    parts=(
        part(
            "source",
            kind="bound",
            law=laws["induction-weights:solves"],
            experiment=induction_by_hand_experiment,
            statement="In enough dimensions the head by hand predicts at least 90 % of the determined tokens.",
            grid={
                "quick": sweep((256,)),
                "standard": sweep((256, 512)) + sweep((512,), text="shakespeare", N=65, T=32, K=5),
                "paper": sweep((256, 512, 1024)),
            },
            replicas={"quick": 32, "standard": 256, "paper": 256},
        ),
        part(
            "sharp",
            kind="identity",
            law=laws["induction-weights"],
            experiment=attention_by_hand_experiment,
            statement="At infinite width the first layer's attention to the previous position is 1/(1 + (t - 1) e^-c).",
            grid=dict.fromkeys(PRESETS, ONE_HOT),
            replicas=dict.fromkeys(PRESETS, 4),
            margin=1e-9,
        ),
        part(
            "dimension",
            kind="order",
            law=laws["induction-weights:width"],
            experiment=by_hand_gain_experiment,
            statement="The head by hand starts to work as the dimension grows: four times as many are better.",
            grid=WIDTHS,
            replicas=dict.fromkeys(PRESETS, 24),
        ),
    ),
)
