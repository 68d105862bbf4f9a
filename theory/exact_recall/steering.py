"""Which inputs to ask how often: an estimate of every atom's error, and the split into frequent and rare errors.

Atoms whose pairs' probabilities add up to more than SWITCH go to `bulk`, the others to `union_probability`. The
estimates steer samples only; a part's value is unbiased whatever they are.
"""

import math

import numpy as np

from asymp.theory.exact_recall.atoms import Atoms, Choice
from asymp.theory.exact_recall.bulk import Bulk, Line, own_noise
from asymp.theory.exact_recall.pairs import PairTable, log_pair, make_types
from asymp.theory.exact_recall.union_probability import Rare
from asymp.theory.functions.arguments import BoolArray, FloatArray, IntArray
from asymp.theory.lazy import spatial

SWITCH = 0.5
FINE_SWITCH, ROUGH_SWITCH, LARGE_ERROR = 0.02, 1e-3, 0.02
CELL_Q, CELL_D = 0.1, 0.2
"""Atoms share a row of the table if log q and log D_c agree to within such a cell."""


class Steering:
    """Built from typical atoms: the kinds of classes, the table of pairs, and the two kernels.

    With `typical` draws whose class sums are far from the mean are left to the kernel that needs no table. Without a
    `switch` (memories made from samples, for which the table is rough) inputs near it are left to that kernel too, the
    more of them the larger the whole error is.
    """

    def __init__(self, atoms: Atoms, d: int, sphere: bool, switch: float | None = SWITCH, typical: bool = True) -> None:
        self.d, self.typical = d, typical
        self.S = atoms.S.mean(axis=0)
        self.types = make_types(self.S)
        M = len(self.S)
        self.bulk: Bulk | Line = Line(M) if sphere and d == 1 else Bulk(M, d, sphere)
        estimate = self.log_errors(atoms)
        if switch is None:
            whole = np.sum(atoms.masses * np.minimum(np.exp(estimate), 1.0)) / max(float(atoms.masses.sum()), 1e-300)
            switch = ROUGH_SWITCH if whole > LARGE_ERROR else FINE_SWITCH
        self.log_switch = math.log(switch) if switch > 0 else -math.inf
        rare = np.flatnonzero((estimate < self.log_switch) & self._typical(atoms)[atoms.draw] & (atoms.weights > 0))
        if isinstance(self.bulk, Line):
            rare = rare[:0]
        keys = self._keys(atoms, rare)
        _, first = np.unique(np.round(keys).astype(np.int64), axis=0, return_index=True)
        self.rare: Rare | None = None
        if len(first):
            chosen = rare[first]
            q, c = atoms.weights[chosen], atoms.classes[chosen]
            own = own_noise(atoms.S[atoms.draw[chosen], c], q)
            self.rare = Rare(PairTable(self.types, self.types.kind[c], q, own, d, sphere), M, d, sphere)
            self._tree = spatial.cKDTree(keys[first])
            table = self.rare.table
            # The table knows rare geometries, the estimate does not: its correction for the likeliest kinds.
            free = self.types.number - (self.types.kind[c][:, None] == np.arange(len(self.types.number)))
            logs = np.where(free > 0, table.log_chance, -np.inf)
            weight = free * np.exp(logs - logs.max(axis=1, keepdims=True))
            self._correction = np.sum(weight * (table.log_chance - table.log_typical), axis=1) / np.sum(weight, axis=1)

    def split(self, atoms: Atoms, together: bool = False) -> tuple[Choice, Choice]:
        """The atoms of frequent errors, in a cell for each draw and class, and of rare ones, in a cell for each draw.

        Or each together in one cell.
        """
        estimate, mass = self.log_errors(atoms), np.log(atoms.masses)
        rare = (estimate < self.log_switch) & self._typical(atoms)[atoms.draw] & (atoms.weights > 0)
        rare &= self.rare is not None
        index = np.flatnonzero(rare)
        rows, log_chance = np.zeros(0, dtype=np.int64), np.zeros(0)
        if len(index) and self.rare is not None:
            distance, rows = self._tree.query(self._keys(atoms, index))
            # An atom unlike all rows is left to the other kernel, which needs no table.
            near = distance < 3
            rare[index[~near]] = False
            index, rows = index[near], rows[near]
            log_chance = self._correction[rows] + estimate[index] + mass[index]
        rest = np.flatnonzero(~rare)
        draws, M = atoms.S.shape
        frequent = np.minimum(estimate[rest], np.log1p(-1 / M)) + mass[rest]
        cell, draw = atoms.draw[rest] * M + atoms.classes[rest], atoms.draw[index]
        if together:
            cell, draw, draws = np.zeros_like(cell), np.zeros_like(draw), 1
        return (
            Choice(rest, cell, draws * M, [frequent, mass[rest]], np.zeros(len(rest), dtype=np.int64)),
            Choice(index, draw, draws, [log_chance, mass[index] + estimate[index], mass[index]], rows),
        )

    def log_errors(self, atoms: Atoms) -> FloatArray:
        """log of the sum over y of the probability that y beats the right output, at the typical geometry."""
        values = np.empty(len(atoms.classes))
        size = max(1, (1 << 18) // atoms.S.shape[1])
        for start in range(0, len(values), size):
            part = slice(start, start + size)
            c, q, S = atoms.classes[part], atoms.weights[part], atoms.S[atoms.draw[part]]
            line = np.arange(len(c))
            own = own_noise(S[line, c], q)[:, None]
            others = np.maximum(S.sum(axis=1, keepdims=True) - S - S[line, c][:, None], 0.0)
            logs = log_pair(q[:, None], own, S, others, self.d)
            logs[line, c] = -np.inf
            top = logs.max(axis=1, keepdims=True)
            values[part] = top[:, 0] + np.log(np.sum(np.exp(logs - top), axis=1))
        return values

    def _typical(self, atoms: Atoms) -> BoolArray:
        """Draws whose class sums are close to the mean ones: the table is made for those."""
        if not self.typical:
            return np.ones(len(atoms.S), dtype=np.bool_)
        return np.asarray(np.all((atoms.S <= 3 * self.S) & (atoms.S >= self.S / 3), axis=1))

    def _keys(self, atoms: Atoms, index: IntArray) -> FloatArray:
        q, c = atoms.weights[index], atoms.classes[index]
        S = atoms.S[atoms.draw[index], c]
        own = own_noise(S, q)
        log_own = np.log(np.maximum(own, 1e-14 * S))
        # Kinds are far from one another, so the nearest row is of the same kind whenever there is one.
        return np.stack([1e6 * self.types.kind[c], np.log(q) / CELL_Q, log_own / CELL_D], axis=1)
