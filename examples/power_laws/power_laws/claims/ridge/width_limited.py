"""width-limited: random features as the bottleneck, on both sides of b = 1 + a."""

from functools import partial

from asymp.reports.declaring import Claim, Grid, Rate, laws, settings
from power_laws.samplers.ridge.random_features import projections

# The sum over modes is an integral less 1/2: kappa goes like (k + 1/2)^-a, and the risk at k = 8 lies below the power.
falls = partial(
    Rate,
    law=laws["width-limited"],
    experiment=projections,
    variable="k",
    families=("power", "corrected"),
    omega=(0.8, 1.2),
    kappa=(-0.6, 0.2),
)


def sizes(b: float) -> Grid:
    """Few features cost less, and their risks spread more."""
    return Grid(settings(k=(8, 16, 32, 64), P=2048, a=3.0, b=b), weight=lambda cell: 64 // cell["k"])


CLAIM = Claim(
    id="width-limited",
    title="The resolution-limited regime in width",
    source="bahri2021, as recalled",
    simulation="Features are drawn; the risk is what of the target is orthogonal to them.",
    parts=(
        falls(
            "source",
            "With samples without end k features leave k^-(b - 1), the exponent of data, up to b = 1 + a.",
            grid=sizes(2.5),
        ),
        falls(
            "capacity",
            "From b = 1 + a on they leave k^-a: there the exponents of data and width differ.",
            grid=sizes(6.0),
        ),
    ),
)
