"""weighted-associations: a matrix of weighted associations gives each weight back, as long as it is not crowded."""

from functools import partial
from typing import Any

from asymp.montecarlo.samplers.scores import weighted_associations as sampled
from asymp.reports.claims.scores import PAIRS
from asymp.reports.declaring import Claim, Constant, Grid, Identity, Setting, laws


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


identity = partial(Identity, experiment=sampled.weighted_score_experiment, to_law=values, scale=unit)
constant = partial(
    Constant, law=laws["weighted-associations:source"], experiment=sampled.weighted_score_experiment, to_law=values
)

CLAIM = Claim(
    id="weighted-associations",
    title="Scores of weighted associations",
    source="bietti2025, bietti2024",
    order=6,
    parts=(
        identity(
            "source",
            "The mean score of an input and an output is the weight of their association, and 0 if they have none, also when "
            "inputs have several outputs.",
            law=laws["weighted-associations:source"],
            grid=Grid([cell(12, 6, 64, 3, lag, power=1) for lag in (0, 2, 4)]),
        ),
        identity(
            "sharp",
            "The mean score is the weight exactly, in few dimensions too, for gaussian embeddings and for embeddings on the "
            "sphere.",
            law=laws["weighted-associations"],
            grid=crossed(0, 1, 2, 4, power=1),
        ),
        Identity(
            "variance",
            "The variance of a score depends on three sums of squared weights only: those of the input, of the output and of "
            "all associations.",
            law=laws["weighted-associations:variance"],
            experiment=sampled.weighted_variance_experiment,
            grid=crossed(0, 1, 4, 0),
            to_law=values,
        ),
        constant(
            "source-roomy",
            "When the dimension is large enough for the associations, the mean square of a score is the squared weight within "
            "10 %: every single score is close to its weight.",
            # Nearly orthonormal: A/d^2 + (R_z + C_y)/d is below 3 % of the squared weight, so the score is close to it.
            grid=Grid([cell(12, 6, 512, 3, 0, power=2)]),
        ),
        constant(
            "source-crowded",
            "Single scores are still close to the weights when there are more associations than the dimension can hold.",
            grid=Grid([cell(100, 10, 32, 4, 0, power=2), cell(200, 10, 32, 4, 2, power=2)]),
            erratum=laws["weighted-associations:source"].errata[0],
        ),
    ),
)
