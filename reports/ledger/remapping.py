"""remapping: a random matrix keeps the length of an embedding and sends it in a nearly orthogonal direction."""

from collections.abc import Callable, Mapping
from typing import Any

from asymp.montecarlo.scores.remapping import remapping_law_experiment, remapping_moment_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

Grid = dict[str, list[dict[str, Any]]]

BOTH = ("gaussian", "sphere")


def cell(d: int, of: str, order: int, embeddings: str, probes: int = 64) -> dict[str, Any]:
    """A setting of the experiment of moments."""
    return {"d": d, "of": of, "order": order, "embeddings": embeddings, "probes": probes}


def word(params: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the law of moments, whose order is a word."""
    return {"d": params["d"], "of": params["of"], "order": str(params["order"]), "embeddings": params["embeddings"]}


def dimension(params: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a law in d alone."""
    return {"d": params["d"]}


DIMENSIONS = {
    "quick": (2, 3, 4, 6, 8, 12, 16, 32, 64, 128, 256),
    "standard": (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512),
}
RATE: Grid = {
    preset: [cell(d, "overlap", 1, law, 128) for law in BOTH for d in sizes] for preset, sizes in DIMENSIONS.items()
}
# Fourth powers of the overlap have the heaviest tails, the heavier the smaller d: they are left to the standard check.
MOMENTS: Grid = {
    "quick": [cell(16, of, order, law, 16) for of, order in (("overlap", 2), ("norm", 2), ("norm", 4)) for law in BOTH],
    "standard": [
        *(cell(d, of, 2, law, 16) for d in (4, 16, 64) for of in ("overlap", "norm") for law in BOTH),
        *(cell(d, "norm", 4, law, 16) for d in (4, 16, 64) for law in BOTH),
        *(cell(16, "overlap", 4, law) for law in BOTH),
    ],
}
LENGTHS: Grid = {
    "quick": [cell(d, "norm", 1, law) for law in BOTH for d in (16, 64)],
    "standard": [cell(d, "norm", 1, law) for law in BOTH for d in (16, 64, 256)],
}
GIVEN: Grid = {
    "quick": [
        {"d": 8, "r": r, "t": t, "of": of}
        for of, r, t in (("overlap", 1.0, 0.2), ("overlap", 1.5, -0.1), ("norm", 1.0, 0.9), ("norm", 0.5, 0.3))
    ],
    "standard": [
        {"d": d, "r": r, "t": t * (r**2 / d**0.5 if of == "overlap" else r**2), "of": of}
        for d in (1, 4, 16)
        for r in (0.5, 1.0, 2.0)
        for of, t in (("overlap", -0.5), ("overlap", 1.0), ("norm", 0.8), ("norm", 1.2))
    ],
}
for grid in (RATE, MOMENTS, LENGTHS, GIVEN):
    grid["paper"] = grid["standard"]


def rate_replicas(least: int) -> Callable[[Mapping[str, Any]], int]:
    """More matrices where they are small: there the embeddings of one replica are far from independent."""
    return lambda params: max(least, 64 * least // params["d"])


def quick_replicas(params: Mapping[str, Any]) -> int:
    """Replicas of a quick check: the overlap fluctuates more than the length."""
    return 16384 if params["of"] == "overlap" else 8192


def moment_replicas(params: Mapping[str, Any]) -> int:
    """Replicas of a standard check: the overlap fluctuates more than the length, and few dimensions more than many."""
    if params["d"] < 16 or (params["order"] == 4 and params["of"] == "overlap"):
        return 65536
    return 8192 if params["of"] == "norm" else 32768 if params["d"] == 16 else 16384


CLAIM = Claim(
    id="remapping",
    simulation="The d x d matrix is drawn entry by entry and applied to independent embeddings, over which a replica is "
    "averaged; for the laws given u, one direction of a given length a replica.",
    parts=(
        part(
            "source",
            kind="rate",
            law=laws["remapping:source"],
            experiment=remapping_moment_experiment,
            statement="The mean of |u^T W u| decays with the exponent -1/2 in d.",
            grid=RATE,
            replicas={"quick": rate_replicas(128), "standard": rate_replicas(256), "paper": rate_replicas(256)},
            to_law=dimension,
            variable="d",
            margin=0.05,
        ),
        part(
            "sharp",
            kind="identity",
            law=laws["remapping"],
            experiment=remapping_moment_experiment,
            statement="Even moments of u^T W u and of |W u| equal the Wick contraction at finite d.",
            grid=MOMENTS,
            replicas={"quick": quick_replicas, "standard": moment_replicas, "paper": moment_replicas},
            to_law=word,
            margin=0.02,
        ),
        part(
            "source-length",
            kind="constant",
            law=laws["remapping:source-norm"],
            experiment=remapping_moment_experiment,
            statement="The mean of |W u| is 1 within 10 % from d = 16 on.",
            grid=LENGTHS,
            replicas={"quick": 128, "standard": 512, "paper": 512},
            to_law=dimension,
            margin=0.10,
            x_axis="d",
        ),
        part(
            "given-u",
            kind="identity",
            law=laws["remapping:given-u"],
            experiment=remapping_law_experiment,
            statement="Given u, u^T W u is normal with variance |u|^4/d and |W u|^2 is |u|^2 times chi-square over d.",
            grid=GIVEN,
            replicas={"quick": 65536, "standard": 131072, "paper": 131072},
            margin=0.02,
        ),
    ),
)
