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

from asymp.montecarlo.recall.naive import error_mass
from asymp.montecarlo.recall.problem import Problem
from asymp.montecarlo.recall.tables import Table
from asymp.montecarlo.scores.embeddings import factor, normals, on_sphere

__all__ = ["recall_dfree"]

CHUNK = 2**18
"""Elements of a working array: 2 MB, which stays in the cache."""
LEAST = 64
"""The fewest rows of a chunk: products with fewer are slow."""
KEPT = 2**24
"""Elements of Z that are kept rather than drawn again: 128 MB."""
DENSE = 32
"""Up to this many outputs sums over classes are products with a dense matrix."""


def recall_dfree(
    problem: Problem, table: Table, replicas: int, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """One error a replica."""
    M, d = problem.M, problem.d
    count, rank = table.f.shape[0], min(M, d)
    step = max(LEAST, CHUNK // (replicas * M))
    chunks = [slice(start, min(start + step, count)) for start in range(0, count, step)]
    stored = [_Stored(table.q[:, rows], table.f[rows], M) for rows in chunks]
    D = torch.stack([part.squares() for part in stored]).sum(0)
    F = D.sqrt()[:, :, None] * factor(replicas, M, d, generator=generator, device=device)
    U = factor(replicas, M, d, generator=generator, device=device)
    if problem.outputs == "sphere":
        U = on_sphere(U)
    # scores^T = (U U^T F) X^T; in one dimension each is a single product of U, so ties stay ties
    reader = U @ (U.mT @ F)

    def draw(rows: slice) -> torch.Tensor:
        return normals((replicas, rank, rows.stop - rows.start), generator=generator, device=device)

    keep = len(chunks) == 1 or replicas * rank * count <= KEPT
    kept = []
    state = generator.get_state()
    sums = torch.zeros(replicas, rank, M, dtype=torch.float64, device=device)
    for rows, part in zip(chunks, stored, strict=True):
        Z = draw(rows)
        sums += part.sums(Z)
        if keep:
            kept.append(Z)
    if not keep:
        generator.set_state(state)
    # contiguous, or products with the shared A fall to a much slower kernel
    wanted = F.mT.clone(memory_format=torch.contiguous_format)
    correction = (wanted - sums) * torch.where(D > 0, 1 / D, 0.0)[:, None, :]
    error = torch.zeros(replicas, dtype=torch.float64, device=device)
    for k, (rows, part) in enumerate(zip(chunks, stored, strict=True)):
        X = part.spread(correction).add_(kept[k] if keep else draw(rows))
        scores = reader @ X
        error += error_mass(scores, table.f[rows], table.p[:, rows], ties=problem.ties)
    return error


class _Stored:
    """A chunk of A: its products from either side, dense where that is cheap."""

    def __init__(self, q: torch.Tensor, f: torch.Tensor, M: int) -> None:
        self.q, self.f, self.M = q, f, M
        self.members: torch.Tensor | None = None
        self.A: torch.Tensor | None = None
        if M <= DENSE:
            self.members = (f[:, None] == torch.arange(M, device=f.device)).to(torch.float64)
            if q.shape[0] == 1:
                self.A = self.members * q.mT

    def squares(self) -> torch.Tensor:
        """The sums of q^2 over each class, (replicas or 1, M)."""
        return self._class_sums((self.q * self.q)[:, None])[:, 0]

    def sums(self, Z: torch.Tensor) -> torch.Tensor:
        """Z A for Z (replicas, rank, rows): sums of Z times q over each class."""
        return Z @ self.A if self.A is not None else self._class_sums(Z * self.q[:, None])

    def spread(self, correction: torch.Tensor) -> torch.Tensor:
        """correction A^T: column f(x) of the correction times q(x), for every row x."""
        if self.A is not None:
            return correction @ self.A.mT
        columns = correction @ self.members.mT if self.members is not None else correction.index_select(2, self.f)
        return columns.mul_(self.q[:, None])

    def _class_sums(self, values: torch.Tensor) -> torch.Tensor:
        if self.members is not None:
            return values @ self.members
        sums = torch.zeros(*values.shape[:-1], self.M, dtype=values.dtype, device=values.device)
        return sums.index_add_(-1, self.f, values)
