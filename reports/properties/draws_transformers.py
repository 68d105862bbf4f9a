"""How settings of the claims on transformers (section 5) are drawn, where not as usual."""

from asymp.reports.properties.exception import Cell, Draws, few, nightly

__all__ = ["DRAWS"]


def _balanced(cell: Cell) -> Cell:
    """As many subjects with each answer, and more subjects than relations."""
    D = cell["D"]
    return {**cell, "S": D * max(1, -(-max(cell["S"], 4 * cell["R"]) // D))}


FLOW = "answers are balanced; 'many subjects' are four times the relations and more, and the flow takes long in many dimensions"
FLOW_SIZES: dict[str, tuple[float, float] | None] = {"S": (8, 24), "R": (2, 4), "D": (2, 8)}
SEQUENCES = (
    "n sequences of T tokens are drawn: seconds at ten times the grid's sizes; the signal's law is one of long contexts"
)
TRAINED = "models are trained at sizes at which a few steps are enough: seconds a setting"

DRAWS: Draws = {
    ("induction-head", "two-layers"): few(
        1, 4, trained=True, reason=TRAINED, ranges={"N": (8, 16), "T": None, "K": (2, 5), "d": (48, 96)}
    ),
    ("induction-head", "*"): nightly(10),
    ("induction-probes", "adam"): few(
        5, 8, trained=True, reason=TRAINED, ranges={"N": (8, 16), "T": None, "K": (2, 5), "d": (48, 96)}
    ),
    ("induction-probes", "*"): nightly(5),
    ("induction-weights", "source"): few(2, 4, ranges={"d": (256, 1024)}),
    ("induction-weights", "dimension"): few(
        0, 4, reason="a sweep over d takes half a minute: the nightly profile draws them"
    ),
    ("induction-weights", "sharp"): few(28, ranges={"c": (1, 20), "t": (2, 20)}, reason="whole numbers, both drawn"),
    ("three-gradient-steps", "sharp"): few(20, 16, ranges={"N": (4, 64), "T": (5, 50)}),
    ("three-gradient-steps", "step-one"): few(4, 4),
    ("three-gradient-steps", "step-two"): few(1, 4),
    ("three-gradient-steps", "step-three"): few(0, 4, reason="five seconds a setting: the nightly profile draws them"),
    ("three-gradient-steps", "*"): nightly(5),
    ("global-before-context", "source"): few(14, 8),
    ("global-before-context", "sharp"): few(14),
    ("global-before-context", "attention-samples"): few(1, 16),
    ("global-before-context", "feed-forward-samples"): few(1, 16),
    ("global-before-context", "*"): nightly(5),
    ("attention-learnability", "sharp"): few(
        2, 8, ranges={"d": (32, 128), "N": (128, 512), "T": (32, 100), "n": (1024, 4096)}, reason=SEQUENCES
    ),
    ("attention-learnability", "noise"): few(
        2, 8, ranges={"d": (32, 128), "N": (128, 512), "T": (512, 1024), "n": (1024, 2048)}, reason=SEQUENCES
    ),
    ("attention-learnability", "signal-in-T"): few(
        1, 16, ranges={"d": (48, 128), "N": (8, 24), "n": (1024, 4096)}, reason=SEQUENCES
    ),
    ("attention-learnability", "noise-in-n"): few(
        1, 16, ranges={"d": (12, 24), "N": (48, 96), "T": (512, 1024)}, reason=SEQUENCES
    ),
    ("attention-learnability", "noise-in-d"): few(
        1, 8, ranges={"N": (2048, 4096), "T": (2048, 4096), "n": (32, 64)}, reason=SEQUENCES
    ),
    ("attention-learnability", "balanced"): few(
        20, 8, ranges={"d": (16, 160), "N": (32, 320), "T": (64, 640), "n": (256, 2048)}, reason=SEQUENCES
    ),
    ("attention-learnability", "more-samples"): few(1, 8, ranges={"d": None, "N": None, "T": None}, reason=SEQUENCES),
    ("attention-learnability", "*"): nightly(5),
    ("factual-recall-attention", "source"): few(4, 64, ranges={"R": (24, 60), "D": (12, 24), "d": (32, 100)}),
    ("factual-recall-attention", "sharp"): few(26, 64, ranges={"R": (4, 40), "D": (2, 20), "d": (8, 80)}),
    ("factual-recall-attention", "*"): nightly(3),
    ("factual-recall-mlp", "source"): few(1, 4),
    ("factual-recall-mlp", "sharp"): few(28),
    ("factual-recall-mlp", "*"): nightly(3),
    ("hallucination-phase", "source"): few(2, 2, trained=True, fit=_balanced, ranges=FLOW_SIZES, reason=FLOW),
    ("hallucination-phase", "sharp"): few(2, 2, trained=True, fit=_balanced, ranges=FLOW_SIZES, reason=FLOW),
    ("hallucination-phase", "conserved"): few(1, 2, trained=True, fit=_balanced, ranges=FLOW_SIZES, reason=FLOW),
    ("hallucination-phase", "source-few"): few(
        1, 2, trained=True, ranges={"S": None, "R": (12, 16), "D": None}, reason=FLOW
    ),
    ("k-hop", "sharp"): few(60, ranges={"K": (1, 64)}, reason="K alone is drawn, beyond the grid"),
    ("k-hop", "doubling"): few(28, ranges={"K": (1, 64)}, reason="K alone is drawn, beyond the grid"),
    ("k-hop", "*"): nightly(5),
    ("in-context-denoising", "sharp"): few(24, 4),
    ("in-context-denoising", "*"): nightly(5),
}
