"""missing-mass: after T samples an infinite memory errs on what it has not seen, about T^(-1 + 1/alpha) of the time."""

import math
from collections.abc import Callable

from asymp.montecarlo.samplers.scaling.missing_mass import missing_mass_experiment
from asymp.reports.claim import Claim
from asymp.reports.grid import Grid, Setting, settings
from asymp.reports.kinds import Constant, Identity, Rate
from asymp.theory import laws

# Range narrows an exponent's interval faster than replicas do: three and a half decades and more.
SIZES = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000, 100_000)
RATE = (
    settings(alpha=(1.5, 2, 3), T=(10, 30, 100, 300, 1000, 3000, 10_000, 30_000), N=math.inf),
    settings(alpha=(1.5, 2, 3), T=(*SIZES, 300_000, 1_000_000), N=math.inf),
    settings(alpha=(1.5, 2, 3), T=(*SIZES, 1_000_000, 10_000_000), N=math.inf),
)
# Steep laws see few inputs, so their missing mass fluctuates more: in a quick check they are left to the exponent.
EXACT = (settings(alpha=(1.5, 2), T=(10, 100, 1000, 10_000), N=math.inf), *RATE[1:])
# With N finite the power law ends at about T = N^alpha / C; alpha <= 1 is possible there.
FINITE = [*settings(alpha=(0.5, 1), T=(10, 100), N=200), *settings(alpha=2, T=(10, 100), N=50)]


def replicas(small: int, large: int, steep: int) -> Callable[[Setting], int]:
    """Replicas for T below 1000, above, and for steep laws: few inputs seen make a mean that fluctuates more."""
    return lambda cell: steep if cell["alpha"] >= 3 else small if cell["T"] < 1000 else large


EXACT_REPLICAS = (replicas(16384, 4096, 65536), replicas(32768, 16384, 131072))

CLAIM = Claim(
    id="missing-mass",
    title="Error of an infinite memory after T samples",
    source="cabannes2024, Proposition 1",
    order=1,
    parts=(
        Rate(
            "source",
            "The error decays in the number of samples T with the exponent -1 + 1/alpha.",
            law=laws["missing-mass:source"],
            experiment=missing_mass_experiment,
            grid=Grid(*RATE, replicas=(1024, 16384)),
            variable="T",
        ),
        Identity(
            "sharp",
            "The error equals the exact sum at every T, for infinite and for finite N.",
            law=laws["missing-mass"],
            experiment=missing_mass_experiment,
            grid=Grid(*(cells + FINITE for cells in EXACT), replicas=EXACT_REPLICAS),
            x_axis="T",
        ),
        Constant(
            "asymptotic",
            "The constant that the source hides, with the first correction, gives the whole curve from T = 100.",
            law=laws["missing-mass:asymptotic"],
            experiment=missing_mass_experiment,
            # The expansion is one for large T; its next term is of relative order T^(-2).
            grid=Grid(*([c for c in cells if c["T"] >= 100] for cells in EXACT), replicas=EXACT_REPLICAS),
            margin=0.02,
            x_axis="T",
        ),
    ),
)
