"""The recall error of random associative memories, measured: sum over x of p(x) 1{argmax_y u_y^T W e_x != f(x)}.

Three routes, equal in law and tested so: `naive` forms W, `factored` multiplies in a cheaper order, `d-free` (gaussian
inputs) samples the scores at a cost that does not depend on d. `auto` takes the fastest that is valid.
"""

from collections.abc import Callable, Sequence
from typing import Unpack

import torch

from asymp.montecarlo.checks import check_choice, check_memory, check_replicas, check_whole
from asymp.montecarlo.draws import Draw, pick_device
from asymp.montecarlo.estimate import Estimate
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.recall.dfree import LEAST, recall_dfree
from asymp.montecarlo.samplers.recall.factored import recall_factored
from asymp.montecarlo.samplers.recall.naive import recall_naive
from asymp.montecarlo.samplers.recall.problem import ARRAYS, Problem, RecallSettings, plain_arrays, recall_problem
from asymp.montecarlo.samplers.recall.tables import Table, TableMaker, table_rows

Runner = Callable[[Draw, Problem, Table], torch.Tensor]
ROUTES: dict[str, Runner] = {"naive": recall_naive, "factored": recall_factored, "d-free": recall_dfree}
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

    Ties between outputs are broken at random.

    Args:
        alpha: The exponent of the inputs' Zipf law, p(x) = C x^-alpha on 1..N; leave it out if `p` is given.
        N: The number of inputs; math.inf needs alpha > 1.
        M: The number of outputs.
        d: The dimension of the embeddings.
        rho: The exponent of the weights, q(x) = p(x)^rho.
        P: Only inputs x <= P are stored (with samples: the P most frequent); None stores all.
        T: The number of samples from which the memory knows p: frequencies then take the place of p in q; None is
            infinitely many.
        s: With samples, inputs seen fewer than s times are not stored.
        targets: f(1), f(2), ..., each in 0..M-1; x mod M unless given.
        weights: q(1), q(2), ... in the place of p^rho.
        p: The probabilities of the inputs in the place of a Zipf law.
        inputs: The law of the input embeddings, "gaussian" N(0, I/d) or "sphere".
        outputs: The law of the output embeddings, likewise.
        replicas: How many independent memories the estimate is made of.
        rel_error: If given, stop as soon as the estimate is known to this relative error, at the latest after `replicas`.
        seed: A whole number; the same seed gives the same numbers.
        device: "auto" (a GPU if there is one), "cpu" or "cuda".
        route: How scores are computed: "naive" forms W, "factored" multiplies in a cheaper order, "d-free" (gaussian
            inputs) costs the same for every d; "auto" takes the fastest that is valid.
    """
    check_replicas(replicas, rel_error, seed)
    if check_whole("d", d) > 2**53:
        raise ValueError(f"d must be at most 2^53, beyond which a float64 counts no more; got {d!r}")
    params: RecallSettings = {
        "alpha": alpha, "N": N, "M": M, "d": d, "rho": rho, "P": P, "T": T, "s": s, "targets": targets,
        "weights": weights, "p": p, "inputs": inputs, "outputs": outputs,
    }  # fmt: skip
    problem = recall_problem(**params)
    route = route_for(route, inputs)
    _check_memory(problem, route, pick_device(device))
    numbers = table_rows(problem) * numbers_a_row(route, M, d)
    chosen = recall_error_experiment if numbers <= LARGE else large_recall_error_experiment
    return chosen.run(
        replicas=replicas, rel_error=rel_error, seed=seed, device=device, route=route, **plain_arrays(params)
    )


def sample_recall_error(draw: Draw, *, route: str = "auto", **settings: Unpack[RecallSettings]) -> torch.Tensor:
    """One recall error a replica: shape (replicas,)."""
    problem = recall_problem(**settings)
    route = route_for(route, problem.inputs)
    maker = TableMaker(problem, draw.device)
    # a call costs a tenth less without autograd's bookkeeping; the fake GPU of the tests has no such mode
    with torch.inference_mode(draw.device.type == "cpu"):
        # equal batches whose size depends on the problem and the block alone, so the draws depend on nothing else
        most = max(1, BATCH // (maker.rows * numbers_a_row(route, problem.M, problem.d)))
        errors = [ROUTES[route](part, problem, maker.table(part)) for part in draw.equal_batches(most)]
    return torch.cat(errors).clamp(0.0, 1.0)


def numbers_a_row(route: str, M: int, d: int) -> int:
    """How many numbers the route holds for each row."""
    return M if route == "d-free" else max(M, d)


def route_for(route: str, inputs: str) -> str:
    """The route of that name; 'auto' is the fastest that the inputs allow."""
    route = check_choice("route", route, ("auto", *ROUTES))
    if route == "d-free" and inputs != "gaussian":
        raise ValueError(f"route must be 'factored' or 'naive' for sphere inputs; got {route!r}")
    if route == "auto":
        return "d-free" if inputs == "gaussian" else "factored"
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
