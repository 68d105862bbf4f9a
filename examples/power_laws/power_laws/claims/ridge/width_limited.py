"""width-limited: random features as the bottleneck, on both sides of b = 1 + a."""

from asymp.reports.declaring import Claim, Grid, Rate, laws, settings
from power_laws.samplers.ridge.random_features import projections

CLAIM = Claim(
    id="width-limited",
    title="The resolution-limited regime in width",
    source="bahri2021, as recalled",
    parts=(
        Rate(
            "source",
            "With samples without end the risk of k features is like k^-min(b - 1, a): the exponent of data only for b < 1 + a.",
            law=laws["width-limited"],
            experiment=projections,
            grid=Grid(settings(k=(8, 16, 32, 64), P=2048, a=3.0, b=(2.5, 6.0)), weight=lambda cell: 64 // cell["k"]),
            variable="k",
            families=("power", "corrected"),
            omega=(0.8, 1.2),  # the sum over modes is an integral less 1/2: kappa goes like (k + 1/2)^-a
        ),
    ),
)
