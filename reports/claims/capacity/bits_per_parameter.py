"""bits-per-parameter: what a memory holds, counted in bits for each of its parameters."""

import math

from asymp.montecarlo.samplers.capacity import bits_per_parameter as sampled
from asymp.reports.claims.capacity import around, spaced
from asymp.reports.declaring import Capacity, Claim, Grid, Order, Setting, few_draws, laws, settings
from asymp.reports.kinds.drawing import Cell, Draw


def associations(params: Setting) -> Setting:
    """The values of the counting bound."""
    return {**params, "M": 2 if params["answers"] == "labels" else params["N"]}


def overfull(params: Cell) -> Cell:
    """At least so many answers that they have a fifth more bits than the memory: fewer could not break the bound."""
    labels = params["answers"] == "labels"
    bits = 1.2 * params["b"] * params["d"] ** (1 if labels else 2)
    N = params["N"]
    while N * (1 if labels else math.log2(N)) < bits:
        N += 1
    return {**params, "N": N}


CLAIM = Claim(
    id="bits-per-parameter",
    title="Bits that each parameter holds",
    source="bietti2025, bietti2024",
    order=8,
    parts=(
        Order(
            "source",
            "A memory takes at least N log2 M/b parameters of b bits for N answers among M, in at least 95 % of runs.",
            above=laws["bits-per-parameter:source"],
            experiment=sampled.few_bits_experiment,
            # More answers than the memory has bits, or it could not fail: parameters are those of the memory, or more.
            grid=Grid(
                [
                    *settings(d=256, N=(512, 1024), b=1, answers="labels"),
                    *settings(d=32, N=200, b=1, answers="pairs"),
                    *settings(d=64, N=1000, b=2, answers="pairs"),
                ]
            ),
            at_least=0.95,  # a counting argument, which fails with a probability that is exponentially small
            to_law=associations,
            x_axis="N",
            draw=Draw(
                "more answers than the memory has bits",
                fit=overfull,
                ranges={"d": (8, 80), "N": (16, 1024), "b": (1, 3)},
            ),
        ),
        Capacity(
            "sharp",
            "A sum of outer products that recalls everything holds 1/(8 log 2) = .180 bits per parameter, near d = 100.",
            law=laws["bits-per-parameter"],
            experiment=sampled.hebbian_bits_experiment,
            # In thousandths of a bit: 1/(8 log 2) is 180, and P(all) falls from .9 to .1 over a third of that.
            grid=Grid(around({96: 180}, spaced(-0.46, 0.13), size="millibits")),
            size="millibits",
            constant=1000.0,
            to_law=lambda params: {"c": 8},
            x_axis="d",
            draw=few_draws(1, 16, ranges={"d": (96, 200)}, sizes=5),
        ),
    ),
)
