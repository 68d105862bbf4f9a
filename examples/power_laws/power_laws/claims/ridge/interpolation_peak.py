"""interpolation-peak: noise on both sides of the interpolation threshold, exactly."""

from asymp.reports.declaring import Claim, Grid, Identity, laws, settings
from power_laws.samplers.ridge.isotropic import variances

CLAIM = Claim(
    id="interpolation-peak",
    title="The peak where samples equal parameters",
    source="hastie2019, as recalled",
    simulation="Noise alone is fitted on isotropic data: by the smallest weights that interpolate, beyond n = P by least squares.",
    parts=(
        Identity(
            "source",
            "Noise becomes v min(n, P)/(|n - P| - 1): a peak at n = P.",
            law=laws["interpolation-peak"],
            experiment=variances,
            grid=Grid(settings(n=(16, 32, 96, 128), P=64, v=1.0)),
            x_axis="n",
        ),
    ),
)
