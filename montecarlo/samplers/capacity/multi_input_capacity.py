"""Facts about pairs: S subjects, R relations, N = S R answers drawn uniformly from M outputs; embeddings on the sphere."""

import math

import torch

from asymp.models.hermite_mlp import HermiteMLP, TwoInputMLP
from asymp.models.memory import sampled_items, share_recalled
from asymp.montecarlo.arguments import TwoOrMore, Whole, batched, checked
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.growing_memory import Curve, beats_candidates, sizes_between
from asymp.montecarlo.samplers.recalled_items import recalled_by_layer

ASKED = 2048
GROWN = 1024


class _Facts:
    """One memory, empty, with its embeddings; facts are numbered r S + s."""

    def __init__(self, draw: Draw, d: int, m: int, S: int, R: int, M: int, p: int, dtype: torch.dtype) -> None:
        def sphere(count: int) -> torch.Tensor:
            return draw.sphere((count, d)).to(dtype)

        self.S = S
        self.subjects, self.relations, self.outputs = sphere(S), sphere(R), sphere(M)
        self.answers = draw.integers(M, (S * R,))
        self.memory = TwoInputMLP(*(draw.normal((m, d)).to(dtype) for _ in range(2)), p=p)

    def pairs(self, which: torch.Tensor) -> torch.Tensor:
        """(e_s, e~_r) of the facts with these numbers."""
        s = self.subjects.index_select(1, which % self.S)
        r = self.relations.index_select(1, torch.div(which, self.S, rounding_mode="floor"))
        return torch.cat([s, r], -1)


@batched(lambda: 1)
def sample_facts_recall(draw: Draw, *, d: Whole, m: Whole, N: Whole, R: Whole, M: Whole, p: int = 2) -> torch.Tensor:
    """The share of N facts, R for every subject, that are right, on a sample of them, all M outputs being candidates."""
    if N % R:
        raise ValueError(f"N must be a multiple of R, {R}: every subject has R relations; got {N!r}")
    facts = _Facts(draw, d, m, N // R, R, M, int(p), torch.float64)
    facts.memory.store(facts.pairs(torch.arange(N, device=draw.device)), facts.outputs, facts.answers)
    asked = sampled_items(N, ASKED, replicas=1, generator=draw.generator, device=draw.device)
    return share_recalled(facts.memory, facts.pairs(asked.select(0, 0)), facts.answers.gather(1, asked))


@batched(lambda: 1)
def sample_summed_recall(draw: Draw, *, d: Whole, m: Whole, N: Whole, R: Whole, M: Whole, k: int = 3) -> torch.Tensor:
    """The share of N facts that are right in a layer that reads the sum of the two embeddings, of length one.

    The layer has m Hermite neurons of degree k in the kernel regime, as for one input.
    """
    if N % R:
        raise ValueError(f"N must be a multiple of R, {R}: every subject has R relations; got {N!r}")
    subjects, relations, outputs = (draw.sphere((count, d)) for count in (N // R, R, M))
    inputs = ((subjects[:, :, None] + relations[:, None]) / math.sqrt(2)).flatten(1, 2)
    answers = draw.integers(M, (N,))
    memory = HermiteMLP(*(draw.normal((m, d)) for _ in range(2)), k=int(k)).store(inputs, outputs, answers)
    return (memory.recall(inputs) == answers).to(torch.float64).mean(1)


def sample_facts_error(draw: Draw, *, d: int, m: int, N: int, R: int, M: int, p: int = 2) -> torch.Tensor:
    """The share of facts that are wrong."""
    return 1 - sample_facts_recall(draw, d=d, m=m, N=N, R=R, M=M, p=p)


@checked
def sample_facts_capacity(
    draw: Draw, *, d: Whole, m: Whole, M: TwoOrMore, p: int = 1, K: int = 512, dtype: torch.dtype = torch.float32
) -> torch.Tensor:
    """The number of facts at which half of those asked are wrong among K outputs: a square filled in a random order.

    The facts asked are the first ones, so that they are held at every size. In float32, as other growing memories.
    """
    sizes = sizes_between(m * d / 40, m * d / 4, per_octave=3)
    side, count = int(sizes[-1] ** 0.5) + 1, min(GROWN, sizes[0])
    found = []
    for one in draw.batches(1):
        facts = _Facts(one, d, m, side, side, M, int(p), dtype)
        order = one.alone.permutation(side * side)
        asked = order.narrow(0, 0, count)
        queries, answers = facts.pairs(asked), facts.answers.index_select(1, asked)
        read = facts.memory.features(queries).select(0, 0)
        values = torch.zeros((m, d), dtype=dtype, device=one.device)
        curve, stored = Curve(sizes), 0
        for N in sizes:
            new = order.narrow(0, stored, N - stored)
            facts.memory.store(facts.pairs(new), facts.outputs, facts.answers.index_select(1, new))
            values = values + facts.memory.values.detach().select(0, 0)  # store forgets what was held before
            outputs = facts.outputs.select(0, 0)
            curve.recalls.append(beats_candidates(read @ values, outputs, answers.select(0, 0), min(K, M)))
            stored = N
            if curve.settled:
                break
        found.append(curve.capacity())
    return torch.cat(found)


@checked
def sample_trained_pairs(
    draw: Draw, *, d: TwoOrMore, m: Whole, N: TwoOrMore, M: TwoOrMore = 64, steps: int = 200, rate: float = 0.03
) -> torch.Tensor:
    """The share of N facts about pairs (subject, relation) that a trained ReLU layer of m neurons has right.

    The layer reads the sum e_s + e~_r. The facts are N pairs of the smallest square of subjects and relations that has so
    many, drawn without replacement, with answers drawn from M outputs.
    """
    side = math.isqrt(N - 1) + 1
    subjects, relations = (draw.sphere((side, d)) for _ in range(2))
    pairs = (subjects[:, :, None] + relations[:, None]).flatten(1, 2)
    order = (
        torch.rand((draw.replicas, side * side), generator=draw.generator, device=draw.device)
        .argsort(1)
        .narrow(1, 0, N)
    )
    inputs = pairs.gather(1, order[..., None].expand(-1, -1, d))
    outputs = draw.sphere((M, d))
    answers = draw.integers(M, (N,))
    return recalled_by_layer(draw, inputs, outputs, answers, m=m, steps=steps, rate=rate)


facts_recall_experiment = experiment("facts-recall", sample_facts_recall, block=2, bounds=(0, 1))
summed_recall_experiment = experiment("summed-recall", sample_summed_recall, block=2, bounds=(0, 1))
facts_error_experiment = experiment("facts-error", sample_facts_error, block=8, bounds=(0.0, 1.0))
facts_capacity_experiment = experiment("facts-capacity", sample_facts_capacity, block=4)
trained_pairs_experiment = experiment("trained-pairs", sample_trained_pairs, version=2, block=4, bounds=(0, 1))
