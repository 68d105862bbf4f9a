"""Cross-entropy training of an associative memory, batched over replicas."""

from typing import Any

import numpy as np
import torch

from asymp.montecarlo.blocks import block_generator, one_thread, pick_device
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_replicas
from asymp.montecarlo.train.draws import draw_for_scores, draw_for_weights, draw_samples
from asymp.montecarlo.train.measure import Recorder
from asymp.montecarlo.train.problem import Schedule, TrainProblem, check_memory, train_problem
from asymp.montecarlo.train.result import Training, TrainingDiverged, Trajectory
from asymp.montecarlo.train.score_space import ScoreProblem, train_scores
from asymp.montecarlo.train.weights import WeightProblem, train_weights

__all__ = ["sample_training_error", "train_memory", "train_memory_experiment"]

ID, VERSION = "train-memory", 1
MOST_FLOATS = 2**26
"""Numbers held at once in a run, where one block of replicas needs no more: 512 MB."""


def train_memory(
    *,
    alpha: float | None = None,
    N: int,
    M: int,
    d: int,
    T: int,
    batch: int = 1,
    lr: float,
    optimiser: str = "sgd",
    betas: tuple[float, float] = (0.9, 0.999),
    eps: float = 1e-8,
    layer_norm: bool = False,
    learn: str = "W",
    population: bool = False,
    schedule: Schedule = None,
    inputs: Any = "gaussian",
    outputs: Any = "gaussian",
    init: str = "gaussian",
    p: Any = None,
    targets: Any = None,
    record: Any = "last",
    measure: Any = ("error", "loss"),
    replicas: int = 10,
    seed: int = 0,
    device: str = "auto",
    route: str = "auto",
) -> Training:
    """Train a memory with scores u_y^T W e_x by cross-entropy (mean over each minibatch), in one pass over T samples.

    Samples x ~ p (Zipf with exponent alpha on 1..N, or the given p) come with their target f(x); step t takes the
    samples t B + 1 .. (t + 1) B, B = batch. With `population=True` a step takes the gradient under p and T counts the
    steps.

    learn: "W" (embeddings fixed), "all" (W, e and u), or "exponential": no W, both embeddings learned, scores u_y^T
      relu(e_x), the two-matrix model of the published grid, whose capacity is exponential in d.
    optimiser: "sgd"; "sign", Adam with betas (0, 0), that is g/(|g| + eps); "adam", with `betas`. The step is lr for
      SGD, lr/d for W and lr/sqrt(d) for embeddings otherwise, times the schedule: "constant", "linear" or "cosine"
      (to zero), "inverse-sqrt", a list of factors or a function of t = 0, 1, ...
    layer_norm: the hidden vector h = W e_x (or relu(e_x)) becomes h/sqrt(|h|^2 + 1e-6) before u.
    inputs, outputs: "gaussian" N(0, I/d), "sphere", "orthonormal", or a matrix of embeddings as rows, the same in
      every replica.
    init: W0 "gaussian" with entries N(0, 1/d), or "zero".
    record: "last", "all" (0, before training, to the last) or a list of steps.
    measure: some of "error" (sum of p over the inputs recalled wrongly; k outputs tied at the top err with 1 - 1/k),
      "loss" (cross-entropy under p), "margins" (f's score less its largest rival's, for every input), "q" (the
      coefficient of u_f(x) e_x^T in W - W0: exact for SGD, by least squares otherwise) and "scores".
    route: "score" follows the N x M scores at O(N M) a sample, whatever d (plain SGD of W only); "weights" follows
      the weights; "auto" takes the cheaper. The routes agree in law: they draw different numbers.

    The defaults (gaussian embeddings and W0) with alpha=2, N=100, M=5 are the published grid's, whose "adam" is
    "sign" here. The result's bits depend on the arguments alone, not on threads or memory; more replicas repeat the
    first ones up to rounding. Raises `TrainingDiverged` if the weights overflow, which learned embeddings can do.
    """
    problem = train_problem(
        alpha=alpha, N=N, M=M, d=d, T=T, batch=batch, lr=lr, optimiser=optimiser, betas=betas, eps=eps,
        layer_norm=layer_norm, learn=learn, population=population, schedule=schedule, inputs=inputs, outputs=outputs,
        init=init, p=p, targets=targets, record=record, measure=measure, route=route,
    )  # fmt: skip
    check_replicas(replicas, seed=seed)
    replicas = int(replicas)
    where = pick_device(device)
    size = block_size(problem)
    blocks = -(-replicas // size)
    together = min(blocks, max(1, group_size(problem) // size))
    check_memory(problem, together * size, replicas, where)
    parts: list[dict[str, torch.Tensor]] = []
    with one_thread(), torch.inference_mode():
        for first in range(0, blocks, together):
            indices = range(first, min(first + together, blocks))
            generators = [block_generator(where, ID, VERSION, problem.names, seed, index) for index in indices]
            parts.append(run_group(problem, generators, size, where))
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


def run_group(
    problem: TrainProblem, generators: list[torch.Generator], size: int, device: torch.device
) -> dict[str, torch.Tensor]:
    """Draw blocks of `size` replicas and train them together.

    Each quantity has replicas first; the final scores (R, N, M) are "final".
    """
    f = torch.as_tensor(problem.f, device=device)
    recorder = Recorder(problem.measure, problem.record.tolist(), torch.as_tensor(problem.p, device=device), f)
    common: dict[str, Any] = {"f": f, "rates": problem.rates.tolist(), "batch": problem.batch}
    if problem.route == "score":
        K = torch.empty(len(generators) * size, problem.N, problem.N, dtype=torch.float64, device=device)
        started = [
            (*draw_for_scores(problem, part, generator, device), *draw_samples(problem, size, generator, device))
            for part, generator in zip(torch.split(K, size), generators, strict=True)
        ]
        G, scores, samples, weights = map(_joined, zip(*started, strict=True))
        task = ScoreProblem(
            K=K, G=G, scores=scores, samples=samples, weights=weights, balanced=problem.balanced, **common
        )
        final = train_scores(task, recorder, ties=problem.ties)
    else:
        drawn = [
            (*draw_for_weights(problem, size, generator, device), *draw_samples(problem, size, generator, device))
            for generator in generators
        ]
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
            name, problem.record, values[name], (0.0, 1.0) if name == "error" else None
        )
        for name in problem.measure
    }
    return Training(
        scores=values["final"],
        p=problem.p[problem.back],
        targets=problem.f[problem.back],
        total_steps=problem.steps,
        route=problem.route,
        parameters=problem.names,
        **kept,
    )


def sample_training_error(
    *,
    alpha: float | None = None,
    N: int,
    M: int,
    d: int,
    T: int,
    batch: int = 1,
    lr: float,
    optimiser: str = "sgd",
    betas: tuple[float, float] = (0.9, 0.999),
    eps: float = 1e-8,
    layer_norm: bool = False,
    learn: str = "W",
    population: bool = False,
    schedule: Schedule = None,
    inputs: Any = "gaussian",
    outputs: Any = "gaussian",
    init: str = "gaussian",
    p: Any = None,
    targets: Any = None,
    route: str = "auto",
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """The error at the end of training, one value a replica: `train_memory` as an experiment's sampler."""
    problem = train_problem(
        alpha=alpha, N=N, M=M, d=d, T=T, batch=batch, lr=lr, optimiser=optimiser, betas=betas, eps=eps,
        layer_norm=layer_norm, learn=learn, population=population, schedule=schedule, inputs=inputs, outputs=outputs,
        init=init, p=p, targets=targets, record="last", measure=("error",), route=route,
    )  # fmt: skip
    with torch.inference_mode():
        found = run_group(problem, [generator], replicas, device)
    if not bool(torch.isfinite(found["final"]).all()):
        raise TrainingDiverged(f"training diverged: lr = {problem.lr:g} is too large")
    return found["error"][:, 0].clone()


train_memory_experiment = experiment(ID, sample_training_error, version=VERSION, block=20, bounds=(0.0, 1.0))
