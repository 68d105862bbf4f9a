"""variance-limited: one of four regimes."""

from asymp.reports.declaring import Claim, Grid, Rate, laws, settings
from power_laws.samplers.ridge.least_squares import beyond

CLAIM = Claim(
    id="variance-limited",
    title="The variance-limited regime",
    source="bahri2021, as recalled",
    parts=(
        Rate(
            "source",
            "Beyond what k modes can do, the risk falls like 1/n, whatever the spectrum.",
            law=laws["variance-limited"],
            experiment=beyond,
            grid=Grid(settings(n=(64, 128, 256, 512, 1024, 2048), k=8, P=16, b=1.5, v=0.1)),
            variable="n",
            families=("power", "corrected"),
        ),
    ),
)
