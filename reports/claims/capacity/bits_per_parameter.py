"""bits-per-parameter: what a memory holds, counted in bits for each of its parameters."""

from asymp.montecarlo.samplers.capacity.bits_per_parameter import (
    few_bits_experiment,
    hebbian_bits_experiment,
    label_bits_experiment,
)
from asymp.reports.claim import Claim
from asymp.reports.claims.capacity import around, spaced
from asymp.reports.grid import Grid, Setting, settings
from asymp.reports.kinds import Bound, Capacity
from asymp.reports.kinds.drawing import few_draws
from asymp.theory import laws


def associations(params: Setting) -> Setting:
    """The values of the counting bound."""
    return {**params, "M": 2 if params["answers"] == "labels" else params["N"]}


CLAIM = Claim(
    id="bits-per-parameter",
    title="Bits that each parameter holds",
    source="bietti2025, bietti2024",
    order=8,
    parts=(
        Bound(
            "source",
            "No memory takes fewer than N log2 M/b parameters of b bits for N answers among M.",
            law=laws["bits-per-parameter:source"],
            experiment=few_bits_experiment,
            grid=Grid(
                [
                    *settings(d=256, N=(256, 512), b=1, answers="labels"),
                    *settings(d=32, N=50, b=1, answers="pairs"),
                    *settings(d=64, N=150, b=2, answers="pairs"),
                ]
            ),
            to_law=associations,
            x_axis="N",
        ),
        Capacity(
            "sharp",
            "The sum of outer products holds 1/(8 log 2) = .180 bits per parameter, all items right, around d = 100.",
            law=laws["bits-per-parameter"],
            experiment=hebbian_bits_experiment,
            # In thousandths of a bit: 1/(8 log 2) is 180, and P(all) falls from .9 to .1 over a third of that.
            grid=Grid(around({96: 180}, spaced(-0.46, 0.13), size="millibits")),
            to_law=lambda params: {"memory": "hebb"},
            constant=1000.0,
            size="millibits",
            x_axis="d",
            draw=few_draws(1, 16, ranges={"d": (96, 200)}, sizes=5),
        ),
        Capacity(
            "best-binary",
            "The best hyperplane holds 2 bits per parameter (Cover).",
            law=laws["bits-per-parameter"],
            experiment=label_bits_experiment,
            grid=Grid(settings(d=32, millibits=tuple(2000 + 1000 * k // 32 for k in (-10, -6, -2, 2, 6, 10)))),
            to_law=lambda params: {"memory": "best-binary"},
            constant=1000.0,
            size="millibits",
            x_axis="d",
            draw=few_draws(2, 32, sizes=5),
        ),
    ),
)
