"""factual-recall-attention: facts stored by attention alone need d of the order of relations plus answers."""

from typing import Any

from asymp.montecarlo.transformers.facts_by_hand import logit_variance_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]


def cells(
    sizes: tuple[tuple[int, int, int], ...], outputs: tuple[str, ...], laws_of: tuple[str, ...]
) -> list[dict[str, Any]]:
    """Logits of one construction."""
    return [
        {"R": R, "D": D, "d": d, "output": output, "embeddings": law}
        for R, D, d in sizes
        for output in outputs
        for law in laws_of
    ]


ALL = ("other", "answer", "relation", "subject")
EXACT = {
    "quick": cells(((6, 4, 16),), ALL, ("gaussian",)) + cells(((6, 4, 16),), ("other",), ("sphere",)),
    "standard": cells(((6, 4, 16), (12, 8, 32)), ALL, ("gaussian", "sphere")),
}
# The leading order leaves out 2/d: a tenth of it from R + D = 20 on.
LARGE = {
    "quick": cells(((24, 12, 32),), ("other",), ("gaussian",)),
    "standard": cells(((24, 12, 32), (40, 20, 64)), ("other",), ("gaussian",)),
}
for grid in (EXACT, LARGE):
    grid["paper"] = grid["standard"]

CLAIM = Claim(
    id="factual-recall-attention",
    simulation="Weights by hand with both leaks closed: the active heads write the sums of the answers of the subject and of the "
    "relation, and the logit of an answer is read; variances are half the squared difference between two draws.",
    notes=(
        "The margin of the construction is 1, so that its variance (R + D)/d says what d is needed. Trained models, the wall at "
        "H d_h = S + R and which of the two talks' conditions holds are not measured here.",
    ),
    parts=(
        part(
            "source",
            kind="constant",
            law=laws["factual-recall-attention:leading"],
            experiment=logit_variance_experiment,
            statement="The noise of a wrong answer's logit is (R + D)/d: d of the order of R + D is needed.",
            grid=LARGE,
            replicas={"quick": 2**13, "standard": 2**16, "paper": 2**16},
            margin=0.1,
        ),
        part(
            "sharp",
            kind="identity",
            law=laws["factual-recall-attention"],
            experiment=logit_variance_experiment,
            statement="The variance of every kind of logit is that of the contraction, exactly.",
            grid=EXACT,
            replicas={"quick": 2**15, "standard": 2**18, "paper": 2**18},
            margin=0.02,
        ),
    ),
)
