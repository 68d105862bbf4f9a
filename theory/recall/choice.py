"""Drawing atoms: one index from each of many cells, in proportion to given chances, by inversion.

Chances come from estimates, which may be wrong; a share of the draws follows safer laws instead, so that an atom that
matters is never left out and the spread of the values tells when an estimate was wrong.
"""

import numpy as np
from numpy.typing import NDArray

from asymp.theory.zipf.power_sums import FloatArray

__all__ = ["SAFE", "Choice"]

IntArray = NDArray[np.int64]

SAFE = 0.08


class Choice:
    """Items that belong to cells 0..cells-1, with their chances: a mixture of exp(logs) for each of several `logs`.

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
