"""feature-variance: the second of the variance-limited regimes."""

from asymp.reports.declaring import Claim, Grid, Rate, laws, settings
from power_laws.samplers.ridge.random_features import feature_spreads

CLAIM = Claim(
    id="feature-variance",
    title="The variance-limited regime in width",
    source="bahri2021, as recalled",
    simulation="Two draws of k random features are fitted to the same data; a run is half the squared distance of the fits.",
    parts=(
        Rate(
            "source",
            "What the draw of k random features adds to the risk falls like 1/k, whatever the spectrum.",
            law=laws["feature-variance"],
            experiment=feature_spreads,
            grid=Grid(
                settings(n=16, k=(64, 256, 1024, 4096), P=64, a=1.5, b=1.5, delta=1.0),
                weight=lambda cell: 4096 // cell["k"],
            ),
            variable="k",
            families=("power", "corrected"),
            omega=(0.8, 1.2),  # moments of k independent features are polynomials in 1/k
        ),
    ),
)
