"""Recall by the definition: draw the embeddings, form the d x d matrix W, multiply. The oracle of the other routes.

O(N d^2) a replica. Inputs are drawn in chunks, once to form W and once more, from the same state of the
generator, to ask for them, unless one chunk holds them all.

Recall in factored form: scores = (E s^T)(U U^T) with s_y = sum of q(x) e_x over the class of y. O(N M d) a replica.

The same arithmetic as forming W, in another order; any law of the embeddings. Inputs are kept between the two passes if
they fit, else drawn again from the same state of the generator.
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


KEPT = 2**24
"""Elements of all input embeddings that are kept rather than drawn again: 128 MB."""


def recall_factored(draw: Draw, memory: MemoryLaw, table: Table) -> torch.Tensor:
    """One error a replica, without forming W."""
    U = draw.embeddings(memory.outputs, (memory.M, memory.d))
    s = draw.zeros((memory.M, memory.d))
    keep = draw.replicas * table.f.shape[0] * memory.d <= KEPT
    chunks = []
    state = draw.generator.get_state()
    for rows, E in draw_inputs(draw, memory, table):
        s.index_add_(1, table.f[rows], E * table.q[:, rows, None])
        if keep:
            chunks.append((rows, E))
    if not keep:
        draw.generator.set_state(state)
    error = draw.zeros()
    for rows, E in chunks if keep else draw_inputs(draw, memory, table):
        # U (U^T (s E^T)): in one dimension the last product is a single multiplication, so ties stay ties
        scores = U @ (U.mT @ (s @ E.mT)) if memory.d < memory.M else (U @ U.mT) @ (s @ E.mT)
        error += error_mass(scores, table.f[rows], table.p[:, rows], ties=memory.ties)
    return error
