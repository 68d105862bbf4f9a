"""three-gradient-steps: one gradient step each on W_OV^2, W_KQ^2 and W_KQ^1 recovers the memories of an induction head."""

from typing import Any

from asymp.montecarlo.transformers.three_steps import step_entry_experiment, three_step_accuracy_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

Grid = dict[str, list[dict[str, Any]]]


def entries(matrix: str, sizes: tuple[tuple[int, int], ...], which: tuple[str, ...]) -> list[dict[str, Any]]:
    """Entries of one matrix's step."""
    return [{"N": N, "T": T, "matrix": matrix, "entry": entry} for N, T in sizes for entry in which]


BOTH = ("diagonal", "off")
ONE: Grid = {
    "quick": entries("OV2", ((8, 6), (16, 8)), BOTH),
    "standard": entries("OV2", ((8, 6), (16, 8), (32, 16)), BOTH),
}
TWO: Grid = {
    "quick": entries("KQ2", ((8, 6),), ("diagonal",)),
    "standard": entries("KQ2", ((8, 6), (12, 8), (16, 12)), ("diagonal",)),
}
THREE: Grid = {
    "quick": [{"N": 64, "T": 8, "matrix": "KQ1", "t": 3}],
    "standard": [{"N": 128, "T": 8, "matrix": "KQ1", "t": t} for t in (2, 3, 6)],
}
ACCURACY: Grid = {
    "quick": [{"N": N, "T": T} for N, T in ((8, 6), (32, 12))],
    "standard": [{"N": N, "T": T} for N, T in ((4, 5), (8, 6), (32, 12), (64, 32))],
}
for grid in (ONE, TWO, THREE, ACCURACY):
    grid["paper"] = grid["standard"]

CLAIM = Claim(
    id="three-gradient-steps",
    simulation="Infinite width: embeddings are disjoint one-hot blocks, layer 1 scores positions and layer 2 compares the last "
    "token with what layer 1 carried. Sequences are sampled, the gradient of the loss at the last position is taken by automatic "
    "differentiation; steps already made are put in to first order.",
    notes=("What happens at finite width and without the restrictions is not measured here.",),
    parts=(
        part(
            "sharp",
            kind="identity",
            law=laws["three-gradient-steps"],
            experiment=three_step_accuracy_experiment,
            statement="The ideal end state predicts the output with probability 1 - 1/(2(T-2)) - (T-5)/(2N(T-2)).",
            grid=ACCURACY,
            # In [0, 1] to 2 %, with no more assumed.
            replicas={"quick": 1024, "standard": 4096, "paper": 4096},
            margin=0.02,
        ),
        part(
            "step-one",
            kind="identity",
            law=laws["three-gradient-steps:step-one"],
            experiment=step_entry_experiment,
            statement="The first step writes (1/(N T))(1 - 1/N) on the diagonal of W_OV^2 and -1/(N^2 T) elsewhere.",
            grid=ONE,
            replicas={"quick": 128, "standard": 512, "paper": 512},
            margin=0.02,
        ),
        part(
            "step-two",
            kind="identity",
            law=laws["three-gradient-steps:step-two"],
            experiment=step_entry_experiment,
            statement="The second step writes the predicted diagonal of W_KQ^2, at every N.",
            grid=TWO,
            replicas={"quick": 512, "standard": 2048, "paper": 2048},
            margin=0.02,
            # First order in the steps before: their size, 1e-4.
            resolution=1e-3,
        ),
        part(
            "step-three",
            kind="constant",
            law=laws["three-gradient-steps:step-three"],
            experiment=step_entry_experiment,
            statement="The third step writes the predicted entries of W_KQ^1 from a position to the one before, N large.",
            grid=THREE,
            replicas={"quick": 64, "standard": 256, "paper": 256},
            margin=0.1,
        ),
    ),
)
