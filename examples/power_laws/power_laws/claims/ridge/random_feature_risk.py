"""random-feature-risk: the risk of random features with ridge and noise, against its deterministic equivalent."""

from asymp.reports.declaring import Claim, Constant, Grid, laws, settings
from power_laws.samplers.ridge.random_features import feature_risks

CLAIM = Claim(
    id="random-feature-risk",
    title="Risk of ridge regression on random features",
    source="defilippis2024, as recalled",
    simulation="Data and features are drawn and the normal equations solved; the risk is a sum over the modes.",
    parts=(
        Constant(
            "source",
            "The excess risk of k random features is that of the equivalent whose ridge samples and features renormalise.",
            law=laws["random-feature-risk"],
            experiment=feature_risks,
            grid=Grid(settings(n=128, k=(64, 128, 256), P=256, a=1.2, b=1.5, delta=1.0, v=0.1)),
            margin=0.02,
            x_axis="k",
        ),
    ),
)
