"""What `fit_exponent` is given: the sizes, the replicas' values and the declared class, checked before any work."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from asymp.montecarlo.exponent.counts import ENOUGH, size_counts
from asymp.montecarlo.exponent.likelihood import Array, Likelihood, LogMeans, pair_means, size_means

__all__ = ["FAMILIES", "check_class", "check_sizes", "read_data"]

FAMILIES = ("power", "corrected", "floor", "log")
ROUGH = 0.3  # relative standard error of a mean from which a warning is given
FEW = 4  # fewest sizes, and fewest replicas of values that are not counts


def check_class(
    families: Sequence[str], kappa: Any, omega: Any, log_power: Any
) -> tuple[tuple[str, ...], tuple[float, float], tuple[float, float], tuple[float, float]]:
    """The declared class, in one order."""
    names = (families,) if isinstance(families, str) else tuple(families)
    unknown = [name for name in names if name not in FAMILIES]
    if unknown or not names:
        raise ValueError(f"families must be some of {', '.join(FAMILIES)}; got {families!r}")
    pairs = []
    for what, value, least, most in (
        ("kappa", kappa, -1.0, math.inf),
        ("omega", omega, 0.0, math.inf),
        ("log_power", log_power, -math.inf, math.inf),
    ):
        try:
            low, high = (float(v) for v in value)
        except (TypeError, ValueError):
            raise ValueError(f"{what} must be a pair (low, high) of numbers; got {value!r}") from None
        if not (least < low < high < most):
            raise ValueError(f"{what} must be a pair (low, high) with {least:g} < low < high, finite; got {value!r}")
        pairs.append((low, high))
    return tuple(n for n in FAMILIES if n in names), pairs[0], pairs[1], pairs[2]


def check_sizes(sizes: Any, *, logs: bool) -> Array:
    """Sizes as an array: at least four, positive, increasing; above 1 if a logarithm is in the class."""
    try:
        x = np.asarray(sizes, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"sizes must be a sequence of numbers; got {sizes!r}") from None
    if x.ndim != 1 or len(x) < FEW:
        raise ValueError(
            f"sizes must be a sequence of at least {FEW} numbers; got {x.size if x.ndim == 1 else x.shape}"
        )
    if not np.isfinite(x).all() or (x <= 0).any():
        raise ValueError(f"sizes must be positive and finite; got {x.tolist()}")
    if (np.diff(x) <= 0).any():
        raise ValueError(f"sizes must be strictly increasing; got {x.tolist()}")
    if logs and x[0] <= 1:
        raise ValueError(
            f"sizes must exceed 1 for the family 'log', whose law is a x^b (log x)^p; got {x[0]:g}: "
            "leave 'log' out of families, or measure sizes in a smaller unit"
        )
    return x


def read_data(
    sizes: Any, samples: Any, *, paired: bool, counts: Any, logs: bool
) -> tuple[Array, Likelihood, str, tuple[str, ...]]:
    """Sizes, their likelihood, its name for people and what they should know about it."""
    x = check_sizes(sizes, logs=logs)
    k = len(x)
    t = np.log(x)
    values = _values(samples, k, paired)
    for size, at_size in zip(x, values, strict=True):
        if len(at_size) == 0:
            raise ValueError(f"samples must hold at least one replica a size; got none at size {size:g}")
        if not np.isfinite(at_size).all():
            raise ValueError(f"samples must be finite; got NaN or infinity at size {size:g}")
        if at_size.mean() < 0:
            raise ValueError(
                f"samples must have a positive mean at every size; got {at_size.mean():g} at size {size:g}"
            )
    trials = _trials(counts, x, values)
    if trials is not None and not paired:
        return x, *_counted(x, t, values, trials)
    if trials is not None:
        values = _rates(x, values, trials)
    for size, at_size in zip(x, values, strict=True):
        if at_size.mean() == 0:
            raise ValueError(
                f"samples at size {size:g} have mean zero, which has no logarithm: give `counts` (trials a replica), "
                "so that a count likelihood can be used; no size is dropped and nothing is added"
            )
        if len(at_size) < FEW:
            raise ValueError(f"samples must hold at least {FEW} replicas a size; got {len(at_size)} at size {size:g}")
        if np.ptp(at_size) == 0:
            raise ValueError(f"samples at size {size:g} are all equal, so that their spread is unknown")
    if not paired:
        means = size_means(t, values)
        return x, means, f"{_replicas(values)} independent replicas a size", _rough(x, means)
    n = len(values[0])
    if n < 4 * k:
        raise ValueError(f"paired samples need 4 replicas for each size, {4 * k} for {k} sizes; got {n}")
    data = pair_means(t, np.stack(values, axis=1))
    spread = np.sqrt(np.diag(data.cov))
    if np.linalg.eigvalsh(data.cov / np.outer(spread, spread))[0] < 1e-10:
        raise ValueError("paired samples of some sizes determine each other: their covariance cannot be inverted")
    return x, data, f"{n} replicas shared between sizes", _rough(x, data)


def _values(samples: Any, k: int, paired: bool) -> list[Array]:
    try:
        rows = [np.atleast_1d(np.asarray(row, dtype=float)) for row in samples]
    except (TypeError, ValueError):
        raise ValueError(f"samples must be one sequence of numbers a size; got {type(samples).__name__}") from None
    if len(rows) != k or any(row.ndim != 1 for row in rows):
        raise ValueError(f"samples must be one sequence of values a size, {k} of them; got {len(rows)}")
    if paired and len({len(row) for row in rows}) > 1:
        raise ValueError(f"paired samples must have the same replicas at every size; got {_replicas(rows)} of them")
    return rows


def _trials(counts: Any, x: Array, values: list[Array]) -> Array | None:
    """Trials a replica at each size; None if the values are no counts."""
    if counts is None:
        binary = all(((row == 0) | (row == 1)).all() for row in values)
        return np.ones(len(x)) if binary else None
    try:
        trials = np.broadcast_to(np.asarray(counts, dtype=float), x.shape).copy()
    except (TypeError, ValueError):
        raise ValueError(
            f"counts must be a number of trials, or one for each of {len(x)} sizes; got {counts!r}"
        ) from None
    finite = np.isfinite(trials)
    if np.isnan(trials).any() or (trials < 1).any() or (finite.any() and not finite.all()):
        raise ValueError(f"counts must be numbers of trials >= 1, or math.inf for Poisson counts; got {counts!r}")
    for size, n, row in zip(x, trials, values, strict=True):
        if (row < 0).any() or (row > n).any():
            raise ValueError(
                f"samples at size {size:g} must lie between 0 and counts = {n:g}; got {row.min():g}..{row.max():g}"
            )
    return trials


def _counted(x: Array, t: Array, values: list[Array], trials: Array) -> tuple[Likelihood, str, tuple[str, ...]]:
    zero = [f"{size:g}" for size, row in zip(x, values, strict=True) if row.sum() == 0]
    if len(x) - len(zero) < 2:
        raise ValueError("samples must have a positive mean at two sizes at least: errors at one size give no exponent")
    data = size_counts(t, values, trials)
    kind = "Poisson counts" if data.poisson else "binomial counts"
    notes = (f"no error seen at size {', '.join(zero)}, kept as a count of zero",) if zero else ()
    return data, f"{kind}, {_replicas(values)} independent replicas a size", notes


def _rates(x: Array, values: list[Array], trials: Array) -> list[Array]:
    """Paired counts as rates, normal enough where errors abound; rare dependent counts have no known likelihood."""
    for size, row in zip(x, values, strict=True):
        if row.sum() < ENOUGH:
            raise ValueError(
                f"paired counts need at least {ENOUGH:g} errors at every size; got {row.sum():g} at size {size:g}: "
                "draw the replicas independently, so that a count likelihood can be used"
            )
    return [row / (1.0 if math.isinf(n) else n) for row, n in zip(values, trials, strict=True)]


def _rough(x: Array, data: LogMeans) -> tuple[str, ...]:
    """A warning where a mean is so uncertain that its logarithm is hardly normal."""
    error = np.sqrt(np.diag(data.cov))
    worst = int(error.argmax())
    if error[worst] < ROUGH:
        return ()
    return (
        f"the mean at size {x[worst]:g} is known to {100 * error[worst]:.0f} % only: more replicas are needed there",
    )


def _replicas(values: list[Array]) -> str:
    least, most = min(map(len, values)), max(map(len, values))
    return f"{least}" if least == most else f"{least}-{most}"
