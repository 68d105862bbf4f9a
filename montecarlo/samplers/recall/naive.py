"""Recall by the definition: draw the embeddings, form the d x d matrix W, multiply. The oracle of the other routes.

O(N d^2) a replica. Inputs are drawn in chunks, once to form W and once more, from the same state of the
generator, to ask for them, unless one chunk holds them all.
"""

from collections.abc import Iterator

import torch

from asymp.montecarlo.draws import Draw
from asymp.montecarlo.samplers.recall.problem import MemoryLaw
from asymp.montecarlo.samplers.recall.tables import Table

CHUNK = 2**20
"""Elements of an array of input embeddings: 8 MB."""


def recall_naive(draw: Draw, memory: MemoryLaw, table: Table) -> torch.Tensor:
    """One error a replica; every memory is formed as a matrix."""
    U = draw.embeddings(memory.outputs, (memory.M, memory.d))
    W = draw.zeros((memory.d, memory.d))
    state = draw.generator.get_state()
    for rows, E in draw_inputs(draw, memory, table):
        stored = U.index_select(1, table.f[rows]) * table.q[:, rows, None]
        W += stored.mT @ E
    draw.generator.set_state(state)
    error = draw.zeros()
    for rows, E in draw_inputs(draw, memory, table):
        scores = U @ (W @ E.mT)
        error += error_mass(scores, table.f[rows], table.p[:, rows], ties=True)
    return error


def draw_inputs(draw: Draw, memory: MemoryLaw, table: Table) -> Iterator[tuple[slice, torch.Tensor]]:
    """Input embeddings (replicas, rows, d), chunk by chunk: gaussian for remainders whatever the inputs are."""
    count = table.f.shape[0]
    plain = count - table.remainders
    step = max(1, CHUNK // (draw.replicas * memory.d))
    for kind, first, last in ((memory.inputs, 0, plain), ("gaussian", plain, count)):
        for start in range(first, last, step):
            rows = slice(start, min(start + step, last))
            yield rows, draw.embeddings(kind, (rows.stop - rows.start, memory.d))


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
