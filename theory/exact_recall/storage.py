"""What a memory holds: the law p of its inputs, their weights q and their outputs f, from recall_error's arguments.

Two kinds. A `Scheme` is a Zipf law with q = p^rho on x <= P and f(x) = x mod M; N may be infinite and no array of
length N is ever made. A `Table` is three arrays of length N. Both know the class sums S_y of q^2.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from asymp.theory.functions.arguments import FloatArray, IntArray, check_number, check_whole
from asymp.theory.functions.zipf.power_sums import power_sum


@dataclass(frozen=True)
class Scheme:
    """p(x) = C x^-alpha on 1..N; q(x) = p(x)^rho for x <= last, else 0; f(x) = x mod M. N and last may be infinite."""

    alpha: float
    N: float
    M: int
    rho: float
    last: float
    C: float

    def p(self, x: ArrayLike) -> FloatArray:
        """The probability of the inputs x."""
        return np.asarray(self.C * np.asarray(x, dtype=np.float64) ** -self.alpha)

    def q(self, x: ArrayLike) -> FloatArray:
        """The weight of the inputs x."""
        x = np.asarray(x, dtype=np.float64)
        return np.where(x <= self.last, self.p(x) ** self.rho, 0.0)

    def tail(self, x: ArrayLike) -> FloatArray:
        """The mass of the inputs beyond the whole number x (0 from N on)."""
        start = np.minimum(np.asarray(x, dtype=np.float64), self.N)
        start = np.where(np.isinf(start), 0.0, start)  # only where N is infinite and x too: nothing is left
        left = np.where(np.isinf(x), 0.0, self.N - start)
        return np.asarray(self.C * power_sum(self.alpha, start + 1, left))

    def class_mass(self, low: float, high: float) -> FloatArray:
        """The mass of the inputs low < x <= high of each class."""
        return self.C * self._class_powers(self.alpha, low, high)

    def class_powers(self, k: float, low: float = 0) -> FloatArray:
        """The sum of p^k over the inputs x > low of each class."""
        return np.asarray(self.C**k * self._class_powers(k * self.alpha, low, self.N))

    @property
    def squares(self) -> FloatArray:
        """S_y, the sum of q^2 over each class."""
        return np.asarray(self.C ** (2 * self.rho) * self._class_powers(2 * self.rho * self.alpha, 0, self.last))

    def _class_powers(self, s: float, low: float, high: float) -> FloatArray:
        """Sums of x^-s over low < x <= high, x = c mod M, for c = 0..M-1."""
        c = np.arange(1, self.M + 1)
        first = np.maximum(np.floor((low - c) / self.M) + 1, 0)
        count = np.maximum(np.floor((high - c) / self.M) + 1 - first, 0) if high < math.inf else np.inf
        return np.asarray(np.roll(float(self.M) ** -s * power_sum(s, c / self.M + first, count), 1))


@dataclass(frozen=True)
class Table:
    """p, q and f as arrays: p[i], q[i], f[i] belong to the input i + 1."""

    probabilities: FloatArray
    weights: FloatArray
    targets: IntArray
    M: int

    @property
    def squares(self) -> FloatArray:
        """S_y, the sum of q^2 over each class."""
        return np.bincount(self.targets, self.weights**2, minlength=self.M).astype(np.float64)


def make_storage(
    *,
    alpha: float | None = None,
    N: float,
    M: float,
    rho: float = 0,
    P: float | None = None,
    targets: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    p: ArrayLike | None = None,
    sampled: bool = False,
) -> Scheme | Table:
    """The storage that the arguments of recall_error describe, after checking each of them.

    With `sampled` the weights will come from samples, so an infinite sum of p^(2 rho) is no error.
    """
    M = check_whole("M", M, 2)
    size = math.inf if _infinite(N) else check_whole("N", N)
    rho = check_number("rho", rho, 0.0)
    last = size if P is None or _infinite(P) else min(size, math.floor(check_number("P", P, 0.0)))
    if (alpha is None) == (p is None):
        raise ValueError(
            "one of alpha and p must be given, and not both: alpha is the Zipf exponent, p the array of probabilities"
        )
    if weights is not None and (rho != 0 or P is not None):
        raise ValueError("weights replaces rho and P: give either weights, or rho and P")
    plain = targets is None and weights is None and p is None
    if not plain and size == math.inf:
        raise ValueError("N must be finite when targets, weights or p are arrays, got inf")
    if alpha is not None:
        alpha = check_number("alpha", alpha, 0.0)
        if size == math.inf and alpha <= 1:
            raise ValueError(
                "alpha must exceed 1 when N is infinite: the Zipf law has no normaliser otherwise (pass a finite N); "
                f"got {alpha:g}"
            )
        C = 1 / float(power_sum(alpha, 1.0, size))
        if plain:
            if last == math.inf and 2 * rho * alpha <= 1 and not sampled:
                raise ValueError(
                    "2 rho alpha must exceed 1 when infinitely many inputs are stored: the sums of q^2 diverge and the "
                    f"error is 1 - 1/M at every d (pass a finite N or P); got rho = {rho:g}, alpha = {alpha:g}"
                )
            return Scheme(alpha=alpha, N=size, M=M, rho=rho, last=last, C=C)
    size = int(size)
    x = np.arange(1, size + 1)
    chances = np.asarray(C * x ** -(alpha or 0.0), dtype=np.float64) if p is None else _probabilities(p, size)
    f = x % M if targets is None else _targets(targets, size, M)
    q = np.where(x <= last, chances**rho, 0.0) if weights is None else _array("weights", weights, size)
    return Table(probabilities=chances, weights=q, targets=f.astype(np.int64), M=M)


def _infinite(value: object) -> bool:
    return isinstance(value, float | np.floating) and float(value) == math.inf


def _array(name: str, value: ArrayLike, size: int) -> FloatArray:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.shape != (size,) or not np.all(np.isfinite(array)):
        raise ValueError(f"{name} must be an array of N = {size} finite numbers, got shape {np.shape(value)}")
    return array


def _probabilities(value: ArrayLike, size: int) -> FloatArray:
    p = _array("p", value, size)
    total = float(p.sum())
    if np.any(p < 0) or abs(total - 1) > 1e-9:
        raise ValueError(
            f"p must be non-negative and sum to 1, got a sum of {total:g} and a least value of {p.min():g}"
        )
    return p / total


def _targets(value: ArrayLike, size: int, M: int) -> IntArray:
    f = _array("targets", value, size)
    if np.any((f < 0) | (f >= M) | (f != np.floor(f))):
        raise ValueError(f"targets must be whole numbers in 0..M-1 = 0..{M - 1}")
    return f.astype(np.int64)
