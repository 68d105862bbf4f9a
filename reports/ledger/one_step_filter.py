"""one-step-filter: one gradient step finds what decides the output and filters out the noise added to it."""

from typing import Any

from asymp.montecarlo.gradients.one_step import one_step_score_experiment, one_step_spread_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

G, S = "gaussian", "sphere"


def noisy(d: int, N: int, T: int, law: str = G, output: str = "target") -> dict[str, Any]:
    """N tokens, each with each of T noise vectors."""
    return {"d": d, "N": N, "T": T, "eta": 2.0, "output": output, "inputs": law, "outputs": law}


QUICK = [noisy(32, 20, 4), noisy(32, 20, 4, S)]
STANDARD = [noisy(d, N, T, law) for d in (16, 64) for N in (10, 30) for T in (1, 8) for law in (G, S)]
# What the source leaves out is a share 1/N of the score: at N = 10 that is the margin itself, which nothing can decide.
ENOUGH = [noisy(d, N, T, law) for d in (16, 64) for N in (20, 30) for T in (1, 8) for law in (G, S)]
QUICK_SPREAD = [noisy(16, 10, 3), noisy(16, 10, 3, S, "other")]
SPREAD = [noisy(d, 10, 3, law, o) for d in (8, 32) for law in (G, S) for o in ("target", "other")]

CLAIM = Claim(
    id="one-step-filter",
    simulation="Inputs e_y + p_t, every token y with every noise vector p_t; the population loss is differentiated once at "
    "W = 0, one step is taken, and the score of the token with a noise vector is read.",
    parts=(
        part(
            "source",
            kind="constant",
            law=laws["one-step-filter:source"],
            experiment=one_step_score_experiment,
            statement="A step of size eta leaves the score eta/N at the token's own output, whatever the noise.",
            grid={"quick": QUICK, "standard": ENOUGH, "paper": ENOUGH},
            replicas={"quick": 2048, "standard": 2**14, "paper": 2**14},
            # The stated remainder is eta/N^2: a share of 1/N of the score, a twentieth at the smallest N.
            margin=0.1,
        ),
        part(
            "sharp",
            kind="identity",
            law=laws["one-step-filter"],
            experiment=one_step_score_experiment,
            statement="The mean score is (eta/N)(1{y = k} - 1/N) exactly, at every d and for every number of noise vectors.",
            grid={"quick": QUICK, "standard": STANDARD, "paper": STANDARD},
            replicas={"quick": 8192, "standard": 2**15, "paper": 2**15},
            margin=0.02,
        ),
        part(
            "variance",
            kind="identity",
            law=laws["one-step-filter:variance"],
            experiment=one_step_spread_experiment,
            statement="The variance of a score is that of the contraction, at every d.",
            grid={"quick": QUICK_SPREAD, "standard": SPREAD, "paper": SPREAD},
            replicas={"quick": 8192, "standard": 2**15, "paper": 2**15},
            margin=0.02,
        ),
    ),
)
