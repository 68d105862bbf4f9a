"""weighted-associations: a matrix of weighted associations gives each weight back, as long as it is not crowded."""

from typing import Any

from asymp.montecarlo.samplers.scores.weighted_associations import (
    weighted_score_experiment,
    weighted_variance_experiment,
)
from asymp.reports.claim import Claim
from asymp.reports.claims.scores import PAIRS
from asymp.reports.grid import Grid, Setting
from asymp.reports.kinds import Constant, Identity
from asymp.theory import laws


def cell(N: int, M: int, d: int, k: int, lag: int, laws: tuple[str, str] = PAIRS[0], **more: Any) -> dict[str, Any]:
    """A setting: each of N inputs with k of M outputs, weights 1, 1/2, ..., 1/k; lag >= k is no association."""
    embeddings = dict(zip(("inputs", "outputs"), laws, strict=True))
    return {"N": N, "M": M, "d": d, "k": k, "decay": 1, "lag": lag, "z": 1, **embeddings, **more}


def values(setting: Setting) -> dict[str, Any]:
    """The weight that is read and the sums of squares of its row, its column and all, from the definition."""
    N, M, k = int(setting["N"]), int(setting["M"]), int(setting["k"])
    weights = {(x, (x + j) % M): (1 + j) ** -float(setting["decay"]) for x in range(1, N + 1) for j in range(k)}
    z, y = setting["z"], (setting["z"] + setting["lag"]) % M
    return {
        **{name: setting[name] for name in ("d", "inputs", "outputs")},
        "a_zy": weights.get((z, y), 0.0),
        "R_z": sum(a**2 for (x, _), a in weights.items() if x == z),
        "C_y": sum(a**2 for (_, w), a in weights.items() if w == y),
        "A": sum(a**2 for a in weights.values()),
        "moment": "second" if setting.get("power") == 2 else "first",
    }


def crossed(*lags: int, **more: Any) -> Grid:
    """A lag for each of the four pairs of laws of the embeddings."""
    return Grid([cell(12, 6, 16, 3, lag, pair, **more) for pair, lag in zip(PAIRS, lags, strict=True)])


def unit(setting: Setting) -> float:
    """The largest weight, 1: a pair that is no association has the mean 0."""
    return 1.0


CLAIM = Claim(
    id="weighted-associations",
    title="Scores of weighted associations",
    source="bietti2025, bietti2024",
    order=6,
    parts=(
        Identity(
            "source",
            "The score of an input with an output is on average the weight of their association, 0 if there is "
            "none, many to many.",
            law=laws["weighted-associations:source"],
            experiment=weighted_score_experiment,
            grid=Grid([cell(12, 6, 64, 3, lag, power=1) for lag in (0, 2, 4)]),
            to_law=values,
            scale=unit,
        ),
        Identity(
            "sharp",
            "The mean is the weight exactly, at small d too, for all four laws of the embeddings.",
            law=laws["weighted-associations"],
            experiment=weighted_score_experiment,
            grid=crossed(0, 1, 2, 4, power=1),
            to_law=values,
            scale=unit,
        ),
        Identity(
            "variance",
            "The variance equals the Wick contraction, in the squared weights of the input, of the output and of all.",
            law=laws["weighted-associations:variance"],
            experiment=weighted_variance_experiment,
            grid=crossed(0, 1, 4, 0),
            to_law=values,
        ),
        Constant(
            "source-roomy",
            "With room to spare, A/d^2 + (R_z + C_y)/d far below a_zy^2, the mean square of the score is a_zy^2 "
            "within 10 %: every memory's score is about the weight.",
            law=laws["weighted-associations:source"],
            experiment=weighted_score_experiment,
            # Nearly orthonormal: A/d^2 + (R_z + C_y)/d is below 3 % of the squared weight, so the score is close to it.
            grid=Grid([cell(12, 6, 512, 3, 0, power=2)]),
            to_law=values,
        ),
        Constant(
            "source-crowded",
            "The same with more associations than the dimensions hold.",
            law=laws["weighted-associations:source"],
            experiment=weighted_score_experiment,
            grid=Grid([cell(100, 10, 32, 4, 0, power=2), cell(200, 10, 32, 4, 2, power=2)]),
            to_law=values,
            erratum=laws["weighted-associations:source"].errata[0],
        ),
    ),
)
