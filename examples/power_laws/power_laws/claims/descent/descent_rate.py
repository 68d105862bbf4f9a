"""descent-rate: two phases of one-pass gradient descent."""

from functools import partial

from asymp.reports.declaring import Claim, Grid, Rate, laws, settings
from power_laws.samplers.descent.descent_risk import descents

falls = partial(Rate, law=laws["descent-rate"], experiment=descents, variable="t", families=("power", "corrected"))


def steps(b: float) -> Grid:
    """Few steps cost less, and their risks spread more."""
    cells = settings(t=(32, 128, 512, 2048), P=256, a=2.5, b=b, eta=0.3, v=0.0)
    return Grid(cells, weight=lambda cell: 2048 // cell["t"])


CLAIM = Claim(
    id="descent-rate",
    title="Exponent of one-pass gradient descent",
    source="paquette2024, as recalled",
    simulation="Weights begin at zero and take a gradient step on a fresh sample each time; the risk is that after the last.",
    parts=(
        falls(
            "source", "Up to b = 2a the risk is what is not yet learnt of the target: t^-(b - 1)/a.", grid=steps(3.0)
        ),
        falls(
            "noise",
            "From b = 2a on the noise of the samples rules: t^-(2 - 1/a), whatever the target.",
            grid=steps(9.0),
        ),
    ),
)
