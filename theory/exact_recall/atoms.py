"""The sum over inputs, made short: inputs of one class with one weight are one atom; far inputs come in blocks.

E = sum_z p(z) e_f(z)(q(z)), where e_c(q) is the error of an input of class c and weight q. An atom stands for one
input, for all inputs with its class and weight, or (schemes with rho > 0) for a block of inputs x = start, start + M,
... whose weights are close; a member of a block is drawn at random, so blocks cost no accuracy. Exactly known parts are
set aside: one output wins, so the errors e_c(0) of the M classes at weight 0 add up to M - 1.

With samples the weights are random: `S` then has one row for each draw of the counts, and each atom belongs to a draw.
"""

import math
from dataclasses import dataclass

import numpy as np

from asymp.theory.exact_recall.storage import Scheme, Table
from asymp.theory.functions.arguments import FloatArray, IntArray

SAFE = 0.08
"""Chances to draw an atom come from estimates, which may be wrong; such a share of the draws follows each of the safer laws,
so that an atom that matters is never left out and the spread of the values tells when an estimate was wrong."""

HEAD = 4096
"""Inputs of a scheme that are atoms of their own (at least this many, and 4 of each class)."""

GROWTH = 1.04
"""The ratio of the last to the first input of a block."""

NEGLIGIBLE = 1e-7
"""q sqrt(d/S) below which an input errs like one of weight 0: the relative error is of this order times its share."""


@dataclass(frozen=True)
class Blocks:
    """Atom i holds count[i] inputs start[i], start[i] + M, ...; where count is 1, q is the atom's own weight."""

    scheme: Scheme
    start: FloatArray
    count: FloatArray


