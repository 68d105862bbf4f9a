"""SGD against its map: the error of trained memories, and the draws from which the error of the map's weights follows.

Memories are trained by SGD from W = 0; of others are drawn the samples that they see and the overlaps of their embeddings.
"""

import torch

from asymp.montecarlo.checks import check_number, check_whole
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.memory_training.comparisons import mean_training_error
from asymp.montecarlo.samplers.zipf import multinomial_counts, zipf_law


def _seen(draw: Draw, p: torch.Tensor, *, T: int, batch: int) -> dict[str, torch.Tensor]:
    """How often each input is seen in T samples (n), or its share of each step's batch (k)."""
    totals = torch.full((draw.replicas,), batch if batch > 1 else T, dtype=torch.float64, device=draw.device)
    if batch == 1:
        return {"n": multinomial_counts(p.numpy(), totals, draw.generator)}
    steps = [multinomial_counts(p.numpy(), totals, draw.generator) / batch for _ in range(T // batch)]
    return {"k": torch.stack(steps, 1)}


def _memories(
    draw: Draw, p: torch.Tensor, targets: torch.Tensor, *, M: int, d: int, **samples: int
) -> dict[str, torch.Tensor]:
    """What memories see, the overlaps G of their inputs, and C of the inputs' targets with all outputs."""
    seen = _seen(draw, p, **samples)
    E, U = draw.gaussian((len(p), d)), draw.gaussian((M, d))
    return {**seen, "G": E @ E.mT, "C": (U @ U.mT)[:, targets]}


def sample_map_ratio(
    draw: Draw, *, alpha: float, N: int, M: int, d: int, gamma: float, T: int, batch: int = 1, memories: int = 50
) -> dict[str, torch.Tensor]:
    """Mean error of SGD after T samples from W = 0, in batches, and the draws of as many memories for the map's weights."""
    whole = {"N": N, "M": M, "d": d, "T": T, "batch": batch, "memories": memories}
    N, M, d, T, batch, memories = (check_whole(name, value) for name, value in whole.items())
    if T % batch:
        raise ValueError(f"T must be a multiple of batch, {batch}: whole steps; got {T}")
    gamma = check_number("gamma", gamma, strict=True)
    setting = {"alpha": alpha, "N": N, "M": M, "d": d, "T": T, "lr": gamma, "batch": batch, "init": "zero"}
    trained = mean_training_error(draw, setting, memories=memories)
    p = zipf_law(float(alpha), N)
    targets = torch.arange(1, N + 1, device=draw.device) % M
    # Run by run: all inputs of all memories at once would not fit a cache, nor a small machine.
    runs = [_memories(draw.of(memories), p, targets, M=M, d=d, T=T, batch=batch) for _ in range(draw.replicas)]
    drawn = {name: torch.stack([run[name] for run in runs]) for name in runs[0]}
    fixed = {"p": p, "t": torch.eye(M, dtype=torch.float64)[targets.cpu()]}
    fixed |= {name: torch.tensor(float(v)) for name, v in (("gamma", gamma), ("M", M), ("L", memories))}
    return {"measured": trained, **drawn, **{name: v.expand(draw.replicas, *v.shape) for name, v in fixed.items()}}


map_ratio_experiment = experiment("sgd-against-map", sample_map_ratio, version=2, block=4)
