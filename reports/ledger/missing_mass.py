"""missing-mass: after T samples an infinite memory errs on what it has not seen, about T^(-1 + 1/alpha) of the time."""

import math

from asymp.montecarlo.missing_mass import missing_mass_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

ALPHAS = (1.5, 2, 3)
# Four decades and more: range narrows an exponent's interval faster than replicas do.
SIZES = {
    "quick": (10, 30, 100, 300, 1000, 3000, 10_000, 30_000),
    "standard": (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000, 100_000, 300_000, 1_000_000),
    "paper": (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000, 100_000, 1_000_000, 10_000_000),
}
# Few samples make a mean that fluctuates more, and cost less.
REPLICAS = {
    "quick": lambda cell: 16384 if cell["T"] < 1000 else 4096,
    "standard": lambda cell: 131072 if cell["T"] < 1000 else 16384,
    "paper": lambda cell: 131072 if cell["T"] < 1000 else 16384,
}
INFINITE = {
    preset: [{"alpha": a, "T": t, "N": math.inf} for a in ALPHAS for t in sizes] for preset, sizes in SIZES.items()
}
# With N finite the power law ends at about T = N^alpha / C; alpha <= 1 is possible there.
FINITE = [{"alpha": a, "T": t, "N": n} for a, n in ((0.5, 200), (1, 200), (2, 50)) for t in (10, 100)]
# The expansion is one for large T; its next term is of relative order T^(-2).
LARGE = {preset: [cell for cell in cells if cell["T"] >= 100] for preset, cells in INFINITE.items()}

CLAIM = Claim(
    id="missing-mass",
    simulation="T independent samples are drawn from the Zipf law (the infinite one exactly, not a truncation); the error "
    "is the probability of the inputs that were not among them.",
    parts=(
        part(
            "source",
            kind="rate",
            law=laws["missing-mass:source"],
            experiment=missing_mass_experiment,
            statement="The error decays in the number of samples T with the exponent -1 + 1/alpha.",
            grid=INFINITE,
            replicas=REPLICAS,
            variable="T",
            margin=0.05,
        ),
        part(
            "sharp",
            kind="identity",
            law=laws["missing-mass"],
            experiment=missing_mass_experiment,
            statement="The error equals the exact sum at every T, for infinite and for finite N.",
            grid={preset: cells + FINITE for preset, cells in INFINITE.items()},
            replicas=REPLICAS,
            margin=0.02,
            x_axis="T",
        ),
        part(
            "asymptotic",
            kind="constant",
            law=laws["missing-mass:asymptotic"],
            experiment=missing_mass_experiment,
            statement="The constant that the source hides, with the first correction, gives the whole curve from T = 100.",
            grid=LARGE,
            replicas=REPLICAS,
            margin=0.02,
            x_axis="T",
        ),
    ),
)
