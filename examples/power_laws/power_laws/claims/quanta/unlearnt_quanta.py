"""unlearnt-quanta: the loss of the quantization model at every number of samples."""

from asymp.reports.declaring import Claim, Grid, Identity, laws, settings
from power_laws.samplers.quanta.unlearnt_quanta import unlearnt

CLAIM = Claim(
    id="unlearnt-quanta",
    title="Loss of the quantization model",
    source="michaud2023, as recalled",
    simulation="D independent samples are drawn; the loss is the probability of the quanta that fewer than tau of them use.",
    parts=(
        Identity(
            "source",
            "The loss is the probability of the quanta seen fewer than tau times.",
            law=laws["unlearnt-quanta"],
            experiment=unlearnt,
            grid=Grid(settings(D=(10, 30, 100), P=4096, alpha=0.4, tau=(1, 3))),
            x_axis="D",
        ),
    ),
)
