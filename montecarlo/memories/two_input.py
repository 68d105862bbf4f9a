"""Facts about pairs: S subjects, R relations, N = S R answers drawn uniformly from M outputs; embeddings on the sphere."""

import torch

from asymp.models.memory import sampled_items, share_recalled
from asymp.models.two_input import TwoInputMLP
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.memories.grow import beats_candidates, crossing, sizes_between
from asymp.montecarlo.recall.checks import check_whole
from asymp.montecarlo.scores.embeddings import draw_embeddings, normals

__all__ = [
    "facts_capacity_experiment",
    "facts_error_experiment",
    "facts_recall_experiment",
    "sample_facts_capacity",
    "sample_facts_error",
    "sample_facts_recall",
]

ASKED = 2048
GROWN = 1024


class _Facts:
    """One memory, empty, with its embeddings; facts are numbered r S + s."""

    def __init__(self, d: int, m: int, S: int, R: int, M: int, p: int, dtype: torch.dtype, how: dict) -> None:  # type: ignore[type-arg]
        def sphere(count: int) -> torch.Tensor:
            return draw_embeddings("sphere", (1, count, d), **how).to(dtype)

        self.S = S
        self.subjects, self.relations, self.outputs = sphere(S), sphere(R), sphere(M)
        self.answers = torch.randint(M, (1, S * R), generator=how["generator"], device=how["device"])
        self.memory = TwoInputMLP(*(normals((1, m, d), **how).to(dtype) for _ in range(2)), p=p)

    def pairs(self, which: torch.Tensor) -> torch.Tensor:
        """(e_s, e~_r) of the facts with these numbers."""
        s = self.subjects.index_select(1, which % self.S)
        r = self.relations.index_select(1, torch.div(which, self.S, rounding_mode="floor"))
        return torch.cat([s, r], -1)


def sample_facts_recall(
    *,
    d: int,
    m: int,
    N: int,
    R: int,
    M: int,
    p: int = 2,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """The share of N facts, R for every subject, that are right, on a sample of them, all M outputs being candidates."""
    d, m, N, R, M = (check_whole(n, v) for n, v in (("d", d), ("m", m), ("N", N), ("R", R), ("M", M)))
    if N % R:
        raise ValueError(f"N must be a multiple of R, {R}: every subject has R relations; got {N!r}")
    found = []
    for _ in range(replicas):
        facts = _Facts(d, m, N // R, R, M, int(p), torch.float64, {"generator": generator, "device": device})
        facts.memory.store(facts.pairs(torch.arange(N, device=device)), facts.outputs, facts.answers)
        asked = sampled_items(N, ASKED, replicas=1, generator=generator, device=device)
        found.append(share_recalled(facts.memory, facts.pairs(asked.select(0, 0)), facts.answers.gather(1, asked)))
    return torch.cat(found)


def sample_facts_error(
    *,
    d: int,
    m: int,
    N: int,
    R: int,
    M: int,
    p: int = 2,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """The share of facts that are wrong."""
    how = {"replicas": replicas, "generator": generator, "device": device}
    return 1 - sample_facts_recall(d=d, m=m, N=N, R=R, M=M, p=p, **how)  # type: ignore[arg-type]


def sample_facts_capacity(
    *,
    d: int,
    m: int,
    M: int,
    p: int = 1,
    K: int = 512,
    dtype: torch.dtype = torch.float32,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """The number of facts at which half of those asked are wrong among K outputs: a square filled in a random order.

    The facts asked are the first ones, so that they are held at every size. In float32, as other growing memories.
    """
    d, m, M = check_whole("d", d), check_whole("m", m), check_whole("M", M, low=2)
    sizes = sizes_between(m * d / 40, m * d / 4, per_octave=3)
    side, count = int(sizes[-1] ** 0.5) + 1, min(GROWN, sizes[0])
    found = []
    for _ in range(replicas):
        facts = _Facts(d, m, side, side, M, int(p), dtype, {"generator": generator, "device": device})
        order = torch.randperm(side * side, generator=generator, device=device)
        asked = order.narrow(0, 0, count)
        queries, answers = facts.pairs(asked), facts.answers.index_select(1, asked)
        read = facts.memory.features(queries).select(0, 0)
        values = torch.zeros((m, d), dtype=dtype, device=device)
        recalls, stored = [], 0
        for N in sizes:
            new = order.narrow(0, stored, N - stored)
            facts.memory.store(facts.pairs(new), facts.outputs, facts.answers.index_select(1, new))
            values = values + facts.memory.values.detach().select(0, 0)  # store forgets what was held before
            outputs = facts.outputs.select(0, 0)
            recalls.append(beats_candidates(read @ values, outputs, answers.select(0, 0), min(K, M)))
            stored = N
        found.append(crossing(sizes, torch.stack(recalls)[:, None]))
    return torch.cat(found)


facts_recall_experiment = experiment("facts-recall", sample_facts_recall, block=2, bounds=(0, 1))
facts_error_experiment = experiment("facts-error", sample_facts_error, block=2)
facts_capacity_experiment = experiment("facts-capacity", sample_facts_capacity, block=2)
