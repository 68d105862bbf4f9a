"""near-orthogonality: random embeddings have length about one and inner products of order 1/sqrt d."""

from collections.abc import Mapping
from typing import Any

from asymp.montecarlo.scores.near_orthogonality import (
    directions_experiment,
    embedding_law_experiment,
    embedding_moment_experiment,
)
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

Grid = dict[str, list[dict[str, Any]]]

BOTH = ("gaussian", "sphere")


def cell(d: int, of: str, order: int, embeddings: str) -> dict[str, Any]:
    """A setting of the experiment of moments."""
    return {"d": d, "of": of, "order": order, "embeddings": embeddings}


def word(params: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the law of moments, whose order is a word."""
    return {**params, "order": str(params["order"])}


def dimension(params: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a law in d alone."""
    return {"d": params["d"]}


def threshold(params: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a distribution function."""
    return {name: params[name] for name in ("d", "t", "embeddings")}


def one(params: Mapping[str, Any]) -> float:
    """Probabilities are compared on their own scale."""
    return 1.0


DIMENSIONS = {
    "quick": (8, 16, 32, 64, 128, 256, 512, 1024, 2048),
    "standard": (8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096, 8192),
}
RATE: Grid = {
    preset: [cell(d, "product", 1, law) for law in BOTH for d in sizes] for preset, sizes in DIMENSIONS.items()
}
MOMENTS: Grid = {
    "quick": [
        *(cell(16, "product", order, law) for order in (2, 4) for law in BOTH),
        *(cell(16, "norm", order, "gaussian") for order in (2, 4)),
    ],
    # the smaller d, the heavier the tails of a high power
    "standard": [
        cell(d, of, order, law)
        for d, orders in ((1, (2,)), (4, (2, 4)), (64, (2, 4, 6)))
        for of in ("product", "norm")
        for order in orders
        for law in BOTH
    ],
}
LENGTHS: Grid = {
    preset: [cell(d, "norm", 1, law) for law in BOTH for d in sizes]
    for preset, sizes in {"quick": (16, 256), "standard": (16, 64, 256, 1024)}.items()
}
PRODUCT_LAW: Grid = {
    "quick": [{"d": 8, "t": t, "of": "product", "embeddings": law} for t in (0.2, 0.5) for law in BOTH],
    "standard": [
        {"d": d, "t": t / d**0.5, "of": "product", "embeddings": law}
        for d in (2, 3, 8, 32)
        for t in (0.5, 1.0, 2.0)
        for law in BOTH
        if t < d**0.5
    ],
}
NORM_LAW: Grid = {
    "quick": [
        *({"d": 8, "t": t, "of": "norm", "embeddings": "gaussian"} for t in (0.8, 1.5)),
        {"d": 8, "t": 0.8, "of": "norm", "embeddings": "sphere"},
    ],
    "standard": [
        {"d": d, "t": t, "of": "norm", "embeddings": law} for d in (1, 4, 32) for t in (0.6, 0.9, 1.2) for law in BOTH
    ],
}
# P is half of exp(d epsilon^2/4): with probability 3/4 and more no pair is beyond epsilon.
DIRECTIONS: Grid = {
    "quick": [{"d": d, "P": P, "epsilon": 0.5} for d, P in ((48, 10), (64, 27), (96, 201))],
    "standard": [{"d": d, "P": P, "epsilon": 0.5} for d, P in ((48, 10), (64, 27), (96, 201), (112, 548), (128, 1490))],
}
for grid in (RATE, MOMENTS, LENGTHS, PRODUCT_LAW, NORM_LAW, DIRECTIONS):
    grid["paper"] = grid["standard"]


def moment_replicas(params: Mapping[str, Any]) -> int:
    """Replicas of a standard check."""
    return {1: 65536, 4: 65536}.get(params["d"], 8192)


CLAIM = Claim(
    id="near-orthogonality",
    simulation="Thirty-two embeddings a replica, drawn coordinate by coordinate; lengths and the inner products of all "
    "pairs are averaged. Distribution functions and sets of directions: one pair, or one set, a replica.",
    parts=(
        part(
            "source",
            kind="rate",
            law=laws["near-orthogonality:source"],
            experiment=embedding_moment_experiment,
            statement="The mean of |u.u'| decays with the exponent -1/2 in d.",
            grid=RATE,
            replicas={"quick": 128, "standard": 512, "paper": 512},
            to_law=dimension,
            variable="d",
            margin=0.05,
        ),
        part(
            "sharp",
            kind="identity",
            law=laws["near-orthogonality"],
            experiment=embedding_moment_experiment,
            statement="Even moments of u.u' and of |u| equal the Wick contraction at finite d.",
            grid=MOMENTS,
            replicas={"quick": 8192, "standard": moment_replicas, "paper": moment_replicas},
            to_law=word,
            margin=0.02,
        ),
        part(
            "source-length",
            kind="constant",
            law=laws["near-orthogonality:source-length"],
            experiment=embedding_moment_experiment,
            statement="The mean length is 1 within 10 % from d = 16 on.",
            grid=LENGTHS,
            replicas={"quick": 256, "standard": 1024, "paper": 1024},
            to_law=dimension,
            margin=0.10,
            x_axis="d",
        ),
        part(
            "law-of-product",
            kind="identity",
            law=laws["near-orthogonality:product"],
            experiment=embedding_law_experiment,
            statement="|u.u'| has the law of a beta variable's root on the sphere, and of its gaussian counterpart.",
            grid=PRODUCT_LAW,
            replicas={"quick": 131072, "standard": 262144, "paper": 262144},
            to_law=threshold,
            margin=0.02,
        ),
        part(
            "law-of-length",
            kind="identity",
            law=laws["near-orthogonality:norm"],
            experiment=embedding_law_experiment,
            statement="|u|^2 is chi-square over d for gaussian embeddings, and 1 on the sphere.",
            grid=NORM_LAW,
            replicas={"quick": 65536, "standard": 262144, "paper": 262144},
            to_law=threshold,
            scale=one,
            margin=0.02,
        ),
        part(
            "directions",
            kind="bound",
            law=laws["near-orthogonality:directions"],
            experiment=directions_experiment,
            statement="exp(d epsilon^2/4)/2 random directions are all within epsilon of orthogonal with probability 3/4 "
            "and more: exponentially many in d.",
            grid=DIRECTIONS,
            replicas={"quick": 128, "standard": 256, "paper": 256},
            x_axis="d",
        ),
    ),
)
