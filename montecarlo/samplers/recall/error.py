"""The recall error of random associative memories, measured: sum over x of p(x) 1{argmax_y u_y^T W e_x != f(x)}.

Three routes, equal in law and tested so: `naive` forms W, `factored` multiplies in a cheaper order, `d-free` (gaussian
inputs) samples the scores at a cost that does not depend on d. `auto` takes the fastest that is valid.
"""

from collections.abc import Callable
from typing import Any

import torch

from asymp.montecarlo.arguments import Run, takes, with_defaults
from asymp.montecarlo.checks import check_choice, check_memory, check_whole
from asymp.montecarlo.draws import Draw, pick_device
from asymp.montecarlo.estimate import Estimate
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.recall.dfree import LEAST, recall_dfree
from asymp.montecarlo.samplers.recall.naive import recall_factored, recall_naive
from asymp.montecarlo.samplers.recall.problem import ARRAYS, MemoryLaw, RecallProblem, plain_arrays
from asymp.montecarlo.samplers.recall.tables import Table, TableMaker, table_rows

Runner = Callable[[Draw, MemoryLaw, Table], torch.Tensor]
ROUTES: dict[str, Runner] = {"naive": recall_naive, "factored": recall_factored, "d-free": recall_dfree}
LARGE = 2**20
"""Numbers in one replica from which a block has 10 replicas instead of 100: a few are then not paid as a hundred."""
BATCH = 2**18
"""Elements of the largest array that one batch of replicas works on; a single replica that needs more is chunked."""


@takes(RecallProblem, Run)
def recall_error(*, route: str = "auto", **settings: Any) -> Estimate:
    """The mean recall error of W = sum over x of q(x) u_f(x) e_x^T over the embeddings (and the samples).

    Ties between outputs are broken at random.

    Args:
        route: How scores are computed: "naive" forms W, "factored" multiplies in a cheaper order, "d-free" (gaussian
            inputs) costs the same for every d; "auto" takes the fastest that is valid.
    """
    run, params = Run.split(settings)
    params = with_defaults(RecallProblem, params)
    if check_whole("d", params["d"]) > 2**53:
        raise ValueError(f"d must be at most 2^53, beyond which a float64 counts no more; got {params['d']!r}")
    problem = RecallProblem(**params)
    route = route_for(route, problem.inputs)
    _check_memory(problem, route, pick_device(run.device))
    numbers = table_rows(problem) * numbers_a_row(route, problem.M, problem.d)
    chosen = recall_error_experiment if numbers <= LARGE else large_recall_error_experiment
    return chosen.run(**vars(run), route=route, **plain_arrays(params))


@takes(RecallProblem)
def sample_recall_error(draw: Draw, *, route: str = "auto", **settings: Any) -> torch.Tensor:
    """One recall error a replica: shape (replicas,)."""
    problem = RecallProblem(**settings)
    maker = TableMaker(problem, draw.device)
    return errors_by_route(draw, route_for(route, problem.inputs), problem.memory, maker.rows, maker.table)


def errors_by_route(
    draw: Draw, route: str, memory: MemoryLaw, rows: int, table: Callable[[Draw], Table]
) -> torch.Tensor:
    """One recall error a replica by this route; `table` makes a table of `rows` rows for a batch of replicas."""
    # a call costs a tenth less without autograd's bookkeeping; the fake GPU of the tests has no such mode
    with torch.inference_mode(draw.device.type == "cpu"):
        # equal batches whose size depends on the problem and the block alone, so the draws depend on nothing else
        most = max(1, BATCH // (rows * numbers_a_row(route, memory.M, memory.d)))
        errors = [ROUTES[route](part, memory, table(part)) for part in draw.equal_batches(most)]
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


def _check_memory(problem: RecallProblem, route: str, device: torch.device) -> None:
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
