"""Recall at a cost that does not depend on d, for gaussian inputs: the law of E s^T is sampled, not E.

A (rows x M) holds q(x) at (x, f(x)), D = A^T A is diagonal, s = A^T E. Given s, the inputs are
E = A D^-1 s + (I - P_A) E' with E' fresh and P_A the projection on the columns of A (gaussian regression; where D is 0,
read D^-1 as 0). s has the law of D^1/2 L Q/sqrt(d), L lower trapezoidal of rank r = min(M, d) (Bartlett), Q with
orthonormal rows. So with F = D^1/2 L and Z a rows x r matrix of standard normals

    E s^T = (1/d) X F^T,   X = Z + A D^-1 (F - A^T Z):

X is Z corrected to satisfy A^T X = F. Any d >= 1, empty classes and zero weights are covered. Scores are E s^T U U^T,
where U U^T is Bartlett's again (on the sphere: with rows of length one). Common factors do not change the argmax and
are left out.

Many rows are taken in chunks: once to sum A^T Z, once to score. Z is kept in between if it fits, else drawn again from
the same state of the generator.
"""

import torch

from asymp.montecarlo.draws import Draw, on_sphere
from asymp.montecarlo.samplers.embeddings import triangles
from asymp.montecarlo.samplers.recall.naive import error_mass
from asymp.montecarlo.samplers.recall.problem import MemoryLaw
from asymp.montecarlo.samplers.recall.tables import Table

CHUNK = 2**18
"""Elements of a working array: 2 MB, which stays in the cache."""
LEAST = 64
"""The fewest rows of a chunk: products with fewer are slow."""
KEPT = 2**24
"""Elements of Z that are kept rather than drawn again: 128 MB."""
DENSE = 32
"""Up to this many outputs sums over classes are products with a dense matrix."""


def recall_dfree(draw: Draw, memory: MemoryLaw, table: Table) -> torch.Tensor:
    """One error a replica."""
    M, d, replicas = memory.M, memory.d, draw.replicas
    count, rank = table.f.shape[0], min(M, d)
    step = max(LEAST, CHUNK // (replicas * M))
    chunks = [slice(start, min(start + step, count)) for start in range(0, count, step)]
    stored = [_Stored(table.q[:, rows], table.f[rows], M) for rows in chunks]
    D = _total([part.squares() for part in stored])
    # the factors' normals, and those of all rows if they are one chunk, are drawn in one go
    whole = rank * count if len(chunks) == 1 else 0
    drawn = draw.alone.normal((replicas * (whole + 2 * M * rank),))
    split = replicas * whole
    factors = triangles(drawn[split:].view(2 * replicas, M, rank), d, generator=draw.generator)
    F, U = factors[:replicas].mul_(D.sqrt()[:, :, None]), factors[replicas:]
    if memory.outputs == "sphere":
        U = on_sphere(U)
    # scores^T = (U U^T F) X^T; in one dimension each is a single product of U, so ties stay ties
    reader = U @ (U.mT @ F)

    def noise(rows: slice) -> torch.Tensor:
        if whole:
            return drawn[:split].view(replicas, rank, count)
        return draw.normal((rank, rows.stop - rows.start))

    keep = len(chunks) == 1 or replicas * rank * count <= KEPT
    state = None if keep else draw.generator.get_state()
    kept, sums = [], []
    for rows, part in zip(chunks, stored, strict=True):
        Z = noise(rows)
        sums.append(part.sums(Z))
        if keep:
            kept.append(Z)
    if state is not None:
        draw.generator.set_state(state)
    # contiguous, or products with the shared A fall to a much slower kernel
    wanted = F.mT.clone(memory_format=torch.contiguous_format)
    correction = (wanted - _total(sums)).mul_(torch.where(D > 0, 1 / D, 0.0)[:, None, :])
    errors = []
    for k, (rows, part) in enumerate(zip(chunks, stored, strict=True)):
        X = part.corrected(kept[k] if keep else noise(rows), correction)
        errors.append(error_mass(reader @ X, table.f[rows], table.p[:, rows], ties=memory.ties))
    return _total(errors)


def _total(parts: list[torch.Tensor]) -> torch.Tensor:
    return parts[0] if len(parts) == 1 else torch.stack(parts).sum(0)


def members(f: torch.Tensor, M: int) -> torch.Tensor:
    """(rows, M): one at (x, f(x))."""
    return torch.eye(M, dtype=torch.float64, device=f.device).index_select(0, f)


class _Stored:
    """A chunk of A: its products from either side, dense where that is cheap."""

    def __init__(self, q: torch.Tensor, f: torch.Tensor, M: int) -> None:
        self.q, self.f, self.M = q, f, M
        self.members: torch.Tensor | None = None
        self.A: torch.Tensor | None = None
        if M <= DENSE:
            self.members = members(f, M)
            if q.shape[0] == 1:
                self.A = self.members * q.mT

    def squares(self) -> torch.Tensor:
        """The sums of q^2 over each class, (replicas or 1, M)."""
        return self._class_sums(self.q * self.q)

    def sums(self, Z: torch.Tensor) -> torch.Tensor:
        """Z A for Z (replicas, rank, rows): sums of Z times q over each class."""
        return Z @ self.A if self.A is not None else self._class_sums(Z * self.q[:, None])

    def corrected(self, Z: torch.Tensor, correction: torch.Tensor) -> torch.Tensor:
        """Z + correction A^T: column f(x) of the correction times q(x) is added to every row x. May overwrite Z."""
        if self.A is not None:
            return (correction @ self.A.mT).add_(Z)
        columns = correction @ self.members.mT if self.members is not None else correction.index_select(2, self.f)
        return Z.addcmul_(columns, self.q[:, None])

    def _class_sums(self, values: torch.Tensor) -> torch.Tensor:
        if self.members is not None:
            return values @ self.members
        sums = torch.zeros(*values.shape[:-1], self.M, dtype=values.dtype, device=values.device)
        return sums.index_add_(-1, self.f, values)
