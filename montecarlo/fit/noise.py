"""How noisy the measurements are: from replicates, from the residuals of the form that fits best, or as was declared.

Residuals of neighbouring checkpoints are alike. With `run` their correlation along a run is estimated and taken out of the
fit (a first-order autoregression); without it, along one size, it makes every variance larger: (1 + r)/(1 - r) times.
"""

import math
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
    if table.run is None and table.x.shape[1] == 1 and n >= FEW:
        order = np.argsort(best.x[:, 0], kind="stable")
        r = best.residuals[order]
        rho = min(max(float(r[1:] @ r[:-1]) / max(float(r @ r), 1e-300) + (1 + p) / n, 0.0), LARGEST)
        inflation, most = ((1 + one) / (1 - one) for one in (rho, _upper(rho, n - p, 3.09)))
        clear = rho * np.sqrt(max(n - p, 1)) > CLEAR
        note = f"; neighbours correlate by {rho:.2f}, which is allowed for"
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
    rho = min(_upper(rho, pairs - parameters), LARGEST)
    first = np.concatenate([[True], ~same])
    own, before = np.where(first, 1.0, 1 / np.sqrt(1 - rho**2)), np.where(first, 0.0, -rho / np.sqrt(1 - rho**2))
    row = np.arange(n)
    places = (np.concatenate([row, row[1:]]), np.concatenate([rank, rank[:-1]]))
    return sparse.csr_array((np.concatenate([own, before[1:]]) * weights[places[1]], places), shape=(n, n)), rho
