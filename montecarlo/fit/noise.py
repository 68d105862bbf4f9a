"""How noisy the measurements are: from replicates, from the residuals of the form that fits best, or as was declared.

Residuals of neighbouring checkpoints are alike. With `run` their correlation along a run is estimated and taken out of the
fit (a first-order autoregression); without it, along one size, it makes every variance larger: (1 + r)/(1 - r) times.
"""

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

LARGEST = 0.9
FEW = 10
ENOUGH = 3


@dataclass(frozen=True)
class Noise:
    """The noise of one row in log loss.

    `variance`: of a (whitened) residual. `inflation`: how much more the correlation of neighbours makes of the parameters'
    variance. `freedom`: the degrees of freedom behind the variance. `words`: where it comes from.
    """

    variance: float
    inflation: float
    freedom: float
    words: str


def noise_of(best: Solution, table: Table) -> Noise:
    """The noise that the best form leaves, or that replicates show where that is more."""
    n, p = len(best.y), len(best.values)
    left = best.cost / max(n - p, 1)
    inflation = 1.0
    note = ""
    if table.run is None and table.x.shape[1] == 1 and n >= FEW:
        order = np.argsort(best.x[:, 0], kind="stable")
        r = best.residuals[order]
        rho = min(max(float(r[1:] @ r[:-1]) / max(float(r @ r), 1e-300) + (1 + p) / n, 0.0), LARGEST)
        inflation = (1 + rho) / (1 - rho)
        note = f"; neighbours correlate by {rho:.2f}, which is allowed for"
    freedom = max(n / inflation - p, 1.0)
    words = f"noise of {100 * left**0.5:.2g} % from the residuals of the form {best.form.name}"
    if table.error is not None:
        words = (
            f"noise as declared for each row, times {max(left, 1.0) ** 0.5:.2g} for the scatter about {best.form.name}"
        )
        return Noise(max(left, 1.0), inflation, freedom, words + note)
    variance, among = replicate_variance(best.x, best.y)
    if among >= ENOUGH:
        words = f"noise of {100 * variance**0.5:.2g} % from {among} differences between replicates"
        if left > variance:
            words += f", {100 * left**0.5:.2g} % about the form {best.form.name}"
        left = max(left, variance)
    return Noise(max(left, 1e-24), inflation, freedom, words + note)


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
) -> tuple[Whitener, float]:
    """The matrix that takes a first-order autoregression along each run's checkpoints out, and its correlation."""
    n = len(residuals)
    rank = np.lexsort((*x.T[::-1], np.array(runs)))
    same = np.array([runs[a] == runs[b] for a, b in zip(rank[1:], rank[:-1], strict=True)])
    pairs = int(same.sum())
    if pairs < ENOUGH:
        return weights, 0.0
    r = residuals[rank]
    top = float((r[1:] * r[:-1])[same].sum()) / pairs
    # What the fit takes from the residuals makes neighbours look less alike: by its parameters over the rows.
    rho = min(max(top / max(float(r @ r) / n, 1e-300) + parameters / n, 0.0), LARGEST)
    # Too little correlation makes intervals too narrow, too much only too wide: the upper 95 % limit is taken.
    rho = min(float(np.tanh(np.arctanh(rho) + 1.645 / np.sqrt(max(pairs - parameters, 1)))), LARGEST)
    first = np.concatenate([[True], ~same])
    own, before = np.where(first, 1.0, 1 / np.sqrt(1 - rho**2)), np.where(first, 0.0, -rho / np.sqrt(1 - rho**2))
    row = np.arange(n)
    places = (np.concatenate([row, row[1:]]), np.concatenate([rank, rank[:-1]]))
    return sparse.csr_array((np.concatenate([own, before[1:]]) * weights[places[1]], places), shape=(n, n)), rho
