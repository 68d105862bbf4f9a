"""least-squares: misspecified regression, exactly."""

from asymp.reports.declaring import Claim, Grid, Identity, laws, settings
from power_laws.samplers.ridge.least_squares import fits

CLAIM = Claim(
    id="least-squares",
    title="Least squares on some of the modes",
    source="bahri2021, as recalled",
    simulation="Data of P modes are drawn and the first k modes fitted by least squares.",
    parts=(
        Identity(
            "source",
            "Modes that are left out act as noise: the risk is exact at every number of samples.",
            law=laws["least-squares"],
            experiment=fits,
            grid=Grid(settings(n=(32, 64, 128), k=8, P=64, b=1.5, v=0.1)),
            x_axis="n",
        ),
    ),
)
