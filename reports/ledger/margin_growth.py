"""margin-growth: with orthogonal embeddings margins grow like the logarithm of time, for any step size."""

from asymp.montecarlo.gradients.margins import margin_flow_experiment, margin_slope_experiment, margin_steps_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

# Nothing is random but the orthonormal bases, which do not matter.
REPLICAS = dict.fromkeys(("quick", "standard", "paper"), 4)
INPUTS = ((0.6, 2), (0.3, 5))
FLOW = {
    "quick": [{"p": p, "M": M, "t": t} for p, M in INPUTS for t in (1.0, 1e5)],
    "standard": [{"p": p, "M": M, "t": 10.0**k} for p, M in ((0.6, 2), (0.3, 5), (0.05, 20)) for k in range(-1, 9)],
}
LATE = {
    preset: [cell for cell in cells if cell["p"] * cell["M"] * cell["t"] >= 1e3 * cell["M"]]
    for preset, cells in FLOW.items()
}
STEPS = {
    "quick": [{"p": p, "M": M, "eta": eta, "n": n} for p, M in INPUTS for eta in (0.1, 10.0) for n in (1, 50)],
    "standard": [
        {"p": p, "M": M, "eta": eta, "n": n} for p, M in INPUTS for eta in (0.01, 1.0, 100.0) for n in (1, 30, 1000)
    ],
}
for grid in (FLOW, LATE, STEPS):
    grid["paper"] = grid["standard"]

CLAIM = Claim(
    id="margin-growth",
    simulation="Orthonormal embeddings; the gradient of the population loss is taken by automatic differentiation, and the flow "
    "integrated by the Runge-Kutta method, or full-batch steps of a given size are taken.",
    parts=(
        part(
            "source",
            kind="constant",
            law=laws["margin-growth:slope"],
            experiment=margin_slope_experiment,
            statement="Late in training the margin grows like log t: by log 4 when the time is multiplied by 4.",
            grid=LATE,
            replicas=REPLICAS,
            margin=0.1,
            x_axis="t",
        ),
        part(
            "sharp",
            kind="identity",
            law=laws["margin-growth"],
            experiment=margin_flow_experiment,
            statement="The margin solves (M - 1) m + e^m - 1 = p M t at every time.",
            grid=FLOW,
            replicas=REPLICAS,
            margin=1e-5,
            # The Runge-Kutta method with 400 steps: h^4 with h <= log(1e9)/400 = 0.05.
            resolution=6e-6,
            x_axis="t",
        ),
        part(
            "asymptotic",
            kind="constant",
            law=laws["margin-growth:asymptotic"],
            experiment=margin_flow_experiment,
            statement="At large times the margin is log(p M t).",
            grid=LATE,
            replicas=REPLICAS,
            margin=0.1,
            x_axis="t",
        ),
        part(
            "steps",
            kind="identity",
            law=laws["margin-growth:steps"],
            experiment=margin_steps_experiment,
            statement="With steps of any size the margin follows the SGD map with step eta p M/(M - 1).",
            grid=STEPS,
            replicas=REPLICAS,
            margin=1e-9,
        ),
    ),
)
