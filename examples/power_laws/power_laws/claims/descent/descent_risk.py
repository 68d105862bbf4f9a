"""descent-risk: gradient descent on fresh samples, exactly."""

from asymp.reports.declaring import Claim, Grid, Identity, laws, settings
from power_laws.samplers.descent.descent_risk import descents

CLAIM = Claim(
    id="descent-risk",
    title="Risk of one-pass gradient descent",
    source="paquette2024, as recalled",
    simulation="Weights begin at zero and take a gradient step on a fresh sample each time; the risk is that after the last.",
    parts=(
        Identity(
            "source",
            "The mean risk follows a closed recursion of its P modes, exactly.",
            law=laws["descent-risk"],
            experiment=descents,
            grid=Grid(settings(t=(4, 16, 64), P=32, a=1.5, b=2.0, eta=0.1, v=0.1)),
            x_axis="t",
        ),
    ),
)
