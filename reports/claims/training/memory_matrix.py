"""memory-matrix: the picture of the stored associations, softmax of the scores, inputs by outputs."""

from typing import Any

from asymp.montecarlo.samplers.training import memory_matrix as sampled
from asymp.reports.declaring import Bound, Claim, Entrywise, Grid, Identity, Order, Setting, laws, rows, settings
from asymp.reports.kinds.drawing import few_draws

# Fill, power and threshold weights; the last input is beyond the threshold and was never stored.
SCHEMES = rows("rho P scale", (0.0, 20, 3.0), (1.0, 20, 9.0), (0.5, 10, 5.0))
RANDOM = [
    setting
    for scheme in settings(rho=(0.0, 1.0), scale=3.0, embeddings=("gaussian", "sphere"))
    for setting in rows("N M d", (20, 5, 10), (100, 10, 50), **scheme)
]
# The memories of the figure: ten times as many samples of the same kind.
TRAINED = {"alpha": 1.0, "N": 30, "M": 5, "d": 30, "batch": 1, "lr": 1.0, "init": "zero", "memories": 20}


def longer(*samples: int) -> list[dict[str, Any]]:
    """Training on ten times each number of samples, against training on the number itself."""
    return [{**TRAINED, "first": {"T": 10 * T}, "second": {"T": T}} for T in samples]


def weight(params: Setting) -> dict[str, Any]:
    """q(x) by its definition."""
    x, rho = params["x"], params["rho"]
    p = x ** -params["alpha"] / sum(k ** -params["alpha"] for k in range(1, params["N"] + 1))
    return {"q": params["scale"] * p**rho if x <= params["P"] else 0.0, "M": params["M"]}


CLAIM = Claim(
    id="memory-matrix",
    title="Pictures of stored associations",
    source="cabannes2024",
    order=18,
    parts=(
        Entrywise(
            "source",
            "In the matrix of predicted probabilities, the largest entry of each row is the answer that the memory recalls.",
            law=laws["memory-matrix:agreement"],
            experiment=sampled.argmax_agreement_experiment,
            grid=Grid(RANDOM),
        ),
        Identity(
            "sharp",
            "With orthonormal embeddings the right answer has the probability 1/(1 + (M - 1) e^-q) in its row, for "
            "every choice of weights.",
            law=laws["memory-matrix:scheme"],
            experiment=sampled.target_mass_experiment,
            grid=Grid([s for scheme in SCHEMES for s in settings(N=20, M=(2, 5), x=(1, 7, 20), alpha=1.0, **scheme)]),
            to_law=weight,
            margin=1e-9,
        ),
        Bound(
            "mass",
            "The largest entry of a row is at least 1/M.",
            law=laws["memory-matrix:argmax"],
            experiment=sampled.argmax_mass_experiment,
            grid=Grid(RANDOM),
        ),
        Order(
            "training",
            "Training stores more and more associations: after ten times the samples the error is no larger, in at "
            "least three of four runs.",
            below=1,
            experiment=sampled.training_ratio_experiment,
            grid=Grid(longer(10, 100), paper=longer(10, 100, 1000)),
            quantity="E(10 T)/E(T)",
            about=("N", "d"),
            stated_in="cabannes2024, visualisations of stored associations",
            conventions="SGD with batch one and a step of 1 from W = 0.",
            draw=few_draws(
                3, 8, reason="memories are trained: d of N and more", ranges={"N": None, "M": None, "d": (30, 300)}
            ),
        ),
    ),
)
