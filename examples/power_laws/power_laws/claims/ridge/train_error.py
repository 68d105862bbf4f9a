"""train-error: what ridge regression leaves on its own data."""

from asymp.reports.declaring import Claim, Constant, Grid, laws, settings
from power_laws.samplers.ridge.train_error import train_errors

CLAIM = Claim(
    id="train-error",
    title="Training error of ridge regression",
    source="atanasov2024, as recalled",
    simulation="Data are drawn and the normal equations solved; a run is the mean squared residual.",
    parts=(
        Constant(
            "source",
            "The training error is (delta/(n kappa))^2 times the test error.",
            law=laws["train-error"],
            experiment=train_errors,
            grid=Grid(settings(n=(64, 128, 256), P=512, a=1.5, b=1.5, delta=1.0, v=0.1)),
            margin=0.02,
            x_axis="n",
        ),
    ),
)
