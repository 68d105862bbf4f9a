"""tuned-ridge: the exponent of ridge regression with noise."""

from asymp.reports.declaring import Claim, Grid, Rate, laws, settings
from power_laws.samplers.ridge.ridge_risk import tuned_risks

CLAIM = Claim(
    id="tuned-ridge",
    title="Exponent of ridge regression with noise",
    source="cui2021, as recalled",
    simulation="Data with noise are drawn and the normal equations solved with the ridge n^(1 - a/(s + 1)).",
    parts=(
        Rate(
            "source",
            "With noise and the best scaling of the ridge the exponent is s/(1 + s), s = min(b - 1, 2a).",
            law=laws["tuned-ridge"],
            experiment=tuned_risks,
            grid=Grid(
                settings(n=(16, 64, 256, 1024, 4096), P=128, a=2.0, b=3.0, v=1.0), weight=lambda cell: 4096 // cell["n"]
            ),
            variable="n",
            families=("power", "corrected"),
        ),
    ),
)
