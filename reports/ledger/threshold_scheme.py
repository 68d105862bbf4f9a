"""threshold-scheme: weights p^rho on the P most frequent inputs; how the error falls depends on how P grows with d."""

from typing import Any

from asymp.montecarlo.recall.scheme_error import scheme_error_experiment
from asymp.reports.declare import Claim, part
from asymp.reports.sized import Cell, Sized, cells_of, replicas_of
from asymp.theory import laws

__all__ = ["CLAIM"]

PRESETS = ("quick", "standard", "paper")


def grown(alpha: float, rho: float, M: int, d: int, k: float, growth: str) -> Cell:
    """A cell whose threshold grows with d: P = k d^(1/(2 alpha rho + 1)), k d or k d/log d."""
    return {"alpha": alpha, "rho": rho, "M": M, "d": d, "k": k, "growth": growth}


def fixed(alpha: float, rho: float, M: int, d: int, P: int, **more: Any) -> Cell:
    """A cell with a threshold of its own."""
    return {"alpha": alpha, "rho": rho, "M": M, "d": d, "P": P, **more}


# The prescribed P is a whole multiple of M at every size, so that neither rounding nor unequal classes bend the curve:
# d = 8 P at rho = 0, d = P^3 at alpha = 2, rho = 1/2 and d = P^5 at rho = 1.
EIGHTH = {
    "quick": (50, 125, 500, 1250, 5000, 12_500, 125_000),
    "standard": (50, 100, 250, 500, 1250, 2500, 5000, 12_500),
}
EIGHTH["standard"] += (25_000, 125_000)
CUBES = {"quick": (10, 20, 30, 50, 80, 120, 200), "standard": (10, 15, 20, 30, 40, 60, 80, 100, 150, 200)}
FIFTHS = {"quick": (10, 15, 20, 30, 40, 60, 80), "standard": (10, 15, 20, 25, 30, 40, 50, 60, 70, 80)}
SOURCE = {
    preset: [
        *(grown(1.5, 0, 5, 8 * P, 0.125, "prescribed") for P in EIGHTH[preset]),
        *(grown(2, 0.5, 5, P**3, 1, "prescribed") for P in CUBES[preset]),
        *(grown(2, 1, 5, P**5, 1, "prescribed") for P in FIFTHS[preset]),
    ]
    for preset in ("quick", "standard")
}
SOURCE["paper"] = SOURCE["standard"]

SHARP: Sized = {
    "quick": [
        (fixed(2, 0, 5, 100, 12), 20_000),
        (fixed(1.5, 0, 2, 100, 50), 10_000),
        (fixed(1.5, 0.5, 3, 60, 20, N=200), 10_000),
        (fixed(2, 1, 4, 40, 8, outputs="sphere"), 16_000),
    ],
    "standard": [
        (fixed(2, 0, 5, 100, 12), 80_000),
        (fixed(1.5, 0, 2, 100, 50), 40_000),
        (fixed(1.5, 0.5, 3, 60, 20, N=200), 40_000),
        (fixed(2, 1, 4, 40, 8, outputs="sphere"), 60_000),
        (fixed(1.2, 0, 8, 64, 40, outputs="sphere"), 40_000),
        (fixed(0.8, 0.5, 3, 30, 50, N=500), 40_000),
    ],
}
# P = d/8: a power law, then the floor pi_M(sqrt(8 M)), which two outputs reach first.
CURVE: Sized = {
    "quick": [
        (grown(1.5, 0, 2, 1000, 0.125, "linear"), 10_000),
        (grown(1.5, 0, 5, 1000, 0.125, "linear"), 6_000),
        (grown(1.5, 0, 2, 100_000, 0.125, "linear"), 25_000),
    ],
    "standard": [
        (grown(1.5, 0, 2, 1000, 0.125, "linear"), 40_000),
        (grown(1.5, 0, 5, 1000, 0.125, "linear"), 20_000),
        (grown(1.5, 0, 5, 100_000, 0.125, "linear"), 60_000),
        (grown(1.5, 0, 2, 100_000, 0.125, "linear"), 80_000),
        (grown(1.5, 0, 2, 10_000_000, 0.125, "linear"), 100_000),
        (grown(2, 0, 2, 10_000, 0.125, "linear"), 100_000),
    ],
}
FLOOR = {
    "quick": [grown(2, 0, 2, d, 0.125, "linear") for d in (10**5, 10**6, 10**7, 10**8, 10**9)],
    "standard": [grown(2, 0, 2, n * 10**k, 0.125, "linear") for k in (5, 6, 7, 8) for n in (1, 3)],
}
FLOOR["paper"] = FLOOR["standard"]
# Half of the best number of inputs, so that the error of the stored ones is of higher order.
LOG = {
    "quick": [grown(1.5, 0, 2, 10**k, 0.5, "log") for k in range(5, 13)],
    "standard": [grown(1.5, 0, 2, n * 10**k, 0.5, "log") for k in range(5, 13) for n in (1, 3)],
}
LOG["paper"] = LOG["standard"]
FIVE = [10**k for k in range(3, 8)]
ALL = [{"alpha": 2, "rho": 0.5, "M": 5, "d": d} for d in FIVE]
MANY = [grown(1.5, 0.1, 5, d, 0.47, "linear") for d in FIVE]
RATE_REPLICAS = {"quick": 400, "standard": 2000, "paper": 8000}
ERRATA = laws["threshold-scheme:source"].errata

