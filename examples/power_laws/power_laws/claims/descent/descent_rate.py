"""descent-rate: two phases of one-pass gradient descent."""

from asymp.reports.declaring import Claim, Grid, Rate, laws, settings
from power_laws.samplers.descent.descent_risk import descents

CLAIM = Claim(
    id="descent-rate",
    title="Exponent of one-pass gradient descent",
    source="paquette2024, as recalled",
    parts=(
        Rate(
            "source",
            "The risk falls like t^-min((b - 1)/a, 2 - 1/a): from b = 2a on the noise of the samples rules.",
            law=laws["descent-rate"],
            experiment=descents,
            grid=Grid(
                settings(t=(32, 128, 512, 2048), P=256, a=2.5, b=(3.0, 9.0), eta=0.3, v=0.0),
                weight=lambda cell: 2048 // cell["t"],
            ),
            variable="t",
            families=("power", "corrected"),
        ),
    ),
)
