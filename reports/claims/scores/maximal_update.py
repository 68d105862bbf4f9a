"""maximal-update: the first update is of order one at its own inputs, as long as they are not more than dimensions."""

from typing import Any

from asymp.montecarlo.samplers.scores import maximal_update as sampled
from asymp.reports.claims.scores import BOTH
from asymp.reports.declaring import Claim, Grid, Identity, Rate, Setting, few_draws, laws, settings

DIMENSIONS = (16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192)


def exact(setting: Setting) -> dict[str, Any]:
    """a_j and the sum of all squared coefficients, from their definition a_j = j^-decay; the rest as it is."""
    decay = float(setting.get("decay", 0))
    squares = sum(j ** (-2 * decay) for j in range(1, int(setting["N"]) + 1))
    return {**setting, "a_j": float(setting.get("j", 1)) ** -decay, "A": squares}


CLAIM = Claim(
    id="maximal-update",
    title="Size of the first update at its own inputs",
    source="bietti2024",
    order=8,
    parts=(
        Rate(
            "source",
            "With few pairs the first update changes its own inputs by |dW u_j| of order one: each of the d entries has a mean "
            "square of order 1/d.",
            law=laws["maximal-update:source"],
            experiment=sampled.update_entry_experiment,
            # From a visible correction on: the range of sizes tells it from the power. The average over few inputs of d
            # coordinates fluctuates like d^-1/2: small dimensions are measured more often.
            grid=Grid(settings(N=4, d=DIMENSIONS), weight=lambda setting: max(1, 4096 // setting["d"])),
            variable="d",
            draw=few_draws(2, 64, ranges={"N": (4, 40)}),
        ),
        Identity(
            "sharp",
            "The mean of |dW u_j|^2 is known exactly for every number N of pairs and every d; with equal coefficients it is (1 "
            "+ 2/d) + (N - 1)/d for gaussian inputs.",
            law=laws["maximal-update"],
            experiment=sampled.update_norm_experiment,
            grid=Grid(settings(N=(16, 160), d=16, j=1, inputs=BOTH, outputs=BOTH)),
            to_law=exact,
        ),
        Rate(
            "source-many",
            "With more pairs than dimensions |dW u_j| is still of order one, whatever the number N of pairs.",
            law=laws["maximal-update:source"],
            experiment=sampled.update_entry_experiment,
            grid=Grid(settings(N=tuple(4**k for k in range(3, 11)), d=16)),
            variable="N",
            erratum=laws["maximal-update:source"].errata[0],
            draw=few_draws(2, 64),
        ),
        Rate(
            "ntk",
            "In the neural-tangent scaling the update is small beside the initialisation: the ratio of their squared sizes "
            "falls like 1/d.",
            law=laws["maximal-update:ntk"],
            experiment=sampled.relative_update_experiment,
            # The ratio has a second correction, of order d^-2, which no declared form has: from where it is below the noise.
            grid=Grid(
                settings(N=4, d=(*DIMENSIONS[1:], 16384), scaling="ntk"),
                weight=lambda setting: max(1, 1024 // setting["d"]),
            ),
            variable="d",
            draw=few_draws(2, 64, ranges={"N": (3, 30)}),
        ),
    ),
)
