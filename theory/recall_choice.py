"""Drawing atoms: one index from each of many cells, in proportion to given chances, by inversion."""

import numpy as np
from numpy.typing import NDArray

from asymp.theory.power_sums import FloatArray

__all__ = ["Choice"]

IntArray = NDArray[np.int64]


class Choice:
    """Items that belong to cells 0..cells-1; `chance` is relative to the largest of the cell."""

    def __init__(self, items: IntArray, cell: IntArray, cells: int, log_chance: FloatArray, rows: IntArray) -> None:
        order = np.argsort(cell, kind="stable")
        self.items, self.rows, cell, log_chance = items[order], rows[order], cell[order], log_chance[order]
        self._first = np.searchsorted(cell, np.arange(cells))
        self._last = np.searchsorted(cell, np.arange(cells), side="right")
        self.filled = self._last > self._first
        peak = np.zeros(cells)
        if len(items):
            peak[self.filled] = np.maximum.reduceat(log_chance, self._first[self.filled])
        self._chance = np.exp(log_chance - peak[cell])
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
