"""Recall by the definition: draw the embeddings, form the d x d matrix W, multiply. The oracle of the other routes.

O(N d^2) a replica. Inputs are drawn in chunks, once to form W and once more, from the same state of the
generator, to ask for them, unless one chunk holds them all.
"""

from collections.abc import Iterator

import torch

from asymp.montecarlo.recall.problem import Problem
from asymp.montecarlo.recall.tables import Table
from asymp.montecarlo.scores.embeddings import draw_embeddings

__all__ = ["draw_inputs", "error_mass", "recall_naive"]

CHUNK = 2**20
"""Elements of an array of input embeddings: 8 MB."""


def recall_naive(
    problem: Problem, table: Table, replicas: int, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """One error a replica; every memory is formed as a matrix."""
    U = draw_embeddings(problem.outputs, (replicas, problem.M, problem.d), generator=generator, device=device)
    W = torch.zeros(replicas, problem.d, problem.d, dtype=torch.float64, device=device)
    state = generator.get_state()
    for rows, E in draw_inputs(problem, table, replicas, generator, device):
        stored = U.index_select(1, table.f[rows]) * table.q[:, rows, None]
        W += stored.mT @ E
    generator.set_state(state)
    error = torch.zeros(replicas, dtype=torch.float64, device=device)
    for rows, E in draw_inputs(problem, table, replicas, generator, device):
        scores = U @ (W @ E.mT)
        error += error_mass(scores, table.f[rows], table.p[:, rows], ties=True)
    return error


def draw_inputs(
    problem: Problem, table: Table, replicas: int, generator: torch.Generator, device: torch.device
) -> Iterator[tuple[slice, torch.Tensor]]:
    """Input embeddings (replicas, rows, d), chunk by chunk: gaussian for remainders whatever the inputs are."""
    count = table.f.shape[0]
    plain = count - table.remainders
    step = max(1, CHUNK // (replicas * problem.d))
    for kind, first, last in ((problem.inputs, 0, plain), ("gaussian", plain, count)):
        for start in range(first, last, step):
            rows = slice(start, min(start + step, last))
            shape = (replicas, rows.stop - rows.start, problem.d)
            yield rows, draw_embeddings(kind, shape, generator=generator, device=device)


def error_mass(scores: torch.Tensor, f: torch.Tensor, p: torch.Tensor, *, ties: bool) -> torch.Tensor:
    """The probability of the rows recalled wrongly, for scores (replicas, M, rows).

    Ties are broken at random. Instead of a draw its expectation is taken: a row whose target shares the best
    score with k - 1 others counts 1 - 1/k of its p. The mean over replicas is the same, the spread no larger.
    """
    best = scores.amax(1)
    mine = scores.gather(1, f.expand(scores.shape[0], 1, -1))[:, 0]
    if not ties:
        return torch.where(mine < best, p, 0.0).sum(1)
    sharing = (scores >= best[:, None]).sum(1)
    return torch.where(mine < best, p, p - p / sharing).sum(1)
