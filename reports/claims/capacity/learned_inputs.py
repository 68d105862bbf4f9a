"""learned-inputs: with input embeddings equal to those of their answers, recall is a lookup among the outputs."""

import math
from functools import partial
from typing import Any

from asymp.montecarlo.samplers.capacity import learned_inputs as sampled
from asymp.reports.claims.capacity import PURE, SERIES, around, spaced
from asymp.reports.claims.draws import EXPONENTIAL
from asymp.reports.declaring import Capacity, Claim, Grid, Identity, Order, Setting, few_draws, laws, rows

# One lost pair is expected at the law's size; none is then lost with probability 1/e.
NONE_LOST = math.exp(-1)
# 2^(d/4) (pi d)^(1/4): two decades in M. Smaller d have too few whole numbers M around theirs.
ALL_AT = {8: 9.5, 12: 20.7, 16: 44, 20: 92, 24: 193, 28: 400, 32: 825}
growth = partial(around, ALL_AT, spaced(-0.28, 0.1), size="M")
# The published way of learning everything, against fixed embeddings in ten times the dimensions.
TRAINED: dict[str, Any] = {
    "alpha": 2.0, "N": 100, "M": 5, "T": 10_240, "batch": 16, "lr": 1.0, "optimiser": "sgd",
    "first": {"d": 10, "learn": "all"}, "second": {"d": 100}, "memories": 4,
}  # fmt: skip


def exponent_of_two(params: Setting, M: float) -> float:
    """The logarithm of M without that of the known factor (pi d)^(1/4): (log 2/4) d to leading order."""
    return math.log(M) - math.log(math.pi * params["d"]) / 4


exponential = partial(Capacity, experiment=sampled.learned_all_experiment, size="M", threshold=NONE_LOST)

identity = partial(Identity, experiment=sampled.learned_error_experiment, x_axis="M")

CLAIM = Claim(
    id="learned-inputs",
    title="Input embeddings equal to those of the answers",
    source="cabannes2024, bietti2024",
    order=14,
    parts=(
        identity(
            "sharp",
            "If the answers' embeddings are distinct and of length one, no input is ever answered wrongly, for any N "
            "and M, already in two dimensions.",
            law=laws["learned-inputs"],
            grid=Grid(rows("d M N", (2, 64, 100), (8, 256, 256), outputs="sphere")),
            scale=lambda params: 1.0,  # an error of 0 is compared on the scale of a probability
        ),
        identity(
            "item-error",
            "Gaussian outputs: the share of lost items is E[1 - Phi(sqrt(d) |u|)^(M-1)].",
            law=laws["learned-inputs:item-error"],
            grid=Grid(rows("d M", (4, 8), (8, 16), (8, 64))),
        ),
        exponential(
            "source",
            "The number of answers that are all recalled is exponential in d: with gaussian embeddings it is about 2^(d/4) (pi "
            "d)^(1/4), where one pair is expected to be confused.",
            law=laws["learned-inputs:all-items"],
            grid=Grid(growth(at=(16, 20))),
            x_axis="d",
            draw=few_draws(2, 64, sizes=5, ranges={"d": (8, 28)}, reason=EXPONENTIAL),
        ),
        exponential(
            "exponent",
            "The logarithm of the number of answers that are all recalled, less a quarter of log(pi d), is "
            "proportional to d.",
            law=laws["learned-inputs:source"],
            # an error of 4 % in M is 0.6 % of its logarithm at d = 32, and much more at d = 8
            grid=Grid(growth(), weight=lambda cell: max(1, 512 // cell["M"])),
            variable="d",
            counted=exponent_of_two,
            families=PURE,
            omega=SERIES,
            draw=few_draws(1, 64),
        ),
        Order(
            "stored",
            "With e_x = u_f(x) the memory W = sum over y of u_y u_y^T recalls more than nine in ten of M = 2^(d/4) "
            "answers, in at least three of four runs, up to M = 4096 in 48 dimensions.",
            above=0.9,
            experiment=sampled.learned_stored_experiment,
            grid=Grid(rows("d M", (16, 16), (32, 256), (48, 4096))),
            quantity="A",
            about=("d", "M"),
            stated_in="cabannes2024, Proposition 5 (recalled)",
            conventions="The proposition's own memory, with equal weights and outputs on the sphere; A is the share that is right.",
            draw=few_draws(1, 8, ranges={"d": (12, 48), "M": None}),
        ),
        Order(
            "trained",
            "After training, ten learned dimensions have no larger error than a hundred with fixed embeddings, in at "
            "least three of four runs.",
            below=1,
            experiment=sampled.training_ratio_experiment,
            grid=Grid([TRAINED]),
            quantity="E_learned/E_fixed",
            about=("N", "M"),
            stated_in="cabannes2024, Proposition 5 and experiments",
            conventions="One pass of SGD over 10 240 samples in batches of 16, steps of 1; everything learned, or W alone.",
            draw=few_draws(
                1,
                8,
                trained=True,
                reason="memories are trained at the published sizes",
                ranges={"N": (50, 100), "M": None, "T": None},
            ),
        ),
    ),
)
