"""quanta-rate: alpha_D = alpha/(1 + alpha)."""

from asymp.reports.declaring import Claim, Grid, Rate, laws, settings
from power_laws.samplers.quanta.unlearnt_quanta import unlearnt

CLAIM = Claim(
    id="quanta-rate",
    title="Exponent of the quantization model in data",
    source="michaud2023, hutter2021, as recalled",
    simulation="D independent samples are drawn; the loss is the probability of the quanta that none of them uses.",
    parts=(
        Rate(
            "source",
            "The loss falls like D^(-alpha/(1 + alpha)).",
            law=laws["quanta-rate"],
            experiment=unlearnt,
            grid=Grid(settings(D=(8, 16, 32, 64, 128, 256, 512, 1024), P=16384, alpha=(1.0, 1.5))),
            variable="D",
            families=("power", "corrected"),
        ),
    ),
)
