"""The rows that a memory stores or is asked about: weights q, probabilities p and targets f, as tensors.

With finitely many inputs a row is an input. With infinitely many, the inputs 1..H are rows, and beyond H there are

- without samples and without a threshold: for every class and each of a few ranges of inputs one representative, drawn
  from p restricted to them, that carries the range's probability; and for every class one remainder, never asked
  about, that stands for all other inputs: a sum of q(x) e_x over gaussian e is gaussian, so one gaussian row with
  q^2 = (sum of q^2 over the class's tail) - (sum over its representatives) has exactly its law;
- with a threshold P <= H: inputs that are not stored are exchangeable, so a few rows with q = 0 carry the probability;
- with samples: the inputs seen beyond H, class by class (at most as many as `slots` says), and a few rows
  with q = 0 that carry the probability of the unseen ones.

A value computed from such rows has the mean of the error over infinitely many inputs, exactly for gaussian inputs; its
spread is a little larger. For sphere inputs the remainder is gaussian only approximately: its excess kurtosis is of the
order of 1/H, H >= 1024, and it is only a part of s.
"""

import math
from dataclasses import dataclass

import numpy as np
import torch

from asymp.montecarlo.draws import Draw
from asymp.montecarlo.samplers.recall.problem import RecallProblem
from asymp.montecarlo.samplers.zipf import (
    LEAST_EDGE,
    ZipfTail,
    multinomial_counts,
    seen_inputs,
    slots,
    zipf_tail,
)

LEAST_HEAD = 1024
MOST_HEAD = 2**18
SPREAD = 64
"""About as many rows stand for the inputs beyond H."""


@dataclass(frozen=True, eq=False)
class Table:
    """Rows: q and p of shape (replicas or 1, rows), f of shape (rows,). The last `remainders` rows are gaussian."""

    q: torch.Tensor
    p: torch.Tensor
    f: torch.Tensor
    remainders: int = 0


