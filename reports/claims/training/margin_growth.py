"""margin-growth: with orthogonal embeddings margins grow like the logarithm of time, for any step size."""

from functools import partial

from asymp.montecarlo.samplers.training import margin_growth as sampled
from asymp.reports.declaring import Claim, Constant, Grid, Identity, few_draws, laws, rows

INPUTS = ((0.6, 2), (0.3, 5))
LATE = rows("p M", *INPUTS, t=1e5)

constant = partial(Constant, grid=Grid(LATE), x_axis="t", draw=few_draws(2, 2))

CLAIM = Claim(
    id="margin-growth",
    title="Margins with orthogonal embeddings",
    source="bietti2025",
    order=16,
    parts=(
        constant(
            "source",
            "Late in training the margin grows like log t: by log 4 when the time is multiplied by 4.",
            law=laws["margin-growth:slope"],
            experiment=sampled.margin_slope_experiment,
        ),
        Identity(
            "sharp",
            "The margin solves (M - 1) m + e^m - 1 = p M t at every time.",
            law=laws["margin-growth"],
            experiment=sampled.margin_flow_experiment,
            grid=Grid(rows("p M", *INPUTS, t=1.0) + LATE),
            margin=1e-5,
            # The Runge-Kutta method with 400 steps: h^4 with h <= log(1e9)/400 = 0.05.
            resolution=6e-6,
            x_axis="t",
            draw=few_draws(4, 2),
        ),
        constant(
            "asymptotic",
            "At large times the margin is log(p M t).",
            law=laws["margin-growth:asymptotic"],
            experiment=sampled.margin_flow_experiment,
        ),
        Identity(
            "steps",
            "With steps of any size the margin follows the SGD map with step eta p M/(M - 1).",
            law=laws["margin-growth:steps"],
            experiment=sampled.margin_steps_experiment,
            grid=Grid([s for eta in (0.1, 10.0) for n in (1, 50) for s in rows("p M", *INPUTS, eta=eta, n=n)]),
            margin=1e-9,
        ),
    ),
)
