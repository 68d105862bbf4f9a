"""score-variance: the variance of u_y . W e_z over random embeddings, exact, and the bound of the talks."""

from typing import Any

from asymp.montecarlo.samplers.scores.score_variance import score_variance_experiment
from asymp.reports.claim import Claim
from asymp.reports.claims.scores import PAIRS, score_values
from asymp.reports.grid import Grid, Setting
from asymp.reports.kinds import Bound, Identity
from asymp.theory import laws

# The constant that '<~' hides: the exact variance over the source's expression is at most 8 for outputs with inputs.
HIDDEN = 8.0


def cell(N: int, M: int, d: int, rho: float, y: int, e: str = "gaussian", u: str = "gaussian") -> dict[str, Any]:
    """A setting of the experiment: the score of output y at the input z = 1, whose target is 1 mod M."""
    return {"alpha": 1.0, "N": N, "M": M, "d": d, "rho": rho, "z": 1, "y": y, "inputs": e, "outputs": u}


def counts(setting: Setting) -> dict[str, Any]:
    """n_y and n_other of a setting: how many inputs have target y, and how many another."""
    n_y = sum(x % setting["M"] == setting["y"] for x in range(1, int(setting["N"]) + 1))
    return {"d": setting["d"], "n_y": n_y, "n_other": setting["N"] - n_y}


CLAIM = Claim(
    id="score-variance",
    title="Variance of a score under random embeddings",
    source="bietti2025, bietti2024",
    order=2,
    parts=(
        Bound(
            "source",
            "The variance is at most a constant (taken as 8) times n_y/d + n_other/d^2, for outputs with inputs.",
            law=laws["score-variance:source"],
            experiment=score_variance_experiment,
            grid=Grid([cell(N, M, d, 0.0, y) for N, M, d in ((12, 4, 8), (40, 4, 16), (12, 3, 64)) for y in (1, 0)]),
            to_law=counts,
            constant=HIDDEN,
        ),
        Identity(
            "sharp",
            "The variance equals the Wick contraction at finite d, for all four laws of the embeddings, "
            "at the target and at another output.",
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
        Bound(
            "source-empty-output",
            "The same bound at an output that no input maps to, with fewer inputs than dimensions.",
            law=laws["score-variance:source"],
            experiment=score_variance_experiment,
            # Inputs 1..N and M = N + 1 outputs: nothing maps to output 0.
            grid=Grid([cell(N, N + 1, d, 0.0, 0) for N, d in ((2, 64), (4, 128), (8, 256))]),
            to_law=counts,
            constant=HIDDEN,
            erratum=laws["score-variance:source"].errata[0],
        ),
    ),
)
