"""Recall in factored form: scores = (E s^T)(U U^T) with s_y = sum of q(x) e_x over the class of y. O(N M d) a replica.

The same arithmetic as forming W, in another order; any law of the embeddings. Inputs are kept between the two passes if
they fit, else drawn again from the same state of the generator.
"""

import torch

from asymp.montecarlo.draws import Draw
from asymp.montecarlo.samplers.recall.naive import draw_inputs, error_mass
from asymp.montecarlo.samplers.recall.problem import MemoryLaw
from asymp.montecarlo.samplers.recall.tables import Table

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
