"""interpolation-bias: what interpolation misses of an isotropic target, exactly."""

from asymp.reports.declaring import Claim, Grid, Identity, laws, settings
from power_laws.samplers.ridge.isotropic import biases

CLAIM = Claim(
    id="interpolation-bias",
    title="Bias of the smallest interpolator",
    source="hastie2019, as recalled",
    simulation="Isotropic data of a target of unit length are drawn without noise and interpolated by the smallest weights.",
    parts=(
        Identity(
            "source",
            "n equations in P unknowns leave 1 - n/P of an isotropic target.",
            law=laws["interpolation-bias"],
            experiment=biases,
            grid=Grid(settings(n=(4, 16, 48), P=64)),
            x_axis="n",
        ),
    ),
)