@dataclass(frozen=True)
class Atoms:
    """S (draws, M), known (draws,): the error set aside; draw, classes, weights, masses: one entry an atom."""

    S: FloatArray
    known: FloatArray
    draw: IntArray
    classes: IntArray
    weights: FloatArray
    masses: FloatArray
    blocks: Blocks | None = None

    def member(self, atom: IntArray, u: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The weight q of a member of each atom, drawn by the uniform u, and the mass it stands for."""
        q, mass = self.weights[atom], self.masses[atom]
        if self.blocks is None:
            return q, mass
        scheme, count = self.blocks.scheme, self.blocks.count[atom]
        x = self.blocks.start[atom] + scheme.M * np.minimum(np.floor(u * count), count - 1)
        return np.where(count == 1, q, scheme.q(x)), np.where(count == 1, mass, scheme.p(x) * count)


def make_atoms(storage: Scheme | Table, d: int) -> Atoms:
    """The atoms of a storage without samples, at memory dimension d."""
    S, M = storage.squares, storage.M
    if isinstance(storage, Table):
        f, q, p = storage.targets, storage.weights, storage.probabilities
        total = np.bincount(f, p, minlength=M).astype(np.float64)[None, :]
        stored = (q != 0) & (p > 0)
        draw = np.zeros(int(stored.sum()), dtype=np.int64)
        return group_atoms(S[None, :], total, draw, f[stored], q[stored], p[stored])
    if storage.rho == 0:
        mass = storage.class_mass(0, storage.last)
        c = np.flatnonzero(mass > 0)
        forgotten = storage.class_mass(storage.last, storage.N)[None, :]
        return _with_forgotten(S[None, :], forgotten, np.zeros(len(c), dtype=np.int64), c, np.ones(len(c)), mass[c])
    return _of_power(storage, S, d)


def group_atoms(
    S: FloatArray, total: FloatArray, draw: IntArray, classes: IntArray, weights: FloatArray, masses: FloatArray
) -> Atoms:
    """One atom for each draw, class and weight of the stored inputs; `total` is the mass of each class (draws, M).

    What is left of `total` has weight 0.
    """
    draws, M = S.shape
    cell = draw * M + classes
    stored = np.bincount(cell, masses, minlength=draws * M).reshape(draws, M)
    # Rounding of the sums must not leave a mass behind where everything is stored.
    forgotten = np.maximum(total - stored, 0.0)
    forgotten[forgotten < 1e-14 * total] = 0.0
    order = np.lexsort((weights, cell))
    cell, weights, masses = cell[order], weights[order], masses[order]
    new = np.flatnonzero(np.concatenate([[True], (cell[1:] != cell[:-1]) | (weights[1:] != weights[:-1])])[: len(cell)])
    masses = np.add.reduceat(masses, new) if len(new) else masses
    return _with_forgotten(S, forgotten, cell[new] // M, cell[new] % M, weights[new], masses)


def _of_power(scheme: Scheme, S: FloatArray, d: int) -> Atoms:
    """The first inputs one by one, then blocks, for rho > 0."""
    M = scheme.M
    head = int(min(scheme.last, max(HEAD, 4 * M)))
    end = max(_far(scheme, S, d), head)
    start, count = np.arange(1.0, head + 1), np.ones(head)
    classes = np.arange(1, head + 1) % M
    if end > head:
        first = head + np.arange(1.0, M + 1)
        # Block boundaries as steps of M from `first`, cut at the last step of each class that does not pass `end`.
        growth = GROWTH ** np.arange(math.log(end / head) / math.log(GROWTH) + 2)
        edges = np.unique(np.floor(first[-1] / M * (growth - 1)))
        steps = np.minimum(edges[:, None], np.maximum(np.floor((end - first) / M) + 1, 0))
        counts = np.diff(steps, axis=0)
        some = counts > 0
        # Beyond 2^53 an input's class cannot be read off its double: it is that of `first`.
        far = np.broadcast_to(first % M, counts.shape)[some].astype(np.int64)
        start, count = np.concatenate([start, (first + M * steps[:-1])[some]]), np.concatenate([count, counts[some]])
        classes = np.concatenate([classes, far])
    # A representative of each block: the member in the middle.
    middle = start + M * np.floor(count / 2)
    q, masses = scheme.q(middle), scheme.p(middle) * count
    forgotten = scheme.class_mass(end, scheme.N)[None, :]
    draw = np.zeros(len(start), dtype=np.int64)
    return _with_forgotten(S[None, :], forgotten, draw, classes, q, masses, Blocks(scheme, start, count))


def _far(scheme: Scheme, S: FloatArray, d: int) -> float:
    """The last stored input whose weight is distinguished from 0."""
    exponent = scheme.rho * scheme.alpha
    if exponent == 0 or not np.any(S > 0):
        return scheme.last
    least = math.log(NEGLIGIBLE) + math.log(float(S[S > 0].min()) / d) / 2
    far = math.exp(min((scheme.rho * math.log(scheme.C) - least) / exponent, 600.0))
    return min(scheme.last, float(math.floor(far)))


def _with_forgotten(
    S: FloatArray,
    forgotten: FloatArray,
    draw: IntArray,
    classes: IntArray,
    weights: FloatArray,
    masses: FloatArray,
    blocks: Blocks | None = None,
) -> Atoms:
    """The atoms with those of weight 0 put in front, less what is known exactly of their error.

    A mass common to all classes errs with sum_c e_c(0) = M - 1; equal class sums make every e_c(0) equal to 1 - 1/M.
    """
    M = S.shape[1]
    equal = np.ptp(S, axis=1) == 0
    common = np.where(equal, 0.0, forgotten.min(axis=1))
    known = np.where(equal, forgotten.sum(axis=1) * (1 - 1 / M), common * (M - 1))
    rest = np.where(equal[:, None], 0.0, forgotten - common[:, None])
    where, extra = np.nonzero(rest)
    n = len(extra)
    if blocks is not None:
        front = np.ones(n)
        blocks = Blocks(blocks.scheme, np.concatenate([front, blocks.start]), np.concatenate([front, blocks.count]))
    return Atoms(
        S=S,
        known=known,
        draw=np.concatenate([where, draw]).astype(np.int64),
        classes=np.concatenate([extra, classes]).astype(np.int64),
        weights=np.concatenate([np.zeros(n), weights]),
        masses=np.concatenate([rest[where, extra], masses]),
        blocks=blocks,
    )


class Choice:
    """Draws one item (the index of an atom) from each of many cells by inversion, in proportion to given chances.

    Items belong to cells 0..cells-1; their chances are a mixture of exp(logs) for each of several `logs`.

    The first of them gets the shares that the others (SAFE each) leave.
    """

    def __init__(self, items: IntArray, cell: IntArray, cells: int, logs: list[FloatArray], rows: IntArray) -> None:
        order = np.argsort(cell, kind="stable")
        self.items, self.rows, cell = items[order], rows[order], cell[order]
        self._first = np.searchsorted(cell, np.arange(cells))
        self._last = np.searchsorted(cell, np.arange(cells), side="right")
        self.filled = self._last > self._first
        self._chance = np.zeros(len(items))
        for k, log_chance in enumerate(logs if len(items) else []):
            log_chance = log_chance[order]
            peak = np.zeros(cells)
            peak[self.filled] = np.maximum.reduceat(log_chance, self._first[self.filled])
            chance = np.exp(log_chance - peak[cell])
            chance /= np.bincount(cell, chance, minlength=cells)[cell]
            self._chance += chance * (SAFE if k else 1 - SAFE * (len(logs) - 1))
        self._total = np.concatenate([[0.0], np.cumsum(self._chance)])

    def pick(self, cell: IntArray, u: FloatArray) -> tuple[IntArray, FloatArray, FloatArray]:
        """The place of an item of each (filled) cell drawn by u, 1/its probability, and where u falls in its share."""
        first, last = self._first[cell], self._last[cell]
        begin, end = self._total[first], self._total[last]
        target = begin + u * (end - begin)
        place = np.clip(np.searchsorted(self._total[1:], target, side="right"), first, last - 1)
        chance = self._chance[place]
        inside = np.clip((target - self._total[place]) / np.maximum(chance, 1e-300), 0.0, 1.0)
        return place, (end - begin) / np.maximum(chance, 1e-300), inside
