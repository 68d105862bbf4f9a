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
            "The risk falls like t^-min((b - 1)/a, 2 - 1/a): beyond b = 2a the noise of the samples rules.",
            law=laws["descent-rate"],
            experiment=descents,
            grid=Grid(settings(t=(16, 32, 64, 128, 256, 512), P=96, a=2.0, b=(3.0, 6.0), eta=0.3, v=0.0)),
            variable="t",
            families=("power", "corrected"),
        ),
    ),
)
