"""score-variance: the variance of u_y . W e_z over random embeddings, exact, and the bound of the talks."""

from functools import partial
from typing import Any

from asymp.montecarlo.samplers.scores.score_variance import score_variance_experiment
from asymp.reports.claims.scores import PAIRS, score_values
from asymp.reports.declaring import Bound, Claim, Grid, Identity, Setting, laws


def cell(N: int, M: int, d: int, rho: float, y: int, e: str = "gaussian", u: str = "gaussian") -> dict[str, Any]:
    """A setting of the experiment: the score of output y at the input z = 1, whose target is 1 mod M."""
    return {"alpha": 1.0, "N": N, "M": M, "d": d, "rho": rho, "z": 1, "y": y, "inputs": e, "outputs": u}


def counts(setting: Setting) -> dict[str, Any]:
    """n_y and n_other of a setting: how many inputs have target y, and how many another."""
    n_y = sum(x % setting["M"] == setting["y"] for x in range(1, int(setting["N"]) + 1))
    return {"d": setting["d"], "n_y": n_y, "n_other": setting["N"] - n_y}


bound = partial(
    Bound, law=laws["score-variance:source"], experiment=score_variance_experiment, to_law=counts, along="d"
)

CLAIM = Claim(
    id="score-variance",
    title="Variance of a score under random embeddings",
    source="bietti2025, bietti2024",
    order=2,
    parts=(
        bound(
            "source",
            "The variance of the score of an output y is at most of the order n_y/d + n_other/d^2, where n_y inputs "
            "have the answer y and n_other inputs have another.",
            grid=Grid([cell(N, M, d, 0.0, y) for N, M in ((12, 4), (40, 4)) for d in (8, 64) for y in (1, 0)]),
        ),
        Identity(
            "sharp",
            "The variance of a score is a polynomial in 1/d, found by Wick contraction: exact in every dimension, for "
            "the right answer and for a wrong one.",
            law=laws["score-variance"],
            experiment=score_variance_experiment,
            # Each pair of laws is measured once: the target at one size, another output at the other.
            grid=Grid(
                [
                    *(cell(12, 4, 16, 0.0, 1, e, u) for e, u in PAIRS[::2]),
                    *(cell(24, 3, 32, 0.5, 0, e, u) for e, u in PAIRS[1::2]),
                ]
            ),
            to_law=score_values,
        ),
        bound(
            "source-empty-output",
            "The bound also holds for an answer that no input has, when there are fewer inputs than dimensions.",
            # Inputs 1..N and M = N + 1 outputs: nothing maps to output 0.
            grid=Grid([cell(N, N + 1, d, 0.0, 0) for N in (2, 4) for d in (16, 256)]),
            erratum=laws["score-variance:source"].errata[0],
        ),
    ),
)
