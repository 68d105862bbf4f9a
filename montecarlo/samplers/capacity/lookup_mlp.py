"""The lookup layer: one neuron for each stored input, N items with N different outputs, embeddings on the sphere."""

import math

import torch

from asymp.models.linear import Fitted, Hebbian
from asymp.models.lookup import LookupMLP
from asymp.models.memory import Memory, share_recalled
from asymp.models.relu_mlp import ReluMLP
from asymp.montecarlo.arguments import Number, TwoOrMore, Whole, batched, checked
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.recalled_items import SCALE, descend, lost_under_noise, share_of_sample

ASKED = 256
AT_ONCE = 2**20


def _stored(draw: Draw, memory: Memory, N: int, d: int) -> torch.Tensor:
    e, u = (draw.sphere((N, d)) for _ in range(2))
    memory.store(e, u, torch.arange(N, device=draw.device))
    return e


@batched(lambda: 1)
def sample_lookup_recall(draw: Draw, *, d: TwoOrMore, N: TwoOrMore, b: float = 0.5, items: str = "one") -> torch.Tensor:
    """The share of items that are recalled, on a sample of them; for items = 'all' whether all are."""
    memory = LookupMLP(b)
    share = share_of_sample(draw, memory, _stored(draw, memory, N, d), N if items == "all" else ASKED)
    return (share == 1).to(torch.float64) if items == "all" else share


@batched(lambda d, N: AT_ONCE // (N * max(N, d)))
@torch.no_grad()
def sample_lookup_silence(draw: Draw, *, d: TwoOrMore, N: TwoOrMore, b: float = 0.5) -> torch.Tensor:
    """The share of stored inputs at which no other neuron fires."""
    memory = LookupMLP(b)
    e = _stored(draw, memory, N, d)
    return ((memory.hidden(e) > 0).sum(2) == 1).to(torch.float64).mean(1)


@checked
@torch.no_grad()
def sample_lookup_silenced(draw: Draw, *, d: Whole, s: Number, b: float = 0.5) -> torch.Tensor:
    """Whether noise N(0, s^2 I/d) on a stored input silences its own neuron, the share over 64 items."""
    memory = LookupMLP(b)
    many = draw.of(64 * draw.replicas)
    e = _stored(many, memory, 1, d)
    noisy = e + s / math.sqrt(d) * many.normal((1, d))
    return (memory.hidden(noisy) == 0).to(torch.float64).view(draw.replicas, 64).mean(1)


@batched(lambda: 1)
def sample_lookup_noise(draw: Draw, *, d: Whole, N: TwoOrMore, s: Number, b: float = 0.5) -> torch.Tensor:
    """Items that the lookup layer loses under noise N(0, s^2 I/d), over those that a linear memory of them loses.

    Both hold the same N items and see the same noisy inputs, about 1024 or eight for every item; one is added to both
    counts.
    """
    own = torch.arange(N, device=draw.device)
    e, u = (draw.sphere((N, d)) for _ in range(2))
    return lost_under_noise(draw, LookupMLP(b).store(e, u, own), Hebbian().store(e, u, own), e, s)


@checked
def sample_lookup_cost(draw: Draw, *, d: TwoOrMore, N: TwoOrMore, b: float = 0.5) -> torch.Tensor:
    """Operations of a lookup layer to answer one query, over those of a linear memory of the same items.

    Counted while both run, from the query to the vector that meets the candidates.
    """
    from torch.utils.flop_counter import FlopCounterMode

    own = torch.arange(N, device=draw.device)
    found = []
    for one in draw.batches(1):
        e, u = (one.sphere((N, d)) for _ in range(2))
        counts = []
        for memory in (LookupMLP(b), Hebbian()):
            memory.store(e, u, own)
            with FlopCounterMode(display=False) as whole:
                memory.score(e.narrow(1, 0, 1))
            # both end with the same N d products with the candidates
            counts.append(whole.get_total_flops() - 2 * N * d)
        found.append(counts[0] / counts[1])
    return torch.tensor(found, dtype=torch.float64, device=draw.device)


@checked
def sample_learning_steps(
    draw: Draw, *, d: TwoOrMore, N: TwoOrMore, b: Number = 0.5, rate: float = 0.03, most: Whole = 300
) -> torch.Tensor:
    """Steps that a layer of N neurons with thresholds b takes to recall 99 % of N items, over those of a linear memory.

    The layer starts at random unit directions with its biases at -b, and both of its matrices are trained; the linear
    memory starts at zero. Both see the same items, the same loss and the same Adam. A memory that is not there after
    `most` steps counts as `most`.
    """
    e, u = (draw.sphere((N, d)) for _ in range(2))
    own = torch.arange(N, device=draw.device)
    first = draw.sphere((N, d))
    second = draw.normal((d, N)) / math.sqrt(N)
    layer = ReluMLP(first, second, torch.full((draw.replicas, N), -b, dtype=torch.float64, device=draw.device))
    layer.bias.requires_grad_(False)  # type: ignore[union-attr]
    counts = []
    for memory in (layer, Fitted()):
        memory.store(e, u, own)
        taken = torch.full((draw.replicas,), float(most), dtype=torch.float64, device=draw.device)

        def watch(step: int, memory: Memory = memory, taken: torch.Tensor = taken) -> bool:
            there = share_recalled(memory, e, own) >= 0.99
            taken.masked_fill_(there & (taken == most), float(step))  # the first time counts
            return draw.device.type == "cpu" and bool((taken < most).all())

        descend(memory, steps=most, rate=rate, scale=SCALE, watch=watch)
        counts.append(taken)
    return counts[0] / counts[1]


lookup_recall_experiment = experiment("lookup-recall", sample_lookup_recall, block=2, bounds=(0, 1))
lookup_silence_experiment = experiment("lookup-silence", sample_lookup_silence, block=64, bounds=(0.0, 1.0))
lookup_silenced_experiment = experiment("lookup-silenced", sample_lookup_silenced, block=256, bounds=(0.0, 1.0))
lookup_noise_experiment = experiment("lookup-noise", sample_lookup_noise, block=4)
# operations depend on the sizes alone
lookup_cost_experiment = experiment("lookup-cost", sample_lookup_cost, block=2, deterministic=True)
learning_steps_experiment = experiment("learning-steps", sample_learning_steps, version=2, block=8)
