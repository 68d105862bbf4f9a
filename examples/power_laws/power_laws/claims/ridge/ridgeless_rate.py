"""ridgeless-rate: the exponent of interpolation without noise, on both sides of b = 1 + 2a."""

from functools import partial

from asymp.reports.declaring import Claim, Grid, Rate, laws, settings
from power_laws.samplers.ridge.ridge_risk import risks

# The sum over modes is an integral less 1/2: kappa goes like (n + 1/2)^-a, and the risk at n = 8 lies below the power.
falls = partial(
    Rate,
    law=laws["ridgeless-rate"],
    experiment=risks,
    variable="n",
    families=("power", "corrected"),
    omega=(0.8, 1.2),
    kappa=(-0.6, 0.2),
)


def sizes(b: float) -> Grid:
    """Small samples cost less, and their risks spread more."""
    cells = settings(n=(8, 16, 32, 64), P=2048, a=3.0, b=b, delta=0.0, v=0.0)
    return Grid(cells, weight=lambda cell: 64 // cell["n"])


CLAIM = Claim(
    id="ridgeless-rate",
    title="Exponent of noiseless interpolation",
    source="cui2021, as recalled",
    simulation="Data are drawn without noise and interpolated by the smallest weights.",
    parts=(
        falls(
            "source",
            "Up to b = 1 + 2a the source limits the risk without noise and ridge: n^-(b - 1).",
            grid=sizes(2.5),
        ),
        falls("capacity", "From b = 1 + 2a on the capacity limits it: n^-2a, whatever the target.", grid=sizes(9.0)),
    ),
)
