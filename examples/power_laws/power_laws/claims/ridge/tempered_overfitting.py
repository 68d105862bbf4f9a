"""tempered-overfitting: the price of interpolated noise."""

from asymp.reports.declaring import Claim, Constant, Grid, laws, settings
from power_laws.samplers.ridge.ridge_risk import risks

CLAIM = Claim(
    id="tempered-overfitting",
    title="Interpolated noise",
    source="mallinar2022, as recalled",
    simulation="Data with noise are drawn and interpolated by the smallest weights.",
    parts=(
        Constant(
            "source",
            "Interpolated noise of variance v costs (a - 1) v, however many samples there are.",
            law=laws["tempered-overfitting"],
            experiment=risks,
            grid=Grid(settings(n=(32, 64), P=2048, a=2.0, b=6.0, delta=0.0, v=1.0)),
            margin=0.1,
            x_axis="n",
        ),
    ),
)
