"""three-gradient-steps: one gradient step each on W_OV^2, W_KQ^2 and W_KQ^1 recovers the memories of an induction head."""

from typing import Any

from asymp.montecarlo.transformers.three_steps import step_entry_experiment, three_step_accuracy_experiment
from asymp.montecarlo.transformers.three_steps_trained import simplified_gain_experiment, width_gain_experiment
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
SIMPLIFIED: Grid = {
    "quick": [{"N": 8, "T": 6, "free": "everything", "sequences": 2**12}],
    "standard": [{"N": 16, "T": 8, "free": free, "sequences": 2**15} for free in ("everything", "keys")],
}
WIDTH: Grid = {
    "quick": [{"N": 16, "T": 6, "d": 256, "less": 8, "sequences": 2**12}],
    "standard": [{"N": 32, "T": 8, "d": 512, "less": 16, "sequences": 2**14}],
}
for grid in (ONE, TWO, THREE, ACCURACY, SIMPLIFIED, WIDTH):
    grid["paper"] = grid["standard"]

CLAIM = Claim(
    id="three-gradient-steps",
    simulation="Infinite width: embeddings are disjoint one-hot blocks, layer 1 scores positions and layer 2 compares the last "
    "token with what layer 1 carried. Sequences are sampled, the gradient of the loss at the last position is taken by automatic "
    "differentiation; steps already made are put in to first order. The last two parts take the steps, on sampled sequences, and "
    "amplify them; at finite width embeddings are random.",
    notes=(
        "In trials layer 1 lost nothing by scoring tokens besides positions; keys of layer 2 that see the whole residual stream "
        "cost about a tenth of the accuracy, and with queries and values that see it too, most of it.",
    ),
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
            replicas={"quick": 64, "standard": 128, "paper": 256},
            margin=0.1,
        ),
        part(
            "simplifications",
            kind="order",
            law=laws["three-gradient-steps:simplified"],
            experiment=simplified_gain_experiment,
            statement="Without the theorem's simplifications the three steps recover less.",
            grid=SIMPLIFIED,
            # Eight could support the order and none of them refute it at this budget.
            replicas={"quick": 24, "standard": 24, "paper": 24},
        ),
        part(
            "finite-width",
            kind="order",
            law=laws["three-gradient-steps:width"],
            experiment=width_gain_experiment,
            statement="With random embeddings the three steps recover more in many dimensions than in few.",
            grid=WIDTH,
            replicas={"quick": 24, "standard": 24, "paper": 24},
        ),
    ),
)
