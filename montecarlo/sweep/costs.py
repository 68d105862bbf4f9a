"""What is left to do, in cells and in seconds, from what the work so far has cost."""

import math
from collections.abc import Iterable

from asymp.montecarlo.sweep.work import Item, Work

__all__ = ["Costs"]

TYPICAL = 0.2  # seconds an item of which nothing is known


class Costs:
    """Seconds a block, by series, else by the most similar series of the experiment, else on average.

    Similar is a series of as many blocks, or nearly: settings that are dear get fewer replicas, so that the mean over all
    settings would give the price of the dearest to the cheapest, which have the most blocks.
    """

    def __init__(self, works: Iterable[Work]) -> None:
        self._experiments: dict[str, dict[int, list[float]]] = {}
        self._all = [0, 0.0]
        for work in works:
            if work.timed:
                known = self._experiments.setdefault(work.series.experiment.id, {})
                like = known.setdefault(work.blocks, [0, 0.0])
                like[0] += work.timed
                like[1] += work.seconds
                self._all[0] += 1
                self._all[1] += work.seconds / work.timed * work.blocks

    def known(self, item: Item) -> float | None:
        """What an item will cost, by its own series or one of the same experiment; None if none was timed."""
        rate = item.work.rate
        if rate is None:
            known = self._experiments.get(item.work.series.experiment.id)
            if known:
                blocks, seconds = known[min(known, key=lambda n: abs(math.log(n / item.work.blocks)))]
                rate = seconds / blocks
        return None if rate is None else rate * item.blocks

    def seconds(self, item: Item) -> float:
        """What an item will cost; as much as the others on average if nothing is known of its experiment."""
        cost = self.known(item)
        if cost is not None:
            return cost
        return self._all[1] / self._all[0] if self._all[0] else TYPICAL

    def left(self, items: Iterable[Item], *, cell: float) -> tuple[int, float]:
        """Cells (of about `cell` seconds) and seconds of the items that wait; one cell for what is not known."""
        cells, seconds = 0, 0.0
        for item in items:
            known = self.known(item)
            cells += 1 if known is None else min(item.blocks, 1 + int(known / cell))
            seconds += self.seconds(item)
        return cells, seconds

    def guessed(self, items: Iterable[Item]) -> float:
        """The share of these items of whose experiment nothing is known."""
        unknown = [self.known(item) is None for item in items]
        return sum(unknown) / len(unknown) if unknown else 0.0
