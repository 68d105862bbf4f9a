"""sgd-map-as-power: which power of p the weights of the SGD map look like, and that it depends on how one looks."""

from asymp.montecarlo.train.map_weights import fitted_power_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

PRESETS = ("quick", "standard", "paper")
REPLICAS = dict.fromkeys(PRESETS, 4)
FITS = ("log-log", "linear", "anchored")
QUICK = [{"gamma": gamma, "N": 40, "M": 5, "fit": fit} for gamma in (10.0, 0.1, 0.001) for fit in FITS]
STANDARD = [
    {"gamma": gamma, "N": 100, "M": M, "fit": fit} for gamma in (10.0, 0.1, 0.001) for M in (2, 5, 20) for fit in FITS
]
LARGE = [{"gamma": 10.0, "N": N, "M": 5, "fit": "linear"} for N in (40, 100)]
CAPTION = [{"gamma": 0.1, "N": 100, "M": 5, "fit": fit} for fit in FITS]
# The grid on which rho is refined ends at 1e-15; the least squares lose half the digits, on each processor others.
FITTED = 1e-6

CLAIM = Claim(
    id="sgd-map-as-power",
    simulation="An input is shown up to n_1 times to a memory with orthonormal embeddings that keeps what is written on the "
    "target; weights at n_x = ((N + 3)/(x + 3))^2 are read off, interpolated, and A p^rho is fitted to them: log q on log p, or "
    "on linear axes with A free or fixed at x = 1.",
    notes=(
        "The caption does not give N nor the way of comparing; M = 5 and N = 100 as in the source's other figures.",
    ),
    parts=(
        part(
            "source",
            kind="constant",
            law=laws["sgd-map-as-power:source"],
            experiment=fitted_power_experiment,
            statement="gamma = 0.001 looks like rho = 1 on log-log axes.",
            grid={
                preset: [{"gamma": 0.001, "N": N, "M": 5, "fit": "log-log"} for N in (40, 100)] for preset in PRESETS
            },
            replicas=REPLICAS,
            margin=0.1,
            resolution=FITTED,
        ),
        part(
            "sharp",
            kind="identity",
            law=laws["sgd-map-as-power"],
            experiment=fitted_power_experiment,
            statement="The fitted rho is that of the map, for each way of fitting.",
            grid={"quick": QUICK, "standard": STANDARD, "paper": STANDARD},
            replicas=REPLICAS,
            margin=0.001,
            resolution=FITTED,
        ),
        part(
            "source-middle",
            kind="constant",
            law=laws["sgd-map-as-power:source"],
            experiment=fitted_power_experiment,
            statement="gamma = 0.1 matches rho = 0.35, at N = 100 and M = 5.",
            grid=dict.fromkeys(PRESETS, CAPTION),
            replicas=REPLICAS,
            margin=0.1,
            resolution=FITTED,
            erratum=laws["sgd-map-as-power:source"].errata[0],
        ),
    ),
)
