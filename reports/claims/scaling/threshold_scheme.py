"""threshold-scheme: weights p^rho on the P most frequent inputs; how the error falls depends on how P grows with d."""

from functools import partial
from typing import Any

from asymp.montecarlo.samplers.scaling.threshold_scheme import scheme_error_experiment
from asymp.reports.claims.draws import EXACT_COSTS
from asymp.reports.declaring import Bound, Cell, Claim, Constant, Grid, Identity, Rate, few_draws, laws, settings


def grown(alpha: float, rho: float, M: int, k: float, growth: str, *dimensions: int) -> list[Cell]:
    """Cells whose threshold grows with d: P = k d^(1/(2 alpha rho + 1)), k d or k d/log d."""
    return settings(alpha=alpha, rho=rho, M=M, k=k, growth=growth, d=dimensions)


def fixed(alpha: float, rho: float, M: int, d: int, P: int, **more: Any) -> Cell:
    """A cell with a threshold of its own."""
    return {"alpha": alpha, "rho": rho, "M": M, "d": d, "P": P, **more}


FIVE = tuple(10**k for k in range(3, 8))
ERRATA = laws["threshold-scheme:source"].errata

rate = partial(Rate, law=laws["threshold-scheme:source"], experiment=scheme_error_experiment, variable="d")

CLAIM = Claim(
    id="threshold-scheme",
    title="Weights on the most frequent inputs only",
    source="cabannes2024, Proposition 3",
    order=6,
    parts=(
        rate(
            "source",
            "With weights on the P ~ d^(1/(2 alpha rho + 1)) most frequent inputs only, the error falls like d^(-(alpha-1)/(2 "
            "alpha rho + 1)), as long as it is above the floor.",
            # The prescribed P is a whole multiple of M at every size, so that neither rounding nor unequal classes bend the
            # curve: d = 8 P at rho = 0, d = P^3 at alpha = 2, rho = 1/2 and d = P^5 at rho = 1.
            grid=Grid(
                [
                    *grown(
                        1.5, 0, 5, 0.125, "prescribed", *(8 * P for P in (50, 125, 500, 1250, 5000, 12_500, 125_000))
                    ),
                    *grown(2, 0.5, 5, 1, "prescribed", *(P**3 for P in (10, 20, 30, 50, 80, 120, 200))),
                    *grown(2, 1, 5, 1, "prescribed", *(P**5 for P in (10, 15, 20, 30, 40, 60, 80))),
                ]
            ),
            draw=few_draws(2, 100),
        ),
        Identity(
            "sharp",
            "The error equals the exact law at finite d and given P.",
            law=laws["threshold-scheme"],
            experiment=scheme_error_experiment,
            grid=Grid(
                [
                    fixed(2, 0, 5, 100, 12),
                    fixed(1.5, 0, 2, 100, 50),
                    fixed(1.5, 0.5, 3, 60, 20, N=200),
                    fixed(2, 1, 4, 40, 8, outputs="sphere"),
                ]
            ),
            draw=few_draws(3, reason=EXACT_COSTS, ranges={"M": (2, 8)}),
        ),
        Constant(
            "curve",
            "With equal weights on P = d/8 inputs the error is (1 - 1/M) p{x > P} + p{x <= P} pi_M(sqrt(8 M)): a power law that "
            "ends at a floor.",
            law=laws["threshold-scheme:asymptotic"],
            experiment=scheme_error_experiment,
            # Two outputs reach the floor first.
            grid=Grid([*grown(1.5, 0, 2, 0.125, "linear", 1000, 100_000), *grown(1.5, 0, 5, 0.125, "linear", 1000)]),
            margin=0.05,
            x_axis="d",
        ),
        rate(
            "source-floor",
            "With P = d/8 and two answers the error goes on falling like d^(1-alpha) for d >= 1e5.",
            grid=Grid(grown(2, 0, 2, 0.125, "linear", *(10**k for k in range(5, 10)))),
            families=("power", "corrected"),
            erratum=ERRATA[0],
            draw=few_draws(
                1,
                100,
                reason="the floor is that of few outputs: pi_M(sqrt(M/k)) falls off so fast in M that no d reaches it from "
                "M = 3 on",
                ranges={"M": None, "k": None},
            ),
        ),
        rate(
            "log",
            "With P = d/(2 log d), equal weights and two outputs the error decays like d^(1-alpha) up to a logarithm, "
            "at every d.",
            # Half of the best number of inputs, so that the error of the stored ones is of higher order.
            grid=Grid(grown(1.5, 0, 2, 0.5, "log", *(10**k for k in range(5, 13)))),
            families=("log",),
            draw=few_draws(1, 100),
        ),
        rate(
            "source-all",
            "For 2 alpha rho > 1 no other number of stored inputs gives a faster decay than the prescribed one, not even all of "
            "them.",
            grid=Grid(settings(alpha=2, rho=0.5, M=5, d=FIVE)),
            erratum=ERRATA[1],
            draw=few_draws(1, 100),
        ),
        rate(
            "source-many",
            "For 0 < 2 alpha rho < 1 no other number of stored inputs gives a faster decay than the prescribed one, not even P "
            "= 0.47 d.",
            grid=Grid(grown(1.5, 0.1, 5, 0.47, "linear", *FIVE)),
            erratum=ERRATA[2],
            draw=few_draws(1, 100),
        ),
        Bound(
            "source-few",
            "With 100 inputs, too, storing P = d/8 of them leaves an error that falls no faster than d^(1-alpha), up to d = 8 N.",
            law=laws["threshold-scheme:source"],
            experiment=scheme_error_experiment,
            # The figure's own number of inputs, P = d/8, up to where nearly all are stored: an error of 1e-3 has to be told from
            # one of 2.7e-3.
            grid=Grid(settings(alpha=2, rho=0, M=5, k=0.125, growth="linear", N=100, d=(64, 640))),
            along="d",
            erratum=ERRATA[3],
            draw=few_draws(2, reason=EXACT_COSTS, ranges={"N": None, "M": None, "k": None}),
        ),
    ),
)
