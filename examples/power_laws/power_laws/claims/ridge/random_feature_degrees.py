"""random-feature-degrees: the ridge renormalised by samples and by features."""

from asymp.reports.declaring import Claim, Constant, Grid, laws, settings
from power_laws.samplers.ridge.degrees_of_freedom import random_degrees

CLAIM = Claim(
    id="random-feature-degrees",
    title="Degrees of freedom of random features",
    source="atanasov2024, as recalled",
    simulation="Data and features are drawn; the trace is read off the eigenvalues of the Gram matrix.",
    parts=(
        Constant(
            "source",
            "On k random features the ridge is renormalised twice, by samples and by features.",
            law=laws["random-feature-degrees"],
            experiment=random_degrees,
            grid=Grid(settings(n=64, k=(48, 96, 192), P=256, a=1.2, delta=1.0)),
            margin=0.02,
            x_axis="k",
        ),
    ),
)
