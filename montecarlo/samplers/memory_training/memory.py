"""Cross-entropy training of an associative memory, batched over replicas."""

from typing import Any

import numpy as np
import torch

from asymp.montecarlo.arguments import takes
from asymp.montecarlo.checks import check_whole, seed_of
from asymp.montecarlo.draws import Draw, block_generator, one_thread, pick_device
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.memory_training.draws import draw_for_scores, draw_for_weights, draw_samples
from asymp.montecarlo.samplers.memory_training.measure import Recorder
from asymp.montecarlo.samplers.memory_training.problem import TrainProblem
from asymp.montecarlo.samplers.memory_training.result import Training, TrainingDiverged, Trajectory
from asymp.montecarlo.samplers.memory_training.score_space import ScoreProblem, train_scores
from asymp.montecarlo.samplers.memory_training.weights import WeightProblem, train_weights

ID, VERSION = "train-memory", 1
MOST_FLOATS = 2**26
"""Numbers held at once in a run, where one block of replicas needs no more: 512 MB."""


@takes(TrainProblem)
def train_memory(
    *,
    replicas: int = 10,
    seed: int = 0,
    rng: int | np.random.Generator | None = None,
    device: str = "auto",
    **settings: Any,
) -> Training:
    """Train a memory with scores u_y^T W e_x by cross-entropy (mean over each minibatch), in one pass over T samples.

    The defaults (gaussian embeddings and W0) with alpha=2, N=100, M=5 are the published grid's, whose "adam" is
    "sign" here. The result's bits depend on the arguments alone, not on threads or memory; more replicas repeat the
    first ones up to rounding. Raises `TrainingDiverged` if the weights overflow, which learned embeddings can do.

    Args:
        replicas: How many memories are trained.
        seed: A whole number; the same seed gives the same numbers.
        rng: In the place of a seed, one, or a `numpy.random.Generator`, which gives other numbers every time.
        device: "auto" (a GPU if there is one), "cpu" or "cuda".
    """
    problem = TrainProblem(**settings)
    seed = seed_of(seed, rng)
    replicas = check_whole("replicas", replicas)
    where = pick_device(device)
    size = block_size(problem)
    blocks = -(-replicas // size)
    together = min(blocks, max(1, group_size(problem) // size))
    problem.check_memory(together * size, replicas, where)
    parts: list[dict[str, torch.Tensor]] = []
    with one_thread(), torch.inference_mode():
        for first in range(0, blocks, together):
            indices = range(first, min(first + together, blocks))
            draws = [Draw(size, block_generator(where, ID, VERSION, problem.names, seed, i), where) for i in indices]
            parts.append(run_group(problem, draws))
    values = {name: torch.cat([part[name] for part in parts])[:replicas].cpu().numpy() for name in parts[0]}
    return _result(problem, values)


def block_size(problem: TrainProblem) -> int:
    """Replicas that share a generator: 10, or 1 where one replica is already much work."""
    most = 2**22 if problem.route == "score" else 2**17
    return 10 if problem.floats <= most else 1


def group_size(problem: TrainProblem) -> int:
    """Replicas computed together: enough to hide the cost of a call, few enough for the caches and the memory."""
    cached = 2**16 // (problem.N * problem.M) if problem.route == "score" else 2**18 // problem.d**2
    return max(1, min(cached, MOST_FLOATS // problem.floats))


def run_group(problem: TrainProblem, draws: list[Draw]) -> dict[str, torch.Tensor]:
    """Draw blocks of replicas, each from its own generator, and train them together.

    Each quantity has replicas first; the final scores (R, N, M) are "final".
    """
    device, size = draws[0].device, draws[0].replicas
    f = torch.as_tensor(problem.f, device=device)
    recorder = Recorder(
        problem.quantities, problem.recorded_steps.tolist(), torch.as_tensor(problem.law, device=device), f
    )
    common: dict[str, Any] = {"f": f, "rates": problem.rates.tolist(), "batch": problem.batch}
    if problem.route == "score":
        K = torch.empty(len(draws) * size, problem.N, problem.N, dtype=torch.float64, device=device)
        started = [
            (*draw_for_scores(draw, problem, part), *draw_samples(draw, problem))
            for draw, part in zip(draws, torch.split(K, size), strict=True)
        ]
        G, scores, samples, weights = map(_joined, zip(*started, strict=True))
        task = ScoreProblem(
            K=K, G=G, scores=scores, samples=samples, weights=weights, balanced=problem.balanced, **common
        )
        final = train_scores(task, recorder, ties=problem.ties)
    else:
        drawn = [(*draw_for_weights(draw, problem), *draw_samples(draw, problem)) for draw in draws]
        E, U, W, samples, weights = map(_joined, zip(*drawn, strict=True))
        options = {name: getattr(problem, name) for name in ("learn", "optimiser", "layer_norm", "betas", "eps")}
        del drawn
        final = train_weights(
            WeightProblem(E=E, U=U, W=W, samples=samples, weights=weights, **options, **common), recorder
        )
    return {**recorder.values(), "final": final.mT.contiguous()}


def _joined(parts: tuple[Any, ...]) -> Any:
    if parts[0] is None:
        return None
    return parts[0] if len(parts) == 1 else torch.cat(parts)


def _result(problem: TrainProblem, values: dict[str, np.ndarray]) -> Training:
    """Put inputs back in their order, and refuse what is not finite."""
    for name, found in values.items():
        if not np.isfinite(found).all():
            bad = int((~np.isfinite(found).reshape(len(found), -1).all(axis=1)).sum())
            raise TrainingDiverged(
                f"training diverged in {bad} of {len(found)} replicas ({name} not finite): "
                f"lr = {problem.lr:g} is too large"
            )
    for name, axis in (("final", 1), ("margins", 2), ("q", 2), ("scores", 2)):
        if name in values:
            values[name] = np.take(values[name], problem.back, axis=axis)
    kept = {
        "matrices" if name == "scores" else name: Trajectory(
            name, problem.recorded_steps, values[name], (0.0, 1.0) if name == "error" else None
        )
        for name in problem.quantities
    }
    return Training(
        scores=values["final"],
        p=problem.law[problem.back],
        targets=problem.f[problem.back],
        total_steps=problem.steps,
        route=problem.route,
        parameters=problem.names,
        **kept,
    )


@takes(TrainProblem, without=("record", "measure"))
def sample_training_error(draw: Draw, **settings: Any) -> torch.Tensor:
    """The error at the end of training, one value a replica: `train_memory` as an experiment's sampler."""
    problem = TrainProblem(**settings, record="last", measure=("error",))
    with torch.inference_mode():
        found = run_group(problem, [draw])
    if not bool(torch.isfinite(found["final"]).all()):
        raise TrainingDiverged(f"training diverged: lr = {problem.lr:g} is too large")
    return found["error"][:, 0].clone()


train_memory_experiment = experiment(ID, sample_training_error, version=VERSION, block=20, bounds=(0.0, 1.0))
