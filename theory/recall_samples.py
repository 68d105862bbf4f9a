"""Memories made from T samples: draws of the counts.

The counts of T samples are multinomial. q(x) = (count/T)^rho where x is among the P most frequent inputs of the sample
(equal counts: the smaller input first) and was seen, else 0.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asymp.theory.missing_mass_numerics import missing_mass_mean
from asymp.theory.power_sums import FloatArray
from asymp.theory.recall_atoms import Atoms, group_atoms
from asymp.theory.recall_storage import Scheme, Table

__all__ = ["CountLaw"]

IntArray = NDArray[np.int64]

DENSE = 20_000
"""Up to so many inputs the counts are one array; beyond, the rare inputs of a scheme are drawn one by one."""

MOST = 3e7
"""Samples in the tail that one draw may hold."""


@dataclass(frozen=True)
class CountLaw:
    """The law of the counts of T samples, and of the memory made from them."""

    storage: Scheme | Table
    T: int
    rho: float
    P: float
    head: FloatArray
    """Probabilities of the inputs 1..H; the rest is the tail of a scheme."""
    classes: IntArray
    total: FloatArray
    """The mass of each class."""

    @staticmethod
    def make(storage: Scheme | Table, T: int, rho: float, P: float) -> "CountLaw":
        """From the storage without samples; P = inf keeps all."""
        M = storage.M
        if isinstance(storage, Table):
            p, f = storage.probabilities, storage.targets
            return CountLaw(storage, T, rho, P, p, f, np.bincount(f, p, minlength=M).astype(np.float64))
        # With H of the order of (T C)^(1/alpha) the inputs beyond H are seen about once.
        size = DENSE if DENSE >= storage.N else int(min(50 * DENSE, max(DENSE, 2 * _often(storage, T))))
        H = int(min(storage.N, size))
        x = np.arange(1, H + 1)
        if T * float(storage.tail(H)) > MOST:
            raise ValueError(
                f"T must be smaller for this law: a draw of T = {T:g} samples has about "
                f"{T * float(storage.tail(H)):.2g} rare ones (pass T=None for the limit of infinitely many)"
            )
        total = storage.class_mass(0, storage.N)
        return CountLaw(storage, T, rho, P, np.asarray(storage.p(x)), x % M, total)

    @property
    def mean_unseen(self) -> float:
        """The mean of the mass that T samples do not show."""
        if isinstance(self.storage, Scheme):
            return float(missing_mass_mean(alpha=self.storage.alpha, T=self.T, N=self.storage.N))
        return float(np.sum(self.head * np.exp(self.T * np.log1p(-np.minimum(self.head, 1 - 1e-16)))))

    def draw(self, draws: int, rng: np.random.Generator) -> tuple[Atoms, FloatArray]:
        """The atoms of `draws` independent memories, and the mass that each has not seen."""
        M = self.storage.M
        which, x, counts, classes, mass = self._counts(draws, rng)
        unseen = 1.0 - np.bincount(which, mass, minlength=draws).astype(np.float64)
        if math.inf > self.P:
            # The P most frequent of each draw: sorted by draw, then by falling count, then by input.
            order = np.lexsort((x, -counts, which))
            rank = np.arange(len(order)) - np.searchsorted(which[order], np.arange(draws))[which[order]]
            order = order[rank < self.P]
            which, counts, classes, mass = which[order], counts[order], classes[order], mass[order]
        q = (counts / self.T) ** self.rho
        S = np.bincount(which * M + classes, q**2, minlength=draws * M).astype(np.float64).reshape(draws, M)
        return group_atoms(S, np.broadcast_to(self.total, (draws, M)), which, classes, q, mass), unseen

    def _counts(self, draws: int, rng: np.random.Generator) -> tuple[Any, ...]:
        """Seen inputs of all draws: draw, input, count, class, probability."""
        H = len(self.head)
        beyond = max(1 - float(self.head.sum()), 0.0) if self._has_tail else 0.0
        chances = np.append(self.head, beyond)
        table = rng.multinomial(self.T, chances / chances.sum(), size=draws)
        which, index = np.nonzero(table[:, :H])
        parts = [(which, index + 1.0, table[which, index].astype(np.float64), self.classes[index], self.head[index])]
        if self._has_tail:
            parts.append(self._tail(table[:, H], rng))
        return tuple(np.concatenate(v) for v in zip(*parts, strict=True))

    @property
    def _has_tail(self) -> bool:
        return isinstance(self.storage, Scheme) and len(self.head) < self.storage.N

    def _tail(self, numbers: IntArray, rng: np.random.Generator) -> tuple[Any, ...]:
        """The same for the inputs beyond H, `numbers` samples in each draw."""
        scheme = self.storage
        assert isinstance(scheme, Scheme)
        which = np.repeat(np.arange(len(numbers)), numbers)
        x = np.empty(len(which))
        todo = np.arange(len(x))
        a, low, high = scheme.alpha, len(self.head) + 0.5, scheme.N + 0.5
        while len(todo):
            # A power law on the line, rounded to whole numbers: t^-a is convex, so its integral over a unit
            # interval exceeds its value in the middle, and their ratio is the chance of keeping the draw.
            y = _power_law(rng.random(len(todo)), a, low, high)
            k = np.minimum(np.round(y), scheme.N)
            half = 0.5 / k
            with np.errstate(invalid="ignore"):
                step = np.log1p(half) - np.log1p(-half)
                scaled = step if a == 1 else (1 - half) ** (1 - a) * np.expm1((1 - a) * step) / (1 - a)
                keep = ~(rng.random(len(todo)) * scaled * k > 1)
            x[todo[keep]] = k[keep]
            todo = todo[~keep]
        order = np.lexsort((x, which))
        which, x = which[order], x[order]
        new = np.flatnonzero(np.concatenate([[True], (which[1:] != which[:-1]) | (x[1:] != x[:-1])])[: len(x)])
        counts = np.diff(np.append(new, len(x))).astype(np.float64)
        which, x = which[new], x[new]
        # Beyond 2^53 doubles do not tell classes apart; all are equally likely there.
        small = x < 2.0**53
        classes = np.where(small, np.mod(np.where(small, x, 0.0), scheme.M), rng.integers(scheme.M, size=len(x)))
        return which, x, counts, classes.astype(np.int64), scheme.p(x)


def _often(scheme: Scheme, T: int) -> float:
    return float(math.exp(min(math.log(T * scheme.C) / scheme.alpha, 60.0))) if scheme.alpha > 0 else float(scheme.N)


def _power_law(u: FloatArray, a: float, low: float, high: float) -> FloatArray:
    """Draws from t^-a on low..high by inversion (high may be infinite)."""
    if high == math.inf:
        return np.asarray(low * (1 - u) ** (-1 / (a - 1)))
    ratio = math.log(high / low)
    if a == 1:
        return np.asarray(low * np.exp(u * ratio))
    return np.asarray(low * np.exp(np.log1p(u * math.expm1((1 - a) * ratio)) / (1 - a)))
