"""The sum over inputs, made short: inputs of one class with one weight are one atom; far inputs come in blocks.

E = sum_z p(z) e_f(z)(q(z)), where e_c(q) is the error of an input of class c and weight q. An atom stands for one input, for
all inputs with its class and weight, or (schemes with rho > 0) for a block of `count` inputs x = start, start + M, ...
whose weights are close; a member of a block is drawn at random, so blocks cost no accuracy. Exactly known parts are
set aside: one output wins, so that the errors e_c(0) of the M classes at weight 0 add up to M - 1 whatever S_y is.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asymp.theory.power_sums import FloatArray
from asymp.theory.recall_storage import Scheme, Table

__all__ = ["Atoms", "make_atoms"]

HEAD = 4096
"""Inputs of a scheme that are atoms of their own (at least this many, and 4 of each class)."""

GROWTH = 1.04
"""The ratio of the last to the first input of a block."""

NEGLIGIBLE = 1e-7
"""q sqrt(d/S) below which an input errs like one of weight 0: the relative error is of this order times its share."""


@dataclass(frozen=True)
class Atoms:
    """classes, weights, masses: one entry an atom; start and count describe blocks (count 1: a single value of q)."""

    S: FloatArray
    classes: NDArray[np.int64]
    weights: FloatArray
    masses: FloatArray
    known: float
    start: FloatArray | None = None
    count: FloatArray | None = None
    scheme: Scheme | None = None

    def member(self, atom: NDArray[np.int64], u: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The weight q of a member of each atom, drawn by the uniform u, and the mass it stands for."""
        if self.scheme is None or self.start is None or self.count is None:
            return self.weights[atom], self.masses[atom]
        count = self.count[atom]
        x = self.start[atom] + self.scheme.M * np.minimum(np.floor(u * count), count - 1)
        single = count == 1
        q = np.where(single, self.weights[atom], self.scheme.q(x))
        return q, np.where(single, self.masses[atom], self.scheme.p(x) * count)


def make_atoms(storage: Scheme | Table, d: int) -> Atoms:
    """The atoms of a storage at memory dimension d."""
    if isinstance(storage, Table):
        return _of_table(storage)
    return _of_scheme(storage, d)


def set_aside(S: FloatArray, forgotten: FloatArray) -> tuple[FloatArray, float]:
    """The masses of weight 0 by class, less what is known exactly of their error, and that known error.

    A mass common to all classes errs with sum_c e_c(0) = M - 1; equal class sums make every e_c(0) equal to 1 - 1/M.
    """
    M = len(S)
    if np.all(S == S[0]):
        return np.zeros(M), float(forgotten.sum()) * (1 - 1 / M)
    common = float(forgotten.min())
    return forgotten - common, common * (M - 1)


def _of_table(table: Table) -> Atoms:
    S, M = table.squares, table.M
    zero = table.weights == 0
    forgotten = np.bincount(table.targets[zero], table.probabilities[zero], minlength=M).astype(np.float64)
    rest, known = set_aside(S, forgotten)
    # Inputs that are never asked for do not count. One atom for each pair of class and weight:
    asked = ~zero & (table.probabilities > 0)
    order = np.lexsort((table.weights[asked], table.targets[asked]))
    f, q, p = (v[asked][order] for v in (table.targets, table.weights, table.probabilities))
    new = np.flatnonzero(np.concatenate([[True], (f[1:] != f[:-1]) | (q[1:] != q[:-1])])[: len(f)])
    masses = np.add.reduceat(p, new) if len(p) else p
    return _with_forgotten(S, rest, known, f[new], q[new], masses)


def _of_scheme(scheme: Scheme, d: int) -> Atoms:
    S, M = scheme.squares, scheme.M
    if scheme.rho == 0:
        stored = scheme.class_mass(0, scheme.last)
        rest, known = set_aside(S, scheme.class_mass(scheme.last, scheme.N))
        classes = np.flatnonzero(stored > 0)
        return _with_forgotten(S, rest, known, classes, np.ones(len(classes)), stored[classes])
    head = int(min(scheme.last, max(HEAD, 4 * M)))
    x = np.arange(1.0, head + 1)
    end = _far(scheme, d)
    rest, known = set_aside(S, scheme.class_mass(end, scheme.N))
    parts = [(x, np.ones(head))]
    if end > head:
        first = head + np.arange(1.0, M + 1)
        # Block boundaries in steps from `first`: j_0 = 0 < j_1 < ..., the last being beyond `end`.
        edges = np.unique(
            np.floor(first[-1] / M * (GROWTH ** np.arange(0, math.log(end / head) / math.log(GROWTH) + 2) - 1))
        )
        steps = np.minimum(edges[:, None], np.floor((end - first) / M) + 1)
        start, count = (first + M * steps[:-1]).ravel(), np.diff(steps, axis=0).ravel()
        parts.append((start[count > 0], count[count > 0]))
    start, count = (np.concatenate(v) for v in zip(*parts, strict=True))
    # A representative of each block: the member in the middle.
    middle = start + M * np.floor(count / 2)
    q, masses = scheme.q(middle), scheme.p(middle) * count
    return _with_forgotten(S, rest, known, _class(start, M), q, masses, start, count, scheme)


def _far(scheme: Scheme, d: int) -> float:
    """The last stored input whose weight is told from 0."""
    S = scheme.squares
    least = NEGLIGIBLE * math.sqrt(float(S[S > 0].min()) / d) if np.any(S > 0) else 0.0
    exponent = scheme.rho * scheme.alpha
    if least == 0 or exponent == 0:
        return scheme.last
    far = math.exp(min((scheme.rho * math.log(scheme.C) - math.log(least)) / exponent, 600.0))
    return min(scheme.last, max(math.floor(far), 1))


def _class(x: FloatArray, M: int) -> NDArray[np.int64]:
    return np.asarray(np.mod(x, M), dtype=np.int64)


def _with_forgotten(
    S: FloatArray,
    rest: FloatArray,
    known: float,
    classes: NDArray[np.int64],
    weights: FloatArray,
    masses: FloatArray,
    start: FloatArray | None = None,
    count: FloatArray | None = None,
    scheme: Scheme | None = None,
) -> Atoms:
    """The atoms with those of weight 0 put in front."""
    extra = np.flatnonzero(rest > 0)
    n = len(extra)
    classes = np.concatenate([extra, classes]).astype(np.int64)
    weights, masses = np.concatenate([np.zeros(n), weights]), np.concatenate([rest[extra], masses])
    if start is not None and count is not None:
        start, count = np.concatenate([np.ones(n), start]), np.concatenate([np.ones(n), count])
    return Atoms(S, classes, weights, masses, known, start, count, scheme)
