"""learnt-quanta: D^(1/(1 + alpha)) quanta from D samples."""

from asymp.reports.declaring import Claim, Grid, Rate, laws, settings
from power_laws.samplers.quanta.unlearnt_quanta import distinct

CLAIM = Claim(
    id="learnt-quanta",
    title="How many quanta are learnt",
    source="michaud2023, as recalled",
    simulation="D independent samples are drawn and the quanta that they use counted.",
    parts=(
        Rate(
            "source",
            "D samples teach quanta in a number like D^(1/(1 + alpha)).",
            law=laws["learnt-quanta"],
            experiment=distinct,
            grid=Grid(settings(D=(16, 64, 256, 1024, 4096), P=16384, alpha=(1.0, 1.5))),
            variable="D",
            families=("power", "corrected"),
        ),
    ),
)
