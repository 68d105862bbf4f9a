"""Randomised quasi-Monte Carlo: independent scrambled Sobol sequences, extended until they agree well enough.

The integral is a sum of parts, integrands over uniforms and standard normals. Part by part the points are doubled where
that takes off most variance.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from asymp.theory.functions.arguments import FloatArray
from asymp.theory.lazy import special, stats

REPLICAS = 16
"""Independent randomisations of the quasi-random points; their spread is the error."""

QUANTILE = 2.947
"""Student's t with 15 degrees of freedom: 99 %, two-sided."""

FIRST = 256
"""Points of each replica in the first round; each round doubles them."""

QMC_DIMENSIONS = 400
"""Variables beyond these (the embeddings of many outputs) are pseudo-random."""

OUTLIER = 50.0
"""Values above so many times the mean are outliers."""

WORK = 2e9
"""Numbers drawn or multiplied at most, about a minute: then the error is what it is."""

CHUNK = 2_000_000
"""Numbers in memory at once."""


class Part(ABC):
    """An integrand over the unit cube and normal variables."""

    @property
    @abstractmethod
    def dimensions(self) -> tuple[int, int]:
        """How many uniforms and normals `values` takes."""

    @property
    def overhead(self) -> float:
        """Numbers handled for each point besides those of `dimensions`."""
        return 0.0

    @property
    def per_draw(self) -> int:
        """Points that belong together: they must come in the same call of `values`."""
        return 1

    @abstractmethod
    def values(self, u: FloatArray, z: FloatArray, rng: np.random.Generator) -> FloatArray:
        """The integrand at the uniforms u and the normals z, a row for each point."""


class Stream:
    """The replicas of one integral, extended round by round."""

    def __init__(self, part: Part, M: int, seed: int, index: int) -> None:
        self.part, self.points = part, 0
        self.uniforms, self.normals = part.dimensions
        self.numbers = self.uniforms + self.normals + M * M + part.overhead
        self.first = max(2 * part.per_draw, min(FIRST, 1 << int(math.log2(max(WORK / 8 / REPLICAS / self.numbers, 1)))))
        self.rngs = [np.random.default_rng([seed, 2, index, k]) for k in range(REPLICAS)]
        self.quasi = min(self.uniforms + self.normals, QMC_DIMENSIONS)
        self.engines = [stats.qmc.Sobol(self.quasi, scramble=True, seed=rng) for rng in self.rngs]
        self.sums, self.largest = np.zeros(REPLICAS), 0.0

    def extend(self) -> None:
        """Twice as many points."""
        more = self.points or self.first
        size = max(self.part.per_draw, 1 << int(math.log2(max(CHUNK / self.numbers, 1))))
        for k, (engine, rng) in enumerate(zip(self.engines, self.rngs, strict=True)):
            for start in range(0, more, size):
                values = self._values(engine, rng, min(size, more - start))
                self.sums[k] += values.sum()
                self.largest = max(self.largest, float(np.abs(values).max()))
        self.points += more

    def _values(self, engine: "stats.qmc.QMCEngine", rng: np.random.Generator, n: int) -> FloatArray:
        u = np.clip(engine.random(n), 1e-16, 1 - 1e-16)
        z = special.ndtri(u[:, self.uniforms :])
        left = self.uniforms + self.normals - self.quasi
        if left:
            z = np.concatenate([z, rng.standard_normal((n, left))], axis=1)
        return np.asarray(self.part.values(u[:, : self.uniforms], z, rng))

    @property
    def work(self) -> float:
        """The numbers that the next round takes."""
        return float(REPLICAS * (self.points or self.first) * self.numbers)

    @property
    def mean(self) -> float:
        """The mean of the replicas."""
        return float(np.mean(self.sums) / self.points)

    @property
    def outlier(self) -> float:
        """Where single values stand out, what three of the largest add to the mean: the spread may not show them."""
        return 3 * self.largest / (REPLICAS * self.points) if self.largest > OUTLIER * abs(self.mean) else 0.0

    @property
    def deviation(self) -> float:
        """The estimated standard deviation of the mean; scaled, for the squares of errors below 1e-154 underflow."""
        scale = float(np.max(np.abs(self.sums)))
        return scale / self.points * float(np.std(self.sums / scale, ddof=1)) / math.sqrt(REPLICAS) if scale else 0.0


def integrate(known: float, parts: Sequence[Part], *, M: int, rel_error: float, seed: int) -> tuple[float, float]:
    """known + the sum of the parts, until the error is small enough or the work is spent."""
    streams = [Stream(part, M, seed, i) for i, part in enumerate(parts)]
    left = WORK
    for stream in streams:
        left -= stream.work
        stream.extend()
    while True:
        value = known + sum(s.mean for s in streams)
        # 1e-7: splines, and far inputs taken as forgotten; 1e-13: rounding of what is known.
        error = QUANTILE * math.hypot(*(s.deviation for s in streams)) + sum(s.outlier for s in streams)
        error += 1e-7 * (value - known) + 1e-13 * value
        if error <= rel_error * value or not streams:
            break
        # The round that takes off most variance for its work.
        stream = max(streams, key=lambda s: math.hypot(s.deviation, s.outlier) / math.sqrt(s.work))
        if stream.work > left:
            break
        left -= stream.work
        stream.extend()
    return value, error


def price(parts: Sequence[Part], *, M: int, seed: int, rounds: int = 1) -> tuple[float, float]:
    """The root of the work that a given error would take, up to a factor, and a first value, after some rounds.

    Rare draws that hold much of the variance show only after a few thousand points.
    """
    streams = [Stream(part, M, seed + 1, 9 + i) for i, part in enumerate(parts)]
    for stream in streams:
        for _ in range(rounds):
            stream.extend()
    root = sum(stream.deviation * math.sqrt(stream.work) for stream in streams)
    return root, sum(stream.mean for stream in streams)
