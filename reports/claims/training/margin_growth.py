"""margin-growth: with orthogonal embeddings margins grow like the logarithm of time, for any step size."""

from typing import Any

from asymp.montecarlo.samplers.training.margin_growth import (
    margin_flow_experiment,
    margin_slope_experiment,
    margin_steps_experiment,
)
from asymp.reports.claim import Claim
from asymp.reports.grid import Grid
from asymp.reports.kinds import Constant, Identity
from asymp.reports.kinds.drawing import few_draws
from asymp.theory import laws

INPUTS = ((0.6, 2), (0.3, 5))
FLOW = (
    [{"p": p, "M": M, "t": t} for p, M in INPUTS for t in (1.0, 1e5)],
    [{"p": p, "M": M, "t": 10.0**k} for p, M in ((0.6, 2), (0.3, 5), (0.05, 20)) for k in range(-1, 9)],
)
# Nothing is random but the orthonormal bases, which do not matter.
LATE = Grid(*([c for c in cells if c["p"] * c["M"] * c["t"] >= 1e3 * c["M"]] for cells in FLOW), replicas=4)


def steps(etas: tuple[float, ...], numbers: tuple[int, ...]) -> list[dict[str, Any]]:
    """Steps of some sizes and numbers."""
    return [{"p": p, "M": M, "eta": eta, "n": n} for p, M in INPUTS for eta in etas for n in numbers]


CLAIM = Claim(
    id="margin-growth",
    title="Margins with orthogonal embeddings",
    source="bietti2025",
    order=16,
    parts=(
        Constant(
            "source",
            "Late in training the margin grows like log t: by log 4 when the time is multiplied by 4.",
            law=laws["margin-growth:slope"],
            experiment=margin_slope_experiment,
            grid=LATE,
            x_axis="t",
            draw=few_draws(2, 2),
        ),
        Identity(
            "sharp",
            "The margin solves (M - 1) m + e^m - 1 = p M t at every time.",
            law=laws["margin-growth"],
            experiment=margin_flow_experiment,
            grid=Grid(*FLOW, replicas=4),
            margin=1e-5,
            # The Runge-Kutta method with 400 steps: h^4 with h <= log(1e9)/400 = 0.05.
            resolution=6e-6,
            x_axis="t",
            draw=few_draws(4, 2),
        ),
        Constant(
            "asymptotic",
            "At large times the margin is log(p M t).",
            law=laws["margin-growth:asymptotic"],
            experiment=margin_flow_experiment,
            grid=LATE,
            x_axis="t",
            draw=few_draws(2, 2),
        ),
        Identity(
            "steps",
            "With steps of any size the margin follows the SGD map with step eta p M/(M - 1).",
            law=laws["margin-growth:steps"],
            experiment=margin_steps_experiment,
            grid=Grid(steps((0.1, 10.0), (1, 50)), steps((0.01, 1.0, 100.0), (1, 30, 1000)), replicas=4),
            margin=1e-9,
        ),
    ),
)
