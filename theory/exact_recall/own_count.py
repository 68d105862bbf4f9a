"""Memories made from T samples of a few inputs: the count of the input asked for first, then the others.

Much of what varies between draws of the counts is the count n of the very input z that is asked for. It is binomial, so
that pairs (z, n) of mass p(z) P(n) are atoms like any others: they are steered, also towards rare counts (n = 0 is an
unseen input), and only the class sums of the other inputs, given n, are left to chance: T - n samples of those.
"""

import math
from dataclasses import dataclass

import numpy as np

from asymp.theory.exact_recall.atoms import Atoms, Choice
from asymp.theory.exact_recall.bulk import Bulk, Line
from asymp.theory.exact_recall.quadrature import Part
from asymp.theory.exact_recall.samples import CountLaw
from asymp.theory.exact_recall.steering import Steering
from asymp.theory.functions.arguments import FloatArray, IntArray
from asymp.theory.lazy import special

MOST_INPUTS = 512
PILOT = 256
DEPTH = 60.0
"""Counts whose probability is below exp(-DEPTH) of the largest are left out."""

CELLS = 400
"""Counts of an input come in at most about so many blocks."""


class OwnCount:
    """The atoms (z, n), and the way to draw the rest."""

    def __init__(self, law: CountLaw, d: int, sphere: bool, switch: float, rng: np.random.Generator) -> None:
        if law.has_tail:
            raise ValueError("the law of the counts must hold every input in its head")
        self.law, self.T, self.M = law, law.T, law.storage.M
        self.p, self.f = law.head / law.head.sum(), law.classes
        # Measured: counts that are mostly 0 cost little, those of frequent inputs (drawn by rejection) most.
        mean = self.T * self.p
        self.overhead = float(np.sum(1.5 + 3 * np.minimum(mean, 1.0) + 15 * (mean * (1 - self.p) > 30)))
        self.asked = np.flatnonzero(self.p > 0)
        self.members = np.zeros((len(self.f), self.M))
        self.members[np.arange(len(self.f)), self.f] = 1.0
        others = np.where(np.eye(len(self.p)) > 0, 0.0, self.p)
        self.others = others / np.maximum(others.sum(axis=1, keepdims=True), 1e-300)
        self.x, self.start, self.count = self._blocks()
        # Typical class sums of the others, for the estimates.
        squares = self.weights(rng.multinomial(self.T, self.p, size=PILOT), rng) ** 2
        middle = self.start + np.floor(self.count / 2)
        q = law.weight((self.x + 1).astype(np.float64), middle)
        c, line = self.f[self.x], np.arange(len(self.x))
        S = np.broadcast_to(squares.mean(axis=0) @ self.members, (len(q), self.M)).copy()
        S[line, c] = np.maximum(S[line, c] - squares.mean(axis=0)[self.x], 0.0) + q**2
        masses = self.p[self.x] * self.chance(self.x, middle) * self.count
        self.atoms = Atoms(S, np.zeros(len(q)), line, c, q, np.maximum(masses, 1e-300))
        # With a cut at P an input may be dropped whatever its count: no steering towards rare errors then.
        switch = 0.0 if len(self.p) > law.P else switch
        self.steering = Steering(self.atoms, d, sphere, switch, typical=False)
        self.frequent, self.rare = self.steering.split(self.atoms, together=True)

    @property
    def parts(self) -> "list[OwnCountPart]":
        """The integrals."""
        choices = ((self.frequent, False), (self.rare, True))
        return [OwnCountPart(self, rare) for choice, rare in choices if np.any(choice.filled)]

    def weights(self, counts: IntArray, rng: np.random.Generator) -> FloatArray:
        """q for counts (draws, N)."""
        x = np.broadcast_to(np.arange(1.0, counts.shape[1] + 1), counts.shape)
        q = self.law.weight(x, counts.astype(np.float64))
        if counts.shape[1] > self.law.P:
            # A random fraction breaks ties between equal counts.
            order = np.argsort(-counts - rng.random(counts.shape), axis=1)
            np.put_along_axis(q, order[:, int(self.law.P) :], 0.0, axis=1)
        return q

    def chance(self, x: IntArray, n: FloatArray) -> FloatArray:
        """The binomial probability that the input of index x has count n."""
        T, p = float(self.T), self.p[x]
        logs = (
            special.gammaln(T + 1)
            - special.gammaln(n + 1)
            - special.gammaln(T - n + 1)
            + special.xlogy(n, p)
            + special.xlog1py(T - n, -p)
        )
        return np.asarray(np.exp(logs))

    def draw(
        self, choice: Choice, u: FloatArray, rng: np.random.Generator
    ) -> tuple[IntArray, FloatArray, FloatArray, FloatArray, IntArray]:
        """For each u an input and a memory: its class, its weight, the class sums, the mass it stands for, its row."""
        place, factor, inside = choice.pick(np.zeros(len(u), dtype=np.int64), u)
        atom = choice.items[place]
        x, line = self.x[atom], np.arange(len(u))
        n = self.start[atom] + np.minimum(np.floor(inside * self.count[atom]), self.count[atom] - 1)
        counts = rng.multinomial((self.T - n).astype(np.int64), self.others[x])
        counts[line, x] = n.astype(np.int64)
        q = self.weights(counts, rng)
        mass = self.p[x] * self.chance(x, n) * self.count[atom] * factor
        return self.f[x], q[line, x], (q**2) @ self.members, mass, choice.rows[place]

    def _blocks(self) -> tuple[IntArray, FloatArray, FloatArray]:
        """Blocks of counts of each input: the input's index, the first count, and how many."""
        parts = []
        for x in self.asked:
            p = float(self.p[x])
            mode = min(math.floor((self.T + 1) * p), self.T)
            # Bernstein's inequality: beyond this distance the probability is below exp(-DEPTH).
            reach = math.sqrt(2 * DEPTH * self.T * p * (1 - p)) + DEPTH
            low, high = max(0, math.floor(mode - reach)), min(self.T, math.ceil(mode + reach))
            size = max(1, (high - low + 1) // CELLS)
            start = np.arange(low, high + 1, size, dtype=np.float64)
            parts.append((np.full(len(start), x), start, np.minimum(start + size, high + 1) - start))
        index, start, count = (np.concatenate(v) for v in zip(*parts, strict=True))
        return index.astype(np.int64), start, count


@dataclass(frozen=True)
class OwnCountPart(Part):
    """The part of the atoms (z, n) that fail often, or of those that fail rarely."""

    source: OwnCount
    rare: bool

    @property
    def dimensions(self) -> tuple[int, int]:
        """How many uniforms and normals `values` takes."""
        steering = self.source.steering
        kernel = steering.rare if self.rare else steering.bulk
        assert kernel is not None
        return 1 + kernel.dimensions[0], kernel.dimensions[1]

    @property
    def overhead(self) -> float:
        """Numbers handled for each point besides those of `dimensions`."""
        return self.source.overhead

    def values(self, u: FloatArray, z: FloatArray, rng: np.random.Generator) -> FloatArray:
        """The integrand."""
        source, steering = self.source, self.source.steering
        choice = source.rare if self.rare else source.frequent
        c, q, S, mass, rows = source.draw(choice, u[:, 0], rng)
        if self.rare and steering.rare is not None:
            return steering.rare.values(c, q, S, u[:, 1:], z, rows) * mass
        line = np.arange(len(c))
        weights = np.zeros(S.shape)
        weights[line, c] = q
        kernel: Bulk | Line = steering.bulk
        return np.asarray(kernel.values(weights, S, z)[line, c] * mass)
