"""Cross-entropy training of an associative memory, batched over replicas."""

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
import torch

from asymp.montecarlo.checks import check_replicas
from asymp.montecarlo.draws import Draw, block_generator, one_thread, pick_device
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.memory_training.draws import draw_for_scores, draw_for_weights, draw_samples
from asymp.montecarlo.samplers.memory_training.measure import Recorder
from asymp.montecarlo.samplers.memory_training.problem import (
    Embeddings,
    Record,
    Schedule,
    TrainProblem,
    TrainSettings,
    check_memory,
    train_problem,
)
from asymp.montecarlo.samplers.memory_training.result import Training, TrainingDiverged, Trajectory
from asymp.montecarlo.samplers.memory_training.score_space import ScoreProblem, train_scores
from asymp.montecarlo.samplers.memory_training.weights import WeightProblem, train_weights

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
    inputs: Embeddings = "gaussian",
    outputs: Embeddings = "gaussian",
    init: str = "gaussian",
    p: Sequence[float] | None = None,
    targets: Sequence[int] | None = None,
    record: Record = "last",
    measure: str | Sequence[str] = ("error", "loss"),
    replicas: int = 10,
    seed: int = 0,
    device: str = "auto",
    route: str = "auto",
) -> Training:
    """Train a memory with scores u_y^T W e_x by cross-entropy (mean over each minibatch), in one pass over T samples.

    The defaults (gaussian embeddings and W0) with alpha=2, N=100, M=5 are the published grid's, whose "adam" is
    "sign" here. The result's bits depend on the arguments alone, not on threads or memory; more replicas repeat the
    first ones up to rounding. Raises `TrainingDiverged` if the weights overflow, which learned embeddings can do.

    Args:
        alpha: The exponent of the inputs' Zipf law on 1..N; leave it out if `p` is given.
        N: The number of inputs.
        M: The number of outputs.
        d: The dimension of the embeddings.
        T: The number of samples x ~ p, each with its target f(x); with `population`, the number of steps.
        batch: Samples a step; T must be a multiple of it.
        lr: The step size: lr for SGD, lr/d for W and lr/sqrt(d) for embeddings otherwise, times the schedule.
        optimiser: "sgd"; "sign", Adam with betas (0, 0), that is g/(|g| + eps); or "adam", with `betas`.
        betas: The two decay rates of Adam.
        eps: What Adam and "sign" add to the size of a gradient.
        layer_norm: Whether the hidden vector h = W e_x (or relu(e_x)) becomes h/sqrt(|h|^2 + 1e-6) before u.
        learn: "W" (embeddings fixed), "all" (W, e and u), or "exponential": no W, both embeddings learned, scores u_y^T
            relu(e_x), the two-matrix model of the published grid, whose capacity is exponential in d.
        population: Whether a step takes the gradient under p instead of samples.
        schedule: "constant", "linear" or "cosine" (to zero), "inverse-sqrt", a list of factors or a function of the
            step t = 0, 1, ...
        inputs: "gaussian" N(0, I/d), "sphere", "orthonormal", or a matrix of embeddings as rows, the same in every
            replica.
        outputs: The output embeddings, likewise.
        init: The first W: "gaussian" with entries N(0, 1/d), or "zero".
        p: The probabilities of the inputs in the place of a Zipf law.
        targets: f(1), f(2), ..., each in 0..M-1; x mod M unless given.
        record: "last", "all" (0, before training, to the last) or a list of steps.
        measure: Some of "error" (sum of p over the inputs recalled wrongly; k outputs tied at the top err with 1 - 1/k),
            "loss" (cross-entropy under p), "margins" (f's score less its largest rival's, for every input), "q" (the
            coefficient of u_f(x) e_x^T in W - W0: exact for SGD, by least squares otherwise) and "scores".
        replicas: How many memories are trained.
        seed: A whole number; the same seed gives the same numbers.
        device: "auto" (a GPU if there is one), "cpu" or "cuda".
        route: "score" follows the N x M scores at O(N M) a sample, whatever d (plain SGD of W only); "weights" follows
            the weights; "auto" takes the cheaper. The routes agree in law: they draw different numbers.
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
    recorder = Recorder(problem.measure, problem.record.tolist(), torch.as_tensor(problem.p, device=device), f)
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


def sample_training_error(draw: Draw, **settings: Unpack[TrainSettings]) -> torch.Tensor:
    """The error at the end of training, one value a replica: `train_memory` as an experiment's sampler."""
    problem = train_problem(**settings, record="last", measure=("error",))
    with torch.inference_mode():
        found = run_group(problem, [draw])
    if not bool(torch.isfinite(found["final"]).all()):
        raise TrainingDiverged(f"training diverged: lr = {problem.lr:g} is too large")
    return found["error"][:, 0].clone()


train_memory_experiment = experiment(ID, sample_training_error, version=VERSION, block=20, bounds=(0.0, 1.0))
