"""weighted-associations: a matrix of weighted associations gives each weight back, as long as it is not crowded."""

from collections.abc import Mapping
from typing import Any

from asymp.montecarlo.scores.weighted import weighted_score_experiment, weighted_variance_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

Grid = dict[str, list[dict[str, Any]]]

G, S = "gaussian", "sphere"
LAWS_OF_EMBEDDINGS = [(e, u) for e in (G, S) for u in (G, S)]


def cell(N: int, M: int, d: int, k: int, lag: int, e: str = G, u: str = G, **more: Any) -> dict[str, Any]:
    """A setting: each of N inputs with k of M outputs, weights 1, 1/2, ..., 1/k; lag >= k is no association."""
    return {"N": N, "M": M, "d": d, "k": k, "decay": 1, "lag": lag, "z": 1, "inputs": e, "outputs": u, **more}


def sums(params: Mapping[str, Any]) -> dict[str, Any]:
    """The weight that is read and the sums of squares of its row, its column and all, from the definition."""
    N, M, k = int(params["N"]), int(params["M"]), int(params["k"])
    weights = {(x, (x + j) % M): (1 + j) ** -float(params["decay"]) for x in range(1, N + 1) for j in range(k)}
    z, y = params["z"], (params["z"] + params["lag"]) % M
    return {
        "d": params["d"],
        "a_zy": weights.get((z, y), 0.0),
        "R_z": sum(a**2 for (x, _), a in weights.items() if x == z),
        "C_y": sum(a**2 for (_, w), a in weights.items() if w == y),
        "A": sum(a**2 for a in weights.values()),
    }


def moment(params: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the laws of a moment, without the laws of the embeddings."""
    return {**sums(params), "moment": {1: "first", 2: "second"}[params["power"]]}


def with_embeddings(params: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the exact law of a moment."""
    return {**moment(params), "inputs": params["inputs"], "outputs": params["outputs"]}


def variance(params: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the exact variance."""
    return {**sums(params), "inputs": params["inputs"], "outputs": params["outputs"]}


def unit(params: Mapping[str, Any]) -> float:
    """The largest weight, 1: a pair that is no association has the mean 0."""
    return 1.0


MEANS: Grid = {
    "quick": [cell(12, 6, 64, 3, lag, power=1) for lag in (0, 2, 4)],
    "standard": [
        *(cell(12, 6, 64, 3, lag, power=1) for lag in (0, 2, 4)),
        *(cell(100, 20, 256, 5, lag, power=1) for lag in (1, 9)),
    ],
}
EXACT: Grid = {
    "quick": [
        cell(12, 6, 16, 3, lag, e, u, power=1) for (e, u), lag in zip(LAWS_OF_EMBEDDINGS, (0, 1, 2, 4), strict=True)
    ],
    "standard": [
        *(cell(12, 6, 16, 3, lag, e, u, power=1) for lag in (0, 2, 5) for e, u in LAWS_OF_EMBEDDINGS),
        *(
            cell(40, 10, 32, 5, lag, e, u, power=1)
            for (e, u), lag in zip(LAWS_OF_EMBEDDINGS, (0, 1, 4, 7), strict=True)
        ),
    ],
}
SPREAD: Grid = {
    "quick": [cell(12, 6, 16, 3, lag, e, u) for (e, u), lag in zip(LAWS_OF_EMBEDDINGS, (0, 1, 4, 0), strict=True)],
    "standard": [
        *(cell(12, 6, 16, 3, lag, e, u) for lag in (0, 2, 5) for e, u in LAWS_OF_EMBEDDINGS),
        *(cell(40, 10, 32, 5, lag, e, u) for (e, u), lag in zip(LAWS_OF_EMBEDDINGS, (0, 1, 4, 7), strict=True)),
    ],
}
# Nearly orthonormal: A/d^2 + (R_z + C_y)/d is below 3 % of the squared weight, so the score itself is close to it.
ROOMY: Grid = {
    "quick": [cell(12, 6, 512, 3, 0, power=2)],
    "standard": [cell(12, 6, 512, 3, 0, e, u, power=2) for e, u in LAWS_OF_EMBEDDINGS],
}
# Crowded: 400 associations and more in a few dozen dimensions.
CROWDED: Grid = {
    "quick": [cell(100, 10, 32, 4, 0, power=2), cell(200, 10, 32, 4, 2, power=2)],
    "standard": [cell(N, 10, 32, 4, lag, power=2) for N in (100, 200, 400) for lag in (0, 2)],
}
for grid in (MEANS, EXACT, SPREAD, ROOMY, CROWDED):
    grid["paper"] = grid["standard"]

CLAIM = Claim(
    id="weighted-associations",
    simulation="Each of N inputs is associated with k of M outputs, with weights 1, 1/2, ..., 1/k; embeddings are drawn "
    "afresh for every replica, which is one score, or the sample variance of the scores of eight memories.",
    parts=(
        part(
            "source",
            kind="identity",
            law=laws["weighted-associations:source"],
            experiment=weighted_score_experiment,
            statement="The score of an input with an output is on average the weight of their association, 0 if there is "
            "none, many to many.",
            grid=MEANS,
            replicas={"quick": 2**16, "standard": 2**17, "paper": 2**17},
            to_law=moment,
            scale=unit,
            margin=0.02,
        ),
        part(
            "sharp",
            kind="identity",
            law=laws["weighted-associations"],
            experiment=weighted_score_experiment,
            statement="The mean is the weight exactly, at small d too, for all four laws of the embeddings.",
            grid=EXACT,
            replicas={"quick": 2**16, "standard": 2**17, "paper": 2**17},
            to_law=with_embeddings,
            scale=unit,
            margin=0.02,
        ),
        part(
            "variance",
            kind="identity",
            law=laws["weighted-associations:variance"],
            experiment=weighted_variance_experiment,
            statement="The variance equals the Wick contraction, in the squared weights of the input, of the output and of "
            "all.",
            grid=SPREAD,
            replicas={"quick": 2**15, "standard": 2**16, "paper": 2**16},
            to_law=variance,
            margin=0.02,
        ),
        part(
            "source-roomy",
            kind="constant",
            law=laws["weighted-associations:source"],
            experiment=weighted_score_experiment,
            statement="With room to spare, A/d^2 + (R_z + C_y)/d far below a_zy^2, the mean square of the score is a_zy^2 "
            "within 10 %: every memory's score is about the weight.",
            grid=ROOMY,
            replicas={"quick": 2**14, "standard": 2**16, "paper": 2**16},
            to_law=moment,
            margin=0.10,
        ),
        part(
            "source-crowded",
            kind="constant",
            law=laws["weighted-associations:source"],
            experiment=weighted_score_experiment,
            statement="The same with more associations than the dimensions hold.",
            grid=CROWDED,
            replicas={"quick": 2**15, "standard": 2**17, "paper": 2**17},
            to_law=moment,
            margin=0.10,
            erratum=laws["weighted-associations:source"].errata[0],
        ),
    ),
)
