"""How noisy the measurements are: from replicates, from the residuals of the form that fits best, or as was declared.

Residuals of neighbouring checkpoints are alike. With `run` their correlation along a run is estimated and taken out of the
fit (a first-order autoregression); without it it makes every variance larger, (1 + r)/(1 - r) times: along one size, and
along the second of two where neighbours at the same first one clearly correlate.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from asymp.lazy import Lazy
from asymp.montecarlo.fit.forms import Array
from asymp.montecarlo.fit.solve import Solution, Whitener
from asymp.montecarlo.fit.table import Table

if TYPE_CHECKING:
    from scipy import sparse
else:
    sparse = Lazy("scipy.sparse")

__all__ = ["Noise", "noise_of", "run_whitener"]

LARGEST, ENDS = 0.9, 0.73
"""The largest correlation of neighbours, and, where a run has many checkpoints, of its ends: .9 three checkpoints apart."""
CLEAR = 2.0  # standard deviations from which on a correlation is no chance
FEW = 10
ENOUGH = 3


@dataclass(frozen=True)
class Noise:
    """The noise of one row in log loss.

    `variance`: of a (whitened) residual. `inflation`: how much more the correlation of neighbours makes of the parameters'
    variance. `freedom`: the degrees of freedom behind the variance. `words`: where it comes from. `most` and `fewest`: inflation
    and freedom for a verdict, from the upper 99.9 % limit of the correlation; the freedom only where neighbours clearly correlate.
    """

    variance: float
    inflation: float
    freedom: float
    words: str
    most: float = 1.0
    fewest: float = math.inf


def _upper(rho: float, pairs: float, deviations: float = 1.645) -> float:
    """The upper 95 % limit of a correlation seen in so many pairs, or one of more standard deviations.

    Too little correlation makes intervals and verdicts too sure, too much only unsure.
    """
    return float(np.tanh(np.arctanh(rho) + deviations / np.sqrt(max(pairs, 1.0))))


def noise_of(best: Solution, table: Table) -> Noise:
    """The noise that the best form leaves, or that replicates show where that is more."""
    n, p = len(best.y), len(best.values)
    left = best.cost / max(n - p, 1)
    inflation = most = 1.0
    clear, note = False, ""
    rho, pairs = neighbours(best, table)
    if table.run is None and pairs + 1 >= FEW:
        upper = _upper(rho, pairs + 1 - p, 3.09)
        most = (1 + upper) / (1 - upper)
        clear = rho * np.sqrt(max(pairs + 1 - p, 1)) > CLEAR
        if table.x.shape[1] == 1 or clear:
            inflation = (1 + rho) / (1 - rho)
            whose = "" if table.x.shape[1] == 1 else f" at the same {table.variables[0]}"
            note = f"; neighbours{whose} correlate by {rho:.2f}, which is allowed for"
    freedom, fewest = (max(n / one - p, 1.0) for one in (inflation, most if clear else inflation))
    words = f"noise of {100 * left**0.5:.2g} % from the residuals of the form {best.form.name}"
    if table.error is not None:
        words = (
            f"noise as declared for each row, times {max(left, 1.0) ** 0.5:.2g} for the scatter about {best.form.name}"
        )
        return Noise(max(left, 1.0), inflation, freedom, words + note, most, fewest)
    variance, among = replicate_variance(best.x, best.y)
    if among >= ENOUGH:
        words = f"noise of {100 * variance**0.5:.2g} % from {among} differences between replicates"
        if left > variance:
            words += f", {100 * left**0.5:.2g} % about the form {best.form.name}"
        left = max(left, variance)
    return Noise(max(left, 1e-24), inflation, freedom, words + note, most, fewest)


def neighbours(best: Solution, table: Table) -> tuple[float, int]:
    """How rows correlate that are next to each other in size, at the same first of two sizes, and how many pairs there are."""
    order = np.lexsort(best.x.T[::-1])
    r, first = best.residuals[order], best.x[order, 0]
    pairs = np.ones(len(r) - 1, dtype=bool) if best.x.shape[1] == 1 else first[1:] == first[:-1]
    count = int(pairs.sum())
    if not count:
        return 0.0, 0
    seen = float((r[1:] * r[:-1])[pairs].sum()) / count * (len(r) - 1) / max(float(r @ r), 1e-300)
    return min(max(seen + (1 + len(best.values)) / len(r), 0.0), LARGEST), count


def replicate_variance(x: Array, y: Array) -> tuple[float, int]:
    """The variance of log y between rows of the same sizes, and its degrees of freedom."""
    _, group = np.unique(x, axis=0, return_inverse=True)
    group = group.ravel()
    logs = np.log(y)
    count = np.bincount(group)
    mean = np.bincount(group, logs) / count
    freedom = int((count - 1).sum())
    return (float(((logs - mean[group]) ** 2).sum() / freedom) if freedom else 0.0), freedom


def run_whitener(
    residuals: Array, x: Array, runs: Sequence[str], parameters: int, weights: Array
) -> tuple[Whitener, float, float]:
    """The matrix that takes a first-order autoregression along each run's checkpoints out, its correlation, and an upper limit."""
    n = len(residuals)
    rank = np.lexsort((*x.T[::-1], np.array(runs)))
    same = np.array([runs[a] == runs[b] for a, b in zip(rank[1:], rank[:-1], strict=True)])
    pairs = int(same.sum())
    if pairs < ENOUGH:
        return weights, 0.0, 0.0
    r = residuals[rank]
    top = float((r[1:] * r[:-1])[same].sum()) / pairs
    # What the fit takes from the residuals makes neighbours look less alike: by its parameters over the rows.
    rho = min(max(top / max(float(r @ r) / n, 1e-300) + parameters / n, 0.0), LARGEST)
    cap = max(LARGEST, ENDS ** (1 / (max(Counter(runs).values()) - 1)))
    rho, upper = (min(_upper(rho, pairs - parameters, limit), cap) for limit in (1.645, 3.09))
    first = np.concatenate([[True], ~same])
    own, before = np.where(first, 1.0, 1 / np.sqrt(1 - rho**2)), np.where(first, 0.0, -rho / np.sqrt(1 - rho**2))
    row = np.arange(n)
    places = (np.concatenate([row, row[1:]]), np.concatenate([rank, rank[:-1]]))
    return sparse.csr_array((np.concatenate([own, before[1:]]) * weights[places[1]], places), shape=(n, n)), rho, upper
