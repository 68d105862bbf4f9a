"""sgd-map-as-power: which power of p the weights of the SGD map look like, and that it depends on how one looks."""

from functools import partial

from asymp.montecarlo.samplers.training.sgd_map_as_power import fitted_power_experiment
from asymp.reports.declaring import Claim, Constant, Grid, Identity, few_draws, laws, settings

FITS = ("log-log", "linear", "anchored")
# The grid on which rho is refined ends at 1e-15; the least squares lose half the digits, on each processor others.
FITTED = 1e-6

COUNTS = "the first of N inputs is shown (N + 3)^2/16 times: seconds from N = 200 on; the figure's N, not given, is some hundred"


constant = partial(Constant, experiment=fitted_power_experiment, resolution=FITTED)

CLAIM = Claim(
    id="sgd-map-as-power",
    title="Weights of the SGD map as a power of p",
    source="cabannes2024, Figure 5",
    order=8,
    parts=(
        constant(
            "source",
            "With steps gamma = 0.001 the weights of the SGD map follow p itself (rho = 1), on log-log axes.",
            law=laws["sgd-map-as-power:source"],
            grid=Grid(settings(gamma=0.001, N=(40, 100), M=5, fit="log-log")),
            draw=few_draws(3, 2, reason=COUNTS, ranges={"N": (30, 100)}),
        ),
        Identity(
            "sharp",
            "The power rho that is fitted to the weights of SGD is the one that the map predicts, for each way of "
            "fitting.",
            law=laws["sgd-map-as-power"],
            experiment=fitted_power_experiment,
            grid=Grid(settings(gamma=(10.0, 0.1, 0.001), N=40, M=5, fit=FITS)),
            margin=0.001,
            resolution=FITTED,
            draw=few_draws(24, 2, reason=COUNTS, ranges={"N": (10, 100)}),
        ),
        constant(
            "source-large",
            "With steps gamma = 10 the weights of the SGD map follow p^0.05, at N = 100 and M = 5, on linear axes and "
            "from the first input on.",
            law=laws["sgd-map-as-power:source"],
            grid=Grid(settings(gamma=10.0, N=100, M=5, fit="anchored")),
            draw=few_draws(
                1, 2, reason="the pair of the caption, at the figure's N", ranges={"gamma": None, "N": None, "M": None}
            ),
        ),
        constant(
            "source-middle",
            "With steps gamma = 0.1 the weights of the SGD map follow p^0.35, at N = 100 and M = 5.",
            law=laws["sgd-map-as-power:source"],
            grid=Grid(settings(gamma=0.1, N=100, M=5, fit=FITS)),
            erratum=laws["sgd-map-as-power:source"].errata[0],
            draw=few_draws(3, 2, reason=COUNTS, ranges={"N": None, "M": None}),
        ),
    ),
)
