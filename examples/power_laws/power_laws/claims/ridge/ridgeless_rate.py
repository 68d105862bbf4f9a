"""ridgeless-rate: the exponent of interpolation without noise, on both sides of b = 1 + 2a."""

from asymp.reports.declaring import Claim, Grid, Rate, laws, settings
from power_laws.samplers.ridge.ridge_risk import risks

CLAIM = Claim(
    id="ridgeless-rate",
    title="Exponent of noiseless interpolation",
    source="cui2021, as recalled",
    parts=(
        Rate(
            "source",
            "Without noise and ridge the risk falls like n^-min(b - 1, 2a): the capacity limits it from b = 1 + 2a on.",
            law=laws["ridgeless-rate"],
            experiment=risks,
            # Small samples cost less, and their risks spread more.
            grid=Grid(
                settings(n=(8, 16, 32, 64, 128), P=2048, a=3.0, b=(3.5, 9.0), delta=0.0, v=0.0),
                weight=lambda cell: 128 // cell["n"],
            ),
            variable="n",
            families=("power", "corrected"),
            omega=(0.8, 1.2),  # the sum over modes is an integral less 1/2: kappa goes like (n + 1/2)^-a
        ),
    ),
)
