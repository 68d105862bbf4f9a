"""threshold-scheme: weights p^rho on the P most frequent inputs; how the error falls depends on how P grows with d."""

from typing import Any

from asymp.montecarlo.samplers.scaling.threshold_scheme import scheme_error_experiment
from asymp.reports.claim import Claim
from asymp.reports.claims.draws import EXACT_COSTS
from asymp.reports.grid import Grid, settings
from asymp.reports.kinds import Bound, Constant, Identity, Rate
from asymp.reports.kinds.drawing import Cell, few_draws
from asymp.theory import laws


def grown(alpha: float, rho: float, M: int, k: float, growth: str, *dimensions: int) -> list[Cell]:
    """Cells whose threshold grows with d: P = k d^(1/(2 alpha rho + 1)), k d or k d/log d."""
    return settings(alpha=alpha, rho=rho, M=M, k=k, growth=growth, d=dimensions)


def fixed(alpha: float, rho: float, M: int, d: int, P: int, **more: Any) -> Cell:
    """A cell with a threshold of its own."""
    return {"alpha": alpha, "rho": rho, "M": M, "d": d, "P": P, **more}


FIVE = tuple(10**k for k in range(3, 8))
ERRATA = laws["threshold-scheme:source"].errata

CLAIM = Claim(
    id="threshold-scheme",
    title="Weights on the most frequent inputs only",
    source="cabannes2024, Proposition 3",
    order=6,
    parts=(
        Rate(
            "source",
            "With the prescribed P ~ d^(1/(2 alpha rho + 1)) the error decays with the exponent "
            "-(alpha-1)/(2 alpha rho + 1); at rho = 0, P = d/8, as long as it is above the floor (M = 5, alpha = 1.5).",
            law=laws["threshold-scheme:source"],
            experiment=scheme_error_experiment,
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
            variable="d",
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
            "With P = d/8 and equal weights the error is (1 - 1/M) p{x > P} + p{x <= P} pi_M(sqrt(8 M)): a power law "
            "that ends at a floor.",
            law=laws["threshold-scheme:asymptotic"],
            experiment=scheme_error_experiment,
            # Two outputs reach the floor first.
            grid=Grid([*grown(1.5, 0, 2, 0.125, "linear", 1000, 100_000), *grown(1.5, 0, 5, 0.125, "linear", 1000)]),
            margin=0.05,
            x_axis="d",
        ),
        Rate(
            "source-floor",
            "With P = d/8 and two outputs the error decays like d^(1-alpha), also for d >= 1e5.",
            law=laws["threshold-scheme:source"],
            experiment=scheme_error_experiment,
            grid=Grid(grown(2, 0, 2, 0.125, "linear", *(10**k for k in range(5, 10)))),
            variable="d",
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
        Rate(
            "log",
            "With P = d/(2 log d), equal weights and two outputs the error decays like d^(1-alpha) up to a logarithm, "
            "at every d.",
            law=laws["threshold-scheme:source"],
            experiment=scheme_error_experiment,
            # Half of the best number of inputs, so that the error of the stored ones is of higher order.
            grid=Grid(grown(1.5, 0, 2, 0.5, "log", *(10**k for k in range(5, 13)))),
            variable="d",
            families=("log",),
            draw=few_draws(1, 100),
        ),
        Rate(
            "source-all",
            "For 2 alpha rho > 1 no number of stored inputs, all of them included, gives a better exponent than "
            "-(alpha-1)/(2 alpha rho + 1).",
            law=laws["threshold-scheme:source"],
            experiment=scheme_error_experiment,
            grid=Grid(settings(alpha=2, rho=0.5, M=5, d=FIVE)),
            variable="d",
            erratum=ERRATA[1],
            draw=few_draws(1, 100),
        ),
        Rate(
            "source-many",
            "For 0 < 2 alpha rho < 1 no number of stored inputs, P = 0.47 d included, gives a better exponent than "
            "-(alpha-1)/(2 alpha rho + 1).",
            law=laws["threshold-scheme:source"],
            experiment=scheme_error_experiment,
            grid=Grid(grown(1.5, 0.1, 5, 0.47, "linear", *FIVE)),
            variable="d",
            erratum=ERRATA[2],
            draw=few_draws(1, 100),
        ),
        Bound(
            "source-few",
            "With 100 inputs and P = d/8, too, the error stays above a constant (taken as 1/2) times d^(1-alpha), up to d = 8 N.",
            law=laws["threshold-scheme:source"],
            experiment=scheme_error_experiment,
            # The figure's own number of inputs, P = d/8, up to where nearly all are stored: an error of 2e-4 has to be told from
            # one of 6.5e-4.
            grid=Grid([fixed(2, 0, 5, d, d // 8, N=100) for d in (64, 256, 768)]),
            constant=0.5,
            erratum=ERRATA[3],
            x_axis="d",
            draw=few_draws(2, reason=EXACT_COSTS, ranges={"N": None, "M": None, "P": None}),
        ),
    ),
)
