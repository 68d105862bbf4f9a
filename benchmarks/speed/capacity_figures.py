"""Capacities of growing memories against the loop over replicas and sizes that forms each memory anew."""

from collections.abc import Callable, Iterator

import torch

from asymp.montecarlo.draws import Draw
from asymp.montecarlo.samplers.capacity.low_rank_capacity import sample_low_rank_capacity
from asymp.montecarlo.samplers.sign_patterns import sample_bit_capacity
from speed.capacity_baselines import hopfield_capacity_loop, low_rank_capacity_loop
from speed.rows import Row, faster, seconds

__all__ = ["CAPACITY_FIGURES"]


def capacity_search() -> Iterator[Row]:
    """The capacities of 8 replicas; the loop is timed on one replica and scaled."""
    generator, device = torch.Generator().manual_seed(0), torch.device("cpu")
    against = "the loop over replicas and sizes that forms each memory anew"
    loop = seconds(lambda: hopfield_capacity_loop(d=2048, replicas=1), rounds=2) * 8
    ours = seconds(lambda: sample_bit_capacity(Draw(8, generator, device), d=2048), rounds=3)
    yield faster("capacity of a Hopfield net, d=2048, 36 sizes, 8 replicas", against, loop, ours, 20)
    loop = seconds(lambda: low_rank_capacity_loop(d=1024, m=64, replicas=1), rounds=2) * 8
    ours = seconds(lambda: sample_low_rank_capacity(Draw(8, generator, device), d=1024, m=64), rounds=3)
    yield faster("capacity of a matrix of rank 64, d=1024, 9 sizes, 8 replicas", against, loop, ours, 20)


CAPACITY_FIGURES: dict[str, Callable[[], Iterator[Row]]] = {"capacity-search": capacity_search}
