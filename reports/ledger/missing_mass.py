"""missing-mass: after T samples an infinite memory errs on what it has not seen, about T^(-1 + 1/alpha) of the time."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from asymp.montecarlo.zipf.missing_mass import missing_mass_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]


def infinite(alpha: float, T: int) -> dict[str, Any]:
    """A cell with infinitely many inputs."""
    return {"alpha": alpha, "T": T, "N": math.inf}


PRESETS = ("quick", "standard", "paper")
ALPHAS = (1.5, 2, 3)
# Range narrows an exponent's interval faster than replicas do: three and a half decades and more.
SIZES = {
    "quick": (10, 30, 100, 300, 1000, 3000, 10_000, 30_000),
    "standard": (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000, 100_000, 300_000, 1_000_000),
    "paper": (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000, 100_000, 1_000_000, 10_000_000),
}
RATE = {preset: [infinite(a, t) for a in ALPHAS for t in SIZES[preset]] for preset in PRESETS}
# Steep laws see few inputs, so their missing mass fluctuates more: in a quick check they are left to the exponent.
EXACT = {
    "quick": [infinite(a, t) for a in (1.5, 2) for t in (10, 100, 1000, 10_000)],
    "standard": RATE["standard"],
    "paper": RATE["paper"],
}
# With N finite the power law ends at about T = N^alpha / C; alpha <= 1 is possible there.
FINITE = [{"alpha": a, "T": t, "N": n} for a, n in ((0.5, 200), (1, 200), (2, 50)) for t in (10, 100)]
# The expansion is one for large T; its next term is of relative order T^(-2).
LARGE = {preset: [cell for cell in EXACT[preset] if cell["T"] >= 100] for preset in PRESETS}


def replicas(small: int, large: int, steep: int) -> Callable[[Mapping[str, Any]], int]:
    """Replicas for T below 1000, above, and for steep laws: few inputs seen make a mean that fluctuates more."""
    return lambda cell: steep if cell["alpha"] >= 3 else small if cell["T"] < 1000 else large


RATE_REPLICAS = {"quick": 1024, "standard": 16384, "paper": 16384}
EXACT_REPLICAS = {
    "quick": replicas(16384, 4096, 65536),
    "standard": replicas(32768, 16384, 131072),
    "paper": replicas(32768, 16384, 131072),
}

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
            grid=RATE,
            replicas=RATE_REPLICAS,
            variable="T",
            margin=0.05,
        ),
        part(
            "sharp",
            kind="identity",
            law=laws["missing-mass"],
            experiment=missing_mass_experiment,
            statement="The error equals the exact sum at every T, for infinite and for finite N.",
            grid={preset: EXACT[preset] + FINITE for preset in PRESETS},
            replicas=EXACT_REPLICAS,
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
            replicas=EXACT_REPLICAS,
            margin=0.02,
            x_axis="T",
        ),
    ),
)
