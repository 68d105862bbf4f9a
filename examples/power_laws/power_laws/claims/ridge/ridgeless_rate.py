"""ridgeless-rate: the exponent of interpolation without noise."""

from asymp.reports.declaring import Claim, Grid, Rate, laws, settings
from power_laws.samplers.ridge.ridge_risk import risks

CLAIM = Claim(
    id="ridgeless-rate",
    title="Exponent of noiseless interpolation",
    source="cui2021, as recalled",
    parts=(
        Rate(
            "source",
            "Without noise and ridge the risk falls like n^-min(b - 1, 2a): source or capacity limits it.",
            law=laws["ridgeless-rate"],
            experiment=risks,
            grid=Grid(settings(n=(4, 8, 16, 32, 64), P=2048, a=2.0, b=2.5, delta=0.0, v=0.0)),
            variable="n",
            families=("power", "corrected"),
        ),
    ),
)
