"""Laws just outside the declared class. They never widen an interval: they only keep a verdict from being given.

The truth may lie a little outside any class. Four forms stand for that, with y = x/x_max:

two powers        a x^b (1 + c y^-w), w from 0.1
crossover         a x^b / (1 + c y^-w), w from 0.1
two corrections   a x^b (1 + c y^-w + e y^-2w), w from 0.3
corrected floor   a x^b (1 + c y^-w) + F, F >= 0, w from 0.3

with corrections at the largest size of at most two thirds of the leading power, since without a limit no exponent means
anything. With b and w fixed the mean (for the crossover its inverse) is linear in what is left: non-negative least squares
by Gauss-Newton steps, after which chi2 is that of the data's own likelihood.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from asymp.montecarlo.exponent.data import Likelihood

LARGEST = 2 / 3  # of the corrections at the largest size, over the leading power
FASTEST = 2.0  # exponent of a correction


@dataclass(frozen=True)
class Alternative:
    """A form: its name, its corrections as multiples of w, the smallest w, whether it has a floor or is an inverse."""

    name: str
    corrections: tuple[int, ...]
    slowest: float
    floor: bool = False
    inverse: bool = False

    @property
    def parameters(self) -> int:
        """The free parameters, level and exponent included."""
        return 3 + len(self.corrections) + self.floor

    def chi2(self, data: Likelihood, b: float) -> float:
        """The smallest chi2 of the form with this exponent."""
        w = np.geomspace(self.slowest, FASTEST / max(self.corrections), 14)
        for _ in range(3):
            found = np.array([self._with(data, b, value) for value in w])
            i = int(found.argmin())
            w = np.geomspace(w[max(i - 1, 0)], w[min(i + 1, len(w) - 1)], 6)
        return float(found.min())

    def _with(self, data: Likelihood, b: float, w: float) -> float:
        y = data.t - data.t[-1]
        sign = -1 if self.inverse else 1
        eta, white = sign * data.rough[0], data.rough[1]
        corrections = [np.exp((sign * b - multiple * w) * y) for multiple in self.corrections]
        first = corrections[0]
        # a (power + LARGEST first) - g first + e (second - first) + F: g >= 0 is the distance from the limit.
        columns = [np.exp(sign * b * y) + LARGEST * first, -first, *([np.ones_like(y)] if self.floor else [])]
        columns += [part for other in corrections[1:] for part in (other - first, first - other)]
        X = np.stack(columns, axis=1)
        log = eta
        for _ in range(2):
            scaled = X * np.exp(-log)[:, None]
            mean = X @ nnls(white @ scaled, white @ (eta - log + 1))[0]
            if not (mean > 0).all():
                return math.inf
            log = np.log(mean)
        return float(data.intercept(sign * log))


ALTERNATIVES = (
    Alternative("a sum of two powers", (1,), 0.1),
    Alternative("a crossover between two powers", (1,), 0.1, inverse=True),
    Alternative("a power with two corrections", (1, 2), 0.3),
    Alternative("a power with a correction and a floor", (1,), 0.3, floor=True),
)