CLAIM = Claim(
    id="threshold-scheme",
    simulation="Memories of infinitely many inputs of which P are stored: the first one by one, the others of a class as one "
    "gaussian vector with their exact variance, with inputs drawn from ranges of p to stand for all. Stored inputs of "
    "equal weights are exchangeable, and about a thousand of them carry the probability of all. Scores are drawn at a "
    "cost that does not depend on d.",
    parts=(
        part(
            "source",
            kind="rate",
            law=laws["threshold-scheme:source"],
            experiment=scheme_error_experiment,
            statement="With the prescribed P ~ d^(1/(2 alpha rho + 1)) the error decays with the exponent "
            "-(alpha-1)/(2 alpha rho + 1); at rho = 0, P = d/8, as long as it is above the floor (M = 5, alpha = 1.5).",
            grid=SOURCE,
            replicas=RATE_REPLICAS,
            variable="d",
            margin=0.05,
        ),
        part(
            "sharp",
            kind="identity",
            law=laws["threshold-scheme"],
            experiment=scheme_error_experiment,
            statement="The error equals the exact law at finite d and given P.",
            grid=cells_of(SHARP),
            replicas=replicas_of(SHARP),
            margin=0.02,
        ),
        part(
            "curve",
            kind="constant",
            law=laws["threshold-scheme:asymptotic"],
            experiment=scheme_error_experiment,
            statement="With P = d/8 and equal weights the error is (1 - 1/M) p{x > P} + p{x <= P} pi_M(sqrt(8 M)): a power law "
            "that ends at a floor.",
            grid=cells_of(CURVE),
            replicas=replicas_of(CURVE),
            margin=0.05,
            x_axis="d",
        ),
        part(
            "source-floor",
            kind="rate",
            law=laws["threshold-scheme:source"],
            experiment=scheme_error_experiment,
            statement="With P = d/8 and two outputs the error decays like d^(1-alpha), also for d >= 1e5.",
            grid=FLOOR,
            replicas={"quick": 2000, "standard": 8000, "paper": 32_000},
            variable="d",
            margin=0.05,
            # Neither the source's law at P = k d nor the corrected one has a logarithm, and a floor is what the source
            # does not have: it would hide any power under it.
            families=("power", "corrected"),
            erratum=ERRATA[0],
        ),
        part(
            "log",
            kind="rate",
            law=laws["threshold-scheme:source"],
            experiment=scheme_error_experiment,
            statement="With P = d/(2 log d), equal weights and two outputs the error decays like d^(1-alpha) up to a logarithm, "
            "at every d.",
            grid=LOG,
            replicas=RATE_REPLICAS,
            variable="d",
            margin=0.05,
            # (log d/d)^(alpha-1), and what is left out falls like 1/d: a power of d times a power of log d.
            families=("log",),
        ),
        part(
            "source-all",
            kind="rate",
            law=laws["threshold-scheme:source"],
            experiment=scheme_error_experiment,
            statement="For 2 alpha rho > 1 no number of stored inputs, all of them included, gives a better exponent than "
            "-(alpha-1)/(2 alpha rho + 1).",
            grid=dict.fromkeys(PRESETS, ALL),
            replicas=RATE_REPLICAS,
            variable="d",
            margin=0.05,
            erratum=ERRATA[1],
        ),
        part(
            "source-many",
            kind="rate",
            law=laws["threshold-scheme:source"],
            experiment=scheme_error_experiment,
            statement="For 0 < 2 alpha rho < 1 no number of stored inputs, P = 0.47 d included, gives a better exponent than "
            "-(alpha-1)/(2 alpha rho + 1).",
            grid=dict.fromkeys(PRESETS, MANY),
            replicas=RATE_REPLICAS,
            variable="d",
            margin=0.05,
            erratum=ERRATA[2],
        ),
    ),
)