class TableMaker:
    """Makes the tables of a problem, batch by batch of replicas."""

    def __init__(self, problem: RecallProblem, device: torch.device) -> None:
        self.problem = problem
        self.device = device
        self._shared: Table | None = None
        if problem.rows:
            self.rows = problem.rows
            self._f = self._on_device(problem.f)
            self._p = self._on_device(problem.law)[None]
            self._given = self._on_device(_scaled(problem.q))
            if problem.T is None:
                self._shared = Table(self._given[None], self._p, self._f)
        else:
            self._set_up_infinite()

    def table(self, draw: Draw) -> Table:
        """The table of a batch of replicas."""
        if self._shared is not None:
            return self._shared
        if self.problem.T is None:
            return self._with_representatives(draw)
        if not self.problem.rows:
            return self._with_slots(draw)
        if self.problem.only_seen:
            seen = seen_inputs(draw, self._p[0], float(self.problem.T or 0))
            return Table(seen if self.problem.plain else seen.mul_(self._given), self._p, self._f)
        counts = self._counts(draw)
        return Table(self._weights(draw, counts), self._p, self._f)

    # -- infinitely many inputs ------------------------------------------------------------------------------------

    def _set_up_infinite(self) -> None:
        problem = self.problem
        M, alpha = problem.M, float(problem.alpha or 0.0)
        H = _head_size(problem)
        self.H = H
        self.tail = zipf_tail(alpha, H, math.inf, M)
        self._tail_mass = self.tail.mass / problem.total
        self._head_p = np.arange(1, H + 1, dtype=np.float64) ** -alpha / problem.total
        self._copies = max(1, SPREAD // M)
        f = np.arange(1, H + 1) % M
        by_class = np.arange(M)
        copies = np.repeat(by_class, self._copies)
        copied_p = np.repeat(self._tail_mass / self._copies, self._copies)
        if problem.T is not None:
            self._most = slots(problem.T, float(self._tail_mass.max()))
            f = np.concatenate([f, np.repeat(by_class, self._most), copies])
        elif not math.isinf(problem.cut):
            f = np.concatenate([f, copies])
            q = np.where(np.arange(1, len(f) + 1) <= problem.cut, 1.0, 0.0)
            q[:H] *= self._head_p**problem.rho
            p = np.concatenate([self._head_p, copied_p])
            self._shared = Table(self._on_device(_scaled(q))[None], self._on_device(p)[None], self._on_device(f))
        else:
            self._ranges = _ranges(alpha, H, M, self._copies)
            f = np.concatenate([f, np.tile(by_class, len(self._ranges) + 1)])
        self._f = self._on_device(f)
        self.rows = len(f)

    def _with_representatives(self, draw: Draw) -> Table:
        problem = self.problem
        alpha, rho, M = float(problem.alpha or 0.0), problem.rho, problem.M
        # q relative to q(1): x^(-alpha rho)
        head = np.arange(1, self.H + 1, dtype=np.float64) ** (-alpha * rho)
        q = [self._on_device(head).expand(draw.replicas, -1)]
        masses = []
        for part in self._ranges:
            depth = -torch.log1p(-draw.uniform(shape=(M, 1)))
            q.append(part.inputs(depth)[..., 0] ** (-alpha * rho))
            masses.append(part.mass / problem.total)
        squares = self._on_device(zipf_tail(2 * alpha * rho, self.H, math.inf, M).mass)
        kept = torch.stack(q[1:]).square().sum(0)
        q.append((squares - kept).clamp(min=0.0).sqrt())
        p = np.concatenate([self._head_p, *masses, np.zeros(M)])
        return Table(torch.cat(q, dim=1), self._on_device(p)[None], self._f, remainders=M)

    def _with_slots(self, draw: Draw) -> Table:
        problem = self.problem
        assert problem.T is not None
        M, H, most, alpha = problem.M, self.H, self._most, float(problem.alpha or 0.0)
        totals = torch.full((draw.replicas,), float(problem.T), dtype=torch.float64, device=self.device)
        drawn = multinomial_counts(np.concatenate([self._head_p, self._tail_mass]), totals, draw.generator)
        n = drawn[:, H:, None]
        rank = torch.arange(most, dtype=torch.float64, device=self.device)
        left = n - rank
        gaps = -torch.log1p(-draw.uniform(shape=(M, most)))
        x = self.tail.inputs(torch.cumsum(gaps / left.clamp(min=1.0), dim=2))
        before = torch.cat([torch.zeros_like(n), x[..., :-1]], dim=2)
        fresh = (x != before) & (left > 0)
        # a run of equal inputs ends where the next one starts, or after n samples
        start = torch.where(fresh, rank, math.inf)
        following = torch.cat([start[..., 1:], torch.full_like(n, math.inf)], dim=2)
        end = torch.minimum(following.flip(2).cummin(2).values.flip(2), n)
        counts = torch.where(fresh, end - rank, 0.0)
        p = torch.where(fresh, x**-alpha / problem.total, 0.0)
        unseen = (self._on_device(self._tail_mass) - p.sum(2)).clamp(min=0.0) / self._copies
        blank = draw.zeros((M * self._copies,))
        all_counts = torch.cat([drawn[:, :H], counts.flatten(1), blank], dim=1)
        head = self._on_device(self._head_p).expand(draw.replicas, -1)
        all_p = torch.cat([head, p.flatten(1), unseen.repeat_interleave(self._copies, dim=1)], dim=1)
        return Table(self._weights(draw, all_counts), all_p, self._f)

    # -- samples -----------------------------------------------------------------------------------------------------

    def _counts(self, draw: Draw) -> torch.Tensor:
        """How often each of finitely many inputs occurs among T samples."""
        problem = self.problem
        assert problem.T is not None
        if 2 * problem.rows < problem.T:
            totals = torch.full((draw.replicas,), float(problem.T), dtype=torch.float64, device=self.device)
            return multinomial_counts(problem.law, totals, draw.generator)
        cdf = np.cumsum(problem.law)
        uniform = draw.uniform(shape=(problem.T,))
        drawn = torch.searchsorted(self._on_device(cdf / cdf[-1]), uniform, right=True)
        counts = draw.zeros((problem.rows,))
        return counts.scatter_add_(1, drawn, torch.ones_like(uniform))

    def _weights(self, draw: Draw, counts: torch.Tensor) -> torch.Tensor:
        """q from counts: count^rho, or the given weights, for the inputs seen and kept, up to a common scale."""
        problem = self.problem
        keep = counts >= problem.s
        if problem.cut < 1:
            keep = torch.zeros_like(keep)
        elif counts.shape[1] > problem.cut:
            # a random fraction breaks ties among equal counts at random
            keys = counts + draw.alone.uniform(shape=tuple(counts.shape))
            least = torch.kthvalue(keys, counts.shape[1] - int(problem.cut) + 1, dim=1, keepdim=True).values
            keep &= keys >= least
        if problem.rows and not problem.plain:
            return torch.where(keep, self._given, 0.0)
        if problem.rho == 0:
            return keep.to(torch.float64)
        return torch.where(keep, (counts / counts.amax(1, keepdim=True)) ** problem.rho, 0.0)

    def _on_device(self, values: np.ndarray) -> torch.Tensor:
        return torch.as_tensor(values, device=self.device)


def _head_size(problem: RecallProblem) -> int:
    """H, for infinitely many inputs: with samples, the power of two for which head and slots have fewest rows."""
    M = problem.M
    H = max(LEAST_HEAD, (LEAST_EDGE + 1) * M)
    if problem.T is None:
        return H if math.isinf(problem.cut) else max(H, int(problem.cut))
    return min(_doublings(H), key=lambda head: head + M * _slots(problem, head))


def _doublings(H: int) -> list[int]:
    """H, 2 H, 4 H, ... up to MOST_HEAD; H itself in any case."""
    return [H * 2**k for k in range(1 + max(0, math.floor(math.log2(MOST_HEAD / H))))]


def table_rows(problem: RecallProblem) -> int:
    """About how many rows the problem's tables have, without making one."""
    if problem.rows:
        return problem.rows
    H = _head_size(problem)
    return H + 2 * SPREAD + 2 * problem.M + (0 if problem.T is None else problem.M * _slots(problem, H))


def _slots(problem: RecallProblem, H: int) -> int:
    """Samples beyond H that a class can have."""
    assert problem.T is not None
    mass = float(zipf_tail(float(problem.alpha or 0.0), H, math.inf, problem.M).mass.max())
    return slots(problem.T, mass / problem.total)


def _scaled(q: np.ndarray) -> np.ndarray:
    """q with its largest size one: the argmax knows no scale, and squares then neither overflow nor vanish."""
    largest = float(np.abs(q).max())
    scaled: np.ndarray = q / largest if largest > 0 else q
    return scaled


def _ranges(alpha: float, H: int, M: int, count: int) -> list[ZipfTail]:
    """The inputs beyond H, cut into about `count` ranges of about equal probability, each a multiple of M long."""
    starts = [H]
    for j in range(1, count):
        exponent = -math.log1p(-j / count) / (alpha - 1)
        if exponent > math.log(2**50 / H):
            break
        start = H + M * math.ceil(H * math.expm1(exponent) / M)
        if start > starts[-1]:
            starts.append(start)
    return [zipf_tail(alpha, a, b, M) for a, b in zip(starts, [*starts[1:], math.inf], strict=True)]
