"""optimal-scheme: the best weights that a memory can have leave an error of c*(alpha, M) d^(1-alpha), without a logarithm."""

from typing import Any

from asymp.montecarlo.recall.scheme_error import scheme_error_experiment
from asymp.reports.declare import Claim, part
from asymp.reports.sized import Cell, Sized, cells_of, replicas_of
from asymp.theory import laws

__all__ = ["CLAIM"]


def best(alpha: float, M: int, d: int) -> Cell:
    """A cell with the best weights, which the experiment finds by itself."""
    return {"alpha": alpha, "M": M, "d": d, "weights": "best"}


def other(alpha: float, M: int, d: int, **scheme: Any) -> Cell:
    """A cell with weights of another scheme."""
    return {"alpha": alpha, "M": M, "d": d, **scheme}


BEST: Sized = {
    "quick": [(best(1.5, 2, 1000), 8_000), (best(1.25, 3, 10_000), 3_000)],
    "standard": [
        (best(1.5, 2, 1000), 40_000),
        (best(1.5, 5, 1000), 20_000),
        (best(1.5, 2, 10_000), 60_000),
        (best(1.25, 3, 10_000), 10_000),
        (best(2, 5, 1000), 200_000),
    ],
}
# Half of the best number of equal weights: the stored inputs' own error is then of higher order, and only a log is left.
STORED = {
    "quick": [other(1.5, 5, 10**k, rho=0, k=1.25, growth="log") for k in range(5, 13)],
    "standard": [other(1.5, 5, n * 10**k, rho=0, k=1.25, growth="log") for k in range(5, 13) for n in (1, 3)],
}
STORED["paper"] = STORED["standard"]
SCHEMES = (
    {"rho": 0.1, "k": 0.47, "growth": "linear"},
    {"rho": 0, "k": 1.25, "growth": "log"},
    {"rho": 0.5},
    {"rho": 1},
    {"rho": 0, "k": 0.125, "growth": "linear"},
)
OTHERS: dict[str, list[Cell]] = {
    "quick": [other(1.5, 5, 1000, **scheme) for scheme in SCHEMES],
    "standard": [other(alpha, M, 1000, **s) for alpha, M in ((1.5, 5), (1.5, 2), (2, 5)) for s in SCHEMES],
}
OTHERS["paper"] = OTHERS["standard"]

CLAIM = Claim(
    id="optimal-scheme",
    simulation="Memories of infinitely many inputs. The best weights are inputs of the experiment: it finds the margins that "
    "leave least error by a numerical optimisation of its own, stores them, and counts the errors of the memory; what "
    "the theory says of that error is not used.",
    parts=(
        part(
            "source",
            kind="rate",
            law=laws["optimal-scheme:source"],
            experiment=scheme_error_experiment,
            statement="Storing the most frequent inputs only, of the order of d/log d of them, leaves an error that falls like "
            "d^(1-alpha) up to a logarithm.",
            grid=STORED,
            replicas={"quick": 400, "standard": 2000, "paper": 8000},
            variable="d",
            margin=0.05,
            # (log d/d)^(alpha-1), and what is left out falls like 1/d: a power of d times a power of log d.
            families=("log",),
        ),
        part(
            "sharp",
            kind="constant",
            law=laws["optimal-scheme"],
            experiment=scheme_error_experiment,
            statement="The best weights leave the error that the optimisation promises in many dimensions.",
            grid=cells_of(BEST),
            replicas=replicas_of(BEST),
            margin=0.05,
        ),
        part(
            "constant",
            kind="constant",
            law=laws["optimal-scheme:asymptotic"],
            experiment=scheme_error_experiment,
            statement="With the best weights the error is c*(alpha, M) d^(1-alpha), without a logarithm; c*(2, 5) = 1.2655.",
            grid=cells_of(BEST),
            replicas=replicas_of(BEST),
            margin=0.05,
        ),
        part(
            "least",
            kind="bound",
            law=laws["optimal-scheme:least"],
            experiment=scheme_error_experiment,
            statement="No other scheme does better: equal weights on the best number of inputs, power weights, power weights "
            "with a threshold.",
            grid=OTHERS,
            replicas={"quick": 2000, "standard": 20_000, "paper": 80_000},
        ),
        part(
            "source-best",
            kind="constant",
            law=laws["optimal-scheme:source"],
            experiment=scheme_error_experiment,
            statement="Nothing is better than to store the most frequent inputs only: the error of the best weights is that of "
            "the best number of equal ones.",
            grid=cells_of(BEST),
            replicas=replicas_of(BEST),
            margin=0.05,
            erratum=laws["optimal-scheme:source"].errata[0],
        ),
    ),
)
