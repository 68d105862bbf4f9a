"""missing-mass: after T samples an infinite memory errs on what it has not seen, about T^(-1 + 1/alpha) of the time."""

import math

from asymp.montecarlo.samplers.scaling.missing_mass import missing_mass_experiment
from asymp.reports.declaring import Claim, Constant, Grid, Identity, Rate, Setting, laws, settings

# Steep laws see few inputs, so their missing mass fluctuates more: they are left to the exponent.
EXACT = settings(alpha=(1.5, 2), T=(10, 100, 1000, 10_000), N=math.inf)
# With N finite the power law ends at about T = N^alpha / C; alpha <= 1 is possible there.
FINITE = [*settings(alpha=(0.5, 1), T=(10, 100), N=200), *settings(alpha=2, T=(10, 100), N=50)]


def few_seen(cell: Setting) -> int:
    """Few inputs seen make a mean that fluctuates more, and cost less."""
    return 4 if cell["T"] < 1000 else 1


CLAIM = Claim(
    id="missing-mass",
    title="Error of an infinite memory after T samples",
    source="cabannes2024, Proposition 1",
    order=1,
    parts=(
        Rate(
            "source",
            "The error of a memory that recalls everything it has seen falls like T^(-1+1/alpha) in the number T of samples.",
            law=laws["missing-mass:source"],
            experiment=missing_mass_experiment,
            # Range narrows an exponent's interval faster than replicas do: three and a half decades.
            grid=Grid(settings(alpha=(1.5, 2, 3), T=(10, 30, 100, 300, 1000, 3000, 10_000, 30_000), N=math.inf)),
            variable="T",
            # infinitely many inputs: corrections in powers of 1/T (Karlin), neither a floor nor a logarithm
            families=("power", "corrected"),
        ),
        Identity(
            "sharp",
            "The error equals the exact sum at every T, for infinite and for finite N.",
            law=laws["missing-mass"],
            experiment=missing_mass_experiment,
            grid=Grid([*EXACT, *FINITE], weight=few_seen),
            x_axis="T",
        ),
        Constant(
            "asymptotic",
            "The constant that the source leaves out, with the first correction to it, gives the whole curve from T = "
            "100 on.",
            law=laws["missing-mass:asymptotic"],
            experiment=missing_mass_experiment,
            # The expansion is one for large T; its next term is of relative order T^(-2).
            grid=Grid([cell for cell in EXACT if cell["T"] >= 100], weight=few_seen),
            margin=0.02,
            x_axis="T",
        ),
    ),
)
