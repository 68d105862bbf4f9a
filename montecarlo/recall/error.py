"""The recall error of random associative memories, measured: sum over x of p(x) 1{argmax_y u_y^T W e_x != f(x)}.

Three routes, equal in law and tested so: `naive` forms W, `factored` multiplies in a cheaper order, `d-free` (gaussian
inputs) samples the scores at a cost that does not depend on d. `auto` takes the fastest that is valid.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch

from asymp.montecarlo.blocks import pick_device
from asymp.montecarlo.estimate import Estimate
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_choice, check_memory, check_replicas, check_whole
from asymp.montecarlo.recall.dfree import LEAST, recall_dfree
from asymp.montecarlo.recall.factored import recall_factored
from asymp.montecarlo.recall.naive import recall_naive
from asymp.montecarlo.recall.problem import ARRAYS, Problem, plain_arrays, recall_problem
from asymp.montecarlo.recall.tables import TableMaker, table_rows

__all__ = ["large_recall_error_experiment", "recall_error", "recall_error_experiment", "sample_recall_error"]

ROUTES = ("auto", "naive", "factored", "d-free")
LARGE = 2**20
"""Numbers in one replica from which a block has 10 replicas instead of 100: a few are then not paid as a hundred."""
BATCH = 2**18
"""Elements of the largest array that one batch of replicas works on; a single replica that needs more is chunked."""


def recall_error(
    *,
    alpha: float | None = None,
    N: float,
    M: int,
    d: int,
    rho: float = 0,
    P: float | None = None,
    T: int | None = None,
    s: int = 1,
    targets: Sequence[int] | None = None,
    weights: Sequence[float] | None = None,
    p: Sequence[float] | None = None,
    inputs: str = "gaussian",
    outputs: str = "gaussian",
    replicas: int = 1000,
    rel_error: float | None = None,
    seed: int = 0,
    device: str = "auto",
    route: str = "auto",
) -> Estimate:
    """The mean recall error of W = sum over x of q(x) u_f(x) e_x^T over the embeddings (and the samples).

    alpha or p: the law of the inputs x = 1..N (N may be math.inf with alpha > 1). q(x) = p(x)^rho for x <= P, else 0
    (P = None: no threshold), or `weights`. T samples (None: infinitely many) replace p in q by frequencies, inputs seen
    fewer than s times get 0 and P keeps the P most frequent. targets[i] = f(i+1) in 0..M-1, by default (i+1) % M.
    inputs, outputs: "gaussian" N(0, I/d) or "sphere". Ties are broken at random. See `recall_tables` for N infinite.
    """
    check_replicas(replicas, rel_error, seed)
    if check_whole("d", d) > 2**53:
        raise ValueError(f"d must be at most 2^53, beyond which a float64 counts no more; got {d!r}")
    params: dict[str, Any] = {
        "alpha": alpha, "N": N, "M": M, "d": d, "rho": rho, "P": P, "T": T, "s": s, "targets": targets,
        "weights": weights, "p": p, "inputs": inputs, "outputs": outputs,
    }  # fmt: skip
    problem = recall_problem(**params)
    route = _route(problem, route)
    _check_memory(problem, route, pick_device(device))
    _, size = _runner(problem, route)
    chosen = recall_error_experiment if table_rows(problem) * size <= LARGE else large_recall_error_experiment
    return chosen.run(
        replicas=replicas, rel_error=rel_error, seed=seed, device=device, route=route, **plain_arrays(params)
    )


def sample_recall_error(
    *,
    alpha: float | None = None,
    N: float,
    M: int,
    d: int,
    rho: float = 0,
    P: float | None = None,
    T: int | None = None,
    s: int = 1,
    targets: Sequence[int] | None = None,
    weights: Sequence[float] | None = None,
    p: Sequence[float] | None = None,
    inputs: str = "gaussian",
    outputs: str = "gaussian",
    route: str = "auto",
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """One recall error a replica: shape (replicas,)."""
    problem = recall_problem(
        alpha=alpha, N=N, M=M, d=d, rho=rho, P=P, T=T, s=s, targets=targets, weights=weights, p=p, inputs=inputs,
        outputs=outputs,
    )  # fmt: skip
    run, size = _runner(problem, _route(problem, route))
    maker = TableMaker(problem, device)
    # equal batches whose size depends on the problem and the block alone, so the draws depend on nothing else
    batches = math.ceil(replicas / max(1, BATCH // (maker.rows * size)))
    batch = math.ceil(replicas / batches)
    errors = []
    # a call costs a tenth less without autograd's bookkeeping; the fake GPU of the tests has no such mode
    with torch.inference_mode(device.type == "cpu"):
        for start in range(0, replicas, batch):
            now = min(batch, replicas - start)
            errors.append(run(problem, maker.draw(now, generator), now, generator, device))
    return torch.cat(errors).clamp(0.0, 1.0)


Runner = Callable[..., torch.Tensor]


def _runner(problem: Problem, route: str) -> tuple[Runner, int]:
    """The route's function and how many numbers it holds for each row."""
    if route == "d-free":
        return recall_dfree, problem.M
    return (recall_naive if route == "naive" else recall_factored), max(problem.M, problem.d)


def _route(problem: Problem, route: str) -> str:
    route = check_choice("route", route, ROUTES)
    if route == "d-free" and problem.inputs != "gaussian":
        raise ValueError(f"route must be 'factored' or 'naive' for sphere inputs; got {route!r}")
    if route == "auto":
        return "d-free" if problem.inputs == "gaussian" else "factored"
    return route


def _check_memory(problem: Problem, route: str, device: torch.device) -> None:
    """What one replica holds whatever the chunks are: matrices of M by d, a chunk of scores, columns of inputs."""
    M, d, rows = problem.M, problem.d, table_rows(problem)
    fixed = {"naive": d * d + 2 * M * d, "factored": 3 * M * d, "d-free": 6 * M * min(M, d)}[route]
    chunk = 2**22 + 4.0 * min(rows, LEAST) * M
    what = f"M = {M}, d = {d}, N = {problem.N:g}" + ("" if problem.T is None else f", T = {problem.T}")
    check_memory(what, fixed + chunk + float(ARRAYS) * rows, device)


recall_error_experiment = experiment("recall-error", sample_recall_error, version=2, block=100, bounds=(0.0, 1.0))
large_recall_error_experiment = experiment(
    "large-recall-error", sample_recall_error, version=1, block=10, bounds=(0.0, 1.0)
)
