"""ridge-risk: ridge regression on power-law features, against its deterministic equivalent."""

from asymp.reports.declaring import Claim, Constant, Grid, laws, settings
from power_laws.samplers.ridge.ridge_risk import risks

CLAIM = Claim(
    id="ridge-risk",
    title="Risk of ridge regression",
    source="bordelon2020, simon2021, as recalled",
    simulation="Data are drawn and the normal equations solved; the risk is a sum over the modes.",
    parts=(
        Constant(
            "source",
            "The excess risk is that of the deterministic equivalent, within 2 % from 64 samples on.",
            law=laws["ridge-risk"],
            experiment=risks,
            grid=Grid(
                [
                    *settings(n=(64, 128, 256), P=256, a=1.5, b=1.5, delta=0.1, v=0.0),
                    *settings(n=(128, 1024), P=256, a=1.2, b=2.0, delta=1.0, v=0.2),
                ]
            ),
            margin=0.02,
            x_axis="n",
        ),
    ),
)
