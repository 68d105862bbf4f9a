"""solvable-joint-law: samples and random features enter alike."""

from asymp.reports.declaring import Claim, Constant, Grid, laws, settings
from power_laws.samplers.ridge.solvable_joint_law import joint_risks

CLAIM = Claim(
    id="solvable-joint-law",
    title="Joint law of samples and random features",
    source="maloney2022, as recalled",
    simulation="Data and features are drawn and fitted by the smallest weights that fit best.",
    parts=(
        Constant(
            "source",
            "The risk is n kappa(n)/(1 - n/k) for n < k, and the same with n and k exchanged for k < n.",
            law=laws["solvable-joint-law"],
            experiment=joint_risks,
            grid=Grid(settings(n=64, k=(16, 32, 128, 256), P=256, a=1.5)),
            margin=0.05,
            x_axis="k",
        ),
    ),
)
