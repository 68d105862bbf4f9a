"""quantum-step: the step in which one quantum is learnt."""

from asymp.reports.declaring import Claim, Grid, Identity, laws, rows
from power_laws.samplers.quanta.unlearnt_quanta import missing

CLAIM = Claim(
    id="quantum-step",
    title="The step of one quantum",
    source="michaud2023, as recalled",
    simulation="D independent samples are drawn; a run is 1 if none of them uses the quantum.",
    parts=(
        Identity(
            "source",
            "A quantum is unlearnt with probability (1 - p)^D: the smooth loss is made of steps, each at about 1/p samples.",
            law=laws["quantum-step"],
            experiment=missing,
            grid=Grid(rows("i D", (2, 2), (2, 4), (2, 8), (8, 16), (8, 64), (8, 96), P=256, alpha=0.7)),
            x_axis="D",
        ),
    ),
)
