"""Compute-optimal sizes, and whether a design of two sizes can tell their exponents apart."""

from dataclasses import dataclass

import numpy as np

from asymp.montecarlo.fit.backtest import Fitted, student
from asymp.montecarlo.fit.forms import Array
from asymp.montecarlo.fit.table import Table

__all__ = ["Optimum", "check_identifiable", "compute_optimum"]

NARROW = 0.05
DRAWS = 200


@dataclass(frozen=True)
class Optimum:
    """The sizes that minimise the loss at a compute of 6 N D, their intervals, and the loss there."""

    compute: float
    sizes: tuple[float, float]
    intervals: tuple[tuple[float, float], tuple[float, float]]
    loss: float
    level: float


def check_identifiable(table: Table) -> None:
    """Raise ValueError, naming runs that would help, if the two sizes of all rows lie on one line of their logarithms."""
    n, d = np.log(table.x).T
    slope, level = np.polyfit(n, d, 1)
    scatter = float(np.std(d - slope * n - level))
    if scatter >= NARROW:
        return
    first, second = table.variables
    middle = float(np.exp(np.median(n)))
    tokens = float(np.exp(slope * np.log(middle) + level))
    raise ValueError(
        f"{second} follows {first} in every row ({second} ~ {first}^{slope:.2g}, within {100 * scatter:.1g} %), so that their "
        f"two exponents cannot be told apart; fit one size (--x {first}), or add runs off this line, such as "
        f"{first}={middle:.3g} with {second}={tokens / 4:.3g} and with {second}={4 * tokens:.3g}"
    )


def compute_optimum(fitted: Fitted, compute: float, level: float) -> Optimum:
    """The optimum at a compute: of the first allowed form, with intervals over all of them and their parameters' noise."""
    if len(fitted.table.variables) != 2:
        raise ValueError("a compute-optimal size needs a table of two sizes, such as --x params,tokens")
    if not isinstance(compute, int | float) or not 6 <= compute < np.inf:
        raise ValueError(
            f"compute must be a number of FLOP, at least the 6 of one parameter and one token; got {compute!r}"
        )
    rng = np.random.default_rng(0)
    found: list[Array] = []
    centres = []
    for name in fitted.allowed:
        one = fitted.solutions[name]
        noise = fitted.noise
        logs = np.array([p in one.form.positive for p in one.form.parameters])
        q = np.where(logs, np.log(np.where(logs, one.values, 1.0)), one.values)
        values, vectors = np.linalg.eigh(one.spread * noise.variance * noise.inflation)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        moves = rng.standard_normal((DRAWS, len(q))) @ root.T * (student(level, noise.freedom) / student(level, 1e6))
        draws = [np.where(logs, np.exp(np.clip(np.where(logs, q + m, 0), -690, 690)), q + m) for m in moves]
        centres.append(_least(one.form.value, one.values, compute))
        every = np.array([_least(one.form.value, p, compute)[0] for p in draws])
        found.append(np.quantile(every, [(1 - level) / 2, (1 + level) / 2]))
    n, loss = centres[0]
    low, high = min(ends[0] for ends in found), max(ends[1] for ends in found)
    ends = (float(np.exp(low)), float(np.exp(high)))
    best = float(np.exp(n))
    tokens = (compute / 6 / ends[1], compute / 6 / ends[0])
    return Optimum(compute, (best, compute / 6 / best), (ends, tokens), loss, level)


def _least(value: object, p: Array, compute: float) -> tuple[float, float]:
    """log N at the least loss along N D = C/6, by a grid and twice a finer one."""
    low, high = 0.0, float(np.log(compute / 6))
    for _ in range(4):
        t = np.linspace(low, high, 41)
        x = np.exp(np.stack([t, np.log(compute / 6) - t], axis=1))
        with np.errstate(all="ignore"):
            f = np.asarray(value(p, x)[0])  # type: ignore[operator]
        i = int(np.argmin(np.where(np.isfinite(f) & (f > 0), f, np.inf)))
        low, high = t[max(i - 1, 0)], t[min(i + 1, 40)]
    return float(t[i]), float(f[i])
