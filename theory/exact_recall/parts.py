"""The recall error as integrals over the unit cube: inputs that fail often, inputs that fail rarely, unseen inputs.

A source provides the memories: one for all points, or with T samples a fresh draw of the counts for each `per_draw`
consecutive points of the quasi-random sequence (which are a net of their own): 8, or more where draws are expensive.
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from asymp.theory.exact_recall.atoms import Atoms, Choice
from asymp.theory.exact_recall.quadrature import Part
from asymp.theory.exact_recall.samples import CountLaw
from asymp.theory.exact_recall.steering import Steering
from asymp.theory.functions.arguments import FloatArray, IntArray

MOST_PER_DRAW = 512
PILOT_WORK = 4e6
"""Numbers handled by the pilot draws, of which there are 24 to 512."""


@dataclass(frozen=True)
class Batch:
    """Memories for some points: point i belongs to the draw where[i]; features (draws, ...) have known means."""

    atoms: Atoms
    frequent: Choice
    rare: Choice
    where: IntArray
    features: FloatArray


class Source(Protocol):
    """Where memories come from; overhead: numbers handled for each point; per_draw: points that share a memory."""

    steering: Steering
    overhead: float
    per_draw: int

    def batch(self, points: int, rng: np.random.Generator) -> Batch:
        """Memories for `points` points."""


class Fixed:
    """One memory."""

    overhead = 0.0
    per_draw = 1

    def __init__(self, atoms: Atoms, d: int, sphere: bool) -> None:
        self.steering, self.atoms = Steering(atoms, d, sphere), atoms
        self.frequent, self.rare = self.steering.split(atoms)

    def batch(self, points: int, rng: np.random.Generator) -> Batch:
        """The memory, for all points."""
        return Batch(self.atoms, self.frequent, self.rare, np.zeros(points, dtype=np.int64), np.zeros((1, 1)))


class Sampled:
    """Memories made from samples; pilot draws show what is typical."""

    def __init__(self, law: CountLaw, d: int, sphere: bool, rng: np.random.Generator) -> None:
        self.law = law
        self.pilot = int(min(512, max(24, PILOT_WORK / law.size)))
        atoms, features = law.draw(self.pilot, rng, True)
        self.steering = Steering(atoms, d, sphere, None)
        numbers = self.steering.bulk.dimensions[1] + atoms.S.shape[1] ** 2
        share = min(max(law.size / numbers, 8), MOST_PER_DRAW)
        self.per_draw = 1 << int(math.log2(share))
        self.overhead = 30 * law.size / self.per_draw
        self.apart = bool(np.mean(features[:, 0] > 1e-14) < 0.5) and law.mean_unseen > 0
        """Unseen inputs are rare events, and a part of their own; else they belong to those that fail often."""

    def batch(self, points: int, rng: np.random.Generator) -> Batch:
        """A memory for each `per_draw` points."""
        draws = -(-points // self.per_draw)
        atoms, features = self.law.draw(draws, rng, self.apart)
        return Batch(atoms, *self.steering.split(atoms), np.arange(points) // self.per_draw, features)


@dataclass(frozen=True)
class FromSource(Part):
    """A part of the memories of a source."""

    source: Source

    @property
    def overhead(self) -> float:
        """Numbers handled for each point besides those of `dimensions`."""
        return self.source.overhead

    @property
    def per_draw(self) -> int:
        """Points that belong together."""
        return self.source.per_draw


@dataclass(frozen=True)
class Frequent(FromSource):
    """The part of the inputs that fail often; with samples also the error that was set aside.

    slopes.(means - features) is a control variate.
    """

    slopes: FloatArray | None = None
    means: FloatArray | None = None

    @property
    def dimensions(self) -> tuple[int, int]:
        uniforms, normals = self.source.steering.bulk.dimensions
        return 1 + uniforms, normals

    def values(self, u: FloatArray, z: FloatArray, rng: np.random.Generator) -> FloatArray:
        """The integrand."""
        return self.with_features(u, z, rng)[0]

    def with_features(self, u: FloatArray, z: FloatArray, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """The integrand, and the features of each draw."""
        batch = self.source.batch(len(u), rng)
        atoms, M = batch.atoms, batch.atoms.S.shape[1]
        cell = batch.where[:, None] * M + np.arange(M)
        some = batch.frequent.filled[cell]
        # Every class draws an atom of its own; shifted by 1/M they do not all draw frequent ones at once.
        place, factor, inside = batch.frequent.pick(cell[some], ((u[:, :1] + np.arange(M) / M) % 1)[some])
        weight, mass = atoms.member(batch.frequent.items[place], inside)
        q, share = np.zeros(cell.shape), np.zeros(cell.shape)
        q[some], share[some] = weight, mass * factor
        errors = self.source.steering.bulk.values(q, atoms.S[batch.where], z)
        values = np.sum(errors * share, axis=1)
        if isinstance(self.source, Sampled):
            values += atoms.known[batch.where]
        if self.slopes is not None and self.means is not None:
            values += ((self.means - batch.features) @ self.slopes)[batch.where]
        return values, batch.features


@dataclass(frozen=True)
class Infrequent(FromSource):
    """The part of the inputs that fail rarely."""

    @property
    def dimensions(self) -> tuple[int, int]:
        kernel = self.source.steering.rare
        assert kernel is not None
        return 1 + kernel.dimensions[0], kernel.dimensions[1]

    def values(self, u: FloatArray, z: FloatArray, rng: np.random.Generator) -> FloatArray:
        """The integrand."""
        kernel = self.source.steering.rare
        assert kernel is not None
        batch = self.source.batch(len(u), rng)
        atoms = batch.atoms
        some = np.flatnonzero(batch.rare.filled[batch.where])
        values = np.zeros(len(u))
        if len(some):
            draw = batch.where[some]
            place, factor, inside = batch.rare.pick(draw, u[some, 0])
            atom = batch.rare.items[place]
            q, mass = atoms.member(atom, inside)
            rows, c = batch.rare.rows[place], atoms.classes[atom]
            values[some] = kernel.values(c, q, atoms.S[draw], u[some, 1:], z[some], rows) * mass * factor
        return values


@dataclass(frozen=True)
class Unseen(FromSource):
    """The part of the inputs that the samples have not shown."""

    source: Sampled

    @property
    def dimensions(self) -> tuple[int, int]:
        return self.source.steering.bulk.dimensions

    def values(self, u: FloatArray, z: FloatArray, rng: np.random.Generator) -> FloatArray:
        """The integrand: an unseen input for each `per_draw` points."""
        law, where = self.source.law, np.arange(len(z)) // self.source.per_draw
        c, S = law.draw_without(-(-len(z) // self.source.per_draw), rng)
        errors = self.source.steering.bulk.values(np.zeros((len(z), S.shape[1])), S[where], z)
        return np.asarray(law.mean_unseen * errors[np.arange(len(z)), c[where]])
