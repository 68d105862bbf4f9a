"""distinct-quanta: how many quanta D samples use."""

from asymp.reports.declaring import Claim, Grid, Identity, laws, settings
from power_laws.samplers.quanta.unlearnt_quanta import distinct

CLAIM = Claim(
    id="distinct-quanta",
    title="How many quanta are seen",
    source="hutter2021, as recalled",
    simulation="D independent samples are drawn and the quanta that they use counted.",
    parts=(
        Identity(
            "source",
            "D samples use the sum of 1 - (1 - p)^D quanta.",
            law=laws["distinct-quanta"],
            experiment=distinct,
            grid=Grid(settings(D=(10, 100, 1000), P=256, alpha=0.7)),
            x_axis="D",
        ),
    ),
)
