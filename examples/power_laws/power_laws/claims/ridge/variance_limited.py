"""variance-limited: one of four regimes."""

from asymp.reports.declaring import Claim, Grid, Rate, laws, settings
from power_laws.samplers.ridge.least_squares import beyond

CLAIM = Claim(
    id="variance-limited",
    title="The variance-limited regime",
    source="bahri2021, as recalled",
    simulation="Data of P modes are drawn and the first k modes fitted; of the risk, that of the best weights is taken away.",
    parts=(
        Rate(
            "source",
            "Beyond what k modes can do, the risk falls like 1/n, whatever the spectrum.",
            law=laws["variance-limited"],
            experiment=beyond,
            grid=Grid(
                settings(n=(128, 512, 2048, 8192), k=32, P=64, b=1.5, v=0.1), weight=lambda cell: 8192 // cell["n"]
            ),
            variable="n",
            families=("power", "corrected"),
            omega=(0.8, 1.2),  # exactly, it is k/(n - k - 1)
        ),
    ),
)
