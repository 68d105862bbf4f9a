"""degrees-of-freedom: the self-consistent equation, measured."""

from asymp.reports.declaring import Claim, Constant, Grid, laws, settings
from power_laws.samplers.ridge.degrees_of_freedom import degrees

CLAIM = Claim(
    id="degrees-of-freedom",
    title="Degrees of freedom of ridge regression",
    source="atanasov2024, as recalled",
    simulation="Features are drawn; the trace is read off the eigenvalues of their Gram matrix.",
    parts=(
        Constant(
            "source",
            "The trace of the hat matrix is n - delta/kappa: the self-consistent equation itself.",
            law=laws["degrees-of-freedom"],
            experiment=degrees,
            grid=Grid(settings(n=(64, 128), P=256, a=(0.8, 1.2), delta=0.1)),
            margin=0.02,
            x_axis="n",
        ),
    ),
)
