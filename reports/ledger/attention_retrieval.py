"""attention-retrieval: softmax attention is one step of retrieval in a dense memory over the context."""

from collections.abc import Mapping
from typing import Any

from asymp.montecarlo.memories.attention import (
    attention_capacity_experiment,
    attention_descent_experiment,
    attention_leak_experiment,
    attention_linear_experiment,
    attention_noise_experiment,
    attention_step_experiment,
)
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

Grid = dict[str, list[dict[str, Any]]]

SHAPES = {
    "quick": [(4, 2, 0.5), (16, 20, 1.0), (64, 40, 0.125)],
    "standard": [(d, N, beta) for d in (1, 4, 16, 128) for N in (1, 2, 20, 200) for beta in (0.1, 1.0, 8.0)],
}
SOURCE: Grid = {preset: [{"d": d, "N": N, "beta": b} for d, N, b in shapes] for preset, shapes in SHAPES.items()}
STEPS: Grid = {
    preset: [
        {"d": d, "N": N, "beta": b, "eta": eta, "relative": True} for d, N, b in shapes[:6] for eta in (0.25, 0.5, 1.5)
    ]
    for preset, shapes in SHAPES.items()
}
# One pattern alone makes an equality of it, which rounding decides.
DESCENT: Grid = {
    "quick": [{"d": d, "N": N, "beta": b} for d, N, b in SHAPES["quick"]],
    "standard": [{"d": d, "N": N, "beta": b} for d, N, b in SHAPES["standard"] if N > 1],
}
LEAK: Grid = {
    "quick": [{"d": 8, "N": 10, "beta": 4.0}, {"d": 16, "N": 20, "beta": 8.0}],
    "standard": [
        {"d": d, "N": N, "beta": b} for d, N, b in ((8, 10, 4.0), (16, 20, 8.0), (32, 100, 8.0), (16, 8, 2.0))
    ],
}
# The noise makes the leak 1.6 and 2.7 times as large, with a spread of one to three times its mean at a query.
NOISE: Grid = {
    "quick": [{"d": 8, "N": 10, "beta": 4.0, "s": 0.5}, {"d": 16, "N": 20, "beta": 8.0, "s": 0.5}],
    "standard": [
        {"d": d, "N": N, "beta": b, "s": s}
        for d, N, b, s in ((8, 10, 4.0, 0.5), (16, 20, 8.0, 0.5), (32, 100, 8.0, 0.5), (16, 8, 2.0, 1.0))
    ],
}
LINEAR: Grid = {
    "quick": [{"d": 32, "N": 32, "s": 1.0}],
    "standard": [{"d": d, "N": N, "s": s} for d, N in ((32, 32), (64, 64), (64, 256)) for s in (0.5, 1.0)],
}
# Below d = 8 a second term of Laplace's series shows beside the errors of the standard check: the curve of the law itself
# adds 6 to a chi2 of 7 degrees of freedom at d = 5 to 20, and 0.1 from d = 8 on.
CAPACITY: Grid = {
    preset: [{"d": d, "lam": 1.0} for d in sizes]
    for preset, sizes in {
        "quick": (5, 6, 8, 10, 12, 14, 16, 18),
        "standard": (8, 9, 10, 12, 14, 16, 18, 20),
    }.items()
}
for grid in (SOURCE, STEPS, DESCENT, LEAK, NOISE, LINEAR, CAPACITY):
    grid["paper"] = grid["standard"]


def one(params: Mapping[str, Any]) -> float:
    """Patterns and queries have entries of order one."""
    return 1.0


def step(params: Mapping[str, Any]) -> dict[str, Any]:
    """The deviation is measured in units of |x - a(x)|."""
    return {"eta": params["eta"], "delta": 1}


def unit(params: Mapping[str, Any]) -> dict[str, Any]:
    """The change of the energy is measured in units of |x - a(x)|^2."""
    return {"delta": 1}


CLAIM = Claim(
    id="attention-retrieval",
    simulation="The gradient of the log-sum-exp energy by automatic differentiation beside softmax attention with the patterns as "
    "keys and values. Leak and capacity: patterns on the sphere, the query one of them; patterns are added until they "
    "outweigh it. Noise: every pattern with noise is a query, of attention and of the sum of outer products of the patterns.",
    parts=(
        part(
            "source",
            kind="identity",
            law=laws["attention-retrieval:source"],
            experiment=attention_step_experiment,
            statement="One gradient step of size 1 on the log-sum-exp energy is softmax attention.",
            grid=SOURCE,
            replicas={"quick": 16, "standard": 32, "paper": 64},
            scale=one,
            margin=0.02,
        ),
        part(
            "sharp",
            kind="identity",
            law=laws["attention-retrieval"],
            experiment=attention_step_experiment,
            statement="At the step size eta the two differ by |1 - eta| |x - a(x)|.",
            grid=STEPS,
            replicas={"quick": 16, "standard": 32, "paper": 64},
            to_law=step,
            margin=0.02,
        ),
        part(
            "descent",
            kind="order",
            law=laws["attention-retrieval:descent"],
            experiment=attention_descent_experiment,
            statement="The energy falls by at least |x - a(x)|^2/2 in a step of attention.",
            grid=DESCENT,
            replicas={"quick": 32, "standard": 64, "paper": 64},
            to_law=unit,
        ),
        part(
            "leak",
            kind="identity",
            law=laws["attention-retrieval:leak"],
            experiment=attention_leak_experiment,
            statement="The mean weight of the other patterns is the moment generating function of an inner product.",
            grid=LEAK,
            replicas={"quick": 8192, "standard": 32768, "paper": 32768},
            margin=0.02,
        ),
        part(
            "noise",
            kind="identity",
            law=laws["attention-retrieval:noise"],
            experiment=attention_noise_experiment,
            statement="Noise of size s on the query makes the mean weight of the others that of beta (1 - beta s^2/d).",
            grid=NOISE,
            replicas={"quick": 16384, "standard": 65536, "paper": 65536},
            margin=0.02,
        ),
        part(
            "noise-linear",
            kind="order",
            law=laws["attention-retrieval:linear"],
            experiment=attention_linear_experiment,
            statement="Under noise a step of attention loses no more patterns than a linear memory of them.",
            grid=LINEAR,
            replicas={"quick": 32, "standard": 48, "paper": 64},
        ),
        part(
            "capacity",
            kind="rate",
            law=laws["attention-retrieval:rate"],
            experiment=attention_capacity_experiment,
            statement="The logarithm of the number of patterns told apart is linear in d, at beta = d.",
            grid=CAPACITY,
            replicas={"quick": 24, "standard": 128, "paper": 256},
            variable="d",
            margin=0.1,
            # Laplace's method leaves a constant beside d times the rate: a correction in 1/d, no logarithm and no floor
            families=("power", "corrected"),
        ),
    ),
)
