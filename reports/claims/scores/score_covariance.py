"""score-covariance: of two scores of one memory only four kinds of pairs vary together."""

from functools import partial
from typing import Any

from asymp.montecarlo.samplers.scores.score_covariance import score_covariance_experiment
from asymp.reports.claims.scores import PAIRS, score_values
from asymp.reports.declaring import Claim, Grid, Identity, Setting, laws

G, S = "gaussian", "sphere"
# With M = 4 and f(x) = x mod 4: z, z', y, y' whose outputs y, y', f(z), f(z') coincide as the letters do.
QUERIES = {
    "aaaa": (1, 5, 1, 1), "abab": (1, 2, 1, 2), "aabb": (1, 5, 0, 0), "abba": (1, 2, 2, 1), "aaab": (1, 2, 1, 1),
    "aaba": (1, 2, 2, 2), "aabc": (1, 2, 0, 0), "abaa": (1, 5, 1, 0), "abac": (1, 2, 1, 0), "abbb": (1, 5, 0, 1),
    "abbc": (1, 2, 0, 1), "abca": (1, 2, 2, 0), "abcb": (1, 2, 0, 2), "abcc": (1, 5, 0, 2), "abcd": (1, 2, 0, 3),
}  # fmt: skip
UNRELATED = [pattern for pattern in QUERIES if pattern not in ("aaaa", "abab", "aabb", "abba")]


def cell(queries: tuple[int, int, int, int], N: int, d: int, e: str, u: str) -> dict[str, Any]:
    """A setting of the experiment; the weights, as x^(-1/4), differ a little."""
    z, z_prime, y, y_prime = queries
    return {
        "alpha": 1, "N": N, "M": 4, "d": d, "rho": 0.25, "z": z, "z_prime": z_prime, "y": y, "y_prime": y_prime,
        "inputs": e, "outputs": u, "draws": 2,
    }  # fmt: skip


def pattern(setting: Setting) -> str:
    """Which of y, y', f(z), f(z') are equal, as letters."""
    outputs = (setting["y"], setting["y_prime"], setting["z"] % setting["M"], setting["z_prime"] % setting["M"])
    seen: dict[int, str] = {}
    return "".join(seen.setdefault(output, "abcd"[len(seen)]) for output in outputs)


def values(setting: Setting) -> dict[str, Any]:
    """What the laws of a covariance are functions of."""
    q_prime = score_values(setting, "z_prime", "y_prime")["q"]
    return {**score_values(setting), "q_prime": q_prime, "pattern": pattern(setting)}


def scale(setting: Setting) -> float:
    """The product of the two standard deviations: where there is no covariance, the margin is one of the correlation."""
    law = laws["score-variance"]
    both = law(**score_values(setting)) * law(**score_values(setting, "z_prime", "y_prime"))
    return float(both**0.5)


identity = partial(Identity, experiment=score_covariance_experiment, to_law=values)

CLAIM = Claim(
    id="score-covariance",
    title="Covariance of two scores of one memory",
    source="asymp, Wick contraction",
    order=3,
    parts=(
        identity(
            "sharp",
            "For two inputs, the covariance of two scores is the one that Wick contraction gives, in the four cases where it is "
            "not zero.",
            law=laws["score-covariance"],
            # Two right scores of different classes share only 1/d^2, far below their variances: few dimensions, few
            # inputs, and the sphere, on which scores fluctuate least.
            grid=Grid(
                [
                    cell(QUERIES["aaaa"], 6, 16, G, G),
                    cell(QUERIES["aaaa"], 6, 8, S, S),
                    cell(QUERIES["abab"], 2, 2, S, S),
                    cell(QUERIES["aabb"], 5, 8, G, S),
                    cell(QUERIES["abba"], 4, 8, S, G),
                ]
            ),
        ),
        identity(
            "uncorrelated",
            "For two inputs, all other pairs of scores are uncorrelated.",
            law=laws["score-covariance"],
            grid=Grid([cell(QUERIES[name], 6, 8, *PAIRS[i % 4]) for i, name in enumerate(UNRELATED)]),
            scale=scale,
        ),
        identity(
            "same-input",
            "For one input, the scores of two different answers are uncorrelated.",
            law=laws["score-covariance:same-input"],
            grid=Grid([cell((1, 1, 1, 0), 6, 8, G, G), cell((1, 1, 0, 2), 6, 8, S, S)]),
            scale=scale,
        ),
    ),
)
